// mp_solve.hpp: the order of phases and exchanges in a distributed solve, and the checks of its arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "mp_call.hpp"

namespace xbatch::distributed {

constexpr int any_type = -1;
enum class Systems { tridiagonal, trees };

inline void check_systems(Call &call, const MpPlan &plan, Systems systems) {
    const bool is_tree = systems == Systems::trees;
    call.require(0, "plan", is_tree == plan.is_tree,
                 is_tree ? "must be from xhinesMpCreatePlan" : "must be from xgtsvMpCreatePlan");
}

// An array's leading dimension, and the distance of its blocks, for the rows of this rank
inline void check_array(Call &call, int position, const char *name, const MpPlan &plan, int64_t nrhs, int64_t ld,
                        bool zero_shares) {
    const int64_t rows = plan.share.rows, size = element_size(plan.type);
    call.array(position, name, plan.layout, rows, nrhs, plan.batch, ld, size, zero_shares);
    if (call.failed() || plan.block_stride == 0 || ld == 0) return;
    call.require(position, name, counted_product(ld, rows) <= plan.block_stride,
                 "times the rows of the share must be at most blockStride");
    call.extent(position, name, plan.block_stride, counted_product((plan.batch - 1) / ld + 1, nrhs), 1, size);
}

// A rank whose arguments are refused sends messages all the same, which say so. One that receives a wrong message lets
// the others know with its answer.
template <class Arrays>
xbatchStatus_t run(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                   const PhasesOf<Arrays> &phases, const Arrays &a, int64_t sides, void *workspace) {
    Communicator &comm = *plan.comm;
    plan.arrange(sides, phases.forward_bytes(a, sides), phases.back_bytes(sides));
    if (!call.failed()) phases.condense(context, plan, a, workspace);
    Heard heard = comm.exchange({routine, false}, plan.number, call.status(), plan.forward);
    if (heard.is_dead || heard.rank >= 0) return failure(context, name, comm, heard, call.status());
    const bool was_broken = heard.is_broken;
    if (!was_broken) phases.close(context, plan, a, workspace);
    if (!plan.is_gathered) {
        const xbatchStatus_t status = was_broken ? XBATCH_STATUS_COMM_FAILED : XBATCH_STATUS_SUCCESS;
        heard = comm.exchange({routine, true}, plan.number, status, plan.back);
        heard.is_broken = heard.is_broken || was_broken;
    }
    if (!heard.is_good()) return failure(context, name, comm, heard, call.status());
    phases.substitute(context, plan, a, workspace);
    return XBATCH_STATUS_SUCCESS;
}

// body(plan, context, call) for a collective function of a type, whose first argument is a plan. With a plan of other
// systems, whose messages are too short, a rank takes no part.
template <class Body>
xbatchStatus_t with_typed_plan(xbatchMpPlan_t handle, const char *name, int type, Body body,
                               Systems systems = Systems::tridiagonal) {
    return with_plan(handle, {name, 0}, [&](MpPlan &plan, Context &context, Call &call) {
        if (plan.comm->is_dead) return dead(context, name, *plan.comm);
        check_systems(call, plan, systems);
        if (call.failed()) return call.status();
        call.require(0, "plan", type == any_type || type == plan.type, "must be for the type of this routine");
        return body(plan, context, call);
    });
}

// Answers bytes(plan, context).
template <class Bytes>
xbatchStatus_t query_plan(xbatchMpPlan_t handle, const char *name, size_t *workspaceBytes, Bytes bytes,
                          Systems systems = Systems::tridiagonal, bool is_for_host = false) {
    return with_plan(handle, {name, 0}, [&](MpPlan &plan, Context &context, Call &call) {
        check_systems(call, plan, systems);
        call.not_null(1, "workspaceBytes", workspaceBytes);
        call.on_backend(!is_for_host || !plan.device);
        if (call.failed()) return call.status();
        return call.answer(1, "workspaceBytes", workspaceBytes, plan.is_empty() ? 0 : bytes(plan, context));
    });
}

// A call on a plan of the host; check(plan, call, bytes of workspace) checks its own arguments.
template <class Arrays, class Check>
xbatchStatus_t solve_mp(xbatchMpPlan_t handle, const char *name, int type, Routine routine,
                        const PhasesOf<Arrays> &(*phases_of)(xbatchDataType_t), const Arrays &a, void *workspace,
                        Check check, Systems systems = Systems::tridiagonal) {
    const auto body = [&](MpPlan &plan, Context &context, Call &call) {
        const PhasesOf<Arrays> &phases = phases_of(plan.type);
        call.on_backend(!plan.device);
        check(plan, call, plan.is_empty() || plan.device ? 0 : phases.workspace(context, plan));
        if (plan.is_empty()) return call.status();
        if (!call.failed()) call.log();
        return run(context, call, name, plan, routine, phases, a, plan.nrhs, workspace);
    };
    return with_typed_plan(handle, name, type, body, systems);
}

template <class Arrays>
xbatchStatus_t query_mp(xbatchMpPlan_t handle, const char *name, const PhasesOf<Arrays> &(*phases_of)(xbatchDataType_t),
                        size_t *workspaceBytes, Systems systems = Systems::tridiagonal) {
    const auto bytes = [&](const MpPlan &plan, const Context &context) {
        return phases_of(plan.type).workspace(context, plan);
    };
    return query_plan(handle, name, workspaceBytes, bytes, systems, true);
}

}  // namespace xbatch::distributed
