// staging.hpp: transfers of matrices between host and GPU, in slices through pinned buffers.
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

// A column-major matrix in bytes. Its columns are host_pitch apart in host memory, and pitch apart on the GPU.
struct Staged {
    char *host;
    int64_t column_bytes, host_pitch, columns, pitch;
    char *device;
};

// Several threads, each with a stream and two pinned buffers: one is transferred while the other is filled or emptied.
// Not for concurrent calls.
class Staging {
public:
    Staging();  // throws if pinned memory or streams are not available; they are never freed
    void upload(const std::vector<Staged> &matrices) { move(matrices, &Staging::upload_slices); }
    // Overwrites the host's matrices, so that a failure cannot be undone: it aborts the process.
    void download(const std::vector<Staged> &matrices);

private:
    static constexpr int64_t slice_bytes = 1 << 20;
    static constexpr int64_t bytes_in_start = 1 << 19;  // that one thread transfers while another starts
    static constexpr int most_lanes = 8;                // threads that saturate the bus
    struct Lane {
        cudaStream_t stream;
        char *pinned[2];
        cudaEvent_t done[2];
    };
    class Slices;
    using Work = void (Staging::*)(const Lane &, Slices &);

    void move(const std::vector<Staged> &matrices, Work work);
    void upload_slices(const Lane &lane, Slices &slices);
    void download_slices(const Lane &lane, Slices &slices);

    int lanes_;
    Lane lane_[most_lanes];
};

}  // namespace xbatch::lapack
