// hines_mp.cpp: the C functions of Hines systems whose nodes are distributed, and of their plans.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_mp.hpp"

#include "hines/plan/tree.hpp"
#include "mp_solve.hpp"
#include "plan_arguments.hpp"
#include "xbatch/distributed_hines.h"
#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

struct TreeArguments : PlanArguments {
    const int32_t *parent;
    int index_base;
    xbatchHinesFlags_t tree_flags;
};

void check_tree_plan(Call &call, const Context &context, const TreeArguments &a, int ranks, const void *plan) {
    call.type(a.type);
    call.one_of(2, "layout", a.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.count(3, "n", a.n);
    call.at_most(3, "n", a.n, INT32_MAX, "as parent counts nodes");
    call.one_of(5, "indexBase", a.index_base, 1);
    call.one_of(6, "treeFlags", a.tree_flags, XBATCH_HINES_FOREST);
    call.count(7, "nrhs", a.nrhs);
    call.count(8, "batch", a.batch);
    call.extent(7, "nrhs", a.n, a.nrhs, a.batch, element_size(a.type));
    check_offsets(call, 9, "n", a.n, a.offsets, ranks);
    check_flags(call, 10, a.flags);
    call.not_null(11, "plan", plan);
    if (a.n > 0) call.not_null(4, "parent", a.parent);
    call.on_backend(context.backend == XBATCH_BACKEND_HOST);
}

// Parents counted from 0. Throws std::bad_alloc.
std::vector<int32_t> read_parents(Call &call, const TreeArguments &a) {
    std::vector<int32_t> parent;
    if (call.failed() || a.n == 0) return parent;
    parent.resize(size_t(a.n));
    const bool is_forest = a.tree_flags & XBATCH_HINES_FOREST;
    const hines::TreeFault fault = hines::read_tree({a.n, a.parent, a.index_base, is_forest}, parent.data());
    if (fault.what) {
        const std::string name = "parent[" + std::to_string(fault.node) + "]";
        const std::string what = std::string("must be that of a tree, but of node ") +
                                 std::to_string(fault.node + a.index_base) + ": " + fault.what;
        call.require(4, name.c_str(), false, what.c_str());
    }
    return parent;
}

// The plan is complete if the arguments pass.
xbatchStatus_t divide_tree(Call &call, MpPlan &plan, const TreeArguments &a, const std::vector<int32_t> &parent) {
    plan.is_tree = true;
    if (call.failed()) return call.status();
    auto tree = std::make_unique<TreeShare>();
    const int rank = plan.rank(), ranks = plan.comm->ranks();
    Partition &p = plan.partition;
    check_cut(call, 9, make_tree_share(*tree, p, parent, rank, ranks, a.offsets, a.flags & XBATCH_MP_ANY_CUT));
    if (call.failed() || plan.is_empty()) return call.status();
    plan.share.first_row = p.offsets[size_t(rank)], plan.share.rows = p.rows(rank);
    plan.share.node_slot.resize(size_t(p.nodes_of(rank)) + 1);
    for (size_t k = 0; k < plan.share.node_slot.size(); ++k) plan.share.node_slot[k] = int64_t(k);
    plan.tree = std::move(tree);
    const PhasesOf<HinesArrays> &phases = host_hines_phases(plan.type);
    allocate_messages(plan, phases.forward_bytes({}, plan.nrhs), phases.back_bytes(plan.nrhs), a.flags);
    return XBATCH_STATUS_SUCCESS;
}

Shared shared_of(const TreeArguments &a, const std::vector<int32_t> &parent, const std::vector<int64_t> &offsets) {
    return {{"type", "layout", "n", "parent", "nrhs", "batch", "offsets", "flags or the version of the library"},
            {a.type, a.layout, a.n, hash_of(parent.data(), int64_t(parent.size())), a.nrhs, a.batch,
             hash_of(offsets.data(), int64_t(offsets.size())), int64_t(XBATCH_VERSION) << 32 | a.flags},
            8};
}

xbatchStatus_t hines_mp(xbatchMpPlan_t handle, const char *name, int type, xbatchOperation_t op, const void *u,
                        const void *l, int64_t ldul, const void *d, int64_t ldd, void *B, int64_t ldb, int32_t *info,
                        void *workspace, size_t bytes) {
    const bool is_transposed = op != XBATCH_OP_N;
    const HinesArrays arrays{is_transposed ? l : u, is_transposed ? u : l, ldul, d, ldd, B, ldb, info,
                             op == XBATCH_OP_C};
    const auto check = [&](const MpPlan &plan, Call &call, size_t needed) {
        call.one_of(1, "op", op, XBATCH_OP_C);
        check_array(call, 4, "ldul", plan, 1, ldul, true);
        check_array(call, 6, "ldd", plan, 1, ldd, true);
        check_array(call, 8, "ldb", plan, plan.nrhs, ldb, false);
        if (plan.is_empty() || call.failed()) return;
        if (plan.share.rows > 0) {
            call.not_null(2, "u", u);
            call.not_null(3, "l", l);
            call.not_null(5, "d", d);
            call.not_null(7, "B", B);
        }
        call.workspace(10, workspace, bytes, needed);
    };
    const auto routine = Routine(int(Routine::tree) + (op == XBATCH_OP_T || op == XBATCH_OP_C ? int(op) : 0));
    return solve_mp(handle, name, type, routine, host_hines_phases, arrays, workspace, check, Systems::trees);
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_HINES_MP(name, T, type)                                                                               \
    xbatchStatus_t name(xbatchMpPlan_t plan, xbatchOperation_t op, const T *u, const T *l, int64_t ldul, const T *d, \
                        int64_t ldd, T *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {     \
        return hines_mp(plan, #name, type, op, u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes);         \
    }

#pragma GCC visibility push(default)
extern "C" {

XBATCH_HINES_MP(xhinesMp, void, any_type)
XBATCH_HINES_MP(shinesMp, float, XBATCH_R_32F)
XBATCH_HINES_MP(dhinesMp, double, XBATCH_R_64F)
XBATCH_HINES_MP(chinesMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_HINES_MP(zhinesMp, xbatchComplexDouble_t, XBATCH_C_64F)

xbatchStatus_t xhinesMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_mp(plan, "xhinesMp_bufferSize", host_hines_phases, workspaceBytes, Systems::trees);
}

xbatchStatus_t xhinesMpCreatePlan(xbatchComm_t comm, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                  const int32_t *parent, int indexBase, xbatchHinesFlags_t treeFlags, int64_t nrhs,
                                  int64_t batch, const int64_t *offsets, int flags, xbatchMpPlan_t *plan) {
    if (plan) *plan = nullptr;
    return with_communicator(comm, "xhinesMpCreatePlan", [&](Communicator &c, Context &context, Call &call) {
        const TreeArguments a{{type, layout, n, nrhs, batch, offsets, 0, flags}, parent, indexBase, treeFlags};
        std::vector<int32_t> read;
        const auto divide = [&](MpPlan &made) {
            describe(made, c, a);
            check_tree_plan(call, context, a, c.ranks(), plan);
            read = read_parents(call, a);
            return divide_tree(call, made, a, read);
        };
        const auto shared = [&](const MpPlan &made) { return shared_of(a, read, made.partition.offsets); };
        return create_plan(context, call, "xhinesMpCreatePlan", comm, c, Routine::tree_plan, divide, shared, plan);
    });
}

}  // extern "C"
#pragma GCC visibility pop
