// info.cuh: how kernels report bad pivots and non-finite unknowns in info.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>

#include "scalar.hpp"

namespace xbatch {

// Whether all unknowns of a thread are finite, by one comparison each
template <class T, int R>
__device__ inline bool are_finite(const T (&x)[R]) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < R; ++i) all = all && is_finite(x[i]);
    return all;
}

// The 1-based value of info. Row n stands for non-finite unknowns without a bad pivot in rows 0 … n-1.
__device__ inline int info_of(int64_t row) { return int(min(row + 1, int64_t(INT_MAX))); }

// info[j], initially 0, becomes the smallest bad row that any thread reports, in any order of the threads.
__device__ inline void report(int32_t *info, int64_t row) {
    const int mine = info_of(row);
    int seen = *reinterpret_cast<volatile int32_t *>(info);
    while (seen == 0 || seen > mine) {
        const int before = atomicCAS(info, seen, mine);
        if (before == seen) return;
        seen = before;
    }
}

// By the thread or block of a system and right-hand side. With one right-hand side it is the only writer; with several,
// info must be 0 before.
__device__ inline void put_info(int32_t *info, int64_t nrhs, bool is_bad, int64_t row) {
    if (nrhs == 1)
        *info = is_bad ? info_of(row) : 0;
    else if (is_bad)
        report(info, row);
}

}  // namespace xbatch
