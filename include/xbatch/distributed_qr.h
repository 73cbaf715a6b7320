/** @file distributed_qr.h
 * QR and least squares of tall matrices whose rows are distributed over the ranks of a communicator: distributed.h has
 * the rules for errors and chunks. Only the host backend has them.
 *
 * Source: Demmel, Grigori, Hoemmen, Langou: Communication-optimal parallel and sequential QR and LU factorizations,
 * SIAM Journal on Scientific Computing 34 (2012).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_DISTRIBUTED_QR_H
#define XBATCH_DISTRIBUTED_QR_H

#include "distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Least squares min ||B - A X|| by QR, and the factor R, of a tall matrix A whose rows are distributed: each rank
 * factors its chunks of rows, and the triangles of chunks are factored in pairs by a fixed tree.
 *
 * - type, m, n, nrhs, offsets, flags: the same on all ranks. m >= n >= 0, nrhs >= 0; nrhs = 0: QR alone.
 * - offsets [size+1] in, may be NULL: rank p has rows offsets[p] … offsets[p+1]-1; as in xgtsvMpCreatePlan, with m in
 *   place of n. Chunks are those of xgtsvMp, but have at least 4*(n+nrhs) rows. NULL: as xgelsTsMpGetOffsets. flags:
 *   XBATCH_MP_DEFAULT or XBATCH_MP_ANY_CUT.
 * - A [rows of the share x n] in, column-major, lda >= max(1, rows). B [rows x nrhs] in, ldb >= max(1, rows) if nrhs >
 *   0. Both may be NULL on a rank without rows.
 * - R [n x n] out, may be NULL: upper triangular, A^H A = R^H R; its entries below the diagonal are 0. ldr >= n.
 * - X [n x nrhs] out, may be NULL: the solution. ldx >= n. norms [nrhs] out, real (float in c, double in z), may be
 *   NULL: ||b - A x|| of each right-hand side. All outputs are the same on all ranks, bit by bit.
 * - info [1] out, may be NULL: i <= n: the first column where R_ii is a bad pivot (with X only), so that A does not
 * have full rank, or i <= n + nrhs: where a column is not finite; X is then NaN. n + 1: X is not finite. Otherwise 0.
 * - Q is not formed: xgeqrtTsMp.
 * - Stability: as LAPACK's gels, without its scaling: squares of columns' norms must be representable.
 * - Messages of a rank: 2(P-1), of 72 bytes, and of 8 + c*(8 + e*k*(k+1)/2) bytes, k = n + nrhs, with c nodes as in
 *   xgtsvMp. Every rank factors the triangles of all nodes, so this suits k of up to a few hundred.
 * - Workspace: xgelsTsMp_bufferSize; k^2 elements for each chunk of the rank or each node of all ranks, whichever are
 *   more, and a chunk with what xgeqrtTiled needs for it.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also where ranks differ), INSUFFICIENT_WORKSPACE, NOT_SUPPORTED
 * (CUDA backend), COMM_FAILED, ALLOC_FAILED. After a failure the outputs are as before. Collective.
 * - Synchronous. Bitwise reproducible, for any number of threads and, on chunks, of ranks. Since 0.1.0. */
xbatchStatus_t xgelsTsMp(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                         const int64_t *offsets, int flags, const void *A, int64_t lda, const void *B, int64_t ldb,
                         void *R, int64_t ldr, void *X, int64_t ldx, void *norms, int32_t *info, void *workspace,
                         size_t workspaceBytes);

/** xgelsTsMp for float. */
xbatchStatus_t sgelsTsMp(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, int flags,
                         const float *A, int64_t lda, const float *B, int64_t ldb, float *R, int64_t ldr, float *X,
                         int64_t ldx, float *norms, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTsMp for double. */
xbatchStatus_t dgelsTsMp(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, int flags,
                         const double *A, int64_t lda, const double *B, int64_t ldb, double *R, int64_t ldr, double *X,
                         int64_t ldx, double *norms, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTsMp for complex float. */
xbatchStatus_t cgelsTsMp(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, int flags,
                         const xbatchComplexFloat_t *A, int64_t lda, const xbatchComplexFloat_t *B, int64_t ldb,
                         xbatchComplexFloat_t *R, int64_t ldr, xbatchComplexFloat_t *X, int64_t ldx, float *norms,
                         int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTsMp for complex double. */
xbatchStatus_t zgelsTsMp(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, const int64_t *offsets, int flags,
                         const xbatchComplexDouble_t *A, int64_t lda, const xbatchComplexDouble_t *B, int64_t ldb,
                         xbatchComplexDouble_t *R, int64_t ldr, xbatchComplexDouble_t *X, int64_t ldx, double *norms,
                         int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgelsTsMp needs on this rank. Communicates nothing. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE, NOT_SUPPORTED. Since 0.1.0. */
xbatchStatus_t xgelsTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, int64_t nrhs,
                                    const int64_t *offsets, int flags, size_t *workspaceBytes);

/** Even shares on chunks for xgelsTsMp. offsets [size+1] out. Communicates nothing. Status as xgelsTsMp_bufferSize.
 * Since 0.1.0. */
xbatchStatus_t xgelsTsMpGetOffsets(xbatchComm_t comm, int64_t m, int64_t n, int64_t nrhs, int64_t *offsets);

/** Factor a tall matrix A = Q R whose rows are distributed, by the tree of xgelsTsMp, and store Q as reflectors.
 *
 * - type, m, n, offsets, flags: the same on all ranks, as in xgelsTsMp with nrhs = 0. m >= n >= 0.
 * - A [rows of the share x n] in: the matrix, out: the reflectors of this rank's chunks, in an internal format;
 *   lda >= max(1, rows). NULL is allowed on a rank without rows.
 * - factors [factorBytes of the query] out, aligned to 16: all else of Q that this rank needs. For use with A of this
 *   rank only.
 * - R [n x n] out, may be NULL: upper triangular, its entries below the diagonal are 0; ldr >= n. The same on all ranks
 *   bit by bit, and as from xgelsTsMp with nrhs = 0.
 * - info [1] out, may be NULL: 0, or i > 0: column i (1-based) is the first that is not finite; columns of R and Q from
 *   i on hold no result. The same on all ranks. A matrix without full rank has an orthonormal Q all the same.
 * - Stability: as LAPACK's geqrf: A - QR and I - Q^H Q are small whatever the condition of A.
 * - Messages: those of xgelsTsMp with k = n. Workspace: xgeqrtTsMp_bufferSize; n^2 elements for each chunk of the rank
 *   or each node of all ranks, whichever are more, and what xgeqrtTiled needs for one. factors: 2n^2 elements for each
 *   join of two chunks or nodes.
 * - Status: as xgelsTsMp. After COMM_FAILED A and factors are undefined. Collective. Synchronous. Bitwise reproducible,
 *   for any number of threads and, on chunks, of ranks. Since 0.1.0. */
xbatchStatus_t xgeqrtTsMp(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, const int64_t *offsets,
                          int flags, void *A, int64_t lda, void *factors, void *R, int64_t ldr, int32_t *info,
                          void *workspace, size_t workspaceBytes);

/** xgeqrtTsMp for float. */
xbatchStatus_t sgeqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags, float *A,
                          int64_t lda, void *factors, float *R, int64_t ldr, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** xgeqrtTsMp for double. */
xbatchStatus_t dgeqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags, double *A,
                          int64_t lda, void *factors, double *R, int64_t ldr, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** xgeqrtTsMp for complex float. */
xbatchStatus_t cgeqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags,
                          xbatchComplexFloat_t *A, int64_t lda, void *factors, xbatchComplexFloat_t *R, int64_t ldr,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrtTsMp for complex double. */
xbatchStatus_t zgeqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags,
                          xbatchComplexDouble_t *A, int64_t lda, void *factors, xbatchComplexDouble_t *R, int64_t ldr,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of factors and of workspace that xgeqrtTsMp needs on this rank. Communicates nothing. Status: SUCCESS,
 * INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. Since 0.1.0. */
xbatchStatus_t xgeqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n,
                                     const int64_t *offsets, int flags, size_t *factorBytes, size_t *workspaceBytes);

/** Multiply by the m x n matrix Q of xgeqrtTsMp, Q^H Q = I: B = Q C (op N), or C = Q^H B (op C, or T of real types).
 *
 * - type, m, n, offsets, flags, A, lda, factors in: those of xgeqrtTsMp. k >= 0.
 * - B [rows of the share x k]: op N out, op C in; ldb >= max(1, rows). NULL is allowed on a rank without rows.
 * - C [n x k], ldc >= n: op N in, which must be the same on all ranks; op C out, the same on all ranks bit by bit.
 * - No two of A, B, C may overlap.
 * - op N communicates nothing: each rank computes its rows, and returns its own status. op C is collective, with 2(P-1)
 *   messages of a rank, of 72 bytes, and of 8 + c*e*n*k bytes with c nodes as in xgtsvMp.
 * - Workspace: xgemqrtTsMp_bufferSize; n*k elements for each chunk of the rank and each node of all ranks, with op C
 *   k elements for each row of a chunk, and what xgemqrtTiled needs for one.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also where ranks differ, or factors are those of another matrix or
 *   rank), INSUFFICIENT_WORKSPACE, NOT_SUPPORTED (CUDA backend), COMM_FAILED, ALLOC_FAILED. After COMM_FAILED C is as
 *   before. Synchronous. Bitwise reproducible, for any number of threads and, on chunks, of ranks. Since 0.1.0. */
xbatchStatus_t xgemqrtTsMp(xbatchComm_t comm, xbatchDataType_t type, xbatchOperation_t op, int64_t m, int64_t n,
                           int64_t k, const int64_t *offsets, int flags, const void *A, int64_t lda,
                           const void *factors, void *B, int64_t ldb, void *C, int64_t ldc, void *workspace,
                           size_t workspaceBytes);

/** xgemqrtTsMp for float. */
xbatchStatus_t sgemqrtTsMp(xbatchComm_t comm, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                           const int64_t *offsets, int flags, const float *A, int64_t lda, const void *factors,
                           float *B, int64_t ldb, float *C, int64_t ldc, void *workspace, size_t workspaceBytes);

/** xgemqrtTsMp for double. */
xbatchStatus_t dgemqrtTsMp(xbatchComm_t comm, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                           const int64_t *offsets, int flags, const double *A, int64_t lda, const void *factors,
                           double *B, int64_t ldb, double *C, int64_t ldc, void *workspace, size_t workspaceBytes);

/** xgemqrtTsMp for complex float. */
xbatchStatus_t cgemqrtTsMp(xbatchComm_t comm, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                           const int64_t *offsets, int flags, const xbatchComplexFloat_t *A, int64_t lda,
                           const void *factors, xbatchComplexFloat_t *B, int64_t ldb, xbatchComplexFloat_t *C,
                           int64_t ldc, void *workspace, size_t workspaceBytes);

/** xgemqrtTsMp for complex double. */
xbatchStatus_t zgemqrtTsMp(xbatchComm_t comm, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                           const int64_t *offsets, int flags, const xbatchComplexDouble_t *A, int64_t lda,
                           const void *factors, xbatchComplexDouble_t *B, int64_t ldb, xbatchComplexDouble_t *C,
                           int64_t ldc, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgemqrtTsMp needs on this rank. Communicates nothing. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE, NOT_SUPPORTED. Since 0.1.0. */
xbatchStatus_t xgemqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                                      int64_t n, int64_t k, const int64_t *offsets, int flags, size_t *workspaceBytes);

/** Form this rank's rows of the m x n matrix Q of xgeqrtTsMp.
 *
 * - type, m, n, offsets, flags, A, lda, factors in: those of xgeqrtTsMp.
 * - Q [rows of the share x n] out; ldq >= max(1, rows). A and Q may not overlap.
 * - Communicates nothing; all else is as in xgemqrtTsMp with op N, where C is the identity. Since 0.1.0. */
xbatchStatus_t xungqrtTsMp(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n, const int64_t *offsets,
                           int flags, const void *A, int64_t lda, const void *factors, void *Q, int64_t ldq,
                           void *workspace, size_t workspaceBytes);

/** xungqrtTsMp for float. */
xbatchStatus_t sungqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags, const float *A,
                           int64_t lda, const void *factors, float *Q, int64_t ldq, void *workspace,
                           size_t workspaceBytes);

/** xungqrtTsMp for double. */
xbatchStatus_t dungqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags, const double *A,
                           int64_t lda, const void *factors, double *Q, int64_t ldq, void *workspace,
                           size_t workspaceBytes);

/** xungqrtTsMp for complex float. */
xbatchStatus_t cungqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags,
                           const xbatchComplexFloat_t *A, int64_t lda, const void *factors, xbatchComplexFloat_t *Q,
                           int64_t ldq, void *workspace, size_t workspaceBytes);

/** xungqrtTsMp for complex double. */
xbatchStatus_t zungqrtTsMp(xbatchComm_t comm, int64_t m, int64_t n, const int64_t *offsets, int flags,
                           const xbatchComplexDouble_t *A, int64_t lda, const void *factors, xbatchComplexDouble_t *Q,
                           int64_t ldq, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrtTsMp needs on this rank. Communicates nothing. Status as xgemqrtTsMp_bufferSize.
 * Since 0.1.0. */
xbatchStatus_t xungqrtTsMp_bufferSize(xbatchComm_t comm, xbatchDataType_t type, int64_t m, int64_t n,
                                      const int64_t *offsets, int flags, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
