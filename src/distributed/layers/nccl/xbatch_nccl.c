/* xbatch_nccl.c: the communication layers "nccl" and "nccl_id": bytes in device memory through NCCL, in stream order.
 *
 * NCCL is neither needed to build this nor linked: libnccl.so.2 is opened at run time. The few functions used are
 * declared here as NCCL's documentation has them; they are the same since version 2.18.
 *
 * Host memory, which only the creation of plans exchanges, is copied through the device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xbatch/comm_layer.h>

enum { OK = 0, IN_PROGRESS = 7, BYTES = 0 }; /* ncclSuccess, ncclInProgress, ncclInt8 */
enum { NO_MEMORY = -2, OTHER_LENGTH = -3, CUDA_FAILED = -4 };

typedef struct ncclComm *Comm;
typedef struct {
    char internal[128];
} UniqueId;

/* Functions of NCCL, by name */
typedef struct {
    int (*ncclCommInitRank)(Comm *, int ranks, UniqueId, int rank);
    int (*ncclCommSplit)(Comm, int color, int key, Comm *, void *config);
    int (*ncclCommDestroy)(Comm);
    int (*ncclCommAbort)(Comm);
    int (*ncclCommGetAsyncError)(Comm, int *);
    int (*ncclCommCount)(const Comm, int *);
    int (*ncclCommUserRank)(const Comm, int *);
    int (*ncclGroupStart)(void);
    int (*ncclGroupEnd)(void);
    int (*ncclSend)(const void *, size_t, int type, int peer, Comm, cudaStream_t);
    int (*ncclRecv)(void *, size_t, int type, int peer, Comm, cudaStream_t);
    const char *(*ncclGetErrorString)(int);
} Functions;

typedef struct {
    Functions nccl;
    Comm comm;
    int rank, ranks, is_aborted;
    cudaStream_t stream; /* of exchanges of host memory */
    cudaEvent_t done;
    char *staged, *recv; /* device and host memory of such an exchange under way */
    int64_t sentBytes, receivedBytes;
} Layer;

/* Sends and receives everything at once; step is 1, or 0 where all ranks are sent the same message. */
static int enqueue(Layer *layer, cudaStream_t stream, const char *send, const int64_t *sendBytes, const int64_t *sendAt,
                   int step, char *recv, const int64_t *recvBytes, const int64_t *recvAt) {
    const Functions *const nccl = &layer->nccl;
    const int me = layer->rank;
    int k, error, ended;
    if (sendBytes[me * step] != recvBytes[me]) return OTHER_LENGTH;
    if (cudaMemcpyAsync(recv + recvAt[me], send + sendAt[me * step], (size_t)recvBytes[me], cudaMemcpyDeviceToDevice,
                        stream) != cudaSuccess)
        return CUDA_FAILED;
    if (layer->ranks == 1) return 0;
    error = nccl->ncclGroupStart();
    for (k = 1; k < layer->ranks && !error; ++k) {
        const int to = (me + k) % layer->ranks, from = (me - k + layer->ranks) % layer->ranks;
        error = nccl->ncclSend(send + sendAt[to * step], (size_t)sendBytes[to * step], BYTES, to, layer->comm, stream);
        if (!error)
            error = nccl->ncclRecv(recv + recvAt[from], (size_t)recvBytes[from], BYTES, from, layer->comm, stream);
    }
    ended = nccl->ncclGroupEnd();
    if (error) return error;
    return ended == IN_PROGRESS ? 0 : ended;
}

static int64_t end_of(int64_t end, int64_t bytes, int64_t at) { return at + bytes > end ? at + bytes : end; }

static void drop_staged(Layer *layer) {
    cudaFree(layer->staged);
    layer->staged = NULL;
}

/* The same of host memory */
static int stage(Layer *layer, const void *send, const int64_t *sendBytes, const int64_t *sendAt, int step, void *recv,
                 const int64_t *recvBytes, const int64_t *recvAt) {
    int64_t sent = 0, received = 0;
    int k, error;
    for (k = 0; k < layer->ranks; ++k) {
        sent = end_of(sent, sendBytes[k * step], sendAt[k * step]);
        received = end_of(received, recvBytes[k], recvAt[k]);
    }
    sent = (sent + 255) / 256 * 256;
    layer->recv = recv, layer->sentBytes = sent, layer->receivedBytes = received;
    if (cudaMalloc((void **)&layer->staged, (size_t)(sent + received)) != cudaSuccess) return NO_MEMORY;
    for (k = 0; k < layer->ranks; k += step ? 1 : layer->ranks)
        if (cudaMemcpyAsync(layer->staged + sendAt[k], (const char *)send + sendAt[k], (size_t)sendBytes[k],
                            cudaMemcpyHostToDevice, layer->stream) != cudaSuccess)
            return CUDA_FAILED;
    error =
        enqueue(layer, layer->stream, layer->staged, sendBytes, sendAt, step, layer->staged + sent, recvBytes, recvAt);
    if (error) return error;
    return cudaEventRecord(layer->done, layer->stream) == cudaSuccess ? 0 : CUDA_FAILED;
}

static int alltoallv(void *context, void *stream, const void *send, const int64_t *sendBytes, const int64_t *sendAt,
                     void *recv, const int64_t *recvBytes, const int64_t *recvAt) {
    return stream ? enqueue(context, stream, send, sendBytes, sendAt, 1, recv, recvBytes, recvAt)
                  : stage(context, send, sendBytes, sendAt, 1, recv, recvBytes, recvAt);
}

static int allgatherv(void *context, void *stream, const void *send, int64_t sendBytes, void *recv,
                      const int64_t *recvBytes, const int64_t *recvAt) {
    const int64_t at = 0;
    return stream ? enqueue(context, stream, send, &sendBytes, &at, 0, recv, recvBytes, recvAt)
                  : stage(context, send, &sendBytes, &at, 0, recv, recvBytes, recvAt);
}

static int async_error(void *context) {
    const Layer *const layer = context;
    int error = OK;
    if (layer->nccl.ncclCommGetAsyncError(layer->comm, &error) != OK) return 1;
    return error == IN_PROGRESS ? OK : error;
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int wait_for(void *context, int64_t milliseconds) {
    Layer *const layer = context;
    const double end = seconds() + 1e-3 * (double)milliseconds;
    for (;;) {
        const cudaError_t state = cudaEventQuery(layer->done);
        const int error = async_error(layer);
        if (error) return error;
        if (state == cudaSuccess) break;
        if (state != cudaErrorNotReady) return CUDA_FAILED;
        if (seconds() > end) return XBATCH_COMM_TIMED_OUT;
        sched_yield();
    }
    if (cudaMemcpy(layer->recv, layer->staged + layer->sentBytes, (size_t)layer->receivedBytes,
                   cudaMemcpyDeviceToHost) != cudaSuccess)
        return CUDA_FAILED;
    drop_staged(layer);
    return 0;
}

/* Ends the kernels of exchanges under way. */
static void abort_layer(void *context) {
    Layer *const layer = context;
    if (!layer->is_aborted) layer->nccl.ncclCommAbort(layer->comm);
    layer->is_aborted = 1;
}

static void free_layer(void *context) {
    Layer *const layer = context;
    if (!layer->is_aborted) layer->nccl.ncclCommDestroy(layer->comm);
    drop_staged(layer);
    cudaEventDestroy(layer->done);
    cudaStreamDestroy(layer->stream);
    free(layer);
}

/* Finds NCCL and its functions; what is missing otherwise. */
static const char *load(Functions *nccl) {
    static const char *const names[] = {
        "ncclCommInitRank",      "ncclCommSplit", "ncclCommDestroy",  "ncclCommAbort",
        "ncclCommGetAsyncError", "ncclCommCount", "ncclCommUserRank", "ncclGroupStart",
        "ncclGroupEnd",          "ncclSend",      "ncclRecv",         "ncclGetErrorString"};
    const char *const file = getenv("XBATCH_NCCL_LIBRARY");
    void *const library = dlopen(file ? file : "libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    size_t k;
    if (!library) return dlerror();
    for (k = 0; k < sizeof names / sizeof *names; ++k) {
        void *const found = dlsym(library, names[k]);
        if (!found) return names[k];
        memcpy((char *)nccl + k * sizeof(void *), &found, sizeof found);
    }
    return NULL;
}

static int make(Layer *layer, const char *name, const void *native) {
    const Functions *const nccl = &layer->nccl;
    int error;
    if (!strcmp(name, "nccl_id")) {
        const xbatchNcclId_t *const given = native;
        UniqueId id;
        memcpy(id.internal, given->id, sizeof id.internal);
        error = nccl->ncclCommInitRank(&layer->comm, given->ranks, id, given->rank);
    } else {
        Comm whole;
        int rank = 0;
        memcpy(&whole, native, sizeof whole);
        error = nccl->ncclCommUserRank(whole, &rank);
        if (!error) error = nccl->ncclCommSplit(whole, 0, rank, &layer->comm, NULL);
    }
    if (!error) error = nccl->ncclCommUserRank(layer->comm, &layer->rank);
    if (!error) error = nccl->ncclCommCount(layer->comm, &layer->ranks);
    if (error) return error;
    if (cudaStreamCreateWithFlags(&layer->stream, cudaStreamNonBlocking) != cudaSuccess) return CUDA_FAILED;
    return cudaEventCreateWithFlags(&layer->done, cudaEventDisableTiming) == cudaSuccess ? 0 : CUDA_FAILED;
}

__attribute__((visibility("default"))) int xbatchCommLayerOpen(const char *name, const void *native,
                                                               xbatchCommLayer_t *out, void **context, char *message,
                                                               size_t messageBytes) {
    Layer *layer;
    const char *missing;
    int error;
    if (!native) {
        snprintf(message, messageBytes, "native must point to a communicator of NCCL, or to an xbatchNcclId_t");
        return 1;
    }
    layer = calloc(1, sizeof *layer);
    if (!layer) return NO_MEMORY;
    missing = load(&layer->nccl);
    error = missing ? 1 : make(layer, name, native);
    if (error) {
        snprintf(message, messageBytes, "%s",
                 missing     ? missing
                 : error > 0 ? layer->nccl.ncclGetErrorString(error)
                             : "a CUDA function failed");
        free(layer);
        return error;
    }
    memset(out, 0, sizeof *out);
    out->bytes = sizeof *out, out->version = XBATCH_COMM_LAYER_VERSION;
    out->rank = layer->rank, out->ranks = layer->ranks;
    out->hostRank = 0, out->hostRanks = 1;
    out->flags = XBATCH_COMM_LAYER_DEVICE;
    out->alltoallv = alltoallv, out->allgatherv = allgatherv, out->wait = wait_for;
    out->asyncError = async_error, out->abort = abort_layer, out->free = free_layer;
    *context = layer;
    return 0;
}
