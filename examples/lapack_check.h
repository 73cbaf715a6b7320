/* lapack_check.h: how far a solved line of a picture is from LAPACK's solution.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef EXAMPLES_LAPACK_CHECK_H
#define EXAMPLES_LAPACK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/* The worst over all lines checked; all zero before the first. */
typedef struct {
    int64_t lines;
    double backward_error;        /* of xbatch: max |A x - b| / (max row sum of |A| max |x| + max |b|) */
    double lapack_backward_error; /* the same of LAPACK's dgtsv */
    double difference;            /* max |x - x_lapack| / max |x_lapack| */
} LapackCheck;

/* Check x against the system dl, d, du, b, all of n elements `stride` apart. False if memory is short or dgtsv finds
 * the matrix singular. */
bool lapack_check_line(LapackCheck *check, int64_t n, int64_t stride, const double *dl, const double *d,
                       const double *du, const double *b, const double *x);

#endif
