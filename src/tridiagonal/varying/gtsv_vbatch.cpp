// gtsv_vbatch.cpp: C entries of tridiagonal_vbatch.h: checks, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_vbatch.hpp"

#include "core/call.hpp"
#include "core/dispatch.hpp"
#include "xbatch/tridiagonal_vbatch.h"

namespace xbatch::tridiagonal {
namespace {

constexpr Table<VBatchProblem> vbatch{{XBATCH_ROW(gtsv_vbatch_host), XBATCH_CUDA_ROW(gtsv_vbatch_cuda)}};

void check_shape(Call &call, xbatchDataType_t type, int64_t nrhs, int64_t batch, int64_t maxn) {
    call.type(type);
    call.at_least(1, "nrhs", nrhs, nullptr, 0);
    call.at_least(2, "batch", batch, nullptr, 0);
    call.at_least(3, "maxn", maxn, nullptr, 0);
    if (!call.failed()) call.extent(3, "maxn", maxn, nrhs, batch, element_size(type));
}

xbatchStatus_t gtsv_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t nrhs,
                                int64_t batch, int64_t maxn, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, nrhs, batch, maxn);
        call.not_null(4, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const bool is_empty = nrhs == 0 || batch == 0 || maxn == 0;
        const VBatchProblem problem{nrhs, batch, maxn, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
        return call.answer(4, "workspaceBytes", workspaceBytes,
                           is_empty ? 0 : vbatch.workspace(context, type, problem));
    });
}

xbatchStatus_t gtsv(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t nrhs, int64_t batch,
                    int64_t maxn, const int64_t *offsets, const void *dl, const void *d, const void *du, void *B,
                    int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, nrhs, batch, maxn);
        call.at_least(9, "ldb", ldb, nullptr, 0);
        if (call.failed()) return call.status();
        call.extent(9, "ldb", ldb, nrhs, 1, element_size(type));
        if (call.failed() || nrhs == 0 || batch == 0 || maxn == 0) return call.status();
        call.not_null(4, "offsets", offsets);
        call.not_null(5, "dl", dl);
        call.not_null(6, "d", d);
        call.not_null(7, "du", du);
        call.not_null(8, "B", B);
        const VBatchProblem problem{nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info};
        call.workspace(11, workspace, workspaceBytes, vbatch.workspace(context, type, problem));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: nrhs = %lld, batch = %lld, maxn = %lld, ldb = %lld", caller.name, (long long)nrhs,
                 (long long)batch, (long long)maxn, (long long)ldb);
        return vbatch.run(context, type, problem, workspace);
    });
}

}  // namespace
}  // namespace xbatch::tridiagonal

using xbatch::tridiagonal::gtsv;
using xbatch::tridiagonal::gtsv_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgtsvVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch, int64_t maxn,
                           const int64_t *offsets, const void *dl, const void *d, const void *du, void *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"xgtsvVBatch", 1}, type, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t sgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const float *dl, const float *d, const float *du, float *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"sgtsvVBatch", 0}, XBATCH_R_32F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                workspace, workspaceBytes);
}
xbatchStatus_t dgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const double *dl, const double *d, const double *du, double *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"dgtsvVBatch", 0}, XBATCH_R_64F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                workspace, workspaceBytes);
}
xbatchStatus_t cgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"cgtsvVBatch", 0}, XBATCH_C_32F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                workspace, workspaceBytes);
}
xbatchStatus_t zgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, xbatchComplexDouble_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv(handle, {"zgtsvVBatch", 0}, XBATCH_C_64F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                workspace, workspaceBytes);
}

xbatchStatus_t xgtsvVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch,
                                      int64_t maxn, size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"xgtsvVBatch_bufferSize", 1}, type, nrhs, batch, maxn, workspaceBytes);
}
xbatchStatus_t sgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"sgtsvVBatch_bufferSize", 0}, XBATCH_R_32F, nrhs, batch, maxn, workspaceBytes);
}
xbatchStatus_t dgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"dgtsvVBatch_bufferSize", 0}, XBATCH_R_64F, nrhs, batch, maxn, workspaceBytes);
}
xbatchStatus_t cgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"cgtsvVBatch_bufferSize", 0}, XBATCH_C_32F, nrhs, batch, maxn, workspaceBytes);
}
xbatchStatus_t zgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_buffer_size(handle, {"zgtsvVBatch_bufferSize", 0}, XBATCH_C_64F, nrhs, batch, maxn, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
