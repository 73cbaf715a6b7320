/* options.c: see options.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *program; /* its name, without a path */
static const char *option;  /* the name of the option read last */

_Noreturn void refuse(const char *format, ...) {
    va_list arguments;
    fprintf(stderr, "%s: ", program);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n\n%s", usage);
    exit(2);
}

static void print_version(void) {
    int version = 0;
    xbatchGetVersion(&version);
    printf("%s (xbatch) %d.%d.%d\n", program, version / 10000, version / 100 % 100, version % 100);
}

int next_option(int argc, char **argv, const struct option *known) {
    const char *slash = strrchr(argv[0], '/');
    program = slash ? slash + 1 : argv[0];
    opterr = 0;
    int place = 0;
    const int key = getopt_long(argc, argv, "h", known, &place);
    switch (key) {
        case 'h': fputs(usage, stdout), exit(0);
        case 'v': print_version(), exit(0);
        case '?': refuse("%s: not an option, or its value is missing", argv[optind - 1]);
    }
    option = known[place].name;
    return key;
}

int64_t integer_value(int64_t low) {
    char *end;
    errno = 0;
    const long long number = strtoll(optarg, &end, 10);
    if (end == optarg || *end || errno || number < low || number > 1000000)
        refuse("--%s: '%s' is not a whole number from %lld to 1000000", option, optarg, (long long)low);
    return number;
}

double real_value(bool zero_allowed) {
    char *end;
    const double value = strtod(optarg, &end);
    const bool in_range = isfinite(value) && (value > 0 || (zero_allowed && value == 0)) && value <= 1e6;
    if (end == optarg || *end || !in_range)
        refuse("--%s: '%s' is not a number %s 0 and at most 1e6", option, optarg, zero_allowed ? "from" : "above");
    return value;
}

int word_value(int count, const char *const *words) {
    char list[128] = "";
    for (int k = 0; k < count; ++k) {
        if (!strcmp(optarg, words[k])) return k;
        const char *before = k == 0 ? "" : k + 1 < count ? ", " : " or ";
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", before, words[k]);
    }
    refuse("--%s: '%s' is not %s", option, optarg, list);
}

xbatchBackend_t backend_value(void) {
    static const char *const names[] = {"auto", "host", "cuda"}; /* in the order of xbatchBackend_t */
    return (xbatchBackend_t)word_value(3, names);
}
