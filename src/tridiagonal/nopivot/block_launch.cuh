// block_launch.cuh: launches a kernel whose blocks, or clusters of blocks, hold whole systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cluster_kernel.cuh"
#include "core/chunk.cuh"
#include "core/cuda.hpp"
#include "nopivot_tuning.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

template <class Problem, class Kernel>
xbatchStatus_t launch_gtsv_block(Context &context, const Problem &p, const BlockChoice &choice, bool flat,
                                 Kernel kernel, size_t bytes, const char *name) {
    const BlockShape shape = block_shape(choice.systems, choice.chunks, flat);
    const int64_t blocks = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    const xbatchStatus_t status = check_blocks(context, blocks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    if (p.info && p.nrhs > 1)
        XBATCH_CUDA(context, cudaMemsetAsync(p.info, 0, size_t(p.batch) * sizeof(int32_t), stream_of(context)));
    kernel<<<unsigned(blocks), choice.threads, bytes, stream_of(context)>>>(p, shape);
    XBATCH_CUDA_LAUNCHED(context, name);
    return XBATCH_STATUS_SUCCESS;
}

// Where clusters ask for rows ahead, as many as run at once share the units of work; otherwise there is one for each.
template <class Scheme, class T, int R, bool FLAT>
xbatchStatus_t launch_gtsv_cluster(Context &context, const GtsvProblem &p, const ClusterChoice &choice,
                                   const char *name) {
    using Tuning = ClusterTuning<T>;
    constexpr bool ahead = asks_ahead<R, FLAT>;
    constexpr int threads = Tuning::threads, resident = ahead ? Tuning::ahead_blocks : Tuning::blocks;
    const auto kernel = gtsv_cluster<Scheme, T, R, FLAT, threads, resident>;
    const BlockShape shape = block_shape(choice.systems, choice.chunks, FLAT);
    const int64_t units = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    const xbatchStatus_t status = check_blocks(context, units * choice.parts);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const size_t bytes = cluster_kernel_bytes<T, R, FLAT, threads>(choice.parts, choice.systems);
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    if (p.info) XBATCH_CUDA(context, cudaMemsetAsync(p.info, 0, size_t(p.batch) * sizeof(int32_t), stream_of(context)));
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = unsigned(choice.parts), cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch{};
    launch.gridDim = dim3(unsigned(choice.parts)), launch.blockDim = dim3(threads);
    launch.dynamicSmemBytes = bytes, launch.stream = stream_of(context);
    launch.attrs = &cluster, launch.numAttrs = 1;
    int64_t clusters = units;
    if (ahead) {
        int at_once = 0;
        XBATCH_CUDA(context, cudaOccupancyMaxActiveClusters(&at_once, kernel, &launch));
        clusters = std::min<int64_t>(units, std::max(at_once, 1));
    }
    launch.gridDim.x *= unsigned(clusters);
    XBATCH_CUDA(context, cudaLaunchKernelEx(&launch, kernel, p, shape, choice.parts, unsigned(units)));
    XBATCH_CUDA_LAUNCHED(context, name);
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::tridiagonal
