// device.hpp: the process's GPU, and the device memory of a call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <future>
#include <mutex>
#include <stdexcept>

#include "core/workspace.hpp"
#include "staging.hpp"

namespace xbatch::lapack {

// Exists until the process ends. One call uses it at a time.
struct Device {
    std::mutex busy;
    Staging staging;
    cudaStream_t stream;
    cudaMemPool_t pool;

    // NULL if there is no GPU
    static Device *opened();

private:
    Device();
    static Device *open();
};

// The device copy of a column-major matrix; columns begin at multiples of 128 bytes.
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

// The device memory of one call; plan(carver) divides it.
class Call {
public:
    template <class Plan>
    Call(Device &device, Plan plan) : device_(device) {
        Carver sizes(nullptr);
        plan(sizes);
        require(cudaMallocFromPoolAsync(&data_, sizes.bytes(), device.pool, device.stream));
        Carver carver(data_);
        plan(carver);
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

// Calls run(device) when no other call uses the GPU. All CUDA calls are made by threads of this library, on the first
// device, so that the current device of the program's threads does not change.
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
