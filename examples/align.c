/* align.c: the best local alignment of two sequences (Smith and Waterman 1981) by tiles: a wavefront, in which each
 * tile waits for the one above it and the one before it.
 *
 * H(i,j) = max(0, H(i-1,j-1) + (a_i == b_j ? 2 : -1), H(i-1,j) - 1, H(i,j-1) - 1)
 *
 * Of H only the last row above each column of tiles and the last column before each row of tiles are stored.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "task_run.h"

const char usage[] =
    "Usage: align [options] [A B]\n"
    "Aligns the sequences A and B, any characters, or two random ones, on one thread and on several.\n"
    "\n"
    "  --size N       length of random sequences (6000)\n"
    "  --tile B       rows and columns of a tile (128)\n"
    "  --threads T    threads of the second run (all cores)\n"
    "  --trace FILE   write the second run for chrome://tracing or ui.perfetto.dev\n"
    "  --help         this text\n"
    "  --version      the version of xbatch\n";

/* The largest H; of several the first row's, then the first column's; rows and columns count from 1 */
typedef struct {
    int32_t score;
    int64_t i, j;
} Best;

typedef struct {
    const char *a, *b;
    int64_t m, n, tile; /* lengths, and rows and columns of a tile */
    int32_t *above;     /* [n] H in the row above the next tile of each column of tiles */
    int32_t *before;    /* [m] H in the column before the next tile of each row of tiles */
    int32_t *corner;    /* [tile rows] H above that column */
    Best *best;         /* [tile rows] */
} Alignment;

typedef struct {
    int64_t i, j; /* of the tile */
} TilePlace;

static int64_t tiles(const Alignment *s, int64_t length) { return (length + s->tile - 1) / s->tile; }

static bool is_better(Best x, Best y) {
    if (x.score != y.score) return x.score > y.score;
    return x.i != y.i ? x.i < y.i : x.j < y.j;
}

static int32_t largest(int32_t x, int32_t y) { return x > y ? x : y; }

static int align_tile(const void *arguments, void *user, int worker) {
    const TilePlace *t = arguments;
    Alignment *s = user;
    const int64_t first = t->i * s->tile, left = t->j * s->tile;
    const int64_t end = first + s->tile < s->m ? first + s->tile : s->m;
    const int64_t right = left + s->tile < s->n ? left + s->tile : s->n;
    const int32_t next_corner = s->above[right - 1];
    int32_t diagonal = s->corner[t->i];
    (void)worker;
    for (int64_t i = first; i < end; ++i) {
        int32_t h = s->before[i], corner = diagonal;
        diagonal = h; /* of the next row */
        for (int64_t j = left; j < right; ++j) {
            const int32_t met = corner + (s->a[i] == s->b[j] ? 2 : -1), up = s->above[j];
            h = largest(largest(0, met), largest(up, h) - 1);
            corner = up, s->above[j] = h;
            const Best here = {h, i + 1, j + 1};
            if (is_better(here, s->best[t->i])) s->best[t->i] = here;
        }
        s->before[i] = h;
    }
    s->corner[t->i] = next_corner;
    return 0;
}

static const xbatchTaskBody_t bodies[] = {align_tile};
static const char *const names[] = {"tile"};

static bool build(const TaskWork *work, const Alignment *s, Error *error) {
    const int64_t rows = tiles(s, s->m), columns = tiles(s, s->n);
    bool good = true;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; good && j < columns; ++j) {
            const TilePlace place = {i, j};
            int64_t task;
            good =
                task_check(work, xbatchTaskGraphAddTask(work->handle, work->graph, 0, &place, sizeof place, 1, &task),
                           error) &&
                task_access(work, task, i, XBATCH_TASK_WRITE, error) &&      /* before, corner, best */
                task_access(work, task, rows + j, XBATCH_TASK_WRITE, error); /* above */
        }
    return good && task_check(work, xbatchTaskGraphFinalize(work->handle, work->graph), error);
}

static Best run(const TaskWork *work, Alignment *s, int64_t threads, double *seconds, bool *good, Error *error) {
    const int64_t rows = tiles(s, s->m);
    Best best = {0, 0, 0};
    memset(s->above, 0, (size_t)s->n * sizeof *s->above);
    memset(s->before, 0, (size_t)s->m * sizeof *s->before);
    memset(s->corner, 0, (size_t)rows * sizeof *s->corner);
    for (int64_t i = 0; i < rows; ++i) s->best[i] = best;
    *good = *good && task_time(work, threads, s, seconds, error);
    for (int64_t i = 0; i < rows; ++i)
        if (is_better(s->best[i], best)) best = s->best[i];
    return best;
}

static bool align(const TaskWork *work, const TaskOptions *options, Alignment *s, Error *error) {
    double one = 0, several = 0;
    bool good = build(work, s, error) && task_describe(work, error);
    const Best serial = run(work, s, 1, &one, &good, error);
    good = good && task_check(work, xbatchTaskGraphSetTrace(work->handle, work->graph, options->trace != NULL), error);
    const Best best = run(work, s, options->threads, &several, &good, error);
    if (good && options->trace)
        good = task_check(work, xbatchTaskGraphWriteTrace(work->handle, work->graph, options->trace, names, 1), error);
    if (!good) return false;
    printf("best alignment: score %d, ends at %lld and %lld; %.4f s on one thread, %.4f s on several\n", best.score,
           (long long)best.i, (long long)best.j, one, several);
    const bool is_same = serial.score == best.score && serial.i == best.i && serial.j == best.j;
    return is_same || fail(error, "threads found another one than one thread: score %d", serial.score);
}

/* Letters of a genome; two sequences have a quarter of them in common */
static void draw(char *a, char *b, int64_t size) {
    uint32_t state = 7;
    for (int64_t k = 0; k < size; ++k) {
        state = state * 1664525u + 1013904223u;
        a[k] = "ACGT"[state >> 30];
        b[k] = k % 64 < 16 ? a[k] : "ACGT"[state >> 28 & 3];
    }
    a[size] = b[size] = '\0';
}

/* Takes the sequences of the command line, or generates random ones in `drawn`. */
static void choose(const TaskOptions *options, Alignment *s, char *drawn) {
    if (options->rest_count == 2) {
        s->a = options->rest[0], s->b = options->rest[1];
    } else {
        draw(drawn, drawn + options->size + 1, options->size);
        s->a = drawn, s->b = drawn + options->size + 1;
    }
    s->m = (int64_t)strlen(s->a), s->n = (int64_t)strlen(s->b);
    if (s->m == 0 || s->n == 0) refuse("a sequence is empty");
}

int main(int argc, char **argv) {
    TaskOptions options = {6000, 128, 0, NULL, NULL, 0};
    TaskWork work = {NULL, NULL, bodies, names, 1};
    Alignment s = {0};
    Error error;
    task_options(argc, argv, &options);
    if (options.rest_count != 0 && options.rest_count != 2)
        refuse("two sequences or none are needed, %d given", options.rest_count);
    s.tile = options.tile;
    char *drawn = malloc(2 * (size_t)options.size + 2);
    bool good = drawn || fail(&error, "out of memory");
    if (good) {
        choose(&options, &s, drawn);
        const size_t rows = (size_t)tiles(&s, s.m);
        s.above = malloc((size_t)s.n * sizeof *s.above), s.before = malloc((size_t)s.m * sizeof *s.before);
        s.corner = malloc(rows * sizeof *s.corner), s.best = malloc(rows * sizeof *s.best);
        good = (s.above && s.before && s.corner && s.best) || fail(&error, "out of memory");
    }
    if (good)
        good = xbatchCreate(&work.handle, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS ||
               fail(&error, "no handle could be made");
    good = good && task_check(&work, xbatchTaskGraphCreate(work.handle, &work.graph), &error) &&
           align(&work, &options, &s, &error);
    if (!good) fprintf(stderr, "align: %s\n", error.text);
    xbatchTaskGraphDestroy(work.graph);
    xbatchDestroy(work.handle);
    free(s.above), free(s.before), free(s.corner), free(s.best), free(drawn);
    return good ? 0 : 1;
}
