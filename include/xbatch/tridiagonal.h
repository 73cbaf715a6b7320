/** @file tridiagonal.h
 * Tridiagonal systems, one giant or a batch of any size: without pivoting, and with it.
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
 * On CUDA a long system is read twice, unless it lies FLAT, the rows of all systems together are 2^19 or more, and its
 * couplings decay: then the unknowns at both ends of every tile of about two thousand rows are found from the 32 or 128
 * rows on each side of the tile's end, and the rows are read once. A system qualifies, judged on the device by its
 * matrix alone, if in all those windows |dl_i| + |du_i| <= 15/16 |d_i|, and the unknowns beyond the windows have
 * coefficients of eps (half the machine epsilon) at most in those found, normalised to 1. What is left out is then at
 * most 2 eps max |x|, and the normwise backward error grows by a few eps. Any other system is read twice.
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
 * - info [batch] out, may be NULL: as types.h says; of bad pivots the first in row order, as far as this elimination
 *   finds it: where rows are joined, that of a chunk's end.
 * - Constraints: n, nrhs, batch >= 0; ldt, ldb as types.h says. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Stability: no pivoting. Backward stable if each system is diagonally dominant by rows or columns, or symmetric
 *   positive definite; elsewhere check info and the residual. The pivots are those of this elimination order, not
 *   LAPACK's.
 * - Workspace: on CUDA 0 where a system fits a block or a cluster (in double n to 17408, FLAT, and to 2048 otherwise,
 *   on devices that have clusters; to 4096 and 512 on others), otherwise less than 1 % of B, FLAT, and 5 % in the
 *   other layouts; on the host a few rows of every thread's tile, the largest for batches: up to 3 n elements for each
 *   of the systems (at most 512) that a thread works on at once.
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
 *   B; on the host one row of quotients a thread.
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

/** Solve the systems of xgtsvPscheme by odd-even (cyclic) reduction. Level k has one equation left of every 2^k: those
 * of rows i = 2^k - 1, 2*2^k - 1, 3*2^k - 1, …, counted from 0. The first, third, fifth, … of them, solved for
 *   x_i = y_i - a_i x_{i-2^k} - c_i x_{i+2^k},
 * are eliminated from the others, which make level k+1. When a single equation is left the unknowns follow, from the
 * last level to the first. On CUDA parallel cyclic reduction takes over where halving would leave threads idle, and
 * long systems whose couplings decay are read once, as xgtsvPscheme tells. The same arguments, status and info as
 * xgtsvPscheme.
 *
 * Source: C. Lin and L. Chen Wu, "Parallelization of an Odd-Even Solver Using CUDA", after C. L. Cox and J. A. Knisely,
 * "A Tridiagonal System Solver for Distributed Memory Parallel Processors with Vector Nodes", J. Parallel and
 * Distributed Computing 13 (1991). The paper's own sequential results are off by 2e-3; here every entry of its example
 * agrees with LAPACK's dgtsv to 2e-15.
 *
 * - info [batch] out, may be NULL: as types.h says; of the bad pivots of all levels the first in row order.
 * - Stability: as xgtsvPscheme; it is Gaussian elimination without pivoting of the reordered rows, whose pivots are
 *   safe for diagonally dominant and for symmetric positive definite systems.
 * - Workspace: on CUDA 0 where a system fits a block or a cluster (in double n to 16384, FLAT, and to 2048 otherwise,
 *   on devices that have clusters; to 4096 and 512 on others), otherwise about 1 % of B, FLAT, and 5 % in the other
 *   layouts; on the host up to 3 n elements for each of the systems (at most 512) that a thread works on at once.
 * - Asynchronous on CUDA, capturable, bitwise reproducible; on the host for every number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvOddEven(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                            int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt,
                            void *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvOddEven for float. */
xbatchStatus_t sgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvOddEven for double. */
xbatchStatus_t dgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvOddEven for complex float. */
xbatchStatus_t cgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                            const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvOddEven for complex double. */
xbatchStatus_t zgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                            const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvOddEven needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                       int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvOddEven_bufferSize for float. */
xbatchStatus_t sgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvOddEven_bufferSize for double. */
xbatchStatus_t dgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvOddEven_bufferSize for complex float. */
xbatchStatus_t cgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** xgtsvOddEven_bufferSize for complex double. */
xbatchStatus_t zgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes);

/** Solve the systems of xgtsvPscheme with LAPACK's accuracy for nonsingular matrices of any kind, by pivoting: the
 * routine to take unless the matrices are known to need none.
 *
 * Each row is first scaled, in effect, by a power of two that makes its largest coefficient about 1, so that the rows'
 * units neither spoil the choice of pivots nor overflow. Then it is Gaussian elimination with pivoting. Where a system
 * is cut into chunks, rows L to R of it leave two equations in the unknowns at their ends,
 *     l0 x_{L-1} + l1 x_L + r0 x_R + r1 x_{R+1} = g,
 * and neighbouring chunks are joined by partial pivoting in the four equations that they leave. The inside of a chunk
 * may be singular. Within a chunk a candidate p for the pivot is compared by |p| / sqrt(m), m >= 1 being how many times
 * larger than at first the coefficients of x_{L-1} and x_L in its row have become: those columns come last, so that
 * partial pivoting alone would let them grow exponentially with the rows of a chunk. docs/pivoting.md has the analysis.
 * On CUDA long systems whose rows are dominant near the ends of tiles, and whose couplings decay there, are read once,
 * under the conditions of xgtsvPscheme; inside a tile rows are eliminated with pivoting again.
 *
 * - dl, d, du [n a system] in, in `layout` with leading dimension ldt; ldt = 0: one set shared by all systems.
 *   dl(0, j) and du(n-1, j) are never used.
 * - B  [n*nrhs a system] in: right-hand sides, out: solutions, in `layout` with nrhs, leading dimension ldb.
 * - info [batch] out, may be NULL: as types.h says. 1 <= i <= n: the pivot for unknown i (1-based), in rows scaled as
 *   above, is not finite or below the smallest normal number, as with a zero row, a zero column, or a zero diagonal and
 *   n odd; which unknown is eliminated when depends on the chunks.
 * - Constraints: n, nrhs, batch >= 0; ldt, ldb as types.h says. No argument may overlap another.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - Stability: ||Ax - b|| <= 32 eps (||A|| ||x|| + ||b||) in the infinity norm wherever info is 0: observed in all
 *   tests, not proved. Rows scaled by powers of two, with their right-hand sides, give the same bits on the host. Units
 *   of the unknowns that differ by large factors do not matter.
 * - Singular matrices: info is in 1 … n only where A, each row divided by its largest coefficient, is singular to
 *   working precision: ||A^-1|| > 1 / (100 n eps), eps being the unit roundoff. xgtconBatch estimates that norm. For
 *   such a matrix info may also be 0 and the solution large, as with LAPACK. LAPACK returns a solution with a small
 *   residual for some matrices that are given up here: those for which ||A^-1|| is beyond the reciprocal of the
 *   smallest normal number, 2^126 or 2^1022, such as one in seventy random systems in single precision of 1022 rows
 *   with a zero diagonal, or a 3 by 3 matrix whose columns are scaled by 1e290 and 1e-290.
 * - Workspace: on CUDA 0 where a system fits a block or a cluster (in double n to 16384, FLAT, on devices that have
 *   clusters), otherwise about 1 % of B, FLAT, and 10 % in the other layouts; on the host three elements for each row
 *   of the systems that a thread works on at once, 16 of them in double or more where they lie side by side; where
 *   systems are long or few, for at most 120 rows of each, and 28 elements a chunk.
 * - Asynchronous on CUDA, capturable, bitwise reproducible, on the host for any number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                          int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvBatch for float. */
xbatchStatus_t sgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvBatch for double. */
xbatchStatus_t dgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvBatch for complex float. */
xbatchStatus_t cgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d, const xbatchComplexFloat_t *du,
                          int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace,
                          size_t workspaceBytes);

/** xgtsvBatch for complex double. */
xbatchStatus_t zgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                          const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                     int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvBatch_bufferSize for float. */
xbatchStatus_t sgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xgtsvBatch_bufferSize for double. */
xbatchStatus_t dgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xgtsvBatch_bufferSize for complex float. */
xbatchStatus_t cgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** xgtsvBatch_bufferSize for complex double. */
xbatchStatus_t zgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes);

/** Solve periodic systems, dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i with x_{-1} = x_{n-1} and x_n = x_0, by
 * pivoting: dl(0, j) is the corner entry A(1, n) and du(n-1, j) is A(n, 1).
 *
 * The whole system becomes the two equations that xgtsvBatch has for a chunk, the ends are joined and the 2 by 2 system
 * in (x_0, x_{n-1}) is solved with pivoting; no matrix without its corners is ever solved, which may be singular where
 * the periodic one is not.
 *
 * - n = 1: A = dl + d + du. n = 2: both neighbours of an unknown are the other one, A(1, 2) = du_0 + dl_0 and
 *   A(2, 1) = dl_1 + du_1.
 * - dl, d, du, B, info, constraints, status, stability: as xgtsvBatch, but that every entry is used. The elimination
 *   order is another one; a singular matrix gives 1 <= info <= n where the last pivots come out as zero, as for a zero
 *   row or column, or d = 0, dl = du = 1 with n a multiple of 4. Where they are zero but for rounding, as for d = 2
 *   and dl = du = -1, info may be 0 and the solution large.
 * - Workspace: on CUDA as xgtsvBatch: 0 where a system fits a block or a cluster, otherwise about 1 % of B, FLAT, and
 *   10 % in the other layouts; on the host as xgtsvBatch for long systems.
 * - Asynchronous on CUDA, capturable, bitwise reproducible, on the host for any number of threads. Since 0.1.0. */
xbatchStatus_t xgtsvPeriodicBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                  int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du,
                                  int64_t ldt, void *B, int64_t ldb, int32_t *info, void *workspace,
                                  size_t workspaceBytes);

/** xgtsvPeriodicBatch for float. */
xbatchStatus_t sgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicBatch for double. */
xbatchStatus_t dgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const double *dl, const double *d, const double *du, int64_t ldt, double *B,
                                  int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicBatch for complex float. */
xbatchStatus_t cgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                                  const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicBatch for complex double. */
xbatchStatus_t zgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                                  const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvPeriodicBatch needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                             int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xgtsvPeriodicBatch_bufferSize for float. */
xbatchStatus_t sgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes);

/** xgtsvPeriodicBatch_bufferSize for double. */
xbatchStatus_t dgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes);

/** xgtsvPeriodicBatch_bufferSize for complex float. */
xbatchStatus_t cgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes);

/** xgtsvPeriodicBatch_bufferSize for complex double. */
xbatchStatus_t zgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
