/* xbatch_mpi.c: the communication layers "mpi" and "mpi_f": bytes in host memory through MPI.
 *
 * Needs only an MPI library and xbatch's public headers, so that a site can build it for its own MPI:
 *
 *     mpicc -O2 -fPIC -shared -o libxbatch_mpi.so xbatch_mpi.c -I PREFIX/include
 *
 * Every message is a pair of MPI_Isend and MPI_Irecv, in pieces that an int can count: MPI before version 4 has no
 * larger counts, and its collective functions cannot be given up after a time-out.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200112L
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xbatch/comm_layer.h>

/* Results besides MPI's error codes, which are positive */
enum { NO_MEMORY = -2, OTHER_LENGTH = -3 };
enum { TAG = 0x5842, PIECE = 1 << 30 }; /* bytes */

typedef struct {
    MPI_Comm comm;
    int rank, ranks, is_aborted;
    int used, room;        /* requests */
    MPI_Request *requests; /* [room] */
    MPI_Status *statuses;  /* [room] */
    int *expected;         /* [room] bytes of a piece that is received, -1 for one that is sent */
} Layer;

static int64_t pieces_of(int64_t bytes) { return (bytes + PIECE - 1) / PIECE; }

/* Room for the requests of an exchange */
static int reserve(Layer *layer, int64_t count) {
    MPI_Request *requests;
    MPI_Status *statuses;
    int *expected;
    layer->used = 0;
    if (count <= layer->room) return 0;
    if (count > INT32_MAX) return NO_MEMORY;
    requests = realloc(layer->requests, (size_t)count * sizeof *requests);
    if (requests) layer->requests = requests;
    statuses = realloc(layer->statuses, (size_t)count * sizeof *statuses);
    if (statuses) layer->statuses = statuses;
    expected = realloc(layer->expected, (size_t)count * sizeof *expected);
    if (expected) layer->expected = expected;
    if (!requests || !statuses || !expected) return NO_MEMORY;
    layer->room = (int)count;
    return 0;
}

/* Starts to send or receive a message. */
static int post(Layer *layer, int peer, int is_sent, char *data, int64_t bytes) {
    int64_t at;
    for (at = 0; at < bytes; at += PIECE) {
        const int length = (int)(bytes - at < PIECE ? bytes - at : PIECE);
        MPI_Request *const request = layer->requests + layer->used;
        const int error = is_sent ? MPI_Isend(data + at, length, MPI_BYTE, peer, TAG, layer->comm, request)
                                  : MPI_Irecv(data + at, length, MPI_BYTE, peer, TAG, layer->comm, request);
        if (error != MPI_SUCCESS) return error;
        layer->expected[layer->used++] = is_sent ? -1 : length;
    }
    return 0;
}

/* step is 1, or 0 where all ranks are sent the same message. */
static int start(Layer *layer, const void *send, const int64_t *sendBytes, const int64_t *sendAt, int step, void *recv,
                 const int64_t *recvBytes, const int64_t *recvAt) {
    const int me = layer->rank;
    int64_t count = 0;
    int k, error;
    for (k = 0; k < layer->ranks; ++k) count += pieces_of(sendBytes[k * step]) + pieces_of(recvBytes[k]);
    error = reserve(layer, count);
    if (error) return error;
    if (sendBytes[me * step] != recvBytes[me]) return OTHER_LENGTH;
    memcpy((char *)recv + recvAt[me], (const char *)send + sendAt[me * step], (size_t)recvBytes[me]);
    for (k = 1; k < layer->ranks && !error; ++k) { /* each rank begins with another peer */
        const int from = (me - k + layer->ranks) % layer->ranks;
        error = post(layer, from, 0, (char *)recv + recvAt[from], recvBytes[from]);
    }
    for (k = 1; k < layer->ranks && !error; ++k) {
        const int to = (me + k) % layer->ranks;
        error = post(layer, to, 1, (char *)send + sendAt[to * step], sendBytes[to * step]);
    }
    return error;
}

static int alltoallv(void *context, void *stream, const void *send, const int64_t *sendBytes, const int64_t *sendAt,
                     void *recv, const int64_t *recvBytes, const int64_t *recvAt) {
    (void)stream;
    return start(context, send, sendBytes, sendAt, 1, recv, recvBytes, recvAt);
}

static int allgatherv(void *context, void *stream, const void *send, int64_t sendBytes, void *recv,
                      const int64_t *recvBytes, const int64_t *recvAt) {
    const int64_t at = 0;
    (void)stream;
    return start(context, send, &sendBytes, &at, 0, recv, recvBytes, recvAt);
}

/* Lets other processes of an oversubscribed machine run, without losing time on others. */
static void relax(double waited) {
    const struct timespec moment = {0, 20000};
    if (waited < 2e-3)
        sched_yield();
    else
        nanosleep(&moment, NULL);
}

/* MPI's error, XBATCH_COMM_TIMED_OUT, or 0 when all requests are complete */
static int wait_all(int count, MPI_Request *requests, MPI_Status *statuses, int64_t milliseconds) {
    const double begin = MPI_Wtime(), most = 1e-3 * (double)milliseconds;
    for (;;) {
        int is_done = 0;
        const int error = MPI_Testall(count, requests, &is_done, statuses);
        const double waited = MPI_Wtime() - begin;
        if (error != MPI_SUCCESS || is_done) return error;
        if (waited > most) return XBATCH_COMM_TIMED_OUT;
        relax(waited);
    }
}

static int wait_for(void *context, int64_t milliseconds) {
    Layer *const layer = context;
    const int error = wait_all(layer->used, layer->requests, layer->statuses, milliseconds);
    int k;
    if (error) return error;
    for (k = 0; k < layer->used; ++k) {
        int length = 0;
        if (layer->expected[k] < 0) continue;
        MPI_Get_count(layer->statuses + k, MPI_BYTE, &length);
        if (length != layer->expected[k]) return OTHER_LENGTH;
    }
    layer->used = 0;
    return 0;
}

static void abort_layer(void *context) {
    Layer *const layer = context;
    int k;
    for (k = 0; k < layer->used; ++k) {
        if (layer->requests[k] == MPI_REQUEST_NULL) continue;
        if (layer->expected[k] >= 0) MPI_Cancel(layer->requests + k);
        MPI_Request_free(layer->requests + k);
    }
    layer->used = 0;
    layer->is_aborted = 1;
}

static void free_layer(void *context) {
    Layer *const layer = context;
    int is_finalized = 0;
    MPI_Finalized(&is_finalized);
    if (!layer->is_aborted && !is_finalized) MPI_Comm_free(&layer->comm); /* may wait for other ranks */
    free(layer->requests);
    free(layer->statuses);
    free(layer->expected);
    free(layer);
}

/* Duplicates the communicator; ranks that do not take part within the time-out are an error. */
static int duplicate(MPI_Comm native, MPI_Comm *comm) {
    const char *const text = getenv("XBATCH_COMM_TIMEOUT");
    const long given = text ? atol(text) : 0;
    MPI_Request request;
    MPI_Status status;
    const int error = MPI_Comm_idup(native, comm, &request);
    return error ? error : wait_all(1, &request, &status, given > 0 ? given : 300000);
}

static int fill(Layer *layer, MPI_Comm native, xbatchCommLayer_t *out) {
    const int error = duplicate(native, &layer->comm);
    if (error != MPI_SUCCESS) return error;
    MPI_Comm_set_errhandler(layer->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(layer->comm, &layer->rank);
    MPI_Comm_size(layer->comm, &layer->ranks);
    memset(out, 0, sizeof *out);
    out->bytes = sizeof *out;
    out->version = XBATCH_COMM_LAYER_VERSION;
    out->rank = layer->rank, out->ranks = layer->ranks;
    out->hostRank = 0, out->hostRanks = 1; /* not asked: MPI_Comm_split_type waits without a time-out */
    out->alltoallv = alltoallv;
    out->allgatherv = allgatherv;
    out->wait = wait_for;
    out->abort = abort_layer;
    out->free = free_layer;
    return 0;
}

__attribute__((visibility("default"))) int xbatchCommLayerOpen(const char *name, const void *native,
                                                               xbatchCommLayer_t *layer, void **context, char *message,
                                                               size_t messageBytes) {
    MPI_Comm comm = MPI_COMM_WORLD;
    Layer *made;
    int is_ready = 0, is_over = 0, error;
    MPI_Initialized(&is_ready);
    MPI_Finalized(&is_over);
    if (!is_ready || is_over) {
        snprintf(message, messageBytes, "MPI %s", is_over ? "has been finalized" : "has not been initialized");
        return 1;
    }
    if (native && !strcmp(name, "mpi_f"))
        comm = MPI_Comm_f2c(*(const MPI_Fint *)native);
    else if (native)
        comm = *(const MPI_Comm *)native;
    if (comm == MPI_COMM_NULL) {
        snprintf(message, messageBytes, "the communicator is MPI_COMM_NULL");
        return 1;
    }
    made = calloc(1, sizeof *made);
    error = made ? fill(made, comm, layer) : NO_MEMORY;
    if (error) {
        if (error == XBATCH_COMM_TIMED_OUT)
            snprintf(message, messageBytes, "other ranks did not take part in time");
        else
            snprintf(message, messageBytes, "MPI's error code is %d", error);
        if (error != XBATCH_COMM_TIMED_OUT) free(made); /* else MPI may still write the communicator into it */
        return error;
    }
    *context = made;
    return 0;
}
