// gtsv_launch.cuh: launches a kernel whose blocks hold whole systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "core/cuda.hpp"
#include "tridiagonal.hpp"
#include "tridiagonal_tuning.hpp"

namespace xbatch {

template <class Problem, class Kernel>
xbatchStatus_t launch_gtsv_block(Context &context, const Problem &p, const BlockChoice &choice, bool flat,
                                 Kernel kernel, size_t bytes, const char *name) {
    const BlockShape shape = block_shape(choice.systems, choice.chunks, flat);
    const int64_t blocks = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    const xbatchStatus_t status = check_blocks(context, blocks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    kernel<<<unsigned(blocks), choice.threads, bytes, stream_of(context)>>>(p, shape);
    XBATCH_CUDA_LAUNCHED(context, name);
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch
