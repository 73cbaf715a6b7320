// rhs_groups.hpp: sweeps over one or several right-hand sides. Several real ones are solved together, one in each SIMD
// lane, so that the factors are read once for all of them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sweep.hpp"

namespace xbatch::lapack {

// The right-hand sides that are solved together: one, or up to one per lane
template <class T, int lanes>
struct RhsGroup {
    static constexpr int most = lanes;
    T *first;
    int64_t ld;
    int count;
    T *column(int l) const { return first + l * ld; }
};

// Calls solve(group) until all columns are solved. Fewer than `fewest` columns, and complex ones, are not faster in a
// group.
template <class T, class Solve>
void each_group(T *b, int64_t ld, int64_t count, int fewest, Solve solve) {
    int64_t r = 0;
    if constexpr (faster_in_lanes<T>)
        while (count - r >= fewest) {
            const RhsGroup<T, sweep_lanes<T>> group{b + r * ld, ld, int(std::min<int64_t>(count - r, sweep_lanes<T>))};
            solve(group);
            r += group.count;
        }
    for (; r < count; ++r) solve(RhsGroup<T, 1>{b + r * ld, ld, 1});
}

// The rule's first column is the right-hand sides. The others are shared by all lanes: row k is same[c][k*step].
template <class Rule, class T = typename Rule::Element>
XBATCH_SIMD_CLONES void rows_of_lanes(int64_t rows, T *b, const T *const (&same)[Rule::columns],
                                      const Real<T> *exchanged, T (&state)[Rule::states][sweep_lanes<T>]) {
    constexpr int columns = Rule::columns, lanes = sweep_lanes<T>;
    alignas(64) T value[columns][lanes], unused[columns][lanes];
    alignas(64) Real<T> is_exchanged[lanes];
    T *in[columns], *out[columns];
    for (int c = 0; c < columns; ++c) in[c] = value[c], out[c] = unused[c];
    for (int64_t k = 0; k < rows; ++k) {
        for (int c = 1; c < columns; ++c) std::fill_n(value[c], lanes, same[c][k * Rule::step]);
        std::fill_n(is_exchanged, lanes, exchanged[k]);
        in[0] = out[0] = b + k * lanes;
        Rule::template row<lanes>(state, in, out, is_exchanged);
    }
}

template <class Rule, class Int, class T = typename Rule::Element>
void solve_in_lanes(const RhsGroup<T, sweep_lanes<T>> &b, const Column<T> (&column)[Rule::columns], Pivots<Int> pivots,
                    int64_t rows, T (&state)[Rule::states][sweep_lanes<T>]) {
    constexpr int columns = Rule::columns, lanes = sweep_lanes<T>;
    alignas(64) T stage[segment_rows * lanes];
    std::fill_n(stage, std::min(segment_rows, rows) * lanes, T(0));  // lanes without a column
    Real<T> exchanged[segment_rows] = {};
    Lanes<T> at;
    at.count = b.count, at.step = Rule::step;
    for (int l = 0; l < b.count; ++l) at.at[l] = l * b.ld;
    for (int64_t done = 0; done < rows; done += segment_rows) {
        const int64_t count = std::min(segment_rows, rows - done), ahead = std::min(segment_rows, rows - done - count);
        const T *same[columns];
        for (int c = 0; c < columns; ++c) same[c] = column[c].in + done * Rule::step;
        for (int64_t k = 0; pivots.in && k < count; ++k)
            exchanged[k] = Real<T>(pivots.exchange(pivots.first + (done + k) * Rule::step));
        gather(column[0].in, at, done, count, ahead, Rows<T>{stage, lanes});
        rows_of_lanes<Rule>(count, stage, same, exchanged, state);
        scatter(Rows<const T>{stage, lanes}, column[0].out, at, done, count);
    }
}

// Advances `state` over rows 0 … rows-1. column[0] is that of the first right-hand side. Inlined, so that the compiler
// knows which columns are read and written.
template <class Rule, class Int, int lanes, class T = typename Rule::Element>
[[gnu::always_inline]] inline void sweep_rows(const RhsGroup<T, lanes> &b, const Column<T> (&column)[Rule::columns],
                                              Pivots<Int> pivots, int64_t rows, T (&state)[Rule::states][lanes]) {
    if constexpr (lanes > 1) {
        solve_in_lanes<Rule>(b, column, pivots, rows, state);
    } else {
        T one[Rule::states];
        for (int s = 0; s < Rule::states; ++s) one[s] = state[s][0];
        Sweep<Rule, Int>(column, pivots).run(rows, one);
        for (int s = 0; s < Rule::states; ++s) state[s][0] = one[s];
    }
}

}  // namespace xbatch::lapack
