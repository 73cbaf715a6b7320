// comm.cpp: the C functions of communicators, and those that divide batches.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdlib>

#include "core/device.hpp"
#include "mp_call.hpp"
#include "mp_device.hpp"
#include "xbatch/batch_mg.h"

namespace xbatch::distributed {
namespace {

constexpr int64_t default_timeout = 300000, most_timeout = int64_t(1) << 40;  // milliseconds

int64_t first_timeout() {
    const char *const text = std::getenv("XBATCH_COMM_TIMEOUT");
    const int64_t given = text ? std::atoll(text) : 0;
    return given > 0 ? std::min(given, most_timeout) : default_timeout;
}

// Takes the layer's context if it succeeds. Throws std::bad_alloc.
xbatchStatus_t add_communicator(Call &call, xbatchHandle_t handle, const xbatchCommLayer_t &layer, void *context,
                                xbatchComm_t *comm) {
    call.supported(1, "layer", layer.version == XBATCH_COMM_LAYER_VERSION && layer.bytes == sizeof layer,
                   "must have this library's XBATCH_COMM_LAYER_VERSION and size");
    call.require(1, "layer", layer.ranks >= 1 && layer.rank >= 0 && layer.rank < layer.ranks,
                 "must have 0 <= rank < ranks");
    call.require(1, "layer", layer.alltoallv && layer.allgatherv && layer.wait,
                 "must have the functions alltoallv, allgatherv and wait");
    if (call.failed()) return call.status();
    auto made = std::make_unique<Communicator>();
    Communicator &added = *made;
    added.handle = handle, added.timeout = first_timeout();
    *comm = live_communicators.add(std::move(made));
    added.layer = layer, added.context = context;
    return XBATCH_STATUS_SUCCESS;
}

// Parts that are as long as `most` allows; whether they suffice
bool fits(int64_t count, const int64_t *weights, int parts, int64_t most, int64_t *offsets) {
    int64_t k = 0;
    offsets[0] = 0;
    for (int p = 0; p < parts; ++p) {
        for (int64_t sum = 0; k < count && weights[k] <= most - sum; ++k) sum += weights[k];
        offsets[p + 1] = k;
    }
    return k == count;
}

// Consecutive parts whose largest sum is as small as possible
void split_weights(int64_t count, const int64_t *weights, int parts, int64_t *offsets) {
    int64_t least = 0, most = 0;
    for (int64_t k = 0; k < count; ++k) least = std::max(least, weights[k]), most = counted_sum(most, weights[k]);
    while (least < most) {
        const int64_t middle = least + (most - least) / 2;
        if (fits(count, weights, parts, middle, offsets))
            most = middle;
        else
            least = middle + 1;
    }
    fits(count, weights, parts, most, offsets);
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchCommCreate(xbatchHandle_t handle, const char *layer, const void *native, xbatchComm_t *comm) {
    if (comm) *comm = nullptr;
    return guarded(handle, {"xbatchCommCreate", 0}, [&](Context &context, Call &call) {
        call.not_null(3, "comm", comm);
        const char *const name = layer ? layer : std::getenv("XBATCH_COMM_LAYER");
        call.require(1, "layer", name && *name, "must be a name, or the variable XBATCH_COMM_LAYER must be set");
        if (call.failed()) return call.status();
        xbatchCommLayer_t opened = {};
        void *opened_context = nullptr;
        char message[160] = "";
        const DeviceScope scope(context);
        const xbatchStatus_t status = open_layer(name, native, opened, opened_context, message, sizeof message);
        if (status != XBATCH_STATUS_SUCCESS)
            return fail(context, status, "xbatchCommCreate: argument 1, layer = %.40s: %s", name, message);
        const xbatchStatus_t added = add_communicator(call, handle, opened, opened_context, comm);
        if (added != XBATCH_STATUS_SUCCESS && opened.free) opened.free(opened_context);
        return added;
    });
}

xbatchStatus_t xbatchCommCreateCustom(xbatchHandle_t handle, const xbatchCommLayer_t *layer, void *context,
                                      xbatchComm_t *comm) {
    if (comm) *comm = nullptr;
    return guarded(handle, {"xbatchCommCreateCustom", 0}, [&](Context &, Call &call) {
        call.not_null(1, "layer", layer);
        call.not_null(3, "comm", comm);
        if (call.failed()) return call.status();
        return add_communicator(call, handle, *layer, context, comm);
    });
}

xbatchStatus_t xbatchCommDestroy(xbatchComm_t comm) {
    if (!comm) return XBATCH_STATUS_SUCCESS;
    return live_communicators.remove(comm) ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_HANDLE;
}

xbatchStatus_t xbatchCommAbort(xbatchComm_t comm) {
    return with_communicator(comm, "xbatchCommAbort", [](Communicator &c, Context &, Call &) {
        c.kill("xbatchCommAbort was called");
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchCommSynchronize(xbatchComm_t comm) {
    return with_communicator(comm, "xbatchCommSynchronize", [](Communicator &c, Context &context, Call &) {
        if (!c.is_dead && c.layer.asyncError && c.layer.asyncError(c.context)) c.kill("the communication layer failed");
        if (c.is_dead) return fail(context, XBATCH_STATUS_COMM_FAILED, "xbatchCommSynchronize: %s", c.why);
        return context.backend == XBATCH_BACKEND_CUDA ? wait_for_stream(context, c, "xbatchCommSynchronize")
                                                      : XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t xbatchCommGetRank(xbatchComm_t comm, int *rank) {
    return with_communicator(comm, "xbatchCommGetRank", [&](Communicator &c, Context &, Call &call) {
        call.not_null(1, "rank", rank);
        if (!call.failed()) *rank = c.rank();
        return call.status();
    });
}

xbatchStatus_t xbatchCommGetSize(xbatchComm_t comm, int *size) {
    return with_communicator(comm, "xbatchCommGetSize", [&](Communicator &c, Context &, Call &call) {
        call.not_null(1, "size", size);
        if (!call.failed()) *size = c.ranks();
        return call.status();
    });
}

xbatchStatus_t xbatchCommSetTimeout(xbatchComm_t comm, int64_t milliseconds) {
    return with_communicator(comm, "xbatchCommSetTimeout", [&](Communicator &c, Context &, Call &call) {
        call.at_least(1, "milliseconds", milliseconds, nullptr, 1);
        if (!call.failed()) c.timeout = std::min(milliseconds, most_timeout);
        return call.status();
    });
}

xbatchStatus_t xbatchCommGetCounts(xbatchComm_t comm, int64_t *messages, int64_t *bytes) {
    return with_communicator(comm, "xbatchCommGetCounts", [&](Communicator &c, Context &, Call &call) {
        if (messages) *messages = c.messages;
        if (bytes) *bytes = c.bytes;
        return call.status();
    });
}

xbatchStatus_t xbatchCommSplitBatch(xbatchComm_t comm, int64_t batch, int64_t *offsets) {
    return with_communicator(comm, "xbatchCommSplitBatch", [&](Communicator &c, Context &, Call &call) {
        call.count(1, "batch", batch);
        call.not_null(2, "offsets", offsets);
        for (int p = 0; !call.failed() && p <= c.ranks(); ++p) offsets[p] = even_cut(batch, p, c.ranks());
        return call.status();
    });
}

xbatchStatus_t xbatchCommSplitWeights(xbatchComm_t comm, int64_t count, const int64_t *weights, int64_t *offsets) {
    return with_communicator(comm, "xbatchCommSplitWeights", [&](Communicator &c, Context &, Call &call) {
        call.count(1, "count", count);
        if (count > 0) call.not_null(2, "weights", weights);
        call.not_null(3, "offsets", offsets);
        if (call.failed()) return call.status();
        const bool are_valid = std::all_of(weights, weights + count, [](int64_t w) { return w >= 0; });
        call.require(2, "weights", are_valid, "must not be negative");
        if (!call.failed()) split_weights(count, weights, c.ranks(), offsets);
        return call.status();
    });
}

xbatchStatus_t xbatchMgSplitBatch(int devices, int64_t block, int64_t batch, int64_t *offsets) {
    if (devices < 1 || block < 1 || batch < 0 || !offsets) return XBATCH_STATUS_INVALID_VALUE;
    const int64_t blocks = batch / block + (batch % block != 0);
    for (int k = 0; k < devices; ++k) offsets[k] = even_cut(blocks, k, devices) * block;
    offsets[devices] = batch;
    return XBATCH_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
