// gtsv_mp.cpp: the C functions of distributed tridiagonal solvers: checks, and the order of phases and exchanges.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "mp_call.hpp"

namespace xbatch::distributed {
namespace {

// An array's leading dimension, and the distance of its blocks, for the rows of this rank
void check_array(Call &call, int position, const char *name, const MpPlan &plan, int64_t nrhs, int64_t ld,
                 bool zero_shares) {
    const int64_t rows = plan.share.rows, size = element_size(plan.type);
    call.array(position, name, plan.layout, rows, nrhs, plan.batch, ld, size, zero_shares);
    if (call.failed() || plan.block_stride == 0 || ld == 0) return;
    call.require(position, name, counted_product(ld, rows) <= plan.block_stride,
                 "times the rows of the share must be at most blockStride");
    call.extent(position, name, plan.block_stride, counted_product((plan.batch - 1) / ld + 1, nrhs), 1, size);
}

void check(Call &call, const Context &context, const MpPlan &plan, const Arrays &a, void *workspace, size_t bytes) {
    check_array(call, 4, "ldt", plan, 1, a.ldt, true);
    check_array(call, 6, "ldb", plan, plan.nrhs, a.ldb, false);
    if (plan.is_empty() || call.failed()) return;
    if (plan.share.rows > 0) {
        call.not_null(1, "dl", a.dl);
        call.not_null(2, "d", a.d);
        call.not_null(3, "du", a.du);
        call.not_null(5, "B", a.B);
    }
    call.workspace(8, workspace, bytes, host_phases(plan.type).workspace(context, plan));
}

// A rank whose arguments are refused sends messages all the same, which say so. One that receives a wrong message lets
// the others know with its answer.
xbatchStatus_t run(Context &context, Call &call, const char *name, MpPlan &plan, const Arrays &a, void *workspace) {
    const Phases &phases = host_phases(plan.type);
    Communicator &comm = *plan.comm;
    if (!call.failed()) phases.condense(context, plan, a, workspace);
    const Kind forward = a.is_periodic ? Kind::periodic_forward : Kind::open_forward;
    Heard heard = comm.exchange(forward, plan.number, call.status(), plan.forward);
    if (heard.is_dead || heard.rank >= 0) return failure(context, name, comm, heard, call.status());
    const bool was_broken = heard.is_broken;
    if (!was_broken) phases.close(context, plan, a, workspace);
    if (!plan.is_gathered) {
        const Kind back = a.is_periodic ? Kind::periodic_back : Kind::open_back;
        heard =
            comm.exchange(back, plan.number, was_broken ? XBATCH_STATUS_COMM_FAILED : XBATCH_STATUS_SUCCESS, plan.back);
        heard.is_broken = heard.is_broken || was_broken;
    }
    if (!heard.is_good()) return failure(context, name, comm, heard, call.status());
    phases.substitute(context, plan, a, workspace);
    return XBATCH_STATUS_SUCCESS;
}

constexpr int any_type = -1;

xbatchStatus_t gtsv_mp(xbatchMpPlan_t handle, const char *name, int type, const Arrays &a, void *workspace,
                       size_t bytes) {
    return with_plan(handle, {name, 0}, [&](MpPlan &plan, Context &context, Call &call) {
        if (plan.comm->is_dead) return dead(context, name, *plan.comm);
        call.require(0, "plan", type == any_type || type == plan.type, "must be for the type of this routine");
        check(call, context, plan, a, workspace, bytes);
        if (plan.is_empty()) return call.status();
        if (!call.failed()) call.log();
        return run(context, call, name, plan, a, workspace);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_MP_ENTRY(name, T, type, is_periodic)                                                                \
    xbatchStatus_t name(xbatchMpPlan_t plan, const T *dl, const T *d, const T *du, int64_t ldt, T *B, int64_t ldb, \
                        int32_t *info, void *workspace, size_t workspaceBytes) {                                   \
        return gtsv_mp(plan, #name, type, {dl, d, du, ldt, B, ldb, info, is_periodic}, workspace, workspaceBytes); \
    }
#define XBATCH_MP_ENTRIES(stem, is_periodic)                                  \
    XBATCH_MP_ENTRY(x##stem, void, any_type, is_periodic)                     \
    XBATCH_MP_ENTRY(s##stem, float, XBATCH_R_32F, is_periodic)                \
    XBATCH_MP_ENTRY(d##stem, double, XBATCH_R_64F, is_periodic)               \
    XBATCH_MP_ENTRY(c##stem, xbatchComplexFloat_t, XBATCH_C_32F, is_periodic) \
    XBATCH_MP_ENTRY(z##stem, xbatchComplexDouble_t, XBATCH_C_64F, is_periodic)

#pragma GCC visibility push(default)
extern "C" {

XBATCH_MP_ENTRIES(gtsvMp, false)
XBATCH_MP_ENTRIES(gtsvPeriodicMp, true)

xbatchStatus_t xgtsvMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return with_plan(plan, {"xgtsvMp_bufferSize", 0}, [&](MpPlan &p, Context &context, Call &call) {
        call.not_null(1, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        return call.answer(1, "workspaceBytes", workspaceBytes,
                           p.is_empty() ? 0 : host_phases(p.type).workspace(context, p));
    });
}

}  // extern "C"
#pragma GCC visibility pop
