// determinant.cuh: determinant, norms and first bad pivot of a matrix from the elimination of runs of its rows.
//
// A pivot in row r and column c of the remaining matrix, counted from 0, contributes the factor (-1)^(r+c) times the
// pivot to the determinant. Every run has as many rows as unknowns, and so have the runs before it: r and c can be
// counted within the run. is_odd of interface.cuh is the parity of the sum of r + c.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/condition.hpp"
#include "core/scaled_product.hpp"
#include "tridiagonal/pivoted/interface.cuh"

namespace xbatch::tridiagonal {

template <class T>
struct MatrixRow {
    T a, b, c;
};
// The rows of one matrix; entries outside it are 0.
template <class T>
struct MatrixRows {
    const T *dl, *d, *du;  // at row 0
    int64_t step, n;

    __device__ MatrixRow<T> operator[](int64_t i) const {
        return {i == 0 ? T(0) : dl[i * step], d[i * step], i == n - 1 ? T(0) : du[i * step]};
    }
};
// Scales the row by a power of two, and returns it.
template <class T>
__device__ inline Real<T> equilibrate(MatrixRow<T> &row) {
    const Real<T> s = row_scale(row.a, row.b, row.c);
    row = {scaled(row.a, s), scaled(row.b, s), scaled(row.c, s)};
    return s;
}

// A run of rows: its interface equations, and its contribution to the determinant and to the norms
template <class T>
struct Span {
    InterfaceEquations<T> run;  // without right-hand sides
    ScaledProduct<T> product;
    Real<T> norms[2];  // [XBATCH_NORM_…]
    bool is_fine;
};

template <class R>
__device__ inline R larger(R a, R b) {
    return a > b ? a : b;
}

// Rows [begin, end), at least two unless n = 1; then a row of the identity is added.
template <class T>
__device__ inline Span<T> span_of(const MatrixRows<T> &rows, int64_t begin, int64_t end) {
    using R = Real<T>;
    Span<T> span{{}, {T(1), 0}, {R(0), R(0)}, true};
    R &one = span.norms[XBATCH_NORM_ONE], &inf = span.norms[XBATCH_NORM_INF];
    R column = 0, beyond = begin > 0 ? size_of(rows[begin - 1].c) : R(0);  // partial sums of columns i-1 and i
    MatrixRow<T> next = rows[begin];
    const auto take = [&](int64_t i) {
        MatrixRow<T> row = next;
        next = rows[min(i + 1, rows.n - 1)];
        const R left = size_of(row.a), middle = size_of(row.b), right = size_of(row.c);
        inf = larger(left + middle + right, inf);
        one = larger(column + left, one);
        column = beyond + middle, beyond = right;
        span.product.exponent -= exponent_field(equilibrate(row)) - BitsOf<R>::type::bias;
        return row;
    };
    const MatrixRow<T> u = take(begin);
    const MatrixRow<T> v = end - begin > 1 ? take(begin + 1) : MatrixRow<T>{T(0), T(1), T(0)};
    span.run = two_rows(u.a, u.b, u.c, T(0), v.a, v.b, v.c, T(0));
    const LeftSizes left = left_sizes(span.run);
#pragma unroll 1
    for (int64_t i = begin + 2; i < end; ++i) {
        const MatrixRow<T> row = take(i);
        const Pivot<T> pivot = absorb(span.run, left, row.a, row.b, row.c, T(0));
        multiply(span.product, pivot.is_odd ? -pivot.pivot : pivot.pivot);
        span.is_fine = span.is_fine && pivot.is_fine;
    }
    one = larger(column + (end < rows.n ? size_of(next.a) : R(0)), one);
    return span;
}

// Joins two adjacent runs; `left` becomes both.
template <class T>
__device__ inline void join(Span<T> &left, const Span<T> &right) {
    const Middle<T> middle = compose(left.run, right.run);
    multiply(left.product, middle.is_odd ? -middle.pivots[0] : middle.pivots[0]);
    multiply(left.product, middle.pivots[1]);
    multiply(left.product, right.product.mantissa);
    left.product.exponent += right.product.exponent;
    for (int norm = 0; norm < 2; ++norm) left.norms[norm] = larger(right.norms[norm], left.norms[norm]);
    left.is_fine = left.is_fine && right.is_fine && middle.is_fine;
}

// The row that remains after elimination of a run's first unknown, p x_last + q x_behind
template <class T>
struct HeldRow {
    T first_pivot, p, q;
    bool is_odd;
};
template <class T>
__device__ inline HeldRow<T> held_of(const InterfaceEquations<T> &run) {
    const bool s = heavier(run.b.l1, run.a.l1);
    const InterfaceRow<T> lead = pick(s, run.b, run.a), rest = pick(s, run.a, run.b);
    const T f = rest.l1 * fast_reciprocal(lead.l1);
    return {lead.l1, fnma(f, lead.p, rest.p), fnma(f, lead.q, rest.q), s};
}

// The whole matrix: its last two pivots
template <class T>
__device__ inline void finish(Span<T> &all) {
    const HeldRow<T> held = held_of(all.run);
    multiply(all.product, held.is_odd ? -held.first_pivot : held.first_pivot);
    multiply(all.product, held.p);
    all.is_fine = all.is_fine && is_pivot(held.first_pivot) && is_pivot(held.p);
}

// Whether all pivots of a run that begins at row 0 are good
template <class T>
__device__ inline bool is_sound(const Span<T> &span) {
    const InterfaceRow<T> &a = span.run.a, &b = span.run.b;
    const bool finite =
        is_finite(a.l1) && is_finite(a.p) && is_finite(a.q) && is_finite(b.l1) && is_finite(b.p) && is_finite(b.q);
    return finite && span.is_fine && is_pivot(held_of(span.run).first_pivot);
}

// The first bad pivot of LAPACK's elimination
struct BadPivot {
    int64_t row;
    bool is_finite;
};

// `held` is the held row after elimination with the rows before row i; rows i … end-1 are added. If all their pivots
// are good, the result is the next one, in row end-1.
template <class T>
__device__ inline BadPivot first_bad_pivot(const MatrixRows<T> &rows, HeldRow<T> held, int64_t i, int64_t end) {
    for (; i < end; ++i) {
        MatrixRow<T> row = rows[i];
        equilibrate(row);
        const bool taken = magnitude(row.a) > magnitude(held.p);
        const T pivot = pick(taken, row.a, held.p), other = pick(taken, held.p, row.a);
        if (!is_pivot(pivot)) return {i - 1, is_finite(pivot)};
        const T f = other * fast_reciprocal(pivot);
        held.p = fnma(f, pick(taken, row.b, held.q), pick(taken, held.q, row.b));
        held.q = pick(taken, fnma(f, row.c, T(0)), row.c);
    }
    return {end - 1, is_finite(held.p)};
}

}  // namespace xbatch::tridiagonal
