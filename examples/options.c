/* options.c: see options.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool parse_integer(const char *name, const char *text, int64_t low, int64_t *value, Error *error) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < low || number > 1000000)
        return fail(error, "%s: '%s' is not a whole number from %lld to 1000000", name, text, (long long)low);
    *value = number;
    return true;
}

bool parse_real(const char *name, const char *text, bool zero_allowed, double *value, Error *error) {
    char *end;
    *value = strtod(text, &end);
    const bool in_range = isfinite(*value) && (*value > 0 || (zero_allowed && *value == 0)) && *value <= 1e6;
    if (end == text || *end || !in_range)
        return fail(error, "%s: '%s' is not a number %s 0 and at most 1e6", name, text,
                    zero_allowed ? "from" : "above");
    return true;
}

bool parse_word(const char *name, const char *text, int count, const char *const *words, int *place, Error *error) {
    char list[128] = "";
    for (int k = 0; k < count; ++k) {
        if (!strcmp(text, words[k])) {
            *place = k;
            return true;
        }
        const char *before = k == 0 ? "" : k + 1 < count ? ", " : " or ";
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", before, words[k]);
    }
    return fail(error, "%s: '%s' is not %s", name, text, list);
}

bool parse_backend(const char *text, xbatchBackend_t *backend, Error *error) {
    static const char *const names[] = {"auto", "host", "cuda"}; /* in the order of xbatchBackend_t */
    int place = 0;
    if (!parse_word("--backend", text, 3, names, &place, error)) return false;
    *backend = (xbatchBackend_t)place;
    return true;
}
