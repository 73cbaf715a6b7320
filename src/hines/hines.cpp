// hines.cpp: the calls of hines.h that solve: their checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines.hpp"

#include <algorithm>

#include "api/entries.hpp"
#include "core/entry.hpp"
#include "hines_call.hpp"

namespace xbatch::hines {
namespace {

constexpr Table<HinesProblem> hines_table{{XBATCH_ROW(hines_host), XBATCH_CUDA_ROW(hines_cuda)}};

// What identifies a solve, except its data
struct HinesShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    xbatchHinesPlan_t handle;
    int64_t nrhs, batch;
    const HinesPlan *plan = live_plans.find(handle);

    void check(Call &call, const Context &context) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.one_of(2, "op", op, XBATCH_OP_C);
        check_plan(call, context, 3, handle);
        call.count(4, "nrhs", nrhs);
        if (call.failed()) return;
        check_batch(call, 5, *plan, batch);
        if (nrhs > 0) check_extent(call, 5, "batch", *plan, batch, nrhs, type);
    }
    bool is_empty() const { return nrhs == 0 || batch == 0; }
    HinesProblem problem(const Context &) const {
        HinesProblem p{};
        p.plan = plan, p.layout = layout, p.nrhs = nrhs, p.batch = batch;
        p.is_conjugated = op == XBATCH_OP_C && is_complex(type);
        return p;
    }
};

struct HinesData {
    const void *u, *l;
    int64_t ldul;
    const void *d;
    int64_t ldd;
    void *B;
    int64_t ldb;
    int32_t *info;

    void check_sizes(Call &call, const HinesShape &s) const {
        const int64_t size = element_size(s.type);
        check_leading_dimension(call, 8, "ldul", *s.plan, s.layout, 1, s.batch, ldul, true, size);
        check_leading_dimension(call, 10, "ldd", *s.plan, s.layout, 1, s.batch, ldd, true, size);
        check_leading_dimension(call, 12, "ldb", *s.plan, s.layout, s.nrhs, s.batch, ldb, false, size);
    }
    void set(Call &call, const HinesShape &s, HinesProblem &p) const {
        call.not_null(6, "u", u);
        call.not_null(7, "l", l);
        call.not_null(9, "d", d);
        call.not_null(11, "B", B);
        const bool is_transposed = s.op != XBATCH_OP_N;
        p.upper = is_transposed ? l : u, p.lower = is_transposed ? u : l, p.d = d, p.b = B;
        p.ldul = ldul, p.ldd = ldd, p.ldb = ldb, p.info = info;
    }
};

}  // namespace

xbatchStatus_t hines_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 xbatchOperation_t op, xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch,
                                 size_t *workspaceBytes) {
    return query(handle, caller, hines_table, HinesShape{type, layout, op, plan, nrhs, batch}, 6, workspaceBytes);
}

xbatchStatus_t hines(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                     xbatchOperation_t op, xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, const void *u,
                     const void *l, int64_t ldul, const void *d, int64_t ldd, void *B, int64_t ldb, int32_t *info,
                     void *workspace, size_t workspaceBytes) {
    const HinesShape shape{type, layout, op, plan, nrhs, batch};
    const HinesData arrays{u, l, ldul, d, ldd, B, ldb, info};
    const auto sizes = [&](Call &call) { arrays.check_sizes(call, shape); };
    const auto data = [&](Call &call, const Context &, HinesProblem &p) { arrays.set(call, shape, p); };
    return solve(handle, caller, hines_table, shape, {14, workspace, workspaceBytes}, sizes, data);
}

}  // namespace xbatch::hines
