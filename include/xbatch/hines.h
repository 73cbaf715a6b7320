/** @file hines.h
 * Hines systems: tree-structured matrices, as from the cable equation on branched neurons.
 *
 * **The matrix.** Node i of a tree of n nodes has the parent p(i) < i; node 0 is the root. A has the diagonal d_i and
 * two further entries for each node except roots: u_i = A(p(i), i) and l_i = A(i, p(i)). Row i of A x = b is d_i x_i +
 * l_i x_p(i) + sum over the children k of i of u_k x_k = b_i. u, l and parent of a root are never read. A chain, p(i) =
 * i-1, is a tridiagonal matrix with dl_i = l_i and du_{i-1} = u_i.
 *
 * **Units.** Any that make the rows consistent. In conductance form (d_i = C_i/dt + leak_i + sum of the conductances g
 * to the neighbours, u_i = l_i = -g_i) A maps volts to amperes; examples/neuron.c builds it.
 *
 * **Plans.** A plan holds the analysis of the trees for any number of solves. One plan serves all element types,
 * layouts and operations.
 *
 * Source: Valero-Lara, Martinez-Perez, Pena, Martorell, Sirvent, Labarta: cuHinesBatch, ICCS 2017. Its Algorithm 1 has
 * "=" for "-=" twice and runs to node 0; M. Hines, Int. J. Bio-Medical Computing 15 (1984) is correct.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_HINES_H
#define XBATCH_HINES_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: the trees of a batch and their elimination schedules. */
typedef struct xbatchHinesPlan *xbatchHinesPlan_t;

/** Allowed contents of parent arrays; flags are added. */
typedef enum {
    XBATCH_HINES_TREE = 0,   /**< one root, node 0, whose entry of parent is not read */
    XBATCH_HINES_FOREST = 1, /**< any number of roots: node 0, and where parent is -1, indexBase-1 or the node itself */
    XBATCH_HINES_LARGEST_LAST = 2, /**< of xhinesOrder only: of the children of a node, that with the most nodes below
                                      it is the last */
    XBATCH_HINES_FLAGS_FORCE_INT32 = INT32_MIN
} xbatchHinesFlags_t;

/** Algorithm of a plan on the CUDA backend; on the host all are AUTO. */
typedef enum {
    XBATCH_HINES_AUTO = 0,          /**< the fastest for the tree: its nodes, or subtrees condensed to a node each, are
                                         eliminated concurrently, on chip */
    XBATCH_HINES_THREAD = 1,        /**< one thread per system, as in the paper: its Flat, Full-Interleaved and
                                         Block-Interleaved kernels, according to the layout */
    XBATCH_HINES_THREAD_SHARED = 2, /**< the same with right-hand sides in shared memory: the paper's Block-Shared */
    XBATCH_HINES_FROM_TIPS = 3,     /**< as AUTO, but each node is eliminated after its children: a small componentwise
                                         error; slower for deep trees */
    XBATCH_HINES_ALGORITHM_FORCE_INT32 = INT32_MIN
} xbatchHinesAlgorithm_t;

/** Number the nodes of any tree so that each parent precedes its children: depth first, children in the order of their
 * old numbers.
 *
 * - n >= 0; parent [n] in, indexBase 0 or 1: the parent of each node. The parent of a root is -1, indexBase-1 or the
 *   root itself. There must be exactly one root, or at least one with XBATCH_HINES_FOREST.
 * - flags: a sum of xbatchHinesFlags_t. With XBATCH_HINES_LARGEST_LAST children follow in the order of the number of
 *   nodes below them, which xhinesMpCreatePlan prefers: then at most log2(n) nodes before any node have children after
 *   it.
 * - order [n] out: node k of the new numbering is node order[k] of the old one, both counted from indexBase.
 * - ordered [n] out, may be NULL: the parents in the new numbering, for xhinesCreatePlan; indexBase-1 for roots.
 * - All arrays are host memory on both backends, and none may overlap. Nothing is written on an error.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (the message names the node: parent out of range, a cycle, a second
 *   root, no root), ALLOC_FAILED. Synchronous. Since 0.1.0. */
xbatchStatus_t xhinesOrder(xbatchHandle_t handle, int64_t n, const int32_t *parent, int indexBase,
                           xbatchHinesFlags_t flags, int32_t *order, int32_t *ordered);

/** Analyse the trees of a batch.
 *
 * - morphologies >= 1: the number of different trees. offsets [morphologies + 1]: morphology m has n_m = offsets[m+1] -
 *   offsets[m] >= 1 nodes, with parents parent[offsets[m]] …. Its nodes are numbered from indexBase, 0 or 1.
 * - parent: indexBase <= parent[i] < i + indexBase; xhinesOrder computes such a numbering of any tree.
 * - morph [batch]: system j has morphology morph[j], counted from 0 for either indexBase. NULL: all systems have the
 *   same one. Then morphologies is 1, batch is not used, and each solve passes its own.
 * - plan out: set on success, NULL otherwise. Any handle of the same backend and device may use it, and several threads
 *   at once.
 * - All arrays are host memory on both backends; they are copied. On CUDA the call allocates device memory and waits
 *   for the copy to it: for each node of each morphology 100 to 240 bytes, 30 to 100 if there are more than 256
 *   morphologies, more for trees that are nearly chains; for each system 20 bytes if morph is given.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (the message names the morphology and its first bad node),
 *   NOT_SUPPORTED (more than 16777215 nodes in one morphology; on CUDA its subtrees count too, 7 per 100 nodes of a
 *   chain), ALLOC_FAILED, EXECUTION_FAILED. Since 0.1.0. */
xbatchStatus_t xhinesCreatePlan(xbatchHandle_t handle, int64_t morphologies, const int64_t *offsets,
                                const int32_t *parent, int indexBase, xbatchHinesFlags_t flags, int64_t batch,
                                const int32_t *morph, xbatchHinesPlan_t *plan);

/** Free a plan; NULL is allowed. No work that uses it may be queued or running. Status: SUCCESS, INVALID_VALUE if not a
 * plan. Since 0.1.0. */
xbatchStatus_t xhinesDestroyPlan(xbatchHinesPlan_t plan);

/** Choose the algorithm of a plan; the default is XBATCH_HINES_AUTO. Results of different algorithms differ in
 * rounding, and their workspace in size: query it again. With THREAD_SHARED a solve is NOT_SUPPORTED if its layout is
 * not BLOCK_INTERLEAVED or its blocks do not fit shared memory. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since
 * 0.1.0. */
xbatchStatus_t xhinesSetAlgorithm(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchHinesAlgorithm_t algorithm);

/** Return the index of the elements of a batch: element (i, j, r = 0) is at [first[j] + i*step[j]].
 *
 * Without morph the table of types.h applies. With morph no system is padded to the largest: morphology m has m_m
 * systems j_0 < j_1 < …, and k is the position of system j among them.
 * | layout | element (i, j, r) |
 * |---|---|
 * | FLAT | `nrhs*s_j + r*n_j + i`, s_j the nodes of all systems before j |
 * | INTERLEAVED | `nrhs*t_m + (r*n_m + i)*m_m + k`, t_m the nodes of all systems of the morphologies before m |
 * | BLOCK_INTERLEAVED | `nrhs*t_m + (((k/ld)*nrhs + r)*n_m + i)*ld + k%ld`, t_m the same, with full blocks |
 *
 * With morph ld matters only for BLOCK_INTERLEAVED; for other layouts any ld >= 1 gives the same result.
 * - batch: of the solve; that of the plan if the plan has morph. nrhs >= 1. ld as in xhinesBatch, not 0.
 * - first, step [batch] out; either may be NULL. extent out, may be NULL: the number of elements of the array.
 * - Host memory. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xhinesGetPlacement(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchLayout_t layout, int64_t nrhs,
                                  int64_t batch, int64_t ld, int64_t *first, int64_t *step, int64_t *extent);

/** Solve op(A_j) x = b for each system j and right-hand side r of a batch of Hines systems.
 *
 * - layout: index of elements, see xhinesGetPlacement. op: N, T or C; A^T is A with u and l exchanged.
 * - nrhs, batch >= 0; batch is that of the plan if the plan has morph.
 * - u, l in, both with ldul: one value per node. The same pointer for both means that A is symmetric (not Hermitian);
 *   the array is then read once. ldul = 0: one set per morphology, shared by its systems: node i of morphology m is at
 *   [offsets[m] - offsets[0] + i].
 * - d in, with ldd: the diagonal. ldd = 0: shared in the same way.
 * - B in: right-hand sides, out: solutions; with ldb.
 * - Constraints without morph, for n nodes: FLAT ld >= n, INTERLEAVED ld >= batch, BLOCK_INTERLEAVED ld >= 1; with
 *   morph ld >= 1. u, l, d are never written. B may overlap none of them.
 * - info [batch] out, may be NULL: see types.h, n being the number of nodes of the system's tree; the bad pivot of the
 *   last node, the first in elimination order from the tips.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, EXECUTION_FAILED.
 * - Method: elimination from the tips. On CUDA with FROM_TIPS a warp solves several systems together; its lanes
 *   eliminate different nodes at a time, deepest first. With AUTO it is so for trees with many branches of up to 3072
 *   nodes. Deeper ones are cut into subtrees of up to 16 nodes. Each is condensed to one of its nodes, concurrently:
 *   that to which all others below it are attached, as chunks of rows in the P-scheme. The tree of these nodes is cut
 *   likewise until no node is left, so that the steps grow as the logarithm of the depth. Trees of more than 3072
 *   nodes, deep ones of more than 2000, are cut into pieces of 256 nodes with consecutive numbers, whose subtrees are
 *   condensed by different blocks; the tree of what is left is solved as others are. The nodes should be numbered
 *   depth first, as by xhinesOrder: if more than a sixth would be left, AUTO is FROM_TIPS. The choice depends on the
 *   tree alone. Intermediate results for the substitution remain on chip, except of trees in pieces and, with
 *   FROM_TIPS, of more than 3072 nodes. With FROM_TIPS trees of more than 100 000 nodes, and large ones that are
 *   nearly chains, are cut into subtrees of up to 16 nodes that are eliminated concurrently. The rest is cut likewise
 *   until no node is left. Trees more than 8192 nodes deep are condensed, also with FROM_TIPS. On the host each SIMD
 *   lane solves one system.
 * - Stability: no pivoting. For matrices that are diagonally dominant by rows or columns, as from implicit time steps,
 *   the backward error of each row is a few units of roundoff for any n: |b - A x|_i <= 10 eps (sum over j of |A_ij|
 *   max|x| + |b_i|). It grows with the number of children of a node. With FROM_TIPS, except for trees more than 8192
 *   nodes deep, with THREAD and THREAD_SHARED and on the host the same holds componentwise, with |A||x| for the sum;
 *   with AUTO up to some tens of units occur there, and some hundred for very unsymmetric entries (u and l a hundred
 *   times different).
 * - Workspace: on CUDA with AUTO and FROM_TIPS 0 if all data remains on chip, except 24 bytes per morphology with
 *   morph in BLOCK_INTERLEAVED. For larger trees it holds about three elements per node of a window of systems, whose
 *   coefficients have up to 512 MiB; with FROM_TIPS two per node of the systems in flight on each multiprocessor, or
 *   rows of a window of systems. With THREAD and THREAD_SHARED one element for each node of each system, and outside
 *   FLAT the systems of each morphology are rounded up to a multiple of 32. On the host rows of a few systems per
 *   thread.
 * - Asynchronous on CUDA, capturable. Bitwise reproducible, with the same bits on CUDA with AUTO, or with FROM_TIPS,
 *   for every layout, batch, position in it, and operation with the same matrix; on the host for every layout, batch
 *   and number of threads. Since 0.1.0. */
xbatchStatus_t xhinesBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                           xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, const void *u, const void *l,
                           int64_t ldul, const void *d, int64_t ldd, void *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xhinesBatch needs for this shape and the plan's algorithm. Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. */
xbatchStatus_t xhinesBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchOperation_t op, xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch,
                                      size_t *workspaceBytes);

/* The typed forms of xhinesBatch. Generated by src/api/generate.py from src/api/routines.py; do not edit. */

/** xhinesBatch for float. */
xbatchStatus_t shinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const float *u, const float *l, int64_t ldul, const float *d,
                           int64_t ldd, float *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xhinesBatch for double. */
xbatchStatus_t dhinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const double *u, const double *l, int64_t ldul, const double *d,
                           int64_t ldd, double *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xhinesBatch for complex float. */
xbatchStatus_t chinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *u, const xbatchComplexFloat_t *l,
                           int64_t ldul, const xbatchComplexFloat_t *d, int64_t ldd, xbatchComplexFloat_t *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xhinesBatch for complex double. */
xbatchStatus_t zhinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *u, const xbatchComplexDouble_t *l,
                           int64_t ldul, const xbatchComplexDouble_t *d, int64_t ldd, xbatchComplexDouble_t *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xhinesBatch_bufferSize for float. */
xbatchStatus_t shinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xhinesBatch_bufferSize for double. */
xbatchStatus_t dhinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xhinesBatch_bufferSize for complex float. */
xbatchStatus_t chinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xhinesBatch_bufferSize for complex double. */
xbatchStatus_t zhinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/* End of the typed forms of xhinesBatch. */

#ifdef __cplusplus
}
#endif

#endif
