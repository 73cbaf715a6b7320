// affine_map.hpp: the affine map of a chunk of a first-order recurrence, and its composition without overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scaled_product.hpp"

namespace xbatch::recurrence {

// w_last = m 2^e w_before + t, the P-scheme's pair (S, T) of a chunk. The product of many s_i exceeds the range of T
// long before the states do, and Inf*0 would then give NaN where the loop gives 0. It is therefore stored as mantissa
// and exponent, max(|re m|, |im m|) in [1/4, 1/2) unless m is 0, Inf or NaN.
template <class T>
struct AffineMap {
    T m;
    int e;
    T t;
};

template <class T>
XBATCH_HD inline AffineMap<T> identity_map() {
    return {T(Real<T>(0.25)), 2, T(0)};
}

// x 2^e for any e
template <class T>
XBATCH_HD inline T times_power_of_two(T x, int e) {
    using R = Real<T>;
    constexpr int step = BitsOf<R>::type::bias - 3;
    if (e >= -step && e <= step) return scaled(x, power_of_two<R>(e));
    for (int i = 0; i < 3; ++i) {  // three steps cover the whole range, including subnormals
        const int part = e > step ? step : (e < -step ? -step : e);
        x = scaled(x, power_of_two<R>(part));
        e -= part;
    }
    return x;
}

// An upper bound of |log2 |s||, large for 0 and subnormals: while the sum of these is below half the exponent's range,
// a plain product is safe.
template <class T>
XBATCH_HD inline int exponent_distance(T s) {
    using B = typename BitsOf<Real<T>>::type;
    const int e = exponent_field(magnitude(s)) - B::bias;
    return (e < 0 ? -e : e) + 1;
}

// Extends a chunk by one step w = s w + t.
template <class T>
XBATCH_HD inline void extend(AffineMap<T> &map, T s, T t) {
    map.m = map.m * s;
    renormalise(map.m, map.e);
    map.t = fma_(s, map.t, t);
}

// The state after a chunk from the state before it
template <class T>
XBATCH_HD inline T pass(const AffineMap<T> &map, T before) {
    return times_power_of_two(map.m * before, map.e) + map.t;
}

// The composition: first `a`, then `b`
template <class T>
XBATCH_HD inline AffineMap<T> composed(const AffineMap<T> &a, const AffineMap<T> &b) {
    constexpr int most = 1 << 24;  // beyond it every state is 0 or Inf; sums of exponents do not overflow
    AffineMap<T> both{a.m * b.m, a.e + b.e, pass(b, a.t)};
    renormalise(both.m, both.e);
    both.e = both.e > most ? most : (both.e < -most ? -most : both.e);
    return both;
}

}  // namespace xbatch::recurrence
