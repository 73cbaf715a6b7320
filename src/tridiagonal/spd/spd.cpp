// spd.cpp: the routines of tridiagonal_spd.h: checks of their arguments, and the tables of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "api/entries.hpp"
#include "tridiagonal/factored/factor_call.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr Table<PtsvProblem> ptsv_table{{XBATCH_ROW(ptsv_host), XBATCH_CUDA_ROW(ptsv_cuda)}};
constexpr FactorTable<PttrfProblem> pttrf_table{
    {{XBATCH_ROW(pttrf_host), XBATCH_CUDA_ROW(pttrf_cuda)}},
    {XBATCH_SIZE_ROW(pttrf_host_factors), XBATCH_CUDA_SIZE_ROW(pttrf_cuda_factors)}};
constexpr Table<PttrsProblem> pttrs_table{{XBATCH_ROW(pttrs_host), XBATCH_CUDA_ROW(pttrs_cuda)}};
constexpr FactorPositions pttrs_arguments{"xpttrfBatch", FactorHeader::ldl, 1, 2, 5, 6, "sets"};

struct PtsvShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.systems(2, n, nrhs, batch, bytes_for_element(type));
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    PtsvProblem problem(const Context &) const {
        return {layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, {}, {}};
    }
};

struct PttrsShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch, sets;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.systems(2, n, nrhs, batch, bytes_for_element(type));
        call.one_or(5, "sets", sets, "batch", batch);
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    PttrsProblem problem(const Context &) const { return {layout, n, nrhs, batch, sets, nullptr, nullptr, {}}; }
};

}  // namespace

xbatchStatus_t ptsv_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, ptsv_table, PtsvShape{type, layout, n, nrhs, batch}, 5, workspaceBytes);
}

xbatchStatus_t ptsv(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                    int64_t nrhs, int64_t batch, const void *d, const void *e, int64_t ldt, void *B, int64_t ldb,
                    int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        call.array(7, "ldt", layout, n, 1, batch, ldt, element_size(type), true);
        call.array(9, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, PtsvProblem &p) {
        call.not_null(5, "d", d);
        call.not_null(6, "e", e);
        call.not_null(8, "B", B);
        p.d = d, p.e = e, p.b = B, p.info = info;
        p.a_at = coefficients(layout, n, batch, ldt);
        p.b_at = placement(layout, n, nrhs, batch, ldb);
    };
    return solve(handle, caller, ptsv_table, PtsvShape{type, layout, n, nrhs, batch}, {11, workspace, workspaceBytes},
                 sizes, data);
}

xbatchStatus_t pttrf_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 int64_t n, int64_t batch, size_t *factorBytes, size_t *workspaceBytes) {
    return query_factors(handle, caller, pttrf_table, {type, layout, n, batch}, factorBytes, workspaceBytes);
}

xbatchStatus_t pttrf(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                     int64_t batch, const void *d, const void *e, int64_t ldt, void *factors, void *logdet,
                     int32_t *info, void *workspace, size_t workspaceBytes) {
    const FactorShape<PttrfProblem> shape{type, layout, n, batch};
    const auto sizes = [&](Call &call) { shape.check_ldt(call, 6, ldt); };
    const auto data = [&](Call &call, const Context &, PttrfProblem &p) {
        call.not_null(4, "d", d);
        call.not_null(5, "e", e);
        call.not_null(7, "factors", factors);
        call.aligned(7, "factors", factors, factor_alignment);
        p = {layout, n, batch, d, e, factors, logdet, info, coefficients(layout, n, batch, ldt)};
    };
    return solve(handle, caller, pttrf_table.routine, shape, {10, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t pttrs_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 int64_t n, int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return query(handle, caller, pttrs_table, PttrsShape{type, layout, n, nrhs, batch, sets}, 6, workspaceBytes);
}

xbatchStatus_t pttrs(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                     int64_t nrhs, int64_t batch, int64_t sets, const void *factors, void *B, int64_t ldb,
                     void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) { call.array(8, "ldb", layout, n, nrhs, batch, ldb, element_size(type)); };
    const auto data = [&](Call &call, const Context &, PttrsProblem &p) {
        call.not_null(6, "factors", factors);
        call.not_null(7, "B", B);
        p.factors = factors, p.b = B, p.b_at = placement(layout, n, nrhs, batch, ldb);
    };
    const auto stored = [&](Call &call, const Context &context) {
        check_factors(call, context, pttrs_arguments, type, layout, n, sets, factors);
    };
    return solve(handle, caller, pttrs_table, PttrsShape{type, layout, n, nrhs, batch, sets},
                 {9, workspace, workspaceBytes}, sizes, data, stored);
}

}  // namespace xbatch::tridiagonal
