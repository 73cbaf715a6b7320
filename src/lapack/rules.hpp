// rules.hpp: the recurrences of tridiagonal elimination and substitution, in LAPACK's order of operations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sweep.hpp"

namespace xbatch::lapack {

// |a| as LAPACK compares pivots
inline float size_1(float a) { return std::fabs(a); }
inline double size_1(double a) { return std::fabs(a); }
template <class R>
inline R size_1(Complex<R> a) {
    return std::fabs(a.re) + std::fabs(a.im);
}

template <class T>
inline T choose(bool first, const T &a, const T &b) {
    return first ? a : b;
}
template <class R>
inline Complex<R> choose(bool first, const Complex<R> &a, const Complex<R> &b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}

// a / b; a complex quotient by Smith's algorithm, as Fortran compilers divide
inline float quotient(float a, float b) { return a / b; }
inline double quotient(double a, double b) { return a / b; }
template <class R>
inline Complex<R> quotient(Complex<R> a, Complex<R> b) {
    const bool turned = std::fabs(b.re) < std::fabs(b.im);
    const R larger = turned ? b.im : b.re, smaller = turned ? b.re : b.im;
    const R ratio = smaller / larger, divisor = smaller * ratio + larger;
    const R re = (turned ? a.re : a.im) * ratio + (turned ? a.im : a.re);
    const R im = turned ? a.im * ratio - a.re : a.im - a.re * ratio;
    return {re / divisor, im / divisor};
}

// One lane of one row. Functions of their own, for a compiler keeps objects declared inside a SIMD loop in memory.
//
// The row that is held has entries p_i, q_i in columns i, i+1; row i+1 has a, b, c in columns i, i+1, i+2. The one with
// the larger first entry is row i of U, the other minus f times it is held on. A column of zeros leaves f = 0.
template <class T>
inline void eliminate(T &p, T &q, T a, T b, T c, T &f, T &pivot, T &u, T &u2, Real<T> &exchanged) {
    const bool taken = !(size_1(p) >= size_1(a));
    const T first = choose(taken, a, p), second = choose(taken, p, a), above = choose(taken, b, q);
    const T factor = choose(size_1(first) == Real<T>(0), second, quotient(second, first));
    const T next = choose(taken, q, b) - factor * above;
    q = choose(taken, -(factor * c), c);
    p = next, f = factor, pivot = first, u = above;
    u2 = choose(taken, c, T(0));
    exchanged = taken ? Real<T>(1) : Real<T>(0);
}

// A = P L U
template <class T>
struct Factor {
    using Element = T;
    static constexpr int columns = 4, states = 2, step = 1;  // dl, d, du, du2; p, q
    static constexpr int guess[states] = {1, 2};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *p = state[0], *q = state[1];
        const T *dl = in[0], *d = in[1], *du = in[2];
        T *f = out[0], *pivot = out[1], *u = out[2], *u2 = out[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate(p[l], q[l], dl[l], d[l], du[l], f[l], pivot[l], u[l], u2[l], exchanged[l]);
    }
};

// L y = P^T b: the row that is held is y_i but for the exchange with the next, b
template <class T>
inline void substitute(T &held, T b, T f, Real<T> exchanged, T &y) {
    const bool taken = exchanged != Real<T>(0);
    const T first = choose(taken, b, held), second = choose(taken, held, b);
    y = first;
    held = second - f * first;
}
template <class T>
struct ForwardL {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = 1;  // b, f; held
    static constexpr int guess[states] = {0};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *held = state[0], *y = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute(held[l], b[l], f[l], exchanged[l], y[l]);
    }
};

template <class T>
inline void eliminate_both(T &p, T &q, T &held, T a, T d, T c, T b, T &u2, T &pivot, T &u, T &y) {
    T f;
    Real<T> exchanged;
    eliminate(p, q, a, d, c, f, pivot, u, u2, exchanged);
    substitute(held, b, f, exchanged, y);
}
// Both at once, where one right-hand side is all that the multipliers are for: u2 takes the place of dl.
template <class T>
struct FactorForward {
    using Element = T;
    static constexpr int columns = 4, states = 3, step = 1;  // dl, d, du, b; p, q, held
    static constexpr int guess[states] = {1, 2, 3};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *p = state[0], *q = state[1], *held = state[2];
        const T *dl = in[0], *d = in[1], *du = in[2], *b = in[3];
        T *u2 = out[0], *pivot = out[1], *u = out[2], *y = out[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate_both(p[l], q[l], held[l], dl[l], d[l], du[l], b[l], u2[l], pivot[l], u[l], y[l]);
    }
};

// U x = y backward, or U^T y = b forward, where `conjugated` U^H: u, u2 couple with the last two unknowns met
template <bool conjugated, class T>
inline void solve_pivot(T &last, T &before, T b, T pivot, T u, T u2, T &x) {
    if (conjugated) pivot = conjugate(pivot), u = conjugate(u), u2 = conjugate(u2);
    const T solved = quotient(b - u * last - u2 * before, pivot);
    before = last;
    last = x = solved;
}
template <class T, int direction, bool conjugated>
struct SolveU {
    using Element = T;
    static constexpr int columns = 4, states = 2, step = direction;  // b, pivot, u, u2; the last two unknowns
    static constexpr int guess[states] = {-1, -1};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *before = state[1], *x = out[0];
        const T *b = in[0], *pivot = in[1], *u = in[2], *u2 = in[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) solve_pivot<conjugated>(last[l], before[l], b[l], pivot[l], u[l], u2[l], x[l]);
    }
};

// L^T x = y, or L^H: held is x_{i+1} but for the exchange with row i, b
template <bool conjugated, class T>
inline void substitute_back(T &held, T b, T f, Real<T> exchanged, T &x) {
    if (conjugated) f = conjugate(f);
    const bool taken = exchanged != Real<T>(0);
    const T reduced = b - f * held, kept = held;
    x = choose(taken, reduced, kept);
    held = choose(taken, kept, reduced);
}
template <class T, bool conjugated>
struct BackwardL {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = -1;  // b, f; held
    static constexpr int guess[states] = {0};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *held = state[0], *x = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute_back<conjugated>(held[l], b[l], f[l], exchanged[l], x[l]);
    }
};

// A = L D L^T, real: p_{i+1} = d_{i+1} - e_i^2 / p_i
template <class T>
inline void eliminate_positive(T &p, T e, T d, T &f, T &pivot) {
    pivot = p;
    f = e / pivot;
    p = d - f * e;
}
template <class T>
struct FactorPositive {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = 1;  // e, d; p
    static constexpr int guess[states] = {1};
    static constexpr int64_t most_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *p = state[0], *f = out[0], *pivot = out[1];
        const T *e = in[0], *d = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) eliminate_positive(p[l], e[l], d[l], f[l], pivot[l]);
    }
};

// L y = b, and D L^T x = y
template <class T>
struct ForwardPositive {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = 1;  // b, f; the last unknown
    static constexpr int guess[states] = {0};
    static constexpr int64_t most_bytes = 6 << 20;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *y = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) y[l] = last[l] = b[l] - last[l] * f[l];
    }
};
template <class T>
struct BackwardPositive {
    using Element = T;
    static constexpr int columns = 3, states = 1, step = -1;  // y, pivot, f; the last unknown
    static constexpr int guess[states] = {-1};
    static constexpr int64_t most_bytes = 6 << 20;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *x = out[0];
        const T *y = in[0], *pivot = in[1], *f = in[2];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) x[l] = last[l] = y[l] / pivot[l] - last[l] * f[l];
    }
};

}  // namespace xbatch::lapack
