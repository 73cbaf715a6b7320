// plan_arguments.hpp: the arguments of a plan, for ranks and for devices of one process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "mp_plan.hpp"

namespace xbatch::distributed {

struct PlanArguments {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const int64_t *offsets;
    int64_t block_stride;
    int flags;
};

void check_plan(Call &call, const PlanArguments &a, int ranks, const void *plan);
// Sets what the arguments say.
void describe(MpPlan &plan, Communicator &comm, const PlanArguments &a);
// Checks that depend on the division; the plan is complete if they pass. Throws std::bad_alloc.
xbatchStatus_t divide(Call &call, Context &context, MpPlan &plan, const PlanArguments &a);

}  // namespace xbatch::distributed
