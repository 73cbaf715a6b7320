// affine_map.hpp: what a chunk of a first-order recurrence does to the state that enters it, safe to overflow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scaled_product.hpp"

namespace xbatch::recurrence {

// w_last = m 2^e w_before + t, the P-scheme's pair (S, T) of a chunk. The product of many s_i leaves the range of T
// long before the states do, and Inf*0 would then be NaN where the loop gives 0; so it is carried as mantissa and
// exponent, max(|re m|, |im m|) in [1/4, 1/2) unless m is 0, Inf or NaN.
template <class T>
struct Link {
    T m;
    int e;
    T t;
};

template <class T>
XBATCH_HD inline Link<T> identity_link() {
    return {T(Real<T>(0.25)), 2, T(0)};
}

// x 2^e for any e
template <class T>
XBATCH_HD inline T times_power_of_two(T x, int e) {
    using R = Real<T>;
    constexpr int step = BitsOf<R>::type::bias - 3;
    if (e >= -step && e <= step) return scaled(x, power_of_two<R>(e));
    for (int i = 0; i < 3; ++i) {  // three steps span the whole range, subnormals included; no more can matter
        const int part = e > step ? step : (e < -step ? -step : e);
        x = scaled(x, power_of_two<R>(part));
        e -= part;
    }
    return x;
}

// A bound of |log2 |s||, 0 and subnormals counted as far away: while a sum of these stays below half the exponent's
// range, a plain product is safe.
template <class T>
XBATCH_HD inline int exponent_distance(T s) {
    using B = typename BitsOf<Real<T>>::type;
    const int e = exponent_field(magnitude(s)) - B::bias;
    return (e < 0 ? -e : e) + 1;
}

// One more step w = s w + t behind a chunk.
template <class T>
XBATCH_HD inline void extend(Link<T> &link, T s, T t) {
    link.m = link.m * s;
    renormalise(link.m, link.e);
    link.t = fma_(s, link.t, t);
}

// The state behind a chunk from the state before it.
template <class T>
XBATCH_HD inline T pass(const Link<T> &link, T before) {
    return times_power_of_two(link.m * before, link.e) + link.t;
}

// First `a`, then `b`.
template <class T>
XBATCH_HD inline Link<T> chained(const Link<T> &a, const Link<T> &b) {
    constexpr int most = 1 << 24;  // beyond it every state has long become 0 or Inf; keeps sums of exponents in range
    Link<T> both{a.m * b.m, a.e + b.e, pass(b, a.t)};
    renormalise(both.m, both.e);
    both.e = both.e > most ? most : (both.e < -most ? -most : both.e);
    return both;
}

}  // namespace xbatch::recurrence
