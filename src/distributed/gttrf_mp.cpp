// gttrf_mp.cpp: the C functions of distributed factorisations. Factors are a copy of the rank's rows, which a solve
// eliminates again, and on the host the coefficients of all nodes that the rank closes, which it need not send again.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "agreement.hpp"
#include "gtsv_mp.hpp"
#include "mp_solve.hpp"
#include "rearrange/rearrange.hpp"
#include "xbatch/distributed_factor.h"
#include "xbatch/version.h"

namespace xbatch::distributed {
namespace {

using rearrange::RearrangeProblem;
constexpr Table<RearrangeProblem> copies{
    {XBATCH_ROW(rearrange::rearrange_host), XBATCH_CUDA_ROW(rearrange::rearrange_cuda)}};

// What factors hold
struct StoredShare {
    static constexpr int64_t coefficients = 8;  // of a node

    int64_t *shape;  // on the host: the hash of what they were made for
    char *nodes;     // on the host: [closed][nodes of all ranks][coefficients]
    char *dl, *d, *du;
    int64_t ld;  // in the plan's layout; 0: one matrix for all systems
    size_t bytes;

    StoredShare(const MpPlan &plan, int64_t sets, void *buffer) {
        const int64_t rows = plan.share.rows, e = element_size(plan.type);
        const int64_t closed = plan.device ? 0 : plan.closed();
        Carver carver(buffer);
        shape = carver.take<int64_t>(1);
        nodes = carver.take<char>(closed, int64_t(plan.partition.nodes.size()), coefficients, e);
        for (char **array : {&dl, &d, &du}) *array = carver.take<char>(sets, rows, e);
        ld = sets == 1 ? 0 : plan.layout == XBATCH_LAYOUT_FLAT ? std::max<int64_t>(rows, 1) : plan.batch;
        bytes = carver.bytes();
    }
};

int64_t hash_of_shape(const MpPlan &plan, int64_t sets) {
    const Partition &p = plan.partition;
    const int64_t values[] = {plan.type,
                              plan.layout,
                              plan.n,
                              plan.nrhs,
                              plan.batch,
                              sets,
                              plan.rank(),
                              plan.is_gathered,
                              hash_of(p.offsets.data(), int64_t(p.offsets.size())),
                              int64_t(p.nodes.size()),
                              XBATCH_VERSION};
    return hash_of(values, std::size(values));
}

xbatchStatus_t store(Context &context, const MpPlan &plan, int64_t sets, const GtsvArrays &a, const StoredShare &to) {
    if (plan.share.rows == 0) return XBATCH_STATUS_SUCCESS;
    const RearrangeProblem problem{
        plan.share.rows, sets, placement_of(plan, 1, a.ldt, 0), placement_of(plan, 1, to.ld, 0), nullptr, nullptr};
    for (const auto &[from, copy] : {std::pair{a.dl, to.dl}, {a.d, to.d}, {a.du, to.du}}) {
        RearrangeProblem each = problem;
        each.src = from, each.dst = copy;
        const xbatchStatus_t status = copies.run(context, plan.type, each, nullptr);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t gttrf_mp(xbatchMpPlan_t handle, const char *name, int type, int64_t sets, GtsvArrays a, void *factors,
                        void *workspace, size_t bytes) {
    return with_plan(handle, {name, 0}, [&](MpPlan &plan, Context &context, Call &call) {
        if (plan.comm->is_dead) return dead(context, name, *plan.comm);
        call.require(0, "plan", type == any_type || type == plan.type, "must be for the type of this routine");
        call.one_or(1, "sets", sets, "batch", plan.batch);
        check_array(call, 5, "ldt", plan, 1, a.ldt, true);
        if (plan.batch > 1)
            call.require(5, "ldt", (a.ldt == 0) == (sets == 1), "must be 0 where sets = 1, and only there");
        if (plan.is_empty()) return call.status();
        if (plan.share.rows > 0) {
            call.not_null(2, "dl", a.dl);
            call.not_null(3, "d", a.d);
            call.not_null(4, "du", a.du);
        }
        call.not_null(6, "factors", factors);
        call.aligned(6, "factors", factors, 16);
        call.workspace(8, workspace, bytes, gtsv_workspace(context, plan));
        const StoredShare stored(plan, sets, factors);
        // Right-hand sides do not matter, but are read.
        a.factors = Factors::made, a.nodes = stored.nodes, a.B = const_cast<void *>(a.d), a.ldb = a.ldt;
        const xbatchStatus_t status = run_gtsv(context, call, name, plan, Routine::factor, a, 1, workspace);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        if (!plan.device) *stored.shape = hash_of_shape(plan, sets);
        return store(context, plan, sets, a, stored);
    });
}

xbatchStatus_t gttrs_mp(xbatchMpPlan_t handle, const char *name, int type, xbatchOperation_t op, int64_t sets,
                        const void *factors, void *B, int64_t ldb, void *workspace, size_t bytes) {
    return with_plan(handle, {name, 0}, [&](MpPlan &plan, Context &context, Call &call) {
        if (plan.comm->is_dead) return dead(context, name, *plan.comm);
        call.require(0, "plan", type == any_type || type == plan.type, "must be for the type of this routine");
        call.one_of(1, "op", op, XBATCH_OP_C);
        call.supported(1, "op", op == XBATCH_OP_N, "must be XBATCH_OP_N");
        call.one_or(2, "sets", sets, "batch", plan.batch);
        check_array(call, 5, "ldb", plan, plan.nrhs, ldb, false);
        if (plan.is_empty()) return call.status();
        call.not_null(3, "factors", factors);
        call.aligned(3, "factors", factors, 16);
        if (plan.share.rows > 0) call.not_null(4, "B", B);
        GtsvArrays a{nullptr, nullptr, nullptr, 0, B, ldb, nullptr};
        a.factors = Factors::used;
        if (!call.failed()) {
            const StoredShare stored(plan, sets, const_cast<void *>(factors));
            if (!plan.device) call.made_by(3, "factors", "xgttrfMp", *stored.shape == hash_of_shape(plan, sets));
            a.dl = stored.dl, a.d = stored.d, a.du = stored.du, a.ldt = stored.ld;
            a.nodes = stored.nodes;
        }
        call.workspace(6, workspace, bytes, gtsv_workspace(context, plan));
        return run_gtsv(context, call, name, plan, Routine::factored, a, plan.nrhs, workspace);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_GTTRF_MP(name, T, type)                                                                        \
    xbatchStatus_t name(xbatchMpPlan_t plan, int64_t sets, const T *dl, const T *d, const T *du, int64_t ldt, \
                        void *factors, int32_t *info, void *workspace, size_t workspaceBytes) {               \
        return gttrf_mp(plan, #name, type, sets, {dl, d, du, ldt, nullptr, 0, info}, factors, workspace,      \
                        workspaceBytes);                                                                      \
    }
#define XBATCH_GTTRS_MP(name, T, type)                                                                      \
    xbatchStatus_t name(xbatchMpPlan_t plan, xbatchOperation_t op, int64_t sets, const void *factors, T *B, \
                        int64_t ldb, void *workspace, size_t workspaceBytes) {                              \
        return gttrs_mp(plan, #name, type, op, sets, factors, B, ldb, workspace, workspaceBytes);           \
    }

#pragma GCC visibility push(default)
extern "C" {

XBATCH_GTTRF_MP(xgttrfMp, void, any_type)
XBATCH_GTTRF_MP(sgttrfMp, float, XBATCH_R_32F)
XBATCH_GTTRF_MP(dgttrfMp, double, XBATCH_R_64F)
XBATCH_GTTRF_MP(cgttrfMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_GTTRF_MP(zgttrfMp, xbatchComplexDouble_t, XBATCH_C_64F)
XBATCH_GTTRS_MP(xgttrsMp, void, any_type)
XBATCH_GTTRS_MP(sgttrsMp, float, XBATCH_R_32F)
XBATCH_GTTRS_MP(dgttrsMp, double, XBATCH_R_64F)
XBATCH_GTTRS_MP(cgttrsMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_GTTRS_MP(zgttrsMp, xbatchComplexDouble_t, XBATCH_C_64F)

xbatchStatus_t xgttrfMp_bufferSize(xbatchMpPlan_t plan, int64_t sets, size_t *factorBytes, size_t *workspaceBytes) {
    return with_plan(plan, {"xgttrfMp_bufferSize", 0}, [&](MpPlan &p, Context &context, Call &call) {
        call.one_or(1, "sets", sets, "batch", p.batch);
        call.not_null(2, "factorBytes", factorBytes);
        call.not_null(3, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        return call.answer(2, "factorBytes", factorBytes, p.is_empty() ? 0 : StoredShare(p, sets, nullptr).bytes,
                           workspaceBytes, p.is_empty() ? 0 : gtsv_workspace(context, p));
    });
}
xbatchStatus_t xgttrsMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_gtsv(plan, "xgttrsMp_bufferSize", Routine::factored, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
