// gtsv_host.cpp: Gaussian elimination with pivoting on the host: SIMD lanes over systems, threads over lane groups;
// systems too long or too few for that are solved by interface_host.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "lu_lanes_host.hpp"
#include "tridiagonal/nopivot/factor_once_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// The held row of each lane: p x_i + q x_{i+1} = g
template <class T>
struct HeldRow {
    alignas(64) T p[max_lanes<T>], q[max_lanes<T>], g[max_lanes<T>];
    alignas(64) Real<T> waited[max_lanes<T>];
};

// One lane of one row, row i+1 in and pivot row i out: of row i+1 and the held row, the pivot row eliminates x_i from
// the other, which is then held (operands one by one: lanes_host.hpp).
template <class T>
inline void absorb(T dl, T d, T du, T b, T &p, T &q, T &g, Real<T> &waited, T &first, T &second, T &y,
                   RowNumber<T> number, RowNumber<T> &first_bad) {
    equilibrate(dl, d, du, b);
    const bool swap = is_pivot_next(lane_size(dl), lane_size(p), waited);
    const T pivot = select(swap, dl, p), inverse = lane_reciprocal(pivot), f = select(swap, p, dl) * inverse;
    waited = swap ? waited + lane_size(f) : Real<T>(0);
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
        absorb(row.dl(l), row.d(l), row.du(l), b[l], w.p[l], w.q[l], w.g[l], w.waited[l], first[l], second[l], y[l],
               number, first_bad[l]);
}

template <class T, class Row>
inline void first_row(int lanes, const Row &row, const T *b, HeldRow<T> &w) {
    for (int l = 0; l < lanes; ++l) {
        T none(0);
        w.p[l] = row.d(l), w.q[l] = row.du(l), w.g[l] = b[l], w.waited[l] = Real<T>(0);
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

// Systems are not cut where they, or the right-hand sides of each, fill the lanes and their pivot rows fit in the
// cache. Cutting long systems that are gathered from memory reads them twice, which costs more than pivot rows outside
// the cache.
template <class T>
bool is_whole(const Context &context, const GtsvProblem &p) {
    if (context.run_rows > 0) return p.n < 2;
    constexpr int64_t short_rows = 64, whole_rows = 4096, gathered_rows = 32768, lanes = gathered_lanes<T>;
    const int64_t most = std::max(p.batch, p.nrhs);
    if (p.n < short_rows || (p.n <= whole_rows && most >= lanes)) return true;
    return p.layout == XBATCH_LAYOUT_FLAT && p.n <= gathered_rows && most >= 8 * lanes;
}

// For factor_once_host.hpp
template <class T>
struct Lu {
    static constexpr int64_t elements = 5, elements_at_once = 2;  // a word takes no more than an element
    struct Tile : LuTile<T> {
        Tile(const LuTile<T> &tile) : LuTile<T>(tile) {}
        Tile(T *buffer, int64_t rows, int64_t lanes)
            : LuTile<T>{rows,
                        lanes,
                        false,
                        buffer,
                        buffer + rows * lanes,
                        buffer + 2 * rows * lanes,
                        buffer + 3 * rows * lanes,
                        reinterpret_cast<int16_t *>(buffer + 4 * rows * lanes)} {}
        Tile shared_by(int64_t lane) const { return this->from_lane(lane, true); }
    };
    static void factor(const GtsvProblem &p, int64_t j, int lanes, const Tile &tile, RowNumber<T> *first_bad) {
        BadPivots<T> bad;
        factor_lu<T>(coefficients_of<T>(p, j, lanes), tile, bad, nullptr);
        std::copy_n(bad.first_bad, lanes, first_bad);
    }
    static void solve(const GtsvProblem &p, const Tile &tile, const Lanes<T> &lanes, T *y) {
        solve_lu<T>(tile, XBATCH_OP_N, static_cast<T *>(p.b), lanes, y);
    }
    static void solve_at_once(const GtsvProblem &p, int64_t j, const Lanes<T> &lanes, T *scratch, T *y,
                              RowNumber<T> *first_bad) {
        const Coefficients<T> a = coefficients_of<T>(p, j, lanes.count);
        const PivotRows<T> pivots{scratch, scratch + p.n * lanes.count};
        solve_pivoted({p.n, a.dl, a.d, a.du, a.lanes, shifts_from<T>(p, j), pivots, y}, static_cast<T *>(p.b), lanes,
                      first_bad);
    }
};

}  // namespace

template <class T>
xbatchStatus_t gtsv_host(Context &context, const GtsvProblem &p, void *workspace) {
    if (!is_whole<T>(context, p)) return interface_host<T>(context, p, Boundary::open, workspace);
    solve_batch<Lu<T>, T>(context, p, workspace);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gtsv_host_workspace(const Context &context, const GtsvProblem &p) {
    return is_whole<T>(context, p) ? batch_bytes<Lu<T>, T>(context, p) : interface_host_workspace<T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(gtsv_host);

}  // namespace xbatch::tridiagonal
