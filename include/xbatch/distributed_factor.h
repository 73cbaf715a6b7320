/** @file distributed_factor.h
 * Factors of tridiagonal matrices whose rows are distributed over ranks, for any number of solves. Shares, chunks, bits
 * and errors are those of distributed.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_DISTRIBUTED_FACTOR_H
#define XBATCH_DISTRIBUTED_FACTOR_H

#include "distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factor the matrices of xgtsvMp for any number of solves by xgttrsMp, by Gaussian elimination with pivoting.
 *
 * - sets: the number of matrices: batch, or 1 for one matrix that all systems share. The same on all ranks.
 * - dl, d, du [m per matrix] in, m the rows of the share, in the plan's layout with leading dimension ldt; not needed
 *   after the call. sets = 1: ldt = 0, and the m entries are contiguous; for a batch of 1 also as in types.h. dl of row
 *   0 and du of row n-1 of the whole system are never used.
 * - factors [factorBytes of xgttrfMp_bufferSize] out, of this rank, aligned to 16: the rows of A and of its transpose,
 *   3*m elements a matrix, 5*m in the layout FLAT and for sets = 1, and on the host 8 elements for each pair of
 *   equations of each system that this rank solves: see the messages of xgtsvMp. They may be copied as bytes, for plans
 *   with the same arguments, ranks and library. Undefined unless the call returns SUCCESS on all ranks.
 * - info [batch] out, may be NULL: 0, or i > 0, the same on all ranks: the first bad pivot of this elimination, as in
 *   xgtsvMp. The matrix cannot be solved then; all others are factored.
 * - Constraints: sets = 1 or batch; ldt = 0 where sets = 1 < batch, otherwise as in types.h for m rows. A rank with m =
 *   0 may pass NULL for dl, d and du. No argument may overlap another.
 * - Messages: those of xgtsvMp with one right-hand side; on CUDA as long as with the plan's nrhs. Before these, P-1
 *   messages of 8 bytes, of which those to the ranks with the rows next to the share have batch*e bytes more.
 * - Workspace and time: as the first half of xgtsvMp with one right-hand side, and a copy of the rows.
 * - Status: as xgtsvMp. Synchronous on the host; on CUDA it waits for its messages, and is refused with NOT_SUPPORTED
 *   during capture. Bitwise reproducible. Collective. Since 0.1.0. */
xbatchStatus_t xgttrfMp(xbatchMpPlan_t plan, int64_t sets, const void *dl, const void *d, const void *du, int64_t ldt,
                        void *factors, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfMp for a plan of float. */
xbatchStatus_t sgttrfMp(xbatchMpPlan_t plan, int64_t sets, const float *dl, const float *d, const float *du,
                        int64_t ldt, void *factors, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfMp for a plan of double. */
xbatchStatus_t dgttrfMp(xbatchMpPlan_t plan, int64_t sets, const double *dl, const double *d, const double *du,
                        int64_t ldt, void *factors, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfMp for a plan of complex float. */
xbatchStatus_t cgttrfMp(xbatchMpPlan_t plan, int64_t sets, const xbatchComplexFloat_t *dl,
                        const xbatchComplexFloat_t *d, const xbatchComplexFloat_t *du, int64_t ldt, void *factors,
                        int32_t *info, void *workspace, size_t workspaceBytes);

/** xgttrfMp for a plan of complex double. */
xbatchStatus_t zgttrfMp(xbatchMpPlan_t plan, int64_t sets, const xbatchComplexDouble_t *dl,
                        const xbatchComplexDouble_t *d, const xbatchComplexDouble_t *du, int64_t ldt, void *factors,
                        int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of factors and of workspace that xgttrfMp needs on this rank. Communicates nothing. Status: SUCCESS,
 * INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xgttrfMp_bufferSize(xbatchMpPlan_t plan, int64_t sets, size_t *factorBytes, size_t *workspaceBytes);

/** Solve op(A) X = B for each system with the factors of xgttrfMp, op(A) = A, A^T or A^H. Solutions with A have the
 * bits of xgtsvMp; on CUDA, for a batch of 1 that is not FLAT, those of ldt = 1.
 *
 * - op: XBATCH_OP_N, XBATCH_OP_T or XBATCH_OP_C; whether it is the first one must be the same on all ranks, else
 *   COMM_FAILED.
 * - sets, factors in: those of xgttrfMp on this rank. The host refuses factors of other plans. CUDA cannot check them;
 *   the result of others is undefined.
 * - B [m*nrhs per system] in: right-hand sides, out: solutions, in the plan's layout with leading dimension ldb. Where
 *   the matrix had info > 0, B holds NaN.
 * - Constraints: ldb as in types.h for m rows. A rank with m = 0 may pass NULL for B. No argument may overlap another.
 * - Stability: as xgtsvMp.
 * - The rows of a share are eliminated again, for each right-hand side: to load their factors would take as long as to
 *   load the rows. On the host, with A, a rank sends the right-hand sides of its pairs only: 2*nrhs*e bytes in place of
 *   the (8+2*nrhs)*e of xgtsvMp. Otherwise messages are those of xgtsvMp.
 * - Workspace: xgttrsMp_bufferSize, as xgtsvMp.
 * - Status: as xgtsvMp. After COMM_FAILED B is as before. Synchronous, on CUDA as described in distributed.h. Bitwise
 *   reproducible, for any number of threads and, on chunks, of ranks. Collective. Since 0.1.0. */
xbatchStatus_t xgttrsMp(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors, void *B,
                        int64_t ldb, void *workspace, size_t workspaceBytes);

/** xgttrsMp for a plan of float. */
xbatchStatus_t sgttrsMp(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors, float *B,
                        int64_t ldb, void *workspace, size_t workspaceBytes);

/** xgttrsMp for a plan of double. */
xbatchStatus_t dgttrsMp(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors, double *B,
                        int64_t ldb, void *workspace, size_t workspaceBytes);

/** xgttrsMp for a plan of complex float. */
xbatchStatus_t cgttrsMp(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors,
                        xbatchComplexFloat_t *B, int64_t ldb, void *workspace, size_t workspaceBytes);

/** xgttrsMp for a plan of complex double. */
xbatchStatus_t zgttrsMp(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors,
                        xbatchComplexDouble_t *B, int64_t ldb, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgttrsMp needs on this rank. Communicates nothing. Status as xgttrfMp_bufferSize. Since
 * 0.1.0. */
xbatchStatus_t xgttrsMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
