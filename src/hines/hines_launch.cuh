// hines_launch.cuh: launches the kernels that keep all of a system on chip.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/launch.cuh"
#include "hines/kernels/pipeline_kernels.cuh"
#include "hines/kernels/resident_kernels.cuh"
#include "hines/kernels/resident_tree_kernels.cuh"
#include "hines/kernels/streamed_kernels.cuh"
#include "hines/plan/hines_tables.hpp"

namespace xbatch::hines {

// A kernel, and its last argument
template <class T>
struct RangeKernel {
    void (*kernel)(HinesCall<T>, int64_t, int) = nullptr;
    int argument = 0;
};

template <class T>
RangeKernel<T> kernel_of(const HinesChoice &choice) {
    switch (choice.kernel) {
        case HinesKernel::resident: return {hines_resident<T>, choice.log_lanes};
        case HinesKernel::streamed: return {hines_streamed<T>, choice.systems};
        case HinesKernel::resident_tree: return {hines_resident_trees<T>, choice.systems};
        default: break;
    }
    RangeKernel<T> found;
    for_pipeline_shapes<T>([&](auto shape) {
        using Shape = decltype(shape);
        if (Shape::lanes == choice.lanes && Shape::warps == choice.warps)
            found = {hines_pipelined<T, Shape::lanes, Shape::warps>, choice.depth};
    });
    return found;
}

template <class T>
xbatchStatus_t launch_ranges(Context &context, const HinesCall<T> &call, const HinesChoice &choice, int64_t first,
                             int64_t blocks) {
    const RangeKernel<T> found = kernel_of<T>(choice);
    return Launch(context, blocks * call.nrhs, choice.threads, choice.bytes)(found.kernel, "hines_ranges", call, first,
                                                                             found.argument);
}

}  // namespace xbatch::hines
