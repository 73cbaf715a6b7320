/* lapack_check.c: see lapack_check.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lapack_check.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    double *dl, *d, *du, *b, *x; /* n each, contiguous */
} Line;

static double backward_error(int64_t n, const Line *a, const double *x) {
    double residual = 0, norm_a = 0, norm_x = 0, norm_b = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double left = i > 0 ? a->dl[i] : 0, right = i + 1 < n ? a->du[i] : 0;
        const double ax = (i > 0 ? left * x[i - 1] : 0) + a->d[i] * x[i] + (i + 1 < n ? right * x[i + 1] : 0);
        const double r = fabs(ax - a->b[i]);
        residual = r > residual || isnan(r) ? r : residual;
        norm_a = fmax(norm_a, fabs(left) + fabs(a->d[i]) + fabs(right));
        norm_x = fmax(norm_x, fabs(x[i]));
        norm_b = fmax(norm_b, fabs(a->b[i]));
    }
    return residual == 0 ? 0 : residual / (norm_a * norm_x + norm_b);
}

static double relative_difference(int64_t n, const double *x, const double *reference) {
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(x[i] - reference[i]));
        norm = fmax(norm, fabs(reference[i]));
    }
    return difference == 0 ? 0 : difference / norm;
}

/* The larger one, and NaN as soon as there is one: a wrong line must be visible. */
static double worst(double a, double b) { return isnan(b) || b > a ? b : a; }

bool lapack_check_line(LapackCheck *check, int64_t n, int64_t stride, const double *dl, const double *d,
                       const double *du, const double *b, const double *x) {
    /* dgtsv overwrites its arguments, so there are two copies. */
    double *memory = malloc((size_t)(9 * n) * sizeof *memory);
    if (!memory) return false;
    const Line kept = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n};
    const Line given = {memory + 5 * n, memory + 6 * n, memory + 7 * n, NULL, memory + 8 * n};
    for (int64_t i = 0; i < n; ++i) {
        kept.dl[i] = given.dl[i] = dl[i * stride];
        kept.d[i] = given.d[i] = d[i * stride];
        kept.du[i] = given.du[i] = du[i * stride];
        kept.b[i] = given.x[i] = b[i * stride];
        kept.x[i] = x[i * stride];
    }
    /* LAPACK's dl begins with the entry of row 2. */
    const bool solved =
        LAPACKE_dgtsv(LAPACK_COL_MAJOR, (lapack_int)n, 1, given.dl + 1, given.d, given.du, given.x, (lapack_int)n) == 0;
    if (solved) {
        check->lines += 1;
        check->backward_error = worst(check->backward_error, backward_error(n, &kept, kept.x));
        check->lapack_backward_error = worst(check->lapack_backward_error, backward_error(n, &kept, given.x));
        check->difference = worst(check->difference, relative_difference(n, kept.x, given.x));
    }
    free(memory);
    return solved;
}
