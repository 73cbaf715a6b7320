/** @file comm_layer.h
 * What a communication layer provides: how the ranks of a communicator exchange bytes. For authors of layers; programs
 * need distributed.h only.
 *
 * A layer is a struct of functions. A program passes its own to xbatchCommCreateCustom, or a shared library exports
 * XBATCH_COMM_LAYER_SYMBOL, which xbatchCommCreate calls. src/distributed/layers/mpi, which is installed as source, is
 * an example.
 *
 * - Functions return 0, or any other number for a failure. After a failure the library calls `abort`, never starts
 *   another exchange, and leaves the buffers of an unfinished exchange allocated.
 * - Only one thread at a time uses a layer. At most one exchange is in progress.
 * - Counts and positions are in bytes, 64 bits wide. Buffers are aligned to 16, each rank's part of them to 8.
 * - A number of bytes that one rank sends to another equals the number that the other expects, unless the program
 *   called different routines on its ranks. A layer may detect that and fail; it must not hang or write beyond a
 *   buffer.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_COMM_LAYER_H
#define XBATCH_COMM_LAYER_H

#include "distributed.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits and marks of the interface between library and layers. */
typedef enum {
    XBATCH_COMM_LAYER_VERSION = 1, /**< of xbatchCommLayer_t */
    XBATCH_COMM_TIMED_OUT = -1,    /**< result of `wait`: the exchange is not complete */
    XBATCH_COMM_LAYER_DEVICE = 1,  /**< of `flags`: the layer also moves device memory, in stream order */
    XBATCH_COMM_LAYER_FORCE_INT32 = INT32_MIN
} xbatchCommLayerLimits_t;

/** The functions of a layer. `context` is the layer's own. */
struct xbatchCommLayer {
    uint32_t bytes;    /**< sizeof(xbatchCommLayer_t) */
    uint32_t version;  /**< XBATCH_COMM_LAYER_VERSION */
    int32_t rank;      /**< of the caller, 0 … ranks-1 */
    int32_t ranks;     /**< >= 1 */
    int32_t hostRank;  /**< among the ranks of the same host, or 0 */
    int32_t hostRanks; /**< ranks of the same host, or 1 */
    uint32_t flags;    /**< 0 or XBATCH_COMM_LAYER_DEVICE */
    uint32_t reserved; /**< 0 */
    /** Start an exchange: sendBytes[p] bytes at send + sendAt[p] go to rank p, and recvBytes[p] bytes from rank p to
     * recv + recvAt[p]; also for p = rank. The arrays [ranks] are valid until `wait` returns. `stream` is NULL for host
     * memory.
     *
     * With XBATCH_COMM_LAYER_DEVICE `stream` may be a cudaStream_t, which is not NULL, of the current device, to which
     * the buffers belong. The exchange is then enqueued in it, and complete when the stream is; the arrays are valid
     * during this call only, and `wait` is not called. A plan makes one exchange of each kind in its stream before the
     * first that may be captured into a graph. */
    int (*alltoallv)(void *context, void *stream, const void *send, const int64_t *sendBytes, const int64_t *sendAt,
                     void *recv, const int64_t *recvBytes, const int64_t *recvAt);
    /** Start an exchange: sendBytes bytes at send go to every rank; recvBytes[p] of them arrive from rank p at
     * recv + recvAt[p]. */
    int (*allgatherv)(void *context, void *stream, const void *send, int64_t sendBytes, void *recv,
                      const int64_t *recvBytes, const int64_t *recvAt);
    /** Complete the exchange. Returns XBATCH_COMM_TIMED_OUT after that time. */
    int (*wait)(void *context, int64_t milliseconds);
    /** Whether the layer has failed, without waiting; may be NULL. */
    int (*asyncError)(void *context);
    /** Stop communicating, after a failure or by xbatchCommAbort. Must not wait for other ranks. May be NULL. */
    void (*abort)(void *context);
    /** Free the context. Collective, unless `abort` was called. May be NULL. */
    void (*free)(void *context);
};

/** The function that a layer's library exports under XBATCH_COMM_LAYER_SYMBOL. Collective.
 * @param name the layer argument of xbatchCommCreate @param native its argument of that name
 * @param[out] layer the layer @param[out] context its context
 * @param[out] message why, in case of failure; ends with NUL @param messageBytes the size of message
 * @return 0, or another number for a failure. */
typedef int (*xbatchCommLayerOpen_t)(const char *name, const void *native, xbatchCommLayer_t *layer, void **context,
                                     char *message, size_t messageBytes);

/** Name of the exported function. */
#define XBATCH_COMM_LAYER_SYMBOL "xbatchCommLayerOpen"

#ifdef __cplusplus
}
#endif

#endif
