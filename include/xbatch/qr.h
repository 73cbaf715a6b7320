/** @file qr.h
 * Tiled QR: factor a dense matrix by tasks on tiles, apply and form Q, solve least squares problems.
 *
 * A = Q R, where A is m x n of any shape, m < n included, and column-major: element (i, j) is at `j*lda + i`. Panels of
 * nb of the leading k = min(m, n) columns are factored in tiles of mb rows. GEQRT factors the first tile; TSQRT then
 * factors each further tile against the current R (flat tree). In tall matrices this is done in domains of several
 * tiles, whose triangles TTQRT merges in pairs (tree of domains). Each kernel gives a block reflector I - V T V^H,
 * which is applied to the trailing matrix.
 *
 * **Results.** R is in the upper triangle (m < n: trapezoid) of A, as from LAPACK's geqrf except for the signs of its
 * rows. The vectors V of Q are in the rest of A and the triangular factors in T, in an internal format: xgemqrtTiled
 * and xungqrtTiled read A and T with the same configuration, but LAPACK's routines cannot.
 *
 * **On CUDA** every routine is asynchronous on the handle's stream, allocates nothing and can be captured into a CUDA
 * graph. Persistent blocks of one kernel execute the tasks. Matrices of double in domains with ib = nb <= 32, the
 * default for tall ones, are processed panel by panel instead, one thread block per domain, except where Q is applied
 * from the right. A tile is resident in shared memory: mb <= 128, for complex double mb <= 64, and ib <= 32. Devices
 * with less than 226 KB of shared memory per block require mb <= 64, for float mb <= 128, and do not support complex
 * double. Otherwise the status is NOT_SUPPORTED. Results have the same format on both backends: a matrix factored on
 * one may be applied on the other with the same configuration.
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

/** Elimination order of the tiles of a panel. */
typedef enum {
    XBATCH_TREE_FLAT = 0,    /**< each further tile in sequence, against one triangle */
    XBATCH_TREE_DOMAINS = 1, /**< flat in each domain, then the domains' triangles in pairs */
    XBATCH_TREE_FORCE_INT32 = INT32_MIN
} xbatchTree_t;

/** The side from which Q is applied. */
typedef enum {
    XBATCH_SIDE_LEFT = 0,  /**< op(Q) C */
    XBATCH_SIDE_RIGHT = 1, /**< C op(Q) */
    XBATCH_SIDE_FORCE_INT32 = INT32_MIN
} xbatchSide_t;

/** Tile sizes and tree. Results depend on them in rounding. Values beyond the size of the matrix mean that size. */
typedef struct {
    int64_t mb;        /**< rows of a tile, >= 1, a multiple of nb */
    int64_t nb;        /**< columns of a panel, >= 1 */
    int64_t ib;        /**< columns of a block reflector, 1 … nb */
    int64_t domain;    /**< tiles of a domain, >= 1; ignored in a flat tree */
    xbatchTree_t tree; /**< order of elimination */
} xbatchTiledConfig_t;

/** The configuration that is fastest for most matrices of a shape. It depends only on backend, type, m and min(m, n).
 * Other routines use it where `config` is NULL.
 *
 * - m, n >= 0. config out. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xgeqrtTiled_defaults(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                    xbatchTiledConfig_t *config);

/** Factor A = Q R.
 *
 * - m, n >= 0. config in, host memory, may be NULL: xgeqrtTiled_defaults.
 * - A [m x n] in: the matrix, out: R and the vectors of Q; lda >= max(1, m).
 * - T [tBytes of xgeqrtTiled_bufferSize] out, aligned to 16: the triangular factors of Q. It may be copied as bytes.
 * - info [1] out, may be NULL: 0, or 1 <= i <= min(m, n): column i (1-based) is the first whose norm is not finite.
 *   Columns before i are factored; those from i on hold no result. Inf or NaN in a later column does not set info.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Stability: as LAPACK's geqrf, normwise and for each column; norms neither overflow nor underflow. On CUDA columns
 *   with norms below 2^-900, in single precision 2^-80, may be less accurate.
 * - Workspace: the tasks, and buffers for each host thread. Threads: those of the handle, in the ticket order of
 *   task_graph.h. Bitwise reproducible for every number of threads and schedule. Since 0.1.0. */
xbatchStatus_t xgeqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                           const xbatchTiledConfig_t *config, void *A, int64_t lda, void *T, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** Bytes of T and of workspace that xgeqrtTiled needs; neither tBytes nor workspaceBytes may be NULL. The workspace
 * depends on the handle's number of threads. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                      const xbatchTiledConfig_t *config, size_t *tBytes, size_t *workspaceBytes);

/* The typed forms of xgeqrtTiled. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xgeqrtTiled. */

/** Multiply C by Q or its adjoint: C := op(Q) C from the left, C := C op(Q) from the right.
 *
 * - side: left (Q is m x m) or right (Q is n x n). op: N, C, and for real types T; T of a complex Q is not supported.
 * - m, n >= 0: size of C. k >= 0: min(m, n) of the factored matrix, k <= m (left) or k <= n (right).
 * - config: that of xgeqrtTiled; NULL if it was NULL there.
 * - A [m or n rows, k columns] in, with lda >= max(1, its rows), and T in: the results of xgeqrtTiled.
 * - C [m x n] in and out; ldc >= max(1, m).
 * - info [1] out, may be NULL: 0; on CUDA also -1: T has another shape, type or configuration, and C is unchanged.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (on the host also if T has another shape, type or configuration),
 *   INSUFFICIENT_WORKSPACE, NOT_SUPPORTED. Stability, threads and bits as xgeqrtTiled. Since 0.1.0. */
xbatchStatus_t xgemqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config, const void *A,
                            int64_t lda, const void *T, void *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** Bytes of workspace that xgemqrtTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/* The typed forms of xgemqrtTiled. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xgemqrtTiled. */

/** Form the first n columns of Q: n = k gives the thin factor, n = m all of Q.
 *
 * - m >= n >= k >= 0. k, config, A [m x k], lda, T in: as in xgemqrtTiled from the left.
 * - Q [m x n] out; ldq >= max(1, m). A and Q may not overlap.
 * - info, status, stability, bits as xgemqrtTiled. For n = k it costs as much as xgeqrtTiled. Since 0.1.0. */
xbatchStatus_t xungqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                            const xbatchTiledConfig_t *config, const void *A, int64_t lda, const void *T, void *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrtTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xungqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes);

/* The typed forms of xungqrtTiled. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xungqrtTiled. */

/** Solve op(A) X = B by QR for A of full rank, as LAPACK's gels. If op(A) has at least as many rows as columns, X is
 * the least squares solution, min |B - op(A) X|; otherwise X is the solution of least norm.
 *
 * - op: N, C, and for real types T. m, n, nrhs >= 0; if one of them is 0, no array is accessed. config: for a matrix of
 *   max(m, n) x min(m, n), or NULL.
 * - A [m x n] in, and out if m >= n: overwritten as by xgeqrtTiled; lda >= max(1, m). If its largest entry is below the
 *   smallest normal number / eps, or above the inverse of that, A and B are scaled by powers of two; X is the solution
 *   for the unscaled A and B.
 * - B [max(m, n) x nrhs] in: right-hand sides in its first m (op = N) or n rows; out: X in its first n (op = N) or m
 *   rows. For least squares the sum of squared moduli below X is that of the residual. ldb >= max(1, m, n).
 * - info [1] out, may be NULL: see types.h, for one system and with k = min(m, n) in place of n. i <= k: the first
 *   column where R_ii is a bad pivot, so that A does not have full rank, or where a column norm of the factored matrix,
 *   A if m >= n, else its adjoint, is not finite. k + 1: an element of X is not finite.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED.
 * - Workspace: T, the tasks, buffers for each host thread, and a copy of A if m < n. Stability: as LAPACK's gels.
 *   Threads and bits as xgeqrtTiled. Since 0.1.0. */
xbatchStatus_t xgelsTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, const xbatchTiledConfig_t *config, void *A, int64_t lda, void *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgelsTiled needs. Status as xgeqrtTiled_bufferSize. */
xbatchStatus_t xgelsTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, const xbatchTiledConfig_t *config,
                                     size_t *workspaceBytes);

/* The typed forms of xgelsTiled. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

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

/* End of the typed forms of xgelsTiled. */

#ifdef __cplusplus
}
#endif

#endif
