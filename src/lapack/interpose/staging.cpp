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

namespace xbatch::lapack {

namespace {

struct Piece {
    const Staged *matrix;
    int64_t begin, bytes;  // of the matrix as it lies on the GPU

    char *device() const { return matrix->device + begin; }
    // copy(host, pinned, bytes) for the part of each column that lies in it
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

class Staging::Pieces {
public:
    explicit Pieces(const std::vector<Staged> &matrices) : matrices_(matrices) {
        for (const Staged &matrix : matrices) bytes_ += bytes_of(matrix);
    }
    int64_t bytes() const { return bytes_; }
    bool take(Piece &piece) {
        int64_t k = next_.fetch_add(1, std::memory_order_relaxed);
        for (const Staged &matrix : matrices_) {
            if (k < count_of(matrix)) {
                const int64_t begin = k * piece_bytes;
                piece = {&matrix, begin, std::min(piece_bytes, bytes_of(matrix) - begin)};
                return true;
            }
            k -= count_of(matrix);
        }
        return false;
    }

private:
    static int64_t bytes_of(const Staged &matrix) { return matrix.pitch * (matrix.columns - 1) + matrix.column_bytes; }
    static int64_t count_of(const Staged &matrix) { return (bytes_of(matrix) + piece_bytes - 1) / piece_bytes; }

    const std::vector<Staged> &matrices_;
    int64_t bytes_ = 0;
    std::atomic<int64_t> next_{0};
};

Staging::Staging() : lanes_(std::clamp(int(std::thread::hardware_concurrency()), 1, most_lanes)) {
    for (Lane &lane : lane_) {
        require(cudaStreamCreateWithFlags(&lane.stream, cudaStreamNonBlocking));
        for (int k = 0; k < 2; ++k) {
            require(cudaMallocHost(reinterpret_cast<void **>(&lane.pinned[k]), piece_bytes));
            require(cudaEventCreateWithFlags(&lane.done[k], cudaEventDisableTiming));
        }
    }
}

void Staging::upload_pieces(const Lane &lane, Pieces &pieces) {
    Piece piece;
    for (int k = 0; pieces.take(piece); k ^= 1) {
        require(cudaEventSynchronize(lane.done[k]));
        piece.each_column(lane.pinned[k],
                          [](const char *host, char *pinned, int64_t count) { std::memcpy(pinned, host, count); });
        require(cudaMemcpyAsync(piece.device(), lane.pinned[k], piece.bytes, cudaMemcpyHostToDevice, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    }
    require(cudaStreamSynchronize(lane.stream));
}

void Staging::download_pieces(const Lane &lane, Pieces &pieces) {
    const auto fetch = [&](const Piece &piece, int k) {
        require(cudaMemcpyAsync(lane.pinned[k], piece.device(), piece.bytes, cudaMemcpyDeviceToHost, lane.stream));
        require(cudaEventRecord(lane.done[k], lane.stream));
    };
    Piece piece, next;
    bool more = pieces.take(piece);
    if (more) fetch(piece, 0);
    for (int k = 0; more; k ^= 1, piece = next) {
        more = pieces.take(next);
        if (more) fetch(next, k ^ 1);
        require(cudaEventSynchronize(lane.done[k]));
        piece.each_column(lane.pinned[k],
                          [](char *host, const char *pinned, int64_t count) { std::memcpy(host, pinned, count); });
    }
}

void Staging::move(const std::vector<Staged> &matrices, Work work) {
    Pieces pieces(matrices);
    std::vector<std::future<void>> others;
    try {
        for (int l = 1; l < lanes_ && (l + 1) * (l + 1) * bytes_in_start <= pieces.bytes(); ++l)
            others.push_back(std::async(std::launch::async, [&, l] { (this->*work)(lane_[l], pieces); }));
    } catch (const std::system_error &) {  // no more threads: those that there are will do
    }
    (this->*work)(lane_[0], pieces);
    for (std::future<void> &other : others) other.get();
}

void Staging::download(const std::vector<Staged> &matrices) {
    try {
        move(matrices, &Staging::download_pieces);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "xbatch_lapack: the GPU was lost while a result was on its way: %s\n", error.what());
        std::abort();
    }
}

}  // namespace xbatch::lapack
