/* cholesky_tiles.c: A = L L^T by the library's own tasks, on a GPU or on host threads: the program contains only the
 * serial loops.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device_memory.h"
#include "error.h"
#include "options.h"
#include "positive.h"

const char usage[] =
    "Usage: cholesky_tiles [options]\n"
    "Factors a positive definite matrix by tiles, twice, and checks the factor.\n"
    "\n"
    "  --size N       rows (1024)\n"
    "  --tile B       rows of a tile (128)\n"
    "  --backend B    auto, host or cuda (auto: a CUDA device where one works, else the host)\n"
    "  --trace FILE   write the second run for chrome://tracing or ui.perfetto.dev\n"
    "  --help         this text\n"
    "  --version      the version of xbatch\n";

typedef struct {
    int64_t size, tile;
    xbatchBackend_t backend;
    const char *trace;
} Options;

static Options parse_options(int argc, char **argv) {
    static const struct option known[] = {{"size", required_argument, NULL, 's'},
                                          {"tile", required_argument, NULL, 't'},
                                          {"backend", required_argument, NULL, 'b'},
                                          {"trace", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    Options options = {1024, 128, XBATCH_BACKEND_AUTO, NULL};
    for (int key; (key = next_option(argc, argv, known)) != -1;) {
        switch (key) {
            case 's': options.size = integer_value(1); break;
            case 't': options.tile = integer_value(1); break;
            case 'b': options.backend = backend_value(); break;
            case 'r': options.trace = optarg; break;
        }
    }
    if (optind < argc) refuse("%s: not an option", argv[optind]);
    if (options.tile > XBATCH_TASK_MAX_TILE) options.tile = XBATCH_TASK_MAX_TILE;
    return options;
}

typedef struct {
    xbatchHandle_t handle;
    xbatchTaskGraph_t graph;
    xbatchBackend_t backend;
    int64_t n, b;
    double *original;          /* [n*n], column-major; its lower triangle is used */
    DeviceArray factor, image; /* [n*n]; the graph as the backend runs it */
} Work;

static bool check(const Work *w, xbatchStatus_t status, Error *error) {
    return status == XBATCH_STATUS_SUCCESS || fail(error, "%s", xbatchGetLastErrorMessage(w->handle));
}

/* Tile (i, j), and its rows; that of (i, i) has as many columns */
static double *at(const Work *w, int64_t i, int64_t j) {
    return (double *)w->factor.device + j * w->b * w->n + i * w->b;
}
static int64_t rows(const Work *w, int64_t i) { return w->n - i * w->b < w->b ? w->n - i * w->b : w->b; }

/* A_ij -= A_ik A_jk^T for all tiles right of column k */
static bool add_updates(const Work *w, int64_t k, Error *error) {
    const int64_t n = w->n;
    bool good = true;
    for (int64_t j = k + 1; good && j * w->b < n; ++j) {
        good = check(w,
                     xbatchTaskGraphAddHerk(w->handle, w->graph, XBATCH_R_64F, XBATCH_UPLO_LOWER, XBATCH_OP_N,
                                            rows(w, j), rows(w, k), -1, at(w, j, k), n, 1, at(w, j, j), n, NULL),
                     error);
        for (int64_t i = j + 1; good && i * w->b < n; ++i)
            good = check(w,
                         xbatchTaskGraphAddGemm(w->handle, w->graph, XBATCH_R_64F, XBATCH_OP_N, XBATCH_OP_T, rows(w, i),
                                                rows(w, j), rows(w, k), -1, at(w, i, k), n, at(w, j, k), n, 1,
                                                at(w, i, j), n, NULL),
                         error);
    }
    return good;
}

/* The loops of the serial algorithm; dependencies follow from the addresses of the tiles. */
static bool build(const Work *w, Error *error) {
    const int64_t n = w->n;
    bool good = true;
    for (int64_t k = 0; good && k * w->b < n; ++k) {
        good = check(w,
                     xbatchTaskGraphAddPotrf(w->handle, w->graph, XBATCH_R_64F, XBATCH_UPLO_LOWER, rows(w, k),
                                             at(w, k, k), n, NULL),
                     error);
        for (int64_t i = k + 1; good && i * w->b < n; ++i)
            good = check(w,
                         xbatchTaskGraphAddTrsm(w->handle, w->graph, XBATCH_R_64F, XBATCH_SIDE_RIGHT, XBATCH_UPLO_LOWER,
                                                XBATCH_OP_T, XBATCH_DIAG_NON_UNIT, rows(w, i), rows(w, k), 1,
                                                at(w, k, k), n, at(w, i, k), n, NULL),
                         error);
        good = good && add_updates(w, k, error);
    }
    return good && check(w, xbatchTaskGraphFinalize(w->handle, w->graph), error);
}

static bool upload(Work *w, bool is_traced, Error *error) {
    size_t bytes = 0;
    return check(w, xbatchTaskGraphSetTrace(w->handle, w->graph, is_traced), error) &&
           check(w, xbatchTaskGraphUpload_bufferSize(w->handle, w->graph, &bytes), error) &&
           (device_array_create(&w->image, w->backend, bytes) || fail(error, "out of memory")) &&
           check(w, xbatchTaskGraphUpload(w->handle, w->graph, w->image.device, bytes), error);
}

static bool run(const Work *w, double *seconds, Error *error) {
    struct timespec begin, end;
    memcpy(w->factor.host, w->original, w->factor.bytes);
    if (!device_array_push(&w->factor)) return fail(error, "the matrix could not be copied to the device");
    clock_gettime(CLOCK_MONOTONIC, &begin);
    bool good = check(w, xbatchTaskGraphRunTiles(w->handle, w->graph, w->image.device), error) &&
                check(w, xbatchTaskGraphSynchronize(w->handle, w->graph, w->image.device), error);
    clock_gettime(CLOCK_MONOTONIC, &end);
    *seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    return good && (device_array_pull(&w->factor) || fail(error, "the factor could not be copied from the device"));
}

static bool factor(Work *w, const Options *options, Error *error) {
    double first = 0, second = 0;
    int64_t tasks = 0, edges = 0;
    positive_fill(w->original, w->n);
    bool good =
        build(w, error) && upload(w, options->trace != NULL, error) && run(w, &first, error) &&
        run(w, &second, error) &&
        check(w, xbatchTaskGraphGetStatistics(w->handle, w->graph, &tasks, &edges, NULL, NULL, NULL, NULL), error);
    if (good && options->trace)
        good = check(w, xbatchTaskGraphWriteTrace(w->handle, w->graph, options->trace, NULL, 0), error);
    if (!good) return false;
    const int64_t step = w->n > 1000 ? 61 : 1; /* for large matrices, a sample of columns */
    const double ratio = positive_residual(w->original, w->factor.host, w->n, step);
    printf("graph: %lld tasks, %lld dependencies\n", (long long)tasks, (long long)edges);
    printf("factor: residual %.3f, %.4f s and %.4f s on the %s\n", ratio, first, second,
           w->backend == XBATCH_BACKEND_CUDA ? "device" : "host");
    return ratio < 30 || fail(error, "the residual is too large");
}

int main(int argc, char **argv) {
    const Options options = parse_options(argc, argv);
    Work w = {0};
    Error error;
    const xbatchStatus_t status = xbatchCreate(&w.handle, options.backend);
    bool good = status == XBATCH_STATUS_SUCCESS || fail(&error, "no handle: %s", xbatchGetStatusString(status));
    if (good) {
        xbatchGetBackend(w.handle, &w.backend);
        w.n = options.size, w.b = options.tile;
        const size_t bytes = (size_t)(w.n * w.n) * sizeof(double);
        w.original = malloc(bytes);
        good = (w.original && device_array_create(&w.factor, w.backend, bytes)) || fail(&error, "out of memory");
    }
    good = good && check(&w, xbatchTaskGraphCreate(w.handle, &w.graph), &error) && factor(&w, &options, &error);
    if (!good) fprintf(stderr, "cholesky_tiles: %s\n", error.text);
    device_array_destroy(&w.image), device_array_destroy(&w.factor);
    xbatchTaskGraphDestroy(w.graph);
    xbatchDestroy(w.handle);
    free(w.original);
    return good ? 0 : 1;
}
