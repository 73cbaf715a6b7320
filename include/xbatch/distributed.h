/** @file distributed.h
 * Systems whose rows are distributed over the ranks of a communicator, such as the processes of an MPI program.
 *
 * **Shares.** A system of n rows is divided into consecutive parts. Rank p has rows offsets[p] … offsets[p+1]-1 of
 * every system of the batch: its share. Row 0 of its arrays is row offsets[p] of the system.
 *
 * **Method.** Partition method with pivoting: each rank reduces its rows of a system to a few pairs of equations for
 * the unknowns at their ends. These are exchanged, a tree of pairs is solved, and the ranks compute their rows from the
 * unknowns at their ends. This is Gaussian elimination of the whole matrix in another order of columns: no part of a
 * matrix is ever solved by itself, so a part may be singular.
 *
 * **Chunks.** The cuts between ranks are on chunks of the plan, rows floor(n*q/K), q = 0 … K. K depends on n only: it
 * is the smallest power of two with chunks of at most 4096 rows, at least 64 and at most 4096, but not above n/16. Then
 * the solutions have the same bits for any number of ranks, on processors with the same instruction set
 * (XBATCH_PROPERTY_INSTRUCTION_SET). With XBATCH_MP_ANY_CUT the cuts may be anywhere.
 *
 * **Errors.** Collective functions must be called by all ranks of the communicator, in the same order. Each rank
 * returns the same status: if arguments of one rank are refused, all ranks return the status of the first such rank,
 * and nothing is written. A rank that fails, does not call, or calls another function ends the call on the others with
 * COMM_FAILED, at the latest after the time-out. The communicator is then dead: every later call returns COMM_FAILED at
 * once, and it can only be destroyed. A rank whose communicator or plan is NULL or destroyed takes no part: it returns
 * INVALID_HANDLE, the others COMM_FAILED.
 *
 * Messages are in the text of the communicator's handle (xbatchGetLastErrorMessage).
 *
 * **Batches** of whole systems need none of this: each rank solves its systems by xgtsvBatch or another routine.
 * xbatchCommSplitBatch says which.
 *
 * **CUDA.** Arrays are in memory of the handle's device. With a layer that moves device memory (NCCL), or on one rank,
 * a solve is asynchronous in the handle's stream, and can be captured into a graph if all ranks capture and replay it.
 * Then its status is about this rank's arguments only; where another rank refuses, B and info are as before, and
 * xbatchCommSynchronize returns that rank's status. Otherwise messages are copied through the host, a solve is
 * synchronous, and refused with NOT_SUPPORTED during capture.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_DISTRIBUTED_H
#define XBATCH_DISTRIBUTED_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: the ranks that solve systems together, and how they exchange messages. */
typedef struct xbatchComm *xbatchComm_t;

/** Opaque: the shape of distributed systems, and their division among the ranks. */
typedef struct xbatchMpPlan *xbatchMpPlan_t;

/** The functions by which ranks exchange bytes: comm_layer.h, for authors of communication layers. */
typedef struct xbatchCommLayer xbatchCommLayer_t;

/** What the ranks of a new communicator of NCCL know: the layer "nccl_id" of xbatchCommCreate. */
typedef struct {
    char id[128];  /**< an ncclUniqueId of ncclGetUniqueId, the same on all ranks */
    int32_t rank;  /**< of the caller, 0 … ranks-1 */
    int32_t ranks; /**< one for each device */
} xbatchNcclId_t;

/** Flags of a plan, which are added. */
typedef enum {
    XBATCH_MP_DEFAULT = 0,   /**< cuts on chunks; the exchange that suits the size */
    XBATCH_MP_ANY_CUT = 1,   /**< cuts anywhere; the bits of solutions then depend on the cuts */
    XBATCH_MP_ALLTOALL = 2,  /**< each rank solves the equations of its part of the batch */
    XBATCH_MP_ALLGATHER = 4, /**< each rank solves the equations of all systems: one exchange in place of two */
    XBATCH_MP_FLAGS_FORCE_INT32 = INT32_MIN
} xbatchMpFlags_t;

/** Create a communicator from a communication layer.
 *
 * - layer: the layer's name, which ends with NUL; NULL: the environment variable XBATCH_COMM_LAYER. A name with a
 *   slash is the file of a layer's library. Otherwise:
 *
 *   | layer | library | native points to |
 *   |---|---|---|
 *   | "mpi" | libxbatch_mpi.so | an MPI_Comm; NULL: MPI_COMM_WORLD |
 *   | "mpi_f" | libxbatch_mpi.so | an MPI_Fint, Fortran's integer communicator |
 *   | "nccl" | libxbatch_nccl.so | an ncclComm_t of the handle's device |
 *   | "nccl_id" | libxbatch_nccl.so | an xbatchNcclId_t |
 *
 *   A library of this name is sought in the folder of this library, and then as the loader does.
 * - native: as the layer defines; it is read during this call only. The MPI layer duplicates the communicator.
 * - comm out: set on success, NULL otherwise.
 * - The handle determines the backend and the number of threads of each rank. It must outlive the communicator, and
 *   is in use while a function of the communicator runs.
 * - Time-out: 300 s, or the milliseconds in the environment variable XBATCH_COMM_TIMEOUT.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED (no such library, or of another version),
 *   COMM_FAILED (the layer failed), ALLOC_FAILED. Collective. Since 0.1.0. */
xbatchStatus_t xbatchCommCreate(xbatchHandle_t handle, const char *layer, const void *native, xbatchComm_t *comm);

/** Create a communicator from functions of the program.
 *
 * - layer in, copied: see comm_layer.h. context: passed to its functions. `free` is called once, by
 *   xbatchCommDestroy; not if this call fails.
 * - comm out: set on success, NULL otherwise.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED (another version), ALLOC_FAILED. Communicates
 *   nothing. Since 0.1.0. */
xbatchStatus_t xbatchCommCreateCustom(xbatchHandle_t handle, const xbatchCommLayer_t *layer, void *context,
                                      xbatchComm_t *comm);

/** Free a communicator; NULL is allowed. Its plans must have been destroyed. After a failure it does not wait for other
 * ranks. Collective otherwise. Status: SUCCESS, INVALID_HANDLE. Since 0.1.0. */
xbatchStatus_t xbatchCommDestroy(xbatchComm_t comm);

/** End all communication: later calls on this rank return COMM_FAILED, those of other ranks at the latest after their
 * time-out. Status: SUCCESS, INVALID_HANDLE. Since 0.1.0. */
xbatchStatus_t xbatchCommAbort(xbatchComm_t comm);

/** Wait for all work of the communicator. On the host backend all work is complete when its function returns. On CUDA
 * it waits for the handle's stream, at most for the time-out. Status: SUCCESS, INVALID_HANDLE, COMM_FAILED (the
 * communicator is dead), EXECUTION_FAILED, or the status of a rank that refused its arguments in an asynchronous solve
 * since the last call. Since 0.1.0. */
xbatchStatus_t xbatchCommSynchronize(xbatchComm_t comm);

/** The caller's rank, 0 … size-1. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE for a NULL pointer. Since 0.1.0. */
xbatchStatus_t xbatchCommGetRank(xbatchComm_t comm, int *rank);

/** The number of ranks. Status as xbatchCommGetRank. Since 0.1.0. */
xbatchStatus_t xbatchCommGetSize(xbatchComm_t comm, int *size);

/** Set how long a function waits for other ranks. milliseconds >= 1. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE.
 * Since 0.1.0. */
xbatchStatus_t xbatchCommSetTimeout(xbatchComm_t comm, int64_t milliseconds);

/** What this rank has sent to other ranks since the communicator was created. messages, bytes out, may be NULL. One
 * message goes to each other rank in each exchange. Status: SUCCESS, INVALID_HANDLE. Since 0.1.0. */
xbatchStatus_t xbatchCommGetCounts(xbatchComm_t comm, int64_t *messages, int64_t *bytes);

/** Divide a batch of whole systems evenly: rank p has systems offsets[p] … offsets[p+1]-1.
 *
 * - batch >= 0. offsets [size+1] out.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Communicates nothing. Since 0.1.0. */
xbatchStatus_t xbatchCommSplitBatch(xbatchComm_t comm, int64_t batch, int64_t *offsets);

/** Divide a sequence of whole systems into consecutive parts, the largest sum of whose weights is as small as possible:
 * rank p has systems offsets[p] … offsets[p+1]-1. So cells can be divided by their nodes, systems by their rows.
 *
 * - count >= 0. weights [count] in, >= 0, the same on all ranks. offsets [size+1] out.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Communicates nothing. Since 0.1.0. */
xbatchStatus_t xbatchCommSplitWeights(xbatchComm_t comm, int64_t count, const int64_t *weights, int64_t *offsets);

/** Create a plan for the distributed routines: xgtsvMp, xgtsvPeriodicMp, xgttrfMp, xgttrsMp, xgtsvPschemeMp, xptsvMp
 * and xfolrMp.
 *
 * - type, layout, n, nrhs, batch: of the systems; the same on all ranks. n, nrhs, batch >= 0; n*nrhs*batch elements
 *   must have less than 2^63 bytes.
 * - offsets [size+1] in, may be NULL, the same on all ranks, copied: the cuts. Ascending, offsets[0] = 0,
 *   offsets[size] = n; equal consecutive ones make an empty share. NULL: even shares, on chunks or, with
 *   XBATCH_MP_ANY_CUT, of floor(n*p/size) rows. Cuts that are not on chunks are refused without XBATCH_MP_ANY_CUT;
 *   the message names the nearest chunk.
 * - blockStride: 0, or for BLOCK_INTERLEAVED the distance in elements between consecutive blocks, of coefficients
 *   and of B, so that arrays may have halos: element (i, j, r) is at ((j/ld)*nrhs + r)*blockStride + i*ld + j%ld. At
 *   least ld times the rows of the share. Each rank may have its own.
 * - flags: a sum of xbatchMpFlags_t, the same on all ranks.
 * - plan out: set on success, NULL otherwise.
 * - Memory: the plan holds the messages of a solve; e bytes an element, the rank's share reduced to c pairs (1, or
 *   with uneven cuts at most 2 log2 K), C pairs of all ranks: batch*(8+2*nrhs)*e*(c + C/size) with all-to-all and
 *   another 4*nrhs*e*batch*C/size, batch*(8+2*nrhs)*e*(c + C) with allgather.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE (also where ranks differ: the message names the first such rank
 *   and what differs), COMM_FAILED, ALLOC_FAILED, EXECUTION_FAILED. Collective. Since 0.1.0. */
xbatchStatus_t xgtsvMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                 int64_t nrhs, int64_t batch, const int64_t *offsets, int64_t blockStride, int flags,
                                 xbatchMpPlan_t *plan);

/** Free a plan; NULL is allowed. Communicates nothing. Status: SUCCESS, INVALID_HANDLE. Since 0.1.0. */
xbatchStatus_t xbatchMpDestroyPlan(xbatchMpPlan_t plan);

/** The cuts of a plan. offsets [size+1] out. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xbatchMpGetOffsets(xbatchMpPlan_t plan, int64_t *offsets);

/** Solve dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i, i = 0 … n-1, for each system j and right-hand side r, by Gaussian
 * elimination with pivoting. Each rank passes its share: arrays of m = offsets[rank+1] - offsets[rank] rows.
 *
 * - dl, d, du [m per system] in, in the plan's layout with leading dimension ldt; ldt = 0: all systems share one
 *   set. dl of row 0 and du of row n-1 of the whole system are never used; those at other ends of shares are.
 * - B [m*nrhs per system] in: right-hand sides, out: solutions, in the plan's layout with leading dimension ldb.
 * - info [batch] out, may be NULL: see types.h, for rows of the whole system. 1 … n: the same on all ranks, the
 *   first bad pivot of this elimination, on CUDA up to the rows of a chunk before it; B of that system then holds
 *   NaN. n + 1: an unknown of this rank's rows is not finite.
 * - Constraints: ldt, ldb as in types.h for m rows; ldt and ldb may differ between ranks. A rank with m = 0 may pass
 *   NULL for dl, d, du and B; it gets info. No argument may overlap another.
 * - A singular mode, as the constant one of a pressure equation, is the caller's to fix: give one of its rows d = 1,
 *   dl = du = 0 and b = 0. Otherwise its info is above 0, and all other systems are solved.
 * - Stability, with or without XBATCH_MP_ANY_CUT: as xgtsvBatch.
 * - Messages of a rank with c pairs, e bytes an element, P ranks, M systems of which it solves the equations of w =
 *   M/P: all-to-all 2(P-1) of 8 bytes each, plus (8+2*nrhs)*e*c*(M-w), plus 4*nrhs*e*w*(C-c), where a rank without
 *   pairs counts as one; allgather P-1 messages of 8 + (8+2*nrhs)*e*c*M bytes. The default is allgather where
 *   8*e*(1+nrhs/4)*M*C is at most 1 MB.
 * - Workspace: xgtsvMp_bufferSize. On the host about 11 elements for each chunk of 20 rows of each system and
 *   right-hand side, where the number of systems is rounded up to a multiple of 8, or 16 in single precision. On CUDA
 *   10 elements for each chunk, and for each part of a longer chunk: of 128 rows, FLAT 2048, in double.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, COMM_FAILED, ALLOC_FAILED. After
 *   COMM_FAILED B and info are as before. Collective.
 * - Synchronous, on CUDA as described above. Bitwise reproducible, for any number of threads and, on chunks, of ranks.
 *   Since 0.1.0. */
xbatchStatus_t xgtsvMp(xbatchMpPlan_t plan, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                       int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvMp for a plan of float. */
xbatchStatus_t sgtsvMp(xbatchMpPlan_t plan, const float *dl, const float *d, const float *du, int64_t ldt, float *B,
                       int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvMp for a plan of double. */
xbatchStatus_t dgtsvMp(xbatchMpPlan_t plan, const double *dl, const double *d, const double *du, int64_t ldt, double *B,
                       int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvMp for a plan of complex float. */
xbatchStatus_t cgtsvMp(xbatchMpPlan_t plan, const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                       const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info,
                       void *workspace, size_t workspaceBytes);

/** xgtsvMp for a plan of complex double. */
xbatchStatus_t zgtsvMp(xbatchMpPlan_t plan, const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                       const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                       int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvMp and xgtsvPeriodicMp need on this rank. Communicates nothing. Status: SUCCESS,
 * INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xgtsvMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

/** Solve the periodic systems of xgtsvPeriodicBatch: x_{-1} = x_{n-1} and x_n = x_0, with dl of row 0 and du of row n-1
 * as corner entries. Plan, arguments, constraints, info, messages, workspace and status are those of xgtsvMp.
 * Collective. Since 0.1.0. */
xbatchStatus_t xgtsvPeriodicMp(xbatchMpPlan_t plan, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                               int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicMp for a plan of float. */
xbatchStatus_t sgtsvPeriodicMp(xbatchMpPlan_t plan, const float *dl, const float *d, const float *du, int64_t ldt,
                               float *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicMp for a plan of double. */
xbatchStatus_t dgtsvPeriodicMp(xbatchMpPlan_t plan, const double *dl, const double *d, const double *du, int64_t ldt,
                               double *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicMp for a plan of complex float. */
xbatchStatus_t cgtsvPeriodicMp(xbatchMpPlan_t plan, const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                               const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                               int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPeriodicMp for a plan of complex double. */
xbatchStatus_t zgtsvPeriodicMp(xbatchMpPlan_t plan, const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                               const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                               int32_t *info, void *workspace, size_t workspaceBytes);

/** Solve the systems of xgtsvMp without pivoting, as xgtsvPscheme does, with fewer operations and shorter messages.
 *
 * - Plan, arguments, constraints and status are those of xgtsvMp.
 * - On CUDA it is xgtsvMp itself, with pivoting and its messages, since its time is that of loading the rows.
 * - info: the first bad pivot in row order that this elimination finds; otherwise as in xgtsvMp.
 * - Stability: that of xgtsvPscheme: diagonally dominant by rows or columns, or positive definite.
 * - Messages: those of xgtsvMp with (5+2*nrhs)*e bytes in place of (8+2*nrhs)*e, and 2*nrhs*e, at least 16, in place of
 *   4*nrhs*e. Each message is rounded up to a multiple of 8 bytes.
 * - Synchronous, on CUDA as described above. Bitwise reproducible, for any number of threads and, on chunks, of ranks.
 *   Collective. Since 0.1.0. */
xbatchStatus_t xgtsvPschemeMp(xbatchMpPlan_t plan, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                              int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPschemeMp for a plan of float. */
xbatchStatus_t sgtsvPschemeMp(xbatchMpPlan_t plan, const float *dl, const float *d, const float *du, int64_t ldt,
                              float *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPschemeMp for a plan of double. */
xbatchStatus_t dgtsvPschemeMp(xbatchMpPlan_t plan, const double *dl, const double *d, const double *du, int64_t ldt,
                              double *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPschemeMp for a plan of complex float. */
xbatchStatus_t cgtsvPschemeMp(xbatchMpPlan_t plan, const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                              const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                              int32_t *info, void *workspace, size_t workspaceBytes);

/** xgtsvPschemeMp for a plan of complex double. */
xbatchStatus_t zgtsvPschemeMp(xbatchMpPlan_t plan, const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                              const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                              int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgtsvPschemeMp needs on this rank. Communicates nothing. Status as xgtsvMp_bufferSize. Since
 * 0.1.0. */
xbatchStatus_t xgtsvPschemeMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

/** Solve the positive definite systems of xptsvBatch, (A x)_i = e_{i-1} x_{i-1} + d_i x_i + conj(e_i) x_{i+1}, without
 * pivoting.
 *
 * - d [m per system] in, real; e [m per system] in: e_i = A(i+1, i), of the rank that has row i, also where another one
 *   has row i+1. Both in the plan's layout with leading dimension ldt; ldt = 0: all systems share one set. e of row n-1
 *   of the whole system is never used.
 * - B, constraints, status: those of xgtsvMp. Messages: those of xgtsvPschemeMp.
 * - info [batch] out, may be NULL: as in xgtsvMp; a pivot that is not positive is bad, too, and A is then not positive
 *   definite. The pivots are those of this elimination order.
 * - Stability: backward stable where info is 0.
 * - Synchronous. Bitwise reproducible, for any number of threads and, on chunks, of ranks. Collective. Since 0.1.0. */
xbatchStatus_t xptsvMp(xbatchMpPlan_t plan, const void *d, const void *e, int64_t ldt, void *B, int64_t ldb,
                       int32_t *info, void *workspace, size_t workspaceBytes);

/** xptsvMp for a plan of float. */
xbatchStatus_t sptsvMp(xbatchMpPlan_t plan, const float *d, const float *e, int64_t ldt, float *B, int64_t ldb,
                       int32_t *info, void *workspace, size_t workspaceBytes);

/** xptsvMp for a plan of double. */
xbatchStatus_t dptsvMp(xbatchMpPlan_t plan, const double *d, const double *e, int64_t ldt, double *B, int64_t ldb,
                       int32_t *info, void *workspace, size_t workspaceBytes);

/** xptsvMp for a plan of complex float. */
xbatchStatus_t cptsvMp(xbatchMpPlan_t plan, const float *d, const xbatchComplexFloat_t *e, int64_t ldt,
                       xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xptsvMp for a plan of complex double. */
xbatchStatus_t zptsvMp(xbatchMpPlan_t plan, const double *d, const xbatchComplexDouble_t *e, int64_t ldt,
                       xbatchComplexDouble_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xptsvMp needs on this rank. Communicates nothing. Status as xgtsvMp_bufferSize. Since
 * 0.1.0. */
xbatchStatus_t xptsvMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

/** The recurrences of xfolrPscheme, w_i = s_i w_{i-1} + t_i (XBATCH_FORWARD), or w_i = s_i w_{i+1} + t_i
 * (XBATCH_BACKWARD), whose rows are distributed: each rank composes its rows to affine maps, w_last = S w_before + T.
 *
 * - s in. incs = 1: an array of the share in the plan's layout, one sequence per system, leading dimension lds; lds =
 * 0: one sequence for all systems. incs = 0: constant in i: system j has `s[j*lds]`, lds >= 0, the same on all ranks.
 * - t in. inct = 1: an array of the share in the plan's layout with nrhs, leading dimension ldt; ldt = 0: one sequence
 *   for all. inct = 0: constant in i: `t[(j*nrhs + r)*ldt]`, ldt >= 0, the same on all ranks.
 * - w0 [batch*nrhs] in: the state before the first step, w_{-1} or w_n, at `w0[j*nrhs + r]`; NULL means 0. Only the
 * rank with the first step, row 0 or row n-1, reads it.
 * - w out, in the plan's layout with nrhs, leading dimension ldw. w may be the same pointer as t if inct = 1 and ldw =
 *   ldt.
 * - direction: the same on all ranks; else COMM_FAILED.
 * - Constraints: incs, inct 0 or 1; leading dimensions as in types.h for the rows of the share, or as above. Other
 *   arguments may not overlap. A rank without rows may pass NULL for s, t and w.
 * - No info: no system can fail. Inf and NaN propagate within their own sequence.
 * - Stability: as xfolrPscheme.
 * - Messages: those of xgtsvMp with e + 8 + nrhs*e bytes in place of (8+2*nrhs)*e, and nrhs*e, at least 16, in place of
 *   4*nrhs*e; each message is rounded up to a multiple of 8 bytes. Status: as xgtsvMp; after COMM_FAILED w is as
 *   before.
 * - Synchronous, on CUDA as described above. Bitwise reproducible, for any number of threads and, on chunks, of ranks.
 *   Collective. Since 0.1.0. */
xbatchStatus_t xfolrMp(xbatchMpPlan_t plan, xbatchDirection_t direction, const void *s, int64_t incs, int64_t lds,
                       const void *t, int64_t inct, int64_t ldt, const void *w0, void *w, int64_t ldw, void *workspace,
                       size_t workspaceBytes);

/** xfolrMp for a plan of float. */
xbatchStatus_t sfolrMp(xbatchMpPlan_t plan, xbatchDirection_t direction, const float *s, int64_t incs, int64_t lds,
                       const float *t, int64_t inct, int64_t ldt, const float *w0, float *w, int64_t ldw,
                       void *workspace, size_t workspaceBytes);

/** xfolrMp for a plan of double. */
xbatchStatus_t dfolrMp(xbatchMpPlan_t plan, xbatchDirection_t direction, const double *s, int64_t incs, int64_t lds,
                       const double *t, int64_t inct, int64_t ldt, const double *w0, double *w, int64_t ldw,
                       void *workspace, size_t workspaceBytes);

/** xfolrMp for a plan of complex float. */
xbatchStatus_t cfolrMp(xbatchMpPlan_t plan, xbatchDirection_t direction, const xbatchComplexFloat_t *s, int64_t incs,
                       int64_t lds, const xbatchComplexFloat_t *t, int64_t inct, int64_t ldt,
                       const xbatchComplexFloat_t *w0, xbatchComplexFloat_t *w, int64_t ldw, void *workspace,
                       size_t workspaceBytes);

/** xfolrMp for a plan of complex double. */
xbatchStatus_t zfolrMp(xbatchMpPlan_t plan, xbatchDirection_t direction, const xbatchComplexDouble_t *s, int64_t incs,
                       int64_t lds, const xbatchComplexDouble_t *t, int64_t inct, int64_t ldt,
                       const xbatchComplexDouble_t *w0, xbatchComplexDouble_t *w, int64_t ldw, void *workspace,
                       size_t workspaceBytes);

/** Bytes of workspace that xfolrMp needs on this rank. Communicates nothing. Status as xgtsvMp_bufferSize. Since
 * 0.1.0. */
xbatchStatus_t xfolrMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
