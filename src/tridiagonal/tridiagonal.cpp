// tridiagonal.cpp: the calls of tridiagonal.h: their checks, then the table of the algorithm.
// SPDX-License-Identifier: BSD-3-Clause
#include "tridiagonal.hpp"

#include "core/entry.hpp"
#include "xbatch/tridiagonal.h"

namespace xbatch::tridiagonal {
namespace {

constexpr Table<GtsvProblem> tables[] = {{{XBATCH_ROW(pscheme_host), XBATCH_CUDA_ROW(pscheme_cuda)}},
                                         {{XBATCH_ROW(thomas_host), XBATCH_CUDA_ROW(thomas_cuda)}},
                                         {{XBATCH_ROW(oddeven_host), XBATCH_CUDA_ROW(oddeven_cuda)}},
                                         {{XBATCH_ROW(gtsv_host), XBATCH_CUDA_ROW(gtsv_cuda)}},
                                         {{XBATCH_ROW(periodic_host), XBATCH_CUDA_ROW(periodic_cuda)}}};
const Table<GtsvProblem> &table_of(GtsvMethod method) { return tables[int(method)]; }

struct GtsvShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.systems(2, n, nrhs, batch, element_size(type));
    }
    bool is_empty() const { return n == 0 || nrhs == 0 || batch == 0; }
    GtsvProblem problem(const Context &) const {
        return {layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, nullptr, {}, {}};
    }
};

xbatchStatus_t gtsv_buffer_size(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                                xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, table_of(method), GtsvShape{type, layout, n, nrhs, batch}, 5, workspaceBytes);
}

xbatchStatus_t gtsv(xbatchHandle_t handle, Caller caller, GtsvMethod method, xbatchDataType_t type,
                    xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const void *dl, const void *d,
                    const void *du, int64_t ldt, void *B, int64_t ldb, int32_t *info, void *workspace,
                    size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        call.leading_dimension(8, "ldt", layout, ldt, n, batch, true);
        if (ldt != 0) call.batched_extent(8, "ldt", layout, n, 1, batch, ldt, element_size(type));
        call.leading_dimension(10, "ldb", layout, ldb, n, batch, false);
        call.batched_extent(10, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
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

}  // namespace
}  // namespace xbatch::tridiagonal

using xbatch::tridiagonal::gtsv;
using xbatch::tridiagonal::gtsv_buffer_size;
using xbatch::tridiagonal::GtsvMethod;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgtsvPscheme(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                            int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt,
                            void *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvPscheme", 1}, GtsvMethod::pscheme, type, layout, n, nrhs, batch, dl, d, du, ldt, B, ldb,
                info, workspace, workspaceBytes);
}
xbatchStatus_t sgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvPscheme", 0}, GtsvMethod::pscheme, XBATCH_R_32F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvPscheme", 0}, GtsvMethod::pscheme, XBATCH_R_64F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                            const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvPscheme", 0}, GtsvMethod::pscheme, XBATCH_C_32F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgtsvPscheme(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                            const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvPscheme", 0}, GtsvMethod::pscheme, XBATCH_C_64F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                       int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvPscheme_bufferSize", 1}, GtsvMethod::pscheme, type, layout, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t sgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvPscheme_bufferSize", 0}, GtsvMethod::pscheme, XBATCH_R_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t dgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvPscheme_bufferSize", 0}, GtsvMethod::pscheme, XBATCH_R_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t cgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvPscheme_bufferSize", 0}, GtsvMethod::pscheme, XBATCH_C_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t zgtsvPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvPscheme_bufferSize", 0}, GtsvMethod::pscheme, XBATCH_C_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}

xbatchStatus_t xgtsvThomas(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                           int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvThomas", 1}, GtsvMethod::thomas, type, layout, n, nrhs, batch, dl, d, du, ldt, B, ldb,
                info, workspace, workspaceBytes);
}
xbatchStatus_t sgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvThomas", 0}, GtsvMethod::thomas, XBATCH_R_32F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvThomas", 0}, GtsvMethod::thomas, XBATCH_R_64F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvThomas", 0}, GtsvMethod::thomas, XBATCH_C_32F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgtsvThomas(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvThomas", 0}, GtsvMethod::thomas, XBATCH_C_64F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvThomas_bufferSize", 1}, GtsvMethod::thomas, type, layout, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t sgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvThomas_bufferSize", 0}, GtsvMethod::thomas, XBATCH_R_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t dgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvThomas_bufferSize", 0}, GtsvMethod::thomas, XBATCH_R_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t cgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvThomas_bufferSize", 0}, GtsvMethod::thomas, XBATCH_C_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t zgtsvThomas_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvThomas_bufferSize", 0}, GtsvMethod::thomas, XBATCH_C_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}

xbatchStatus_t xgtsvOddEven(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                            int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt,
                            void *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvOddEven", 1}, GtsvMethod::oddeven, type, layout, n, nrhs, batch, dl, d, du, ldt, B, ldb,
                info, workspace, workspaceBytes);
}
xbatchStatus_t sgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvOddEven", 0}, GtsvMethod::oddeven, XBATCH_R_32F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvOddEven", 0}, GtsvMethod::oddeven, XBATCH_R_64F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                            const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvOddEven", 0}, GtsvMethod::oddeven, XBATCH_C_32F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgtsvOddEven(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                            const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                            const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvOddEven", 0}, GtsvMethod::oddeven, XBATCH_C_64F, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                       int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvOddEven_bufferSize", 1}, GtsvMethod::oddeven, type, layout, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t sgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvOddEven_bufferSize", 0}, GtsvMethod::oddeven, XBATCH_R_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t dgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvOddEven_bufferSize", 0}, GtsvMethod::oddeven, XBATCH_R_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t cgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvOddEven_bufferSize", 0}, GtsvMethod::oddeven, XBATCH_C_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t zgtsvOddEven_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                       int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvOddEven_bufferSize", 0}, GtsvMethod::oddeven, XBATCH_C_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}

xbatchStatus_t xgtsvBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                          int64_t batch, const void *dl, const void *d, const void *du, int64_t ldt, void *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvBatch", 1}, GtsvMethod::pivoted, type, layout, n, nrhs, batch, dl, d, du, ldt, B, ldb,
                info, workspace, workspaceBytes);
}
xbatchStatus_t sgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvBatch", 0}, GtsvMethod::pivoted, XBATCH_R_32F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *dl, const double *d, const double *du, int64_t ldt, double *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvBatch", 0}, GtsvMethod::pivoted, XBATCH_R_64F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d, const xbatchComplexFloat_t *du,
                          int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace,
                          size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvBatch", 0}, GtsvMethod::pivoted, XBATCH_C_32F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgtsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                          const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvBatch", 0}, GtsvMethod::pivoted, XBATCH_C_64F, layout, n, nrhs, batch, dl, d, du, ldt, B,
                ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                     int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvBatch_bufferSize", 1}, GtsvMethod::pivoted, type, layout, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t sgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvBatch_bufferSize", 0}, GtsvMethod::pivoted, XBATCH_R_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t dgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvBatch_bufferSize", 0}, GtsvMethod::pivoted, XBATCH_R_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t cgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvBatch_bufferSize", 0}, GtsvMethod::pivoted, XBATCH_C_32F, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t zgtsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvBatch_bufferSize", 0}, GtsvMethod::pivoted, XBATCH_C_64F, layout, n, nrhs,
                            batch, workspaceBytes);
}

xbatchStatus_t xgtsvPeriodicBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                  int64_t nrhs, int64_t batch, const void *dl, const void *d, const void *du,
                                  int64_t ldt, void *B, int64_t ldb, int32_t *info, void *workspace,
                                  size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvPeriodicBatch", 1}, GtsvMethod::periodic, type, layout, n, nrhs, batch, dl, d, du, ldt,
                B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t sgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const float *dl, const float *d, const float *du, int64_t ldt, float *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvPeriodicBatch", 0}, GtsvMethod::periodic, XBATCH_R_32F, layout, n, nrhs, batch, dl, d,
                du, ldt, B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const double *dl, const double *d, const double *du, int64_t ldt, double *B,
                                  int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvPeriodicBatch", 0}, GtsvMethod::periodic, XBATCH_R_64F, layout, n, nrhs, batch, dl, d,
                du, ldt, B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                                  const xbatchComplexFloat_t *du, int64_t ldt, xbatchComplexFloat_t *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvPeriodicBatch", 0}, GtsvMethod::periodic, XBATCH_C_32F, layout, n, nrhs, batch, dl, d,
                du, ldt, B, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgtsvPeriodicBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                                  const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                                  const xbatchComplexDouble_t *du, int64_t ldt, xbatchComplexDouble_t *B, int64_t ldb,
                                  int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvPeriodicBatch", 0}, GtsvMethod::periodic, XBATCH_C_64F, layout, n, nrhs, batch, dl, d,
                du, ldt, B, ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                             int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvPeriodicBatch_bufferSize", 1}, GtsvMethod::periodic, type, layout, n, nrhs,
                            batch, workspaceBytes);
}
xbatchStatus_t sgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvPeriodicBatch_bufferSize", 0}, GtsvMethod::periodic, XBATCH_R_32F, layout, n,
                            nrhs, batch, workspaceBytes);
}
xbatchStatus_t dgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvPeriodicBatch_bufferSize", 0}, GtsvMethod::periodic, XBATCH_R_64F, layout, n,
                            nrhs, batch, workspaceBytes);
}
xbatchStatus_t cgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvPeriodicBatch_bufferSize", 0}, GtsvMethod::periodic, XBATCH_C_32F, layout, n,
                            nrhs, batch, workspaceBytes);
}
xbatchStatus_t zgtsvPeriodicBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                             int64_t batch, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvPeriodicBatch_bufferSize", 0}, GtsvMethod::periodic, XBATCH_C_64F, layout, n,
                            nrhs, batch, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
