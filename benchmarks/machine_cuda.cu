// machine_cuda.cu: memory, data and time on the current CUDA device, all on the default stream.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <set>

#include "machine.hpp"
#include "peers/cuda_check.hpp"

namespace bench {
namespace {

constexpr int warm_ups = 2, repetitions = 9;
constexpr unsigned block = 256;

unsigned grid(int64_t count) { return unsigned(std::min<int64_t>((count + block - 1) / block, 1 << 16)); }

// From a pool that returns nothing to the driver: for about 10 ms after memory was returned, while the driver
// clears it, an H200 copies at 3.7 instead of 4.1 TB/s.
void *allocate(size_t bytes) {
    void *data = nullptr;
    BENCH_CUDA(cudaMallocAsync(&data, std::max<size_t>(bytes, 1), nullptr));
    return data;
}

void release(void *data) { cudaFreeAsync(data, nullptr); }

void keep_freed_memory(int device) {
    cudaMemPool_t pool;
    uint64_t everything = UINT64_MAX;
    BENCH_CUDA(cudaDeviceGetDefaultMemPool(&pool, device));
    BENCH_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
}

void copy(void *to, const void *from, size_t bytes) { BENCH_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault)); }

template <class R>
__global__ void fill_kernel(R *data, int64_t count, double low, double high, uint32_t seed) {
    for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count; i += gridDim.x * int64_t(blockDim.x))
        data[i] = R(low + (high - low) * random_number(uint64_t(i), seed));
}

template <class R>
void fill(R *data, int64_t count, double low, double high, uint32_t seed) {
    if (count == 0) return;
    fill_kernel<<<grid(count), block>>>(data, count, low, high, seed);
    BENCH_CUDA(cudaGetLastError());
}

// An element is `words` words of four bytes.
__global__ void gather_kernel(uint32_t *to, const uint32_t *from, int words, int64_t base, int64_t step,
                              int64_t count) {
    for (int64_t k = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; k < count * words;
         k += gridDim.x * int64_t(blockDim.x))
        to[k] = from[(base + k / words * step) * words + k % words];
}

void gather(void *to_host, const void *data, size_t size, int64_t base, int64_t step, int64_t count) {
    if (count == 0) return;
    const int words = int(size / sizeof(uint32_t));
    uint32_t *packed = static_cast<uint32_t *>(allocate(size_t(count) * size));
    gather_kernel<<<grid(count * words), block>>>(packed, static_cast<const uint32_t *>(data), words, base, step,
                                                  count);
    BENCH_CUDA(cudaGetLastError());
    BENCH_CUDA(cudaMemcpy(to_host, packed, size_t(count) * size, cudaMemcpyDeviceToHost));
    release(packed);
}

// Events around one call. It is queued while `restore` still runs, so its launch on the host is hidden, for xbatch
// and for the peers alike; a waited one is timed by the host from an idle device to an idle device.
Milliseconds time_call(const Action &restore, const Action &call, Timing timing) {
    cudaEvent_t begin, end;
    BENCH_CUDA(cudaEventCreate(&begin));
    BENCH_CUDA(cudaEventCreate(&end));
    const auto by_events = [&] {
        restore();
        BENCH_CUDA(cudaEventRecord(begin));
        call();
        BENCH_CUDA(cudaEventRecord(end));
        BENCH_CUDA(cudaEventSynchronize(end));
        float time = 0;
        BENCH_CUDA(cudaEventElapsedTime(&time, begin, end));
        return double(time);
    };
    const auto by_host = [&] {
        restore();
        BENCH_CUDA(cudaDeviceSynchronize());
        return host_ms([&] {
            call();
            BENCH_CUDA(cudaDeviceSynchronize());
        });
    };
    const Milliseconds time = timing.waited ? repeated(by_host, warm_ups, repetitions, timing.once)
                                            : repeated(by_events, warm_ups, repetitions, timing.once);
    BENCH_CUDA(cudaEventDestroy(begin));
    BENCH_CUDA(cudaEventDestroy(end));
    return time;
}

}  // namespace

int device_count() {
    int devices = 0;
    BENCH_CUDA(cudaGetDeviceCount(&devices));
    return devices;
}

void use_device(int device) {
    static std::set<int> used;
    BENCH_CUDA(cudaSetDevice(device));
    if (used.insert(device).second) keep_freed_memory(device);
}

void wait_for_device() { BENCH_CUDA(cudaDeviceSynchronize()); }

Action recorded(const std::function<void(void *stream)> &record) {
    cudaStream_t made;
    BENCH_CUDA(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    const std::shared_ptr<CUstream_st> stream(made, cudaStreamDestroy);
    BENCH_CUDA(cudaDeviceSynchronize());
    cudaGraph_t graph = nullptr;
    const auto end = [&] {
        const cudaError_t error = cudaStreamEndCapture(made, &graph);
        cudaGetLastError();  // a call that cannot be recorded is an answer, not an error of a later call
        return error;
    };
    BENCH_CUDA(cudaStreamBeginCapture(made, cudaStreamCaptureModeRelaxed));
    try {
        record(made);
    } catch (...) {
        if (end() == cudaSuccess) cudaGraphDestroy(graph);
        throw;
    }
    check_cuda(end(), "cudaStreamEndCapture");
    cudaGraphExec_t executable;
    const cudaError_t error = cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphDestroy(graph);
    check_cuda(error, "cudaGraphInstantiate");
    return [replay = std::shared_ptr<CUgraphExec_st>(executable, cudaGraphExecDestroy)] {
        BENCH_CUDA(cudaGraphLaunch(replay.get(), nullptr));
    };
}

std::optional<Machine> cuda_machine() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        cudaGetLastError();  // the absence of a device is an answer here, not an error of a later call
        return std::nullopt;
    }
    int device = 0;
    cudaDeviceProp properties;
    BENCH_CUDA(cudaGetDevice(&device));
    BENCH_CUDA(cudaGetDeviceProperties(&properties, device));
    keep_freed_memory(device);
    return Machine{XBATCH_BACKEND_CUDA, properties.name, allocate, release,  copy,
                   fill<float>,         fill<double>,    gather,   time_call};
}

}  // namespace bench
