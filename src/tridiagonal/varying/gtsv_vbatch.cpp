// gtsv_vbatch.cpp: the routine of tridiagonal_vbatch.h: checks of its arguments, and the table of backends.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_vbatch.hpp"

#include "api/entries.hpp"
#include "core/entry.hpp"

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

}  // namespace

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

}  // namespace xbatch::tridiagonal
