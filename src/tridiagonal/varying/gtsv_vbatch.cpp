// gtsv_vbatch.cpp: the call of tridiagonal_vbatch.h: its checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_vbatch.hpp"

#include "core/entry.hpp"
#include "xbatch/tridiagonal_vbatch.h"

namespace xbatch::tridiagonal {
namespace {

constexpr Table<VBatchProblem> vbatch{{XBATCH_ROW(gtsv_vbatch_host), XBATCH_CUDA_ROW(gtsv_vbatch_cuda)}};

struct VBatchShape {
    xbatchDataType_t type;
    int64_t nrhs, batch, maxn;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.count(1, "nrhs", nrhs);
        call.count(2, "batch", batch);
        call.count(3, "maxn", maxn);
        call.extent(3, "maxn", maxn, nrhs, batch, element_size(type));
    }
    bool is_empty() const { return nrhs == 0 || batch == 0 || maxn == 0; }
    VBatchProblem problem(const Context &) const {
        return {nrhs, batch, maxn, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr};
    }
};

xbatchStatus_t gtsv_vbatch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t nrhs,
                                       int64_t batch, int64_t maxn, size_t *workspaceBytes) {
    return query(handle, caller, vbatch, VBatchShape{type, nrhs, batch, maxn}, 4, workspaceBytes);
}

xbatchStatus_t gtsv_vbatch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t nrhs, int64_t batch,
                           int64_t maxn, const int64_t *offsets, const void *dl, const void *d, const void *du, void *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        call.count(9, "ldb", ldb);
        call.extent(9, "ldb", ldb, nrhs, 1, element_size(type));
    };
    const auto data = [&](Call &call, const Context &, VBatchProblem &p) {
        call.not_null(4, "offsets", offsets);
        call.not_null(5, "dl", dl);
        call.not_null(6, "d", d);
        call.not_null(7, "du", du);
        call.not_null(8, "B", B);
        p = {nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info};
    };
    return solve(handle, caller, vbatch, VBatchShape{type, nrhs, batch, maxn}, {11, workspace, workspaceBytes}, sizes,
                 data);
}

}  // namespace
}  // namespace xbatch::tridiagonal

using xbatch::tridiagonal::gtsv_vbatch;
using xbatch::tridiagonal::gtsv_vbatch_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgtsvVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch, int64_t maxn,
                           const int64_t *offsets, const void *dl, const void *d, const void *du, void *B, int64_t ldb,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return gtsv_vbatch(handle, {"xgtsvVBatch", 1}, type, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info, workspace,
                       workspaceBytes);
}
xbatchStatus_t sgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const float *dl, const float *d, const float *du, float *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv_vbatch(handle, {"sgtsvVBatch", 0}, XBATCH_R_32F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                       workspace, workspaceBytes);
}
xbatchStatus_t dgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const double *dl, const double *d, const double *du, double *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv_vbatch(handle, {"dgtsvVBatch", 0}, XBATCH_R_64F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                       workspace, workspaceBytes);
}
xbatchStatus_t cgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexFloat_t *dl, const xbatchComplexFloat_t *d,
                           const xbatchComplexFloat_t *du, xbatchComplexFloat_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv_vbatch(handle, {"cgtsvVBatch", 0}, XBATCH_C_32F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                       workspace, workspaceBytes);
}
xbatchStatus_t zgtsvVBatch(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn, const int64_t *offsets,
                           const xbatchComplexDouble_t *dl, const xbatchComplexDouble_t *d,
                           const xbatchComplexDouble_t *du, xbatchComplexDouble_t *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gtsv_vbatch(handle, {"zgtsvVBatch", 0}, XBATCH_C_64F, nrhs, batch, maxn, offsets, dl, d, du, B, ldb, info,
                       workspace, workspaceBytes);
}

xbatchStatus_t xgtsvVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t nrhs, int64_t batch,
                                      int64_t maxn, size_t *workspaceBytes) {
    return gtsv_vbatch_buffer_size(handle, {"xgtsvVBatch_bufferSize", 1}, type, nrhs, batch, maxn, workspaceBytes);
}
xbatchStatus_t sgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_vbatch_buffer_size(handle, {"sgtsvVBatch_bufferSize", 0}, XBATCH_R_32F, nrhs, batch, maxn,
                                   workspaceBytes);
}
xbatchStatus_t dgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_vbatch_buffer_size(handle, {"dgtsvVBatch_bufferSize", 0}, XBATCH_R_64F, nrhs, batch, maxn,
                                   workspaceBytes);
}
xbatchStatus_t cgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_vbatch_buffer_size(handle, {"cgtsvVBatch_bufferSize", 0}, XBATCH_C_32F, nrhs, batch, maxn,
                                   workspaceBytes);
}
xbatchStatus_t zgtsvVBatch_bufferSize(xbatchHandle_t handle, int64_t nrhs, int64_t batch, int64_t maxn,
                                      size_t *workspaceBytes) {
    return gtsv_vbatch_buffer_size(handle, {"zgtsvVBatch_bufferSize", 0}, XBATCH_C_64F, nrhs, batch, maxn,
                                   workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
