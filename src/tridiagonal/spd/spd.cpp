// spd.cpp: C entries of tridiagonal_spd.h: checks, workspace, then the table of the routine.
// SPDX-License-Identifier: BSD-3-Clause
#include "tridiagonal/factored/factor_call.hpp"
#include "xbatch/tridiagonal_spd.h"

namespace xbatch::tridiagonal {
namespace {

constexpr Table<PtsvProblem> ptsv_table{{XBATCH_ROW(ptsv_host), XBATCH_CUDA_ROW(ptsv_cuda)}};
constexpr FactorTable<PttrfProblem> pttrf_table{
    {{XBATCH_ROW(pttrf_host), XBATCH_CUDA_ROW(pttrf_cuda)}},
    {XBATCH_SIZE_ROW(pttrf_host_factors), XBATCH_CUDA_SIZE_ROW(pttrf_cuda_factors)}};
constexpr Table<PttrsProblem> pttrs_table{{XBATCH_ROW(pttrs_host), XBATCH_CUDA_ROW(pttrs_cuda)}};
constexpr FactorPositions pttrs_arguments{"xpttrfBatch", FactorHeader::ldl, 1, 2, 5, 6, "sets"};

void check_solve(Call &call, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch) {
    call.type(type);
    call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.at_least(2, "n", n, nullptr, 0);
    call.at_least(3, "nrhs", nrhs, nullptr, 0);
    call.at_least(4, "batch", batch, nullptr, 0);
    if (!call.failed()) call.extent(2, "n", n, nrhs, batch, bytes_for_element(type));
}

void check_pttrf(Call &call, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t batch) {
    call.type(type);
    call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.at_least(2, "n", n, nullptr, 0);
    call.at_least(3, "batch", batch, nullptr, 0);
    if (!call.failed()) call.extent(2, "n", n, batch, 1, bytes_for_element(type));
}

xbatchStatus_t ptsv_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_solve(call, type, layout, n, nrhs, batch);
        call.not_null(5, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const PtsvProblem problem{layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, {}, {}};
        const bool is_empty = n == 0 || nrhs == 0 || batch == 0;
        return call.answer(5, "workspaceBytes", workspaceBytes,
                           is_empty ? 0 : ptsv_table.workspace(context, type, problem));
    });
}

xbatchStatus_t ptsv(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                    int64_t nrhs, int64_t batch, const void *d, const void *e, int64_t ldt, void *B, int64_t ldb,
                    int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_solve(call, type, layout, n, nrhs, batch);
        if (call.failed()) return call.status();
        call.leading_dimension(7, "ldt", layout, ldt, n, batch, true);
        if (ldt != 0) call.batched_extent(7, "ldt", layout, n, 1, batch, ldt, element_size(type));
        call.leading_dimension(9, "ldb", layout, ldb, n, batch, false);
        call.batched_extent(9, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
        if (call.failed() || n == 0 || nrhs == 0 || batch == 0) return call.status();
        call.not_null(5, "d", d);
        call.not_null(6, "e", e);
        call.not_null(8, "B", B);
        PtsvProblem problem{layout, n, nrhs, batch, d, e, B, info, {}, {}};
        call.workspace(11, workspace, workspaceBytes, ptsv_table.workspace(context, type, problem));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, n = %lld, nrhs = %lld, batch = %lld, ldt = %lld, ldb = %lld", caller.name,
                 int(layout), (long long)n, (long long)nrhs, (long long)batch, (long long)ldt, (long long)ldb);
        problem.a_at = coefficients(layout, n, batch, ldt);
        problem.b_at = placement(layout, n, nrhs, batch, ldb);
        return ptsv_table.run(context, type, problem, workspace);
    });
}

xbatchStatus_t pttrf_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 int64_t n, int64_t batch, size_t *factorBytes, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_pttrf(call, type, layout, n, batch);
        call.not_null(4, "factorBytes", factorBytes);
        call.not_null(5, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const bool is_empty = n == 0 || batch == 0;
        PttrfProblem problem{};
        problem.layout = layout, problem.n = n, problem.batch = batch;
        if (is_empty) return call.answer(4, "factorBytes", factorBytes, 0, workspaceBytes, 0);
        return call.answer(4, "factorBytes", factorBytes, pttrf_table.factor_bytes(context, type, problem),
                           workspaceBytes, pttrf_table.routine.workspace(context, type, problem));
    });
}

xbatchStatus_t pttrf(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                     int64_t batch, const void *d, const void *e, int64_t ldt, void *factors, void *logdet,
                     int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_pttrf(call, type, layout, n, batch);
        if (call.failed()) return call.status();
        call.leading_dimension(6, "ldt", layout, ldt, n, batch, true);
        if (ldt == 0) call.at_most(3, "batch", batch, 1, "where ldt = 0");
        if (ldt != 0) call.batched_extent(6, "ldt", layout, n, 1, batch, ldt, element_size(type));
        if (call.failed() || n == 0 || batch == 0) return call.status();
        call.not_null(4, "d", d);
        call.not_null(5, "e", e);
        call.not_null(7, "factors", factors);
        call.aligned(7, "factors", factors, factor_alignment);
        PttrfProblem problem{layout, n, batch, d, e, factors, logdet, info, {}};
        problem.a_at = coefficients(layout, n, batch, ldt);
        call.workspace(10, workspace, workspaceBytes, pttrf_table.routine.workspace(context, type, problem));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, n = %lld, batch = %lld, ldt = %lld", caller.name, int(layout),
                 (long long)n, (long long)batch, (long long)ldt);
        return pttrf_table.routine.run(context, type, problem, workspace);
    });
}

xbatchStatus_t pttrs_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                 int64_t n, int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_solve(call, type, layout, n, nrhs, batch);
        call.one_or(5, "sets", sets, "batch", batch);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const PttrsProblem problem{layout, n, nrhs, batch, sets, nullptr, nullptr, {}};
        const bool is_empty = n == 0 || nrhs == 0 || batch == 0;
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           is_empty ? 0 : pttrs_table.workspace(context, type, problem));
    });
}

xbatchStatus_t pttrs(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                     int64_t nrhs, int64_t batch, int64_t sets, const void *factors, void *B, int64_t ldb,
                     void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_solve(call, type, layout, n, nrhs, batch);
        call.one_or(5, "sets", sets, "batch", batch);
        if (call.failed()) return call.status();
        call.leading_dimension(8, "ldb", layout, ldb, n, batch, false);
        call.batched_extent(8, "ldb", layout, n, nrhs, batch, ldb, element_size(type));
        if (call.failed() || n == 0 || nrhs == 0 || batch == 0) return call.status();
        call.not_null(6, "factors", factors);
        call.not_null(7, "B", B);
        PttrsProblem problem{layout, n, nrhs, batch, sets, factors, B, {}};
        problem.b_at = placement(layout, n, nrhs, batch, ldb);
        call.workspace(9, workspace, workspaceBytes, pttrs_table.workspace(context, type, problem));
        check_factors(call, context, pttrs_arguments, type, layout, n, sets, factors);
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, n = %lld, nrhs = %lld, batch = %lld, sets = %lld, ldb = %lld",
                 caller.name, int(layout), (long long)n, (long long)nrhs, (long long)batch, (long long)sets,
                 (long long)ldb);
        return pttrs_table.run(context, type, problem, workspace);
    });
}

}  // namespace
}  // namespace xbatch::tridiagonal

using xbatch::tridiagonal::ptsv;
using xbatch::tridiagonal::ptsv_buffer_size;
using xbatch::tridiagonal::pttrf;
using xbatch::tridiagonal::pttrf_buffer_size;
using xbatch::tridiagonal::pttrs;
using xbatch::tridiagonal::pttrs_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xptsvBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                          int64_t batch, const void *d, const void *e, int64_t ldt, void *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes) {
    return ptsv(handle, {"xptsvBatch", 1}, type, layout, n, nrhs, batch, d, e, ldt, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t sptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *d, const float *e, int64_t ldt, float *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes) {
    return ptsv(handle, {"sptsvBatch", 0}, XBATCH_R_32F, layout, n, nrhs, batch, d, e, ldt, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t dptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *d, const double *e, int64_t ldt, double *B, int64_t ldb, int32_t *info,
                          void *workspace, size_t workspaceBytes) {
    return ptsv(handle, {"dptsvBatch", 0}, XBATCH_R_64F, layout, n, nrhs, batch, d, e, ldt, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t cptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const float *d, const xbatchComplexFloat_t *e, int64_t ldt, xbatchComplexFloat_t *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return ptsv(handle, {"cptsvBatch", 0}, XBATCH_C_32F, layout, n, nrhs, batch, d, e, ldt, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t zptsvBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                          const double *d, const xbatchComplexDouble_t *e, int64_t ldt, xbatchComplexDouble_t *B,
                          int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return ptsv(handle, {"zptsvBatch", 0}, XBATCH_C_64F, layout, n, nrhs, batch, d, e, ldt, B, ldb, info, workspace,
                workspaceBytes);
}

xbatchStatus_t xptsvBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                     int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return ptsv_buffer_size(handle, {"xptsvBatch_bufferSize", 1}, type, layout, n, nrhs, batch, workspaceBytes);
}
xbatchStatus_t sptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return ptsv_buffer_size(handle, {"sptsvBatch_bufferSize", 0}, XBATCH_R_32F, layout, n, nrhs, batch, workspaceBytes);
}
xbatchStatus_t dptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return ptsv_buffer_size(handle, {"dptsvBatch_bufferSize", 0}, XBATCH_R_64F, layout, n, nrhs, batch, workspaceBytes);
}
xbatchStatus_t cptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return ptsv_buffer_size(handle, {"cptsvBatch_bufferSize", 0}, XBATCH_C_32F, layout, n, nrhs, batch, workspaceBytes);
}
xbatchStatus_t zptsvBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                     int64_t batch, size_t *workspaceBytes) {
    return ptsv_buffer_size(handle, {"zptsvBatch_bufferSize", 0}, XBATCH_C_64F, layout, n, nrhs, batch, workspaceBytes);
}

xbatchStatus_t xpttrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                           int64_t batch, const void *d, const void *e, int64_t ldt, void *factors, void *logdet,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return pttrf(handle, {"xpttrfBatch", 1}, type, layout, n, batch, d, e, ldt, factors, logdet, info, workspace,
                 workspaceBytes);
}
xbatchStatus_t spttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const float *d,
                           const float *e, int64_t ldt, void *factors, float *logdet, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return pttrf(handle, {"spttrfBatch", 0}, XBATCH_R_32F, layout, n, batch, d, e, ldt, factors, logdet, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t dpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const double *d,
                           const double *e, int64_t ldt, void *factors, double *logdet, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return pttrf(handle, {"dpttrfBatch", 0}, XBATCH_R_64F, layout, n, batch, d, e, ldt, factors, logdet, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t cpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const float *d,
                           const xbatchComplexFloat_t *e, int64_t ldt, void *factors, float *logdet, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return pttrf(handle, {"cpttrfBatch", 0}, XBATCH_C_32F, layout, n, batch, d, e, ldt, factors, logdet, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t zpttrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch, const double *d,
                           const xbatchComplexDouble_t *e, int64_t ldt, void *factors, double *logdet, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return pttrf(handle, {"zpttrfBatch", 0}, XBATCH_C_64F, layout, n, batch, d, e, ldt, factors, logdet, info,
                 workspace, workspaceBytes);
}

xbatchStatus_t xpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t batch, size_t *factorBytes, size_t *workspaceBytes) {
    return pttrf_buffer_size(handle, {"xpttrfBatch_bufferSize", 1}, type, layout, n, batch, factorBytes,
                             workspaceBytes);
}
xbatchStatus_t spttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes) {
    return pttrf_buffer_size(handle, {"spttrfBatch_bufferSize", 0}, XBATCH_R_32F, layout, n, batch, factorBytes,
                             workspaceBytes);
}
xbatchStatus_t dpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes) {
    return pttrf_buffer_size(handle, {"dpttrfBatch_bufferSize", 0}, XBATCH_R_64F, layout, n, batch, factorBytes,
                             workspaceBytes);
}
xbatchStatus_t cpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes) {
    return pttrf_buffer_size(handle, {"cpttrfBatch_bufferSize", 0}, XBATCH_C_32F, layout, n, batch, factorBytes,
                             workspaceBytes);
}
xbatchStatus_t zpttrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t batch,
                                      size_t *factorBytes, size_t *workspaceBytes) {
    return pttrf_buffer_size(handle, {"zpttrfBatch_bufferSize", 0}, XBATCH_C_64F, layout, n, batch, factorBytes,
                             workspaceBytes);
}

xbatchStatus_t xpttrsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                           int64_t batch, int64_t sets, const void *factors, void *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes) {
    return pttrs(handle, {"xpttrsBatch", 1}, type, layout, n, nrhs, batch, sets, factors, B, ldb, workspace,
                 workspaceBytes);
}
xbatchStatus_t spttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, float *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes) {
    return pttrs(handle, {"spttrsBatch", 0}, XBATCH_R_32F, layout, n, nrhs, batch, sets, factors, B, ldb, workspace,
                 workspaceBytes);
}
xbatchStatus_t dpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, double *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes) {
    return pttrs(handle, {"dpttrsBatch", 0}, XBATCH_R_64F, layout, n, nrhs, batch, sets, factors, B, ldb, workspace,
                 workspaceBytes);
}
xbatchStatus_t cpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, xbatchComplexFloat_t *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes) {
    return pttrs(handle, {"cpttrsBatch", 0}, XBATCH_C_32F, layout, n, nrhs, batch, sets, factors, B, ldb, workspace,
                 workspaceBytes);
}
xbatchStatus_t zpttrsBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch,
                           int64_t sets, const void *factors, xbatchComplexDouble_t *B, int64_t ldb, void *workspace,
                           size_t workspaceBytes) {
    return pttrs(handle, {"zpttrsBatch", 0}, XBATCH_C_64F, layout, n, nrhs, batch, sets, factors, B, ldb, workspace,
                 workspaceBytes);
}

xbatchStatus_t xpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t n,
                                      int64_t nrhs, int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return pttrs_buffer_size(handle, {"xpttrsBatch_bufferSize", 1}, type, layout, n, nrhs, batch, sets, workspaceBytes);
}
xbatchStatus_t spttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return pttrs_buffer_size(handle, {"spttrsBatch_bufferSize", 0}, XBATCH_R_32F, layout, n, nrhs, batch, sets,
                             workspaceBytes);
}
xbatchStatus_t dpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return pttrs_buffer_size(handle, {"dpttrsBatch_bufferSize", 0}, XBATCH_R_64F, layout, n, nrhs, batch, sets,
                             workspaceBytes);
}
xbatchStatus_t cpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return pttrs_buffer_size(handle, {"cpttrsBatch_bufferSize", 0}, XBATCH_C_32F, layout, n, nrhs, batch, sets,
                             workspaceBytes);
}
xbatchStatus_t zpttrsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t n, int64_t nrhs,
                                      int64_t batch, int64_t sets, size_t *workspaceBytes) {
    return pttrs_buffer_size(handle, {"zpttrsBatch_bufferSize", 0}, XBATCH_C_64F, layout, n, nrhs, batch, sets,
                             workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
