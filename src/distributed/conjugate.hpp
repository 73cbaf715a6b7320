// conjugate.hpp: the complex conjugate of an array in place, on both backends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::distributed {

// Rows 0 … n-1 of all systems, right-hand side 0
struct ConjugateProblem {
    int64_t n, batch;
    Placement at;
    void *array;
};

XBATCH_DECLARE_BACKEND(conjugate_host, ConjugateProblem);
XBATCH_DECLARE_BACKEND(conjugate_cuda, ConjugateProblem);

}  // namespace xbatch::distributed
