// gtsv_mp.hpp: the arrays of distributed tridiagonal systems, and the phases of their solvers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "mp_plan.hpp"

namespace xbatch::distributed {

// The matrix is dl, d and du; if it is positive definite d, real, and the entries below in the place of du.
struct GtsvArrays {
    const void *dl, *d, *du;
    int64_t ldt;
    void *B;
    int64_t ldb;
    int32_t *info;
    bool is_periodic = false, is_positive = false;
};

using GtsvPhases = PhasesOf<GtsvArrays>;
// With pivoting, and without, which positive definite matrices need not
const GtsvPhases &host_gtsv_phases(xbatchDataType_t type);
const GtsvPhases &host_pscheme_phases(xbatchDataType_t type);

// On the backend of the plan
size_t gtsv_workspace(const Context &context, const MpPlan &plan);
// Of the arguments dl, d, du, ldt, B, ldb, info, workspace and workspaceBytes, which are in places 1 to 9
void check_gtsv(Call &call, const Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                size_t bytes);

}  // namespace xbatch::distributed
