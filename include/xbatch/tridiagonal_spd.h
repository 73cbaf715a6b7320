/** @file tridiagonal_spd.h
 * Symmetric and Hermitian positive definite tridiagonal systems: solved at once, or factored and solved many times.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TRIDIAGONAL_SPD_H
#define XBATCH_TRIDIAGONAL_SPD_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Solve A x = b for each system j and right-hand side r, A symmetric or Hermitian positive definite and tridiagonal:
 * (A x)_i = e_{i-1} x_{i-1} + d_i x_i + conj(e_i) x_{i+1}, i = 0 … n-1. No rows are interchanged; A = L D L^H shows
 * whether A is positive definite.
 *
 * - d [n a system] in, real (float in c, double in z): the diagonal. e [n a system] in: e_i = A(i+1, i) below it. Both
 *   in `layout` with leading dimension ldt; ldt = 0: one set shared by all systems. e(n-1, j) is never used.
 * - B [n*nrhs a system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb.
 * - info [batch] out, may be NULL: as types.h says, where a pivot that is not positive is bad, too: A is then not
 *   positive definite; the first such row. CUDA eliminates in another order, so that a matrix which is
 *   positive definite but for rounding may fail there alone; the row is then one where that order has a
 *   pivot that is not positive.
 * - Constraints: n, nrhs, batch >= 0; ldt, ldb as types.h says. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Stability: backward stable where info is 0, as LAPACK's ptsv.
 * - Workspace: on the host up to 3 n elements for each of the systems that a thread works on at once; on CUDA 0 where a
 *   system fits one block (n to 2048 at least, FLAT; to 256 otherwise), otherwise 1 % of B, FLAT, or a tenth of it.
 * - On the host each system is solved by one thread. Asynchronous on CUDA, capturable, bitwise reproducible; on the
 *   host for every thread count. Since 0.1.0. */
xbatchStatus_t xptsvBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                          int64_t batch, const void *d, const void *e, int64_t ldt, void *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes);

/** xptsvBatch for float. */
xbatchStatus_t sptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *d, const float *e, int64_t ldt, float *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes);

/** xptsvBatch for double. */
xbatchStatus_t dptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *d, const double *e, int64_t ldt, double *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes);

/** xptsvBatch for complex float. */
xbatchStatus_t cptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *d, const xbatchComplexFloat_t *e, int64_t ldt, xbatchComplexFloat_t *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xptsvBatch for complex double. */
xbatchStatus_t zptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *d, const xbatchComplexDouble_t *e, int64_t ldt, xbatchComplexDouble_t *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xptsvBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xptsvBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                     int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xptsvBatch_bufferSize for float. */
xbatchStatus_t sptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xptsvBatch_bufferSize for double. */
xbatchStatus_t dptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xptsvBatch_bufferSize for complex float. */
xbatchStatus_t cptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xptsvBatch_bufferSize for complex double. */
xbatchStatus_t zptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** Factor each matrix of a batch into L D L^H, A positive definite and given by d and e as in xptsvBatch, to be solved
 * with any number of times.
 *
 * - d, e [n a system] in, in `layout` with leading dimension ldt, as in xptsvBatch; not needed afterwards. ldt = 0:
 *   the n entries of a single matrix lie side by side; batch must then be 1.
 * - factors [factorBytes of xpttrfBatch_bufferSize] out, aligned to 16: in a form of the library's own, which may be
 *   copied as bytes; for handles of the same backend and device, and for the same type, layout and n.
 * - logdet [batch] out, real (float in c, double in z), may be NULL: log det A, which neither overflows nor underflows;
 *   NaN where info is not 0.
 * - info [batch] out, may be NULL: 0, or the row of a bad pivot as in xptsvBatch: A cannot be solved with.
 * - One matrix for many systems: factor it alone, batch = 1, and solve with sets = 1.
 * - Constraints: n, batch >= 0; ldt as types.h says, or 0 where batch <= 1. No argument may overlap another.
 * - Status, stability: as xptsvBatch. On the host each matrix is factored by one thread. On CUDA the factors are d and
 *   e, which a solve eliminates again as it reads them: L and D would take as much memory.
 * - Workspace: none on the host; on CUDA 0 where matrices are many or short, otherwise 48 bytes at most for each piece
 *   that a matrix is cut into, about 1 MB in all.
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for every thread count. Since 0.1.0. */
xbatchStatus_t xpttrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                           int64_t batch, const void *d, const void *e, int64_t ldt, void *factors, void *logdet,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xpttrfBatch for float. */
xbatchStatus_t spttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const float *d,
                           const float *e, int64_t ldt, void *factors, float *logdet, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xpttrfBatch for double. */
xbatchStatus_t dpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const double *d,
                           const double *e, int64_t ldt, void *factors, double *logdet, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xpttrfBatch for complex float. */
xbatchStatus_t cpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const float *d,
                           const xbatchComplexFloat_t *e, int64_t ldt, void *factors, float *logdet, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xpttrfBatch for complex double. */
xbatchStatus_t zpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const double *d,
                           const xbatchComplexDouble_t *e, int64_t ldt, void *factors, double *logdet, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** Bytes of factors and of workspace that xpttrfBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. */
xbatchStatus_t xpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t batch, size_t *factorBytes, size_t *workspaceBytes);

/** xpttrfBatch_bufferSize for float. */
xbatchStatus_t spttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xpttrfBatch_bufferSize for double. */
xbatchStatus_t dpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xpttrfBatch_bufferSize for complex float. */
xbatchStatus_t cpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xpttrfBatch_bufferSize for complex double. */
xbatchStatus_t zpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** Solve A X = B for each system of a batch with the factors of xpttrfBatch.
 *
 * - sets: how many matrices were factored: batch, or 1 for one matrix that all systems share.
 * - factors in: of xpttrfBatch for the same type, layout and n, and batch = sets. On the host others are refused; on
 *   CUDA they cannot be looked into before the work is queued, and what they lead to is undefined.
 * - B [n*nrhs a system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb. Where the
 *   matrix had info > 0 it holds no solution.
 * - Constraints: n, nrhs, batch >= 0; sets = 1 or batch; ldb as types.h says. No argument may overlap another.
 * - Status, stability: as xptsvBatch.
 * - Workspace: on the host n elements for each of the systems that a thread works on at once, 0 for INTERLEAVED; on
 *   CUDA as xptsvBatch.
 * - On the host each system is solved by one thread. Asynchronous on CUDA, capturable, bitwise reproducible; on the
 *   host for every thread count. Since 0.1.0. */
xbatchStatus_t xpttrsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, void *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xpttrsBatch for float. */
xbatchStatus_t spttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, float *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xpttrsBatch for double. */
xbatchStatus_t dpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, double *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xpttrsBatch for complex float. */
xbatchStatus_t cpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, xbatchComplexFloat_t *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xpttrsBatch for complex double. */
xbatchStatus_t zpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, xbatchComplexDouble_t *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** Bytes of workspace that xpttrsBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xpttrsBatch_bufferSize for float. */
xbatchStatus_t spttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xpttrsBatch_bufferSize for double. */
xbatchStatus_t dpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xpttrsBatch_bufferSize for complex float. */
xbatchStatus_t cpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xpttrsBatch_bufferSize for complex double. */
xbatchStatus_t zpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
