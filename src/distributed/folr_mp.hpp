// folr_mp.hpp: the arrays of distributed recurrences, and the phases of their evaluation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mp_plan.hpp"

namespace xbatch::distributed {

struct FolrArrays {
    bool is_backward;
    const void *s;
    int64_t incs, lds;
    const void *t;
    int64_t inct, ldt;
    const void *w0;
    void *w;
    int64_t ldw;
    int32_t *info = nullptr;  // no system can fail
};

const PhasesOf<FolrArrays> &host_folr_phases(xbatchDataType_t type);

}  // namespace xbatch::distributed
