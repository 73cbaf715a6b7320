// scaled_product.hpp: products mantissa * 2^exponent, which neither overflow nor underflow, and their normalisation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scalar.hpp"

namespace xbatch {

XBATCH_HD inline float scaled(float a, float s) { return a * s; }
XBATCH_HD inline double scaled(double a, double s) { return a * s; }
template <class R>
XBATCH_HD inline Complex<R> scaled(Complex<R> a, R s) {
    return {a.re * s, a.im * s};
}

template <class T>
struct ScaledProduct {
    T mantissa;
    int64_t exponent;
};

// By any factor. The product is scaled by the power of two that brings its larger part into [1, 2), limited to normal
// powers.
template <class T>
XBATCH_HD inline void multiply(ScaledProduct<T> &product, T factor) {
    using B = typename BitsOf<Real<T>>::type;
    const T all = product.mantissa * factor;
    int e = exponent_field(magnitude(all)) - B::bias;
    e = e > 1 - B::bias ? e : 1 - B::bias;
    e = e < B::bias - 1 ? e : B::bias - 1;
    product.mantissa = scaled(all, power_of_two<Real<T>>(-e));
    product.exponent += e;
}

// For positive numbers with mantissas in [1, 2), or NaN: one comparison suffices.
template <class R>
XBATCH_HD inline void multiply_normalised(ScaledProduct<R> &product, const ScaledProduct<R> &factor) {
    const R all = product.mantissa * factor.mantissa;
    const bool is_large = all >= 2;
    product.mantissa = is_large ? all / 2 : all;
    product.exponent += factor.exponent + is_large;
}

// The logarithm of modulus * 2^exponent
template <class R>
XBATCH_HD inline R log_of(R modulus, int64_t exponent) {
    constexpr double log_of_two = 0.693147180559945309417232121458;
    return R(double(exponent) * log_of_two + ::log(double(modulus)));
}

// Scales m into [1/4, 1/2), unless it is 0, subnormal, Inf or NaN: products of two such numbers, and sums of these, do
// not overflow. A real number's exponent field is replaced; a complex number is scaled in two exact steps.
template <class R>
XBATCH_HD inline void renormalise(R &m, int &e) {
    using B = typename BitsOf<R>::type;
    const int f = exponent_field(m);
    if (f == 0 || f == 2 * B::bias + 1) return;
    constexpr typename B::Word field = typename B::Word(2 * B::bias + 1) << B::mantissa;
    m = real_of((word_of(m) & ~field) | (typename B::Word(B::bias - 2) << B::mantissa));
    e += f - (B::bias - 2);
}
template <class R>
XBATCH_HD inline void renormalise(Complex<R> &m, int &e) {
    using B = typename BitsOf<R>::type;
    const int f = exponent_field(magnitude(m));
    if (f == 0 || f == 2 * B::bias + 1) return;
    const int k = f - (B::bias - 2), half = k / 2;
    m = scaled(scaled(m, power_of_two<R>(-half)), power_of_two<R>(half - k));
    e += k;
}

}  // namespace xbatch
