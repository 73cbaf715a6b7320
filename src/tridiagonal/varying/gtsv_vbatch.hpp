// gtsv_vbatch.hpp: the problem that the C entries of a varying batch of tridiagonal systems pass to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"

namespace xbatch::tridiagonal {

// System j has rows offsets[j] … offsets[j+1]-1 of dl, d, du, and of each column of b; at most maxn.
struct VBatchProblem {
    int64_t nrhs, batch, maxn;
    const int64_t *offsets;  // [batch + 1]
    const void *dl, *d, *du;
    void *b;  // column r at r*ldb
    int64_t ldb;
    int32_t *info;  // [batch], may be NULL
};

XBATCH_DECLARE_BACKEND(gtsv_vbatch_host, VBatchProblem);
XBATCH_DECLARE_BACKEND(gtsv_vbatch_cuda, VBatchProblem);

}  // namespace xbatch::tridiagonal
