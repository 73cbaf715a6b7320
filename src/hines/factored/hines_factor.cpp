// hines_factor.cpp: the routines of hines_factor.h: checks of their arguments, and the tables of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_factor.hpp"

#include "api/entries.hpp"
#include "core/entry.hpp"
#include "core/factor_table.hpp"
#include "hines/hines_call.hpp"

namespace xbatch::hines {
namespace {

constexpr FactorTable<HinesFactorProblem> factor_table{
    {{XBATCH_ROW(hines_factor_host), XBATCH_CUDA_ROW(hines_factor_cuda)}},
    {XBATCH_SIZE_ROW(hines_factor_host_factors), XBATCH_CUDA_SIZE_ROW(hines_factor_cuda_factors)}};
constexpr Table<HinesSolveProblem> solve_table{{XBATCH_ROW(hines_solve_host), XBATCH_CUDA_ROW(hines_solve_cuda)}};

// With morph: one matrix for each system or for each morphology
void check_mixed_sets(Call &call, int position, const char *name, const HinesPlan &plan, int64_t sets) {
    call.record(name, sets);
    call.require(position, name, sets == int64_t(plan.morph.size()) || sets == plan.groups(),
                 "must be the plan's batch or its number of morphologies");
}

struct FactorShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchHinesPlan_t handle;
    int64_t sets;
    const HinesPlan *plan = live_plans.find(handle);

    void check(Call &call, const Context &context) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        check_plan(call, context, 2, handle);
        if (call.failed()) return;
        if (plan->is_mixed)
            check_mixed_sets(call, 3, "batch", *plan, sets);
        else
            call.count(3, "batch", sets);
        check_extent(call, 3, "batch", *plan, sets, 1, type);
    }
    void check_ld(Call &call, int position, const char *name, int64_t ld) const {
        check_leading_dimension(call, position, name, *plan, layout, 1, sets, ld, true, element_size(type));
        if (plan->is_mixed && is_shared(*plan, sets))
            call.at_most(position, name, ld, 0, "where batch is the number of morphologies");
    }
    bool is_empty() const { return sets == 0; }
    HinesFactorProblem problem(const Context &) const {
        HinesFactorProblem p{};
        p.plan = plan, p.layout = layout, p.sets = sets;
        return p;
    }
};

struct SolveShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    xbatchHinesPlan_t handle;
    int64_t nrhs, batch, sets;
    const HinesPlan *plan = live_plans.find(handle);

    void check(Call &call, const Context &context) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.one_of(2, "op", op, XBATCH_OP_C);
        check_plan(call, context, 3, handle);
        call.count(4, "nrhs", nrhs);
        if (call.failed()) return;
        check_batch(call, 5, *plan, batch);
        check_extent(call, 5, "batch", *plan, batch, nrhs, type);
        if (plan->is_mixed)
            check_mixed_sets(call, 6, "sets", *plan, sets);
        else
            call.one_or(6, "sets", sets, "batch", batch);
    }
    bool is_empty() const { return nrhs == 0 || batch == 0; }
    HinesSolveProblem problem(const Context &) const {
        HinesSolveProblem p{};
        p.plan = plan, p.layout = layout, p.nrhs = nrhs, p.batch = batch, p.sets = sets;
        p.is_transposed = op != XBATCH_OP_N, p.is_conjugated = op == XBATCH_OP_C && is_complex(type);
        return p;
    }
    // To be called before anything is written. Factors in device memory cannot be checked.
    void check_factors(Call &call, const Context &context, int position, const void *factors) const {
        constexpr const char *maker = "xhinesFactorBatch";
        call.aligned(position, "factors", factors, factor_alignment);
        if (call.failed() || context.backend == XBATCH_BACKEND_CUDA) return;
        const HinesFactorHeader &header = *static_cast<const HinesFactorHeader *>(factors);
        call.made_by(position, "factors", maker, header.kind == HinesFactorHeader::kind_of_all && header.type == type);
        call.same_as(1, "layout", layout, maker, header.layout);
        call.require(3, "plan", header.nodes == all_nodes(*plan), "must be as in xhinesFactorBatch");
        call.same_as(6, "sets", sets, maker, header.sets);
    }
};

}  // namespace

xbatchStatus_t hines_factor_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                        xbatchLayout_t layout, xbatchHinesPlan_t plan, int64_t sets,
                                        size_t *factorBytes, size_t *workspaceBytes) {
    const auto bytes_of = [&](const Context &context, const HinesFactorProblem &p) {
        return factor_table.factor_bytes(context, type, p);
    };
    return query(handle, caller, factor_table.routine, FactorShape{type, layout, plan, sets}, 4, "factorBytes",
                 factorBytes, bytes_of, workspaceBytes);
}

xbatchStatus_t hines_factor(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                            xbatchHinesPlan_t plan, int64_t sets, const void *u, const void *l, int64_t ldul,
                            const void *d, int64_t ldd, void *factors, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    const FactorShape shape{type, layout, plan, sets};
    const auto sizes = [&](Call &call) {
        shape.check_ld(call, 6, "ldul", ldul);
        shape.check_ld(call, 8, "ldd", ldd);
    };
    const auto data = [&](Call &call, const Context &, HinesFactorProblem &p) {
        call.not_null(4, "u", u);
        call.not_null(5, "l", l);
        call.not_null(7, "d", d);
        call.not_null(9, "factors", factors);
        call.aligned(9, "factors", factors, factor_alignment);
        p.u = u, p.l = l, p.ldul = ldul, p.d = d, p.ldd = ldd, p.factors = factors, p.info = info;
    };
    return solve(handle, caller, factor_table.routine, shape, {11, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t hines_solve_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                                       int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return query(handle, caller, solve_table, SolveShape{type, layout, op, plan, nrhs, batch, sets}, 7, workspaceBytes);
}

xbatchStatus_t hines_solve(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                           xbatchOperation_t op, xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, int64_t sets,
                           const void *factors, void *B, int64_t ldb, void *workspace, size_t workspaceBytes) {
    const SolveShape shape{type, layout, op, plan, nrhs, batch, sets};
    const auto sizes = [&](Call &call) {
        check_leading_dimension(call, 9, "ldb", *shape.plan, layout, nrhs, batch, ldb, false, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, HinesSolveProblem &p) {
        call.not_null(7, "factors", factors);
        call.not_null(8, "B", B);
        p.factors = factors, p.b = B, p.ldb = ldb;
    };
    const auto stored = [&](Call &call, const Context &context) { shape.check_factors(call, context, 7, factors); };
    return solve(handle, caller, solve_table, shape, {10, workspace, workspaceBytes}, sizes, data, stored);
}

}  // namespace xbatch::hines
