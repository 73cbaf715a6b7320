// matrix_view_host.hpp: a strided view of one matrix of a batch on the host, for every layout of the batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/scalar.hpp"
#include "qless_batch.hpp"
#include "qr_batch.hpp"
#include "qr_vbatch.hpp"

namespace xbatch::qr {

constexpr int64_t columns_at_once = 4;  // columns to which a reflector is applied at once

// Element (i, c) is at[i*row + c*column].
template <class T>
struct HostView {
    T *at;
    int64_t row, column, rows, columns;

    T &operator()(int64_t i, int64_t c) const { return at[i * row + c * column]; }
};
template <class T>
HostView<T> view_of(const void *data, const MatrixPlacement &at, int64_t j, int64_t rows, int64_t columns) {
    return {static_cast<T *>(const_cast<void *>(data)) + at.base(j), at.row, at.column, rows, columns};
}
template <class T>
HostView<T> view_of(const void *data, const Placement &at, int64_t j, int64_t rows) {
    return {static_cast<T *>(const_cast<void *>(data)) + at.base(j, 0), at.step, 0, rows, 1};
}
// Without an array of addresses the matrix is absent: NULL.
template <class T>
HostView<T> view_of(const MatrixArray &a, int64_t j, int64_t rows, int64_t columns) {
    return {a.addresses ? static_cast<T *const *>(a.addresses)[j] : nullptr, 1, a.ld.at(j), rows, columns};
}
template <class T>
HostView<T> turned(const HostView<T> &p, bool is_so) {
    return is_so ? HostView<T>{p.at, p.column, p.row, p.columns, p.rows} : p;
}

// Memory for a matrix [rows x columns] while it is processed: k reflectors of it, and other columns
struct Extent {
    int64_t rows, columns, others, k;

    int64_t elements() const { return rows * (columns + others); }
};
inline Extent joined(const Extent &a, const Extent &b) {
    return {std::max(a.rows, b.rows), std::max(a.columns, b.columns), std::max(a.others, b.others), std::max(a.k, b.k)};
}

// The problems of qr_batch.hpp for one matrix; the memory each needs, in a lane group or alone; and their kind: only
// matrices of one kind can share a lane group.
template <class T>
struct FactorOne {
    HostView<T> a, tau;
    int32_t *info;

    Extent extent(bool) const { return {a.rows, a.columns, 0, tau.rows}; }
    bool kind() const { return false; }
};
template <class T>
struct ApplyOne {
    HostView<T> v, tau, c;
    bool is_adjoint, is_turned, forms_q;
    int32_t *info;

    Extent extent(bool in_tile) const { return {c.rows, v.columns, in_tile ? columns_at_once : c.columns, v.columns}; }
    bool kind() const { return false; }
};
template <class T>
struct SolveOne {
    HostView<T> g, b;
    bool is_turned, is_least_norm;
    int32_t *info;

    Extent extent(bool) const { return {g.rows, g.columns, b.columns, g.columns}; }
    bool kind() const { return is_least_norm; }
    // Rows of the right-hand sides, and of X
    int64_t given() const { return is_least_norm ? g.columns : g.rows; }
    int64_t found() const { return is_least_norm ? g.rows : g.columns; }
};

template <class T>
struct QlessOne {
    HostView<T> a, r, b;
    int32_t *info;

    Extent extent(bool) const { return {a.rows, a.columns, b.columns, r.rows}; }
    bool kind() const { return false; }
};

inline int32_t *info_at(int32_t *info, int64_t j) { return info ? info + j : nullptr; }

template <class T>
FactorOne<T> one_of(const GeqrfBatch &p, int64_t j) {
    return {view_of<T>(p.a, p.a_at, j, p.m, p.n), view_of<T>(p.tau, p.tau_at, j, std::min(p.m, p.n)),
            info_at(p.info, j)};
}
template <class T>
ApplyOne<T> one_of(const UnmqrBatch &p, int64_t j) {
    return {view_of<T>(p.v, p.v_at, j, p.rows, p.k),
            view_of<T>(p.tau, p.tau_at, j, p.k),
            view_of<T>(p.c, p.c_at, j, p.rows, p.columns),
            p.is_adjoint,
            p.is_turned,
            p.forms_q,
            nullptr};
}
template <class T>
SolveOne<T> one_of(const GelsBatch &p, int64_t j) {
    return {view_of<T>(p.a, p.g_at, j, p.rows, p.columns), view_of<T>(p.b, p.b_at, j, p.rows, p.nrhs), p.is_turned,
            p.is_least_norm, info_at(p.info, j)};
}
template <class T>
QlessOne<T> one_of(const QlessBatch &p, int64_t j) {
    const HostView<T> b = p.nrhs > 0 ? view_of<T>(p.b, p.b_at, j, p.m, p.nrhs) : HostView<T>{};
    return {view_of<T>(p.a, p.a_at, j, p.m, p.n), view_of<T>(p.r, p.r_at, j, p.k(), p.n), b, info_at(p.info, j)};
}

template <class T>
FactorOne<T> one_of(const GeqrfVBatch &p, int64_t j) {
    const int64_t m = p.m.at(j), n = p.n.at(j);
    return {view_of<T>(p.a, j, m, n), view_of<T>(p.tau, j, std::min(m, n), 1), info_at(p.info, j)};
}
template <class T>
ApplyOne<T> one_of(const UnmqrVBatch &p, int64_t j) {
    const int64_t k = p.k.at(j);
    return {view_of<T>(p.v, j, p.order(j), k),
            view_of<T>(p.tau, j, k, 1),
            turned(view_of<T>(p.c, j, p.m.at(j), p.n.at(j)), p.is_right),
            p.is_transposed != p.is_right,
            p.is_right,
            p.forms_q,
            info_at(p.info, j)};
}
template <class T>
SolveOne<T> one_of(const GelsVBatch &p, int64_t j) {
    const int64_t m = p.m.at(j), n = p.n.at(j);
    const bool is_wide = m < n;
    return {turned(view_of<T>(p.a, j, m, n), is_wide), view_of<T>(p.b, j, std::max(m, n), p.nrhs.at(j)), is_wide,
            is_wide != p.is_transposed, info_at(p.info, j)};
}

}  // namespace xbatch::qr
