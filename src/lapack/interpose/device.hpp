// device.hpp: the process's way to its GPU, and what a call needs there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <future>
#include <mutex>
#include <stdexcept>

#include "core/workspace.hpp"
#include "staging.hpp"

namespace xbatch::lapack {

// Kept until the process ends; one call at a time.
struct Device {
    std::mutex busy;
    Staging staging;
    cudaStream_t stream;
    cudaMemPool_t pool;

    // NULL where there is no GPU
    static Device *opened();

private:
    Device();
    static Device *open();
};

// A column-major matrix of the program on the GPU, where columns begin at multiples of 128 bytes
template <class T>
struct Matrix {
    int64_t rows, columns, ld;
    T *data = nullptr;

    explicit Matrix(int64_t rows, int64_t columns = 1)
        : rows(rows), columns(columns), ld((rows * int64_t(sizeof(T)) + 127) / 128 * 128 / int64_t(sizeof(T))) {}
    void take_from(Carver &carver) { data = carver.take<T>(ld * columns); }
    Staged with(const T *host, int64_t host_ld = 0) const {
        constexpr int64_t size = sizeof(T);
        return {reinterpret_cast<char *>(const_cast<T *>(host)),
                rows * size,
                host_ld * size,
                columns,
                ld * size,
                reinterpret_cast<char *>(data)};
    }
};

// The memory of one call on the GPU: plan(carver) takes it.
class Call {
public:
    template <class Plan>
    Call(Device &device, Plan plan) : device_(device) {
        Carver sizes(nullptr);
        plan(sizes);
        require(cudaMallocFromPoolAsync(&data_, sizes.bytes(), device.pool, device.stream));
        Carver pieces(data_);
        plan(pieces);
        wait();
    }
    Call(const Call &) = delete;
    ~Call() {
        cudaFreeAsync(data_, device_.stream);
        cudaStreamSynchronize(device_.stream);
    }
    void wait() const { require(cudaStreamSynchronize(device_.stream)); }

private:
    Device &device_;
    void *data_ = nullptr;
};

// run(device) when no other call is on the GPU. All of CUDA is done by threads of our own, on the first device: which
// one is current in the program's stays as it is.
template <class Run>
auto on_device(Run run) {
    Device *const device = Device::opened();
    if (!device) throw std::runtime_error("no GPU");
    return std::async(std::launch::async,
                      [&] {
                          const std::lock_guard<std::mutex> lock(device->busy);
                          return run(*device);
                      })
        .get();
}

}  // namespace xbatch::lapack
