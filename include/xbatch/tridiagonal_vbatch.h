/** @file tridiagonal_vbatch.h
 * Tridiagonal systems of different lengths, one after the other in memory, with pivoting.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TRIDIAGONAL_VBATCH_H
#define XBATCH_TRIDIAGONAL_VBATCH_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Solve dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i for each system j and right-hand side r as xgtsvBatch does, where
 * system j has the n_j = offsets[j+1] - offsets[j] rows from offsets[j] on.
 *
 * - nrhs, batch: right-hand sides of each system, and systems. maxn: no system has more rows.
 * - offsets [batch + 1] in: row 0 of each system, counted in elements, and one past the last row of the last.
 * - dl, d, du in: row i of system j is at [offsets[j] + i]. The dl of a system's first row and the du of its last are
 *   never used.
 * - B in: right-hand sides, out: solutions; row i of system j, r is at [r*ldb + offsets[j] + i].
 * - info [batch] out, may be NULL: as types.h says, with n_j in the place of n and pivots those of rows that are scaled
 *   as in xgtsvBatch; 0 also of no rows; -1: offsets[j] is negative, or n_j is negative or above maxn, and nothing of
 *   system j was touched.
 * - Constraints: nrhs, batch, maxn >= 0; ldb >= 0, and at least offsets[batch] if nrhs > 1, which is not checked, since
 *   the offsets may lie on the device. No argument may overlap another, nor may systems.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Stability: as xgtsvBatch.
 * - Workspace: on the host 2 maxn elements for each thread; on CUDA 16 bytes for each system, batch rounded up to 2048.
 *   If maxn is above 2047 rows of double or complex float, 4095 of float or 1024 of complex double: for each system 16
 *   bytes more, and 10 nrhs values for each such piece of one system of maxn rows, or for 32768 pieces if that is more
 *   and so many can be; one kernel is then a cooperative launch.
 * - Asynchronous on CUDA, capturable, bitwise reproducible, on the host for any number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch, int64_t maxn,
                           const int64_t *offsets, const void *dl, const void *d, const void *du, void *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvVBatch for float. */
xbatchStatus_t sgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const float *dl, const float *d, const float *du, float *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xgtsvVBatch for double. */
xbatchStatus_t dgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const double *dl, const double *d, const double *du, double *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xgtsvVBatch for complex float. */
xbatchStatus_t cgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xgtsvVBatch for complex double. */
xbatchStatus_t zgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, xbatchComplexDouble_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvVBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch,
                                      int64_t maxn, size_t *workspaceBytes);

/** xgtsvVBatch_bufferSize for float. */
xbatchStatus_t sgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes);

/** xgtsvVBatch_bufferSize for double. */
xbatchStatus_t dgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes);

/** xgtsvVBatch_bufferSize for complex float. */
xbatchStatus_t cgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes);

/** xgtsvVBatch_bufferSize for complex double. */
xbatchStatus_t zgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
