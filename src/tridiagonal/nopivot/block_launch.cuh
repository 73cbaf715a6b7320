// block_launch.cuh: launches a kernel whose blocks, or clusters of blocks, hold whole systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cluster_kernel.cuh"
#include "core/chunk.cuh"
#include "core/launch.cuh"
#include "nopivot_tuning.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

template <class Problem, class Kernel>
xbatchStatus_t launch_gtsv_block(Context &context, const Problem &p, const BlockChoice &choice, bool flat,
                                 Kernel kernel, size_t bytes, const char *name) {
    const BlockShape shape = block_shape(choice.systems, choice.chunks, flat);
    const int64_t blocks = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    XBATCH_TRY(check_blocks(context, blocks));
    if (p.info && p.nrhs > 1)
        XBATCH_CUDA(context, cudaMemsetAsync(p.info, 0, size_t(p.batch) * sizeof(int32_t), stream_of(context)));
    return Launch(context, blocks, choice.threads, bytes)(kernel, name, p, shape);
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
    XBATCH_TRY(check_blocks(context, units * choice.parts));
    const size_t bytes = cluster_kernel_bytes<T, R, FLAT, threads>(choice.parts, choice.systems);
    if (p.info) XBATCH_CUDA(context, cudaMemsetAsync(p.info, 0, size_t(p.batch) * sizeof(int32_t), stream_of(context)));
    Launch launch(context, units * choice.parts, threads, bytes);
    launch.cluster(choice.parts);
    if (ahead) XBATCH_TRY(launch.limit_to_resident(kernel));
    return launch(kernel, name, p, shape, choice.parts, unsigned(units));
}

}  // namespace xbatch::tridiagonal
