// folr_mp.cpp: the C functions of distributed recurrences.
// SPDX-License-Identifier: BSD-3-Clause
#include "folr_mp.hpp"

#include "mp_device.hpp"
#include "mp_solve.hpp"

namespace xbatch::distributed {
namespace {

// s or t, of `sides` right-hand sides: an array, or constants
void check_operand(Call &call, int position, const char *increment_name, const char *ld_name, const MpPlan &plan,
                   int64_t sides, int64_t increment, int64_t ld) {
    call.one_of(position, increment_name, increment, 1);
    if (increment == 1) return check_array(call, position + 1, ld_name, plan, sides, ld, true);
    call.count(position + 1, ld_name, ld);
    call.extent(position + 1, ld_name, ld, sides, plan.batch, element_size(plan.type));
}

size_t folr_workspace(const Context &context, const MpPlan &plan) {
    return plan.device ? plan.device->recurrence->workspace(context, plan)
                       : host_folr_phases(plan.type).workspace(context, plan);
}

void check_folr(Call &call, const Context &context, const MpPlan &plan, xbatchDirection_t direction,
                const FolrArrays &a, void *workspace, size_t bytes) {
    call.one_of(1, "direction", direction, XBATCH_BACKWARD);
    check_operand(call, 3, "incs", "lds", plan, 1, a.incs, a.lds);
    check_operand(call, 6, "inct", "ldt", plan, plan.nrhs, a.inct, a.ldt);
    check_array(call, 10, "ldw", plan, plan.nrhs, a.ldw, false);
    if (plan.is_empty() || call.failed()) return;
    if (plan.share.rows > 0) {
        call.not_null(2, "s", a.s);
        call.not_null(5, "t", a.t);
        call.not_null(9, "w", a.w);
    }
    call.workspace(11, workspace, bytes, folr_workspace(context, plan));
}

xbatchStatus_t folr_mp(xbatchMpPlan_t handle, const char *name, int type, xbatchDirection_t direction, FolrArrays a,
                       void *workspace, size_t bytes) {
    a.is_backward = direction == XBATCH_BACKWARD;
    const Routine routine = a.is_backward ? Routine::backward : Routine::forward;
    return with_typed_plan(handle, name, type, [&](MpPlan &plan, Context &context, Call &call) {
        check_folr(call, context, plan, direction, a, workspace, bytes);
        if (plan.is_empty()) return call.status();
        if (!call.failed()) call.log();
        return plan.device
                   ? solve_on_device(context, call, name, plan, routine, a, workspace)
                   : run(context, call, name, plan, routine, host_folr_phases(plan.type), a, plan.nrhs, workspace);
    });
}

}  // namespace
}  // namespace xbatch::distributed

using namespace xbatch;
using namespace xbatch::distributed;

#define XBATCH_FOLR_MP(name, T, type)                                                                            \
    xbatchStatus_t name(xbatchMpPlan_t plan, xbatchDirection_t direction, const T *s, int64_t incs, int64_t lds, \
                        const T *t, int64_t inct, int64_t ldt, const T *w0, T *w, int64_t ldw, void *workspace,  \
                        size_t workspaceBytes) {                                                                 \
        return folr_mp(plan, #name, type, direction, {false, s, incs, lds, t, inct, ldt, w0, w, ldw}, workspace, \
                       workspaceBytes);                                                                          \
    }

#pragma GCC visibility push(default)
extern "C" {

XBATCH_FOLR_MP(xfolrMp, void, any_type)
XBATCH_FOLR_MP(sfolrMp, float, XBATCH_R_32F)
XBATCH_FOLR_MP(dfolrMp, double, XBATCH_R_64F)
XBATCH_FOLR_MP(cfolrMp, xbatchComplexFloat_t, XBATCH_C_32F)
XBATCH_FOLR_MP(zfolrMp, xbatchComplexDouble_t, XBATCH_C_64F)

xbatchStatus_t xfolrMp_bufferSize(xbatchMpPlan_t plan, size_t *workspaceBytes) {
    return query_plan(plan, "xfolrMp_bufferSize", workspaceBytes,
                      [](const MpPlan &p, const Context &context) { return folr_workspace(context, p); });
}

}  // extern "C"
#pragma GCC visibility pop
