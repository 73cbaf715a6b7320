/* positive.h: a positive definite matrix to be factored, and how good its factor is.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_POSITIVE_H
#define EXAMPLES_POSITIVE_H

#include <stdint.h>

/* Fills a [n*n], column-major: symmetric, entries below 1 beside a diagonal of n. */
void positive_fill(double *a, int64_t n);

/* |A - L L^T| / (n |A| eps), of the largest columns of the lower triangles, of every step-th column alone */
double positive_residual(const double *a, const double *l, int64_t n, int64_t step);

#endif
