/** @file rearrange.h
 * Conversion of a batch between layouts: the "rearrangement of array configurations" of Wakatani,
 * "Implementation and Evaluation of Recurrence Equation Solvers on GPGPU systems using Rearrangement of Array
 * Configurations", FUTURE COMPUTING 2012, section IV.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_REARRANGE_H
#define XBATCH_REARRANGE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** dst(i, j) = src(i, j) for i = 0 … n-1, j = 0 … batch-1, each in its own layout (types.h).
 *
 * A right-hand side with nrhs columns is converted by one call with n*nrhs in place of n, where a flat side has
 * ldb = n (its ld is then n*nrhs); its three layouts are those of one system of n*nrhs rows.
 *
 * - src  [batch systems of n] in; dst [same] out; padding of dst is not written. They may not overlap.
 * - Constraints: n, batch >= 0; ldsrc and lddst as their layouts ask (types.h); 0 is not allowed.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED, EXECUTION_FAILED.
 * - Workspace: none, hence no size query. Asynchronous on CUDA, capturable, reproducible (elements are copied bit by
 *   bit). Since 0.1.0. */
xbatchStatus_t xrearrange(xbatchHandle_t handle, xbatchDataType_t type, int64_t n, int64_t batch,
                          xbatchLayout_t srcLayout, const void *src, int64_t ldsrc, xbatchLayout_t dstLayout, void *dst,
                          int64_t lddst);

/** xrearrange for float. */
xbatchStatus_t srearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout, const float *src,
                          int64_t ldsrc, xbatchLayout_t dstLayout, float *dst, int64_t lddst);

/** xrearrange for double. */
xbatchStatus_t drearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout, const double *src,
                          int64_t ldsrc, xbatchLayout_t dstLayout, double *dst, int64_t lddst);

/** xrearrange for complex float. */
xbatchStatus_t crearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout,
                          const xbatchComplexFloat_t *src, int64_t ldsrc, xbatchLayout_t dstLayout,
                          xbatchComplexFloat_t *dst, int64_t lddst);

/** xrearrange for complex double. */
xbatchStatus_t zrearrange(xbatchHandle_t handle, int64_t n, int64_t batch, xbatchLayout_t srcLayout,
                          const xbatchComplexDouble_t *src, int64_t ldsrc, xbatchLayout_t dstLayout,
                          xbatchComplexDouble_t *dst, int64_t lddst);

#ifdef __cplusplus
}
#endif

#endif
