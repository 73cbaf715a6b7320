/** @file tridiagonal_shifted.h
 * Tridiagonal systems T + sigma_j W whose matrices differ by a shift alone, solved with pivoting.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_TRIDIAGONAL_SHIFTED_H
#define XBATCH_TRIDIAGONAL_SHIFTED_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What replaces the last equation of a singular system T + sigma_j W whose solutions differ by a constant. */
typedef enum {
    XBATCH_PIN_NONE = 0,       /**< nothing */
    XBATCH_PIN_ZERO_SHIFT = 1, /**< where sigma_j is 0, x_{n-1} = 0 takes the place of the last equation */
    XBATCH_PIN_FORCE_INT32 = INT32_MIN
} xbatchPin_t;

/** Solve (T + sigma_j W) x = b for each system j and right-hand side r, with pivoting: dl_i x_{i-1} + (d_i + sigma_j
 * w_i) x_i + du_i x_{i+1} = b_i, i = 0 … n-1. T and the diagonal W are shared by all systems. So 16 bytes a row of
 * double are read and written where xgtsvBatch with a matrix for each system needs 40. A pressure solver has this form
 * after Fourier transforms in the other directions: T is the vertical operator, sigma_j the eigenvalue of wave number
 * j.
 *
 * - dl, d, du [n] in: T, contiguous. dl[0] and du[n-1] are never used.
 * - w [n] in, may be NULL: the diagonal of W; NULL: the identity.
 * - sigma [batch] in: the shifts, in complex types complex numbers.
 * - pin: NONE, or ZERO_SHIFT for singular systems, see below.
 * - B  [n*nrhs per system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb.
 * - info [batch] out, may be NULL: as xgtsvBatch, for the matrix whose diagonal is d_i + sigma_j w_i with one or two
 *   roundings.
 * - Constraints: n, nrhs, batch >= 0; ldb as in types.h. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Method: that of xgtsvBatch, except on CUDA for n <= 2048 (double and complex float), 4096 (float) or 1024 (complex
 *   double). Of these, systems of n <= 280 (double), 340 (float) or 208 (complex types) are eliminated from both ends
 *   at once, with pivoting; info is the smaller of the rows found from either end. Rows are scaled only if the largest
 *   coefficients of any row of T are far from 1. Longer systems are solved without pivoting where each row has
 *   |d_i + sigma_j w_i| >= |dl_i| + |du_i| and the pivots are good; in real types only if sigma_j is at most the least,
 *   or at least the largest, of all shifts for which any row has not; in complex types by bounds of these moduli.
 *   Otherwise they are eliminated from both ends or as by xgtsvBatch. The method depends on n, the layout, T and W, and
 *   the system alone; where it is that of xgtsvBatch, the division of rows among threads depends on the shape, too.
 * - Stability: ||Ax - b|| <= 32 eps (||A|| ||x|| + ||b||) wherever info is 0: observed in all tests, not proved. A is
 *   T + sigma_j W in its rounded entries. Their rounding is at most eps (|d_i| + 2 |sigma_j w_i|), in complex types a
 *   few times that.
 * - Singular members, as sigma_j = 0 where the rows of T sum to zero (Neumann conditions at both ends): info is above
 *   0 only if a pivot is computed as zero or too small. That is not certain: T itself is rounded, and so are pivots,
 *   and the last pivot may be as large as a rounding error. Then info is 0, and x is a solution plus a multiple, often
 *   a huge one, of the vector that A maps to zero. So info alone does not find singular members. Use pin for them.
 * - pin = ZERO_SHIFT: in each system with sigma_j equal to 0 (also -0) the last equation is replaced by x_{n-1} = 0.
 *   T's last row and the last entries of b are not used, and the last unknown is 0. The other n-1 equations hold. If A
 *   is singular and no off-diagonal entry is 0, they have exactly one solution. It also solves the last equation if the
 *   right-hand side is compatible: y^T b = 0, where y^T A = 0. Otherwise the residual of the last equation is y^T b /
 *   y_{n-1}, the sum of b for equally spaced Neumann conditions. Any multiple of the vector that A maps to zero may be
 *   added, for Neumann conditions any constant, such as one that makes the mean 0. info is 0 for a system that is
 *   pinned and solved. Systems whose shift is small but not 0 are not pinned: set sigma_j to 0 where rounding errors
 *   have made it nonzero. Use NONE where T alone is nonsingular, as with a Dirichlet condition.
 * - Workspace: on CUDA 150 KB and 6 bytes for each right-hand side up to those n; beyond them 3 n elements for each
 *   system, where the matrices are written out, and what xgtsvBatch needs. On the host as xgtsvBatch.
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for any number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvShiftedBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                 int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du,
                                 const void *w, const void *sigma, xbatchPin_t pin, void *B, int64_t ldb, int32_t *info,
                                 void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvShiftedBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE,
 * NOT_SUPPORTED. */
xbatchStatus_t xgtsvShiftedBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                            int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* The typed forms of xgtsvShiftedBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

/** xgtsvShiftedBatch for float. */
xbatchStatus_t sgtsvShiftedBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                 const float *dl, const float *d, const float *du, const float *w, const float *sigma,
                                 xbatchPin_t pin, float *B, int64_t ldb, int32_t *info, void *workspace,
                                 size_t workspaceBytes);

/** xgtsvShiftedBatch for double. */
xbatchStatus_t dgtsvShiftedBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                 const double *dl, const double *d, const double *du, const double *w,
                                 const double *sigma, xbatchPin_t pin, double *B, int64_t ldb, int32_t *info,
                                 void *workspace, size_t workspaceBytes);

/** xgtsvShiftedBatch for complex float. */
xbatchStatus_t cgtsvShiftedBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                 const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                                 const xbatchComplexFloat_t *du, const xbatchComplexFloat_t *w,
                                 const xbatchComplexFloat_t *sigma, xbatchPin_t pin, xbatchComplexFloat_t *B,
                                 int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedBatch for complex double. */
xbatchStatus_t zgtsvShiftedBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                 const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                                 const xbatchComplexDouble_t *du, const xbatchComplexDouble_t *w,
                                 const xbatchComplexDouble_t *sigma, xbatchPin_t pin, xbatchComplexDouble_t *B,
                                 int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedBatch_bufferSize for float. */
xbatchStatus_t sgtsvShiftedBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                            int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedBatch_bufferSize for double. */
xbatchStatus_t dgtsvShiftedBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                            int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedBatch_bufferSize for complex float. */
xbatchStatus_t cgtsvShiftedBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                            int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedBatch_bufferSize for complex double. */
xbatchStatus_t zgtsvShiftedBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                            int64_t batch, size_t *workspaceBytes);

/* End of the typed forms of xgtsvShiftedBatch. */

/** Solve periodic systems (T + sigma_j W) x = b, where x_{-1} = x_{n-1} and x_n = x_0: dl[0] is the corner entry T(1,
 * n) and du[n-1] is T(n, 1). The arguments are those of xgtsvShiftedBatch, the cases n = 1 and n = 2 those of
 * xgtsvPeriodicBatch.
 *
 * - Every entry of dl, d and du is used, except the last row in pinned systems.
 * - Method: that of xgtsvPeriodicBatch; on CUDA, up to the n of xgtsvShiftedBatch, without pivoting where systems are
 *   dominant, as there.
 * - info, constraints, status, stability, pin: as xgtsvShiftedBatch. With sigma_j = 0, Poisson's matrix on a ring is
 *   singular, and info does not reliably show it: pin it. After pinning the system is nonsingular if all dl_i and du_i
 *   have the same sign and the rows sum to zero. For other matrices that is not certain.
 * - Workspace: on CUDA as xgtsvShiftedBatch, on the host as xgtsvPeriodicBatch.
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for any number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvShiftedPeriodicBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                         int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du,
                                         const void *w, const void *sigma, xbatchPin_t pin, void *B, int64_t ldb,
                                         int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvShiftedPeriodicBatch needs for this shape. Status: as xgtsvShiftedBatch_bufferSize. */
xbatchStatus_t xgtsvShiftedPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                                    int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* The typed forms of xgtsvShiftedPeriodicBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit.
 * */

/** xgtsvShiftedPeriodicBatch for float. */
xbatchStatus_t sgtsvShiftedPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                         int64_t batch, const float *dl, const float *d, const float *du,
                                         const float *w, const float *sigma, xbatchPin_t pin, float *B, int64_t ldb,
                                         int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedPeriodicBatch for double. */
xbatchStatus_t dgtsvShiftedPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                         int64_t batch, const double *dl, const double *d, const double *du,
                                         const double *w, const double *sigma, xbatchPin_t pin, double *B, int64_t ldb,
                                         int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedPeriodicBatch for complex float. */
xbatchStatus_t cgtsvShiftedPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                         int64_t batch, const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                                         const xbatchComplexFloat_t *du, const xbatchComplexFloat_t *w,
                                         const xbatchComplexFloat_t *sigma, xbatchPin_t pin, xbatchComplexFloat_t *B,
                                         int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedPeriodicBatch for complex double. */
xbatchStatus_t zgtsvShiftedPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                         int64_t batch, const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                                         const xbatchComplexDouble_t *du, const xbatchComplexDouble_t *w,
                                         const xbatchComplexDouble_t *sigma, xbatchPin_t pin, xbatchComplexDouble_t *B,
                                         int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvShiftedPeriodicBatch_bufferSize for float. */
xbatchStatus_t sgtsvShiftedPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n,
                                                    int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedPeriodicBatch_bufferSize for double. */
xbatchStatus_t dgtsvShiftedPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n,
                                                    int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedPeriodicBatch_bufferSize for complex float. */
xbatchStatus_t cgtsvShiftedPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n,
                                                    int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvShiftedPeriodicBatch_bufferSize for complex double. */
xbatchStatus_t zgtsvShiftedPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n,
                                                    int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* End of the typed forms of xgtsvShiftedPeriodicBatch. */

#ifdef __cplusplus
}
#endif

#endif
