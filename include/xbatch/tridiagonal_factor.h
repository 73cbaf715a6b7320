/** @file tridiagonal_factor.h
 * Tridiagonal matrices factored once, with pivoting, and solved with many times: LU, determinant, condition.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TRIDIAGONAL_FACTOR_H
#define XBATCH_TRIDIAGONAL_FACTOR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factor each matrix A of a batch, (A x)_i = dl_i x_{i-1} + d_i x_i + du_i x_{i+1}, i = 0 … n-1, into P S A = L U by
 * Gaussian elimination with pivoting, to be solved with any number of times: S scales each row by a power of two to a
 * largest entry near 1, and P interchanges neighbouring rows.
 *
 * - dl, d, du [n a system] in, in `layout` with leading dimension ldt; not needed afterwards. dl(0, j) and du(n-1, j)
 *   are never used. ldt = 0: the n entries of a single matrix lie side by side; batch must then be 1.
 * - factors [factorBytes of xgttrfBatch_bufferSize] out, aligned to 16: the factors and norms of all matrices, in a
 *   form of the library's own, which may be copied as bytes; for handles of the same backend and device, and for the
 *   same type, layout and n.
 * - logdet [batch] out, real (float in c, double in z), may be NULL: log |det A|; it neither overflows nor underflows.
 * - sign [batch] out, may be NULL: det A / |det A|. Where A is singular sign is 0 and logdet -Inf; where it holds a
 *   number that is not finite both are NaN.
 * - info [batch] out, may be NULL: 0, or i > 0: the pivot of row i (1-based) is zero, without a finite inverse, or not
 *   finite, the first one; A cannot be solved with; every other matrix is factored and untouched by it.
 * - One matrix for many systems: factor it alone, batch = 1, and solve with sets = 1.
 * - Constraints: n, batch >= 0; ldt as types.h says, or 0 where batch <= 1. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Stability: backward stable, rows of any scale; see xgttrsBatch. On the host rows are interchanged where the entry
 *   below is more than twice the pivot, not as soon as it is larger: LAPACK's gttrf lets one row wait from end to end
 *   where all rows are alike, and its error then grows with n. logdet to about n eps, apart from the condition.
 * - On the host each matrix is factored by one thread, so a few long ones do not occupy all cores.
 * - On CUDA factors hold the matrix, of n elements three times (FLAT, but for complex double: five times), and a solve
 *   eliminates anew, for that costs no more than to read multipliers. It does so in the order of xgtsvBatch, with its
 *   range and its smallest pivot: of a matrix that is singular to working precision info may say something else than a
 *   solve shows.
 * - Workspace: on the host 0; on CUDA 0 where n < 32 or batch > 2^16, otherwise about an element a row, and at most
 *   18 MB (complex double: 34 MB).
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for every thread count. Since 0.1.0. */
xbatchStatus_t xgttrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                           int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *factors,
                           void *logdet, void *sign, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfBatch for float. */
xbatchStatus_t sgttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const float *dl,
                           const float *d, const float *du, int64_t ldt, void *factors, float *logdet, float *sign,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfBatch for double. */
xbatchStatus_t dgttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const double *dl,
                           const double *d, const double *du, int64_t ldt, void *factors, double *logdet, double *sign,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfBatch for complex float. */
xbatchStatus_t cgttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, int64_t ldt, void *factors, float *logdet,
                           xbatchComplexFloat_t *sign, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfBatch for complex double. */
xbatchStatus_t zgttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, int64_t ldt, void *factors, double *logdet,
                           xbatchComplexDouble_t *sign, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of factors and of workspace that xgttrfBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. */
xbatchStatus_t xgttrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t batch, size_t *factorBytes, size_t *workspaceBytes);

/** xgttrfBatch_bufferSize for float. */
xbatchStatus_t sgttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xgttrfBatch_bufferSize for double. */
xbatchStatus_t dgttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xgttrfBatch_bufferSize for complex float. */
xbatchStatus_t cgttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** xgttrfBatch_bufferSize for complex double. */
xbatchStatus_t zgttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes);

/** Solve op(A) X = B for each system of a batch with the factors of xgttrfBatch, op(A) = A, A^T or A^H.
 *
 * - op: XBATCH_OP_N, XBATCH_OP_T or XBATCH_OP_C.
 * - sets: how many matrices were factored: batch, or 1 for one matrix that all systems share.
 * - factors in: of xgttrfBatch for the same type, layout and n, and batch = sets. On the host others are refused; on
 *   CUDA they cannot be looked into before the work is queued, and what they lead to is undefined.
 * - B [n*nrhs a system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb. Where the
 *   matrix had info > 0 it holds no solution.
 * - Constraints: n, nrhs, batch >= 0; sets = 1 or batch; ldb as types.h says. No argument may overlap another.
 * - Status: as xgttrfBatch.
 * - Stability: ||op(A) x - b|| <= 32 eps (||op(A)|| ||x|| + ||b||) in the infinity norm wherever info was 0 and the
 *   solution is finite: observed in all tests, not proved.
 * - Workspace: on the host n elements for each of the systems that a thread works on at once; 0 for INTERLEAVED. On
 *   CUDA that of xgtsvBatch.
 * - On the host each system is solved by one thread. Asynchronous on CUDA, capturable, bitwise reproducible; on the
 *   host for every thread count. Since 0.1.0. */
xbatchStatus_t xgttrsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                           int64_t n, int64_t nrhs, int64_t batch, int64_t sets, const void *factors, void *B,
                           int64_t ldb, void *workspace, size_t workspaceBytes);

/** xgttrsBatch for float. */
xbatchStatus_t sgttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, float *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xgttrsBatch for double. */
xbatchStatus_t dgttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, double *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes);

/** xgttrsBatch for complex float. */
xbatchStatus_t cgttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, xbatchComplexFloat_t *B, int64_t ldb,
                           void *workspace, size_t workspaceBytes);

/** xgttrsBatch for complex double. */
xbatchStatus_t zgttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, xbatchComplexDouble_t *B, int64_t ldb,
                           void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgttrsBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgttrsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchOperation_t op, int64_t n, int64_t nrhs, int64_t batch, int64_t sets,
                                      size_t *workspaceBytes);

/** xgttrsBatch_bufferSize for float. */
xbatchStatus_t sgttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xgttrsBatch_bufferSize for double. */
xbatchStatus_t dgttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xgttrsBatch_bufferSize for complex float. */
xbatchStatus_t cgttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes);

/** xgttrsBatch_bufferSize for complex double. */
xbatchStatus_t zgttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes);

/** Estimate the reciprocal condition number 1 / (||A|| ||A^-1||) of each matrix that xgttrfBatch factored, as LAPACK's
 * gtcon does: ||A|| is known, ||A^-1|| is estimated from below by a few solves, nearly always within a factor of 3.
 *
 * Source: N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM Trans. Math.
 * Software 14 (1988). The number of solves is fixed, ten at most; a matrix whose estimate no longer grows keeps it.
 *
 * - norm: XBATCH_NORM_ONE or XBATCH_NORM_INF, of both A and its inverse.
 * - factors in: of xgttrfBatch for the same type, layout, n and batch; others as in xgttrsBatch.
 * - rcond [batch] out, real (float in c, double in z): 0 where info was not 0 or the estimate overflows.
 * - Constraints: n, batch >= 0. No argument may overlap another.
 * - Status: as xgttrfBatch.
 * - Workspace: on the host n elements for each of the systems that a thread works on at once; on CUDA about n
 *   elements for each matrix, beside that of xgttrsBatch.
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for every thread count. Since 0.1.0. */
xbatchStatus_t xgtconBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchNorm_t norm,
                           int64_t n, int64_t batch, const void *factors, void *rcond, void *workspace,
                           size_t workspaceBytes);

/** xgtconBatch for float. */
xbatchStatus_t sgtconBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch,
                           const void *factors, float *rcond, void *workspace, size_t workspaceBytes);

/** xgtconBatch for double. */
xbatchStatus_t dgtconBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch,
                           const void *factors, double *rcond, void *workspace, size_t workspaceBytes);

/** xgtconBatch for complex float. */
xbatchStatus_t cgtconBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch,
                           const void *factors, float *rcond, void *workspace, size_t workspaceBytes);

/** xgtconBatch for complex double. */
xbatchStatus_t zgtconBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n, int64_t batch,
                           const void *factors, double *rcond, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtconBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtconBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchNorm_t norm, int64_t n, int64_t batch, size_t *workspaceBytes);

/** xgtconBatch_bufferSize for float. */
xbatchStatus_t sgtconBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtconBatch_bufferSize for double. */
xbatchStatus_t dgtconBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtconBatch_bufferSize for complex float. */
xbatchStatus_t cgtconBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtconBatch_bufferSize for complex double. */
xbatchStatus_t zgtconBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchNorm_t norm, int64_t n,
                                      int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
