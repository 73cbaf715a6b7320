// staging.cpp: which thread moves which piece: the next one, whoever is free.
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
#include <vector>

namespace xbatch::lapack {

// Pieces of the matrix as it lies on the GPU
class Staging::Pieces {
public:
    explicit Pieces(const Staged &matrix)
        : bytes_(matrix.pitch * matrix.columns), count_((bytes_ + piece_bytes - 1) / piece_bytes) {}
    int64_t count() const { return count_; }
    bool take(int64_t &piece) { return (piece = next_.fetch_add(1, std::memory_order_relaxed)) < count_; }
    int64_t begin(int64_t piece) const { return piece * piece_bytes; }
    int64_t bytes(int64_t piece) const { return std::min(piece_bytes, bytes_ - begin(piece)); }

private:
    int64_t bytes_, count_;
    std::atomic<int64_t> next_{0};
};

namespace {

// copy(host, pinned, bytes) for the part of each column that lies in a piece
template <class Copy>
void each_column(const Staged &matrix, char *pinned, int64_t begin, int64_t bytes, Copy copy) {
    for (int64_t c = begin / matrix.pitch; c * matrix.pitch < begin + bytes; ++c) {
        const int64_t first = std::max<int64_t>(begin - c * matrix.pitch, 0);
        const int64_t last = std::min(begin + bytes - c * matrix.pitch, matrix.column_bytes);
        if (first < last)
            copy(matrix.host + c * matrix.host_pitch + first, pinned + c * matrix.pitch + first - begin, last - first);
    }
}

}  // namespace

Staging::Staging() : lanes_(std::clamp(int(std::thread::hardware_concurrency()), 1, most_lanes)) {
    for (Lane &lane : lane_) {
        require(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
        for (int k = 0; k < 2; ++k) {
            require(cudaMallocHost(reinterpret_cast<void **>(&lane.pinned[k]), piece_bytes));
            require(cudaEventCreateWithFlags(&lane.done[k], cudaEventDisableTiming));
        }
    }
}

void Staging::upload_pieces(const Lane &lane, const Staged &matrix, Pieces &pieces) {
    int64_t piece;
    for (int k = 0; pieces.take(piece); k ^= 1) {
        const int64_t begin = pieces.begin(piece), bytes = pieces.bytes(piece);
        require(cudaEventSynchronize(lane.done[k]));
        each_column(matrix, lane.pinned[k], begin, bytes,
                    [](const char *host, char *pinned, int64_t count) { std::memcpy(pinned, host, count); });
        require(cudaMemcpyAsync(matrix.device + begin, lane.pinned[k], bytes, cudaMemcpyHostToDevice, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    }
    require(cudaStreamSynchronize(lane.stream));
}

void Staging::download_pieces(const Lane &lane, const Staged &matrix, Pieces &pieces) {
    const auto fetch = [&](int64_t piece, int k) {
        require(cudaMemcpyAsync(lane.pinned[k], matrix.device + pieces.begin(piece), pieces.bytes(piece),
                                cudaMemcpyDeviceToHost, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    };
    int64_t piece, next;
    bool more = pieces.take(piece);
    if (more) fetch(piece, 0);
    for (int k = 0; more; k ^= 1, piece = next) {
        more = pieces.take(next);
        if (more) fetch(next, k ^ 1);
        require(cudaEventSynchronize(lane.done[k]));
        each_column(matrix, lane.pinned[k], pieces.begin(piece), pieces.bytes(piece),
                    [](char *host, const char *pinned, int64_t count) { std::memcpy(host, pinned, count); });
    }
}

void Staging::move(const Staged &matrix, Work work) {
    Pieces pieces(matrix);
    std::vector<std::future<void>> others;
    try {
        for (int l = 1; l < std::min<int64_t>(lanes_, pieces.count()); ++l)
            others.push_back(std::async(std::launch::async, [&, l] { (this->*work)(lane_[l], matrix, pieces); }));
    } catch (const std::system_error &) {  // no more threads: those that there are will do
    }
    (this->*work)(lane_[0], matrix, pieces);
    for (std::future<void> &other : others) other.get();
}

void Staging::download(const Staged &matrix) {
    try {
        move(matrix, &Staging::download_pieces);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "xbatch_lapack: the GPU was lost while a result was on its way: %s\n", error.what());
        std::abort();
    }
}

}  // namespace xbatch::lapack
