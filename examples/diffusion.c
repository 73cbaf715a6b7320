/* diffusion.c: see diffusion.h. The solves run where the handle computes; the host computes diffusivities and
 * matrices and copies them; a production program would use a GPU kernel for this.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "diffusion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECKED_LINES 8 /* rows and columns each, a step and channel */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool push(Diffusion *s, const DeviceArray *array, Error *error) {
    const double start = seconds();
    const bool good = device_array_push(array);
    s->copy_seconds += seconds() - start;
    return good || fail(error, "copying to the device failed");
}

static bool pull(Diffusion *s, const DeviceArray *array, Error *error) {
    const double start = seconds();
    const bool good = device_array_pull(array);
    s->copy_seconds += seconds() - start;
    return good || fail(error, "copying from the device failed");
}

static bool push_tridiagonal(Diffusion *s, const Tridiagonal *a, Error *error) {
    return push(s, &a->dl, error) && push(s, &a->d, error) && push(s, &a->du, error);
}

/* Solve a batch, count and time it, and look at every system's info. */
static bool solve(Diffusion *s, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const Tridiagonal *a,
                  int64_t ldt, double *b, int64_t ldb, Error *error) {
    const double start = seconds();
    const xbatchStatus_t status =
        dgtsvPscheme(s->handle, layout, n, nrhs, batch, a->dl.device, a->d.device, a->du.device, ldt, b, ldb,
                     s->info.device, s->workspace.device, s->workspace.bytes);
    if (status != XBATCH_STATUS_SUCCESS)
        return fail(error, "%s (%s)", xbatchGetStatusString(status), xbatchGetLastErrorMessage(s->handle));
    if (!device_wait(s->backend)) return fail(error, "the device failed");
    s->solve_seconds += seconds() - start;
    s->lines_solved += batch * nrhs;
    s->unknowns_solved += batch * nrhs * n;

    if (!pull(s, &s->info, error)) return false;
    const int32_t *info = s->info.host;
    for (int64_t j = 0; j < batch; ++j)
        if (info[j] != 0) return fail(error, "line %lld: zero pivot at pixel %d", (long long)j, (int)info[j]);
    return true;
}

/* u_sigma = (I - sigma^2/2 D_columns)^-1 (I - sigma^2/2 D_rows)^-1 u, one implicit step of plain diffusion. All lines
 * of one direction share one matrix: leading dimension 0. */
static bool smooth(Diffusion *s, Error *error) {
    const int64_t width = s->image->width, height = s->image->height, channels = s->image->channels;
    memcpy(s->smoothed.host, s->image->samples, s->smoothed.bytes);
    if (s->parameters.sigma == 0) return true;
    double *v = s->smoothed.device;
    return push(s, &s->smoothed, error) &&
           solve(s, XBATCH_LAYOUT_FLAT, width, 1, channels * height, &s->smooth_rows, 0, v, width, error) &&
           solve(s, XBATCH_LAYOUT_INTERLEAVED, height, channels, width, &s->smooth_columns, 0, v, width, error) &&
           pull(s, &s->smoothed, error);
}

/* g = 1 - exp(-3.31488 (|grad u_sigma| / lambda)^-8): the flux g |grad u| grows up to lambda and falls beyond. The
 * gradient is the root mean square over the channels. */
static void compute_diffusivity(Diffusion *s) {
    const int64_t width = s->image->width, height = s->image->height, channels = s->image->channels;
    const double *v = s->smoothed.host, lambda_squared = s->parameters.lambda * s->parameters.lambda;
#pragma omp parallel for
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x) {
            const int64_t left = x > 0 ? x - 1 : x, right = x + 1 < width ? x + 1 : x;
            const int64_t above = y > 0 ? y - 1 : y, below = y + 1 < height ? y + 1 : y;
            double sum = 0;
            for (int64_t r = 0; r < channels; ++r) {
                const double *plane = v + r * height * width;
                const double gx = (plane[y * width + right] - plane[y * width + left]) / 2;
                const double gy = (plane[below * width + x] - plane[above * width + x]) / 2;
                sum += gx * gx + gy * gy;
            }
            const double ratio = sum / (double)channels / lambda_squared; /* (|grad| / lambda)^2 */
            s->diffusivity[y * width + x] = ratio > 0 ? -expm1(-3.31488 / pow(ratio, 4)) : 1;
        }
}

/* Row k of I - 2 tau A, for a pixel with neighbours at k - step and k + step: no flux leaves the picture, so all rows
 * sum to 1 and the mean grey is preserved. */
static void set_equation(const Diffusion *s, const Tridiagonal *a, int64_t k, int64_t step, bool first, bool last) {
    const double *g = s->diffusivity, tau = s->parameters.tau;
    const double before = first ? 0 : -tau * (g[k - step] + g[k]), after = last ? 0 : -tau * (g[k] + g[k + step]);
    ((double *)a->dl.host)[k] = before;
    ((double *)a->d.host)[k] = 1 - before - after;
    ((double *)a->du.host)[k] = after;
}

static void assemble(Diffusion *s) {
    const int64_t width = s->image->width, height = s->image->height;
#pragma omp parallel for
    for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x) {
            const int64_t k = y * width + x;
            set_equation(s, &s->rows, k, 1, x == 0, x + 1 == width);
            set_equation(s, &s->columns, k, width, y == 0, y + 1 == height);
        }
}

/* Rows: element (x, y) of channel r lies at r*height*width + y*width + x, a FLAT batch for each channel, whose matrices
 * are the same. Columns: the same place, an INTERLEAVED batch with the channels as right-hand sides. */
static bool solve_both(Diffusion *s, Error *error) {
    const int64_t width = s->image->width, height = s->image->height, channels = s->image->channels;
    memcpy(s->by_rows.host, s->image->samples, s->by_rows.bytes);
    memcpy(s->by_columns.host, s->image->samples, s->by_columns.bytes);
    if (!push_tridiagonal(s, &s->rows, error) || !push_tridiagonal(s, &s->columns, error) ||
        !push(s, &s->by_rows, error) || !push(s, &s->by_columns, error))
        return false;
    for (int64_t r = 0; r < channels; ++r)
        if (!solve(s, XBATCH_LAYOUT_FLAT, width, 1, height, &s->rows, width,
                   (double *)s->by_rows.device + r * height * width, width, error))
            return false;
    return solve(s, XBATCH_LAYOUT_INTERLEAVED, height, channels, width, &s->columns, width, s->by_columns.device, width,
                 error) &&
           pull(s, &s->by_rows, error) && pull(s, &s->by_columns, error);
}

static bool check_lines(const Diffusion *s, LapackCheck *check, Error *error) {
    const int64_t width = s->image->width, height = s->image->height, plane = width * height;
    const double *u = s->image->samples, *by_rows = s->by_rows.host, *by_columns = s->by_columns.host;
    const double *row_dl = s->rows.dl.host, *row_d = s->rows.d.host, *row_du = s->rows.du.host;
    const double *column_dl = s->columns.dl.host, *column_d = s->columns.d.host, *column_du = s->columns.du.host;
    bool good = true;
    for (int64_t r = 0; r < s->image->channels; ++r)
        for (int64_t line = 0; line < CHECKED_LINES; ++line) {
            const int64_t y = line * (height - 1) / (CHECKED_LINES - 1) * width;
            const int64_t x = line * (width - 1) / (CHECKED_LINES - 1);
            good = good &&
                   lapack_check_line(check, width, 1, row_dl + y, row_d + y, row_du + y, u + r * plane + y,
                                     by_rows + r * plane + y) &&
                   lapack_check_line(check, height, width, column_dl + x, column_d + x, column_du + x,
                                     u + r * plane + x, by_columns + r * plane + x);
        }
    return good || fail(error, "LAPACK could not solve a line");
}

bool diffusion_step(Diffusion *s, LapackCheck *check, Error *error) {
    if (!smooth(s, error)) return false;
    compute_diffusivity(s);
    assemble(s);
    if (!solve_both(s, error) || !check_lines(s, check, error)) return false;

    const int64_t count = s->image->width * s->image->height * s->image->channels;
    const double *by_rows = s->by_rows.host, *by_columns = s->by_columns.host;
#pragma omp parallel for
    for (int64_t k = 0; k < count; ++k) s->image->samples[k] = (by_rows[k] + by_columns[k]) / 2;
    return true;
}

static bool create_tridiagonal(Tridiagonal *a, xbatchBackend_t backend, int64_t entries) {
    const size_t bytes = (size_t)entries * sizeof(double);
    return device_array_create(&a->dl, backend, bytes) && device_array_create(&a->d, backend, bytes) &&
           device_array_create(&a->du, backend, bytes);
}

static void destroy_tridiagonal(Tridiagonal *a) {
    device_array_destroy(&a->dl);
    device_array_destroy(&a->d);
    device_array_destroy(&a->du);
}

/* The largest workspace of the solves above. */
static bool workspace_size(const Diffusion *s, size_t *bytes, Error *error) {
    const int64_t width = s->image->width, height = s->image->height, channels = s->image->channels;
    size_t smoothing = 0, rows = 0, columns = 0;
    if (dgtsvPscheme_bufferSize(s->handle, XBATCH_LAYOUT_FLAT, width, 1, channels * height, &smoothing) ||
        dgtsvPscheme_bufferSize(s->handle, XBATCH_LAYOUT_FLAT, width, 1, height, &rows) ||
        dgtsvPscheme_bufferSize(s->handle, XBATCH_LAYOUT_INTERLEAVED, height, channels, width, &columns))
        return fail(error, "%s", xbatchGetLastErrorMessage(s->handle));
    *bytes = smoothing > rows ? smoothing : rows;
    *bytes = *bytes > columns ? *bytes : columns;
    return true;
}

static bool allocate(Diffusion *s, Error *error) {
    const int64_t width = s->image->width, height = s->image->height, channels = s->image->channels;
    const int64_t systems = channels * height > width ? channels * height : width;
    const size_t picture_bytes = (size_t)(channels * height * width) * sizeof(double);
    size_t workspace_bytes = 0;
    if (!workspace_size(s, &workspace_bytes, error)) return false;
    s->diffusivity = malloc((size_t)(height * width) * sizeof(double));
    return (s->diffusivity && device_array_create(&s->smoothed, s->backend, picture_bytes) &&
            device_array_create(&s->by_rows, s->backend, picture_bytes) &&
            device_array_create(&s->by_columns, s->backend, picture_bytes) &&
            create_tridiagonal(&s->rows, s->backend, height * width) &&
            create_tridiagonal(&s->columns, s->backend, height * width) &&
            create_tridiagonal(&s->smooth_rows, s->backend, width) &&
            create_tridiagonal(&s->smooth_columns, s->backend, height) &&
            device_array_create(&s->info, s->backend, (size_t)systems * sizeof(int32_t)) &&
            device_array_create(&s->workspace, s->backend, workspace_bytes)) ||
           fail(error, "no memory for a picture of %lld x %lld pixels", (long long)width, (long long)height);
}

static void set_smoothing(const Diffusion *s, const Tridiagonal *a, int64_t n) {
    const double t = s->parameters.sigma * s->parameters.sigma / 2;
    for (int64_t i = 0; i < n; ++i) {
        const double before = i > 0 ? -t : 0, after = i + 1 < n ? -t : 0;
        ((double *)a->dl.host)[i] = before;
        ((double *)a->d.host)[i] = 1 - before - after;
        ((double *)a->du.host)[i] = after;
    }
}

bool diffusion_create(Diffusion *s, xbatchHandle_t handle, const DiffusionParameters *parameters, Image *image,
                      Error *error) {
    memset(s, 0, sizeof *s);
    s->handle = handle;
    s->parameters = *parameters;
    s->image = image;
    bool good = xbatchGetBackend(handle, &s->backend) == XBATCH_STATUS_SUCCESS ||
                fail(error, "%s", xbatchGetLastErrorMessage(handle));
    good = good && allocate(s, error);
    if (good) {
        set_smoothing(s, &s->smooth_rows, image->width);
        set_smoothing(s, &s->smooth_columns, image->height);
        good = push_tridiagonal(s, &s->smooth_rows, error) && push_tridiagonal(s, &s->smooth_columns, error);
    }
    if (!good) diffusion_destroy(s);
    return good;
}

void diffusion_destroy(Diffusion *s) {
    free(s->diffusivity);
    s->diffusivity = NULL;
    device_array_destroy(&s->smoothed);
    device_array_destroy(&s->by_rows);
    device_array_destroy(&s->by_columns);
    destroy_tridiagonal(&s->rows);
    destroy_tridiagonal(&s->columns);
    destroy_tridiagonal(&s->smooth_rows);
    destroy_tridiagonal(&s->smooth_columns);
    device_array_destroy(&s->info);
    device_array_destroy(&s->workspace);
}
