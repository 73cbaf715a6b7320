// blocked_host.hpp: one matrix of a batch on the host, by block reflectors, in a thread's buffer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "matrix_kernels_host.hpp"
#include "matrix_view_host.hpp"
#include "qr/common/gels_scaling.hpp"

namespace xbatch::qr {

// A thread's memory for a matrix whose first k columns become reflectors, and for other columns behind it, with the
// same rows
template <class T>
struct BlockedMatrix {
    using R = Real<T>;

    int64_t rows, columns, k;
    Columns<R> a, others;
    MatrixReflectors<T> reflectors;

    BlockedMatrix(Carver &carver, const Extent &e) : rows(e.rows), columns(e.columns), k(e.k) {
        a = columns_at<T>(carver.take<R>(column_reals<T>(rows), e.columns + e.others), rows);
        others = a.from(0, columns);
        reflectors = {rows, k, nullptr, carver.take<R>(matrix_buffer_reals<T>(rows))};
        reflectors.tau = carver.take<T>(k);
    }
    // All columns; and the right-hand sides, or what else is in the others. Returns 0, or the first column from 1 whose
    // norm is not finite.
    int32_t factor(int64_t other_columns) const {
        const int64_t bad = matrix_kernels<T>().factor(reflectors, a, columns + other_columns);
        return bad < k ? int32_t(bad + 1) : 0;
    }
    void apply(bool is_adjoint, int64_t other_columns) const {
        if (k > 0) matrix_kernels<T>().apply(reflectors, a, is_adjoint, others, other_columns);
    }
    void load_tau(const HostView<T> &tau) const {
        for (int64_t i = 0; i < k; ++i) reflectors.tau[i] = tau(i, 0);
    }
    void store_tau(const HostView<T> &tau) const {
        for (int64_t i = 0; i < k; ++i) tau(i, 0) = reflectors.tau[i];
    }
};

template <class T>
Strided<T> strided(const HostView<T> &v, bool conjugates = false) {
    return {v.at, v.row, v.column, conjugates};
}
template <class T>
void load(const HostView<T> &from, bool conjugates, const Columns<Real<T>> &to) {
    load(strided(from, conjugates), from.rows, from.columns, to);
}
template <class T>
void store(const Columns<Real<T>> &from, bool conjugates, const HostView<T> &to) {
    store(from, to.rows, to.columns, strided(to, conjugates));
}

template <class T>
void factor_blocked(const FactorOne<T> &one, const BlockedMatrix<T> &w) {
    load(one.a, false, w.a);
    const int32_t bad = w.factor(0);
    store(w.a, false, one.a);
    w.store_tau(one.tau);
    if (one.info) *one.info = bad;
}

template <class T>
void qless_blocked(const QlessOne<T> &one, const BlockedMatrix<T> &w) {
    load(one.a, false, w.a);
    load(one.b, false, w.others);
    const int32_t bad = w.factor(one.b.columns);
    for (int64_t c = 0; c < w.k; ++c)
        for (int64_t i = c + 1; i < one.r.rows; ++i) put<T>(w.a, i, c, T(0));
    store(w.a, false, one.r);
    store(w.others, false, one.b);
    if (one.info) *one.info = bad;
}

template <class T>
void apply_blocked(const ApplyOne<T> &one, const BlockedMatrix<T> &w) {
    load(one.v, false, w.a);
    w.load_tau(one.tau);
    if (one.forms_q) {
        std::fill_n(w.others.at, w.others.ld * one.c.columns, Real<T>(0));
        for (int64_t i = 0; i < one.c.columns; ++i) put<T>(w.others, i, i, T(1));
    } else {
        load(one.c, one.is_turned, w.others);
    }
    w.apply(one.is_adjoint, one.c.columns);
    store(w.others, one.is_turned, one.c);
    if (one.info) *one.info = 0;
}

// Solves R x = b, or R^H x = b, in place, in the c-th of the other columns; the diagonal of R is real.
template <class T>
void solve_triangle(const BlockedMatrix<T> &w, bool is_adjoint, int64_t c) {
    const auto x = [&](int64_t i) { return get<T>(w.others, i, c); };
    for (int64_t n = 0; n < w.k; ++n) {
        const int64_t i = is_adjoint ? n : w.k - 1 - n;
        T own = x(i);
        if (is_adjoint)
            for (int64_t l = 0; l < i; ++l) own = fnma(conjugate(get<T>(w.a, l, i)), x(l), own);
        own = own * (Real<T>(1) / real_part(get<T>(w.a, i, i)));
        put<T>(w.others, i, c, own);
        if (!is_adjoint)
            for (int64_t l = 0; l < i; ++l) put<T>(w.others, l, c, fnma(get<T>(w.a, l, i), own, x(l)));
    }
}

template <class T>
void solve_blocked(const SolveOne<T> &one, const BlockedMatrix<T> &w) {
    const int64_t nrhs = one.b.columns, given = one.given(), found = one.found();
    load(one.g, one.is_turned, w.a);
    load(one.b, false, w.others);
    // The parts of complex columns are columns, too.
    const int64_t parts_of_a = parts<T> * w.k, parts_of_b = parts<T> * nrhs;
    const Columns<Real<T>> a = w.a, b = w.others;
    const LeastSquaresScaling scaling{scaling_exponent_of(a.at, a.im, w.rows, parts_of_a),
                                      scaling_exponent_of(b.at, b.im, given, parts_of_b)};
    scale_matrix(scaling.a, a.at, a.im, w.rows, parts_of_a);
    scale_matrix(scaling.b, b.at, b.im, given, parts_of_b);
    int32_t bad = w.factor(one.is_least_norm ? 0 : nrhs);
    for (int64_t i = 0; i < w.k && (bad == 0 || i < bad); ++i)
        if (!has_reciprocal(real_part(get<T>(a, i, i)))) bad = int32_t(i + 1);
    for (int64_t r = 0; r < nrhs; ++r) {
        solve_triangle(w, one.is_least_norm, r);
        for (int64_t i = w.k; one.is_least_norm && i < w.rows; ++i) put<T>(b, i, r, T(0));
    }
    if (one.is_least_norm) w.apply(false, nrhs);
    scale_matrix(scaling.of_solution(), b.at, b.im, found, parts_of_b);
    scale_matrix(scaling.of_residual(), b.at + found, b.im, w.rows - found, parts_of_b);
    store(b, w.rows, nrhs, strided(one.b));
    if (one.info) *one.info = bad != 0 || is_finite_matrix(b.at, b.im, found, parts_of_b) ? bad : int32_t(w.k + 1);
}

}  // namespace xbatch::qr
