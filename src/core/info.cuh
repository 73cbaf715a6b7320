// info.cuh: which pivots and unknowns are fine on the GPU, as types.h says of info, and how kernels tell it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch {

// Whether a and its reciprocal are normal numbers, by the larger part of a complex one: in double 2^-1022 <= |a| <
// 2^1022. The host's is_good_pivot() says the same.
template <class T>
__device__ inline bool has_reciprocal(T a) {
    using B = typename BitsOf<Real<T>>::type;
    return unsigned(exponent_field(magnitude(a)) - 1) < unsigned(2 * B::bias - 2);
}

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
