/** @file task_tiles.h
 * Task bodies that the library provides for host threads and GPUs: the tile operations of dense algorithms. So a graph
 * runs on a GPU from C and Fortran, without a CUDA compiler.
 *
 * The algorithm is written as its serial loops; each call adds a task where the serial program would compute:
 *
 *     for (k = 0; k < tiles; ++k) {
 *         xbatchTaskGraphAddPotrf(handle, graph, XBATCH_R_64F, XBATCH_UPLO_LOWER, nb, A(k, k), ld, NULL);
 *         for (i = k + 1; i < tiles; ++i) xbatchTaskGraphAddTrsm(…, A(k, k), ld, A(i, k), ld, NULL);
 *         …
 *     }
 *     xbatchTaskGraphFinalize(handle, graph);
 *     xbatchTaskGraphUpload(handle, graph, image, bytes);
 *     xbatchTaskGraphRunTiles(handle, graph, image);
 *     xbatchTaskGraphSynchronize(handle, graph, image);
 *
 * **Tiles** are column-major, element (i, j) at `j*ld + i`, with ld >= the number of rows, ld < 2^31; rows and columns
 * are at most XBATCH_TASK_MAX_TILE. The address of its first element identifies a tile: an operation reads or writes
 * the resource (xbatchTaskGraphAddAccess) of that number, and dependencies follow. If tiles overlap but have different
 * first elements, their tasks must be ordered by xbatchTaskGraphAddDependency. The output of an operation may overlap
 * none of its inputs.
 *
 * **Common contract.** The matrices are in the memory of the backend. They are accessed when the graph runs, not
 * before; a matrix without elements may be NULL. The letters are those of the BLAS. Scalars are real. task out, may be
 * NULL: as in xbatchTaskGraphAddTask. The cost is the number of operations. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE (also for a final graph), ALLOC_FAILED. Since 0.1.0.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TASK_TILES_H
#define XBATCH_TASK_TILES_H

#include "qr.h"
#include "task_graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of tiles. */
typedef enum {
    XBATCH_TASK_MAX_TILE = 65535, /**< largest number of rows, and of columns */
    XBATCH_TASK_TILES_FORCE_INT32 = INT32_MIN
} xbatchTaskTileLimits_t;

/** The triangle of a matrix that is used; the other one is neither read nor written. */
typedef enum {
    XBATCH_UPLO_LOWER = 0, /**< on and below the diagonal */
    XBATCH_UPLO_UPPER = 1, /**< on and above it */
    XBATCH_UPLO_FORCE_INT32 = INT32_MIN
} xbatchUplo_t;

/** The diagonal of a triangle. */
typedef enum {
    XBATCH_DIAG_NON_UNIT = 0, /**< as it is stored */
    XBATCH_DIAG_UNIT = 1,     /**< ones, which are not read */
    XBATCH_DIAG_FORCE_INT32 = INT32_MIN
} xbatchDiag_t;

/** B = A, m x n. */
xbatchStatus_t xbatchTaskGraphAddCopy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                      int64_t n, const void *A, int64_t lda, void *B, int64_t ldb, int64_t *task);

/** A = offdiag outside the diagonal and diag on it, m x n: LAPACK's laset. */
xbatchStatus_t xbatchTaskGraphAddSet(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                     int64_t n, double offdiag, double diag, void *A, int64_t lda, int64_t *task);

/** B = B + alpha A, m x n. */
xbatchStatus_t xbatchTaskGraphAddAxpy(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type, int64_t m,
                                      int64_t n, double alpha, const void *A, int64_t lda, void *B, int64_t ldb,
                                      int64_t *task);

/** C = alpha opA(A) opB(B) + beta C. C is m x n, opA(A) m x k; if beta is 0, C is not read. */
xbatchStatus_t xbatchTaskGraphAddGemm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchOperation_t opA, xbatchOperation_t opB, int64_t m, int64_t n, int64_t k,
                                      double alpha, const void *A, int64_t lda, const void *B, int64_t ldb, double beta,
                                      void *C, int64_t ldc, int64_t *task);

/** C = alpha op(A) op(A)^H + beta C in one triangle of C, n x n; op(A) is n x k. For real types this is BLAS's syrk;
 * for complex types it is herk, op is N or C, and the diagonal of C becomes real. If beta is 0, C is not read. */
xbatchStatus_t xbatchTaskGraphAddHerk(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchUplo_t uplo, xbatchOperation_t op, int64_t n, int64_t k, double alpha,
                                      const void *A, int64_t lda, double beta, void *C, int64_t ldc, int64_t *task);

/** Solve op(A) X = alpha B (LEFT) or X op(A) = alpha B (RIGHT). A is triangular; X overwrites B, m x n. */
xbatchStatus_t xbatchTaskGraphAddTrsm(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                      xbatchSide_t side, xbatchUplo_t uplo, xbatchOperation_t op, xbatchDiag_t diag,
                                      int64_t m, int64_t n, double alpha, const void *A, int64_t lda, void *B,
                                      int64_t ldb, int64_t *task);

/** A = L L^H (LOWER) or U^H U (UPPER), n x n, in the triangle of A. The task fails with code j if the leading minor of
 * order j is not positive. */
xbatchStatus_t xbatchTaskGraphAddPotrf(xbatchHandle_t handle, xbatchTaskGraph_t graph, xbatchDataType_t type,
                                       xbatchUplo_t uplo, int64_t n, void *A, int64_t lda, int64_t *task);

/** Run a final graph whose tasks were all added by the routines above, with one element type.
 *
 * - image in/out: on the CUDA backend from xbatchTaskGraphUpload; on the host backend not used.
 * - May be called any number of times; nothing is rebuilt.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (not final; a task of another kind or type), EXECUTION_FAILED (CUDA
 *   failed; on the host also: a task failed), ALLOC_FAILED.
 * - CUDA: asynchronous on the handle's stream; can be captured into a CUDA graph. xbatchTaskGraphSynchronize reports
 *   failed tasks. Host: on the threads of the handle, synchronous.
 * - Reproducible: the same bits for every schedule on a device. Since 0.1.0. */
xbatchStatus_t xbatchTaskGraphRunTiles(xbatchHandle_t handle, xbatchTaskGraph_t graph, void *image);

#ifdef __cplusplus
}
#endif

#endif
