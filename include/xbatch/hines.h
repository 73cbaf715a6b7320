/** @file hines.h
 * Hines systems: matrices with the structure of a tree, as the cable equation gives on branched neurons.
 *
 * **The matrix.** Node i of a tree of n nodes has the parent p(i) < i; node 0 is the root. A has the diagonal d_i
 * and, for each node but a root, two entries that join it to its parent: u_i = A(p(i), i) and l_i = A(i, p(i)). Row i
 * of A x = b reads d_i x_i + l_i x_p(i) + sum over the children k of i of u_k x_k = b_i. u, l and parent of a root
 * are never read. A chain, p(i) = i-1, is a tridiagonal matrix with dl_i = l_i and du_{i-1} = u_i.
 *
 * **Units.** None: any that make the rows consistent. In conductance form (d_i = C_i/dt + leak_i + sum of the
 * conductances g to the neighbours, u_i = l_i = -g_i) A takes volts to amperes; examples/neuron.c builds it.
 *
 * **Plans.** The shape of the trees is analysed once, in a plan, and used by any number of solves. One plan serves all
 * element types, layouts and operations.
 *
 * Source: Valero-Lara, Martinez-Perez, Pena, Martorell, Sirvent, Labarta: cuHinesBatch, ICCS 2017 (its Algorithm 1
 * reads "=" for "-=" twice and runs to node 0; M. Hines, Int. J. Bio-Medical Computing 15 (1984) has it right).
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_HINES_H
#define XBATCH_HINES_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: the trees of a batch, and how they are worked through. */
typedef struct xbatchHinesPlan *xbatchHinesPlan_t;

/** What parent arrays may hold; added up. */
typedef enum {
    XBATCH_HINES_TREE = 0,   /**< one root, node 0, whose entry of parent is not read */
    XBATCH_HINES_FOREST = 1, /**< any number of roots: node 0, and where parent is -1, indexBase-1 or the node itself */
    XBATCH_HINES_FLAGS_FORCE_INT32 = INT32_MIN
} xbatchHinesFlags_t;

/** How a plan is solved on the CUDA backend; on the host all are AUTO. */
typedef enum {
    XBATCH_HINES_AUTO = 0,          /**< the fastest for the shape: pieces of a tree side by side, on chip */
    XBATCH_HINES_THREAD = 1,        /**< one thread a system, as in the paper: its Flat, Full-Interleaved and
                                         Block-Interleaved kernels, by the layout */
    XBATCH_HINES_THREAD_SHARED = 2, /**< the same, right-hand sides in shared memory: the paper's Block-Shared */
    XBATCH_HINES_ALGORITHM_FORCE_INT32 = INT32_MIN
} xbatchHinesAlgorithm_t;

/** Number the nodes of any tree so that each parent comes before its children (depth first, children in the order of
 * their old numbers).
 *
 * - n >= 0; parent [n] in, indexBase 0 or 1: the parent of each node. A root is a node whose parent is -1,
 *   indexBase-1 or the node itself; there must be exactly one, or with XBATCH_HINES_FOREST at least one.
 * - order [n] out: node k of the new numbering is node order[k] of the old, both counted from indexBase.
 * - ordered [n] out, may be NULL: the parents in the new numbering, ready for xhinesCreatePlan; indexBase-1 for roots.
 * - All arrays are host memory on both backends, and none may overlap. Nothing is written on an error.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (the message names the node: parent out of range, a cycle, a second
 *   root, no root), ALLOC_FAILED. Synchronous. Since 0.1.0. */
xbatchStatus_t xhinesOrder(xbatchHandle_t handle, int64_t n, const int32_t *parent, int indexBase,
                           xbatchHinesFlags_t flags, int32_t *order, int32_t *ordered);

/** Analyse the trees of a batch.
 *
 * - morphologies >= 1: different trees. offsets [morphologies + 1]: morphology m has the n_m = offsets[m+1] -
 *   offsets[m] >= 1 nodes whose parents are parent[offsets[m]] …; nodes of each are counted from indexBase, 0 or 1.
 * - parent: indexBase <= parent[i] < i + indexBase; xhinesOrder makes such a numbering of any tree.
 * - morph [batch]: system j has morphology morph[j], counted from 0 whatever indexBase is. NULL if all systems have the
 *   same one: then morphologies is 1, and batch is not used, each solve brings its own.
 * - plan out: set on success, NULL otherwise. It belongs to the backend and device of the handle, and may be used
 *   with any handle of the same; by several threads at once.
 * - All arrays are host memory on both backends; they are copied. On CUDA the call allocates device memory (100 to 200
 *   bytes for each node of each morphology, 30 to 60 if there are more than 256, more for trees that are nearly chains;
 *   20 for each system if morph is given) and waits for the copy to it.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (the message names the morphology and its first bad node),
 *   NOT_SUPPORTED (more than 16777215 nodes in one morphology; on CUDA together with the pieces that it is cut into, 7
 * to each 100 nodes of a chain), ALLOC_FAILED, EXECUTION_FAILED. Since 0.1.0. */
xbatchStatus_t xhinesCreatePlan(xbatchHandle_t handle, int64_t morphologies, const int64_t *offsets,
                                const int32_t *parent, int indexBase, xbatchHinesFlags_t flags, int64_t batch,
                                const int32_t *morph, xbatchHinesPlan_t *plan);

/** Free a plan; NULL is allowed. No work that uses it may be queued or running. Status: SUCCESS, INVALID_VALUE for
 * what is no plan. */
xbatchStatus_t xhinesDestroyPlan(xbatchHinesPlan_t plan);

/** Choose how a plan is solved; XBATCH_HINES_AUTO is what a plan begins with. Results of different algorithms differ in
 * rounding, and their workspace in size: ask for it anew. THREAD_SHARED is refused by a solve whose layout is not
 * BLOCK_INTERLEAVED or whose blocks do not fit shared memory (NOT_SUPPORTED). Status: SUCCESS, INVALID_HANDLE,
 * INVALID_VALUE. */
xbatchStatus_t xhinesSetAlgorithm(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchHinesAlgorithm_t algorithm);

/** Where the elements of a batch lie: element i of system j, right-hand side r = 0 is at [first[j] + i*step[j]].
 *
 * Without morph this is the table of types.h. With morph nothing is padded to the largest: morphology m has the m_m
 * systems j_0 < j_1 < …, and k counts them.
 * | layout | element (i, j, r) |
 * |---|---|
 * | FLAT | `nrhs*s_j + r*n_j + i`, s_j the nodes of all systems before j |
 * | INTERLEAVED | `nrhs*t_m + (r*n_m + i)*m_m + k`, t_m the elements of all morphologies before m |
 * | BLOCK_INTERLEAVED | `nrhs*t_m + (((k/ld)*nrhs + r)*n_m + i)*ld + k%ld`, t_m the same, with whole blocks |
 *
 * So ld has a meaning with morph only in BLOCK_INTERLEAVED; elsewhere any ld >= 1 says the same.
 * - batch: of the solve; that of the plan if it has morph. nrhs >= 1. ld as in xhinesBatch, not 0.
 * - first, step [batch] out; either may be NULL. extent out, may be NULL: elements that the array must have.
 * - Host memory. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xhinesGetPlacement(xbatchHandle_t handle, xbatchHinesPlan_t plan, xbatchLayout_t layout, int64_t nrhs,
                                  int64_t batch, int64_t ld, int64_t *first, int64_t *step, int64_t *extent);

/** Solve op(A_j) x = b for each system j and right-hand side r of a batch of Hines systems.
 *
 * - layout: where elements lie, xhinesGetPlacement. op: N, T or C; A^T is A with u and l exchanged.
 * - nrhs, batch >= 0; batch is that of the plan if it has morph.
 * - u, l in, both with ldul: one value a node. The same pointer for both says that A is symmetric (not Hermitian),
 *   and it is read once. ldul = 0: one set for each morphology, shared by its systems: node i of morphology m is at
 *   [offsets[m] - offsets[0] + i].
 * - d in, with ldd: the diagonal. ldd = 0: shared in the same way.
 * - B in: right-hand sides, out: solutions; with ldb.
 * - Constraints without morph, n the nodes of the tree: FLAT ld >= n, INTERLEAVED ld >= batch, BLOCK_INTERLEAVED ld
 *   >= 1; with morph ld >= 1. u, l, d are never written. B may overlap none of them.
 * - info [batch] out, may be NULL: as types.h says, n the nodes of the system's tree; of bad pivots that of
 *   the last node, the first that elimination from the tips reaches.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, EXECUTION_FAILED.
 * - Method: elimination from the tips. On CUDA a warp solves some systems together, its lanes eliminate different nodes
 *   at a time, the deepest first; what it keeps for the substitution stays on chip for trees of up to 3072 nodes, and
 *   goes to the workspace for those of up to 100 000. Larger trees, and large ones that are nearly chains, are cut into
 *   pieces of up to 16 nodes that are eliminated side by side, then the tree that is left, until none is; those more
 *   than 8192 nodes deep are cut by the P-scheme, so that they too have few levels. On the host tiles of systems side
 *   by side.
 * - Stability: no pivoting. For matrices that are diagonally dominant by rows or columns, as those of implicit time
 *   steps are, the componentwise backward error is a few units of roundoff whatever n is; the more, the more children
 *   a node has. Not so on CUDA for trees more than 8192 nodes deep whose couplings are very unsymmetric (u and l a
 *   hundred times different): there it may be some hundred units.
 * - Workspace: on CUDA with AUTO none where everything stays on chip, but for 24 bytes a morphology with morph in
 *   BLOCK_INTERLEAVED; two elements a node of some systems for each multiprocessor, or rows of a window of systems,
 *   where trees are larger; with THREAD and THREAD_SHARED one element for each
 *   node of each system, and outside FLAT the systems of each morphology rounded up to a multiple of 32. On the host
 *   rows of a few systems a thread.
 * - Asynchronous on CUDA, capturable. Bitwise reproducible: on CUDA with AUTO the same bits for every layout, batch,
 *   place in the batch, and operation that means the same matrix; on the host for every layout, batch and number of
 *   threads. Since 0.1.0. */
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

/** A batch that is spread over several devices of this process: share k is solved as xhinesBatch solves it on
 * handles[k], all shares at the same time.
 *
 * - devices >= 1: shares. handles, plans, batch, u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes
 *   [devices] in host memory: what xhinesBatch takes, for each share; memory of share k is that of the device of
 *   handles[k]. info may be NULL, and so may any of its entries. Handles must differ; several may be of one device,
 *   or of the host.
 * - All shares are checked before any is begun: on an error nothing is written. The status and the message, which names
 *   the share, are those of the first bad share, and the message is read from handles[0].
 * - Asynchronous on CUDA: returns when all shares are queued, each on the stream of its handle. Wait for each of
 *   them. Shares of host handles are solved one after the other. Status as xhinesBatch. Since 0.1.0. */
xbatchStatus_t xhinesBatchMg(int devices, const xbatchHandle_t *handles, xbatchDataType_t type, xbatchLayout_t layout,
                             xbatchOperation_t op, const xbatchHinesPlan_t *plans, int64_t nrhs, const int64_t *batch,
                             const void *const *u, const void *const *l, const int64_t *ldul, const void *const *d,
                             const int64_t *ldd, void *const *B, const int64_t *ldb, int32_t *const *info,
                             void *const *workspace, const size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
