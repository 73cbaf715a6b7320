// thread_cuda.hpp: the cuHinesBatch paper's kernels, one thread a system, as algorithms to choose.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/hines.hpp"

namespace xbatch::hines {

// A plan's tables on the device.
struct DeviceTrees {
    const int32_t *parent;      // all trees in sequence, each numbered from 0; -1 for roots
    const int64_t *members;     // systems by increasing morphology; NULL if there is one
    const int64_t *first_node;  // nodes of all systems before j; NULL if there is one morphology
};

// The plan's algorithm is THREAD or THREAD_SHARED; the latter is NOT_SUPPORTED if the layout is not BLOCK_INTERLEAVED,
// or if n * BS elements of a morphology are more than a block's shared memory.
template <class T>
xbatchStatus_t hines_thread_cuda(Context &context, const HinesProblem &problem, const DeviceTrees &trees,
                                 void *workspace);

// A pivot for each node of each system; outside FLAT the systems of a morphology are rounded up to a multiple of 32.
template <class T>
size_t hines_thread_workspace(const HinesProblem &problem);

}  // namespace xbatch::hines
