// gttrs_host.cpp: solving with LU factors on the host: SIMD lanes over systems, threads over panels.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "factor_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// The scale factor of row i of A
template <class R>
inline R scale_of(int16_t word) {
    return power<R>(-(Exponent<R>(word) >> 1));
}

// The conjugate if sign is -1: A^H x = b is A^T conj(x) = conj(b).
inline float conjugated(float a, float) { return a; }
inline double conjugated(double a, double) { return a; }
template <class R>
inline Complex<R> conjugated(Complex<R> a, R sign) {
    return {a.re, a.im * sign};
}

// One lane of one row (operands one by one: lanes_host.hpp).
// L y = P S b: of row i of S b and the held row, the pivot row is y_{i-1}; the other, minus l_i y_{i-1}, is held.
template <class T>
inline void forward(const T &l, int16_t word, const T &b, T &held, T &y) {
    const T next = scaled(b, scale_of<Real<T>>(word));
    const bool taken = word & 1;
    const T pivot = select(taken, next, held), other = select(taken, held, next);
    y = pivot;
    held = fnma(l, pivot, other);
}

// U x = y, from the last row to the first
template <class T>
inline void backward(const T &inverse, const T &u, const T &u2, const T &after, const T &second, T &x) {
    x = fnma(u2, second, fnma(u, after, x)) * inverse;
}

// U^T y = b: `next` and `second` are the products of previous rows to be subtracted from the next two rows.
template <class T>
inline void forward_transposed(const T &inverse, const T &u, const T &u2, Real<T> sign, T &next, T &second, T &y) {
    const T solved = (conjugated(y, sign) - next) * inverse;
    y = solved;
    next = fma_(u, solved, second);
    second = u2 * solved;
}

// L^T P z = y, x = S z: y_{i-1} -= l_i times the held value, then the two are exchanged if the rows of A were.
template <class T>
inline void backward_transposed(const T &l, int16_t word, Real<T> sign, const T &before, T &held, T &x) {
    const T rest = fnma(l, held, before);
    const bool taken = word & 1;
    x = conjugated(scaled(select(taken, rest, held), scale_of<Real<T>>(word)), sign);
    held = select(taken, held, rest);
}

// Rows of all lanes; `shared` factors are those of lane 0.
template <bool shared, class T>
inline void forward_row(int lanes, const LuTile<T> &tile, int64_t i, const T *b, T *held, T *y) {
    const T *l = tile.l + i * tile.pitch;
    const int16_t *words = tile.words + i * tile.pitch;
#pragma omp simd
    for (int k = 0; k < lanes; ++k) forward(l[shared ? 0 : k], words[shared ? 0 : k], b[k], held[k], y[k]);
}
template <bool shared, class T>
inline void backward_row(int lanes, const LuTile<T> &tile, int64_t i, const T *after, const T *second, T *x) {
    const int64_t at = i * tile.pitch;
    const T *inverse = tile.inverse + at, *u = tile.u + at, *u2 = tile.u2 + at;
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        backward(inverse[shared ? 0 : k], u[shared ? 0 : k], u2[shared ? 0 : k], after[k], second[k], x[k]);
}
template <bool shared, class T>
inline void forward_transposed_row(int lanes, const LuTile<T> &tile, int64_t i, Real<T> sign, T *next, T *second,
                                   T *y) {
    const int64_t at = i * tile.pitch;
    const T *inverse = tile.inverse + at, *u = tile.u + at, *u2 = tile.u2 + at;
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        forward_transposed(inverse[shared ? 0 : k], u[shared ? 0 : k], u2[shared ? 0 : k], sign, next[k], second[k],
                           y[k]);
}
template <bool shared, class T>
inline void backward_transposed_row(int lanes, const LuTile<T> &tile, int64_t i, Real<T> sign, const T *before, T *held,
                                    T *x) {
    const T *l = tile.l + i * tile.pitch;
    const int16_t *words = tile.words + i * tile.pitch;
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        backward_transposed(l[shared ? 0 : k], words[shared ? 0 : k], sign, before[k], held[k], x[k]);
}

// f(i) for all rows, each loaded before
template <class T, class F>
inline void for_rows(const Unknowns<T> &b, int64_t rows, int64_t block, F f) {
    for (int64_t begin = 0; begin < rows; begin += block) {
        const int64_t end = std::min(begin + block, rows);
        b.fetch(begin, end - begin);
        for (int64_t i = begin; i < end; ++i) {
            b.prefetch_from(i);
            f(i);
        }
    }
}
// f(i) for all rows from the last to the first, each stored after
template <class T, class F>
inline void for_rows_back(const Unknowns<T> &b, int64_t rows, int64_t block, F f) {
    for (int64_t end = rows; end > 0;) {
        const int64_t begin = (end - 1) / block * block;
        for (int64_t i = end; i-- > begin;) f(i);
        b.store(begin, end - begin);
        end = begin;
    }
}

template <bool shared, class T>
inline void solve_plain(const LuTile<T> &tile, int lanes, const Unknowns<T> &b) {
    alignas(64) T held[max_lanes<T>], nothing[max_lanes<T>];
    std::fill_n(held, lanes, T(0));
    const int64_t block = stage_rows<T>(lanes);
    for_rows(b, tile.rows, block,
             [&](int64_t i) { forward_row<shared>(lanes, tile, i, b.row(i), held, i == 0 ? nothing : b.row(i - 1)); });
    std::copy_n(held, lanes, b.row(tile.rows - 1));
    const T *after = zeros<T>, *second = zeros<T>;
    for_rows_back(b, tile.rows, block, [&](int64_t i) {
        T *x = b.row(i);
        backward_row<shared>(lanes, tile, i, after, second, x);
        second = after, after = x;
    });
}

template <bool shared, class T>
inline void solve_transposed(const LuTile<T> &tile, int lanes, Real<T> sign, const Unknowns<T> &b) {
    alignas(64) T next[max_lanes<T>], second[max_lanes<T>];
    std::fill_n(next, lanes, T(0)), std::fill_n(second, lanes, T(0));
    const int64_t block = stage_rows<T>(lanes);
    for_rows(b, tile.rows, block,
             [&](int64_t i) { forward_transposed_row<shared>(lanes, tile, i, sign, next, second, b.row(i)); });
    T *held = next;
    std::copy_n(b.row(tile.rows - 1), lanes, held);
    for_rows_back(b, tile.rows, block, [&](int64_t i) {
        backward_transposed_row<shared>(lanes, tile, i, sign, i == 0 ? zeros<T> : b.row(i - 1), held, b.row(i));
    });
}

template <class T>
XBATCH_SIMD_CLONES void solve(const LuTile<T> &tile, xbatchOperation_t op, T *data, const Lanes<T> &lanes, T *y) {
    const Unknowns<T> b(data, lanes, y, tile.rows);
    const Real<T> sign = op == XBATCH_OP_C ? -1 : 1;
    if (op == XBATCH_OP_N && tile.shared)
        solve_plain<true>(tile, lanes.count, b);
    else if (op == XBATCH_OP_N)
        solve_plain<false>(tile, lanes.count, b);
    else if (tile.shared)
        solve_transposed<true>(tile, lanes.count, sign, b);
    else
        solve_transposed<false>(tile, lanes.count, sign, b);
}

template <class T>
FactorScratch<T> scratch_for(const Context &context, const GttrsProblem &p, const Panels<T> &panels, void *workspace) {
    return {context, panels, p.layout == XBATCH_LAYOUT_INTERLEAVED ? 0 : p.n, workspace};
}

}  // namespace

template <class T>
void solve_tile(const LuTile<T> &tile, xbatchOperation_t op, T *b, const Lanes<T> &lanes, T *y) {
    solve(tile, op, b, lanes, y);
}
XBATCH_INSTANTIATE_TYPES(solve_tile);

template <class T>
xbatchStatus_t gttrs_host(Context &context, const GttrsProblem &p, void *workspace) {
    const Panels<T> panels(p.layout, p.n, p.batch);
    const FactorScratch<T> scratch = scratch_for(context, p, panels, workspace);
    const LuFactors<T> factors(p.n, p.sets, const_cast<void *>(p.factors));  // read only
    const bool shared = p.sets == 1;
    T *b = static_cast<T *>(p.b);
#pragma omp parallel for schedule(static) num_threads(team_size(scratch.threads, p.n, p.batch))
    for (int64_t panel = 0; panel < panels.count(); ++panel)
        panels.for_each_part(panel, p.b_at, [&](int64_t j, int lanes) {
            const LuTile<T> tile =
                factors.tile(shared ? 0 : panels.offset(panel, j), shared ? 1 : panels.pitch(panel), shared);
            for (int64_t r = 0; r < p.nrhs; ++r)
                solve_tile(tile, p.op, b, system_lanes<T>(p.b_at, j, lanes, r), scratch.of(omp_get_thread_num()));
        });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gttrs_host_workspace(const Context &context, const GttrsProblem &p) {
    return scratch_for(context, p, Panels<T>(p.layout, p.n, p.batch), nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gttrs_host);

}  // namespace xbatch::tridiagonal
