/* positive.h: a positive definite matrix to be factored, and how good its factor is.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_POSITIVE_H
#define EXAMPLES_POSITIVE_H

#include <stdint.h>

/* Fills a [n*n], column-major: symmetric, entries below 1 off a diagonal of n. */
void positive_fill(double *a, int64_t n);

/* |A - L L^T| / (n |A| eps), of the largest columns of the lower triangles; only every step-th column is checked */
double positive_residual(const double *a, const double *l, int64_t n, int64_t step);

#endif
