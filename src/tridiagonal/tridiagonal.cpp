// tridiagonal.cpp: the routines of tridiagonal.h: checks of their arguments, and the table of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "tridiagonal.hpp"

#include "api/entries.hpp"
#include "core/entry.hpp"

namespace xbatch::tridiagonal {
namespace {

// In the order of GtsvMethod
constexpr Table<GtsvProblem> tables[] = {{{XBATCH_ROW(pscheme_host), XBATCH_CUDA_ROW(pscheme_cuda)}},
                                         {{XBATCH_ROW(thomas_host), XBATCH_CUDA_ROW(thomas_cuda)}},
                                         {{XBATCH_ROW(oddeven_host), XBATCH_CUDA_ROW(oddeven_cuda)}},
                                         {{XBATCH_ROW(gtsv_host), XBATCH_CUDA_ROW(gtsv_cuda)}},
                                         {{XBATCH_ROW(periodic_host), XBATCH_CUDA_ROW(periodic_cuda)}},
                                         {{XBATCH_ROW(gtsv_host), XBATCH_CUDA_ROW(shifted_cuda)}},
                                         {{XBATCH_ROW(periodic_host), XBATCH_CUDA_ROW(shifted_periodic_cuda)}}};

struct GtsvShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    bool is_shifted = false;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.systems(2, n, nrhs, batch, element_size(type));
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    GtsvProblem problem(const Context &) const {
        return {layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, nullptr, {}, {}, false, {is_shifted}};
    }
};

}  // namespace

const Table<GtsvProblem> &table_of(GtsvMethod method) { return tables[int(method)]; }

xbatchStatus_t gtsv_buffer_size(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                                xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, table_of(method), GtsvShape{type, layout, n, nrhs, batch}, 5, workspaceBytes);
}

xbatchStatus_t gtsv(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                    xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const void *dl, const void *d,
                    const void *du, int64_t ldt, void *B, int64_t ldb, int32_t *info, void *workspace,
                    size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        call.array(8, "ldt", layout, n, 1, batch, ldt, element_size(type), true);
        call.array(10, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, GtsvProblem &p) {
        call.not_null(5, "dl", dl);
        call.not_null(6, "d", d);
        call.not_null(7, "du", du);
        call.not_null(9, "B", B);
        p.dl = dl, p.d = d, p.du = du, p.b = B, p.info = info;
        p.a_at = coefficients(layout, n, batch, ldt);
        p.b_at = placement(layout, n, nrhs, batch, ldb);
    };
    return solve(handle, caller, table_of(method), GtsvShape{type, layout, n, nrhs, batch},
                 {12, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t gtsv_shifted(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                            xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const void *dl,
                            const void *d, const void *du, const void *w, const void *sigma, xbatchPin_t pin, void *B,
                            int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        call.one_of(10, "pin", pin, XBATCH_PIN_ZERO_SHIFT);
        call.array(12, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, GtsvProblem &p) {
        call.not_null(5, "dl", dl);
        call.not_null(6, "d", d);
        call.not_null(7, "du", du);
        call.not_null(9, "sigma", sigma);
        call.not_null(11, "B", B);
        p.dl = dl, p.d = d, p.du = du, p.b = B, p.info = info;
        p.shift = {true, sigma, w, pin == XBATCH_PIN_ZERO_SHIFT};
        p.a_at = coefficients(layout, n, batch, 0);
        p.b_at = placement(layout, n, nrhs, batch, ldb);
    };
    return solve(handle, caller, table_of(method), GtsvShape{type, layout, n, nrhs, batch, true},
                 {14, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t gtsv_shifted_buffer_size(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                                        xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                        size_t *workspaceBytes) {
    return query(handle, caller, table_of(method), GtsvShape{type, layout, n, nrhs, batch, true}, 5, workspaceBytes);
}

}  // namespace xbatch::tridiagonal
