// gtsv_mp.cpp: the C functions of distributed tridiagonal solvers.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_mp.hpp"

#include "mp_device.hpp"
#include "mp_solve.hpp"

namespace xbatch::distributed {

namespace {

const GtsvPhases &host_phases(const MpPlan &plan, Routine routine) {
    return routine == Routine::pscheme ? host_pscheme_phases(plan.type) : host_gtsv_phases(plan.type);
}

void check_gtsv_arrays(Call &call, const MpPlan &plan, const GtsvArrays &a) {
    check_array(call, 4, "ldt", plan, 1, a.ldt, true);
    check_array(call, 6, "ldb", plan, plan.nrhs, a.ldb, false);
    if (plan.is_empty() || call.failed()) return;
    if (plan.share.rows > 0) {
        call.not_null(1, "dl", a.dl);
        call.not_null(2, "d", a.d);
        call.not_null(3, "du", a.du);
        call.not_null(5, "B", a.B);
    }
}

}  // namespace

size_t gtsv_workspace(const Context &context, const MpPlan &plan, Routine routine) {
    return plan.device ? plan.device->workspace(context, plan) : host_phases(plan, routine).workspace(context, plan);
}
void check_gtsv(Call &call, const Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                size_t bytes, Routine routine) {
    check_gtsv_arrays(call, plan, a);
    if (!plan.is_empty() && !call.failed()) call.workspace(8, workspace, bytes, gtsv_workspace(context, plan, routine));
}

xbatchStatus_t run_gtsv(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                        const GtsvArrays &a, int64_t sides, void *workspace) {
    if (!call.failed()) call.log();
    return plan.device ? solve_on_device(context, call, name, plan, routine, a, sides, workspace)
                       : run(context, call, name, plan, routine, host_phases(plan, routine), a, sides, workspace);
}

xbatchStatus_t query_gtsv(xbatchMpPlan_t handle, const char *name, Routine routine, size_t *workspaceBytes) {
    return query_plan(handle, name, workspaceBytes, [&](const MpPlan &plan, const Context &context) {
        return gtsv_workspace(context, plan, routine);
    });
}

namespace {

xbatchStatus_t gtsv_mp(xbatchMpPlan_t handle, const char *name, int type, Routine routine, const GtsvArrays &a,
                       void *workspace, size_t bytes) {
    return with_typed_plan(handle, name, type, [&](MpPlan &plan, Context &context, Call &call) {
        check_gtsv(call, context, plan, a, workspace, bytes, routine);
        if (plan.is_empty()) return call.status();
        return run_gtsv(context, call, name, plan, routine, a, plan.nrhs, workspace);
    });
}

xbatchStatus_t ptsv_mp(xbatchMpPlan_t handle, const char *name, int type, const GtsvArrays &a, void *workspace,
                       size_t bytes) {
    const auto check = [&](const MpPlan &plan, Call &call, size_t needed) {
        check_array(call, 3, "ldt", plan, 1, a.ldt, true);
        check_array(call, 5, "ldb", plan, plan.nrhs, a.ldb, false);
        if (plan.is_empty() || call.failed()) return;
        if (plan.share.rows > 0) {
            call.not_null(1, "d", a.d);
            call.not_null(2, "e", a.du);
            call.not_null(4, "B", a.B);
        }
        call.workspace(7, workspace, bytes, needed);
    };
    return solve_mp(handle, name, type, Routine::positive, host_pscheme_phases, a, workspace, check);
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_MP_ENTRY(name, T, type, routine, is_periodic)                                                        \
    xbatchStatus_t name(xbatchMpPlan_t plan, const T *dl, const T *d, const T *du, int64_t ldt, T *B, int64_t ldb,  \
                        int32_t *info, void *workspace, size_t workspaceBytes) {                                    \
        return gtsv_mp(plan, #name, type, Routine::routine, {dl, d, du, ldt, B, ldb, info, is_periodic}, workspace, \
                       workspaceBytes);                                                                             \
    }
#define XBATCH_MP_ENTRIES(stem, routine, is_periodic)                                  \
    XBATCH_MP_ENTRY(x##stem, void, any_type, routine, is_periodic)                     \
    XBATCH_MP_ENTRY(s##stem, float, XBATCH_R_32F, routine, is_periodic)                \
    XBATCH_MP_ENTRY(d##stem, double, XBATCH_R_64F, routine, is_periodic)               \
    XBATCH_MP_ENTRY(c##stem, xbatchComplexFloat_t, XBATCH_C_32F, routine, is_periodic) \
    XBATCH_MP_ENTRY(z##stem, xbatchComplexDouble_t, XBATCH_C_64F, routine, is_periodic)
#define XBATCH_PTSV_MP(name, T, R, type)                                                                               \
    xbatchStatus_t name(xbatchMpPlan_t plan, const R *d, const T *e, int64_t ldt, T *B, int64_t ldb, int32_t *info,    \
                        void *workspace, size_t workspaceBytes) {                                                      \
        return ptsv_mp(plan, #name, type, {nullptr, d, e, ldt, B, ldb, info, false, true}, workspace, workspaceBytes); \
    }

#pragma GCC visibility push(default)
extern "C" {

XBATCH_MP_ENTRIES(gtsvMp, open, false)
XBATCH_MP_ENTRIES(gtsvPeriodicMp, periodic, true)
XBATCH_MP_ENTRIES(gtsvPschemeMp, pscheme, false)
XBATCH_PTSV_MP(xptsvMp, void, void, any_type)
XBATCH_PTSV_MP(sptsvMp, float, float, XBATCH_R_32F)
XBATCH_PTSV_MP(dptsvMp, double, double, XBATCH_R_64F)
XBATCH_PTSV_MP(cptsvMp, xbatchComplexFloat_t, float, XBATCH_C_32F)
XBATCH_PTSV_MP(zptsvMp, xbatchComplexDouble_t, double, XBATCH_C_64F)

xbatchStatus_t xgtsvMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_gtsv(plan, "xgtsvMp_bufferSize", Routine::open, workspaceBytes);
}
xbatchStatus_t xgtsvPschemeMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_gtsv(plan, "xgtsvPschemeMp_bufferSize", Routine::pscheme, workspaceBytes);
}
xbatchStatus_t xptsvMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_mp(plan, "xptsvMp_bufferSize", host_pscheme_phases, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
