// device_cuda.cpp: device.hpp with CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "cuda.hpp"
#include "device.hpp"

namespace xbatch {

xbatchStatus_t open_device(Context &context) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        cudaGetLastError();  // "no driver" is a regular answer here: clear the error
        return XBATCH_STATUS_NO_DEVICE;
    }
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || cudaFree(nullptr) != cudaSuccess) {
        cudaGetLastError();
        return XBATCH_STATUS_NO_DEVICE;
    }
    context.device = device;
    cudaDeviceGetAttribute(&context.multiprocessors, cudaDevAttrMultiProcessorCount, device);
    int clusters = 0;
    cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, device);
    context.has_clusters = clusters != 0;
    cudaDeviceGetAttribute(&context.shared_per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return cudaGetLastError() == cudaSuccess ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_NO_DEVICE;
}

xbatchStatus_t pending_device_error(Context &context) {
    if (context.device_lost) return XBATCH_STATUS_EXECUTION_FAILED;
    return cuda_status(context, cudaPeekAtLastError(), "an earlier CUDA call");
}

DeviceScope::DeviceScope(const Context &context) {
    int current = -1;
    if (cudaGetDevice(&current) == cudaSuccess && current != context.device &&
        cudaSetDevice(context.device) == cudaSuccess)
        previous_ = current;
}

DeviceScope::~DeviceScope() {
    if (previous_ >= 0) cudaSetDevice(previous_);
}

ProfilerRange::ProfilerRange(const char *name) { nvtxRangePushA(name); }
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }

}  // namespace xbatch
