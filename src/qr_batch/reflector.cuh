// reflector.cuh: the scalars of one Householder reflector, from the head of a column and the squares below it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"

namespace xbatch {

// H = I - tau [1; sigma x] [1; sigma x]^H with H^H [alpha; x] = [beta; 0]
template <class T>
struct DeviceReflector {
    Real<T> beta, ratio;  // ratio = -1 / beta = conj(tau sigma)
    T tau, sigma;
};

__device__ inline float imaginary_of(float) { return 0; }
__device__ inline double imaginary_of(double) { return 0; }
template <class R>
__device__ R imaginary_of(Complex<R> a) {
    return a.im;
}

// 1 / sqrt(x) and 1 / x of numbers well within the range, from the hardware's approximations by one cubic step
__device__ inline double quick_inverse_root(double x) {
    double r;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x * r, r, 1.0);
    return fma(fma(e, 0.375, 0.5) * e, r, r);
}
__device__ inline float quick_inverse_root(float x) { return rsqrtf(x); }
__device__ inline double quick_inverse(double x) {
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    const double e = fma(-x, r, 1.0);
    return fma(fma(e, e, e), r, r);
}
__device__ inline float quick_inverse(float x) { return 1 / x; }

// Where squares neither over- nor underflow
template <class T>
__device__ DeviceReflector<T> device_reflector(T alpha, Real<T> squares) {
    using R = Real<T>;
    const R x = inner(alpha, alpha) + squares, root = quick_inverse_root(x), norm = x * root;
    const R size = fabs(real_part(alpha)), d = size + norm, sign = copysign(R(1), real_part(alpha));
    DeviceReflector<T> h;
    h.beta = -sign * norm, h.ratio = sign * root;
    if constexpr (sizeof(T) > sizeof(R)) {
        const R over = quick_inverse(d * d + alpha.im * alpha.im);
        h.sigma = T(sign * d * over, -alpha.im * over);
        h.tau = T(R(1) + size * root, h.ratio * alpha.im);
    } else {
        h.sigma = sign * quick_inverse(d);
        h.tau = R(1) + size * root;
    }
    return h;
}

// The larger of two sizes, NaN where one is
__device__ inline float larger(float a, float b) { return b > a || b != b ? b : a; }
__device__ inline double larger(double a, double b) { return b > a || b != b ? b : a; }

// By which power of two a column is scaled before its squares are summed, in two steps since one may leave the range
template <class T>
struct ColumnScaling {
    Real<T> first = 1, second = 1, undo_first = 1, undo_second = 1;
    bool is_nothing = false;  // the column is zero below a real head: H = I, as LAPACK's larfg

    __device__ T scaled(T x) const { return x * first * second; }
    // largest: of the parts below the head, NaN where one is
    static __device__ ColumnScaling of(Real<T> largest, T alpha) {
        using R = Real<T>;
        ColumnScaling s;
        const R head = magnitude(alpha), most = head > largest ? head : largest;
        s.is_nothing = largest == 0 && imaginary_of(alpha) == 0 && head == head;
        if (s.is_nothing || largest != largest || !is_finite(alpha) || !is_finite(most)) return s;
        const int exponent = ilogb(most), half = exponent / 2;
        s.first = power_of_two<R>(-half), s.second = power_of_two<R>(half - exponent);
        s.undo_first = power_of_two<R>(half), s.undo_second = power_of_two<R>(exponent - half);
        return s;
    }
};

}  // namespace xbatch
