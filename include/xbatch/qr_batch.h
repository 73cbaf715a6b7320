/** @file qr_batch.h
 * QR of many dense matrices, mostly small: factor a batch, with Q or without, apply and form Q, least squares.
 *
 * The matrices of a batch have one size and are column-major with a leading dimension, in one of three layouts. The
 * table gives the index of element (i, c) (row, column, 0-based) of matrix j in an array `A` of `columns` columns with
 * `lda` and `strideA`. The same holds for B with ldb and strideB, for C and for R:
 *
 * | layout | element (i, c) of matrix j | strideA is | strideA >= |
 * |---|---|---|---|
 * | FLAT | `j*strideA + c*lda + i` | the distance between matrices | lda*columns |
 * | INTERLEAVED | `(c*lda + i)*strideA + j` | the distance between rows | batch |
 * | BLOCK_INTERLEAVED | `((j/strideA*columns + c)*lda + i)*strideA + j%strideA` | matrices per block | 1 |
 *
 * The last block of a block-interleaved array is allocated in full. Padding, including the rows between those of the
 * matrix and lda, is never written; its values do not affect results. All arrays of a call have the same layout and may
 * not overlap. Names are LAPACK's. Reflectors and factors tau have exactly LAPACK's meaning and may be passed to its
 * routines.
 *
 * Matrices may be of any size. On CUDA one block factors a matrix of at most 4096 rows; the status is NOT_SUPPORTED if
 * its shared memory is too small. Several blocks together factor a matrix with more rows, or with many columns: they
 * factor panels of 32 columns and apply each block reflector to the trailing matrix by matrix products, which need
 * workspace. Panels of flat matrices with at least 2^22 elements in 24 to 64 columns are factored by the tree of
 * xgeqrtTiled instead, float in double, unless a norm is not finite. LAPACK's reflectors are then reconstructed: from A
 * and R if the panel is well-conditioned, otherwise from Q, which takes longer. A tree needs workspace of 1.5 times the
 * panel, in float of 5 times. Real panels of 33 to 64 columns and 128 to 12 288 rows are factored by the products of
 * their columns (Cholesky's method, corrected at need, float in double) if they are well-conditioned, and reflectors
 * reconstructed from A and R. On CUDA also interleaved matrices of more than 128 rows and 32 columns, real ones of more
 * than 64 rows, and doubles of more than 32 rows with more columns than rows, that have a block each, need workspace:
 * parts of the batch are copied to it, factored there as flat matrices and copied back, unless they are doubles whose
 * rows begin at multiples of 16 bytes. It holds about 64 MB, or as many matrices as the device factors at once if that
 * is more. xgelsBatch passes matrices with m or n > 4096, and small batches of large matrices, to xgelsTiled one at a
 * time. On CUDA a matrix takes several times as long as others if its norms are near the ends of the type's range or
 * some column has nothing to eliminate.
 *
 * Source of the reconstruction: Ballard, Demmel, Grigori, Jacquelin, Knight, Nguyen: Reconstructing Householder vectors
 * from tall-skinny QR, Journal of Parallel and Distributed Computing 85 (2015); of the correction: Yamamoto,
 * Nakatsukasa, Yanagisawa, Fukaya: Roundoff error analysis of the CholeskyQR2 algorithm, Electronic Transactions on
 * Numerical Analysis 44 (2015).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_QR_BATCH_H
#define XBATCH_QR_BATCH_H

#include "qr.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factor each matrix, A_j = Q_j R_j: LAPACK's geqrf for a batch.
 *
 * With k = min(m, n), Q = H_0 H_1 ... H_{k-1}, H_i = I - tau_i v_i v_i^H; v_i is zero above row i and 1 in row i.
 *
 * - A [m x n] in: the matrices; out: R in the upper triangle (m < n: trapezoid), with a real diagonal, and the v_i
 *   below it. lda >= max(1, m).
 * - tau [k] out: an array of the batch as in types.h, of k elements for each matrix; ldtau >= k (FLAT), >= batch
 *   (INTERLEAVED), >= 1 (BLOCK_INTERLEAVED).
 * - info [batch] out, may be NULL: 0, or 1 <= i <= k: column i (1-based) is the first whose norm is not finite. Columns
 *   before i are factored; those from i on hold no result. Inf or NaN in a column after the first k does not set info;
 *   nor, on CUDA, does it above the diagonal, in row r, if H_0 ... H_r are identities, which leave it in R.
 * - Constraints: m, n, batch >= 0; if one of them is 0, no array is accessed.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Stability: as LAPACK's geqrf, normwise and for each column, with LAPACK's signs; norms neither overflow nor
 *   underflow. On CUDA a column after the first k may be less accurate if its norm is below 2^-900, in single precision
 *   2^-80. If a column has nothing to eliminate, H_i = I; where a tree factors the panel, H_i may be another
 *   reflector if A does not have full rank. NaN in one matrix does not affect others.
 * - Asynchronous on CUDA, capturable, bitwise reproducible, on the host for every thread count. Since 0.1.0. */
xbatchStatus_t xgeqrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t batch, void *A, int64_t lda, int64_t strideA, void *tau, int64_t ldtau,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgeqrfBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t batch, size_t *workspaceBytes);

/* The typed forms of xgeqrfBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xgeqrfBatch. */

/** Multiply each C_j by Q_j or its adjoint: C := op(Q) C from the left, C := C op(Q) from the right; LAPACK's ormqr and
 * unmqr for a batch. xunmqrBatch supports all four types.
 *
 * - side: left (Q is m x m) or right (Q is n x n). op: N, C, and for real types T; T of a complex Q is not supported.
 * - k: the number of reflectors of each Q, 0 <= k <= m (left) or n (right).
 * - A [m or n rows, k columns] in, with lda >= max(1, its rows), and tau [k] in: the results of xgeqrfBatch.
 * - C [m x n] in and out; ldc >= max(1, m).
 * - Constraints: m, n, batch >= 0; if one of them or k is 0, no array is accessed.
 * - Status, stability, asynchrony as xgeqrfBatch. Since 0.1.0. */
xbatchStatus_t xunmqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchSide_t side,
                           xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch, const void *A,
                           int64_t lda, int64_t strideA, const void *tau, int64_t ldtau, void *C, int64_t ldc,
                           int64_t strideC, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xunmqrBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes);

/* The typed forms of xunmqrBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xunmqrBatch. */

/** Form the first n columns of each Q in place of its reflectors: n = k gives the thin factor, n = m all of Q; LAPACK's
 * orgqr and ungqr for a batch. xungqrBatch supports all four types.
 *
 * - m >= n >= k >= 0.
 * - A [m x n] in: in its first k columns the result of xgeqrfBatch; out: the columns of Q. lda >= max(1, m).
 * - tau [k] in.
 * - Constraints: batch >= 0; if n or batch is 0, no array is accessed.
 * - Status, stability, asynchrony as xgeqrfBatch. Since 0.1.0. */
xbatchStatus_t xungqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t k, int64_t batch, void *A, int64_t lda, int64_t strideA, const void *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xungqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t k, int64_t batch, size_t *workspaceBytes);

/* The typed forms of xungqrBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xungqrBatch. */

/** Solve op(A_j) X_j = B_j by QR for matrices of full rank: LAPACK's gels for a batch, but A is not overwritten. If
 * op(A) has at least as many rows as columns, X is the least squares solution, min |B - op(A) X|; otherwise X is the
 * solution of least norm.
 *
 * - op: N, C, and for real types T.
 * - A [m x n] in; lda >= max(1, m).
 * - B [max(m, n) x nrhs] in: right-hand sides in its first m (op = N) or n rows; out: X in its first n (op = N) or m
 *   rows. If X has fewer rows, the transformed right-hand sides are below it; the sum of squares of a column there is
 *   that of the residual. ldb >= max(1, m, n).
 * - info [batch] out, may be NULL: see types.h, with k = min(m, n) in place of n. i <= k: the first element i on the
 *   diagonal of R that is a bad pivot, where R is the factor of A (m >= n) or A^H: A does not have full rank. k + 1: an
 *   element of X is not finite.
 * - Constraints: m, n, nrhs, batch >= 0; if one of them is 0, no array is accessed.
 * - Status, asynchrony as xgeqrfBatch. Stability: as LAPACK's gels; A and B near the ends of the type's range are
 *   scaled as in xgelsTiled. Since 0.1.0. */
xbatchStatus_t xgelsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                          int64_t m, int64_t n, int64_t nrhs, int64_t batch, const void *A, int64_t lda,
                          int64_t strideA, void *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** Bytes of workspace that xgelsBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgelsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                     xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                                     size_t *workspaceBytes);

/* The typed forms of xgelsBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xgelsBatch. */

/** R and Q^H B of each matrix, A_j = Q_j R_j, without Q: R^H R = A^H A, and least squares are R X = (Q^H B)(1:n).
 *
 * With k = min(m, n). The results are those of xgeqrfBatch of a copy of A and of xunmqrBatch with op = C or T from the
 * left, with the same signs, to rounding.
 *
 * - A [m x n] in; lda >= max(1, m).
 * - R [k x n] out: the upper triangle (m < n: trapezoid) with a real diagonal, and zeros below it. ldr >= max(1, k).
 * - B [m x nrhs] in: B; out: Q^H B. If m > n, the sum of squares of a column below row n is that of the residual of
 *   least squares. May be NULL if nrhs = 0. ldb >= max(1, m).
 * - info [batch] out, may be NULL: as xgeqrfBatch, about A alone. Columns of R from i on, and B, hold no result.
 * - Constraints: m, n, nrhs, batch >= 0; if m, n or batch is 0, no array is accessed.
 * - Status, stability, asynchrony, reproducibility as xgeqrfBatch. NaN in one matrix, or in a column of B, does not
 *   affect others. On CUDA matrices that shared memory holds with B, on an H100 up to 32 x 32 and 16 right-hand sides
 *   among others, need no workspace: A is read once and no V is stored, so that tall ones need half the memory traffic
 *   of xgeqrfBatch, a third with xunmqrBatch. Others are copied to the workspace, m n + k elements each, for these two.
 *   Since 0.1.0. */
xbatchStatus_t xgeqrfQlessBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                int64_t n, int64_t nrhs, int64_t batch, const void *A, int64_t lda, int64_t strideA,
                                void *R, int64_t ldr, int64_t strideR, void *B, int64_t ldb, int64_t strideB,
                                int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgeqrfQlessBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrfQlessBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                           int64_t m, int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* The typed forms of xgeqrfQlessBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

/** xgeqrfQlessBatch for float. */
xbatchStatus_t sgeqrfQlessBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs,
                                int64_t batch, const float *A, int64_t lda, int64_t strideA, float *R, int64_t ldr,
                                int64_t strideR, float *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                                size_t workspaceBytes);

/** xgeqrfQlessBatch for double. */
xbatchStatus_t dgeqrfQlessBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs,
                                int64_t batch, const double *A, int64_t lda, int64_t strideA, double *R, int64_t ldr,
                                int64_t strideR, double *B, int64_t ldb, int64_t strideB, int32_t *info,
                                void *workspace, size_t workspaceBytes);

/** xgeqrfQlessBatch for complex float. */
xbatchStatus_t cgeqrfQlessBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs,
                                int64_t batch, const xbatchComplexFloat_t *A, int64_t lda, int64_t strideA,
                                xbatchComplexFloat_t *R, int64_t ldr, int64_t strideR, xbatchComplexFloat_t *B,
                                int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfQlessBatch for complex double. */
xbatchStatus_t zgeqrfQlessBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs,
                                int64_t batch, const xbatchComplexDouble_t *A, int64_t lda, int64_t strideA,
                                xbatchComplexDouble_t *R, int64_t ldr, int64_t strideR, xbatchComplexDouble_t *B,
                                int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfQlessBatch_bufferSize for float. */
xbatchStatus_t sgeqrfQlessBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n,
                                           int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgeqrfQlessBatch_bufferSize for double. */
xbatchStatus_t dgeqrfQlessBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n,
                                           int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgeqrfQlessBatch_bufferSize for complex float. */
xbatchStatus_t cgeqrfQlessBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n,
                                           int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgeqrfQlessBatch_bufferSize for complex double. */
xbatchStatus_t zgeqrfQlessBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n,
                                           int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* End of the typed forms of xgeqrfQlessBatch. */

#ifdef __cplusplus
}
#endif

#endif
