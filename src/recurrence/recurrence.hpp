// recurrence.hpp: the problem that the C entries of the recurrences pass to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::recurrence {

// w_i = s_i w_{i-1} + t_i for i = 0 … n-1; a backward recurrence has reversed placements.
struct FolrProblem {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const void *s, *t, *w0;  // s at s_at.base(j, 0), t at t_at.base(j, r); w0 may be NULL
    void *w;
    Placement s_at, t_at, w_at;
};

XBATCH_DECLARE_BACKEND(folr_host, FolrProblem);

XBATCH_DECLARE_BACKEND(folr_cuda, FolrProblem);

}  // namespace xbatch::recurrence
