// sweep.hpp: recurrences along the rows of one matrix in SIMD lanes, to the bits of one row after the other.
//
// A recurrence of elimination or substitution forgets where it began where couplings decay: from a guess it comes, some
// rows later, to the very bits of the true one. So the next rows are cut into a piece for each lane, each piece begins
// with the state that the last rows of the piece before it lead to from a guess, and what the lanes compute is kept as
// far as the state at the end of each piece is, bit for bit, the one that the next piece began with. By induction from
// the first piece those are the bits of the plain loop, which does what is left, and matrices that do not forget.
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

// Row i of an array is in[i*step] before a sweep meets it, and out[i*step] is what it makes of it; NULL for neither.
template <class T>
struct Column {
    const T *in;
    T *out;
};

// LAPACK's pivots, of which a sweep meets that of row `first` first: read, written, or none
template <class Int>
struct Pivots {
    const Int *in;
    Int *out;
    int64_t first;
    int64_t exchange(int64_t row) const { return in[row] - (row + 1); }  // 1, 0, or -1 where a row is not eliminated
};

// Pieces are no power of two long, so that lanes do not fall on the same lines of a cache. Rows that do not forget
// within most_warm_rows, nor pieces that then join, are done one after the other for first_pause rows, then for twice
// as many.
constexpr int64_t piece_rows = 184, most_warm_rows = 128, fewest_piece_rows = 64, first_pause = 1 << 16;
constexpr int64_t any_bytes = std::numeric_limits<int64_t>::max();
template <class T>
constexpr int sweep_lanes = 128 / int(sizeof(Real<T>));

// Quotients of complex numbers take as long in lanes.
template <class T>
constexpr bool pays_in_lanes = std::is_floating_point_v<T>;

// What the lanes of some rows have before and after: element (k, l) of each array is at [k*lanes + l].
template <class T, int columns>
struct Stage {
    alignas(64) T column[columns][piece_rows * sweep_lanes<T>];
    alignas(64) Real<T> exchanged[piece_rows * sweep_lanes<T>];
};

// Rule says what a row is made of: Element, `columns`, `states`, `step` (1 forward, -1 backward), and
//   row(lanes, state, in, out, exchanged)   one row in so many lanes: state[s][l], in[c][l]; exchanged[l] is 1 where
//                                           the row is exchanged with the next
//   most_bytes                              of all columns, beyond which rows one after the other come as fast from
//   memory guess[s]                                the column that serves as state after a row that is only read, or
//   -1: 0
// A rule by which LAPACK stops at some pivots has also
//   stops(state, in)                        whether it does before a row
//   pivots, is_suspect(pivot)               the column of pivots, and whether LAPACK may have stopped at one of them
template <class Rule, class = void>
constexpr bool stops_at_pivots = false;
template <class Rule>
constexpr bool stops_at_pivots<Rule, std::void_t<decltype(Rule::pivots)>> = Rule::pivots >= 0;

// Sets those lanes in which LAPACK may stop.
template <class Rule, class T = typename Rule::Element>
XBATCH_SIMD_CLONES void find_suspects(const Stage<T, Rule::columns> &stage, int64_t piece,
                                      bool (&suspect)[sweep_lanes<T>]) {
    constexpr int lanes = sweep_lanes<T>;
    Real<T> found[lanes] = {};
    for (int64_t k = 0; k < piece; ++k)
#pragma omp simd
        for (int l = 0; l < lanes; ++l)
            found[l] = Rule::is_suspect(stage.column[Rule::pivots][k * lanes + l]) ? Real<T>(1) : found[l];
    for (int l = 0; l < lanes; ++l) suspect[l] = found[l] != Real<T>(0);
}

// Rows of all lanes: those that are kept, and those by which states are guessed. The rows after them, from `next` on in
// memory, are asked for on the way: pieces are met in an order that no hardware foresees.
template <class Rule, class T = typename Rule::Element>
XBATCH_SIMD_CLONES void sweep_lanes_of(Stage<T, Rule::columns> &stage, int64_t piece, int64_t warm,
                                       const T *const (&next)[Rule::columns], const T (&state)[Rule::states],
                                       T (&begun)[Rule::states][sweep_lanes<T>],
                                       T (&now)[Rule::states][sweep_lanes<T>]) {
    constexpr int columns = Rule::columns, states = Rule::states, lanes = sweep_lanes<T>;
    alignas(64) T unused[columns][lanes];
    alignas(64) Real<T> exchanged[lanes];
    T *at[columns], *out[columns];
    for (int c = 0; c < columns; ++c) at[c] = stage.column[c] + (piece - warm - 1) * lanes, out[c] = unused[c];
    for (int s = 0; s < states; ++s)
        for (int l = 0; l < lanes; ++l) now[s][l] = Rule::guess[s] < 0 ? T(0) : at[Rule::guess[s]][l];
    for (int64_t k = piece - warm; k < piece; ++k) {
        for (int c = 0; c < columns; ++c) at[c] += lanes;
        std::copy_n(stage.exchanged + k * lanes, lanes, exchanged);
        Rule::template row<lanes>(now, at, out, exchanged);
    }
    for (int s = 0; s < states; ++s) {
        std::copy_n(now[s], lanes - 1, begun[s] + 1);
        begun[s][0] = state[s];
        std::copy_n(begun[s], lanes, now[s]);
    }
    for (int64_t k = 0; k < piece; ++k) {
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

    // Rows 0 … rows-1 from `state`, which becomes that after them, or the first of them before which the rule stops.
    // Returns how many of them were done in lanes.
    int64_t run(int64_t rows, T (&state)[states]) {
        int64_t i = 0, in_lanes = 0, warm = 0, pause = first_pause;
        while (pays_in_lanes<T> && rows * columns * int64_t(sizeof(T)) <= Rule::most_bytes) {
            const int64_t piece = std::min(piece_rows, (rows - i) / lanes);
            if (piece < fewest_piece_rows) break;
            if (warm == 0) warm = rows_to_forget(i, state);
            if (warm > most_warm_rows) {
                const int64_t resumed = std::min(rows, i + pause);
                done_ = i = plain(i, resumed, state);
                if (i < resumed) return in_lanes;
                pause *= 2, warm = 0;
                continue;
            }
            if (piece < 2 * warm) break;
            if (!stage_) stage_.reset(new (std::nothrow) Stage<T, columns>);
            if (!stage_) break;
            const int kept = pieces(i, piece, warm, state);
            i += kept * piece, in_lanes += kept * piece;
            if (is_suspect_) break;
            if (kept < lanes) warm *= 2;
        }
        done_ = plain(i, rows, state);
        return in_lanes;
    }
    // How many rows the last run did
    int64_t done() const { return done_; }

private:
    int pieces(int64_t first, int64_t piece, int64_t warm, T (&state)[states]) {
        alignas(64) T begun[states][lanes], now[states][lanes];
        fetch(first, piece);
        const T *next[columns];
        for (int c = 0; c < columns; ++c)
            next[c] = (column_[c].in ? column_[c].in : column_[c].out) + (first + lanes * piece) * Rule::step;
        sweep_lanes_of<Rule>(*stage_, piece, warm, next, state, begun, now);
        int kept = 1;
        while (kept < lanes && joins(now, begun, kept)) ++kept;
        if constexpr (stops_at_pivots<Rule>) kept = without_suspects(piece, kept);
        if (kept == 0) return 0;
        for (int s = 0; s < states; ++s) state[s] = now[s][kept - 1];
        store(first, piece, kept);
        return kept;
    }

    int without_suspects(int64_t piece, int count) {
        bool suspect[lanes];
        find_suspects<Rule>(*stage_, piece, suspect);
        int sound = 0;
        while (sound < count && !suspect[sound]) ++sound;
        is_suspect_ = sound < count;
        return sound;
    }

    static bool joins(const T (&ended)[states][lanes], const T (&begun)[states][lanes], int lane) {
        bool same = true;
        for (int s = 0; s < states; ++s) same &= std::memcmp(&ended[s][lane - 1], &begun[s][lane], sizeof(T)) == 0;
        return same;
    }

    // Not inlined: GCC 12 would warn of a loop over the lanes that it unrolls beyond them.
    [[gnu::noinline]] Lanes<T> pieces_from(int64_t first, int64_t piece, int count) const {
        Lanes<T> at;
        at.count = count, at.step = Rule::step;
        for (int l = 0; l < count; ++l) at.at[l] = (first + l * piece) * Rule::step;
        return at;
    }

    void fetch(int64_t first, int64_t piece) {
        const Lanes<T> at = pieces_from(first, piece, lanes);
        for (int c = 0; c < columns; ++c)
            if (column_[c].in) gather(column_[c].in, at, 0, piece, 0, Rows<T>{stage_->column[c], lanes});
        if (!pivots_.in) return;
        for (int64_t k = 0; k < piece; ++k)
            for (int l = 0; l < lanes; ++l) stage_->exchanged[k * lanes + l] = exchanged(first + l * piece + k);
    }

    void store(int64_t first, int64_t piece, int count) const {
        const Lanes<T> at = pieces_from(first, piece, count);
        for (int c = 0; c < columns; ++c)
            if (column_[c].out) scatter(Rows<const T>{stage_->column[c], lanes}, column_[c].out, at, 0, piece);
        if (!pivots_.out) return;
        for (int64_t k = 0; k < piece; ++k)
            for (int l = 0; l < count; ++l) set_pivot(first + l * piece + k, stage_->exchanged[k * lanes + l]);
    }

    // Returns the row before which it stopped, or the end.
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

    // How many rows it takes from row `first` on until a guess has come to the true state, and some more to be sure;
    // beyond most_warm_rows where that many do not do.
    int64_t rows_to_forget(int64_t first, const T (&state)[states]) const {
        T truth[states][1], guessed[states][1], value[columns][1] = {}, unused[columns][1], *in[columns], *out[columns];
        for (int s = 0; s < states; ++s) truth[s][0] = state[s];
        for (int c = 0; c < columns; ++c) in[c] = value[c], out[c] = unused[c];
        for (int64_t k = 0; k <= most_warm_rows; ++k) {
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
        return most_warm_rows + 1;
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
