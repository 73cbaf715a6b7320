// lanes.cuh: what lanes of a warp tell each other, and a choice without a branch, for all four types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scalar.hpp"

namespace xbatch {

// Both are computed: a choice between places would keep an array in memory.
template <class T>
__device__ __forceinline__ T chosen(bool is_first, T x, T y) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return T(is_first ? x.re : y.re, is_first ? x.im : y.im);
    else
        return is_first ? x : y;
}
template <class T>
__device__ __forceinline__ T from_lane(T x, int lane) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return T(__shfl_sync(~0u, x.re, lane), __shfl_sync(~0u, x.im, lane));
    else
        return __shfl_sync(~0u, x, lane);
}
template <class T>
__device__ __forceinline__ T exchanged(T x, int distance) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return T(__shfl_xor_sync(~0u, x.re, distance), __shfl_xor_sync(~0u, x.im, distance));
    else
        return __shfl_xor_sync(~0u, x, distance);
}

}  // namespace xbatch
