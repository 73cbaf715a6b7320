/** @file tridiagonal.h
 * Tridiagonal systems, one giant or a batch of any size, without pivoting.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TRIDIAGONAL_H
#define XBATCH_TRIDIAGONAL_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Solve dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i, i = 0 … n-1, for each system j and right-hand side r, by the
 * P-scheme: every chunk of rows is eliminated to its two ends (pre-computation), the ends of all chunks are solved for
 * (propagation), the inside of every chunk follows from its ends (determination).
 *
 * Source: A. Wakatani, "A Parallel and Scalable Algorithm for ADI Method with Pre-propagation and Message
 * Vectorization", Parallel Computing 30 (2004), and FUTURE COMPUTING 2012. The paper carries the quotients p_i of
 * Gaussian elimination through a Moebius map of each chunk, which loses three digits and overflows; here a chunk is
 * carried as the normalised equations of its ends, whose entries are at most 1 for diagonally dominant rows and can
 * only underflow.
 *
 * - dl, d, du [n a system] in, in `layout` with leading dimension ldt; ldt = 0: one set shared by all systems.
 *   dl(0, j) and du(n-1, j) are never used.
 * - B  [n*nrhs a system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb.
 * - info [batch] out, may be NULL: 0 solved; i > 0: the elimination met a zero or non-finite pivot at row i (1-based,
 * the first in row order); that system's B then holds no solution; every other system is solved and untouched by it.
 * - Constraints: n, nrhs, batch >= 0; ldt, ldb as types.h says. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 * EXECUTION_FAILED.
 * - Stability: no pivoting. Backward stable if each system is diagonally dominant by rows or columns, or symmetric
 *   positive definite; elsewhere check info and the residual. The pivots are those of this elimination order, not
 * LAPACK's.
 * - Workspace: on CUDA 0 where a system fits one block (n to 2048 at least, FLAT; to 256 otherwise), otherwise about 1
 * % of B; on the host a few rows of every thread's tile, the largest for batches: up to 3 n elements for each of the
 * systems (at most 512) that a thread works on at once.
 * - Asynchronous on CUDA, capturable, bitwise reproducible. Since 0.1.0. */
xbatchStatus_t xgtsvPscheme(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                            int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt,
                            void *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPscheme for float. */
xbatchStatus_t sgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPscheme for double. */
xbatchStatus_t dgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPscheme for complex float. */
xbatchStatus_t cgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                            const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPscheme for complex double. */
xbatchStatus_t zgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                            const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvPscheme needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                       int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvPscheme_bufferSize for float. */
xbatchStatus_t sgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvPscheme_bufferSize for double. */
xbatchStatus_t dgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvPscheme_bufferSize for complex float. */
xbatchStatus_t cgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvPscheme_bufferSize for complex double. */
xbatchStatus_t zgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** Solve the systems of xgtsvPscheme by sequential elimination, one thread a system and right-hand side (Thomas): the
 * baseline, and the same arguments, status and info; the pivots are those of Gaussian elimination without interchanges,
 * u_0 = d_0, u_i = d_i - dl_i du_{i-1} / u_{i-1}.
 *
 * - Stability: as xgtsvPscheme.
 * - Workspace: on CUDA 0 for systems that fit one multiprocessor's shared memory in thirty-twos, otherwise the size of
 * B; on the host one row of quotients a thread.
 * - Asynchronous on CUDA, capturable, bitwise reproducible. Since 0.1.0. */
xbatchStatus_t xgtsvThomas(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                           int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvThomas for float. */
xbatchStatus_t sgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvThomas for double. */
xbatchStatus_t dgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvThomas for complex float. */
xbatchStatus_t cgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvThomas for complex double. */
xbatchStatus_t zgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvThomas needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvThomas_bufferSize for float. */
xbatchStatus_t sgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtsvThomas_bufferSize for double. */
xbatchStatus_t dgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtsvThomas_bufferSize for complex float. */
xbatchStatus_t cgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes);

/** xgtsvThomas_bufferSize for complex double. */
xbatchStatus_t zgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
