// info.cuh: how kernels find out what info says, and report it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>

#include "scalar.hpp"

namespace xbatch {

// Whether all unknowns of a thread are finite: a comparison each.
template <class T, int R>
__device__ inline bool are_finite(const T (&x)[R]) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < R; ++i) all = all && is_finite(x[i]);
    return all;
}

// 1-based, as info wants it; n for unknowns that are not finite, where no row of 0 … n-1 has a bad pivot.
__device__ inline int info_of(int64_t row) { return int(min(row + 1, int64_t(INT_MAX))); }

// info[j], which was 0, becomes the first bad row, if no smaller one is there. Which of several threads comes first
// does not matter.
__device__ inline void report(int32_t *info, int64_t row) {
    const int mine = info_of(row);
    int seen = *reinterpret_cast<volatile int32_t *>(info);
    while (seen == 0 || seen > mine) {
        const int before = atomicCAS(info, seen, mine);
        if (before == seen) return;
        seen = before;
    }
}

// What the thread or block that has a system and right-hand side says of it. With a single right-hand side nobody else
// does, with several info was 0.
__device__ inline void put_info(int32_t *info, int64_t nrhs, bool is_bad, int64_t row) {
    if (nrhs == 1)
        *info = is_bad ? info_of(row) : 0;
    else if (is_bad)
        report(info, row);
}

}  // namespace xbatch
