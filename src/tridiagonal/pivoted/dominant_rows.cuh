// dominant_rows.cuh: elimination of a thread's rows without interchanges where they are diagonally dominant, or those
// of a positive definite matrix.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface.cuh"
#include "interface_block.cuh"
#include "tridiagonal/nopivot/row_info.cuh"

namespace xbatch::tridiagonal {

// Whether |b| >= |a| + |c|
template <class R>
__device__ inline bool not_less(R b, R a, R c) {
    return magnitude(b) >= magnitude(a) + magnitude(c);
}
template <class R>
__device__ inline R squared_modulus(Complex<R> a, R scale) {
    const R x = a.re * scale, y = a.im * scale;
    return fma(x, x, y * y);
}
template <class R>
__device__ inline bool not_less(Complex<R> b, Complex<R> a, Complex<R> c) {
    const R s = row_scale(b, b, b);
    return squared_modulus(b, s) >= 2 * (squared_modulus(a, s) + squared_modulus(c, s));  // which is >= (|a| + |c|)^2
}
// The same of an unscaled row, with b far enough from overflow and underflow for the elimination of rows as they are
template <class T>
__device__ inline bool dominates(T b, T a, T c) {
    constexpr int bias = BitsOf<Real<T>>::type::bias, margin = bias / 5;
    constexpr int least = margin * binade<T>, beyond = (2 * bias - margin) * binade<T>;
    return not_less(b, a, c) & (unsigned(upper_magnitude(b) - least) < unsigned(beyond - least));
}

// Whether the thread's rows, at least `least`, are diagonally dominant, so that their elimination needs no
// interchanges. Two pairs are read at a time, so that latencies overlap.
template <class W>
__device__ inline bool is_dominant(const W &w, int least = 2) {
    const int count = w.rows(), whole = count / 2;
    bool is_so = count >= least;
#pragma unroll 1
    for (int v = 0; v < whole && is_so; v += 2) {
        const auto rows = w.rows_at(v), next = w.rows_at(min(v + 1, whole - 1));
        is_so = dominates(rows.b.x, rows.a.x, rows.c.x) & dominates(rows.b.y, rows.a.y, rows.c.y) &
                dominates(next.b.x, next.a.x, next.c.x) & dominates(next.b.y, next.a.y, next.c.y);
    }
    if (count % 2 == 1 && is_so) {
        const auto rows = w.rows_at(whole);
        is_so = dominates(rows.b.x, rows.a.x, rows.c.x);
    }
    return is_so;
}

// Of a matrix that should be positive definite, the real part of a pivot. Elimination in any order of the unknowns is
// then a Cholesky elimination, whose pivots, divided by a positive diagonal or not, are positive.
template <bool DEFINITE, class T>
__device__ inline auto pivot_part(T pivot) {
    if constexpr (DEFINITE)
        return real_part(pivot);
    else
        return pivot;
}

// eliminate() of interface_kernels.cuh for dominant rows, at least one: x_{i-1} = g - s x_before - q x_i replaces row
// i-2. DEFINITE: for any rows of a positive definite matrix, of which d and, in place of du, e are loaded; `below` is e
// of the row before.
template <bool DEFINITE = false, class W, class T, class G>
__device__ inline int eliminate_dominant(const W &w, InterfaceEquations<T, G> &run, T below = T(0)) {
    constexpr bool stores_pivots = W::job != InterfaceJob::CONDENSE;
    const int count = w.rows(), whole = count / 2;
    int bad = no_row;
    const auto rows_at = [&](int v) {
        Rows<T, G> rows = w.rows_at(v);
        if constexpr (DEFINITE) {
            rows.a = {below, rows.c.x};
            below = rows.c.y;
            rows.b = {T(real_part(rows.b.x)), T(real_part(rows.b.y))};
            rows.c = {conjugate(rows.c.x), conjugate(rows.c.y)};
        }
        return rows;
    };
    T s(-1), q(0), f(0), p(1);
    G g(T(0)), h(T(0));  // s, q, g of the row before; x_first = h + f x_before + p x_i of that row
    const auto next = [&](T a, T b, T c, const G &d, int row) {
        const bool conj = w.is_conjugated();
        const auto pivot = pivot_part<DEFINITE>(fnma(conjugated(a, conj), q, conjugated(b, conj)));
        const auto inverse = fast_reciprocal(pivot);
        if (!(DEFINITE ? is_good_positive(real_part(pivot)) : is_good_pivot(pivot))) bad = min(bad, row);
        const T l = conjugated(a, conj) * inverse;
        s = -(l * s), g = fnma(l, g, d * inverse), q = conjugated(c, conj) * inverse;
    };
    const auto extend = [&] { h = fma_(p, g, h), f = fnma(p, s, f), p = -(p * q); };
    T *before = w.pair(0);
    auto rows = rows_at(0);
    next(rows.a.x, rows.b.x, rows.c.x, rows.d.x, 0);
    if (count == 1) {  // x_first is x_last
        run = {{s, T(1), T(0), q, g}, {s, T(0), T(1), q, g}};
        return bad;
    }
    extend();
    next(rows.a.y, rows.b.y, rows.c.y, rows.d.y, 1);
#pragma unroll 1
    for (int v = 1; v < whole; ++v) {
        T *const place = w.pair(v);
        rows = rows_at(v);
        extend();
        const T s1 = s, q1 = q;
        const G g1 = g;
        next(rows.a.x, rows.b.x, rows.c.x, rows.d.x, 2 * v);
        extend();
        if (stores_pivots) w.write_dominant(before, {s1, s}, {q1, q}, {g1, g});
        next(rows.a.y, rows.b.y, rows.c.y, rows.d.y, 2 * v + 1);
        before = place;
    }
    if (count % 2 == 1) {
        rows = rows_at(whole);
        extend();
        if (stores_pivots) w.write_dominant(before, {s, T(0)}, {q, T(0)}, {g, G(T(0))});
        next(rows.a.x, rows.b.x, rows.c.x, rows.d.x, count - 1);
    }
    extend();
    run = {{-f, T(1), T(0), -p, h}, {s, T(0), T(1), q, g}};
    return bad;
}

}  // namespace xbatch::tridiagonal
