// lanes_work.cuh: the work of threads that solve systems with pivoting by any number of lanes of a warp each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "first_bad_row.cuh"
#include "flat_plan.hpp"
#include "interface_joins.cuh"
#include "interface_kernels.cuh"

namespace xbatch::tridiagonal {

// Where the right-hand sides of a block are in its tile, in elements from the first array. A block may have fewer than
// K; those that are missing are read as the first one, and not written.
template <class T, int K>
struct SidesInTile {
    using G = SidesOf<T, K>;
    int at[K], count;

    // act(k, distance) for each right-hand side k
    template <class Act>
    __device__ void each(Act act) const {
#pragma unroll
        for (int k = 0; k < K; ++k)
            if (K == 1 || k < count) act(k, at[k]);
    }
    // Of a row and the one `step` elements further
    __device__ Pair<G> read(const T *row, int step) const {
        if constexpr (K == 1)
            return {row[at[0]], row[at[0] + step]};
        else
            return {each_side<T, K>([&](int k) { return row[at[k]]; }),
                    each_side<T, K>([&](int k) { return row[at[k] + step]; })};
    }
    __device__ void write(T *row, int step, const Pair<G> &pair) const {
        if constexpr (K == 1)
            row[at[0]] = pair.x, row[at[0] + step] = pair.y;
        else
            each([&](int k, int distance) { row[distance] = pair.x.of[k], row[distance + step] = pair.y.of[k]; });
    }
};

// Where there is one right-hand side, its thread is the first to write info.
template <class W>
__device__ inline void clear_info(const W &w) {
    if (w.p.info && w.exists() && w.p.nrhs == 1 && w.k == 0 && w.rank == 0)
        for (int k = 0; k < w.infos(); ++k) *w.info_at(k) = 0;
}

// The shift of the thread's system
template <class W>
__device__ inline typename W::T shift_of(const W &w) {
    using T = typename W::T;
    return w.p.shift.is_given && w.own > 0 ? static_cast<const T *>(w.p.shift.sigma)[w.j0 + w.sub] : T(0);
}
// Turns the thread's rows of T, as loaded, into those of its shifted system.
template <class W, class T>
__device__ inline void add_shift(const W &w, T sigma) {
    if (!w.p.shift.is_given || w.own == 0) return;
    const int64_t row0 = w.part0 + w.begin;
    const T *const factors = static_cast<const T *>(w.p.shift.w);
    const auto row = [&](int i, int distance) { return w.row_of(w.pair(i / 2) + distance, i % 2 == 1); };
    for (int i = 0; i < w.own; ++i) {
        T *const d = row(i, w.array_at(1));
        *d = fma_(sigma, factors ? factors[row0 + i] : T(1), *d);
    }
    if (!w.p.shift.pins_zero || magnitude(sigma) != 0 || row0 + w.own < w.p.n) return;
    const int last = w.own - 1;
    *row(last, 0) = *row(last, w.array_at(2)) = T(0), *row(last, w.array_at(1)) = T(1);
    w.sides.each([&](int, int distance) { *row(last, distance) = T(0); });
}

// Whether a system's matrix should be positive definite. Not all kernels have code for it.
template <class W>
__device__ inline bool is_definite(const W &w) {
    if constexpr (W::may_be_definite)
        return w.p.is_definite;
    else
        return false;
}
// Of a positive definite matrix, e of the row before those of the lanes of the warp that share a system; by the first
// of these lanes
template <class W>
__device__ inline typename W::T e_before(const W &w) {
    using T = typename W::T;
    const int64_t row = w.part0 + w.begin;
    if (!is_definite(w) || w.number > 0 || w.own == 0 || row == 0) return T(0);
    return static_cast<const T *>(w.p.du)[w.p.a_at.offset(row - 1, w.j0 + w.sub, 0)];
}
// Whether the rows of a general matrix are eliminated without interchanges. A thread with a single row would keep all
// others waiting; but if that is the whole system, its ends are added exactly.
template <class W>
__device__ inline bool is_taken_as_dominant(const W &w) {
    const int least = w.p.n > 1 ? 1 : 2;
    if constexpr (W::may_be_definite)
        if (w.plan.is_unpivoted) return w.own >= least;
    return is_dominant(w, least);
}
// eliminate_dominant() of a positive definite matrix, for threads that have rows
template <class W, class T, class G>
__device__ inline int eliminate_definite(const W &w, T before, InterfaceEquations<T, G> &run) {
    const T last = w.own > 0 ? *w.row_of(w.pair((w.own - 1) / 2) + w.array_at(2), w.own % 2 == 0) : T(0);
    const T of_lane_before = from_lane(last, w.lane - 1 & 31);
    return w.own > 0 ? eliminate_dominant<true>(w, run, w.number > 0 ? of_lane_before : before) : no_row;
}

// Solves the equations of a system that the lanes of one warp share; lane number 0 has them.
template <class W, class T, class G>
__device__ inline bool close_in_lanes(const W &w, const InterfaceEquations<T, G> &run, Known<G> &known) {
    const bool is_fine = w.number > 0 || close(run, w.plan.is_periodic, known);
    known = from_lane(known, w.lane - w.number & 31);
    return is_fine;
}

// By each thread that has found a bad pivot in row `row`, or has none and `row` is n: the row to report. If the matrix
// should be positive definite, one of the lanes that share a system searches for it, and the others get n.
template <class W>
__device__ inline int64_t row_to_report(const W &w, int64_t row) {
    if constexpr (W::may_be_definite) {
        if (!w.p.is_definite) return row;
        const unsigned lanes = w.count < 32 ? (1u << max(w.count, 0)) - 1 << w.lane - w.number : ~0u;
        const unsigned failed = __ballot_sync(~0u, w.exists() && row < w.p.n) & lanes;
        if (failed == 0 || __ffs(failed) - 1 != w.lane) return w.p.n;
        return first_bad_row<typename W::T>(w.p.d, w.p.du, w.p.a_at, w.p.n, w.j0 + w.sub, row);
    }
    return row;
}
// By each thread: the first of its rows with a bad pivot, whether the pivots of the joins are good, and of which
// right-hand sides its unknowns are finite
template <class W>
__device__ inline void report_in_lanes(const W &w, int bad, bool is_fine, unsigned solved) {
    constexpr unsigned all = (1u << sizeof(typename W::G) / sizeof(typename W::T)) - 1;
    if (!w.p.info) return;
    const int64_t n = w.p.n;
    const int64_t found = bad != no_row ? min(w.part0 + w.begin + bad, n - 1) : is_fine ? n : n - 1;
    const int64_t row = row_to_report(w, found);
    if (!w.exists()) return;
    for (int k = 0; k < w.infos(); ++k) {
        const unsigned sides = w.infos() == 1 ? all : 1u << k;
        if (row < n || (solved & sides) != sides) report(w.info_at(k), row);
    }
}

// From the rows in shared memory to the stored unknowns: each thread eliminates its rows to interface equations, and
// the lanes of a system join them. `before` is e_before(). join(equations, known) finds the unknowns at the ends of the
// run of these lanes; it returns whether its pivots are good.
template <class W, class T, class Join>
__device__ inline void solve_in_lanes(const W &w, T *strip, T before, Join join) {
    using G = typename W::G;
    InterfaceEquations<T, G> run;
    std::conditional_t<FlatTile<T>::most_rows <= 33, unsigned, unsigned long long> bits;
    unsigned right_bits;
    const bool definite = is_definite(w), dominant = definite ? w.own > 0 : is_taken_as_dominant(w);
    int bad = no_row;
    if constexpr (W::may_be_definite)
        if (definite) bad = eliminate_definite(w, before, run);
    if (!dominant)
        bad = eliminate(w, run, bits);
    else if (!definite)
        bad = eliminate_dominant(w, run);
    const int first = w.lane - w.number, most = min(32, w.plan.lanes);
    T *const values = strip + w.warp * 32 + first;
    const auto keep = [&](int right, const Middle<T, G> &m) {
        put_middle(w, w.spare_of(first + right), values + right, m);
    };
    const auto kept = [&](int right, bool from_right) {
        return middle_of(w.read_rows(w.spare_of(first + right)), values[right], from_right);
    };
    __syncwarp();
    if (!join_lanes(run, dominant, definite, w.number, w.count, most, right_bits, keep)) bad = min(bad, w.rows() - 1);
    Known<G> known;
    const bool is_fine = join(run, known);
    __syncwarp();
    part_lanes(known, w.number, w.count, most, right_bits, kept);
    __syncwarp();
    const unsigned solved = dominant ? substitute_dominant(w, known) : substitute(w, known, bits);
    w.sync();
    store_solution(w);
    report_in_lanes(w, bad, is_fine, solved);
}

}  // namespace xbatch::tridiagonal
