// whole_host.hpp: one matrix of a batch on the host, by blocks of reflectors: it is a single tile of tiled QR, copied
// from and to where it lies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "qr/tile_panels_host.hpp"
#include "qr/tiles_host.hpp"
#include "qr_batch.hpp"

namespace xbatch {

// A thread's memory for a matrix [rows x columns] whose first k columns become reflectors, and others beside it
template <class T>
struct WholeMatrix {
    static constexpr int64_t widest_block = 32;

    int64_t rows, k, ib;
    T *g, *beside, *triangles;
    Real<T> *buffer;

    WholeMatrix(Carver &carver, int64_t matrix_rows, int64_t columns, int64_t others, int64_t reflectors)
        : rows(matrix_rows), k(reflectors), ib(std::min(widest_block, std::max<int64_t>(k, 1))) {
        g = carver.take<T>(rows * columns);
        beside = carver.take<T>(rows * others);
        triangles = carver.take<T>(ib * k);
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
void copy_in(const T *data, const MatrixPlacement &at, int64_t j, int64_t rows, int64_t columns, bool conjugates,
             T *to) {
    const T *from = data + at.base(j);
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < rows; ++i) {
            const T x = from[i * at.row + c * at.column];
            to[c * rows + i] = conjugates ? conjugate(x) : x;
        }
}
template <class T>
void copy_out(const T *from, int64_t rows, int64_t columns, bool conjugates, T *data, const MatrixPlacement &at,
              int64_t j) {
    T *to = data + at.base(j);
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t i = 0; i < rows; ++i) {
            const T x = from[c * rows + i];
            to[i * at.row + c * at.column] = conjugates ? conjugate(x) : x;
        }
}

template <class T>
void factor_whole(const GeqrfBatch &p, int64_t j, const WholeMatrix<T> &w) {
    copy_in(static_cast<const T *>(p.a), p.a_at, j, p.m, p.n, false, w.g);
    const int32_t bad = w.factor();
    w.apply(true, w.g + w.k * p.m, p.n - w.k);
    copy_out(w.g, p.m, p.n, false, static_cast<T *>(p.a), p.a_at, j);
    for (int64_t i = 0; i < w.k; ++i) static_cast<T *>(p.tau)[p.tau_at.offset(i, j, 0)] = w.tau(i);
    if (p.info) p.info[j] = bad;
}

// The block factors of reflectors that are known by their vectors and tau
template <class T>
void join_reflectors(const WholeMatrix<T> &w) {
    T products[WholeMatrix<T>::widest_block];
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
void apply_whole(const UnmqrBatch &p, int64_t j, const WholeMatrix<T> &w) {
    copy_in(static_cast<const T *>(p.v), p.v_at, j, p.rows, p.k, false, w.g);
    for (int64_t i = 0; i < p.k; ++i) w.tau(i) = static_cast<const T *>(p.tau)[p.tau_at.offset(i, j, 0)];
    join_reflectors(w);
    if (p.forms_q) {
        std::fill_n(w.beside, p.rows * p.columns, T(0));
        for (int64_t i = 0; i < p.columns; ++i) w.beside[i * p.rows + i] = T(1);
    } else {
        copy_in(static_cast<const T *>(p.c), p.c_at, j, p.rows, p.columns, p.is_turned, w.beside);
    }
    w.apply(p.is_adjoint, w.beside, p.columns);
    copy_out(w.beside, p.rows, p.columns, p.is_turned, static_cast<T *>(p.c), p.c_at, j);
}

// R x = b, or R^H x = b, in place; the diagonal of R is real.
template <class T>
void solve_triangle(const WholeMatrix<T> &w, bool is_adjoint, T *x) {
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
void solve_whole(const GelsBatch &p, int64_t j, const WholeMatrix<T> &w) {
    copy_in(static_cast<const T *>(p.a), p.g_at, j, p.rows, p.columns, p.is_turned, w.g);
    copy_in(static_cast<const T *>(p.b), p.b_at, j, p.rows, p.nrhs, false, w.beside);
    int32_t bad = w.factor();
    for (int64_t i = 0; i < p.columns && (bad == 0 || i < bad); ++i)
        if (magnitude(w.g[i * p.rows + i]) == 0) bad = int32_t(i + 1);
    if (!p.is_least_norm) w.apply(true, w.beside, p.nrhs);
    for (int64_t r = 0; r < p.nrhs; ++r) {
        T *x = w.beside + r * p.rows;
        solve_triangle(w, p.is_least_norm, x);
        if (p.is_least_norm) std::fill(x + p.columns, x + p.rows, T(0));
    }
    if (p.is_least_norm) w.apply(false, w.beside, p.nrhs);
    copy_out(w.beside, p.rows, p.nrhs, false, static_cast<T *>(p.b), p.b_at, j);
    if (p.info) p.info[j] = bad;
}

}  // namespace xbatch
