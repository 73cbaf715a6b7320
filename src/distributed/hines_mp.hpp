// hines_mp.hpp: the arrays of distributed Hines systems, and the phases of their solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mp_plan.hpp"

namespace xbatch::distributed {

// `upper` holds A(parent, i), `lower` A(i, parent) of op(A) already; both the same pointer if A is symmetric.
struct HinesArrays {
    const void *upper, *lower;
    int64_t ldul;
    const void *d;
    int64_t ldd;
    void *B;
    int64_t ldb;
    int32_t *info;
    bool is_conjugated;  // every coefficient
};

const PhasesOf<HinesArrays> &host_hines_phases(xbatchDataType_t type);

}  // namespace xbatch::distributed
