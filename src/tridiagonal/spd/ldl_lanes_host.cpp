// ldl_lanes_host.cpp: L D L^H of many positive definite matrices side by side, and solves with it.
// SPDX-License-Identifier: BSD-3-Clause
#include "ldl_lanes_host.hpp"

#include "core/dispatch.hpp"

namespace xbatch::tridiagonal {
namespace {

// One lane of one row: D_i = d_i - conj(l_{i-1}) e_{i-1}, l_i = e_i / D_i. `taken` is the last product (operands one by
// one: lanes_host.hpp).
template <class T>
inline void factor(const Real<T> &d, const T &e, Real<T> &taken, T &l, Real<T> &inverse, RowNumber<T> number,
                   RowNumber<T> &first_bad) {
    using R = Real<T>;
    const R pivot = d - taken, inverted = R(1) / pivot;
    // As note_unscaled_pivot(), but a negative pivot is bad, too.
    constexpr R least = std::numeric_limits<R>::min();
    const RowNumber<T> noted = (pivot >= least) & (inverted > least) ? no_row<T> : number;
    first_bad = noted < first_bad ? noted : first_bad;
    l = scaled(e, inverted);
    taken = inner(l, e);
    inverse = inverted;
}

template <class T>
inline void factor_row(int lanes, const Real<T> *d, const T *e, Real<T> *taken, T *l, Real<T> *inverse,
                       RowNumber<T> number, RowNumber<T> *first_bad) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) factor(d[k], e[k], taken[k], l[k], inverse[k], number, first_bad[k]);
}

// y_i = b_i - l_{i-1} y_{i-1}, x_i = y_i / D_i - conj(l_i) x_{i+1}; `shared` factors are those of lane 0.
template <bool shared, class T>
inline void forward_row(int lanes, const T *l, const T *before, T *y) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) y[k] = fnma(l[shared ? 0 : k], before[k], y[k]);
}
template <bool shared, class T>
inline void backward_row(int lanes, const T *l, const Real<T> *inverse, const T *after, T *x) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        x[k] = fnma(conjugate(l[shared ? 0 : k]), after[k], scaled(x[k], inverse[shared ? 0 : k]));
}

template <class T>
XBATCH_SIMD_CLONES void factor_tile(const LdlCoefficients<T> &a, const LdlTile<T> &tile, RowNumber<T> *first_bad) {
    const int lanes = a.e_lanes.count;
    Input<Real<T>> d(a.d, a.d_lanes, tile.rows);
    Input<T> e(a.e, a.e_lanes, tile.rows);
    alignas(64) Real<T> taken[max_lanes<T>];
    std::fill_n(taken, lanes, Real<T>(0)), std::fill_n(first_bad, lanes, no_row<T>);
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        const Rows<const Real<T>> on = d.fetch(begin, rows);
        const Rows<const T> below = e.fetch(begin, rows);
        for (int64_t m = 0; m < rows; ++m) {
            const int64_t i = begin + m;
            d.prefetch_from(i), e.prefetch_from(i);
            factor_row(lanes, on.row(m), i + 1 == tile.rows ? zeros<T> : below.row(m), taken, tile.l + i * tile.pitch,
                       tile.inverse + i * tile.pitch, number_of_row<T>(i), first_bad);
        }
    }
}

template <bool shared, class T>
inline void solve_rows(const LdlTile<T> &tile, int lanes, const Unknowns<T> &b) {
    for_rows(b, lanes, tile.rows, [&](int64_t i) {
        if (i > 0) forward_row<shared>(lanes, tile.l + (i - 1) * tile.pitch, b.row(i - 1), b.row(i));
    });
    const T *after = zeros<T>;
    for_rows_back(b, lanes, tile.rows, [&](int64_t i) {
        T *x = b.row(i);
        backward_row<shared>(lanes, tile.l + i * tile.pitch, tile.inverse + i * tile.pitch, after, x);
        after = x;
    });
}

template <class T>
XBATCH_SIMD_CLONES void solve_tile(const LdlTile<T> &tile, T *data, const Lanes<T> &lanes, T *y) {
    const Unknowns<T> b(data, lanes, y, tile.rows);
    if (tile.shared)
        solve_rows<true>(tile, lanes.count, b);
    else
        solve_rows<false>(tile, lanes.count, b);
}

}  // namespace

template <class T>
void factor_ldl(const LdlCoefficients<T> &a, const LdlTile<T> &tile, RowNumber<T> *first_bad) {
    factor_tile(a, tile, first_bad);
}
template <class T>
void solve_ldl(const LdlTile<T> &tile, T *b, const Lanes<T> &lanes, T *y) {
    solve_tile(tile, b, lanes, y);
}

XBATCH_INSTANTIATE_TYPES(factor_ldl);
XBATCH_INSTANTIATE_TYPES(solve_ldl);

}  // namespace xbatch::tridiagonal
