// mp_plan.cpp: the C functions of plans: the ranks agree on the systems, or refuse them together.
// SPDX-License-Identifier: BSD-3-Clause
#include "mp_plan.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/call.hpp"
#include "core/dispatch.hpp"
#include "gtsv_mp.hpp"
#include "mp_call.hpp"
#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

struct PlanArguments {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const int64_t *offsets;
    int64_t block_stride;
    int flags;
};

constexpr int all_flags = XBATCH_MP_ANY_CUT | XBATCH_MP_ALLTOALL | XBATCH_MP_ALLGATHER;

// What must be the same on all ranks
struct Shared {
    static constexpr int count = 8;
    static constexpr const char *names[count] = {"type",  "layout",  "n",     "nrhs",
                                                 "batch", "offsets", "flags", "the version of the library"};
    int64_t values[count];
};

int64_t hash_of(const int64_t *values, int64_t count) {
    uint64_t hash = 14695981039346656037u;  // FNV-1a, by words
    for (int64_t k = 0; k < count; ++k) hash = (hash ^ uint64_t(values[k])) * 1099511628211u, hash ^= hash >> 29;
    return int64_t(hash);
}

Shared shared_of(const PlanArguments &a, const Partition &p) {
    return {{a.type, a.layout, a.n, a.nrhs, a.batch, hash_of(p.offsets.data(), int64_t(p.offsets.size())), a.flags,
             XBATCH_VERSION}};
}

void check_offsets(Call &call, const PlanArguments &a, int ranks) {
    if (!a.offsets || call.failed()) return;
    call.require(6, "offsets", a.offsets[0] == 0 && a.offsets[ranks] == a.n, "must begin with 0 and end with n");
    call.require(6, "offsets", std::is_sorted(a.offsets, a.offsets + ranks + 1), "must be ascending");
}

void check(Call &call, const Context &context, const PlanArguments &a, int ranks, const void *plan) {
    call.type(a.type);
    call.one_of(2, "layout", a.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.systems(3, a.n, a.nrhs, a.batch, element_size(a.type));
    check_offsets(call, a, ranks);
    call.at_least(7, "blockStride", a.block_stride, nullptr, 0);
    call.require(7, "blockStride", a.block_stride == 0 || a.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED,
                 "must be 0 unless the layout is BLOCK_INTERLEAVED");
    call.require(8, "flags", (a.flags & ~all_flags) == 0, "must be a sum of xbatchMpFlags_t");
    call.require(8, "flags", !(a.flags & XBATCH_MP_ALLTOALL) || !(a.flags & XBATCH_MP_ALLGATHER),
                 "must not have both exchanges");
    call.not_null(9, "plan", plan);
    call.on_backend(context.backend == XBATCH_BACKEND_HOST);
}

// An allgather is one exchange in place of two. It moves more bytes, which cost less than the latency for small ones.
bool is_gathered(const MpPlan &plan, int flags) {
    constexpr int64_t most_bytes = 1 << 20;
    if (flags & (XBATCH_MP_ALLTOALL | XBATCH_MP_ALLGATHER)) return flags & XBATCH_MP_ALLGATHER;
    return counted_product(plan.batch, plan.forward_bytes, int64_t(plan.partition.nodes.size())) <= most_bytes;
}

// Checks that depend on the division; the plan is complete if they pass. Throws std::bad_alloc.
void divide(Call &call, const Context &context, MpPlan &plan, const PlanArguments &a) {
    if (call.failed()) return;
    const bool any_cut = a.flags & XBATCH_MP_ANY_CUT;
    const WrongCut wrong = make_partition(plan.partition, a.n, plan.comm->ranks(), a.offsets, any_cut);
    if (wrong.rank >= 0) {
        const std::string name = "offsets[" + std::to_string(wrong.rank) + "]";
        const std::string what = "must be on a chunk, of which the nearest begins at row " +
                                 std::to_string(wrong.nearest) + ", or the flags have XBATCH_MP_ANY_CUT";
        call.require(6, name.c_str(), false, what.c_str());
    }
    if (call.failed() || plan.is_empty()) return;
    plan.share = host_share(context, plan);
    plan.closer.resize(size_t(plan.comm->ranks()) + 1);
    for (int q = 0; q <= plan.comm->ranks(); ++q) plan.closer[q] = even_cut(plan.batch, q, plan.comm->ranks());
    const GtsvPhases &largest = host_gtsv_phases(plan.type);  // of all routines' messages
    plan.forward_bytes = largest.forward_bytes(plan.nrhs);
    plan.is_gathered = is_gathered(plan, a.flags);
    plan.arrange(plan.forward_bytes, largest.back_bytes(plan.nrhs));
    plan.forward.allocate(), plan.back.allocate();
}

// Compares what all ranks have sent with rank 0.
xbatchStatus_t compare(Context &context, const Messages &messages, int ranks) {
    const auto of = [&](int p) {
        Shared shared;
        std::memcpy(&shared, messages.received.get() + messages.recv_at[p] + header_bytes, sizeof shared);
        return shared;
    };
    const Shared first = of(0);
    for (int p = 1; p < ranks; ++p) {
        const Shared other = of(p);
        for (int k = 0; k < Shared::count; ++k)
            if (other.values[k] != first.values[k])
                return fail(context, XBATCH_STATUS_INVALID_VALUE,
                            "xgtsvMpCreatePlan: rank %d differs from rank 0 in %s: %lld and %lld", p, Shared::names[k],
                            (long long)other.values[k], (long long)first.values[k]);
    }
    return XBATCH_STATUS_SUCCESS;
}

// The status that all ranks return
xbatchStatus_t agree(Context &context, xbatchStatus_t own, Communicator &comm, const Shared &shared,
                     Messages &messages) {
    std::memcpy(messages.sent.get() + header_bytes, &shared, sizeof shared);
    const Heard heard = comm.exchange({Routine::plan, false}, 0, own, messages);
    if (!heard.is_good()) return failure(context, "xgtsvMpCreatePlan", comm, heard, own);
    return compare(context, messages, comm.ranks());
}

xbatchStatus_t create_plan(Context &context, Call &call, xbatchComm_t comm_handle, Communicator &comm,
                           const PlanArguments &a, xbatchMpPlan_t *result) {
    Messages messages;
    const auto bytes = [](int) { return int64_t(sizeof(Shared)); };
    messages.lay_out(comm.ranks(), true, bytes, bytes);
    messages.allocate();
    auto plan = std::make_unique<MpPlan>();
    plan->comm_handle = comm_handle, plan->comm = &comm;
    plan->type = a.type, plan->layout = a.layout, plan->n = a.n, plan->nrhs = a.nrhs, plan->batch = a.batch;
    plan->block_stride = a.block_stride;
    check(call, context, a, comm.ranks(), result);
    xbatchStatus_t status = call.status();
    try {
        divide(call, context, *plan, a);
        status = call.status();
    } catch (const std::bad_alloc &) {
        status = fail(context, XBATCH_STATUS_ALLOC_FAILED, "xgtsvMpCreatePlan: no host memory for the messages");
    }
    status = agree(context, status, comm, shared_of(a, plan->partition), messages);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    plan->number = ++comm.plans;
    *result = live_plans.add(std::move(plan));
    call.log();
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

void MpPlan::arrange(int64_t bytes_of_equations, int64_t bytes_of_ends) {
    const int ranks = comm->ranks(), own = rank();
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
        if (c.is_dead) return dead(context, "xgtsvMpCreatePlan", c);
        const PlanArguments arguments{type, layout, n, nrhs, batch, offsets, blockStride, flags};
        return create_plan(context, call, comm, c, arguments, plan);
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
