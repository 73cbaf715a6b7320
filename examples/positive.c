/* positive.c: see positive.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "positive.h"

#include <float.h>
#include <math.h>

void positive_fill(double *a, int64_t n) {
    uint32_t state = 1;
    for (int64_t c = 0; c < n; ++c)
        for (int64_t r = c; r < n; ++r) {
            state = state * 1664525u + 1013904223u;
            a[c * n + r] = a[r * n + c] = r == c ? (double)n : (double)state / 2147483648.0 - 1;
        }
}

double positive_residual(const double *a, const double *l, int64_t n, int64_t step) {
    double error = 0, norm = 0;
    for (int64_t c = 0; c < n; c += step) {
        double column = 0, size = 0;
        for (int64_t r = c; r < n; ++r) {
            double sum = a[c * n + r];
            for (int64_t k = 0; k <= c; ++k) sum -= l[k * n + r] * l[k * n + c];
            column += fabs(sum), size += fabs(a[c * n + r]);
        }
        error = column <= error ? error : column, norm = size <= norm ? norm : size;
    }
    return error / ((double)n * norm * DBL_EPSILON / 2);
}
