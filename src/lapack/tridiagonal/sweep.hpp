// sweep.hpp: the recurrences of elimination and substitution along the rows of one matrix, in SIMD lanes, with the bits
// of a loop over the rows.
//
// For diagonally dominant matrices the recurrences are contractive: sequences that start from different values become
// bitwise identical after some tens of rows. The rows are therefore cut into one segment per lane. Each segment is
// started speculatively: its start state comes from warm-up, the last rows of the segment before it, computed from a
// guess. A segment is accepted only if its start state equals, bit for bit, the end state of the segment before it. By
// induction from the first segment, whose start state is exact, the results are those of the loop. Rejected rows,
// remaining rows and matrices whose recurrences do not converge are computed by the loop.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "core/lanes_host.hpp"

namespace xbatch::lapack {

// A sweep reads row i of an array from in[i*step] and writes its result to out[i*step]; NULL: not read, not written.
template <class T>
struct Column {
    const T *in;
    T *out;
};

// LAPACK's pivot indices, from row `first` on in the order of the sweep: read, written, or none
template <class Int>
struct Pivots {
    const Int *in;
    Int *out;
    int64_t first;
    int64_t exchange(int64_t row) const { return in[row] - (row + 1); }  // 1, 0, or -1 where a row is not eliminated
};

// The length of a segment is not a power of two, so that the lanes do not compete for the same cache sets. If a
// recurrence does not converge within max_warm_up_rows, the next first_pause rows are computed by the loop, then twice
// that number.
constexpr int64_t segment_rows = 184, max_warm_up_rows = 128, min_segment_rows = 64, first_pause = 1 << 16;
constexpr int64_t any_bytes = std::numeric_limits<int64_t>::max();
template <class T>
constexpr int sweep_lanes = 128 / int(sizeof(Real<T>));

// Complex division is no faster in lanes.
template <class T>
constexpr bool faster_in_lanes = std::is_floating_point_v<T>;

// The rows of all lanes, before and after a sweep: element (k, l) of each array is at [k*lanes + l].
template <class T, int columns>
struct Stage {
    alignas(64) T column[columns][segment_rows * sweep_lanes<T>];
    alignas(64) Real<T> exchanged[segment_rows * sweep_lanes<T>];
};

// clang-format off
// A Rule defines the arithmetic of a row: Element, `columns`, `states`, `step` (1 forward, -1 backward), and
//   row(lanes, state, in, out, exchanged)   one row in each of `lanes` lanes: state[s][l], in[c][l]; exchanged[l] is 1
//                                           if the row is exchanged with the next
//   max_bytes                               of all columns; above this size a plain loop over the rows is as fast,
//                                           because both are limited by memory
//   guess[s]                                the column whose element approximates state s after a row; -1: zero
// A rule whose LAPACK routine stops at a pivot also has
//   stops(state, in)                        whether it stops before this row
//   pivots, is_suspect(pivot)               the column of pivots; whether LAPACK may have stopped at this one
// clang-format on
template <class Rule, class = void>
constexpr bool stops_at_pivots = false;
template <class Rule>
constexpr bool stops_at_pivots<Rule, std::void_t<decltype(Rule::pivots)>> = Rule::pivots >= 0;

// Marks the lanes in which LAPACK may stop.
template <class Rule, class T = typename Rule::Element>
XBATCH_SIMD_CLONES void find_suspects(const Stage<T, Rule::columns> &stage, int64_t length,
                                      bool (&suspect)[sweep_lanes<T>]) {
    constexpr int lanes = sweep_lanes<T>;
    Real<T> found[lanes] = {};
    for (int64_t k = 0; k < length; ++k)
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            found[l] = Rule::is_suspect(stage.column[Rule::pivots][k * lanes + l]) ? Real<T>(1) : found[l];
    for (int l = 0; l < lanes; ++l) suspect[l] = found[l] != Real<T>(0);
}

// Computes the segments of all lanes, after a warm-up from guesses. Prefetches the rows after them, from `next` on: the
// hardware does not predict this access pattern.
template <class Rule, class T = typename Rule::Element>
XBATCH_SIMD_CLONES void sweep_all_lanes(Stage<T, Rule::columns> &stage, int64_t length, int64_t warm_up,
                                        const T *const (&next)[Rule::columns], const T (&state)[Rule::states],
                                        T (&start)[Rule::states][sweep_lanes<T>],
                                        T (&now)[Rule::states][sweep_lanes<T>]) {
    constexpr int columns = Rule::columns, states = Rule::states, lanes = sweep_lanes<T>;
    alignas(64) T unused[columns][lanes];
    alignas(64) Real<T> exchanged[lanes];
    T *at[columns], *out[columns];
    for (int c = 0; c < columns; ++c) at[c] = stage.column[c] + (length - warm_up - 1) * lanes, out[c] = unused[c];
    for (int s = 0; s < states; ++s)
        for (int l = 0; l < lanes; ++l) now[s][l] = Rule::guess[s] < 0 ? T(0) : at[Rule::guess[s]][l];
    for (int64_t k = length - warm_up; k < length; ++k) {
        for (int c = 0; c < columns; ++c) at[c] += lanes;
        std::copy_n(stage.exchanged + k * lanes, lanes, exchanged);
        Rule::template row<lanes>(now, at, out, exchanged);
    }
    for (int s = 0; s < states; ++s) {
        std::copy_n(now[s], lanes - 1, start[s] + 1);
        start[s][0] = state[s];
        std::copy_n(start[s], lanes, now[s]);
    }
    for (int64_t k = 0; k < length; ++k) {
        for (int c = 0; c < columns; ++c) {
            at[c] = stage.column[c] + k * lanes;
            prefetch(next[c] + (Rule::step > 0 ? k : -k - 1) * lanes, lanes * int64_t(sizeof(T)));
        }
        Rule::template row<lanes>(now, at, at, stage.exchanged + k * lanes);
    }
}

template <class Rule, class Int>
class Sweep {
    using T = typename Rule::Element;
    static constexpr int columns = Rule::columns, states = Rule::states, lanes = sweep_lanes<T>;

public:
    Sweep(const Column<T> (&column)[columns], Pivots<Int> pivots) : pivots_(pivots) {
        std::copy(column, column + columns, column_);
    }

    // Rows 0 … rows-1, or those before the first at which the rule stops. Advances `state` over them. Returns the
    // number of rows that were computed in lanes.
    int64_t run(int64_t rows, T (&state)[states]) {
        int64_t i = 0, in_lanes = 0, warm_up = 0, pause = first_pause;
        while (faster_in_lanes<T> && rows * columns * int64_t(sizeof(T)) <= Rule::max_bytes) {
            const int64_t length = std::min(segment_rows, (rows - i) / lanes);
            if (length < min_segment_rows) break;
            if (warm_up == 0) warm_up = rows_to_converge(i, state);
            if (warm_up > max_warm_up_rows) {
                const int64_t resumed = std::min(rows, i + pause);
                done_ = i = plain(i, resumed, state);
                if (i < resumed) return in_lanes;
                pause *= 2, warm_up = 0;
                continue;
            }
            if (length < 2 * warm_up) break;
            if (!stage_) stage_.reset(new (std::nothrow) Stage<T, columns>);
            if (!stage_) break;
            const int accepted = run_segments(i, length, warm_up, state);
            i += accepted * length, in_lanes += accepted * length;
            if (is_suspect_) break;
            if (accepted < lanes) warm_up *= 2;
        }
        done_ = plain(i, rows, state);
        return in_lanes;
    }
    // The number of rows that the last run computed
    int64_t done() const { return done_; }

private:
    int run_segments(int64_t first, int64_t length, int64_t warm_up, T (&state)[states]) {
        alignas(64) T start[states][lanes], now[states][lanes];
        fetch(first, length);
        const T *next[columns];
        for (int c = 0; c < columns; ++c)
            next[c] = (column_[c].in ? column_[c].in : column_[c].out) + (first + lanes * length) * Rule::step;
        sweep_all_lanes<Rule>(*stage_, length, warm_up, next, state, start, now);
        int accepted = 1;
        while (accepted < lanes && continues(now, start, accepted)) ++accepted;
        if constexpr (stops_at_pivots<Rule>) accepted = count_without_suspects(length, accepted);
        if (accepted == 0) return 0;
        for (int s = 0; s < states; ++s) state[s] = now[s][accepted - 1];
        store(first, length, accepted);
        return accepted;
    }

    int count_without_suspects(int64_t length, int count) {
        bool suspect[lanes];
        find_suspects<Rule>(*stage_, length, suspect);
        int sound = 0;
        while (sound < count && !suspect[sound]) ++sound;
        is_suspect_ = sound < count;
        return sound;
    }

    static bool continues(const T (&end_state)[states][lanes], const T (&start)[states][lanes], int lane) {
        bool same = true;
        for (int s = 0; s < states; ++s) same &= std::memcmp(&end_state[s][lane - 1], &start[s][lane], sizeof(T)) == 0;
        return same;
    }

    // Not inlined: GCC 12 would unroll the loop beyond the last lane and warn about it.
    [[gnu::noinline]] Lanes<T> segments_from(int64_t first, int64_t length, int count) const {
        Lanes<T> at;
        at.count = count, at.step = Rule::step;
        for (int l = 0; l < count; ++l) at.at[l] = (first + l * length) * Rule::step;
        return at;
    }

    void fetch(int64_t first, int64_t length) {
        const Lanes<T> at = segments_from(first, length, lanes);
        for (int c = 0; c < columns; ++c)
            if (column_[c].in) gather(column_[c].in, at, 0, length, 0, Rows<T>{stage_->column[c], lanes});
        if (!pivots_.in) return;
        for (int64_t k = 0; k < length; ++k)
            for (int l = 0; l < lanes; ++l) stage_->exchanged[k * lanes + l] = exchanged(first + l * length + k);
    }

    void store(int64_t first, int64_t length, int count) const {
        const Lanes<T> at = segments_from(first, length, count);
        for (int c = 0; c < columns; ++c)
            if (column_[c].out) scatter(Rows<const T>{stage_->column[c], lanes}, column_[c].out, at, 0, length);
        if (!pivots_.out) return;
        for (int64_t k = 0; k < length; ++k)
            for (int l = 0; l < count; ++l) set_pivot(first + l * length + k, stage_->exchanged[k * lanes + l]);
    }

    // The loop over rows. Returns the row before which it stopped, or `end`.
    int64_t plain(int64_t begin, int64_t end, T (&state)[states]) const {
        T now[states][1], value[columns][1] = {}, *at[columns];
        Real<T> is_exchanged[1] = {0};
        for (int s = 0; s < states; ++s) now[s][0] = state[s];
        for (int c = 0; c < columns; ++c) at[c] = value[c];
        int64_t i = begin;
        for (; i < end; ++i) {
            for (int c = 0; c < columns; ++c)
                if (column_[c].in) value[c][0] = column_[c].in[i * Rule::step];
            if constexpr (stops_at_pivots<Rule>)
                if (__builtin_expect(Rule::stops(now, at), 0)) break;
            if (pivots_.in) is_exchanged[0] = exchanged(i);
            Rule::template row<1>(now, at, at, is_exchanged);
            for (int c = 0; c < columns; ++c)
                if (column_[c].out) column_[c].out[i * Rule::step] = value[c][0];
            if (pivots_.out) set_pivot(i, is_exchanged[0]);
        }
        for (int s = 0; s < states; ++s) state[s] = now[s][0];
        return i;
    }

    // The number of rows from row `first` on after which a sequence that starts from a guess equals the true one, with
    // a safety margin; more than max_warm_up_rows if it does not converge within that number.
    int64_t rows_to_converge(int64_t first, const T (&state)[states]) const {
        T truth[states][1], guessed[states][1], value[columns][1] = {}, unused[columns][1], *in[columns], *out[columns];
        for (int s = 0; s < states; ++s) truth[s][0] = state[s];
        for (int c = 0; c < columns; ++c) in[c] = value[c], out[c] = unused[c];
        for (int64_t k = 0; k <= max_warm_up_rows; ++k) {
            for (int c = 0; c < columns; ++c)
                if (column_[c].in) value[c][0] = column_[c].in[(first + k) * Rule::step];
            Real<T> is_exchanged[2] = {0, 0};
            if (pivots_.in) is_exchanged[0] = is_exchanged[1] = exchanged(first + k);
            Rule::template row<1>(truth, in, out, is_exchanged);
            if (k == 0)
                for (int s = 0; s < states; ++s) guessed[s][0] = Rule::guess[s] < 0 ? T(0) : value[Rule::guess[s]][0];
            else
                Rule::template row<1>(guessed, in, out, is_exchanged + 1);
            if (std::memcmp(truth, guessed, sizeof truth) == 0) return k + k / 4 + 8;
        }
        return max_warm_up_rows + 1;
    }

    int64_t row_of(int64_t i) const { return pivots_.first + i * Rule::step; }
    Real<T> exchanged(int64_t i) const { return Real<T>(pivots_.exchange(row_of(i))); }
    void set_pivot(int64_t i, Real<T> is_exchanged) const {
        pivots_.out[row_of(i)] = Int(row_of(i) + 1) + Int(is_exchanged);
    }

    Column<T> column_[columns];
    Pivots<Int> pivots_;
    std::unique_ptr<Stage<T, columns>> stage_;
    int64_t done_ = 0;
    bool is_suspect_ = false;
};

}  // namespace xbatch::lapack
