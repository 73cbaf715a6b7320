// gtsv_mp.hpp: the arrays of distributed tridiagonal systems, and the phases of their solvers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/call.hpp"
#include "mp_plan.hpp"

namespace xbatch::distributed {

// What a call does with the factors of xgttrfMp
enum class Factors { none, made, used };

// The matrix is dl, d and du; if it is positive definite d, real, and the entries below in the place of du.
struct GtsvArrays {
    const void *dl, *d, *du;
    int64_t ldt;
    void *B;
    int64_t ldb;
    int32_t *info;
    bool is_periodic = false, is_positive = false;
    Factors factors = Factors::none;
    char *nodes = nullptr;  // in them, on the host: the coefficients of each node that this rank closes
};

using GtsvPhases = PhasesOf<GtsvArrays>;
// With pivoting, and without, which positive definite matrices need not
const GtsvPhases &host_gtsv_phases(xbatchDataType_t type);
const GtsvPhases &host_pscheme_phases(xbatchDataType_t type);

// On the backend of the plan, where CUDA always pivots
size_t gtsv_workspace(const Context &context, const MpPlan &plan, Routine routine = Routine::open);
xbatchStatus_t query_gtsv(xbatchMpPlan_t handle, const char *name, Routine routine, size_t *workspaceBytes);
// A call whose own arguments have been checked
xbatchStatus_t run_gtsv(Context &context, Call &call, const char *name, MpPlan &plan, Routine routine,
                        const GtsvArrays &a, int64_t sides, void *workspace);
// Of the arguments dl, d, du, ldt, B, ldb, info, workspace and workspaceBytes, which are in places 1 to 9
void check_gtsv(Call &call, const Context &context, const MpPlan &plan, const GtsvArrays &a, void *workspace,
                size_t bytes, Routine routine = Routine::open);

}  // namespace xbatch::distributed
