/** @file distributed_mg.h
 * Systems whose rows are distributed over several devices of one process. Method, chunks, shares and bits are those of
 * distributed.h, with device k in place of rank k; one thread solves for all devices, and no communicator is needed.
 *
 * **Batches** of whole systems need none of this: batch_mg.h.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_DISTRIBUTED_MG_H
#define XBATCH_DISTRIBUTED_MG_H

#include "distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque: the shape of systems that are distributed over devices, and their division. */
typedef struct xbatchMgPlan *xbatchMgPlan_t;

/** Create a plan for xgtsvMg and xgtsvPeriodicMg.
 *
 * - devices >= 1: the number of shares. handles [devices] in host memory: share k is solved on handles[k]. They must
 *   differ, and be all of the host or all of CUDA; several may belong to one device. They must outlive the plan.
 * - type, layout, n, nrhs, batch, offsets [devices+1], flags: as in xgtsvMpCreatePlan. blockStride [devices] in host
 *   memory, may be NULL: its blockStride of each share.
 * - plan out: set on success, NULL otherwise.
 * - Devices exchange messages by copies between them, directly where the hardware can. The plan holds messages, as in
 *   xgtsvMpCreatePlan.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, ALLOC_FAILED, EXECUTION_FAILED. The message is that of handles[0].
 *   Since 0.1.0. */
xbatchStatus_t xgtsvMgCreatePlan(int devices, const xbatchHandle_t *handles, xbatchDataType_t type,
                                 xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const int64_t *offsets,
                                 const int64_t *blockStride, int flags, xbatchMgPlan_t *plan);

/** Free a plan; NULL is allowed. Its solves must be complete. Status: SUCCESS, INVALID_HANDLE. Since 0.1.0. */
xbatchStatus_t xbatchMgDestroyPlan(xbatchMgPlan_t plan);

/** The cuts of a plan. offsets [devices+1] out. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xbatchMgGetOffsets(xbatchMgPlan_t plan, int64_t *offsets);

/** Solve the systems of xgtsvMp, share k on device k.
 *
 * - dl, d, du, ldt, B, ldb, info, workspace, workspaceBytes [devices] in host memory: the arguments of xgtsvMp for each
 *   share, in memory of the device of handles[k]. info and its entries may be NULL; they are the same for all shares
 *   except n + 1, as in xgtsvMp.
 * - All shares are checked before the first begins: on an error nothing is written. The status and the message are
 *   those of the first bad share; the message names the share and is read from handles[0].
 * - Workspace: xgtsvMg_bufferSize.
 * - Asynchronous on CUDA, in the streams of all handles, each of which continues when the solve is complete on its
 *   device. Capturable: begin the capture in the stream of handles[0]; the other streams join it, where none of them is
 *   the default stream. Synchronous on the host.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, EXECUTION_FAILED. Bitwise reproducible; on
 *   chunks with the same bits as xgtsvMp on the same backend, for any number of devices. Since 0.1.0. */
xbatchStatus_t xgtsvMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                       const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info,
                       void *const *workspace, const size_t *workspaceBytes);

/** Bytes of workspace that xgtsvMg and xgtsvPeriodicMg need for each share. workspaceBytes [devices] out. Status:
 * SUCCESS, INVALID_HANDLE, INVALID_VALUE. Since 0.1.0. */
xbatchStatus_t xgtsvMg_bufferSize(xbatchMgPlan_t plan, size_t *workspaceBytes);

/** Solve the periodic systems of xgtsvPeriodicMp; all else is as in xgtsvMg. Since 0.1.0. */
xbatchStatus_t xgtsvPeriodicMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                               const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info,
                               void *const *workspace, const size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
