// scalar.hpp: the four element types, and operations on them that do not overflow, for host and device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "layout.hpp"

namespace xbatch {

// Device code loads and stores a complex element at once; on the host only C's alignment is guaranteed.
#ifdef __CUDACC__
#define XBATCH_ALIGNED(R) alignas(2 * sizeof(R))
#else
#define XBATCH_ALIGNED(R)
#endif

template <class R>
struct XBATCH_ALIGNED(R) Complex {  // real part first, as in C, C++ and Fortran
    R re, im;
    Complex() = default;
    XBATCH_HD constexpr Complex(R r, R i = R(0)) : re(r), im(i) {}
};

template <class T>
struct RealOf {
    using type = T;
};
template <class R>
struct RealOf<Complex<R>> {
    using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;

template <class R>
XBATCH_HD inline Complex<R> operator+(Complex<R> a, Complex<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class R>
XBATCH_HD inline Complex<R> operator-(Complex<R> a, Complex<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class R>
XBATCH_HD inline Complex<R> operator-(Complex<R> a) {
    return {-a.re, -a.im};
}
template <class R>
XBATCH_HD inline Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R>
XBATCH_HD inline Complex<R> operator*(Complex<R> a, R b) {
    return {a.re * b, a.im * b};
}

XBATCH_HD inline float conjugate(float a) { return a; }
XBATCH_HD inline double conjugate(double a) { return a; }
template <class R>
XBATCH_HD inline Complex<R> conjugate(Complex<R> a) {
    return {a.re, -a.im};
}
XBATCH_HD inline float real_part(float a) { return a; }
XBATCH_HD inline double real_part(double a) { return a; }
template <class R>
XBATCH_HD inline R real_part(Complex<R> a) {
    return a.re;
}
// The real part of conj(a) b
XBATCH_HD inline float inner(float a, float b) { return a * b; }
XBATCH_HD inline double inner(double a, double b) { return a * b; }
template <class R>
XBATCH_HD inline R inner(Complex<R> a, Complex<R> b) {
    return a.re * b.re + a.im * b.im;
}

// c - a*b and c + a*b
XBATCH_HD inline float fnma(float a, float b, float c) { return c - a * b; }
XBATCH_HD inline double fnma(double a, double b, double c) { return c - a * b; }
template <class R>
XBATCH_HD inline Complex<R> fnma(Complex<R> a, Complex<R> b, Complex<R> c) {
    return {(c.re - a.re * b.re) + a.im * b.im, (c.im - a.re * b.im) - a.im * b.re};
}
XBATCH_HD inline float fma_(float a, float b, float c) { return a * b + c; }
XBATCH_HD inline double fma_(double a, double b, double c) { return a * b + c; }
template <class R>
XBATCH_HD inline Complex<R> fma_(Complex<R> a, Complex<R> b, Complex<R> c) {
    return {(c.re + a.re * b.re) - a.im * b.im, (c.im + a.re * b.im) + a.im * b.re};
}

// The larger of |re| and |im|
XBATCH_HD inline float magnitude(float a) { return fabsf(a); }
XBATCH_HD inline double magnitude(double a) { return fabs(a); }
template <class R>
XBATCH_HD inline R magnitude(Complex<R> a) {
    const R x = magnitude(a.re), y = magnitude(a.im);
    return x > y || !(x == x) ? x : y;
}

template <class T>
XBATCH_HD inline bool is_finite(T a) {
    return magnitude(a) <= std::numeric_limits<Real<T>>::max();
}
template <class R>
XBATCH_HD inline bool is_finite(Complex<R> a) {
    return is_finite(a.re) && is_finite(a.im);
}

// Bits of a real number
struct Bits32 {
    using Word = uint32_t;
    static constexpr int mantissa = 23, bias = 127;
};
struct Bits64 {
    using Word = uint64_t;
    static constexpr int mantissa = 52, bias = 1023;
};
XBATCH_HD inline Bits32::Word word_of(float x) {
#ifdef __CUDA_ARCH__
    return __float_as_uint(x);
#else
    Bits32::Word w;
    std::memcpy(&w, &x, sizeof w);
    return w;
#endif
}
XBATCH_HD inline Bits64::Word word_of(double x) {
#ifdef __CUDA_ARCH__
    return static_cast<Bits64::Word>(__double_as_longlong(x));
#else
    Bits64::Word w;
    std::memcpy(&w, &x, sizeof w);
    return w;
#endif
}
XBATCH_HD inline float real_of(Bits32::Word w) {
#ifdef __CUDA_ARCH__
    return __uint_as_float(w);
#else
    float x;
    std::memcpy(&x, &w, sizeof x);
    return x;
#endif
}
XBATCH_HD inline double real_of(Bits64::Word w) {
#ifdef __CUDA_ARCH__
    return __longlong_as_double(static_cast<long long>(w));
#else
    double x;
    std::memcpy(&x, &w, sizeof x);
    return x;
#endif
}
template <class R>
struct BitsOf {
    using type = Bits64;
};
template <>
struct BitsOf<float> {
    using type = Bits32;
};

// The biased exponent field of |x|: 0 for zero and subnormal, all ones for Inf and NaN
template <class R>
XBATCH_HD inline int exponent_field(R x) {
    using B = typename BitsOf<R>::type;
    return int((word_of(x) >> B::mantissa) & typename B::Word(2 * B::bias + 1));
}

// Whether a is a good pivot as defined with info in types.h: in double 2^-1022 <= |a| < 2^1022, |a| the larger part
template <class T>
XBATCH_HD inline bool has_reciprocal(T a) {
    using B = typename BitsOf<Real<T>>::type;
    return unsigned(exponent_field(magnitude(a)) - 1) < unsigned(2 * B::bias - 2);
}

// 2^e for a normal exponent
template <class R>
XBATCH_HD inline R power_of_two(int e) {
    using B = typename BitsOf<R>::type;
    return real_of(typename B::Word(typename B::Word(e + B::bias) << B::mantissa));
}

// 1 / a, without intermediate overflow or underflow; a zero gives Inf or NaN
XBATCH_HD inline float reciprocal(float a) { return 1.0f / a; }
XBATCH_HD inline double reciprocal(double a) { return 1.0 / a; }
template <class R>
XBATCH_HD inline Complex<R> reciprocal(Complex<R> a) {
    using B = typename BitsOf<R>::type;
    int e = exponent_field(magnitude(a)) - B::bias;  // scale the larger part into [1, 2)
    e = e > B::bias - 1 ? B::bias - 1 : (e < 1 - B::bias ? 1 - B::bias : e);
    const R f = power_of_two<R>(-e), x = a.re * f, y = a.im * f;
    const R s = f / (x * x + y * y);
    return {x * s, -y * s};
}

}  // namespace xbatch
