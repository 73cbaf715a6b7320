// gtsv_mp.cpp: the C functions of distributed tridiagonal solvers.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_mp.hpp"

#include "mp_solve.hpp"

namespace xbatch::distributed {
namespace {

xbatchStatus_t gtsv_mp(xbatchMpPlan_t handle, const char *name, int type, const GtsvArrays &a, void *workspace,
                       size_t bytes) {
    const auto check = [&](const MpPlan &plan, Call &call, size_t needed) {
        check_array(call, 4, "ldt", plan, 1, a.ldt, true);
        check_array(call, 6, "ldb", plan, plan.nrhs, a.ldb, false);
        if (plan.is_empty() || call.failed()) return;
        if (plan.share.rows > 0) {
            call.not_null(1, "dl", a.dl);
            call.not_null(2, "d", a.d);
            call.not_null(3, "du", a.du);
            call.not_null(5, "B", a.B);
        }
        call.workspace(8, workspace, bytes, needed);
    };
    return solve_mp(handle, name, type, a.is_periodic ? Routine::periodic : Routine::open, host_gtsv_phases, a,
                    workspace, check);
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
    return query_mp(plan, "xgtsvMp_bufferSize", host_gtsv_phases, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
