// planes.cuh: which plane of a problem by general strides a block works on: those of the grid's y and z.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// The origin of the block's plane in an array
__device__ inline int64_t origin_of_plane(const Placement &at) {
    return at.origin + int64_t(blockIdx.y) * at.batch.stride[1] + int64_t(blockIdx.z) * at.batch.stride[2];
}
// Where info of its systems begins, or NULL
__device__ inline int32_t *info_of_plane(const GtsvProblem &p) {
    return p.info ? p.info + (blockIdx.y + int64_t(blockIdx.z) * gridDim.y) * p.batch : nullptr;
}
// Turns a problem into that of the block's plane. Where a kernel passes on references to its parameter, it would have
// to be copied: such a kernel takes the functions above.
__device__ inline void enter_plane(GtsvProblem &p) {
    p.info = info_of_plane(p);
    p.a_at.origin = origin_of_plane(p.a_at), p.b_at.origin = origin_of_plane(p.b_at);
}

}  // namespace xbatch::tridiagonal
