// staging.cpp: threads share a transfer: each takes the next slice when it is free.
// SPDX-License-Identifier: BSD-3-Clause
#include "staging.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <system_error>
#include <thread>

namespace xbatch::lapack {

namespace {

struct Slice {
    const Staged *matrix;
    int64_t begin, bytes;  // offset and size in the device copy

    char *device() const { return matrix->device + begin; }
    // Calls copy(host, pinned, bytes) for the part of each column that lies in the slice.
    template <class Copy>
    void each_column(char *pinned, Copy copy) const {
        for (int64_t c = begin / matrix->pitch; c * matrix->pitch < begin + bytes; ++c) {
            const int64_t top = c * matrix->pitch;
            const int64_t first = std::max<int64_t>(begin - top, 0),
                          last = std::min(begin + bytes - top, matrix->column_bytes);
            if (first < last)
                copy(matrix->host + c * matrix->host_pitch + first, pinned + top + first - begin, last - first);
        }
    }
};

}  // namespace

class Staging::Slices {
public:
    explicit Slices(const std::vector<Staged> &matrices) : matrices_(matrices) {
        for (const Staged &matrix : matrices) bytes_ += bytes_of(matrix);
    }
    int64_t bytes() const { return bytes_; }
    bool take(Slice &slice) {
        int64_t k = next_.fetch_add(1, std::memory_order_relaxed);
        for (const Staged &matrix : matrices_) {
            if (k < count_of(matrix)) {
                const int64_t begin = k * slice_bytes;
                slice = {&matrix, begin, std::min(slice_bytes, bytes_of(matrix) - begin)};
                return true;
            }
            k -= count_of(matrix);
        }
        return false;
    }

private:
    static int64_t bytes_of(const Staged &matrix) { return matrix.pitch * (matrix.columns - 1) + matrix.column_bytes; }
    static int64_t count_of(const Staged &matrix) { return (bytes_of(matrix) + slice_bytes - 1) / slice_bytes; }

    const std::vector<Staged> &matrices_;
    int64_t bytes_ = 0;
    std::atomic<int64_t> next_{0};
};

Staging::Staging() : lanes_(std::clamp(int(std::thread::hardware_concurrency()), 1, most_lanes)) {
    for (Lane &lane : lane_) {
        require(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
        for (int k = 0; k < 2; ++k) {
            require(cudaMallocHost(reinterpret_cast<void **>(&lane.pinned[k]), slice_bytes));
            require(cudaEventCreateWithFlags(&lane.done[k], cudaEventDisableTiming));
        }
    }
}

void Staging::upload_slices(const Lane &lane, Slices &slices) {
    Slice slice;
    for (int k = 0; slices.take(slice); k ^= 1) {
        require(cudaEventSynchronize(lane.done[k]));
        slice.each_column(lane.pinned[k],
                          [](const char *host, char *pinned, int64_t count) { std::memcpy(pinned, host, count); });
        require(cudaMemcpyAsync(slice.device(), lane.pinned[k], slice.bytes, cudaMemcpyHostToDevice, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    }
    require(cudaStreamSynchronize(lane.stream));
}

void Staging::download_slices(const Lane &lane, Slices &slices) {
    const auto fetch = [&](const Slice &slice, int k) {
        require(cudaMemcpyAsync(lane.pinned[k], slice.device(), slice.bytes, cudaMemcpyDeviceToHost, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    };
    Slice slice, next;
    bool more = slices.take(slice);
    if (more) fetch(slice, 0);
    for (int k = 0; more; k ^= 1, slice = next) {
        more = slices.take(next);
        if (more) fetch(next, k ^ 1);
        require(cudaEventSynchronize(lane.done[k]));
        slice.each_column(lane.pinned[k],
                          [](char *host, const char *pinned, int64_t count) { std::memcpy(host, pinned, count); });
    }
}

void Staging::move(const std::vector<Staged> &matrices, Work work) {
    Slices slices(matrices);
    std::vector<std::future<void>> others;
    try {
        for (int l = 1; l < lanes_ && (l + 1) * (l + 1) * bytes_in_start <= slices.bytes(); ++l)
            others.push_back(std::async(std::launch::async, [&, l] { (this->*work)(lane_[l], slices); }));
    } catch (const std::system_error &) {  // no more threads: continue with those that started
    }
    (this->*work)(lane_[0], slices);
    for (std::future<void> &other : others) other.get();
}

void Staging::download(const std::vector<Staged> &matrices) {
    try {
        move(matrices, &Staging::download_slices);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "xbatch_lapack: the GPU was lost while a result was on its way: %s\n", error.what());
        std::abort();
    }
}

}  // namespace xbatch::lapack
