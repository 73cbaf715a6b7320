/* cholesky.c: A = L L^T by tiles: four independent kinds of tasks, and a graph that knows which tiles each task reads
 * and writes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "positive.h"
#include "task_run.h"

const char usage[] =
    "Usage: cholesky [options]\n"
    "Factors a positive definite matrix by tiles, on one thread and on several, and checks the factor.\n"
    "\n"
    "  --size N       rows (768)\n"
    "  --tile B       rows of a tile (64)\n"
    "  --threads T    threads of the second run (all cores)\n"
    "  --trace FILE   write the second run for chrome://tracing or ui.perfetto.dev\n"
    "  --help         this text\n"
    "  --version      the version of xbatch\n";

typedef struct {
    int64_t n, b;     /* rows of the matrix and of a tile */
    double *original; /* [n*n], column-major as all */
    double *factor;   /* [n*n], its lower triangle */
} Matrix;

/* Tile (i, j) and the one or two that change it, in their column k */
typedef struct {
    int32_t i, j, k;
} TileArguments;

typedef struct {
    int64_t rows;
    double *at;
} Tile;

static Tile tile(const Matrix *m, int64_t i, int64_t j) {
    const int64_t rows = m->n - i * m->b < m->b ? m->n - i * m->b : m->b;
    return (Tile){rows, m->factor + j * m->b * m->n + i * m->b};
}

/* A_kk = L_kk L_kk^T; the number of the column where there is no such L_kk. */
static int potrf(const void *arguments, void *user, int worker) {
    const TileArguments *t = arguments;
    const Matrix *m = user;
    const int64_t n = m->n;
    const Tile a = tile(m, t->k, t->k);
    (void)worker;
    for (int64_t c = 0; c < a.rows; ++c) {
        for (int64_t l = 0; l < c; ++l)
            for (int64_t r = c; r < a.rows; ++r) a.at[c * n + r] -= a.at[l * n + r] * a.at[l * n + c];
        if (!(a.at[c * n + c] > 0)) return (int)(t->k * m->b + c + 1);
        const double pivot = sqrt(a.at[c * n + c]);
        for (int64_t r = c; r < a.rows; ++r) a.at[c * n + r] /= pivot;
    }
    return 0;
}

/* A_ik = A_ik L_kk^-T */
static int trsm(const void *arguments, void *user, int worker) {
    const TileArguments *t = arguments;
    const Matrix *m = user;
    const int64_t n = m->n;
    const Tile l = tile(m, t->k, t->k), a = tile(m, t->i, t->k);
    (void)worker;
    for (int64_t c = 0; c < l.rows; ++c) {
        for (int64_t k = 0; k < c; ++k)
            for (int64_t r = 0; r < a.rows; ++r) a.at[c * n + r] -= a.at[k * n + r] * l.at[k * n + c];
        for (int64_t r = 0; r < a.rows; ++r) a.at[c * n + r] /= l.at[c * n + c];
    }
    return 0;
}

/* A_ij -= A_ik A_jk^T; of a diagonal tile, i = j, the lower triangle */
static int update(const void *arguments, void *user, int worker) {
    const TileArguments *t = arguments;
    const Matrix *m = user;
    const int64_t n = m->n;
    const Tile a = tile(m, t->i, t->k), b = tile(m, t->j, t->k), c = tile(m, t->i, t->j);
    (void)worker;
    for (int64_t column = 0; column < b.rows; ++column)
        for (int64_t k = 0; k < m->b; ++k)
            for (int64_t r = t->i == t->j ? column : 0; r < c.rows; ++r)
                c.at[column * n + r] -= a.at[k * n + r] * b.at[k * n + column];
    return 0;
}

enum { POTRF, TRSM, SYRK, GEMM };
static const xbatchTaskBody_t bodies[] = {potrf, trsm, update, update};
static const char *const names[] = {"potrf", "trsm", "syrk", "gemm"};

typedef struct {
    int type;
    double cost; /* in products of tiles */
    TileArguments of;
} Kernel;

/* One task: it writes the tile (i, j), and reads those of column k that it needs. */
static bool add(const TaskWork *work, int64_t tiles, Kernel kernel, Error *error) {
    const TileArguments t = kernel.of;
    int64_t task;
    if (!task_check(work,
                    xbatchTaskGraphAddTask(work->handle, work->graph, kernel.type, &t, sizeof t, kernel.cost, &task),
                    error))
        return false;
    const bool reads_diagonal = kernel.type == TRSM, reads_row = kernel.type == SYRK || kernel.type == GEMM;
    return task_access(work, task, t.i * tiles + t.j, XBATCH_TASK_WRITE, error) &&
           (!reads_diagonal || task_access(work, task, t.k * tiles + t.k, XBATCH_TASK_READ, error)) &&
           (!reads_row || task_access(work, task, t.i * tiles + t.k, XBATCH_TASK_READ, error)) &&
           (!reads_row || task_access(work, task, t.j * tiles + t.k, XBATCH_TASK_READ, error));
}

/* The loops of the serial algorithm; nothing says which tasks may run in parallel. */
static bool build(const TaskWork *work, const Matrix *m, Error *error) {
    const int32_t tiles = (int32_t)((m->n + m->b - 1) / m->b);
    bool good = true;
    for (int32_t k = 0; k < tiles; ++k) {
        good = good && add(work, tiles, (Kernel){POTRF, 1.0 / 3, {k, k, k}}, error);
        for (int32_t i = k + 1; i < tiles; ++i) good = good && add(work, tiles, (Kernel){TRSM, 1, {i, k, k}}, error);
        for (int32_t j = k + 1; j < tiles; ++j)
            for (int32_t i = j; i < tiles; ++i)
                good = good &&
                       add(work, tiles, i == j ? (Kernel){SYRK, 1, {i, j, k}} : (Kernel){GEMM, 2, {i, j, k}}, error);
    }
    return good && task_check(work, xbatchTaskGraphFinalize(work->handle, work->graph), error);
}

static bool factor(const TaskWork *work, const TaskOptions *options, Matrix *m, Error *error) {
    const size_t bytes = (size_t)(m->n * m->n) * sizeof *m->factor;
    double *serial = malloc(bytes), one = 0, several = 0;
    bool good = serial || fail(error, "out of memory");
    if (good) memcpy(m->factor, m->original, bytes);
    good = good && build(work, m, error) && task_describe(work, error) && task_time(work, 1, m, &one, error);
    if (good) {
        memcpy(serial, m->factor, bytes);
        memcpy(m->factor, m->original, bytes);
        good = task_check(work, xbatchTaskGraphSetTrace(work->handle, work->graph, options->trace != NULL), error) &&
               task_time(work, options->threads, m, &several, error);
    }
    if (good && options->trace)
        good = task_check(work, xbatchTaskGraphWriteTrace(work->handle, work->graph, options->trace, names, 4), error);
    if (good && memcmp(serial, m->factor, bytes) != 0) good = fail(error, "threads gave other bits than one thread");
    free(serial);
    if (!good) return false;
    const double ratio = positive_residual(m->original, m->factor, m->n, 1);
    printf("factor: residual %.3f, %.4f s on one thread, %.4f s on several\n", ratio, one, several);
    return ratio < 30 || fail(error, "the residual is too large");
}

int main(int argc, char **argv) {
    TaskOptions options = {768, 64, 0, NULL, NULL, 0};
    TaskWork work = {NULL, NULL, bodies, names, 4};
    Error error;
    task_options(argc, argv, &options);
    if (options.rest_count > 0) refuse("%s: not an option", options.rest[0]);
    Matrix m = {options.size, options.tile, NULL, NULL};
    m.original = malloc((size_t)(m.n * m.n) * sizeof *m.original);
    m.factor = malloc((size_t)(m.n * m.n) * sizeof *m.factor);
    bool good = (m.original && m.factor) || fail(&error, "out of memory");
    if (good) {
        positive_fill(m.original, m.n);
        good = xbatchCreate(&work.handle, XBATCH_BACKEND_HOST) == XBATCH_STATUS_SUCCESS ||
               fail(&error, "no handle could be made");
        good = good && task_check(&work, xbatchTaskGraphCreate(work.handle, &work.graph), &error) &&
               factor(&work, &options, &m, &error);
    }
    if (!good) fprintf(stderr, "cholesky: %s\n", error.text);
    xbatchTaskGraphDestroy(work.graph);
    xbatchDestroy(work.handle);
    free(m.original), free(m.factor);
    return good ? 0 : 1;
}
