// gtsv_mp.hpp: the arrays of distributed tridiagonal systems, and the phases of their solvers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mp_plan.hpp"

namespace xbatch::distributed {

struct GtsvArrays {
    const void *dl, *d, *du;
    int64_t ldt;
    void *B;
    int64_t ldb;
    int32_t *info;
    bool is_periodic;
};

using GtsvPhases = PhasesOf<GtsvArrays>;
// With pivoting
const GtsvPhases &host_gtsv_phases(xbatchDataType_t type);

}  // namespace xbatch::distributed
