/** @file distributed_hines.h
 * Hines systems on one tree, or forest, whose nodes are distributed over the ranks of a communicator: distributed.h has
 * the rules for errors, hines.h the matrix. Only the host backend has them. Cells that are small enough for one rank
 * are better shared out whole: xbatchCommSplitWeights.
 *
 * **Method.** The tree is cut into chunks, which are ranges of node numbers. All nodes are eliminated except ports:
 * those that have children in later chunks or, so that all others have at most one port below them in their chunk,
 * ports below two children. The equations of the ports are exchanged, their tree is solved, and each rank solves its
 * chunks, whose ends are then known.
 *
 * **Numbering.** A chunk sends about as many numbers as nodes have children on both sides of its ends. Depth first,
 * with the largest subtree last, these are at most log2(n), whatever the tree: xhinesOrder with
 * XBATCH_HINES_LARGEST_LAST. With other numberings, such as by levels, they may be a large part of the tree; results
 * are right all the same.
 *
 * Source: Hines, Eichner, Schürmann: Neuron splitting in compute-bound parallel network simulations enables runtime
 * scaling with twice as many processors, Journal of Computational Neuroscience 25 (2008).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_DISTRIBUTED_HINES_H
#define XBATCH_DISTRIBUTED_HINES_H

#include "distributed.h"
#include "hines.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Create a plan for xhinesMp: systems on one tree. xbatchMpGetOffsets and xbatchMpDestroyPlan serve it too.
 *
 * - type, layout, n, nrhs, batch: of the systems; n, nrhs, batch >= 0, n <= 2^31 - 1; n*nrhs*batch elements must have
 *   less than 2^63 bytes.
 * - parent [n] in, host memory, copied: of all nodes of the tree, as in xhinesCreatePlan: indexBase <= parent[i] < i +
 *   indexBase, except of roots. indexBase 0 or 1. treeFlags: XBATCH_HINES_TREE or XBATCH_HINES_FOREST.
 * - offsets [size+1] in, may be NULL, copied: rank p has nodes offsets[p] … offsets[p+1]-1. Ascending, offsets[0] = 0,
 *   offsets[size] = n; equal consecutive ones make an empty share. NULL: the same number of chunks for each rank. Cuts
 *   that are not on chunks are refused without XBATCH_MP_ANY_CUT; the message names the nearest chunk.
 * - Chunks: as many as in xgtsvMp. A chunk begins at the even cut or, at most n/(8K) away from it, where fewer nodes
 *   have children on both sides. They depend on the tree only, so the solutions have the same bits for any number of
 *   ranks. With XBATCH_MP_ANY_CUT chunks also end at the offsets, on which bits then depend.
 * - flags: a sum of xbatchMpFlags_t. All arguments must be the same on all ranks.
 * - plan out: set on success, NULL otherwise.
 * - Memory: for each node of the rank 12 bytes, and the messages; while it is made 20 bytes for each node of the tree.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (the message names the first bad node; also where ranks differ),
 *   NOT_SUPPORTED (CUDA backend), COMM_FAILED, ALLOC_FAILED. Collective. Since 0.1.0. */
xbatchStatus_t xhinesMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                  const int32_t *parent, int indexBase, xbatchHinesFlags_t treeFlags, int64_t nrhs,
                                  int64_t batch, const int64_t *offsets, int flags, xbatchMpPlan_t *plan);

/** Solve op(A_j) x = b of a plan's tree for each system j and right-hand side r, without pivoting.
 *
 * - op: N, T or C; the same on all ranks.
 * - u, l in, both with ldul: of this rank's m = offsets[p+1] - offsets[p] nodes, in the plan's layout with n = m; of
 *   roots they are never read. The same pointer for both means that A is symmetric. d in, with ldd. ldul = 0, ldd = 0:
 *   one set for all systems.
 * - B in: right-hand sides, out: solutions; with ldb.
 * - Constraints: FLAT ld >= m, INTERLEAVED ld >= batch, BLOCK_INTERLEAVED ld >= 1. u, l, d are never written. B may
 *   overlap none of them. Arrays may be NULL on a rank without nodes.
 * - info [batch] out, may be NULL: i <= n: the last node, counted from 1, whose pivot is bad, a port only if none of
 * the others is: the same on all ranks. n + 1: an unknown of this rank is not finite. Otherwise 0. No system affects
 *   another.
 * - Stability: no pivoting; for matrices that are diagonally dominant by rows or columns as xhinesBatch, except that a
 *   row's error is relative to the unknowns of its ports. A matrix that is not dominant may have a bad pivot here and
 *   none in xhinesBatch.
 * - Messages of a rank, for e bytes an element, c entries of the rank and C of all: a chunk has an entry for each port
 *   in it, and one for each port of an earlier chunk with children in it. To the rank that solves the ports of k
 *   systems 8 + k*c*(3+nrhs)*e bytes, from it 8 + k*max(c,1)*max(nrhs*e, 16), with all-to-all; with allgather 8 +
 *   batch*c*(3+nrhs)*e to each. Each message is rounded up to a multiple of 8 bytes.
 * - Workspace: xhinesMp_bufferSize; for each thread rows of a chunk, and the equations of all ports.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, COMM_FAILED. After a failure B and info are
 *   as before. With a plan of xgtsvMpCreatePlan it returns INVALID_VALUE without a message to other ranks.
 * - Synchronous. Bitwise reproducible, for any number of threads and, on chunks, of ranks. Collective. Since 0.1.0. */
xbatchStatus_t xhinesMp(xbatchMpPlan_t plan, xbatchOperation_t op, const void *u, const void *l, int64_t ldul,
                        const void *d, int64_t ldd, void *B, int64_t ldb, int32_t *info, void *workspace,
                        size_t workspaceBytes);

/** xhinesMp for a plan of float. */
xbatchStatus_t shinesMp(xbatchMpPlan_t plan, xbatchOperation_t op, const float *u, const float *l, int64_t ldul,
                        const float *d, int64_t ldd, float *B, int64_t ldb, int32_t *info, void *workspace,
                        size_t workspaceBytes);

/** xhinesMp for a plan of double. */
xbatchStatus_t dhinesMp(xbatchMpPlan_t plan, xbatchOperation_t op, const double *u, const double *l, int64_t ldul,
                        const double *d, int64_t ldd, double *B, int64_t ldb, int32_t *info, void *workspace,
                        size_t workspaceBytes);

/** xhinesMp for a plan of complex float. */
xbatchStatus_t chinesMp(xbatchMpPlan_t plan, xbatchOperation_t op, const xbatchComplexFloat_t *u,
                        const xbatchComplexFloat_t *l, int64_t ldul, const xbatchComplexFloat_t *d, int64_t ldd,
                        xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xhinesMp for a plan of complex double. */
xbatchStatus_t zhinesMp(xbatchMpPlan_t plan, xbatchOperation_t op, const xbatchComplexDouble_t *u,
                        const xbatchComplexDouble_t *l, int64_t ldul, const xbatchComplexDouble_t *d, int64_t ldd,
                        xbatchComplexDouble_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xhinesMp needs on this rank. Communicates nothing. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xhinesMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
