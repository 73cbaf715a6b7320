// gtsv_host.cpp: Gaussian elimination with pivoting on the host: SIMD lanes over systems, threads over lane groups;
// systems too long or too few for that are solved by interface_host.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include "core/workspace.hpp"
#include "interface_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// The held row of each lane: p x_i + q x_{i+1} = g
template <class T>
struct HeldRow {
    alignas(64) T p[max_lanes<T>], q[max_lanes<T>], g[max_lanes<T>];
};

// One lane of one row, row i+1 in and pivot row i out: of row i+1 and the held row, the pivot row eliminates x_i from
// the other, which is then held (operands one by one: lanes_host.hpp).
template <class T>
inline void absorb(T dl, T d, T du, T b, T &p, T &q, T &g, T &first, T &second, T &y, RowNumber<T> number,
                   RowNumber<T> &first_bad) {
    equilibrate(dl, d, du, b);
    const bool swap = is_pivot_next(lane_size(dl), lane_size(p));
    const T pivot = select(swap, dl, p), inverse = lane_reciprocal(pivot), f = select(swap, p, dl) * inverse;
    const T pivot_q = select(swap, d, q), pivot_g = select(swap, b, g);
    first_bad = note_pivot(first_bad, number, pivot, inverse);
    first = pivot_q * inverse;
    second = select(swap, du, T(0)) * inverse;
    y = pivot_g * inverse;
    p = fnma(f, pivot_q, select(swap, q, d));
    q = select(swap, -(f * du), du);
    g = fnma(f, pivot_g, select(swap, g, b));
}

template <class T, class Row>
inline void absorb_row(int lanes, RowNumber<T> number, const Row &row, const T *b, HeldRow<T> &w, T *first, T *second,
                       T *y, RowNumber<T> *first_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        absorb(row.dl(l), row.d(l), row.du(l), b[l], w.p[l], w.q[l], w.g[l], first[l], second[l], y[l], number,
               first_bad[l]);
}

template <class T, class Row>
inline void first_row(int lanes, const Row &row, const T *b, HeldRow<T> &w) {
    for (int l = 0; l < lanes; ++l) {
        T none(0);
        w.p[l] = row.d(l), w.q[l] = row.du(l), w.g[l] = b[l];
        equilibrate(none, w.p[l], w.q[l], w.g[l]);
    }
}

template <class T>
inline void last_unknown(int lanes, RowNumber<T> number, const HeldRow<T> &w, T *y, RowNumber<T> *first_bad) {
    for (int l = 0; l < lanes; ++l) {
        const T inverse = lane_reciprocal(w.p[l]);
        first_bad[l] = note_pivot(first_bad[l], number, w.p[l], inverse);
        y[l] = w.g[l] * inverse;
    }
}

// Row i in, and pivot row i-1 out
template <class T, class Row>
inline void take_row(const PivotedTile<T> &tile, const Unknowns<T> &unknowns, int64_t i, const Row &row, HeldRow<T> &w,
                     RowNumber<T> *first_bad) {
    const int lanes = tile.a_lanes.count;
    const int64_t pivot = i - 1;
    if (i == 0)
        first_row<T>(lanes, row, unknowns.row(i), w);
    else
        absorb_row<T>(lanes, number_of_row<T>(pivot), row, unknowns.row(i), w, tile.pivots.first + pivot * lanes,
                      tile.pivots.second + pivot * lanes, unknowns.row(pivot), first_bad);
}

// All rows but the last one, whose coefficients are copied to `last`
template <class T, class Coefficients>
inline void take_rows(const PivotedTile<T> &tile, const Unknowns<T> &unknowns, Coefficients &a, HeldRow<T> &w,
                      RowNumber<T> *first_bad, RowCopy<T> &last) {
    const int lanes = tile.a_lanes.count;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block), before_last = std::min(rows, tile.rows - 1 - begin);
        a.fetch(begin, rows);
        unknowns.fetch(begin, rows);
        for (int64_t k = 0; k < before_last; ++k) {
            a.prefetch_from(begin + k), unknowns.prefetch_from(begin + k);
            take_row(tile, unknowns, begin + k, a.row(k), w, first_bad);
        }
        if (before_last < rows) last.copy(a.row(before_last), lanes);
    }
}

// The last row has no du; that of a pinned system is x_{n-1} = 0.
template <class T>
inline void end_row(RowCopy<T> &row, const LaneShifts<T> &shifts, int lanes, T *b) {
    for (int l = 0; l < lanes; ++l) {
        row.du[l] = T(0);
        if (shifts.pins(l)) row.pin(l), b[l] = T(0);
    }
}

template <class T>
inline void solve_tile(const PivotedTile<T> &tile, T *b, const Lanes<T> &b_lanes, RowNumber<T> *first_bad) {
    const int lanes = tile.a_lanes.count;
    const int64_t end = tile.rows - 1;
    const Unknowns<T> unknowns(b, b_lanes, tile.y, tile.rows);
    HeldRow<T> waiting;
    RowCopy<T> last;
    std::fill_n(first_bad, lanes, no_row<T>);
    if (tile.shifts.sigma) {
        ShiftedRows<T> a(tile.dl, tile.d, tile.du, tile.shifts);
        take_rows(tile, unknowns, a, waiting, first_bad, last);
    } else {
        StoredRows<T> a(tile.dl, tile.d, tile.du, tile.a_lanes, tile.rows);
        take_rows(tile, unknowns, a, waiting, first_bad, last);
    }
    end_row(last, tile.shifts, lanes, unknowns.row(end));
    take_row(tile, unknowns, end, last.row(), waiting, first_bad);
    last_unknown(lanes, number_of_row<T>(end), waiting, unknowns.row(end), first_bad);
    back_substitute<T>(tile.pivots, unknowns, lanes, tile.rows, 0, end, unknowns.row(end), zeros<T>);
}

}  // namespace

XBATCH_SIMD_CLONES void solve_pivoted(const PivotedTile<float> &tile, float *b, const Lanes<float> &b_lanes,
                                      RowNumber<float> *first_bad) {
    solve_tile(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_pivoted(const PivotedTile<double> &tile, double *b, const Lanes<double> &b_lanes,
                                      RowNumber<double> *first_bad) {
    solve_tile(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_pivoted(const PivotedTile<Complex<float>> &tile, Complex<float> *b,
                                      const Lanes<Complex<float>> &b_lanes, RowNumber<Complex<float>> *first_bad) {
    solve_tile(tile, b, b_lanes, first_bad);
}
XBATCH_SIMD_CLONES void solve_pivoted(const PivotedTile<Complex<double>> &tile, Complex<double> *b,
                                      const Lanes<Complex<double>> &b_lanes, RowNumber<Complex<double>> *first_bad) {
    solve_tile(tile, b, b_lanes, first_bad);
}

namespace {

// Systems are not cut where they fill the lanes and their pivot rows fit in the cache. Cutting long systems that are
// gathered from memory reads them twice, which costs more than pivot rows outside the cache.
template <class T>
bool is_whole(const Context &context, const GtsvProblem &p) {
    if (context.run_rows > 0) return p.n < 2;
    constexpr int64_t short_rows = 64, whole_rows = 4096, gathered_rows = 32768, lanes = gathered_lanes<T>;
    if (p.n < short_rows || (p.n <= whole_rows && p.batch >= lanes)) return true;
    return p.layout == XBATCH_LAYOUT_FLAT && p.n <= gathered_rows && p.batch >= 8 * lanes;
}

template <class T>
SystemsPlan<T> plan_for(const Context &context, const GtsvProblem &p, void *workspace) {
    return {context, p, 2, workspace};
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_host(Context &context, const GtsvProblem &p, void *workspace) {
    if (!is_whole<T>(context, p)) return interface_host<T>(context, p, Boundary::open, workspace);
    const SystemsPlan<T> plan = plan_for<T>(context, p, workspace);
    const Tiles<T> tiles(p.b_at, p.batch, std::min(plan.widest, lanes_for<T>(p.b_at)));
    T *b = static_cast<T *>(p.b);
#pragma omp parallel num_threads(team_size(plan.threads, p.n, p.batch))
    {
        PivotedTile<T> tile;
        tile.rows = p.n;
        tile.dl = static_cast<const T *>(p.dl), tile.d = static_cast<const T *>(p.d);
        tile.du = static_cast<const T *>(p.du);
        tile.pivots.first = plan.scratch + omp_get_thread_num() * plan.scratch_of_thread;
        tile.pivots.second = tile.pivots.first + p.n * plan.widest;
        tile.y = tile.pivots.second + p.n * plan.widest;
        RowNumber<T> first_bad[max_lanes<T>];
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles.count(); ++t) {
            const int64_t j = tiles.begin(t);
            const int lanes = tiles.lanes(t);
            if (lanes == 0) continue;
            tile.a_lanes = system_lanes<T>(p.a_at, j, lanes, 0);
            tile.shifts = all_shifts<T>(p);
            if (tile.shifts.sigma) tile.shifts.sigma += j;
            for (int64_t r = 0; r < p.nrhs; ++r)
                solve_pivoted(tile, b, system_lanes<T>(p.b_at, j, lanes, r), first_bad);
            for (int64_t r = 0; p.info && r < p.nrhs; ++r)
                note_solved(b, system_lanes<T>(p.b_at, j, lanes, r), p.n, first_bad);
            if (p.info)
                for (int l = 0; l < lanes; ++l) p.info[j + l] = info_of<T>(first_bad[l]);
        }
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gtsv_host_workspace(const Context &context, const GtsvProblem &p) {
    return is_whole<T>(context, p) ? plan_for<T>(context, p, nullptr).bytes
                                   : interface_host_workspace<T>(context, p, Boundary::open);
}

XBATCH_INSTANTIATE_BACKEND(gtsv_host);

}  // namespace xbatch::tridiagonal
