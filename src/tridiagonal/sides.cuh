// sides.cuh: the values that several right-hand sides have in one equation. They follow its elimination together, so
// that the matrix is eliminated once for all of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/lanes.cuh"
#include "core/scaled_product.hpp"

namespace xbatch::tridiagonal {

template <class T, int K>
struct SideValues {
    T of[K];

    SideValues() = default;
    __device__ explicit SideValues(T x) {
#pragma unroll
        for (T &of_side : of) of_side = x;
    }
};
// Of one right-hand side, the value itself
template <class T, int K>
using SidesOf = std::conditional_t<K == 1, T, SideValues<T, K>>;

// f(k) for each right-hand side k
template <class T, int K, class F>
__device__ inline SideValues<T, K> each_side(F f) {
    SideValues<T, K> result;
#pragma unroll
    for (int k = 0; k < K; ++k) result.of[k] = f(k);
    return result;
}

using xbatch::fma_;
using xbatch::fnma;
using xbatch::from_lane;
using xbatch::scaled;
template <class T, int K>
__device__ inline SideValues<T, K> fnma(T a, const SideValues<T, K> &b, const SideValues<T, K> &c) {
    return each_side<T, K>([&](int k) { return fnma(a, b.of[k], c.of[k]); });
}
template <class T, int K>
__device__ inline SideValues<T, K> fma_(T a, const SideValues<T, K> &b, const SideValues<T, K> &c) {
    return each_side<T, K>([&](int k) { return fma_(a, b.of[k], c.of[k]); });
}
template <class T, int K, class Factor>
__device__ inline SideValues<T, K> operator*(const SideValues<T, K> &a, Factor b) {
    return each_side<T, K>([&](int k) { return a.of[k] * b; });
}
template <class T, int K>
__device__ inline SideValues<T, K> operator*(T a, const SideValues<T, K> &b) {
    return each_side<T, K>([&](int k) { return a * b.of[k]; });
}
template <class T, int K>
__device__ inline SideValues<T, K> operator-(const SideValues<T, K> &a, const SideValues<T, K> &b) {
    return each_side<T, K>([&](int k) { return a.of[k] - b.of[k]; });
}
template <class T, int K>
__device__ inline SideValues<T, K> scaled(const SideValues<T, K> &a, Real<T> s) {
    return each_side<T, K>([&](int k) { return scaled(a.of[k], s); });
}
template <class T, int K>
__device__ inline SideValues<T, K> from_lane(const SideValues<T, K> &a, int lane) {
    return each_side<T, K>([&](int k) { return from_lane(a.of[k], lane); });
}
// The values in an array, the first one at `to` and each `distance` elements after the one before
template <class T>
__device__ inline void put_value(T *to, int, const T &x) {
    *to = x;
}
template <class T, int K>
__device__ inline void put_value(T *to, int distance, const SideValues<T, K> &x) {
#pragma unroll
    for (int k = 0; k < K; ++k) to[k * distance] = x.of[k];
}
template <class G, class T>
__device__ inline G get_value(const T *from, int distance) {
    if constexpr (std::is_same_v<G, T>)
        return *from;
    else
        return each_side<T, int(sizeof(G) / sizeof(T))>([&](int k) { return from[k * distance]; });
}
// Which values are finite, a bit each
template <class T>
__device__ inline unsigned finite_sides(const T &a) {
    return unsigned(is_finite(a));
}
template <class T, int K>
__device__ inline unsigned finite_sides(const SideValues<T, K> &a) {
    unsigned bits = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) bits |= unsigned(is_finite(a.of[k])) << k;
    return bits;
}

template <class T>
__device__ inline T pick(bool first, T a, T b) {
    return first ? a : b;
}
template <class R>
__device__ inline Complex<R> pick(bool first, Complex<R> a, Complex<R> b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}
template <class T, int K>
__device__ inline SideValues<T, K> pick(bool first, const SideValues<T, K> &a, const SideValues<T, K> &b) {
    return each_side<T, K>([&](int k) { return pick(first, a.of[k], b.of[k]); });
}

}  // namespace xbatch::tridiagonal
