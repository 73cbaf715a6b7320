// hines.cpp: C entries of hines.h that solve: checks, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <unordered_set>

#include "core/dispatch.hpp"
#include "hines_call.hpp"

namespace xbatch::hines {
namespace {

constexpr Table<HinesProblem> hines_table{{XBATCH_ROW(hines_host), XBATCH_CUDA_ROW(hines_cuda)}};

// What identifies a solve but for its data
struct HinesShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    xbatchHinesPlan_t handle;
    int64_t nrhs, batch;
    const HinesPlan *plan = live_plans.find(handle);
};

struct HinesData {
    const void *u, *l;
    int64_t ldul;
    const void *d;
    int64_t ldd;
    void *B;
    int64_t ldb;
    int32_t *info;
    void *workspace;
    size_t workspaceBytes;
};

// Everything that is computed for a shape has at most that many bytes for each element of the right-hand sides.
int64_t bytes_for_element(xbatchDataType_t type) { return 16 * element_size(type); }

void check_shape(Call &call, const Context &context, const HinesShape &s) {
    call.type(s.type);
    call.one_of(1, "layout", s.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.one_of(2, "op", s.op, XBATCH_OP_C);
    check_plan(call, context, 3, s.handle);
    call.at_least(4, "nrhs", s.nrhs, nullptr, 0);
    if (call.failed()) return;
    check_batch(call, 5, *s.plan, s.batch);
    if (call.failed() || s.nrhs == 0) return;
    const int64_t nodes = hines_extent(*s.plan, XBATCH_LAYOUT_INTERLEAVED, 1, s.batch, std::max<int64_t>(s.batch, 1));
    call.extent(5, "batch", nodes, s.nrhs, 1, bytes_for_element(s.type));
}

HinesProblem problem_of(const HinesShape &s, const HinesData &a) {
    const bool is_transposed = s.op != XBATCH_OP_N, is_complex = s.type == XBATCH_C_32F || s.type == XBATCH_C_64F;
    const void *upper = is_transposed ? a.l : a.u, *lower = is_transposed ? a.u : a.l;
    return {s.plan, s.layout, s.nrhs, s.batch, upper, lower,
            a.d,    a.B,      a.ldul, a.ldd,   a.ldb, s.op == XBATCH_OP_C && is_complex,
            a.info};
}

// All that the contract asks of arguments. False if one is wrong, or if there is nothing to solve.
bool check_solve(Call &call, const Context &context, const HinesShape &s, const HinesData &a) {
    check_shape(call, context, s);
    if (call.failed()) return false;
    const int64_t size = element_size(s.type);
    check_leading_dimension(call, 8, "ldul", *s.plan, s.layout, 1, s.batch, a.ldul, true, size);
    check_leading_dimension(call, 10, "ldd", *s.plan, s.layout, 1, s.batch, a.ldd, true, size);
    check_leading_dimension(call, 12, "ldb", *s.plan, s.layout, s.nrhs, s.batch, a.ldb, false, size);
    if (call.failed() || s.nrhs == 0 || s.batch == 0) return false;
    call.not_null(6, "u", a.u);
    call.not_null(7, "l", a.l);
    call.not_null(9, "d", a.d);
    call.not_null(11, "B", a.B);
    if (!call.failed())
        call.workspace(14, a.workspace, a.workspaceBytes, hines_table.workspace(context, s.type, problem_of(s, a)));
    return !call.failed();
}

xbatchStatus_t run(Context &context, const char *name, const HinesShape &s, const HinesData &a) {
    log_line(LOG_CALLS,
             "%s: layout = %d, op = %d, morphologies = %lld, nrhs = %lld, batch = %lld, ldul = %lld, ldd = %lld, "
             "ldb = %lld",
             name, int(s.layout), int(s.op), (long long)s.plan->groups(), (long long)s.nrhs, (long long)s.batch,
             (long long)a.ldul, (long long)a.ldd, (long long)a.ldb);
    return hines_table.run(context, s.type, problem_of(s, a), a.workspace);
}

xbatchStatus_t hines(xbatchHandle_t handle, Caller caller, const HinesShape &s, const HinesData &a) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        return check_solve(call, context, s, a) ? run(context, caller.name, s, a) : call.status();
    });
}

xbatchStatus_t hines_buffer_size(xbatchHandle_t handle, Caller caller, const HinesShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const bool is_empty = s.nrhs == 0 || s.batch == 0;
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           is_empty ? 0 : hines_table.workspace(context, s.type, problem_of(s, {})));
    });
}

// The shares of xhinesBatchMg: arrays of what xhinesBatch takes
struct Shares {
    int devices;
    const xbatchHandle_t *handles;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    const xbatchHinesPlan_t *plans;
    int64_t nrhs;
    const int64_t *batch;
    const void *const *u, *const *l;
    const int64_t *ldul;
    const void *const *d;
    const int64_t *ldd;
    void *const *B;
    const int64_t *ldb;
    int32_t *const *info;
    void *const *workspace;
    const size_t *workspaceBytes;

    HinesShape shape(int k) const { return {type, layout, op, plans[k], nrhs, batch[k]}; }
    HinesData data(int k) const {
        return {
            u[k], l[k], ldul[k], d[k], ldd[k], B[k], ldb[k], info ? info[k] : nullptr, workspace[k], workspaceBytes[k]};
    }
    void check(Call &call) const {
        call.at_least(-1, "devices", devices, nullptr, 1);  // the one that stands before the handles
        call.not_null(3, "plans", plans);
        call.not_null(5, "batch", batch);
        call.not_null(6, "u", u);
        call.not_null(7, "l", l);
        call.not_null(8, "ldul", ldul);
        call.not_null(9, "d", d);
        call.not_null(10, "ldd", ldd);
        call.not_null(11, "B", B);
        call.not_null(12, "ldb", ldb);
        call.not_null(14, "workspace", workspace);
        call.not_null(15, "workspaceBytes", workspaceBytes);
    }
};

struct ShareName {
    char text[48];
    explicit ShareName(int k) { std::snprintf(text, sizeof text, "xhinesBatchMg: share %d", k); }
};

// What went wrong with the handle of a share, as the first handle tells it
xbatchStatus_t hand_over(Context &first, int k, const Context &share, xbatchStatus_t status) {
    const std::string message = share.message;
    return fail(first, status, "%s: %s", ShareName(k).text, message.c_str());
}

// Nothing is begun before all shares are known to be right. `ready` tells which have something to solve.
xbatchStatus_t check_shares(Context &first, const Shares &s, std::vector<char> &ready) {
    std::unordered_set<xbatchHandle_t> seen;
    for (int k = 0; k < s.devices; ++k) {
        const ShareName name(k);
        const xbatchHandle_t handle = s.handles[k];
        Context *const share = live_contexts.find(handle);
        if (!share)
            return fail(first, XBATCH_STATUS_INVALID_HANDLE, "%s: its handle is NULL or was destroyed", name.text);
        if (!seen.insert(handle).second)
            return fail(first, XBATCH_STATUS_INVALID_VALUE, "%s: its handle is that of another share", name.text);
        if (share->backend == XBATCH_BACKEND_CUDA) {
            const xbatchStatus_t pending = pending_device_error(*share);
            if (pending != XBATCH_STATUS_SUCCESS) return hand_over(first, k, *share, pending);
        }
        Call call(first, {name.text, 1});
        ready.push_back(check_solve(call, *share, s.shape(k), s.data(k)));
        if (call.failed()) return call.status();
    }
    return XBATCH_STATUS_SUCCESS;
}

// Devices are given their work before the host begins its own.
xbatchStatus_t run_shares(Context &first, const Shares &s, const std::vector<char> &ready) {
    for (const xbatchBackend_t backend : {XBATCH_BACKEND_CUDA, XBATCH_BACKEND_HOST})
        for (int k = 0; k < s.devices; ++k) {
            Context &share = *live_contexts.find(s.handles[k]);
            if (share.backend != backend || !ready[size_t(k)]) continue;
            const xbatchStatus_t status = run(share, ShareName(k).text, s.shape(k), s.data(k));
            if (status != XBATCH_STATUS_SUCCESS) return hand_over(first, k, share, status);
        }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t hines_mg(const Shares &s) {
    if (!s.handles) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(s.handles[0], {"xhinesBatchMg", 1}, [&](Context &first, Call &call) {
        s.check(call);
        if (call.failed()) return call.status();
        std::vector<char> ready;
        const xbatchStatus_t status = check_shares(first, s, ready);
        return status == XBATCH_STATUS_SUCCESS ? run_shares(first, s, ready) : status;
    });
}

}  // namespace
}  // namespace xbatch::hines

using xbatch::hines::hines;
using xbatch::hines::hines_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xhinesBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                           xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, const void *u, const void *l,
                           int64_t ldul, const void *d, int64_t ldd, void *B, int64_t ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return hines(handle, {"xhinesBatch", 1}, {type, layout, op, plan, nrhs, batch},
                 {u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes});
}
xbatchStatus_t shinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const float *u, const float *l, int64_t ldul, const float *d,
                           int64_t ldd, float *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return hines(handle, {"shinesBatch", 0}, {XBATCH_R_32F, layout, op, plan, nrhs, batch},
                 {u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes});
}
xbatchStatus_t dhinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const double *u, const double *l, int64_t ldul, const double *d,
                           int64_t ldd, double *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return hines(handle, {"dhinesBatch", 0}, {XBATCH_R_64F, layout, op, plan, nrhs, batch},
                 {u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes});
}
xbatchStatus_t chinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *u, const xbatchComplexFloat_t *l,
                           int64_t ldul, const xbatchComplexFloat_t *d, int64_t ldd, xbatchComplexFloat_t *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return hines(handle, {"chinesBatch", 0}, {XBATCH_C_32F, layout, op, plan, nrhs, batch},
                 {u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes});
}
xbatchStatus_t zhinesBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, xbatchHinesPlan_t plan,
                           int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *u, const xbatchComplexDouble_t *l,
                           int64_t ldul, const xbatchComplexDouble_t *d, int64_t ldd, xbatchComplexDouble_t *B,
                           int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return hines(handle, {"zhinesBatch", 0}, {XBATCH_C_64F, layout, op, plan, nrhs, batch},
                 {u, l, ldul, d, ldd, B, ldb, info, workspace, workspaceBytes});
}

xbatchStatus_t xhinesBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchOperation_t op, xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch,
                                      size_t *workspaceBytes) {
    return hines_buffer_size(handle, {"xhinesBatch_bufferSize", 1}, {type, layout, op, plan, nrhs, batch},
                             workspaceBytes);
}
xbatchStatus_t shinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return hines_buffer_size(handle, {"shinesBatch_bufferSize", 0}, {XBATCH_R_32F, layout, op, plan, nrhs, batch},
                             workspaceBytes);
}
xbatchStatus_t dhinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return hines_buffer_size(handle, {"dhinesBatch_bufferSize", 0}, {XBATCH_R_64F, layout, op, plan, nrhs, batch},
                             workspaceBytes);
}
xbatchStatus_t chinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return hines_buffer_size(handle, {"chinesBatch_bufferSize", 0}, {XBATCH_C_32F, layout, op, plan, nrhs, batch},
                             workspaceBytes);
}
xbatchStatus_t zhinesBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op,
                                      xbatchHinesPlan_t plan, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return hines_buffer_size(handle, {"zhinesBatch_bufferSize", 0}, {XBATCH_C_64F, layout, op, plan, nrhs, batch},
                             workspaceBytes);
}

xbatchStatus_t xhinesBatchMg(int devices, const xbatchHandle_t *handles, xbatchDataType_t type, xbatchLayout_t layout,
                             xbatchOperation_t op, const xbatchHinesPlan_t *plans, int64_t nrhs, const int64_t *batch,
                             const void *const *u, const void *const *l, const int64_t *ldul, const void *const *d,
                             const int64_t *ldd, void *const *B, const int64_t *ldb, int32_t *const *info,
                             void *const *workspace, const size_t *workspaceBytes) {
    return xbatch::hines::hines_mg({devices, handles, type, layout, op, plans, nrhs, batch, u, l, ldul, d, ldd, B, ldb,
                                    info, workspace, workspaceBytes});
}

}  // extern "C"
#pragma GCC visibility pop
