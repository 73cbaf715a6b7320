// device_cuda.cpp: device.hpp with CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>

#include "cuda.hpp"
#include "device.hpp"
#include "device_probe.hpp"
#include "device_reason.hpp"

namespace xbatch {
namespace {

std::string text_of(const char *call, cudaError_t error) {
    return failure_text(call, cudaGetErrorString(error), cudaGetErrorName(error));
}

// Why there is no device to be tried, empty if there is one
std::string why_none() {
    int count = 0, driver = 0, runtime = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) return "";
    if (error == cudaSuccess || error == cudaErrorNoDevice) return no_device_text(std::getenv("CUDA_VISIBLE_DEVICES"));
    if (error != cudaErrorInsufficientDriver) return text_of("cudaGetDeviceCount", error);
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    return driver_text(driver, runtime);
}

// Why the current device has no code in this library
std::string why_no_code(int device, cudaError_t error) {
    if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction)
        return text_of("cudaFuncGetAttributes", error);
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    return no_code_text(device, major, minor, xbatchGetProperty(XBATCH_PROPERTY_CUDA_ARCHITECTURES));
}

// Sets the device members of a context; why it cannot be used, empty if it can
std::string use_current_device(Context &context) {
    int device = 0, clusters = 0;
    if (const cudaError_t error = cudaGetDevice(&device)) return text_of("cudaGetDevice", error);
    if (const cudaError_t error = cudaFree(nullptr))  // creates CUDA's own context
        return "device " + std::to_string(device) + ": " + text_of("cudaFree", error);
    if (const cudaError_t error = probe_code()) return why_no_code(device, error);
    const struct {
        int *value;
        cudaDeviceAttr attribute;
    } wanted[] = {{&context.multiprocessors, cudaDevAttrMultiProcessorCount},
                  {&context.shared_per_block, cudaDevAttrMaxSharedMemoryPerBlockOptin},
                  {&clusters, cudaDevAttrClusterLaunch}};
    for (const auto &want : wanted)
        if (const cudaError_t error = cudaDeviceGetAttribute(want.value, want.attribute, device))
            return text_of("cudaDeviceGetAttribute", error);
    context.has_clusters = clusters != 0;
    context.device = device;
    return "";
}

}  // namespace

DeviceAnswer open_device(Context &context) {
    std::string reason = why_none();
    if (reason.empty()) reason = use_current_device(context);
    if (reason.empty()) return {XBATCH_STATUS_SUCCESS, ""};
    cudaGetLastError();  // "no driver" is a regular answer here: clear the error
    return {XBATCH_STATUS_NO_DEVICE, reason};
}

xbatchStatus_t pending_device_error(Context &context) {
    if (context.device_lost) return XBATCH_STATUS_EXECUTION_FAILED;
    // The library has a CUDA runtime of its own, so an error was one of its calls, which reported it. Taken here, it is
    // not reported again, unless the device is lost.
    const cudaError_t error = cudaGetLastError();
    return loses_device(error) ? cuda_status(context, error, "an earlier CUDA call") : XBATCH_STATUS_SUCCESS;
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
