// plan_arguments.hpp: the arguments of a plan, for ranks and for devices of one process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agreement.hpp"
#include "mp_device.hpp"

namespace xbatch::distributed {

struct PlanArguments {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const int64_t *offsets;
    int64_t block_stride;
    int flags;
};

void check_flags(Call &call, int position, int flags);
void check_plan(Call &call, const PlanArguments &a, int ranks, const void *plan);
// Sets what the arguments say.
void describe(MpPlan &plan, Communicator &comm, const PlanArguments &a);
// Checks that depend on the division; the plan is complete if they pass. Throws std::bad_alloc.
xbatchStatus_t divide(Call &call, Context &context, MpPlan &plan, const PlanArguments &a);
// Who closes which systems, by which exchange, and messages of at most these sizes for a node. Throws std::bad_alloc.
void allocate_messages(MpPlan &plan, int64_t forward_bytes, int64_t back_bytes, int flags);

// A collective function that creates a plan: divide(plan) completes it or refuses the arguments, shared(plan) is what
// all ranks must have alike.
template <class Divide, class SharedOf>
xbatchStatus_t create_plan(Context &context, Call &call, const char *name, xbatchComm_t handle, Communicator &comm,
                           Routine routine, Divide divide, SharedOf shared, xbatchMpPlan_t *result) {
    if (comm.is_dead) return dead(context, name, comm);
    auto plan = std::make_unique<MpPlan>();
    plan->comm_handle = handle;
    xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
    try {
        status = divide(*plan);
    } catch (const std::bad_alloc &) {
        status = fail(context, XBATCH_STATUS_ALLOC_FAILED, "%s: no host memory for the messages", name);
    }
    status = agree(context, name, comm, routine, status, shared(*plan));
    if (status != XBATCH_STATUS_SUCCESS) return status;
    plan->number = ++comm.plans;
    status = connect(context, *plan);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    *result = live_plans.add(std::move(plan));
    call.log();
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::distributed
