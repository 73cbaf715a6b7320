// backend_cuda.cpp: device memory and graphs for the tests.
// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

#include "backend.hpp"

namespace xbatch_test {
namespace {

void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace

void *device_allocate(size_t bytes) {
    void *pointer = nullptr;
    check(cudaMalloc(&pointer, bytes), "cudaMalloc");
    return pointer;
}

void device_free(void *pointer) { cudaFree(pointer); }

void to_device(void *device, const void *host, size_t bytes) {
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy to the device");
    check(cudaDeviceSynchronize(), "copy to the device");  // a copy from pageable memory may still be under way
}

void to_host(void *host, const void *device, size_t bytes) {
    check(cudaDeviceSynchronize(), "waiting for the device");
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy to the host");
}

int device_count() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

void use_device(int device) { check(cudaSetDevice(device), "choice of the device"); }

void capture_and_replay(xbatchHandle_t handle, const std::function<void()> &work, int times,
                        const std::function<void()> &between) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    xbatchSetStream(handle, stream);
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin of capture");
    work();
    check(cudaStreamEndCapture(stream, &graph), "end of capture");
    check(cudaGraphInstantiate(&executable, graph, 0), "instantiation");
    for (int k = 0; k < times; ++k) {
        between();
        check(cudaGraphLaunch(executable, stream), "replay");
        check(cudaStreamSynchronize(stream), "replay");
    }
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    xbatchSetStream(handle, nullptr);
    cudaStreamDestroy(stream);
}

}  // namespace xbatch_test
