// gttrf_host.cpp: LU factors, norms, determinants on the host: SIMD lanes over matrices, threads over panels.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "factor_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// One row of all lanes, scaled by 2^-exponent
template <class T>
struct ScaledRow {
    alignas(64) T dl[max_lanes<T>], d[max_lanes<T>], du[max_lanes<T>];
    alignas(64) Exponent<Real<T>> exponent[max_lanes<T>];
};

// Sums of moduli as far as rows are met. `column` is that of the last row's own column, `beyond` that of the next one.
template <class T>
struct Norms {
    alignas(64) Real<T> one[max_lanes<T>], inf[max_lanes<T>], column[max_lanes<T>], beyond[max_lanes<T>];
};

// The row that is held, and the first rows (1-based) whose pivots are bad, and not even finite
template <class T>
struct Held {
    alignas(64) T p[max_lanes<T>], q[max_lanes<T>];
    alignas(64) RowNumber<T> first_bad[max_lanes<T>], first_infinite[max_lanes<T>];
};

// One lane of one row. Functions of their own, for a compiler keeps objects declared inside a SIMD loop in memory.
template <class T>
inline void scale(const T &dl, const T &d, const T &du, T &a, T &b, T &c, Exponent<Real<T>> &exponent, Real<T> &one,
                  Real<T> &inf, Real<T> &column, Real<T> &beyond) {
    using R = Real<T>;
    const R s = normaliser(larger(larger(larger_part(dl), larger_part(du)), larger_part(d)), exponent);
    a = scaled(dl, s), b = scaled(d, s), c = scaled(du, s);
    const R back = power<R>(exponent), left = modulus(a) * back, middle = modulus(b) * back, right = modulus(c) * back;
    inf = larger(left + middle + right, inf);
    one = larger(column + left, one);
    column = beyond + middle;
    beyond = right;
}

template <class T>
inline T note(const T &pivot, RowNumber<T> number, RowNumber<T> &first_bad, RowNumber<T> &first_infinite) {
    const T inverse = lane_reciprocal(pivot);
    first_bad = note_pivot(first_bad, number, pivot, inverse);
    const RowNumber<T> infinite = larger_part(pivot) <= std::numeric_limits<Real<T>>::max() ? no_row<T> : number;
    first_infinite = infinite < first_infinite ? infinite : first_infinite;
    return inverse;
}

template <class T>
inline void eliminate(const T &a, const T &b, const T &c, Exponent<Real<T>> exponent, T &p, T &q, RowNumber<T> number,
                      RowNumber<T> &first_bad, RowNumber<T> &first_infinite, T &l, int16_t &word, T &inverse, T &u,
                      T &u2) {
    const bool taken = is_pivot_next(larger_part(a), larger_part(p));
    const T pivot = select(taken, a, p), other = select(taken, p, a);
    const T above = select(taken, b, q), below = select(taken, q, b);
    inverse = note(pivot, number, first_bad, first_infinite);
    const T factor = other * inverse;
    l = factor, u = above, u2 = select(taken, c, T(0));
    p = fnma(factor, above, below);
    q = select(taken, fnma(factor, c, T(0)), c);
    word = int16_t(2 * exponent + taken);
}

template <class T>
inline void scale_row(int lanes, const T *dl, const T *d, const T *du, ScaledRow<T> &row, Norms<T> &norms) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        scale(dl[k], d[k], du[k], row.dl[k], row.d[k], row.du[k], row.exponent[k], norms.one[k], norms.inf[k],
              norms.column[k], norms.beyond[k]);
}

// Row i of A becomes the first one held …
template <class T>
inline void hold_row(int lanes, const ScaledRow<T> &row, Held<T> &held, const LuTile<T> &tile) {
    for (int k = 0; k < lanes; ++k) {
        held.p[k] = row.d[k], held.q[k] = row.du[k];
        held.first_bad[k] = held.first_infinite[k] = no_row<T>;
        tile.l[k] = T(0), tile.words[k] = int16_t(2 * row.exponent[k]);
    }
}

// … and every later one eliminates the column before its own: row i-1 of U.
template <class T>
inline void eliminate_row(int lanes, const ScaledRow<T> &row, Held<T> &held, const LuTile<T> &tile, int64_t i) {
    const int64_t before = (i - 1) * tile.pitch;
    T *l = tile.l + i * tile.pitch, *inverse = tile.inverse + before, *u = tile.u + before, *u2 = tile.u2 + before;
    int16_t *words = tile.words + i * tile.pitch;
    const RowNumber<T> number = number_of_row<T>(i - 1);
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        eliminate(row.dl[k], row.d[k], row.du[k], row.exponent[k], held.p[k], held.q[k], number, held.first_bad[k],
                  held.first_infinite[k], l[k], words[k], inverse[k], u[k], u2[k]);
}

// The last row of U
template <class T>
inline void finish_row(int lanes, Held<T> &held, const LuTile<T> &tile) {
    const int64_t last = (tile.rows - 1) * tile.pitch;
    const RowNumber<T> number = number_of_row<T>(tile.rows - 1);
    for (int k = 0; k < lanes; ++k) {
        tile.inverse[last + k] = note(held.p[k], number, held.first_bad[k], held.first_infinite[k]);
        tile.u[last + k] = tile.u2[last + k] = T(0);
    }
}

template <class T>
struct Coefficients {
    const T *dl, *d, *du;
    Lanes<T> lanes;
};

template <class T>
XBATCH_SIMD_CLONES void factor_tile(const Coefficients<T> &a, const LuTile<T> &tile, Held<T> &held, Norms<T> &norms) {
    const int lanes = a.lanes.count;
    Input<T> dl(a.dl, a.lanes, tile.rows), d(a.d, a.lanes, tile.rows), du(a.du, a.lanes, tile.rows);
    ScaledRow<T> row;
    for (int k = 0; k < lanes; ++k) norms.one[k] = norms.inf[k] = norms.column[k] = norms.beyond[k] = 0;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        const Rows<const T> below = dl.fetch(begin, rows), on = d.fetch(begin, rows), above = du.fetch(begin, rows);
        for (int64_t m = 0; m < rows; ++m) {
            const int64_t i = begin + m;
            dl.prefetch_from(i), d.prefetch_from(i), du.prefetch_from(i);
            scale_row(lanes, i == 0 ? zeros<T> : below.row(m), on.row(m), i + 1 == tile.rows ? zeros<T> : above.row(m),
                      row, norms);
            if (i == 0)
                hold_row(lanes, row, held, tile);
            else
                eliminate_row(lanes, row, held, tile, i);
        }
    }
    finish_row(lanes, held, tile);
    for (int k = 0; k < lanes; ++k) norms.one[k] = larger(norms.column[k], norms.one[k]);
}

// One lane of one row of 1 / det A
template <class T>
inline void multiply_pivot(const T &inverse, int16_t word, T &mantissa, Exponent<Real<T>> &exponent) {
    multiply(inverse, mantissa, exponent);
    mantissa = select(word & 1, -mantissa, mantissa);
    exponent -= Exponent<Real<T>>(word >> 1);
}

template <class T>
XBATCH_SIMD_CLONES void invert_determinants(int lanes, const LuTile<T> &tile, Products<T> &products) {
    constexpr int64_t block = 1 << 10;
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        for (int64_t i = begin; i < std::min(begin + block, tile.rows); ++i) {
            const T *inverse = tile.inverse + i * tile.pitch;
            const int16_t *words = tile.words + i * tile.pitch;
#pragma omp simd
            for (int k = 0; k < lanes; ++k)
                multiply_pivot(inverse[k], words[k], products.mantissa[k], products.recent[k]);
        }
        products.fold(lanes);
    }
}

inline float unit_of(float a) { return std::copysign(1.0f, a); }
inline double unit_of(double a) { return std::copysign(1.0, a); }
template <class R>
inline Complex<R> unit_of(Complex<R> a) {  // of 1 / a
    const R size = modulus(a);
    return {a.re / size, -a.im / size};
}

// What is told of matrices j …
template <class T>
void report_determinants(const GttrfProblem &p, int64_t j, int lanes, const LuTile<T> &tile, const Held<T> &held) {
    using R = Real<T>;
    constexpr R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
    Products<T> products(lanes);
    invert_determinants(lanes, tile, products);
    for (int k = 0; k < lanes; ++k) {
        const bool is_bad = held.first_bad[k] != no_row<T>, is_finite = held.first_infinite[k] > held.first_bad[k];
        const T mantissa = products.mantissa[k];
        const R log = -log_of(modulus(mantissa), products.exponent[k]);
        if (p.logdet) static_cast<R *>(p.logdet)[j + k] = !is_bad ? log : is_finite ? -infinity : nan;
        if (p.sign) static_cast<T *>(p.sign)[j + k] = !is_bad ? unit_of(mantissa) : T(is_finite ? R(0) : nan);
    }
}

template <class T>
void factor_part(const GttrfProblem &p, const LuFactors<T> &factors, const Panels<T> &panels, int64_t panel, int64_t j,
                 int lanes) {
    const Coefficients<T> a{static_cast<const T *>(p.dl), static_cast<const T *>(p.d), static_cast<const T *>(p.du),
                            system_lanes<T>(p.a_at, j, lanes, 0)};
    const LuTile<T> tile = factors.tile(panels.offset(panel, j), panels.pitch(panel), false);
    Held<T> held;
    Norms<T> norms;
    factor_tile(a, tile, held, norms);
    for (int k = 0; k < lanes; ++k) {
        const bool is_bad = held.first_bad[k] != no_row<T>;
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN();
        factors.norms[XBATCH_NORM_ONE][j + k] = is_bad ? nan : norms.one[k];
        factors.norms[XBATCH_NORM_INF][j + k] = is_bad ? nan : norms.inf[k];
        if (p.info) p.info[j + k] = info_of<T>(held.first_bad[k]);
    }
    if (p.logdet || p.sign) report_determinants(p, j, lanes, tile, held);
}

}  // namespace

template <class T>
xbatchStatus_t gttrf_host(Context &context, const GttrfProblem &p, void *) {
    const LuFactors<T> factors(p.n, p.batch, p.factors);
    const Panels<T> panels(p.layout, p.n, p.batch);
    *factors.header = {FactorHeader::lu, type_of<T>, p.layout, p.n, p.batch};
    const int threads = int(std::min<int64_t>(thread_count(context), panels.count()));
#pragma omp parallel for schedule(static) num_threads(team_size(threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.a_at,
                             [&](int64_t j, int lanes) { factor_part(p, factors, panels, panel, j, lanes); });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gttrf_host_workspace(const Context &, const GttrfProblem &) {
    return 0;
}

template <class T>
size_t gttrf_host_factors(const Context &, const GttrfProblem &p) {
    return LuFactors<T>(p.n, p.batch, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gttrf_host);
XBATCH_INSTANTIATE_TYPES(gttrf_host_factors);

}  // namespace xbatch::tridiagonal
