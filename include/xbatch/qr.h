/** @file qr.h
 * Tiled QR: factor a dense matrix by tasks on tiles, apply and form Q, and solve least squares by it.
 *
 * A = Q R, A an m x n matrix, column-major with leading dimension lda, of any shape, m < n too. Of its k = min(m, n)
 * columns that become Householder vectors, panels of nb columns are eliminated tile by tile of mb rows: the first tile
 * by itself, then each further one below the triangle that is left (a flat tree); or, in tall matrices, so in domains
 * of some tiles, whose triangles are then joined in pairs (a tree of domains).
 *
 * **What is left.** R in the upper triangle (m < n: trapezoid) of A, as from LAPACK's geqrf but for the signs of its
 * rows. The vectors of Q in the rest of A, and their block factors in T, in a form of the library's own: A and T are
 * read by xgemqrtTiled and xungqrtTiled with the same configuration, not by LAPACK's.
 *
 * **On CUDA** every routine is asynchronous on the handle's stream, allocates nothing and can be captured into a graph;
 * one kernel's blocks take the tasks. Matrices of double in domains whose panels are one block of vectors, ib = nb <=
 * 32, as tall ones are by default, are done panel by panel instead, a block of threads for a domain; but not where Q is
 * applied from the right. A tile lies in a block's shared memory: mb is at most 128, of complex double 64 (on devices
 * with less than 226 KB of it 64, of float 128, and no complex double), ib at most 32; else NOT_SUPPORTED.
 * What is left has the same form on both backends: a matrix that was factored on one may be applied on the other, given
 * its configuration.
 *
 * Source: Buttari, Langou, Kurzak, Dongarra: A class of parallel tiled linear algebra algorithms for multicore
 * architectures, Parallel Computing 35 (2009).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_QR_H
#define XBATCH_QR_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the tiles of a panel are eliminated. */
typedef enum {
    XBATCH_TREE_FLAT = 0,    /**< one after the other, below the same triangle */
    XBATCH_TREE_DOMAINS = 1, /**< flat in each domain; then the domains' triangles in pairs */
    XBATCH_TREE_FORCE_INT32 = INT32_MIN
} xbatchTree_t;

/** The side from which Q is applied. */
typedef enum {
    XBATCH_SIDE_LEFT = 0,  /**< op(Q) C */
    XBATCH_SIDE_RIGHT = 1, /**< C op(Q) */
    XBATCH_SIDE_FORCE_INT32 = INT32_MIN
} xbatchSide_t;

/** How a matrix is cut into tiles. Results depend on it in rounding. Values beyond the matrix' own size mean that size.
 */
typedef struct {
    int64_t mb;        /**< rows of a tile, >= 1, a multiple of nb */
    int64_t nb;        /**< columns of a panel, >= 1 */
    int64_t ib;        /**< columns of a block of vectors inside a tile, 1 … nb */
    int64_t domain;    /**< tiles of a domain, >= 1; of no meaning in a flat tree */
    xbatchTree_t tree; /**< order of elimination */
} xbatchTiledConfig_t;

/** The configuration that is fastest for most matrices of a shape. It depends on backend, type, m and min(m, n) alone,
 * and is what a NULL for `config` means elsewhere.
 *
 * - m, n >= 0. config out. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xgeqrtTiled_defaults(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                    xbatchTiledConfig_t *config);

/** Factor A = Q R.
 *
 * - m, n >= 0. config in, host memory, may be NULL: xgeqrtTiled_defaults.
 * - A [m x n] in: the matrix, out: R and the vectors of Q; lda >= max(1, m).
 * - T [tBytes of xgeqrtTiled_bufferSize] out, aligned to 16: the block factors of Q. It may be copied as bytes.
 * - info [1] out, may be NULL: 0, or i > 0: the norm of column i (1-based) is not finite, the first such column; the
 *   columns before it are factored, those from it on hold no answer.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Stability: as LAPACK's geqrf, normwise and for each column; norms neither overflow nor underflow.
 * - Threads: those of the handle, by the tickets of task_graph.h. Bitwise reproducible: the same bits for every number
 * of threads and schedule. Since 0.1.0. */
xbatchStatus_t xgeqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                           const xbatchTiledConfig_t *config, void *A, int64_t lda, void *T, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xgeqrtTiled for float. */
xbatchStatus_t sgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config, float *A,
                           int64_t lda, void *T, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrtTiled for double. */
xbatchStatus_t dgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config, double *A,
                           int64_t lda, void *T, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrtTiled for complex float. */
xbatchStatus_t cgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                           xbatchComplexFloat_t *A, int64_t lda, void *T, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xgeqrtTiled for complex double. */
xbatchStatus_t zgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                           xbatchComplexDouble_t *A, int64_t lda, void *T, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** Bytes of T and of workspace that xgeqrtTiled needs; tBytes or workspaceBytes may not be NULL. Workspace is that of
 * the handle's number of threads. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                      const xbatchTiledConfig_t *config, size_t *tBytes, size_t *workspaceBytes);

/** xgeqrtTiled_bufferSize for float. */
xbatchStatus_t sgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes);

/** xgeqrtTiled_bufferSize for double. */
xbatchStatus_t dgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes);

/** xgeqrtTiled_bufferSize for complex float. */
xbatchStatus_t cgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes);

/** xgeqrtTiled_bufferSize for complex double. */
xbatchStatus_t zgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes);

/** Multiply C by Q or its adjoint: C := op(Q) C from the left, C := C op(Q) from the right.
 *
 * - side: left, then Q is m x m, or right, then it is n x n. op: N, C, and for real types T; a complex Q has no T here.
 * - m, n >= 0: of C. k >= 0: min(m, n) of the matrix that xgeqrtTiled factored, at most m (left) or n (right).
 * - config: that of xgeqrtTiled; NULL if it was NULL there.
 * - A [m or n rows, k columns] in, with lda >= max(1, its rows), and T in: what xgeqrtTiled left.
 * - C [m x n] in and out; ldc >= max(1, m).
 * - info [1] out, may be NULL: 0; on CUDA also -1: T is of another shape, type or configuration, and C is as it was.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (on the host also T of another shape, type or configuration; nothing
 * is written), INSUFFICIENT_WORKSPACE, NOT_SUPPORTED. Threads and bits as xgeqrtTiled. Since 0.1.0. */
xbatchStatus_t xgemqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config, const void *A,
                            int64_t lda, const void *T, void *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xgemqrtTiled for float. */
xbatchStatus_t sgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const float *A, int64_t lda, const void *T,
                            float *C, int64_t ldc, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgemqrtTiled for double. */
xbatchStatus_t dgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const double *A, int64_t lda, const void *T,
                            double *C, int64_t ldc, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgemqrtTiled for complex float. */
xbatchStatus_t cgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const xbatchComplexFloat_t *A, int64_t lda,
                            const void *T, xbatchComplexFloat_t *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xgemqrtTiled for complex double. */
xbatchStatus_t zgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const xbatchComplexDouble_t *A, int64_t lda,
                            const void *T, xbatchComplexDouble_t *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** Bytes of workspace that xgemqrtTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgemqrtTiled_bufferSize for float. */
xbatchStatus_t sgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgemqrtTiled_bufferSize for double. */
xbatchStatus_t dgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgemqrtTiled_bufferSize for complex float. */
xbatchStatus_t cgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgemqrtTiled_bufferSize for complex double. */
xbatchStatus_t zgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** Form the first n columns of Q: n = k is the thin factor, n = m all of Q.
 *
 * - m >= n >= k >= 0. k, config, A [m x k], lda, T in: as in xgemqrtTiled from the left.
 * - Q [m x n] out; ldq >= max(1, m). A and Q may not overlap.
 * - info and status as xgemqrtTiled. Costs as much as the factorisation where n = k. Since 0.1.0. */
xbatchStatus_t xungqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                            const xbatchTiledConfig_t *config, const void *A, int64_t lda, const void *T, void *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes);

/** xungqrtTiled for float. */
xbatchStatus_t sungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const float *A, int64_t lda, const void *T, float *Q, int64_t ldq, int32_t *info,
                            void *workspace, size_t workspaceBytes);

/** xungqrtTiled for double. */
xbatchStatus_t dungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const double *A, int64_t lda, const void *T, double *Q, int64_t ldq, int32_t *info,
                            void *workspace, size_t workspaceBytes);

/** xungqrtTiled for complex float. */
xbatchStatus_t cungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const xbatchComplexFloat_t *A, int64_t lda, const void *T, xbatchComplexFloat_t *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes);

/** xungqrtTiled for complex double. */
xbatchStatus_t zungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const xbatchComplexDouble_t *A, int64_t lda, const void *T, xbatchComplexDouble_t *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrtTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xungqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xungqrtTiled_bufferSize for float. */
xbatchStatus_t sungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xungqrtTiled_bufferSize for double. */
xbatchStatus_t dungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xungqrtTiled_bufferSize for complex float. */
xbatchStatus_t cungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xungqrtTiled_bufferSize for complex double. */
xbatchStatus_t zungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** Solve op(A) X = B by QR: where op(A) has at least as many rows as columns the X of least squares, min |B - op(A) X|,
 * else the smallest X of those that solve it; for matrices of full rank, as LAPACK's gels.
 *
 * - op: N, C, and for real types T. m, n, nrhs >= 0; where one of them is 0 nothing is touched. config: for a matrix of
 *   max(m, n) x min(m, n), or NULL.
 * - A [m x n] in; lda >= max(1, m). Where m >= n it is overwritten as by xgeqrtTiled, elsewhere it is kept. If its
 *   largest entry is near the end of the type's range, below the smallest normal number / eps or above the inverse of
 *   that, it is scaled by a power of two before, and so is B: X is that of A and B all the same.
 * - B [max(m, n) x nrhs] in: the right-hand sides in its first rows, m (op = N) or n; out: X in its first rows, n (op =
 * N) or m. Of least squares the squares of the moduli below X sum up to those of the residual. ldb >= max(1, m, n).
 * - info [1] out, may be NULL: as types.h says of one system, with k = min(m, n) in the place of n. i <= k: R_ii is
 *   a bad pivot, so that A has not full rank, or a norm of column i of the factored matrix, A where m >= n, else
 *   its adjoint, is not finite; the first such column. k + 1: an element of X is not finite.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Workspace: T, the tasks, buffers for each thread of the host, and where m < n a copy of A. Threads and bits as
 * xgeqrtTiled. Since 0.1.0. */
xbatchStatus_t xgelsTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, const xbatchTiledConfig_t *config, void *A, int64_t lda, void *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTiled for float. */
xbatchStatus_t sgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, float *A, int64_t lda, float *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTiled for double. */
xbatchStatus_t dgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, double *A, int64_t lda, double *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTiled for complex float. */
xbatchStatus_t cgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, xbatchComplexFloat_t *A, int64_t lda,
                          xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsTiled for complex double. */
xbatchStatus_t zgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, xbatchComplexDouble_t *A, int64_t lda,
                          xbatchComplexDouble_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgelsTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xgelsTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, const xbatchTiledConfig_t *config,
                                     size_t *workspaceBytes);

/** xgelsTiled_bufferSize for float. */
xbatchStatus_t sgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgelsTiled_bufferSize for double. */
xbatchStatus_t dgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgelsTiled_bufferSize for complex float. */
xbatchStatus_t cgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/** xgelsTiled_bufferSize for complex double. */
xbatchStatus_t zgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
