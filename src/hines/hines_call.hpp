// hines_call.hpp: the checks that the calls with a plan have in common.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/call.hpp"
#include "hines.hpp"

namespace xbatch::hines {

// The plan of a handle, not to be used if the call has failed
inline HinesPlan *check_plan(Call &call, const Context &context, int position, xbatchHinesPlan_t handle) {
    call.not_null(position, "plan", handle);
    HinesPlan *const plan = live_plans.find(handle);
    call.require(position, "plan", plan, "must be one that xhinesCreatePlan made and that is not destroyed");
    if (call.failed()) return nullptr;
    call.require(position, "plan", plan->backend == context.backend && plan->device == context.device,
                 "must be of the handle's backend and device");
    call.record("morphologies", plan->groups());
    return plan;
}

inline void check_batch(Call &call, int position, const HinesPlan &plan, int64_t batch) {
    call.at_least(position, "batch", batch, nullptr, 0);
    if (plan.is_mixed) call.same_as(position, "batch", batch, "xhinesCreatePlan", int64_t(plan.morph.size()));
}

// Whether everything that is computed or stored for a batch can be counted: at most that many bytes for each element
inline void check_extent(Call &call, int position, const char *name, const HinesPlan &plan, int64_t batch, int64_t nrhs,
                         xbatchDataType_t type) {
    if (call.failed()) return;
    const int64_t nodes = hines_extent(plan, XBATCH_LAYOUT_INTERLEAVED, 1, batch, std::max<int64_t>(batch, 1));
    call.extent(position, name, nodes, nrhs, 1, 16 * element_size(type));
}

// Checks ld of an array with nrhs elements per node, and that its bytes can be counted; the arguments before are valid.
inline void check_leading_dimension(Call &call, int position, const char *name, const HinesPlan &plan,
                                    xbatchLayout_t layout, int64_t nrhs, int64_t batch, int64_t ld, bool zero_shares,
                                    int64_t element_size) {
    if (plan.is_mixed)
        call.at_least(position, name, ld, nullptr, zero_shares ? 0 : 1);
    else
        call.leading_dimension(position, name, layout, ld, plan.trees[0].n(), batch, zero_shares);
    if (!call.failed()) call.extent(position, name, hines_extent(plan, layout, nrhs, batch, ld), 1, 1, element_size);
}

}  // namespace xbatch::hines
