// info.cuh: how kernels tell info[j] the first row with a bad pivot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>

namespace xbatch {

constexpr int no_row = INT_MAX;

// 1-based, as info wants it.
__device__ inline int info_of(int64_t row) { return int(min(row + 1, int64_t(INT_MAX))); }

// info[j], which was 0, becomes the first bad row. Which of several threads comes first does not matter.
__device__ inline void report(int32_t *info, int64_t row) {
    const int mine = info_of(row);
    int seen = *reinterpret_cast<volatile int32_t *>(info);
    while (seen == 0 || seen > mine) {
        const int before = atomicCAS(info, seen, mine);
        if (before == seen) return;
        seen = before;
    }
}

}  // namespace xbatch
