// lanes.cuh: warp shuffles and selection without a branch for all four types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scalar.hpp"

namespace xbatch {

// Selects a value, not a reference, which would force an array into local memory.
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
// The value of the lane `by` above, or of the one below; a lane without such a lane gets its own.
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
