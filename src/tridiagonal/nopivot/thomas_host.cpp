// thomas_host.cpp: sequential elimination per system on the host: SIMD lanes over systems, threads over lane groups.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "core/workspace.hpp"
#include "elimination_lanes_host.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {
namespace {

// One lane of one row: c_i = du_i / p_i, y_i = (b_i - dl_i y_{i-1}) / p_i with p_i = d_i - dl_i c_{i-1} (operands one
// by one: lanes_host.hpp).
template <class T>
inline T eliminate(const T &dl, const T &d, const T &du, const T &c_before, const T &y_before, T &c, T &y,
                   RowNumber<T> number, RowNumber<T> &first_bad) {
    const T pivot = fnma(dl, c_before, d), inverse = lane_reciprocal(pivot);
    first_bad = note_unscaled_pivot(first_bad, number, pivot, inverse);
    c = du * inverse;
    y = fnma(dl, y_before, y) * inverse;
    return inverse;
}

template <class T>
inline void eliminate_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *c_before,
                          const T *y_before, T *c, T *y, T *inverse, RowNumber<T> *first_bad) {
    if (inverse) {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            inverse[l] = eliminate(dl[l], d[l], du[l], c_before[l], y_before[l], c[l], y[l], number, first_bad[l]);
    } else {
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            eliminate(dl[l], d[l], du[l], c_before[l], y_before[l], c[l], y[l], number, first_bad[l]);
    }
}

// y_i = (b_i - dl_i y_{i-1}) / p_i with known inverse pivots
template <class T>
inline void substitute_row(int lanes, const T *dl, const T *inverse, const T *y_before, T *y) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) y[l] = fnma(dl[l], y_before[l], y[l]) * inverse[l];
}

// x_i = y_i - c_i x_{i+1}
template <class T>
inline void back_substitute_row(int lanes, const T *c, const T *x_after, T *x) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) x[l] = fnma(c[l], x_after[l], x[l]);
}

template <class T>
inline void back_substitute(const GtsvTile<T> &tile, const Unknowns<T> &unknowns) {
    const int lanes = tile.a_lanes.count;
    const int64_t block = stage_rows<T>(lanes);
    const T *after = zeros<T>;
    for (int64_t end = tile.rows; end > 0;) {
        const int64_t begin = (end - 1) / block * block;
        for (int64_t i = end; i-- > begin;) {
            T *x = unknowns.row(i);
            back_substitute_row(lanes, tile.c + i * lanes, after, x);
            after = x;
        }
        unknowns.store(begin, end - begin);
        end = begin;
    }
}

template <class T>
inline void eliminate_tile(const GtsvTile<T> &tile, const Unknowns<T> &unknowns, RowNumber<T> *first_bad) {
    const int lanes = tile.a_lanes.count;
    Input<T> dl(tile.dl, tile.a_lanes, tile.rows), d(tile.d, tile.a_lanes, tile.rows),
        du(tile.du, tile.a_lanes, tile.rows);
    const T *c_before = zeros<T>, *y_before = zeros<T>;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        const Rows<const T> l = dl.fetch(begin, rows), p = d.fetch(begin, rows), u = du.fetch(begin, rows);
        unknowns.fetch(begin, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const int64_t i = begin + k;
            T *c = tile.c + i * lanes, *y = unknowns.row(i);
            dl.prefetch_from(i), d.prefetch_from(i), du.prefetch_from(i), unknowns.prefetch_from(i);
            eliminate_row(lanes, number_of_row<T>(i), i == 0 ? zeros<T> : l.row(k), p.row(k),
                          i + 1 == tile.rows ? zeros<T> : u.row(k), c_before, y_before, c, y,
                          tile.inverse ? tile.inverse + i * lanes : nullptr, first_bad);
            c_before = c, y_before = y;
        }
    }
}

template <class T>
inline void first(const GtsvTile<T> &tile, T *b, const Lanes<T> &b_lanes, RowNumber<T> *first_bad) {
    const Unknowns<T> unknowns(b, b_lanes, tile.y, tile.rows);
    std::fill_n(first_bad, tile.a_lanes.count, no_row<T>);
    eliminate_tile(tile, unknowns, first_bad);
    back_substitute(tile, unknowns);
}

template <class T>
inline void next(const GtsvTile<T> &tile, T *b, const Lanes<T> &b_lanes) {
    const Unknowns<T> unknowns(b, b_lanes, tile.y, tile.rows);
    const int lanes = tile.a_lanes.count;
    Input<T> dl(tile.dl, tile.a_lanes, tile.rows);
    const T *y_before = zeros<T>;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        const Rows<const T> l = dl.fetch(begin, rows);
        unknowns.fetch(begin, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const int64_t i = begin + k;
            T *y = unknowns.row(i);
            substitute_row(lanes, i == 0 ? zeros<T> : l.row(k), tile.inverse + i * lanes, y_before, y);
            y_before = y;
        }
    }
    back_substitute(tile, unknowns);
}

template <class T>
SystemsPlan<T> plan_for(const Context &context, const GtsvProblem &p, void *workspace) {
    return {context, p, 1 + (p.nrhs > 1), workspace};
}

}  // namespace

XBATCH_SIMD_CLONES void solve_first(const GtsvTile<float> &tile, float *b, const Lanes<float> &b_lanes,
                                    RowNumber<float> *first_bad) {
    first(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_first(const GtsvTile<double> &tile, double *b, const Lanes<double> &b_lanes,
                                    RowNumber<double> *first_bad) {
    first(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_first(const GtsvTile<Complex<float>> &tile, Complex<float> *b,
                                    const Lanes<Complex<float>> &b_lanes, RowNumber<Complex<float>> *first_bad) {
    first(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_first(const GtsvTile<Complex<double>> &tile, Complex<double> *b,
                                    const Lanes<Complex<double>> &b_lanes, RowNumber<Complex<double>> *first_bad) {
    first(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_next(const GtsvTile<float> &tile, float *b, const Lanes<float> &b_lanes) {
    next(tile, b, b_lanes);
}
XBATCH_SIMD_CLONES void solve_next(const GtsvTile<double> &tile, double *b, const Lanes<double> &b_lanes) {
    next(tile, b, b_lanes);
}
XBATCH_SIMD_CLONES void solve_next(const GtsvTile<Complex<float>> &tile, Complex<float> *b,
                                   const Lanes<Complex<float>> &b_lanes) {
    next(tile, b, b_lanes);
}
XBATCH_SIMD_CLONES void solve_next(const GtsvTile<Complex<double>> &tile, Complex<double> *b,
                                   const Lanes<Complex<double>> &b_lanes) {
    next(tile, b, b_lanes);
}

template <class T>
xbatchStatus_t thomas_host(Context &context, const GtsvProblem &p, void *workspace) {
    const SystemsPlan<T> plan = plan_for<T>(context, p, workspace);
    const Tiles<T> tiles(p.b_at, p.batch, std::min(plan.widest, lanes_for<T>(p.b_at)));
    T *b = static_cast<T *>(p.b);
#pragma omp parallel num_threads(team_size(plan.threads, p.n, p.batch))
    {
        GtsvTile<T> tile;
        tile.rows = p.n;
        tile.dl = static_cast<const T *>(p.dl), tile.d = static_cast<const T *>(p.d);
        tile.du = static_cast<const T *>(p.du);
        tile.c = plan.scratch + omp_get_thread_num() * plan.scratch_of_thread;
        tile.y = tile.c + p.n * plan.widest;
        tile.inverse = p.nrhs > 1 ? tile.c + plan.scratch_of_thread - p.n * plan.widest : nullptr;
        RowNumber<T> first_bad[max_lanes<T>];
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles.count(); ++t) {
            const int64_t j = tiles.begin(t);
            const int lanes = tiles.lanes(t);
            if (lanes == 0) continue;
            tile.a_lanes = system_lanes<T>(p.a_at, j, lanes, 0);
            for (int64_t r = 0; r < p.nrhs; ++r) {
                const Lanes<T> b_lanes = system_lanes<T>(p.b_at, j, lanes, r);
                if (r == 0)
                    solve_first(tile, b, b_lanes, first_bad);
                else
                    solve_next(tile, b, b_lanes);
                if (p.info) note_solved(b, b_lanes, p.n, first_bad);
            }
            if (p.info)
                for (int l = 0; l < lanes; ++l) p.info[j + l] = info_of<T>(first_bad[l]);
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t thomas_host_workspace(const Context &context, const GtsvProblem &p) {
    return plan_for<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(thomas_host);

}  // namespace xbatch::tridiagonal
