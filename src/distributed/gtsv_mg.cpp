// gtsv_mg.cpp: tridiagonal systems distributed over the devices of one process: the phases of ranks, each for all
// shares.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>

#include "core/shares.hpp"
#include "gtsv_mp.hpp"
#include "mg_exchange.hpp"
#include "plan_arguments.hpp"
#include "xbatch/distributed_mg.h"

namespace xbatch::distributed {
namespace {

struct MgPlan {
    std::vector<xbatchHandle_t> handles;
    std::vector<std::unique_ptr<Communicator>> ranks;  // rank k stands for device k; they exchange nothing themselves
    Shares shares;
    std::unique_ptr<MgExchange> exchange;  // of CUDA devices

    bool is_empty() const { return shares[0]->is_empty(); }
};
inline Registry<MgPlan, xbatchMgPlan_t> live_mg_plans;

// The contexts of all handles: none if a handle is not live
std::vector<Context *> contexts_of(const std::vector<xbatchHandle_t> &handles) {
    std::vector<Context *> contexts;
    for (xbatchHandle_t handle : handles) {
        contexts.push_back(live_contexts.find(handle));
        if (!contexts.back()) return {};
    }
    return contexts;
}

// The error of a share's own handle becomes that of the first.
xbatchStatus_t hand_over(Context &first, const Context &own, xbatchStatus_t status) {
    const std::string message = own.message;
    return &first == &own ? status : fail(first, status, "%s", message.c_str());
}

xbatchStatus_t check_backends(Context &first, const std::vector<xbatchHandle_t> &handles) {
    constexpr const char *name = "xgtsvMgCreatePlan";
    const xbatchStatus_t status = check_handles(first, name, int(handles.size()), handles.data());
    for (size_t k = 0; k < handles.size() && status == XBATCH_STATUS_SUCCESS; ++k)
        if (live_contexts.find(handles[k])->backend != first.backend)
            return fail(first, XBATCH_STATUS_INVALID_VALUE, "%s: its handle has another backend than that of share 0",
                        share_name(name, int(k)).c_str());
    return status;
}

std::unique_ptr<Communicator> make_rank(xbatchHandle_t handle, int rank, int ranks) {
    auto made = std::make_unique<Communicator>();
    made->handle = handle;
    made->layer.rank = rank, made->layer.ranks = ranks, made->layer.flags = XBATCH_COMM_LAYER_DEVICE;
    return made;
}

xbatchStatus_t add_share(Context &first, MgPlan &plan, size_t k, const PlanArguments &a, const void *result) {
    const int devices = int(plan.handles.size());
    Context &own = *live_contexts.find(plan.handles[k]);
    const std::string name = share_name("xgtsvMgCreatePlan", int(k));
    Call call(own, {name.c_str(), 2});
    plan.ranks.push_back(make_rank(plan.handles[k], int(k), devices));
    plan.shares.push_back(std::make_unique<MpPlan>());
    MpPlan &share = *plan.shares.back();
    share.comm_handle = nullptr;
    describe(share, *plan.ranks.back(), a);
    check_plan(call, a, devices, result);
    const xbatchStatus_t status = divide(call, own, share, a);
    return status == XBATCH_STATUS_SUCCESS ? status : hand_over(first, own, status);
}

xbatchStatus_t create_plan(Context &first, Call &call, int devices, const xbatchHandle_t *handles, PlanArguments a,
                           const int64_t *block_strides, xbatchMgPlan_t *result) {
    call.at_least(-1, "devices", devices, nullptr, 1);
    call.not_null(9, "plan", result);
    if (call.failed()) return call.status();
    auto plan = std::make_unique<MgPlan>();
    plan->handles.assign(handles, handles + devices);
    xbatchStatus_t status = check_backends(first, plan->handles);
    for (size_t k = 0; k < plan->handles.size() && status == XBATCH_STATUS_SUCCESS; ++k) {
        a.block_stride = block_strides ? block_strides[k] : 0;
        status = add_share(first, *plan, k, a, result);
    }
    if (status != XBATCH_STATUS_SUCCESS) return status;
    if (first.backend == XBATCH_BACKEND_CUDA) {
        plan->exchange = make_mg_exchange(first, contexts_of(plan->handles));
        if (!plan->exchange) return XBATCH_STATUS_EXECUTION_FAILED;
    }
    *result = live_mg_plans.add(std::move(plan));
    return XBATCH_STATUS_SUCCESS;
}

// body(plan, first context, call)
template <class Body>
xbatchStatus_t with_mg_plan(xbatchMgPlan_t plan, const char *name, Body body) {
    MgPlan *const found = live_mg_plans.find(plan);
    if (!found || contexts_of(found->handles).empty()) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(found->handles[0], {name, 0}, [&](Context &first, Call &call) { return body(*found, first, call); });
}

// The arguments of xgtsvMg, arrays of what xgtsvMp takes
struct MgArrays {
    const void *const *dl, *const *d, *const *du;
    const int64_t *ldt;
    void *const *B;
    const int64_t *ldb;
    int32_t *const *info;
    bool is_periodic;
    void *const *workspace;
    const size_t *workspaceBytes;

    GtsvArrays share(size_t k) const {
        return {dl[k], d[k], du[k], ldt[k], B[k], ldb[k], info ? info[k] : nullptr, is_periodic};
    }
    void check(Call &call) const {
        call.not_null(1, "dl", dl);
        call.not_null(2, "d", d);
        call.not_null(3, "du", du);
        call.not_null(4, "ldt", ldt);
        call.not_null(5, "B", B);
        call.not_null(6, "ldb", ldb);
        call.not_null(8, "workspace", workspace);
        call.not_null(9, "workspaceBytes", workspaceBytes);
    }
};

// act(share number, its plan, its context) until one fails
template <class Act>
xbatchStatus_t each_share(MgPlan &plan, Context &first, Act act) {
    for (size_t k = 0; k < plan.shares.size(); ++k) {
        Context &own = *live_contexts.find(plan.handles[k]);
        const DeviceScope scope(own);
        const xbatchStatus_t status = act(k, *plan.shares[k], own);
        if (status != XBATCH_STATUS_SUCCESS) return hand_over(first, own, status);
    }
    return XBATCH_STATUS_SUCCESS;
}

// The same of host memory
void exchange_on_host(const Shares &shares, bool is_back) {
    for (size_t to = 0; to < shares.size(); ++to)
        for (size_t from = 0; from < shares.size(); ++from) {
            const Messages &sent = is_back ? shares[from]->back : shares[from]->forward;
            const Messages &received = is_back ? shares[to]->back : shares[to]->forward;
            std::memcpy(received.received.get() + received.recv_at[from],
                        sent.sent.get() + sent.send_at[sent.is_gathered ? 0 : to], size_t(received.recv_bytes[from]));
        }
}
xbatchStatus_t exchange(MgPlan &plan, Context &first, bool is_back) {
    if (plan.exchange) return plan.exchange->exchange(first, plan.shares, is_back);
    exchange_on_host(plan.shares, is_back);
    return XBATCH_STATUS_SUCCESS;
}

enum class Phase { condense, close, substitute };

xbatchStatus_t run_phase(MgPlan &plan, Context &first, const MgArrays &a, Phase phase) {
    return each_share(plan, first, [&](size_t k, MpPlan &share, Context &own) {
        const GtsvArrays arrays = a.share(k);
        void *const workspace = a.workspace[k];
        if (share.device) {
            DeviceShare &device = *share.device;
            if (phase == Phase::condense) return device.condense(own, share, arrays, workspace, {}, true);
            if (phase == Phase::close) return device.close(own, share, arrays, workspace, {});
            return device.substitute(own, share, arrays, workspace, {}, true);
        }
        const GtsvPhases &phases = host_gtsv_phases(share.type);
        (phase == Phase::condense ? phases.condense
         : phase == Phase::close  ? phases.close
                                  : phases.substitute)(own, share, arrays, workspace);
        return XBATCH_STATUS_SUCCESS;
    });
}

xbatchStatus_t run(MgPlan &plan, Context &first, const MgArrays &a) {
    const auto done = [](xbatchStatus_t status) { return status == XBATCH_STATUS_SUCCESS; };
    xbatchStatus_t status = plan.exchange ? plan.exchange->begin(first) : XBATCH_STATUS_SUCCESS;
    if (done(status)) status = run_phase(plan, first, a, Phase::condense);
    if (done(status)) status = exchange(plan, first, false);
    if (done(status)) status = run_phase(plan, first, a, Phase::close);
    if (done(status) && !plan.shares[0]->is_gathered) status = exchange(plan, first, true);
    if (done(status)) status = run_phase(plan, first, a, Phase::substitute);
    return done(status) && plan.exchange ? plan.exchange->end(first) : status;
}

xbatchStatus_t gtsv_mg(xbatchMgPlan_t handle, const char *name, const MgArrays &a) {
    return with_mg_plan(handle, name, [&](MgPlan &plan, Context &first, Call &call) {
        a.check(call);
        if (call.failed()) return call.status();
        const xbatchStatus_t status = each_share(plan, first, [&](size_t k, const MpPlan &share, Context &own) {
            const std::string named = share_name(name, int(k));
            Call of_share(own, {named.c_str(), 0});
            check_gtsv(of_share, own, share, a.share(k), a.workspace[k], a.workspaceBytes[k]);
            return of_share.status();
        });
        if (status != XBATCH_STATUS_SUCCESS || plan.is_empty()) return status;
        call.log();
        return run(plan, first, a);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgtsvMgCreatePlan(int devices, const xbatchHandle_t *handles, xbatchDataType_t type,
                                 xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, const int64_t *offsets,
                                 const int64_t *blockStride, int flags, xbatchMgPlan_t *plan) {
    if (plan) *plan = nullptr;
    if (!handles) return XBATCH_STATUS_INVALID_HANDLE;
    return guarded(handles[0], {"xgtsvMgCreatePlan", 2}, [&](Context &first, Call &call) {
        const PlanArguments a{type, layout, n, nrhs, batch, offsets, 0, flags};
        return create_plan(first, call, devices, handles, a, blockStride, plan);
    });
}

xbatchStatus_t xbatchMgDestroyPlan(xbatchMgPlan_t plan) {
    if (!plan) return XBATCH_STATUS_SUCCESS;
    return live_mg_plans.remove(plan) ? XBATCH_STATUS_SUCCESS : XBATCH_STATUS_INVALID_HANDLE;
}

xbatchStatus_t xbatchMgGetOffsets(xbatchMgPlan_t plan, int64_t *offsets) {
    return with_mg_plan(plan, "xbatchMgGetOffsets", [&](MgPlan &p, Context &, Call &call) {
        call.not_null(1, "offsets", offsets);
        const std::vector<int64_t> &cuts = p.shares[0]->partition.offsets;
        if (!call.failed()) std::copy(cuts.begin(), cuts.end(), offsets);
        return call.status();
    });
}

xbatchStatus_t xgtsvMg_bufferSize(xbatchMgPlan_t plan, size_t *workspaceBytes) {
    return with_mg_plan(plan, "xgtsvMg_bufferSize", [&](MgPlan &p, Context &first, Call &call) {
        call.not_null(1, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        return each_share(p, first, [&](size_t k, const MpPlan &share, Context &own) {
            workspaceBytes[k] = share.is_empty() ? 0 : gtsv_workspace(own, share);
            return XBATCH_STATUS_SUCCESS;
        });
    });
}

xbatchStatus_t xgtsvMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                       const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info,
                       void *const *workspace, const size_t *workspaceBytes) {
    return gtsv_mg(plan, "xgtsvMg", {dl, d, du, ldt, B, ldb, info, false, workspace, workspaceBytes});
}

xbatchStatus_t xgtsvPeriodicMg(xbatchMgPlan_t plan, const void *const *dl, const void *const *d, const void *const *du,
                               const int64_t *ldt, void *const *B, const int64_t *ldb, int32_t *const *info,
                               void *const *workspace, const size_t *workspaceBytes) {
    return gtsv_mg(plan, "xgtsvPeriodicMg", {dl, d, du, ldt, B, ldb, info, true, workspace, workspaceBytes});
}

}  // extern "C"
#pragma GCC visibility pop
