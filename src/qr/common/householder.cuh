// householder.cuh: the scalars of a reflector on the GPU, by a short chain of dependent operations, and the scaling of
// columns near the ends of the range.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"

namespace xbatch::qr {

template <class T>
struct HouseholderScalars {
    Real<T> beta, ratio;  // R_kk, and -1 / beta = conj(tau sigma)
    T tau, sigma;
};

__device__ inline float imaginary(float) { return 0; }
__device__ inline double imaginary(double) { return 0; }
template <class R>
__device__ R imaginary(Complex<R> a) {
    return a.im;
}
template <class T>
__device__ T from_parts(Real<T> re, Real<T> im) {
    if constexpr (sizeof(T) > sizeof(re))
        return T(re, im);
    else
        return re;
}

// 1 / sqrt(x) and 1 / d for numbers well within the range: one step of third order from the hardware's approximation.
// near: an early approximation of d, so that the hardware's need not wait for d.
__device__ inline double approximate_root(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
__device__ inline double inverse_root(double x, double r) {
    const double e = fma(-x * r, r, 1.0);
    return fma(fma(e, 0.375, 0.5) * e, r, r);
}
__device__ inline double inverse(double d, double near) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(near));
    const double e = fma(-d, r, 1.0);
    return fma(fma(e, e, e), r, r);
}
__device__ inline float approximate_root(float x) { return rsqrt(x); }
__device__ inline float inverse_root(float, float r) { return r; }
__device__ inline float inverse(float d, float) { return 1 / d; }

// H = I - tau [1; v] [1; v]^H with H^H [alpha; x] = [beta; 0], from alpha and |x|^2, where squares neither over- nor
// underflow
template <class T>
__device__ HouseholderScalars<T> householder(T alpha, Real<T> squares) {
    using R = Real<T>;
    const R x = inner(alpha, alpha) + squares, approximate = approximate_root(x), root = inverse_root(x, approximate);
    const R size = fabs(real_part(alpha)), norm = x * root, d = size + norm, im = imaginary(alpha);
    const R ratio = copysign(root, real_part(alpha));  // leaves the floating-point unit free
    T sigma;
    if constexpr (sizeof(T) > sizeof(R)) {
        const R squared = d * d + im * im, over = inverse(squared, squared);
        sigma = T(copysign(d * over, real_part(alpha)), -im * over);
    } else {
        sigma = copysign(inverse(d, size + x * approximate), alpha);
    }
    return {copysign(norm, -real_part(alpha)), ratio, from_parts<T>(R(1) + size * root, ratio * im), sigma};
}
// sigma w, w = conj(tau) head + g ratio: shorter for real types
template <class T>
__device__ T change_of(const HouseholderScalars<T> &h, T head, T g, T w) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return h.sigma * w;
    else
        return h.ratio * fma_(h.sigma, g, head);
}

// Leading bits of |x|: ordered as these, NaN last. Integers leave the floating-point unit free.
template <class R>
__device__ unsigned leading_bits(R x) {
    return unsigned(word_of(x) >> (8 * sizeof(R) - 32));
}
// Whether squares are so far from the ends of the range that products with other columns lose nothing to underflow
template <class R>
__device__ bool in_safe_range(R of_tail, R of_all) {
    constexpr int range = sizeof(R) == 8 ? 100 : 40;  // of exponents
    return (leading_bits(of_tail) >= leading_bits(power_of_two<R>(-range))) &
           (leading_bits(of_all) <= leading_bits(power_of_two<R>(range)));
}
template <class T>
__device__ bool is_nonfinite(T x) {
    using B = typename BitsOf<Real<T>>::type;
    constexpr unsigned infinite = unsigned(2 * B::bias + 1) << (B::mantissa % 32);
    const auto is_so = [&](Real<T> y) { return (leading_bits(y) & infinite) == infinite; };
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return is_so(x.re) | is_so(x.im);
    else
        return is_so(x);
}

// Where squares leave the range, x and alpha are scaled by a power of two, as two factors since one may leave it too,
// and beta is scaled back. is_nothing: x is zero and alpha real, so that H = I, as LAPACK's larfg.
template <class R>
struct ColumnScaling {
    R first = 1, second = 1, undo_first = 1, undo_second = 1;
    bool is_nothing = false;

    template <class T>
    __device__ T scaled(T x) const {
        return x * first * second;
    }
    __device__ R unscaled(R beta) const { return beta * undo_second * undo_first; }
};
// most: the largest real or imaginary part of x; has_nan: whether one is NaN
template <class T>
__device__ ColumnScaling<Real<T>> scaling_for(Real<T> most, bool has_nan, T alpha) {
    using R = Real<T>;
    ColumnScaling<R> s;
    s.is_nothing = most == 0 && !has_nan && imaginary(alpha) == 0;
    const R head = magnitude(alpha), largest = head > most ? head : most;
    if (s.is_nothing || has_nan || !(head == head) || !is_finite(largest)) return s;
    const int exponent = ilogb(largest), half = exponent / 2;
    s.first = power_of_two<R>(-half), s.second = power_of_two<R>(half - exponent);
    s.undo_first = power_of_two<R>(half), s.undo_second = power_of_two<R>(exponent - half);
    return s;
}
// For x, rows first … end-1 of a column in shared memory. Called by whole warps, rarely.
template <class T>
__device__ __noinline__ ColumnScaling<Real<T>> scaling_of(const T *x, int first, int end, T alpha) {
    using R = Real<T>;
    R most = 0;
    bool has_nan = false;
    for (int i = first + int(threadIdx.x) % 32; i < end; i += 32) {
        const R size = magnitude(x[i]);
        has_nan = has_nan || !(size == size);
        most = size > most ? size : most;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const R other = __shfl_xor_sync(~0u, most, distance);
        most = other > most ? other : most;
    }
    return scaling_for(most, bool(__any_sync(~0u, has_nan)), alpha);
}

}  // namespace xbatch::qr
