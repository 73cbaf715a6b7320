// row_arithmetic.hpp: one row of tridiagonal elimination and substitution, in LAPACK's order of operations, for host
// and GPU. Files that include this must be compiled without contraction into fused multiply-adds.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::lapack {

// |a| as LAPACK compares pivots
XBATCH_HD inline float size_1(float a) { return std::fabs(a); }
XBATCH_HD inline double size_1(double a) { return std::fabs(a); }
template <class R>
XBATCH_HD inline R size_1(Complex<R> a) {
    return std::fabs(a.re) + std::fabs(a.im);
}

template <class T>
XBATCH_HD inline T choose(bool first, const T &a, const T &b) {
    return first ? a : b;
}
template <class R>
XBATCH_HD inline Complex<R> choose(bool first, const Complex<R> &a, const Complex<R> &b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}

// a / b; a complex quotient by Smith's algorithm, as Fortran compilers divide
XBATCH_HD inline float quotient(float a, float b) { return a / b; }
XBATCH_HD inline double quotient(double a, double b) { return a / b; }
template <class R>
XBATCH_HD inline Complex<R> quotient(Complex<R> a, Complex<R> b) {
    const bool turned = std::fabs(b.re) < std::fabs(b.im);
    const R larger = turned ? b.im : b.re, smaller = turned ? b.re : b.im;
    const R ratio = smaller / larger, divisor = smaller * ratio + larger;
    const R re = (turned ? a.re : a.im) * ratio + (turned ? a.im : a.re);
    const R im = turned ? a.im * ratio - a.re : a.im - a.re * ratio;
    return {re / divisor, im / divisor};
}
template <class R>
XBATCH_HD inline Complex<R> quotient(Complex<R> a, R b) {
    return {a.re / b, a.im / b};
}

// The carried row has the entries p_i, q_i in columns i, i+1; row i+1 has a, b, c in columns i, i+1, i+2. The row with
// the larger first entry becomes row i of U; the other, minus f times that row, is carried on. A column of zeros gives
// f = 0. Complex gtsv, unlike gttrf, does not eliminate a row with a = 0: it carries row i+1 on unchanged and does not
// subtract 0 times row i. `exchanged` is -1 then.
template <bool in_gtsv, class T>
XBATCH_HD inline void eliminate(T &p, T &q, T a, T b, T c, T &f, T &pivot, T &u, T &u2, Real<T> &exchanged) {
    // Rare: without the hint complex gtsv is 7 % slower.
    if (in_gtsv && sizeof(T) > sizeof(Real<T>) && __builtin_expect(size_1(a) == Real<T>(0), 0)) {
        f = T(0), pivot = p, u = q, u2 = a, exchanged = Real<T>(-1);
        p = b, q = c;
        return;
    }
    const bool taken = !(size_1(p) >= size_1(a));
    const T first = choose(taken, a, p), second = choose(taken, p, a), above = choose(taken, b, q);
    const T factor = choose(size_1(first) == Real<T>(0), second, quotient(second, first));
    const T next = choose(taken, q, b) - factor * above;
    q = choose(taken, -(factor * c), c);
    p = next, f = factor, pivot = first, u = above;
    u2 = choose(taken, c, T(0));
    exchanged = taken ? Real<T>(1) : Real<T>(0);
}

// L y = P^T b: the carried value is y_i unless row i is exchanged with the next row, b.
template <class T>
XBATCH_HD inline void substitute(T &carried, T b, T f, Real<T> exchanged, T &y) {
    const bool taken = exchanged > Real<T>(0);
    const T first = choose(taken, b, carried), second = choose(taken, carried, b);
    y = first;
    carried = sizeof(T) > sizeof(Real<T>) && exchanged < Real<T>(0) ? second : second - f * first;
}

// U x = y backward, or U^T y = b forward; U^H if `conjugated`. u, u2 are the coefficients of the last two unknowns.
template <bool conjugated, class T>
XBATCH_HD inline void solve_pivot(T &last, T &before, T b, T pivot, T u, T u2, T &x) {
    if (conjugated) pivot = conjugate(pivot), u = conjugate(u), u2 = conjugate(u2);
    const T solved = quotient(b - u * last - u2 * before, pivot);
    before = last;
    last = x = solved;
}

// L^T x = y, or L^H: the carried value is x_{i+1} unless it is exchanged with row i, b.
template <bool conjugated, class T>
XBATCH_HD inline void substitute_back(T &carried, T b, T f, Real<T> exchanged, T &x) {
    if (conjugated) f = conjugate(f);
    const bool taken = exchanged != Real<T>(0);
    const T reduced = b - f * carried, previous = carried;
    x = choose(taken, reduced, previous);
    carried = choose(taken, previous, reduced);
}

// A = L D L^H: p_{i+1} = d_{i+1} - |e_i|^2 / p_i
template <class R>
XBATCH_HD inline void eliminate_positive(R &p, R e, R d, R &f, R &pivot) {
    pivot = p;
    f = e / pivot;
    p = d - f * e;
}
template <class R>
XBATCH_HD inline void eliminate_positive(R &p, Complex<R> e, R d, Complex<R> &f, R &pivot) {
    pivot = p;
    f = quotient(e, pivot);
    p = d - f.re * e.re - f.im * e.im;
}

// L y = b, and D L^H x = y
template <class T>
XBATCH_HD inline void substitute_positive(T &last, T b, T f, T &y) {
    y = last = b - last * f;
}
template <class T>
XBATCH_HD inline void substitute_back_positive(T &last, T y, Real<T> pivot, T f, T &x) {
    x = last = quotient(y, pivot) - last * f;
}

}  // namespace xbatch::lapack
