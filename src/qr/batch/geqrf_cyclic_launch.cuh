// geqrf_cyclic_launch.cuh: blocks and shared memory of the kernels for small matrices that registers hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "factor_cyclic.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {

template <class T, int SHAPE, CyclicCopies COPIES>
xbatchStatus_t launch_cyclic(Context &context, const CyclicArguments<T> &p) {
    constexpr CyclicShape s = cyclic_shapes<T>[SHAPE];
    const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT;
    const int warps =
        p.at.by_boxes ? cyclic_box_warps<T>(s) : cyclic_warps<T>(s, p.at, is_flat, context.shared_per_block);
    const int64_t blocks = (p.batch - 1) / (warps * s.of_warp()) + 1;
    return Launch(context, blocks, 32 * warps, cyclic_bytes<T>(s, p.at, warps))(factor_cyclic<T, SHAPE, COPIES>,
                                                                                "factor_cyclic", p);
}

// The kernels for boxes, where shapes have them
template <class T>
xbatchStatus_t factor_cyclic_boxes_cuda(Context &context, int shape, const CyclicArguments<T> &p);

}  // namespace xbatch::qr
