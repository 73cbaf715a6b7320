// mp_call.hpp: what the C functions have in common: they find the communicator or plan, and report what ranks agreed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "mp_plan.hpp"

namespace xbatch::distributed {

inline xbatchStatus_t dead(Context &context, const char *function, const Communicator &comm) {
    return fail(context, XBATCH_STATUS_COMM_FAILED, "%s: the communicator is dead: %s", function, comm.why);
}

// The status, with a message, after an exchange that is not good. A rank whose own check gave the same status, `own`,
// has written the message.
inline xbatchStatus_t failure(Context &context, const char *function, Communicator &comm, const Heard &heard,
                              xbatchStatus_t own) {
    if (heard.is_broken || heard.status == XBATCH_STATUS_COMM_FAILED)
        comm.kill("ranks called different functions, or a message was damaged");
    if (comm.is_dead) return fail(context, XBATCH_STATUS_COMM_FAILED, "%s: %s", function, comm.why);
    if (heard.status == own) return own;
    return fail(context, heard.status, "%s: rank %d refused its arguments: %s", function, heard.rank,
                xbatchGetStatusString(heard.status));
}

// body(communicator, context, call) for a function whose first argument is a communicator
template <class Body>
xbatchStatus_t with_communicator(xbatchComm_t comm, const char *name, Body body) {
    Communicator *const found = live_communicators.find(comm);
    if (!found) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(found->handle, {name, 0}, [&](Context &context, Call &call) { return body(*found, context, call); });
}

// body(plan, context, call) for a function whose first argument is a plan
template <class Body>
xbatchStatus_t with_plan(xbatchMpPlan_t plan, Caller caller, Body body) {
    MpPlan *const found = live_plans.find(plan);
    if (!found || !live_communicators.find(found->comm_handle)) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(found->comm->handle, caller,
                   [&](Context &context, Call &call) { return body(*found, context, call); });
}

}  // namespace xbatch::distributed
