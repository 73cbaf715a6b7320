/* swc.c: see swc.h. Lines are read first, then ids are looked up, then cycles are searched: each step only if the one
 * before succeeded, so that a message names the line that is wrong.
 *
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "swc.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LOGGED_LINES 20
#define COLUMNS 7
#define LONGEST 1e7 /* um: longer than any neuron, and its square does not overflow */

typedef struct {
    const char *path;
    FILE *log;
    int64_t bad; /* lines so far */
} Complaints;

__attribute__((format(printf, 3, 4))) static void complain(Complaints *complaints, int64_t line, const char *format,
                                                           ...) {
    if (++complaints->bad > LOGGED_LINES) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(complaints->log, "%s:%lld: ", complaints->path, (long long)line);
    vfprintf(complaints->log, format, arguments);
    fputc('\n', complaints->log);
    va_end(arguments);
}

double swc_distance(const SwcSample *a, const SwcSample *b) {
    const double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
    return sqrt(x * x + y * y + z * z);
}

/* Lines. */

static bool parse_whole(const char *column, const char *text, int64_t low, int64_t *value, Error *error) {
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < low)
        return fail(error, "%s '%.40s' is not a whole number from %d on", column, text, (int)low);
    *value = number;
    return true;
}

static bool parse_real(const char *column, const char *text, double low, double *value, Error *error) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !(*value >= low && *value <= LONGEST))
        return fail(error, "%s '%.40s' is not a number from %g to %g", column, text, low, LONGEST);
    return true;
}

/* A line's sample, its parent still an id. `empty`: there is none on it. The text is cut to pieces. */
static bool parse_line(char *text, SwcSample *sample, bool *empty, Error *error) {
    static const char blanks[] = " \t\r\n\v\f";
    char *field[COLUMNS], *rest = NULL;
    int fields = 0;
    for (char *word = strtok_r(text, blanks, &rest); word && *word != '#'; word = strtok_r(NULL, blanks, &rest)) {
        if (fields == COLUMNS) return fail(error, "'%.40s' stands after the seven columns", word);
        field[fields++] = word;
    }
    *empty = fields == 0;
    if (*empty) return true;
    if (fields < COLUMNS) return fail(error, "%d of the seven columns id, type, x, y, z, radius, parent", fields);
    if (!parse_whole("id", field[0], 0, &sample->id, error) ||
        !parse_whole("type", field[1], 0, &sample->type, error) ||
        !parse_real("x", field[2], -LONGEST, &sample->x, error) ||
        !parse_real("y", field[3], -LONGEST, &sample->y, error) ||
        !parse_real("z", field[4], -LONGEST, &sample->z, error) ||
        !parse_real("radius", field[5], 0, &sample->radius, error) ||
        !parse_whole("parent", field[6], -1, &sample->parent, error))
        return false;
    if (sample->radius == 0 && sample->type != SWC_SOMA) return fail(error, "a neurite of radius 0");
    return true;
}

static bool append(Swc *swc, int64_t *room, const SwcSample *sample) {
    if (swc->count == *room) {
        *room = *room ? 2 * *room : 1024;
        SwcSample *larger = realloc(swc->samples, (size_t)*room * sizeof *larger);
        if (!larger) return false;
        swc->samples = larger;
    }
    swc->samples[swc->count++] = *sample;
    return true;
}

/* All lines of a file; `swc` is to be freed on failure too. */
static bool read_lines(FILE *file, Complaints *complaints, Swc *swc, Error *error) {
    char *text = NULL;
    size_t text_room = 0;
    int64_t room = 0, line = 0;
    bool good = true;
    errno = 0;
    for (ssize_t length; good && (length = getline(&text, &text_room, file)) >= 0;) {
        const char *mark = "\xef\xbb\xbf"; /* with which some editors begin UTF-8 */
        char *start = ++line == 1 && !strncmp(text, mark, 3) ? text + 3 : text;
        SwcSample sample = {.line = line};
        Error reason;
        bool empty = true;
        if (memchr(text, '\0', (size_t)length))
            complain(complaints, line, "a byte 0: this is no text");
        else if (!parse_line(start, &sample, &empty, &reason))
            complain(complaints, line, "%s", reason.text);
        else if (!empty)
            good = append(swc, &room, &sample);
    }
    const int reason = errno;
    free(text);
    if (!good) return fail(error, "%s: no memory for its samples", complaints->path);
    if (!feof(file)) return fail(error, "%s: cannot be read: %s", complaints->path, strerror(reason));
    if (line == 0) return fail(error, "%s: the file is empty", complaints->path);
    if (swc->count == 0 && !complaints->bad) return fail(error, "%s: no samples", complaints->path);
    return true;
}

/* Ids. */

typedef struct {
    int64_t id, index;
} Entry;

static int compare_entries(const void *left, const void *right) {
    const Entry *a = left, *b = right;
    return a->id != b->id ? (a->id > b->id) - (a->id < b->id) : (a->index > b->index) - (a->index < b->index);
}

/* The first sample with an id, -1 where there is none. */
static int64_t find(const Entry *entries, int64_t count, int64_t id) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (entries[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && entries[low].id == id ? entries[low].index : -1;
}

static bool look_up_parents(Swc *swc, Complaints *complaints, Error *error) {
    Entry *entries = malloc((size_t)swc->count * sizeof *entries);
    if (!entries) return fail(error, "%s: no memory for its ids", complaints->path);
    for (int64_t i = 0; i < swc->count; ++i) entries[i] = (Entry){swc->samples[i].id, i};
    qsort(entries, (size_t)swc->count, sizeof *entries, compare_entries);
    for (int64_t i = 0; i < swc->count; ++i) {
        SwcSample *sample = &swc->samples[i];
        const int64_t first = find(entries, swc->count, sample->id);
        const int64_t parent = sample->parent < 0 ? -1 : find(entries, swc->count, sample->parent);
        if (first != i)
            complain(complaints, sample->line, "id %lld is that of line %lld", (long long)sample->id,
                     (long long)swc->samples[first].line);
        else if (sample->parent >= 0 && parent < 0)
            complain(complaints, sample->line, "parent %lld is not in the file", (long long)sample->parent);
        sample->parent = parent;
    }
    free(entries);
    return true;
}

/* Report each cycle once, by its first sample in the file. */
static bool find_cycles(const Swc *swc, Complaints *complaints, Error *error) {
    int64_t *walk = calloc((size_t)swc->count, sizeof *walk); /* the first walk to the root that passed, from 1 */
    if (!walk) return fail(error, "%s: no memory to look for cycles", complaints->path);
    for (int64_t i = 0; i < swc->count; ++i) {
        int64_t k = i;
        for (; k >= 0 && !walk[k]; k = swc->samples[k].parent) walk[k] = i + 1;
        if (k < 0 || walk[k] != i + 1) continue;
        int64_t first = k, length = 1;
        for (int64_t next = swc->samples[k].parent; next != k; next = swc->samples[next].parent, ++length)
            if (next < first) first = next;
        complain(complaints, swc->samples[first].line, "sample %lld is its own ancestor, in a cycle of %lld",
                 (long long)swc->samples[first].id, (long long)length);
    }
    free(walk);
    return true;
}

/* A soma of unknown size, radius 0, is the point at which neurites join. It cannot be a part of a larger soma. */
static void find_thin_somas(const Swc *swc, Complaints *complaints) {
    for (int64_t i = 0; i < swc->count; ++i) {
        const SwcSample *sample = &swc->samples[i], *parent = sample->parent < 0 ? NULL : &swc->samples[sample->parent];
        if (!parent || sample->type != SWC_SOMA || parent->type != SWC_SOMA) continue;
        const SwcSample *thin = sample->radius == 0 ? sample : parent;
        if (thin->radius == 0 && swc_distance(sample, parent) > SWC_SAME_POINT)
            complain(complaints, thin->line, "radius 0 within a soma");
    }
}

bool swc_read(const char *path, FILE *log, Swc *swc, Error *error) {
    *swc = (Swc){NULL, 0};
    Complaints complaints = {path, log, 0};
    FILE *file = fopen(path, "r");
    if (!file) return fail(error, "%s: cannot be opened: %s", path, strerror(errno));
    bool good = read_lines(file, &complaints, swc, error);
    fclose(file);
    if (good && !complaints.bad) good = look_up_parents(swc, &complaints, error);
    if (good && !complaints.bad) good = find_cycles(swc, &complaints, error);
    if (good && !complaints.bad) find_thin_somas(swc, &complaints);
    if (good && complaints.bad)
        good = fail(error, "%s: %lld bad line%s", path, (long long)complaints.bad, complaints.bad > 1 ? "s" : "");
    if (!good) swc_free(swc);
    return good;
}

void swc_free(Swc *swc) {
    free(swc->samples);
    *swc = (Swc){NULL, 0};
}
