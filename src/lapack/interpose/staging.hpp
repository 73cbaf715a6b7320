// staging.hpp: matrices between a program's memory and a GPU, in pieces through pinned buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace xbatch::lapack {

inline void require(cudaError_t error) {
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

// Bytes of a column-major matrix and where its columns begin in the program's memory; on the GPU they are `pitch`
// apart.
struct Staged {
    char *host;
    int64_t column_bytes, host_pitch, columns, pitch;
    char *device;
};

// Several threads, each with two pinned buffers and a stream of its own: while the bus has one, the other is filled or
// emptied. Not for several calls at once.
class Staging {
public:
    Staging();  // throws where pinned memory or streams are not to be had; none of it is ever given back
    void upload(const std::vector<Staged> &matrices) { move(matrices, &Staging::upload_pieces); }
    // Once begun it cannot be undone: where the GPU is lost on the way the process ends.
    void download(const std::vector<Staged> &matrices);

private:
    static constexpr int64_t piece_bytes = 1 << 20;
    static constexpr int64_t bytes_in_start = 1 << 19;  // that one thread moves while another starts
    static constexpr int most_lanes = 8;                // threads that are enough for the bus
    struct Lane {
        cudaStream_t stream;
        char *pinned[2];
        cudaEvent_t done[2];
    };
    class Pieces;
    using Work = void (Staging::*)(const Lane &, Pieces &);

    void move(const std::vector<Staged> &matrices, Work work);
    void upload_pieces(const Lane &lane, Pieces &pieces);
    void download_pieces(const Lane &lane, Pieces &pieces);

    int lanes_;
    Lane lane_[most_lanes];
};

}  // namespace xbatch::lapack
