// handle.cpp: the C functions of types.h: handle, version, status texts.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "context.hpp"
#include "device.hpp"
#include "log.hpp"
#include "team.hpp"
#include "xbatch/types.h"
#include "xbatch/version.h"

using xbatch::Context;
using xbatch::live_contexts;

namespace {

template <class Value>
xbatchStatus_t get(Context &context, Value *out, Value value, const char *function, const char *name) {
    if (!out) return xbatch::fail(context, XBATCH_STATUS_INVALID_VALUE, "%s: argument 1, %s = NULL", function, name);
    *out = value;
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

int xbatch::thread_count(const Context &context) {
    return std::min(context.threads > 0 ? context.threads : omp_get_max_threads(), most_threads);
}

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchCreate(xbatchHandle_t *handle, xbatchBackend_t backend) {
    if (!handle) return XBATCH_STATUS_INVALID_VALUE;
    *handle = nullptr;
    if (backend != XBATCH_BACKEND_AUTO && backend != XBATCH_BACKEND_HOST && backend != XBATCH_BACKEND_CUDA)
        return XBATCH_STATUS_INVALID_VALUE;
    try {
        auto context = std::make_unique<Context>();
        if (const char *rows = std::getenv("XBATCH_RUN_ROWS")) context->run_rows = std::max(0, std::atoi(rows));
        if (backend != XBATCH_BACKEND_HOST) {
            const xbatchStatus_t status = xbatch::open_device(*context);
            if (status == XBATCH_STATUS_SUCCESS)
                context->backend = XBATCH_BACKEND_CUDA;
            else if (backend == XBATCH_BACKEND_CUDA)
                return status;
        }
        xbatch::log_line(xbatch::LOG_CALLS, "xbatchCreate: %s backend",
                         context->backend == XBATCH_BACKEND_CUDA ? "CUDA" : "host");
        *handle = live_contexts.add(std::move(context));
    } catch (const std::bad_alloc &) {
        return XBATCH_STATUS_ALLOC_FAILED;
    }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t xbatchDestroy(xbatchHandle_t handle) {
    if (!handle) return XBATCH_STATUS_SUCCESS;
    return live_contexts.remove(handle) ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_HANDLE;
}

xbatchStatus_t xbatchGetBackend(xbatchHandle_t handle, xbatchBackend_t *backend) {
    Context *const context = live_contexts.find(handle);
    if (!context) return XBATCH_STATUS_INVALID_HANDLE;
    return get(*context, backend, context->backend, "xbatchGetBackend", "backend");
}

xbatchStatus_t xbatchSetStream(xbatchHandle_t handle, void *cudaStream) {
    Context *const context = live_contexts.find(handle);
    if (!context) return XBATCH_STATUS_INVALID_HANDLE;
    context->stream = cudaStream;
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t xbatchGetStream(xbatchHandle_t handle, void **cudaStream) {
    Context *const context = live_contexts.find(handle);
    if (!context) return XBATCH_STATUS_INVALID_HANDLE;
    return get(*context, cudaStream, context->stream, "xbatchGetStream", "cudaStream");
}

xbatchStatus_t xbatchSetThreadCount(xbatchHandle_t handle, int threads) {
    Context *const context = live_contexts.find(handle);
    if (!context) return XBATCH_STATUS_INVALID_HANDLE;
    if (threads < 0)
        return xbatch::fail(*context, XBATCH_STATUS_INVALID_VALUE,
                            "xbatchSetThreadCount: argument 1, threads = %d, must be at least 0", threads);
    context->threads = threads;
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t xbatchGetThreadCount(xbatchHandle_t handle, int *threads) {
    Context *const context = live_contexts.find(handle);
    if (!context) return XBATCH_STATUS_INVALID_HANDLE;
    return get(*context, threads, xbatch::thread_count(*context), "xbatchGetThreadCount", "threads");
}

const char *xbatchGetLastErrorMessage(xbatchHandle_t handle) {
    const Context *const context = live_contexts.find(handle);
    return context ? context->message : "the handle is NULL or was destroyed";
}

const char *xbatchGetStatusString(xbatchStatus_t status) {
    switch (status) {
#define XBATCH_STATUS_CASE(name, number, text) \
    case XBATCH_STATUS_##name: return text;
        XBATCH_STATUS_LIST(XBATCH_STATUS_CASE)
#undef XBATCH_STATUS_CASE
        default: return "unknown status";
    }
}

xbatchStatus_t xbatchGetVersion(int *version) {
    if (!version) return XBATCH_STATUS_INVALID_VALUE;
    *version = XBATCH_VERSION;
    return XBATCH_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
