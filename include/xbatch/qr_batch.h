/** @file qr_batch.h
 * Many QRs, small ones above all: factor a batch of dense matrices, apply and form their Q, and solve least squares.
 *
 * The matrices of a batch have one size, are column-major with a leading dimension, and lie in one of three layouts.
 * Where element (i, c) (row, column, 0-based) of matrix j lies, in an array `A` of `columns` columns with `lda` and
 * `strideA`; the same for B with ldb and strideB, for C with ldc and strideC:
 *
 * | layout | element (i, c) of matrix j | strideA is | strideA >= |
 * |---|---|---|---|
 * | FLAT | `j*strideA + c*lda + i` | the distance between matrices | lda*columns |
 * | INTERLEAVED | `(c*lda + i)*strideA + j` | the distance between rows | batch |
 * | BLOCK_INTERLEAVED | `((j/strideA*columns + c)*lda + i)*strideA + j%strideA` | matrices per block | 1 |
 *
 * The last block of a block-interleaved array is allocated whole; its padding is neither read for meaning nor written,
 * nor are the rows between those of the matrix and lda. Every array of a call has the same layout. Arrays may not
 * overlap. Names are LAPACK's: the reflectors and their factors tau are LAPACK's in every bit of their meaning, and may
 * be handed to it.
 *
 * Matrices may be of any size. On CUDA a block takes a matrix of at most 4096 rows, NOT_SUPPORTED where it has too
 * little shared memory for it; several blocks together take a matrix of more rows, or of many columns: panels of 32
 * columns become reflectors, which the columns beside them meet by matrix products. That needs workspace, else there is
 * none. xgelsBatch takes matrices of more than 4096 rows, m or n, and few large ones, to xgelsTiled one by one. A
 * matrix whose norms are near the ends of the type's range, or that has nothing to eliminate in some column, takes
 * several times as long as others there.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_QR_BATCH_H
#define XBATCH_QR_BATCH_H

#include "qr.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factor each matrix, A_j = Q_j R_j: LAPACK's geqrf over a batch.
 *
 * With k = min(m, n), Q = H_0 H_1 ... H_{k-1}, H_i = I - tau_i v_i v_i^H, v_i zero above row i and 1 in it.
 *
 * - A [m x n] in: the matrices; out: R in the upper triangle (m < n: trapezoid), its diagonal real, and the v_i below
 *   it. lda >= max(1, m).
 * - tau [k] out: an array of the batch as in types.h, of k elements for each matrix; ldtau >= k (FLAT), >= batch
 *   (INTERLEAVED), >= 1 (BLOCK_INTERLEAVED).
 * - info [batch] out, may be NULL: 0, or i > 0: the norm of column i (1-based) is not finite, the first such column;
 * the columns before it are factored, those from it on hold no answer.
 * - Constraints: m, n, batch >= 0; where one of them is 0 nothing is touched.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Stability: as LAPACK's geqrf, normwise and for each column, with LAPACK's signs; norms neither overflow nor
 *   underflow; where a column has nothing to eliminate, H_i = I. NaN in one matrix reaches no other.
 * - Asynchronous on CUDA, capturable, bitwise reproducible, on the host for every thread count. Since 0.1.0. */
xbatchStatus_t xgeqrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t batch, void *A, int64_t lda, int64_t strideA, void *tau, int64_t ldtau,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfBatch for float. */
xbatchStatus_t sgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch, float *A,
                           int64_t lda, int64_t strideA, float *tau, int64_t ldtau, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xgeqrfBatch for double. */
xbatchStatus_t dgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch, double *A,
                           int64_t lda, int64_t strideA, double *tau, int64_t ldtau, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xgeqrfBatch for complex float. */
xbatchStatus_t cgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                           xbatchComplexFloat_t *A, int64_t lda, int64_t strideA, xbatchComplexFloat_t *tau,
                           int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfBatch for complex double. */
xbatchStatus_t zgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                           xbatchComplexDouble_t *A, int64_t lda, int64_t strideA, xbatchComplexDouble_t *tau,
                           int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgeqrfBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t batch, size_t *workspaceBytes);

/** xgeqrfBatch_bufferSize for float. */
xbatchStatus_t sgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes);

/** xgeqrfBatch_bufferSize for double. */
xbatchStatus_t dgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes);

/** xgeqrfBatch_bufferSize for complex float. */
xbatchStatus_t cgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes);

/** xgeqrfBatch_bufferSize for complex double. */
xbatchStatus_t zgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes);

/** Multiply each C_j by Q_j or its adjoint: C := op(Q) C from the left, C := C op(Q) from the right; LAPACK's ormqr and
 * unmqr over a batch. xunmqrBatch takes all four types.
 *
 * - side: left, then Q is m x m, or right, then it is n x n. op: N, C, and for real types T; a complex Q has no T here.
 * - k: reflectors of each Q, 0 <= k <= m (left) or n (right).
 * - A [m or n rows, k columns] in, with lda >= max(1, its rows), and tau [k] in: what xgeqrfBatch left.
 * - C [m x n] in and out; ldc >= max(1, m).
 * - Constraints: m, n, batch >= 0; where one of them or k is 0 nothing is touched.
 * - Status, stability, asynchrony as xgeqrfBatch. Since 0.1.0. */
xbatchStatus_t xunmqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchSide_t side,
                           xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch, const void *A,
                           int64_t lda, int64_t strideA, const void *tau, int64_t ldtau, void *C, int64_t ldc,
                           int64_t strideC, void *workspace, size_t workspaceBytes);

/** xunmqrBatch for float. */
xbatchStatus_t sormqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const float *A, int64_t lda, int64_t strideA,
                           const float *tau, int64_t ldtau, float *C, int64_t ldc, int64_t strideC, void *workspace,
                           size_t workspaceBytes);

/** xunmqrBatch for double. */
xbatchStatus_t dormqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const double *A, int64_t lda,
                           int64_t strideA, const double *tau, int64_t ldtau, double *C, int64_t ldc, int64_t strideC,
                           void *workspace, size_t workspaceBytes);

/** xunmqrBatch for complex float. */
xbatchStatus_t cunmqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const xbatchComplexFloat_t *A, int64_t lda,
                           int64_t strideA, const xbatchComplexFloat_t *tau, int64_t ldtau, xbatchComplexFloat_t *C,
                           int64_t ldc, int64_t strideC, void *workspace, size_t workspaceBytes);

/** xunmqrBatch for complex double. */
xbatchStatus_t zunmqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const xbatchComplexDouble_t *A, int64_t lda,
                           int64_t strideA, const xbatchComplexDouble_t *tau, int64_t ldtau, xbatchComplexDouble_t *C,
                           int64_t ldc, int64_t strideC, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xunmqrBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/** xunmqrBatch_bufferSize for float. */
xbatchStatus_t sormqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes);

/** xunmqrBatch_bufferSize for double. */
xbatchStatus_t dormqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes);

/** xunmqrBatch_bufferSize for complex float. */
xbatchStatus_t cunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes);

/** xunmqrBatch_bufferSize for complex double. */
xbatchStatus_t zunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes);

/** Form the first n columns of each Q in place of its reflectors: n = k is the thin factor, n = m all of Q; LAPACK's
 * orgqr and ungqr over a batch. xungqrBatch takes all four types.
 *
 * - m >= n >= k >= 0.
 * - A [m x n] in: in its first k columns what xgeqrfBatch left; out: the columns of Q. lda >= max(1, m).
 * - tau [k] in.
 * - Constraints: batch >= 0; where n or batch is 0 nothing is touched.
 * - Status, stability, asynchrony as xgeqrfBatch. Since 0.1.0. */
xbatchStatus_t xungqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t k, int64_t batch, void *A, int64_t lda, int64_t strideA, const void *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes);

/** xungqrBatch for float. */
xbatchStatus_t sorgqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           float *A, int64_t lda, int64_t strideA, const float *tau, int64_t ldtau, void *workspace,
                           size_t workspaceBytes);

/** xungqrBatch for double. */
xbatchStatus_t dorgqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           double *A, int64_t lda, int64_t strideA, const double *tau, int64_t ldtau, void *workspace,
                           size_t workspaceBytes);

/** xungqrBatch for complex float. */
xbatchStatus_t cungqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           xbatchComplexFloat_t *A, int64_t lda, int64_t strideA, const xbatchComplexFloat_t *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes);

/** xungqrBatch for complex double. */
xbatchStatus_t zungqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           xbatchComplexDouble_t *A, int64_t lda, int64_t strideA, const xbatchComplexDouble_t *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xungqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t k, int64_t batch, size_t *workspaceBytes);

/** xungqrBatch_bufferSize for float. */
xbatchStatus_t sorgqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/** xungqrBatch_bufferSize for double. */
xbatchStatus_t dorgqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/** xungqrBatch_bufferSize for complex float. */
xbatchStatus_t cungqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/** xungqrBatch_bufferSize for complex double. */
xbatchStatus_t zungqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/** Solve op(A_j) X_j = B_j by QR: where op(A) has at least as many rows as columns the X of least squares,
 * min |B - op(A) X|, else the smallest X of those that solve it; for matrices of full rank: LAPACK's gels over a batch,
 * but A is kept.
 *
 * - op: N, C, and for real types T.
 * - A [m x n] in; lda >= max(1, m).
 * - B [max(m, n) x nrhs] in: the right-hand sides in its first rows, m (op = N) or n; out: X in its first rows, n (op =
 *   N) or m, and below it, where that is fewer, what is left of the right-hand sides: its sum of squares in a column is
 *   that of the residual. ldb >= max(1, m, n).
 * - info [batch] out, may be NULL: as types.h says, with k = min(m, n) in the place of n. i <= k: element i of the
 *   diagonal of R is a bad pivot, the first such one, R that of A (m >= n) or A^H: A has not full rank. k + 1:
 *   an element of X is not finite.
 * - Constraints: m, n, nrhs, batch >= 0; where one of them is 0 nothing is touched.
 * - Status, asynchrony as xgeqrfBatch. Stability: as LAPACK's gels; A and B near the ends of the type's range are
 * scaled as in xgelsTiled. Since 0.1.0. */
xbatchStatus_t xgelsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                          int64_t m, int64_t n, int64_t nrhs, int64_t batch, const void *A, int64_t lda,
                          int64_t strideA, void *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** xgelsBatch for float. */
xbatchStatus_t sgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const float *A, int64_t lda, int64_t strideA, float *B,
                          int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsBatch for double. */
xbatchStatus_t dgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const double *A, int64_t lda, int64_t strideA, double *B,
                          int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsBatch for complex float. */
xbatchStatus_t cgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *A, int64_t lda, int64_t strideA,
                          xbatchComplexFloat_t *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** xgelsBatch for complex double. */
xbatchStatus_t zgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *A, int64_t lda, int64_t strideA,
                          xbatchComplexDouble_t *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** Bytes of workspace that xgelsBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgelsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                     xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                                     size_t *workspaceBytes);

/** xgelsBatch_bufferSize for float. */
xbatchStatus_t sgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgelsBatch_bufferSize for double. */
xbatchStatus_t dgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgelsBatch_bufferSize for complex float. */
xbatchStatus_t cgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgelsBatch_bufferSize for complex double. */
xbatchStatus_t zgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
