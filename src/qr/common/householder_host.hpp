// householder_host.hpp: a Householder reflector of a column in a thread's buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "columns_host.hpp"

namespace xbatch::qr {

template <class R>
R square_sum(const R *x, int64_t n) {
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}
template <class R>
R largest(const R *x, int64_t n) {
    R most = 0;
    for (int64_t i = 0; i < n; ++i) {
        const R a = std::fabs(x[i]);
        if (!(a <= most)) most = a;  // also for NaN, which then remains
        if (most != most) break;
    }
    return most;
}
template <class R>
void scale(R *x, int64_t n, R factor) {
    for (int64_t i = 0; i < n; ++i) x[i] *= factor;
}

// x of a column's reals: element parts at x and x + im
template <class T>
struct Tail {
    Real<T> *x;
    int64_t im, n;

    Real<T> squares() const {
        Real<T> sum = square_sum(x, n);
        if constexpr (is_complex<T>) sum += square_sum(x + im, n);
        return sum;
    }
    Real<T> most() const {
        Real<T> m = largest(x, n);
        if constexpr (is_complex<T>) {
            const Real<T> other = largest(x + im, n);
            if (!(other <= m)) m = other;
        }
        return m;
    }
    void times(Real<T> factor) const {
        scale(x, n, factor);
        if constexpr (is_complex<T>) scale(x + im, n, factor);
    }
    void times(Complex<Real<T>> factor) const {
        for (int64_t i = 0; i < n; ++i) {
            const Complex<Real<T>> product = Complex<Real<T>>(x[i], x[im + i]) * factor;
            x[i] = product.re, x[im + i] = product.im;
        }
    }
};

template <class R>
R imaginary_part(Complex<R> a) {
    return a.im;
}
inline float imaginary_part(float) { return 0; }
inline double imaginary_part(double) { return 0; }

template <class T>
struct Reflector {
    Real<T> beta;
    T tau;
};

// H = I - tau [1; v] [1; v]^H with H^H [alpha; x] = [beta; 0], beta real, v = sigma x. squares: the squared norm of x
template <class T>
struct ReflectorScalars {
    Reflector<T> h;
    T sigma;

    // Where norms neither overflow nor underflow
    ReflectorScalars(T alpha, Real<T> squares) {
        const Real<T> norm = std::sqrt(inner(alpha, alpha) + squares), beta = real_part(alpha) >= 0 ? -norm : norm;
        sigma = reciprocal(alpha - T(beta));
        if constexpr (is_complex<T>)
            h = {beta, T((beta - alpha.re) / beta, -alpha.im / beta)};
        else
            h = {beta, (beta - alpha) / beta};
    }
};
template <class T>
bool is_in_safe_range(T alpha, Real<T> squares) {
    using R = Real<T>;
    constexpr int range = BitsOf<R>::type::bias * 7 / 8;  // exponents at which squares are accurate
    const R least = power_of_two<R>(-range), most = power_of_two<R>(range);
    return squares >= least && squares <= most && inner(alpha, alpha) <= most;
}
template <class T>
Reflector<T> reflect_in_range(T alpha, Real<T> squares, const Tail<T> &tail) {
    const ReflectorScalars<T> found(alpha, squares);
    tail.times(found.sigma);
    return found.h;
}

// The same for any [alpha; x], as LAPACK's larfg: H = I if x is zero and alpha real.
template <class T>
Reflector<T> reflect(T alpha, const Tail<T> &tail) {
    using R = Real<T>;
    const R squares = tail.squares();
    if (is_in_safe_range(alpha, squares)) return reflect_in_range(alpha, squares, tail);
    const R tail_most = tail.most();
    if (tail_most == 0 && imaginary_part(alpha) == 0) return {real_part(alpha), T(0)};
    const R largest_part = std::max(magnitude(alpha), tail_most);
    if (!is_finite(largest_part) || tail_most != tail_most) {
        const R nan = std::numeric_limits<R>::quiet_NaN();
        tail.times(nan);
        return {nan, T(nan)};
    }
    // Scaled by a power of two so that the largest part is in [1, 2), in two steps since one factor may be out of range
    const int exponent = std::ilogb(largest_part), half = exponent / 2;
    const R first = power_of_two<R>(-half), second = power_of_two<R>(half - exponent);
    tail.times(first), tail.times(second);
    Reflector<T> scaled = reflect_in_range(alpha * first * second, tail.squares(), tail);
    scaled.beta = scaled.beta / second / first;
    return scaled;
}

}  // namespace xbatch::qr
