// factor.cpp: the routines of tridiagonal_factor.h: checks of their arguments, and the tables of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_call.hpp"

#include "api/entries.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr FactorTable<GttrfProblem> gttrf_table{
    {{XBATCH_ROW(gttrf_host), XBATCH_CUDA_ROW(gttrf_cuda)}},
    {XBATCH_SIZE_ROW(gttrf_host_factors), XBATCH_CUDA_SIZE_ROW(gttrf_cuda_factors)}};
constexpr Table<GttrsProblem> gttrs_table{{XBATCH_ROW(gttrs_host), XBATCH_CUDA_ROW(gttrs_cuda)}};
constexpr Table<GtconProblem> gtcon_table{{XBATCH_ROW(gtcon_host), XBATCH_CUDA_ROW(gtcon_cuda)}};
constexpr FactorPositions gttrs_arguments{"xgttrfBatch", FactorHeader::lu, 1, 3, 6, 7, "sets"};
constexpr FactorPositions gtcon_arguments{"xgttrfBatch", FactorHeader::lu, 1, 3, 4, 5, "batch"};

struct GttrsShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    int64_t n, nrhs, batch, sets;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.one_of(2, "op", op, XBATCH_OP_C);
        call.systems(3, n, nrhs, batch, bytes_for_element(type));
        call.one_or(6, "sets", sets, "batch", batch);
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    GttrsProblem problem(const Context &) const { return {layout, op, n, nrhs, batch, sets, nullptr, nullptr, {}}; }
};

struct GtconShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchNorm_t norm;
    int64_t n, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.one_of(2, "norm", norm, XBATCH_NORM_INF);
        call.count(3, "n", n);
        call.count(4, "batch", batch);
        call.extent(3, "n", n, batch, 1, bytes_for_element(type));
    }
    bool is_empty() const { return n == 0 || batch == 0; }
    GtconProblem problem(const Context &) const { return {layout, norm, n, batch, nullptr, nullptr}; }
};

}  // namespace

xbatchStatus_t gttrf_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 int64_t n, int64_t batch, size_t *factorBytes, size_t *workspaceBytes) {
    return query_factors(handle, caller, gttrf_table, {type, layout, n, batch}, factorBytes, workspaceBytes);
}

xbatchStatus_t gttrf(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                     int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *factors,
                     void *logdet, void *sign, int32_t *info, void *workspace, size_t workspaceBytes) {
    const FactorShape<GttrfProblem> shape{type, layout, n, batch};
    const auto sizes = [&](Call &call) { shape.check_ldt(call, 7, ldt); };
    const auto data = [&](Call &call, const Context &, GttrfProblem &p) {
        call.not_null(4, "dl", dl);
        call.not_null(5, "d", d);
        call.not_null(6, "du", du);
        call.not_null(8, "factors", factors);
        call.aligned(8, "factors", factors, factor_alignment);
        p = {layout, n, batch, dl, d, du, factors, logdet, sign, info, coefficients(layout, n, batch, ldt)};
    };
    return solve(handle, caller, gttrf_table.routine, shape, {12, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t gttrs_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 xbatchOperation_t op, int64_t n, int64_t nrhs, int64_t batch, int64_t sets,
                                 size_t *workspaceBytes) {
    return query(handle, caller, gttrs_table, GttrsShape{type, layout, op, n, nrhs, batch, sets}, 7, workspaceBytes);
}

xbatchStatus_t gttrs(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                     xbatchOperation_t op, int64_t n, int64_t nrhs, int64_t batch, int64_t sets, const void *factors,
                     void *B, int64_t ldb, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) { call.array(9, "ldb", layout, n, nrhs, batch, ldb, element_size(type)); };
    const auto data = [&](Call &call, const Context &, GttrsProblem &p) {
        call.not_null(7, "factors", factors);
        call.not_null(8, "B", B);
        p.factors = factors, p.b = B, p.b_at = placement(layout, n, nrhs, batch, ldb);
    };
    const auto stored = [&](Call &call, const Context &context) {
        check_factors(call, context, gttrs_arguments, type, layout, n, sets, factors);
    };
    return solve(handle, caller, gttrs_table, GttrsShape{type, layout, op, n, nrhs, batch, sets},
                 {10, workspace, workspaceBytes}, sizes, data, stored);
}

xbatchStatus_t gtcon_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 xbatchNorm_t norm, int64_t n, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, gtcon_table, GtconShape{type, layout, norm, n, batch}, 5, workspaceBytes);
}

xbatchStatus_t gtcon(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                     xbatchNorm_t norm, int64_t n, int64_t batch, const void *factors, void *rcond, void *workspace,
                     size_t workspaceBytes) {
    const auto data = [&](Call &call, const Context &, GtconProblem &p) {
        call.not_null(5, "factors", factors);
        call.not_null(6, "rcond", rcond);
        p.factors = factors, p.rcond = rcond;
    };
    const auto stored = [&](Call &call, const Context &context) {
        check_factors(call, context, gtcon_arguments, type, layout, n, batch, factors);
    };
    return solve(handle, caller, gtcon_table, GtconShape{type, layout, norm, n, batch}, {7, workspace, workspaceBytes},
                 no_sizes, data, stored);
}

}  // namespace xbatch::tridiagonal
