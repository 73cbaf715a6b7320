// thomas_host.cpp: sequential elimination per system on the host: SIMD lanes over systems or right-hand sides, threads
// over lane groups.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_once_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// One lane of one row: c_i = du_i / p_i with p_i = d_i - dl_i c_{i-1}; and y_i = (b_i - dl_i y_{i-1}) / p_i (operands
// one by one: lanes_host.hpp).
template <class T>
inline void factor(const T &dl, const T &d, const T &du, const T &c_before, T &c, T &inverse, RowNumber<T> number,
                   RowNumber<T> &first_bad) {
    const T pivot = fnma(dl, c_before, d);
    inverse = lane_reciprocal(pivot);  // no copy of a complex number: it would not be vectorised
    first_bad = note_unscaled_pivot(first_bad, number, pivot, inverse);
    c = du * inverse;
}
template <class T>
inline void eliminate(const T &dl, const T &d, const T &du, const T &c_before, const T &y_before, T &c, T &y,
                      RowNumber<T> number, RowNumber<T> &first_bad) {
    T inverse;
    factor(dl, d, du, c_before, c, inverse, number, first_bad);
    y = fnma(dl, y_before, y) * inverse;
}

template <class T>
inline void eliminate_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *c_before,
                          const T *y_before, T *c, T *y, RowNumber<T> *first_bad) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        eliminate(dl[k], d[k], du[k], c_before[k], y_before[k], c[k], y[k], number, first_bad[k]);
}

// x_i = y_i - c_i x_{i+1}; `shared` quotients are those of lane 0.
template <bool shared, class T>
inline void back_substitute_row(int lanes, const T *c, const T *x_after, T *x) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) x[k] = fnma(c[shared ? 0 : k], x_after[k], x[k]);
}

// Row i of c is at i*pitch.
template <bool shared, class T>
inline void back_substitute(const T *c, int64_t pitch, int64_t rows, int lanes, const Unknowns<T> &unknowns) {
    const T *after = zeros<T>;
    for_rows_back(unknowns, lanes, rows, [&](int64_t i) {
        T *x = unknowns.row(i);
        back_substitute_row<shared>(lanes, c + i * pitch, after, x);
        after = x;
    });
}

// step(i, dl, d, du) for all rows, each loaded before
template <class T, class Load, class Step>
inline void for_each_row(const Coefficients<T> &a, Load load, Step step) {
    const int64_t block = stage_rows<T>(a.lanes.count);
    Input<T> dl(a.dl, a.lanes, a.rows), d(a.d, a.lanes, a.rows), du(a.du, a.lanes, a.rows);
    for (int64_t begin = 0; begin < a.rows; begin += block) {
        const int64_t rows = std::min(a.rows - begin, block);
        const Rows<const T> l = dl.fetch(begin, rows), p = d.fetch(begin, rows), u = du.fetch(begin, rows);
        load(begin, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const int64_t i = begin + k;
            dl.prefetch_from(i), d.prefetch_from(i), du.prefetch_from(i);
            step(i, i == 0 ? zeros<T> : l.row(k), p.row(k), i + 1 == a.rows ? zeros<T> : u.row(k));
        }
    }
}

template <class T>
XBATCH_SIMD_CLONES void solve_at_once(const Coefficients<T> &a, T *b, const Lanes<T> &b_lanes, T *c, T *y,
                                      RowNumber<T> *first_bad) {
    const int lanes = a.lanes.count;
    const Unknowns<T> unknowns(b, b_lanes, y, a.rows);
    std::fill_n(first_bad, lanes, no_row<T>);
    const T *c_before = zeros<T>, *y_before = zeros<T>;
    for_each_row(
        a, [&](int64_t begin, int64_t rows) { unknowns.fetch(begin, rows); },
        [&](int64_t i, const T *dl, const T *d, const T *du) {
            T *c_here = c + i * lanes, *y_here = unknowns.row(i);
            unknowns.prefetch_from(i);
            eliminate_row(lanes, number_of_row<T>(i), dl, d, du, c_before, y_before, c_here, y_here, first_bad);
            c_before = c_here, y_before = y_here;
        });
    back_substitute<false>(c, lanes, a.rows, lanes, unknowns);
}

// Stored factors: dl_i, c_i and 1 / p_i. Element (i, k) of each array is that of lane k at [i*pitch + k], or of every
// lane at [i*pitch] if `shared`.
template <class T>
struct Quotients {
    int64_t rows, pitch;
    bool shared;
    T *l, *c, *inverse;
};

template <class T>
inline void factor_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *c_before, T *l,
                       T *c, T *inverse, RowNumber<T> *first_bad) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) factor(dl[k], d[k], du[k], c_before[k], c[k], inverse[k], number, first_bad[k]);
    std::copy_n(dl, lanes, l);
}

template <class T>
XBATCH_SIMD_CLONES void factor_lanes(const Coefficients<T> &a, const Quotients<T> &tile, RowNumber<T> *first_bad) {
    const int lanes = a.lanes.count;
    std::fill_n(first_bad, lanes, no_row<T>);
    const T *c_before = zeros<T>;
    for_each_row(
        a, [](int64_t, int64_t) {},
        [&](int64_t i, const T *dl, const T *d, const T *du) {
            const int64_t at = i * tile.pitch;
            factor_row(lanes, number_of_row<T>(i), dl, d, du, c_before, tile.l + at, tile.c + at, tile.inverse + at,
                       first_bad);
            c_before = tile.c + at;
        });
}

// y_i = (b_i - dl_i y_{i-1}) / p_i
template <bool shared, class T>
inline void substitute_row(int lanes, const T *l, const T *inverse, const T *y_before, T *y) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) y[k] = fnma(l[shared ? 0 : k], y_before[k], y[k]) * inverse[shared ? 0 : k];
}

template <bool shared, class T>
inline void substitute(const Quotients<T> &tile, int lanes, const Unknowns<T> &unknowns) {
    const T *before = zeros<T>;
    for_rows(unknowns, lanes, tile.rows, [&](int64_t i) {
        T *y = unknowns.row(i);
        substitute_row<shared>(lanes, tile.l + i * tile.pitch, tile.inverse + i * tile.pitch, before, y);
        before = y;
    });
    back_substitute<shared>(tile.c, tile.pitch, tile.rows, lanes, unknowns);
}

template <class T>
XBATCH_SIMD_CLONES void solve_lanes(const Quotients<T> &tile, T *b, const Lanes<T> &lanes, T *y) {
    const Unknowns<T> unknowns(b, lanes, y, tile.rows);
    if (tile.shared)
        substitute<true>(tile, lanes.count, unknowns);
    else
        substitute<false>(tile, lanes.count, unknowns);
}

// For factor_once_host.hpp
template <class T>
struct Thomas {
    static constexpr int64_t elements = 3, elements_at_once = 1;
    struct Tile : Quotients<T> {
        Tile(T *buffer, int64_t rows, int64_t lanes, bool shared = false)
            : Quotients<T>{rows, lanes, shared, buffer, buffer + rows * lanes, buffer + 2 * rows * lanes} {}
        Tile shared_by(int64_t lane) const {
            Tile tile = *this;
            tile.l += lane, tile.c += lane, tile.inverse += lane, tile.shared = true;
            return tile;
        }
    };
    static void factor(const GtsvProblem &p, int64_t j, int lanes, const Tile &tile, RowNumber<T> *first_bad) {
        factor_lanes<T>(coefficients_of<T>(p, j, lanes), tile, first_bad);
    }
    static void solve(const GtsvProblem &p, const Tile &tile, const Lanes<T> &lanes, T *y) {
        solve_lanes<T>(tile, static_cast<T *>(p.b), lanes, y);
    }
    static void solve_at_once(const GtsvProblem &p, int64_t j, const Lanes<T> &lanes, T *scratch, T *y,
                              RowNumber<T> *first_bad) {
        solve_thomas(coefficients_of<T>(p, j, lanes.count), static_cast<T *>(p.b), lanes, scratch, y, first_bad);
    }
};

}  // namespace

template <class T>
void solve_thomas(const Coefficients<T> &a, T *b, const Lanes<T> &b_lanes, T *c, T *y, RowNumber<T> *first_bad) {
    solve_at_once(a, b, b_lanes, c, y, first_bad);
}
XBATCH_INSTANTIATE_TYPES(solve_thomas);

template <class T>
xbatchStatus_t thomas_host(Context &context, const GtsvProblem &p, void *workspace) {
    solve_batch<Thomas<T>, T>(context, p, workspace);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t thomas_host_workspace(const Context &context, const GtsvProblem &p) {
    return batch_bytes<Thomas<T>, T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(thomas_host);

}  // namespace xbatch::tridiagonal
