// hines.cpp: the calls of hines.h that solve, with one handle or several: their checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <unordered_set>

#include "api/entries.hpp"
#include "core/entry.hpp"
#include "hines_call.hpp"

namespace xbatch::hines {
namespace {

constexpr Table<HinesProblem> hines_table{{XBATCH_ROW(hines_host), XBATCH_CUDA_ROW(hines_cuda)}};

// Everything that is computed for a shape has at most that many bytes for each element of the right-hand sides.
int64_t bytes_for_element(xbatchDataType_t type) { return 16 * element_size(type); }

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
        if (call.failed() || nrhs == 0) return;
        const int64_t nodes = hines_extent(*plan, XBATCH_LAYOUT_INTERLEAVED, 1, batch, std::max<int64_t>(batch, 1));
        call.extent(5, "batch", nodes, nrhs, 1, bytes_for_element(type));
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
    HinesData data(int k) const { return {u[k], l[k], ldul[k], d[k], ldd[k], B[k], ldb[k], info ? info[k] : nullptr}; }
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

// A share whose arguments have been checked; its call refers to its name.
struct Share {
    char name[48];
    Context *context;
    std::optional<Call> call;
    std::optional<HinesProblem> problem;  // none if there is nothing to solve
};

// The error of a share's own handle becomes that of the first.
xbatchStatus_t hand_over(Context &first, const Share &share, xbatchStatus_t status) {
    const std::string message = share.context->message;
    return fail(first, status, "%s: %s", share.name, message.c_str());
}

xbatchStatus_t check_share(Context &first, const Shares &s, int k, Share &share) {
    if (share.context->backend == XBATCH_BACKEND_CUDA) {
        const xbatchStatus_t pending = pending_device_error(*share.context);
        if (pending != XBATCH_STATUS_SUCCESS) return hand_over(first, share, pending);
    }
    const HinesShape shape = s.shape(k);
    const HinesData arrays = s.data(k);
    const auto sizes = [&](Call &call) { arrays.check_sizes(call, shape); };
    const auto data = [&](Call &call, const Context &, HinesProblem &p) { arrays.set(call, shape, p); };
    share.call.emplace(first, Caller{share.name, 1});
    share.problem = prepare(*share.call, *share.context, hines_table, shape, {14, s.workspace[k], s.workspaceBytes[k]},
                            sizes, data, nothing_stored);
    return share.call->status();
}

// Nothing starts before all shares have been checked.
xbatchStatus_t check_shares(Context &first, const Shares &s, std::deque<Share> &shares) {
    std::unordered_set<xbatchHandle_t> seen;
    for (int k = 0; k < s.devices; ++k) {
        Share &share = shares.emplace_back();
        std::snprintf(share.name, sizeof share.name, "xhinesBatchMg: share %d", k);
        share.context = live_contexts.find(s.handles[k]);
        if (!share.context)
            return fail(first, XBATCH_STATUS_INVALID_HANDLE, "%s: its handle is NULL or was destroyed", share.name);
        if (!seen.insert(s.handles[k]).second)
            return fail(first, XBATCH_STATUS_INVALID_VALUE, "%s: its handle is that of another share", share.name);
        const xbatchStatus_t status = check_share(first, s, k, share);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}

// Work of devices is launched before the host starts its own.
xbatchStatus_t run_shares(Context &first, const Shares &s, const std::deque<Share> &shares) {
    for (const xbatchBackend_t backend : {XBATCH_BACKEND_CUDA, XBATCH_BACKEND_HOST})
        for (int k = 0; k < s.devices; ++k) {
            const Share &share = shares[size_t(k)];
            if (share.context->backend != backend || !share.problem) continue;
            share.call->log();
            const xbatchStatus_t status = hines_table.run(*share.context, s.type, *share.problem, s.workspace[k]);
            if (status != XBATCH_STATUS_SUCCESS) return hand_over(first, share, status);
        }
    return XBATCH_STATUS_SUCCESS;
}

xbatchStatus_t hines_mg(const Shares &s) {
    if (!s.handles) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(s.handles[0], {"xhinesBatchMg", 1}, [&](Context &first, Call &call) {
        s.check(call);
        if (call.failed()) return call.status();
        std::deque<Share> shares;
        const xbatchStatus_t status = check_shares(first, s, shares);
        return status == XBATCH_STATUS_SUCCESS ? run_shares(first, s, shares) : status;
    });
}

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

#pragma GCC visibility push(default)
extern "C" {

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
