// row_rules.hpp: the rules of sweep.hpp: the rows of row_arithmetic.hpp in SIMD lanes. Each row is a function call,
// because compilers place objects that are declared inside a SIMD loop in memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "row_arithmetic.hpp"
#include "sweep.hpp"

namespace xbatch::lapack {

// gtsv, unlike gttrf, stops before a row if both candidates for the pivot are zero. In any other row a zero pivot
// follows from a NaN.
template <class T>
struct GtsvStop {
    static bool stops(T p, T a) { return is_suspect(a) && is_suspect(p); }
    static bool is_suspect(T pivot) { return size_1(pivot) == Real<T>(0); }
};

// A = P L U
template <class T, bool in_gtsv>
struct Factor {
    using Element = T;
    static constexpr int columns = 4, states = 2, step = 1;  // dl, d, du, du2; p, q
    static constexpr int guess[states] = {1, 2}, pivots = in_gtsv ? 1 : -1;
    static constexpr int64_t max_bytes = any_bytes;
    static bool is_suspect(T pivot) { return GtsvStop<T>::is_suspect(pivot); }
    static bool stops(const T (&state)[states][1], T *const (&in)[columns]) {
        return GtsvStop<T>::stops(state[0][0], in[0][0]);
    }
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *p = state[0], *q = state[1];
        const T *dl = in[0], *d = in[1], *du = in[2];
        T *f = out[0], *pivot = out[1], *u = out[2], *u2 = out[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate<in_gtsv>(p[l], q[l], dl[l], d[l], du[l], f[l], pivot[l], u[l], u2[l], exchanged[l]);
    }
};

// L y = P^T b
template <class T>
struct ForwardL {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = 1;  // b, f; carried
    static constexpr int guess[states] = {0};
    static constexpr int64_t max_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *carried = state[0], *y = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute(carried[l], b[l], f[l], exchanged[l], y[l]);
    }
};

template <class T>
inline void eliminate_both(T &p, T &q, T &carried, T a, T d, T c, T b, T &u2, T &pivot, T &u, T &y) {
    T f;
    Real<T> exchanged;
    eliminate<true>(p, q, a, d, c, f, pivot, u, u2, exchanged);
    substitute(carried, b, f, exchanged, y);
}
// Factors and solves L y = P^T b for one right-hand side. The multipliers are not stored; u2 overwrites dl.
template <class T>
struct FactorForward {
    using Element = T;
    static constexpr int columns = 4, states = 3, step = 1;  // dl, d, du, b; p, q, carried
    static constexpr int guess[states] = {1, 2, 3}, pivots = 1;
    static constexpr int64_t max_bytes = any_bytes;
    static bool is_suspect(T pivot) { return GtsvStop<T>::is_suspect(pivot); }
    static bool stops(const T (&state)[states][1], T *const (&in)[columns]) {
        return GtsvStop<T>::stops(state[0][0], in[0][0]);
    }
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *p = state[0], *q = state[1], *carried = state[2];
        const T *dl = in[0], *d = in[1], *du = in[2], *b = in[3];
        T *u2 = out[0], *pivot = out[1], *u = out[2], *y = out[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate_both(p[l], q[l], carried[l], dl[l], d[l], du[l], b[l], u2[l], pivot[l], u[l], y[l]);
    }
};

// U x = y backward, or U^T y = b forward
template <class T, int direction, bool conjugated>
struct SolveU {
    using Element = T;
    static constexpr int columns = 4, states = 2, step = direction;  // b, pivot, u, u2; the last two unknowns
    static constexpr int guess[states] = {-1, -1};
    static constexpr int64_t max_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *before = state[1], *x = out[0];
        const T *b = in[0], *pivot = in[1], *u = in[2], *u2 = in[3];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) solve_pivot<conjugated>(last[l], before[l], b[l], pivot[l], u[l], u2[l], x[l]);
    }
};

// L^T x = y, or L^H
template <class T, bool conjugated>
struct BackwardL {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = -1;  // b, f; carried
    static constexpr int guess[states] = {0};
    static constexpr int64_t max_bytes = any_bytes;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns],
                           Real<T> *exchanged) {
        T *carried = state[0], *x = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute_back<conjugated>(carried[l], b[l], f[l], exchanged[l], x[l]);
    }
};

// A = L D L^T, real. LAPACK stops at a pivot that is not positive.
template <class T>
struct FactorPositive {
    using Element = T;
    static constexpr int columns = 2, states = 1, step = 1;  // e, d; p
    static constexpr int guess[states] = {1}, pivots = 1;
    static constexpr int64_t max_bytes = any_bytes;
    static bool is_suspect(T pivot) { return pivot <= 0; }
    static bool stops(const T (&state)[states][1], T *const (&)[columns]) { return state[0][0] <= 0; }
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
    static constexpr int64_t max_bytes = 6 << 20;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *y = out[0];
        const T *b = in[0], *f = in[1];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute_positive(last[l], b[l], f[l], y[l]);
    }
};
template <class T>
struct BackwardPositive {
    using Element = T;
    static constexpr int columns = 3, states = 1, step = -1;  // y, pivot, f; the last unknown
    static constexpr int guess[states] = {-1};
    static constexpr int64_t max_bytes = 6 << 20;
    template <int lanes>
    static inline void row(T (&state)[states][lanes], T *const (&in)[columns], T *const (&out)[columns], Real<T> *) {
        T *last = state[0], *x = out[0];
        const T *y = in[0], *pivot = in[1], *f = in[2];
#pragma omp simd
        for (int l = 0; l < lanes; ++l) substitute_back_positive(last[l], y[l], pivot[l], f[l], x[l]);
    }
};

}  // namespace xbatch::lapack
