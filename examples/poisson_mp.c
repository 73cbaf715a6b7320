/* poisson_mp.c: Poisson's equation on the unit square by alternating directions (Peaceman and Rachford 1955), with the
 * rows of the grid distributed over MPI's ranks.
 *
 *     -u_xx - u_yy = f,  u = 0 on the boundary:  (A + B) u = f,  A = -d2/dx2, B = -d2/dy2 by second differences
 *     (r I + A) v = f + (r I - B) u    lines along x: each rank's own, xgtsvBatch
 *     (r I + B) u = f + (r I - A) v    lines along y: through all ranks, xgtsvMp
 *
 * u is an array [rows][n], x fastest: lines along x are FLAT, lines along y INTERLEAVED systems of the same memory. The
 * shifts r form a geometric sequence between the smallest and the largest eigenvalue of A.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

const char usage[] =
    "Usage: poisson_mp [options]\n"
    "Solves Poisson's equation on a square whose rows are distributed over MPI's ranks: mpirun -n 4 poisson_mp\n"
    "\n"
    "  --size N      inner points in each direction (500)\n"
    "  --shifts K    shifts of a cycle (8)\n"
    "  --help        this text\n"
    "  --version     the version of xbatch\n";

enum { MOST_CYCLES = 50 };
static const double pi = 3.14159265358979323846, tolerance = 1e-11;

typedef struct {
    int rank, ranks;
    int64_t n, first, rows; /* points of a line; first row and number of rows of this rank */
    double h2;              /* square of the distance between points */
    double *u, *v, *f;      /* [rows + 2][n] with one row of each neighbour, 0 at the boundary */
    double *side, *d;       /* [n] the coefficients of lines: dl = du, and the diagonal */
    int32_t *info;          /* [n + rows] */
    xbatchHandle_t handle;
    xbatchComm_t comm;
    xbatchMpPlan_t plan;
    void *workspace;
    size_t bytes_x, bytes_y;
    double seconds_x, seconds_y;
} Solver;

/* End all ranks if a call failed. */
static void check(const Solver *s, xbatchStatus_t status) {
    if (status == XBATCH_STATUS_SUCCESS) return;
    fprintf(stderr, "rank %d: %s\n", s->rank, xbatchGetLastErrorMessage(s->handle));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *allocate(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

static double *row_of(const Solver *s, double *a, int64_t i) { return a + (i + 1) * s->n; }

static void create(Solver *s, int64_t n) {
    int64_t *offsets;
    MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s->ranks);
    s->n = n, s->h2 = 1.0 / ((double)(n + 1) * (double)(n + 1));
    if (xbatchCreate(&s->handle, XBATCH_BACKEND_HOST) != XBATCH_STATUS_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    if (s->ranks > 1) check(s, xbatchSetThreadCount(s->handle, 1));
    check(s, xbatchCommCreate(s->handle, "mpi", NULL, &s->comm));
    check(s, xgtsvMpCreatePlan(s->comm, XBATCH_R_64F, XBATCH_LAYOUT_INTERLEAVED, n, 1, n, NULL, 0, XBATCH_MP_DEFAULT,
                               &s->plan));
    offsets = allocate(s->ranks + 1, sizeof *offsets);
    check(s, xbatchMpGetOffsets(s->plan, offsets));
    s->first = offsets[s->rank], s->rows = offsets[s->rank + 1] - s->first;
    free(offsets);
    s->u = allocate((s->rows + 2) * n, sizeof *s->u);
    s->v = allocate((s->rows + 2) * n, sizeof *s->v);
    s->f = allocate((s->rows + 2) * n, sizeof *s->f);
    s->side = allocate(n, sizeof *s->side);
    s->d = allocate(n, sizeof *s->d);
    s->info = allocate(n + s->rows, sizeof *s->info);
    check(s, dgtsvBatch_bufferSize(s->handle, XBATCH_LAYOUT_FLAT, n, 1, s->rows, &s->bytes_x));
    check(s, xgtsvMp_bufferSize(s->plan, &s->bytes_y));
    s->workspace = allocate((int64_t)(s->bytes_x > s->bytes_y ? s->bytes_x : s->bytes_y), 1);
    for (int64_t j = 0; j < n; ++j) s->side[j] = -1 / s->h2;
    for (int64_t i = 0; i < s->rows; ++i)
        for (int64_t j = 0; j < n; ++j)
            row_of(s, s->f, i)[j] = sin(pi * (double)(j + 1) / (double)(n + 1)) +
                                    (double)((s->first + i) * (j + 1) % 7) - 3; /* smooth, and rough */
}

static void destroy(Solver *s) {
    check(s, xbatchMpDestroyPlan(s->plan));
    check(s, xbatchCommDestroy(s->comm));
    check(s, xbatchDestroy(s->handle));
    free(s->u), free(s->v), free(s->f), free(s->side), free(s->d), free(s->info), free(s->workspace);
}

/* Copies the rows next to this rank's from the other ranks. Ranks without rows are passed over. */
static void exchange_halos(const Solver *s, double *a) {
    const int count = (int)s->n, has_rows = s->rows > 0;
    int *all = allocate(s->ranks, sizeof *all), before = s->rank - 1, after = s->rank + 1;
    MPI_Allgather(&has_rows, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    while (before >= 0 && !all[before]) --before;
    while (after < s->ranks && !all[after]) ++after;
    free(all);
    if (!has_rows) return;
    if (before < 0) before = MPI_PROC_NULL;
    if (after == s->ranks) after = MPI_PROC_NULL;
    MPI_Sendrecv(row_of(s, a, 0), count, MPI_DOUBLE, before, 0, row_of(s, a, s->rows), count, MPI_DOUBLE, after, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row_of(s, a, s->rows - 1), count, MPI_DOUBLE, after, 1, row_of(s, a, -1), count, MPI_DOUBLE, before, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A a and B a at a point */
static double along_x(const Solver *s, const double *row, int64_t j) {
    return (2 * row[j] - (j > 0 ? row[j - 1] : 0) - (j + 1 < s->n ? row[j + 1] : 0)) / s->h2;
}
static double along_y(const Solver *s, const double *row, int64_t j) {
    return (2 * row[j] - row[j - s->n] - row[j + s->n]) / s->h2;
}

static void step(Solver *s, double r) {
    double begin;
    for (int64_t j = 0; j < s->n; ++j) s->d[j] = 2 / s->h2 + r;
    exchange_halos(s, s->u);
    for (int64_t i = 0; i < s->rows; ++i) {
        const double *u = row_of(s, s->u, i), *f = row_of(s, s->f, i);
        double *v = row_of(s, s->v, i);
        for (int64_t j = 0; j < s->n; ++j) v[j] = f[j] + r * u[j] - along_y(s, u, j);
    }
    begin = MPI_Wtime();
    check(s, dgtsvBatch(s->handle, XBATCH_LAYOUT_FLAT, s->n, 1, s->rows, s->side, s->d, s->side, 0, row_of(s, s->v, 0),
                        s->n, s->info + s->n, s->workspace, s->bytes_x));
    s->seconds_x += MPI_Wtime() - begin;
    for (int64_t i = 0; i < s->rows; ++i) {
        const double *v = row_of(s, s->v, i), *f = row_of(s, s->f, i);
        double *u = row_of(s, s->u, i);
        for (int64_t j = 0; j < s->n; ++j) u[j] = f[j] + r * v[j] - along_x(s, v, j);
    }
    begin = MPI_Wtime();
    check(s, dgtsvMp(s->plan, s->side, s->d, s->side, 0, row_of(s, s->u, 0), s->n, s->info, s->workspace, s->bytes_y));
    s->seconds_y += MPI_Wtime() - begin;
    for (int64_t j = 0; j < s->n + s->rows; ++j)
        if (s->info[j]) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ||f - (A + B) u|| / (||A + B|| ||u|| + ||f||), infinity norms */
static double residual(const Solver *s) {
    double largest[3] = {0, 0, 0}, all[3];
    exchange_halos(s, s->u);
    for (int64_t i = 0; i < s->rows; ++i) {
        const double *u = row_of(s, s->u, i), *f = row_of(s, s->f, i);
        for (int64_t j = 0; j < s->n; ++j) {
            largest[0] = fmax(largest[0], fabs(f[j] - along_x(s, u, j) - along_y(s, u, j)));
            largest[1] = fmax(largest[1], fabs(f[j]));
            largest[2] = fmax(largest[2], fabs(u[j]));
        }
    }
    MPI_Allreduce(largest, all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all[0] / (8 / s->h2 * all[2] + all[1]);
}

/* A number that changes with any bit of the solution, whichever rank has it */
static uint64_t checksum(const Solver *s) {
    uint64_t sum = 0, all = 0;
    for (int64_t k = 0; k < s->rows * s->n; ++k) {
        uint64_t bits;
        memcpy(&bits, row_of(s, s->u, 0) + k, sizeof bits);
        sum += bits * (2 * (uint64_t)(s->first * s->n + k) + 1);
    }
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    static const struct option known[] = {{"size", required_argument, NULL, 'n'},
                                          {"shifts", required_argument, NULL, 'k'},
                                          {"help", no_argument, NULL, 'h'},
                                          {"version", no_argument, NULL, 'v'},
                                          {NULL, 0, NULL, 0}};
    int64_t n = 500, shifts = 8, cycles = 0;
    Solver s = {0};
    for (int option; (option = next_option(argc, argv, known)) != -1;) {
        if (option == 'n') n = integer_value(1);
        if (option == 'k') shifts = integer_value(1);
    }
    if (n > 30000) refuse("--size: at most 30000");
    MPI_Init(&argc, &argv);
    create(&s, n);
    const double angle = pi / (2 * (double)(n + 1)), low = 4 / s.h2 * pow(sin(angle), 2),
                 high = 4 / s.h2 * pow(cos(angle), 2), begin = MPI_Wtime();
    double error = 1;
    for (; cycles < MOST_CYCLES && error > tolerance; ++cycles) {
        for (int64_t k = 0; k < shifts; ++k)
            step(&s, high * pow(low / high, (2 * (double)k + 1) / (2 * (double)shifts)));
        error = residual(&s);
    }
    const double seconds = MPI_Wtime() - begin;
    const uint64_t bits = checksum(&s);
    if (s.rank == 0)
        printf(
            "%lld x %lld points, %d ranks: residual %.1e after %lld cycles of %lld shifts\n"
            "%.3f s, lines along x %.3f s, along y %.3f s\nchecksum %016llx\n",
            (long long)n, (long long)n, s.ranks, error, (long long)cycles, (long long)shifts, seconds, s.seconds_x,
            s.seconds_y, (unsigned long long)bits);
    destroy(&s);
    MPI_Finalize();
    return error > tolerance;
}
