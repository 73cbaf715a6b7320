// blocked_host.hpp: one matrix of a batch on the host, by block reflectors: it is copied to a single tile of tiled QR,
// and the result back.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "matrix_view_host.hpp"
#include "qr/common/gels_scaling.hpp"
#include "qr/common/tile_panels_host.hpp"
#include "qr/common/tiles_host.hpp"

namespace xbatch::qr {

// A thread's memory for a matrix whose first k columns become reflectors, and for other columns with the same rows
template <class T>
struct BlockedMatrix {
    static constexpr int64_t widest_block = 32;

    int64_t rows, k, ib;
    T *g, *others, *triangles;
    Real<T> *buffer;

    BlockedMatrix(Carver &carver, const Extent &e)
        : rows(e.rows), k(e.k), ib(std::min(widest_block, std::max<int64_t>(k, 1))) {
        g = carver.take<T>(rows, e.columns);
        others = carver.take<T>(rows, e.others);
        triangles = carver.take<T>(ib, k);
        buffer = carver.take<Real<T>>(tile_buffer_reals<T>(rows, k, ib));
    }
    TileReflectors<T> tile() const { return {Shape::trapezoid, rows, k, ib, g, rows, triangles}; }
    T &tau(int64_t i) const { return triangles[i * ib + i % ib]; }
    // 0, or the first column from 1 whose norm is not finite
    int32_t factor() const { return int32_t(tile_kernels<T>().factor({tile(), nullptr, 0}, buffer) + 1); }
    void apply(bool is_adjoint, T *c, int64_t columns) const {
        if (k > 0 && columns > 0)
            tile_kernels<T>().update({tile(), is_adjoint, {nullptr, 0}, {c, rows}, columns}, buffer);
    }
};

template <class T>
void copy_in(const HostView<T> &from, bool conjugates, T *to, int64_t ld) {
    for (int64_t c = 0; c < from.columns; ++c)
        for (int64_t i = 0; i < from.rows; ++i) to[c * ld + i] = conjugates ? conjugate(from(i, c)) : from(i, c);
}
template <class T>
void copy_out(const T *from, int64_t ld, bool conjugates, const HostView<T> &to) {
    for (int64_t c = 0; c < to.columns; ++c)
        for (int64_t i = 0; i < to.rows; ++i) to(i, c) = conjugates ? conjugate(from[c * ld + i]) : from[c * ld + i];
}

template <class T>
void factor_blocked(const FactorOne<T> &one, const BlockedMatrix<T> &w) {
    copy_in(one.a, false, w.g, w.rows);
    const int32_t bad = w.factor();
    w.apply(true, w.g + w.k * w.rows, one.a.columns - w.k);
    copy_out(w.g, w.rows, false, one.a);
    for (int64_t i = 0; i < w.k; ++i) one.tau(i, 0) = w.tau(i);
    if (one.info) *one.info = bad;
}

template <class T>
void qless_blocked(const QlessOne<T> &one, const BlockedMatrix<T> &w) {
    copy_in(one.a, false, w.g, w.rows);
    copy_in(one.b, false, w.others, w.rows);
    const int32_t bad = w.factor();
    w.apply(true, w.g + w.k * w.rows, one.a.columns - w.k);
    w.apply(true, w.others, one.b.columns);
    for (int64_t c = 0; c < w.k; ++c) std::fill(w.g + c * w.rows + c + 1, w.g + (c + 1) * w.rows, T(0));
    copy_out(w.g, w.rows, false, one.r);
    copy_out(w.others, w.rows, false, one.b);
    if (one.info) *one.info = bad;
}

// Computes the triangular factors T of block reflectors from the vectors and tau
template <class T>
void join_reflectors(const BlockedMatrix<T> &w) {
    T products[BlockedMatrix<T>::widest_block];
    for (int64_t s = 0; s < w.k; s += w.ib)
        for (int64_t c = s; c < std::min(s + w.ib, w.k); ++c) {
            const T *v = w.g + c * w.rows;
            for (int64_t l = s; l < c; ++l) {
                const T *u = w.g + l * w.rows;
                T sum = conjugate(u[c]);
                for (int64_t i = c + 1; i < w.rows; ++i) sum = fma_(conjugate(u[i]), v[i], sum);
                products[l - s] = sum;
            }
            extend_triangle(View<T>{w.triangles + s * w.ib, w.ib}, c - s, w.tau(c), products);
        }
}

template <class T>
void apply_blocked(const ApplyOne<T> &one, const BlockedMatrix<T> &w) {
    copy_in(one.v, false, w.g, w.rows);
    for (int64_t i = 0; i < w.k; ++i) w.tau(i) = one.tau(i, 0);
    join_reflectors(w);
    if (one.forms_q) {
        std::fill_n(w.others, w.rows * one.c.columns, T(0));
        for (int64_t i = 0; i < one.c.columns; ++i) w.others[i * w.rows + i] = T(1);
    } else {
        copy_in(one.c, one.is_turned, w.others, w.rows);
    }
    w.apply(one.is_adjoint, w.others, one.c.columns);
    copy_out(w.others, w.rows, one.is_turned, one.c);
    if (one.info) *one.info = 0;
}

// Solves R x = b, or R^H x = b, in place; the diagonal of R is real.
template <class T>
void solve_triangle(const BlockedMatrix<T> &w, bool is_adjoint, T *x) {
    for (int64_t n = 0; n < w.k; ++n) {
        const int64_t i = is_adjoint ? n : w.k - 1 - n;
        const T *r = w.g + i * w.rows;
        if (is_adjoint)
            for (int64_t l = 0; l < i; ++l) x[i] = fnma(conjugate(r[l]), x[l], x[i]);
        x[i] = x[i] * (Real<T>(1) / real_part(r[i]));
        if (!is_adjoint)
            for (int64_t l = 0; l < i; ++l) x[l] = fnma(r[l], x[i], x[l]);
    }
}

template <class T>
void solve_blocked(const SolveOne<T> &one, const BlockedMatrix<T> &w) {
    const int64_t nrhs = one.b.columns, given = one.given(), found = one.found();
    copy_in(one.g, one.is_turned, w.g, w.rows);
    copy_in(one.b, false, w.others, w.rows);
    const LeastSquaresScaling scaling{scaling_exponent_of(w.g, w.rows, w.rows, w.k),
                                      scaling_exponent_of(w.others, w.rows, given, nrhs)};
    scale_matrix(scaling.a, w.g, w.rows, w.rows, w.k);
    scale_matrix(scaling.b, w.others, w.rows, given, nrhs);
    int32_t bad = w.factor();
    for (int64_t i = 0; i < w.k && (bad == 0 || i < bad); ++i)
        if (!has_reciprocal(w.g[i * w.rows + i])) bad = int32_t(i + 1);
    if (!one.is_least_norm) w.apply(true, w.others, nrhs);
    for (int64_t r = 0; r < nrhs; ++r) {
        T *x = w.others + r * w.rows;
        solve_triangle(w, one.is_least_norm, x);
        if (one.is_least_norm) std::fill(x + w.k, x + w.rows, T(0));
    }
    if (one.is_least_norm) w.apply(false, w.others, nrhs);
    scale_matrix(scaling.of_solution(), w.others, w.rows, found, nrhs);
    scale_matrix(scaling.of_residual(), w.others + found, w.rows, w.rows - found, nrhs);
    copy_out(w.others, w.rows, false, one.b);
    if (one.info) *one.info = bad != 0 || is_finite_matrix(w.others, w.rows, found, nrhs) ? bad : int32_t(w.k + 1);
}

}  // namespace xbatch::qr
