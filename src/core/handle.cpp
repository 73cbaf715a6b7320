// handle.cpp: the C functions of types.h: handle, version, status texts.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
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

// What xbatchGetLastErrorMessage(NULL) returns: about this thread's last xbatchCreate
thread_local char creation_message[sizeof Context::message] = "";

// Stores the text of a format for this thread; an error is logged.
xbatchStatus_t explain_creation(xbatchStatus_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(creation_message, sizeof creation_message, format, arguments);
    va_end(arguments);
    if (status != XBATCH_STATUS_SUCCESS) xbatch::log_line(xbatch::LOG_ERRORS, "%s", creation_message);
    return status;
}

// A new context of the backend. Throws std::bad_alloc.
xbatchStatus_t make_context(std::unique_ptr<Context> &made, xbatchBackend_t backend) {
    auto context = std::make_unique<Context>();
    if (const char *rows = std::getenv("XBATCH_RUN_ROWS")) context->run_rows = std::max(0, std::atoi(rows));
    if (backend != XBATCH_BACKEND_HOST) {
        const xbatch::DeviceAnswer device = xbatch::open_device(*context);
        if (device.status == XBATCH_STATUS_SUCCESS)
            context->backend = XBATCH_BACKEND_CUDA;
        else if (backend == XBATCH_BACKEND_CUDA)
            return explain_creation(device.status, "xbatchCreate: %s", device.reason.c_str());
        else
            explain_creation(XBATCH_STATUS_SUCCESS, "xbatchCreate: host backend, because %s", device.reason.c_str());
    }
    made = std::move(context);
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

int xbatch::thread_count(const Context &context) {
    return std::min(context.threads > 0 ? context.threads : omp_get_max_threads(), most_threads);
}

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xbatchCreate(xbatchHandle_t *handle, xbatchBackend_t backend) {
    if (!handle)
        return explain_creation(XBATCH_STATUS_INVALID_VALUE,
                                "xbatchCreate: argument 1, handle = NULL, must not be NULL");
    *handle = nullptr;
    creation_message[0] = 0;
    if (backend != XBATCH_BACKEND_AUTO && backend != XBATCH_BACKEND_HOST && backend != XBATCH_BACKEND_CUDA)
        return explain_creation(XBATCH_STATUS_INVALID_VALUE,
                                "xbatchCreate: argument 2, backend = %d, must be one of 0 … 2", int(backend));
    try {
        std::unique_ptr<Context> context;
        if (const xbatchStatus_t status = make_context(context, backend)) return status;
        const bool is_host = context->backend == XBATCH_BACKEND_HOST;
        xbatch::log_line(xbatch::LOG_CALLS, "%s",
                         creation_message[0] ? creation_message
                         : is_host           ? "xbatchCreate: host backend"
                                             : "xbatchCreate: CUDA backend");
        *handle = live_contexts.add(std::move(context));
    } catch (const std::bad_alloc &) {
        return explain_creation(XBATCH_STATUS_ALLOC_FAILED, "xbatchCreate: memory could not be allocated");
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
    if (!handle && creation_message[0]) return creation_message;
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
