// cuda.hpp: conversion of CUDA errors to statuses; macros that return from a function after a failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include "context.hpp"
#include "log.hpp"

namespace xbatch {

inline cudaStream_t stream_of(const Context &context) { return static_cast<cudaStream_t>(context.stream); }

// Errors after which the device's context cannot be used any more
inline bool loses_device(cudaError_t error) {
    switch (error) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorHardwareStackError:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable:
        case cudaErrorDevicesUnavailable:
        case cudaErrorContained: return true;
        default: return false;
    }
}

inline xbatchStatus_t cuda_status(Context &context, cudaError_t error, const char *what) {
    if (error == cudaSuccess) return XBATCH_STATUS_SUCCESS;
    context.device_lost = context.device_lost || loses_device(error);
    return fail(context, XBATCH_STATUS_EXECUTION_FAILED, "%s failed: %s (%s)", what, cudaGetErrorString(error),
                cudaGetErrorName(error));
}

// Whether one launch can have this number of blocks
inline xbatchStatus_t check_blocks(Context &context, int64_t blocks) {
    if (blocks <= INT32_MAX) return XBATCH_STATUS_SUCCESS;
    return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "a batch of %lld blocks exceeds the limit of one launch",
                (long long)blocks);
}

// Sets info [batch] to 0, unless it is NULL, where several blocks report bad pivots of the same system.
inline xbatchStatus_t clear_info(Context &context, int32_t *info, int64_t batch, bool is_shared = true) {
    if (!info || !is_shared) return XBATCH_STATUS_SUCCESS;
    const size_t bytes = size_t(batch) * sizeof(int32_t);
    return cuda_status(context, cudaMemsetAsync(info, 0, bytes, stream_of(context)), "cudaMemsetAsync of info");
}

}  // namespace xbatch

// Returns a status other than SUCCESS from the enclosing function.
#define XBATCH_TRY(...)                                       \
    do {                                                      \
        const xbatchStatus_t status_ = (__VA_ARGS__);         \
        if (status_ != XBATCH_STATUS_SUCCESS) return status_; \
    } while (0)

#define XBATCH_CUDA(context, call) XBATCH_TRY(::xbatch::cuda_status(context, call, #call))
