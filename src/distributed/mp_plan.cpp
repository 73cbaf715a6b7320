// mp_plan.cpp: the C functions of plans: the ranks agree on the systems, or refuse them together.
// SPDX-License-Identifier: BSD-3-Clause
#include "mp_plan.hpp"

#include <algorithm>

#include "core/dispatch.hpp"
#include "gtsv_mp.hpp"
#include "plan_arguments.hpp"
#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

constexpr int all_flags = XBATCH_MP_ANY_CUT | XBATCH_MP_ALLTOALL | XBATCH_MP_ALLGATHER;

Shared shared_of(const PlanArguments &a, const Partition &p) {
    return {{"type", "layout", "n", "nrhs", "batch", "offsets", "flags", "the version of the library"},
            {a.type, a.layout, a.n, a.nrhs, a.batch, hash_of(p.offsets.data(), int64_t(p.offsets.size())), a.flags,
             XBATCH_VERSION},
            8};
}

}  // namespace

void check_flags(Call &call, int position, int flags) {
    call.require(position, "flags", (flags & ~all_flags) == 0, "must be a sum of xbatchMpFlags_t");
    call.require(position, "flags", !(flags & XBATCH_MP_ALLTOALL) || !(flags & XBATCH_MP_ALLGATHER),
                 "must not have both exchanges");
}

void check_plan(Call &call, const PlanArguments &a, int ranks, const void *plan) {
    call.type(a.type);
    call.one_of(2, "layout", a.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.systems(3, a.n, a.nrhs, a.batch, element_size(a.type));
    check_offsets(call, 6, "n", a.n, a.offsets, ranks);
    call.at_least(7, "blockStride", a.block_stride, nullptr, 0);
    call.require(7, "blockStride", a.block_stride == 0 || a.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED,
                 "must be 0 unless the layout is BLOCK_INTERLEAVED");
    check_flags(call, 8, a.flags);
    call.not_null(9, "plan", plan);
}

namespace {

// An allgather is one exchange in place of two. It moves more bytes, which cost less than the latency for small ones.
bool is_gathered(const MpPlan &plan, int flags) {
    constexpr int64_t most_bytes = 1 << 20;
    if (flags & (XBATCH_MP_ALLTOALL | XBATCH_MP_ALLGATHER)) return flags & XBATCH_MP_ALLGATHER;
    return counted_product(plan.batch, plan.forward_bytes, int64_t(plan.partition.nodes.size())) <= most_bytes;
}

}  // namespace

void allocate_messages(MpPlan &plan, int64_t forward_bytes, int64_t back_bytes, int flags) {
    const int ranks = plan.comm->ranks();
    plan.closer.resize(size_t(ranks) + 1);
    for (int q = 0; q <= ranks; ++q) plan.closer[size_t(q)] = even_cut(plan.batch, q, ranks);
    plan.forward_bytes = forward_bytes;
    plan.is_gathered = is_gathered(plan, flags);
    plan.arrange(plan.nrhs, forward_bytes, back_bytes);
    plan.forward.allocate(), plan.back.allocate();
}

void describe(MpPlan &plan, Communicator &comm, const PlanArguments &a) {
    plan.comm = &comm;
    plan.type = a.type, plan.layout = a.layout, plan.n = a.n, plan.nrhs = a.nrhs, plan.batch = a.batch;
    plan.block_stride = a.block_stride;
}

namespace {

// An element of each system for each of the ranks next to this one
void arrange_edges(MpPlan &plan) {
    for (int q = 0; q < plan.comm->ranks() && plan.share.rows > 0; ++q) {
        if (plan.partition.rows(q) == 0 || q == plan.rank()) continue;
        if (q < plan.rank()) plan.rank_before = q;
        if (q > plan.rank() && plan.rank_after < 0) plan.rank_after = q;
    }
    const int64_t bytes = plan.batch * element_size(plan.type);
    const auto bytes_of = [&](int q) { return q == plan.rank_before || q == plan.rank_after ? bytes : 0; };
    plan.edges.lay_out(plan.comm->ranks(), false, bytes_of, bytes_of);
}

}  // namespace

xbatchStatus_t divide(Call &call, Context &context, MpPlan &plan, const PlanArguments &a) {
    if (call.failed()) return call.status();
    const bool any_cut = a.flags & XBATCH_MP_ANY_CUT;
    check_cut(call, 6, make_partition(plan.partition, a.n, plan.comm->ranks(), a.offsets, any_cut));
    if (call.failed() || plan.is_empty()) return call.status();
    const bool is_on_device = context.backend == XBATCH_BACKEND_CUDA;
    plan.share = is_on_device ? device_share(plan) : host_share(context, plan);
    const GtsvPhases &largest = host_gtsv_phases(plan.type);  // of all routines' messages
    allocate_messages(plan, largest.forward_bytes({}, plan.nrhs), largest.back_bytes(plan.nrhs), a.flags);
    arrange_edges(plan);
    plan.edges.allocate();
    if (is_on_device) plan.device = make_device_share(context, plan);
    return is_on_device && !plan.device ? XBATCH_STATUS_ALLOC_FAILED : XBATCH_STATUS_SUCCESS;
}

void MpPlan::arrange(int64_t sides_of_call, int64_t bytes_of_equations, int64_t bytes_of_ends) {
    const int ranks = comm->ranks(), own = rank();
    sides = sides_of_call;
    forward_bytes = bytes_of_equations, back_bytes = bytes_of_ends;
    const auto sent = [&](int q) {
        return counted_product(is_gathered ? batch : systems_closed_by(q), share.nodes(), forward_bytes);
    };
    const auto received = [&](int q) { return counted_product(closed(), partition.nodes_of(q), forward_bytes); };
    forward.lay_out(ranks, is_gathered, sent, received);
    const auto returning = [&](int q) {
        return counted_product(is_gathered ? 0 : systems_closed_by(own), nodes_back(q), back_bytes);
    };
    // With allgather the closed ends of this rank's nodes, as if it had received them
    const auto returned = [&](int q) {
        const int64_t systems = !is_gathered ? systems_closed_by(q) : q == 0 ? batch : 0;
        return counted_product(systems, nodes_back(own), back_bytes);
    };
    back.lay_out(ranks, false, returning, returned);
}

}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgtsvMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                 int64_t nrhs, int64_t batch, const int64_t *offsets, int64_t blockStride, int flags,
                                 xbatchMpPlan_t *plan) {
    if (plan) *plan = nullptr;
    return with_communicator(comm, "xgtsvMpCreatePlan", [&](Communicator &c, Context &context, Call &call) {
        const PlanArguments a{type, layout, n, nrhs, batch, offsets, blockStride, flags};
        const auto divide_rows = [&](MpPlan &made) {
            describe(made, c, a);
            check_plan(call, a, c.ranks(), plan);
            return divide(call, context, made, a);
        };
        const auto shared = [&](const MpPlan &made) { return shared_of(a, made.partition); };
        return create_plan(context, call, "xgtsvMpCreatePlan", comm, c, Routine::plan, divide_rows, shared, plan);
    });
}

xbatchStatus_t xbatchMpDestroyPlan(xbatchMpPlan_t plan) {
    if (!plan) return XBATCH_STATUS_SUCCESS;
    return live_plans.remove(plan) ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_HANDLE;
}

xbatchStatus_t xbatchMpGetOffsets(xbatchMpPlan_t plan, int64_t *offsets) {
    return with_plan(plan, {"xbatchMpGetOffsets", 0}, [&](MpPlan &p, Context &, Call &call) {
        call.not_null(1, "offsets", offsets);
        if (!call.failed()) std::copy(p.partition.offsets.begin(), p.partition.offsets.end(), offsets);
        return call.status();
    });
}

}  // extern "C"
#pragma GCC visibility pop
