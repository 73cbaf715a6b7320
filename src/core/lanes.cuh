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
// Of the lane that is so much higher, or the one below; a lane that has none gets its own
template <class T>
__device__ __forceinline__ T shuffled_down(T x, int by) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return T(__shfl_down_sync(~0u, x.re, by), __shfl_down_sync(~0u, x.im, by));
    else
        return __shfl_down_sync(~0u, x, by);
}
template <class T>
__device__ __forceinline__ T shuffled_up(T x) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return T(__shfl_up_sync(~0u, x.re, 1), __shfl_up_sync(~0u, x.im, 1));
    else
        return __shfl_up_sync(~0u, x, 1);
}

}  // namespace xbatch
