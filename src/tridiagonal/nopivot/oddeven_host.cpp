// oddeven_host.cpp: odd-even reduction on the host, level by level: SIMD lanes over systems, or over the rows of one.
// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>

#include <mutex>

#include "core/workspace.hpp"
#include "elimination_lanes_host.hpp"
#include "tridiagonal/tridiagonal.hpp"

// C. Lin and L. Chen Wu, "Parallelization of an Odd-Even Solver Using CUDA": rows 0, 2, 4, … of a level are solved for
// their unknowns and eliminated from rows 1, 3, 5, …, which form the next level with half the equations. From the
// single row of the last level back, the eliminated rows of each level follow from their neighbours. The paper's
// sequential results are off by 2e-3, because it reduces every row in place and in ascending order, with a previous row
// that the same step has already replaced. Here only odd rows are reduced, by even rows.
namespace xbatch::tridiagonal {
namespace {

// Equations x_i + a_i x_{i-1} + c_i x_{i+1} = y_i; a known x_i replaces y_i.
template <class T>
struct Equations {
    T *a, *c, *y;
    Equations at(int64_t k) const { return {a + k, c + k, y + k}; }
};

// Systems that are reduced side by side. Row i of level k is row 2^k (i+1) - 1 of the system. Level 0 is in the user's
// arrays, the others are Equations whose element (i, l) is [i*lanes + l].
template <class T>
struct OddEvenTile {
    int64_t rows;
    const T *dl, *d, *du;
    T *b;
    Lanes<T> a_lanes, b_lanes;
    T *scratch;       // the levels from 1 on
    bool along_rows;  // a single lane, whose rows fill the vectors
    bool has_info;    // report unknowns that are not finite

    int lanes() const { return a_lanes.count; }
    int64_t rows_of(int k) const { return rows >> k; }
    int64_t even_rows_of(int k) const { return rows_of(k) - rows_of(k + 1); }
    // Number of levels to reduce: the level after them has a single row, or none.
    int levels() const {
        int k = 1;
        while (rows_of(k) > 1) ++k;
        return k;
    }
    Equations<T> level(int k) const {
        int64_t before = 0;
        for (int m = 1; m < k; ++m) before += rows_of(m);
        T *first = scratch + 3 * before * lanes();
        const int64_t size = rows_of(k) * lanes();
        return {first, first + size, first + 2 * size};
    }
};

// One element of an even row (operands one by one: lanes_host.hpp)
template <class T>
inline void normalise(const T &dl, const T &d, const T &du, const T &b, T &a, T &c, T &y, RowNumber<T> number,
                      RowNumber<T> &first_bad) {
    const T inverse = lane_reciprocal(d);
    first_bad = note_unscaled_pivot(first_bad, number, d, inverse);
    a = dl * inverse;
    c = du * inverse;
    y = b * inverse;
}

// One element of an odd row, between the even rows p and n
template <class T>
inline void reduce_odd(const T &dl, const T &d, const T &du, const T &b, const T &a_p, const T &c_p, const T &y_p,
                       const T &a_n, const T &c_n, const T &y_n, T &a, T &c, T &y, RowNumber<T> number,
                       RowNumber<T> &first_bad) {
    const T pivot = fnma(du, a_n, fnma(dl, c_p, d)), inverse = lane_reciprocal(pivot);
    first_bad = note_unscaled_pivot(first_bad, number, pivot, inverse);
    a = -(dl * a_p) * inverse;
    c = -(du * c_n) * inverse;
    y = fnma(du, y_n, fnma(dl, y_p, b)) * inverse;
}

// Elements processed in one SIMD loop: the lanes of one row, or every other row of a single lane. Element m is m
// strides after the first and has row number `number + m*step`.
template <class T>
struct Run {
    int count;
    RowNumber<T> number, step;
    RowNumber<T> *first_bad;  // one for each element
};

template <class T>
inline void normalise_run(const Run<T> &run, int64_t stride, const T *dl, const T *d, const T *du, int64_t b_stride,
                          const T *b, Equations<T> out) {
    T *const a = out.a, *const c = out.c, *const y = out.y;
    RowNumber<T> *const first_bad = run.first_bad;
    const RowNumber<T> number = run.number, step = run.step;
    const int count = run.count;
#pragma omp simd
    for (int m = 0; m < count; ++m)
        normalise(dl[m * stride], d[m * stride], du[m * stride], b[m * b_stride], a[m], c[m], y[m],
                  RowNumber<T>(number + m * step), first_bad[m]);
}

// FIRST: level 0; in all others d is 1.
template <bool FIRST, class T>
inline void reduce_run(const Run<T> &run, int64_t stride, const T *dl, const T *d, const T *du, int64_t b_stride,
                       const T *b, int64_t even_stride, Equations<const T> p, Equations<const T> n, Equations<T> out) {
    T *const a = out.a, *const c = out.c, *const y = out.y;
    RowNumber<T> *const first_bad = run.first_bad;
    const RowNumber<T> number = run.number, step = run.step;
    const int count = run.count;
    const T one = T(1);
#pragma omp simd
    for (int m = 0; m < count; ++m) {
        const int64_t i = m * stride, g = m * even_stride;
        reduce_odd(dl[i], FIRST ? d[i] : one, du[i], b[m * b_stride], p.a[g], p.c[g], p.y[g], n.a[g], n.c[g], n.y[g],
                   a[m], c[m], y[m], RowNumber<T>(number + m * step), first_bad[m]);
    }
}

// One element of an even row, in the place of b
template <bool FIRST, class T>
inline void substitute(const T &dl, const T &d, const T &du, const T &x_p, const T &x_n, T &b) {
    const T value = fnma(du, x_n, fnma(dl, x_p, b));
    b = FIRST ? value * lane_reciprocal(d) : value;
}

template <bool FIRST, class T>
inline void substitute_run(int count, int64_t stride, const T *dl, const T *d, const T *du, const T *x_p, const T *x_n,
                           int64_t b_stride, T *b) {
    const T one = T(1);
#pragma omp simd
    for (int m = 0; m < count; ++m)
        substitute<FIRST>(dl[m * stride], FIRST ? d[m * stride] : one, du[m * stride], x_p[m], x_n[m], b[m * b_stride]);
}

// Tests unknowns for finiteness: of the lanes of a row; and of rows of a single lane at intervals of `stride`
template <class T>
inline void note_lanes(int lanes, RowNumber<T> after_last, const T *x, RowNumber<T> *first_bad) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) first_bad[l] = note_finite(first_bad[l], after_last, x[l]);
}
template <class T>
inline void note_rows(int64_t count, RowNumber<T> after_last, int64_t stride, const T *x, RowNumber<T> &first_bad) {
    RowNumber<T> first = first_bad;
#pragma omp simd reduction(min : first)
    for (int64_t m = 0; m < count; ++m) first = note_finite(first, after_last, x[m * stride]);
    first_bad = first;
}

template <class T>
inline Equations<const T> readable(Equations<T> e) {
    return {e.a, e.c, e.y};
}
template <class T>
constexpr Equations<const T> no_equations{zeros<T>, zeros<T>, zeros<T>};

// Calls f with the strides between every other row, as constants if rows are contiguous, for vectorisation.
template <class F>
inline void with_strides(int64_t a_step, int64_t b_step, F f) {
    if (a_step == 1 && b_step == 1)
        f(std::integral_constant<int64_t, 2>(), std::integral_constant<int64_t, 2>());
    else
        f(2 * a_step, 2 * b_step);
}

// Rows of a single lane in one SIMD loop, and which of them have bad pivots
template <class T>
class RowRun {
public:
    static constexpr int64_t most = max_lanes<T>;

    Run<T> of(int64_t count) {
        std::fill_n(bad_, count, no_row<T>);
        return {int(count), 0, 1, bad_};
    }
    // Element m of the run is row `first + m*step` of the system.
    void report(int64_t count, int64_t first, int64_t step, RowNumber<T> &first_bad) const {
        const RowNumber<T> m = *std::min_element(bad_, bad_ + count);
        if (m != no_row<T>) first_bad = std::min(first_bad, number_of_row<T>(first + m * step));
    }

private:
    alignas(64) RowNumber<T> bad_[most];
};

// Rows of level 0
template <class T>
struct FirstRows {
    Rows<const T> dl, d, du, b;
    FirstRows from(int64_t k) const {
        return {{dl.row(k), dl.pitch}, {d.row(k), d.pitch}, {du.row(k), du.pitch}, {b.row(k), b.pitch}};
    }
};

// From level 0 to level 1. Even rows are stored in a stage, since two odd rows read each.
template <class T>
class FirstReduction {
public:
    FirstReduction(const OddEvenTile<T> &tile, RowNumber<T> *first_bad)
        : tile_(tile),
          lanes_(tile.lanes()),
          out_(tile.level(1)),
          first_bad_(first_bad),
          dl_(tile.dl, tile.a_lanes, tile.rows),
          d_(tile.d, tile.a_lanes, tile.rows),
          du_(tile.du, tile.a_lanes, tile.rows),
          b_(tile.b, tile.b_lanes, tile.rows) {}

    // Rows 2i and 2i+1 for i in [begin, end)
    void run(int64_t begin, int64_t end) {
        const int64_t block = std::max<int64_t>(stage_rows<T>(lanes_) / 4, 1), even_rows = tile_.even_rows_of(0);
        for (int64_t known = begin; begin < end; begin += block) {
            const int64_t block_end = std::min(begin + block, end), last = std::min(block_end + 1, even_rows);
            const int64_t row = 2 * begin, rows = std::min(2 * block_end + 1, tile_.rows) - row;
            const FirstRows<T> in{dl_.fetch(row, rows), d_.fetch(row, rows), du_.fetch(row, rows), b_.fetch(row, rows)};
            normalise_even_rows(in, begin, known, last);
            reduce_odd_rows(in, begin, std::min(block_end, tile_.rows_of(1)));
            if (last > block_end) carry(block_end - begin);
            known = last;
        }
    }

private:
    Equations<T> staged(int64_t k) { return Equations<T>{stage_[0], stage_[1], stage_[2]}.at(k * lanes_); }
    void carry(int64_t k) {  // to the next block
        for (T *stage : {stage_[0], stage_[1], stage_[2]}) std::copy_n(stage + k * lanes_, lanes_, stage);
    }
    void prefetch_from(int64_t row) const {
        dl_.prefetch_from(row), d_.prefetch_from(row), du_.prefetch_from(row), b_.prefetch_from(row);
    }

    // Writes even rows [known, last) to the stage, which begins with even row `begin`
    void normalise_even_rows(const FirstRows<T> &in, int64_t begin, int64_t known, int64_t last) {
        for (int64_t i = known; i < last;) {
            const int64_t count = tile_.along_rows ? std::min(last - i, RowRun<T>::most) : 1;
            const FirstRows<T> at = in.from(2 * (i - begin));
            if (tile_.along_rows) {
                const Run<T> run = rows_.of(count);
                with_strides(at.d.pitch, at.b.pitch, [&](auto a_stride, auto b_stride) {
                    normalise_run(run, a_stride, at.dl.first, at.d.first, at.du.first, b_stride, at.b.first,
                                  staged(i - begin));
                });
                rows_.report(count, 2 * i, 2, *first_bad_);
            } else {
                prefetch_from(2 * i);
                const Run<T> run{lanes_, number_of_row<T>(2 * i), 0, first_bad_};
                normalise_run(run, 1, at.dl.first, at.d.first, at.du.first, 1, at.b.first, staged(i - begin));
            }
            i += count;
        }
        // the first dl and the last du of a system are not used
        if (known == 0 && last > 0) std::fill_n(staged(0).a, lanes_, T(0));
        if (2 * last > tile_.rows) std::fill_n(staged(last - 1 - begin).c, lanes_, T(0));
    }

    // Rows 2i+1 for i in [begin, end)
    void reduce_odd_rows(const FirstRows<T> &in, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end;) {
            const int64_t row = 2 * i + 1;
            const bool is_last = row + 1 == tile_.rows;
            const FirstRows<T> at = in.from(row - 2 * begin);
            const T *const du = is_last ? zeros<T> : at.du.first;
            const Equations<const T> p = readable(staged(i - begin)),
                                     n = is_last ? no_equations<T> : readable(staged(i + 1 - begin));
            const Equations<T> out = out_.at(i * lanes_);
            if (!tile_.along_rows) {
                prefetch_from(row);
                const Run<T> run{lanes_, number_of_row<T>(row), 0, first_bad_};
                reduce_run<true>(run, 1, at.dl.first, at.d.first, du, 1, at.b.first, 1, p, n, out);
                ++i;
                continue;
            }
            const int64_t more = (tile_.rows - 1) / 2 - i;  // rows with a row after them
            const int64_t count = is_last ? 1 : std::min({end - i, RowRun<T>::most, more});
            const Run<T> run = rows_.of(count);
            with_strides(at.d.pitch, at.b.pitch, [&](auto a_stride, auto b_stride) {
                reduce_run<true>(run, a_stride, at.dl.first, at.d.first, du, b_stride, at.b.first, 1, p, n, out);
            });
            rows_.report(count, row, 2, *first_bad_);
            i += count;
        }
    }

    const OddEvenTile<T> &tile_;
    const int lanes_;
    const Equations<T> out_;
    RowNumber<T> *const first_bad_;
    Input<T> dl_, d_, du_, b_;
    RowRun<T> rows_;
    alignas(64) T stage_[3][stage_bytes / sizeof(T) / 2];
};

// From level k to level k+1, k >= 1: rows i of level k+1 for i in [begin, end)
template <class T>
inline void reduce_rows(const OddEvenTile<T> &tile, int k, int64_t begin, int64_t end, RowNumber<T> *first_bad) {
    const int lanes = tile.lanes();
    const int64_t rows = tile.rows_of(k), place = int64_t(2) << k;  // row i of level k+1 is row place*(i+1) - 1
    const Equations<T> from = tile.level(k), to = tile.level(k + 1);
    RowRun<T> row_run;
    end = std::min(end, tile.rows_of(k + 1));
    for (int64_t i = begin; i < end;) {
        const bool is_last = 2 * i + 2 == rows;
        const Equations<const T> own = readable(from.at((2 * i + 1) * lanes)), p = readable(from.at(2 * i * lanes)),
                                 n = is_last ? no_equations<T> : readable(from.at((2 * i + 2) * lanes));
        const Equations<T> out = to.at(i * lanes);
        const T *const no_d = nullptr;
        if (!tile.along_rows) {
            const Run<T> run{lanes, number_of_row<T>(place * (i + 1) - 1), 0, first_bad};
            reduce_run<false>(run, 1, own.a, no_d, own.c, 1, own.y, 1, p, n, out);
            ++i;
            continue;
        }
        const int64_t count = is_last ? 1 : std::min({end - i, RowRun<T>::most, (rows - 1) / 2 - i});
        reduce_run<false>(row_run.of(count), 2, own.a, no_d, own.c, 2, own.y, 2, p, n, out);
        row_run.report(count, place * (i + 1) - 1, place, *first_bad);
        i += count;
    }
}

// x of rows 2i and 2i+1 of level k >= 1, for i in [begin, end), from those of level k+1
template <class T>
inline void substitute_rows(const OddEvenTile<T> &tile, int k, int64_t begin, int64_t end) {
    const int lanes = tile.lanes();
    const int64_t rows = tile.rows_of(k), odd_rows = rows / 2;
    const Equations<T> level = tile.level(k);
    const T *const known = tile.level(k + 1).y, *const no_d = nullptr;
    for (int64_t i = begin; i < end;) {
        const Equations<T> at = level.at(2 * i * lanes);
        const T *const x_p = i == 0 ? zeros<T> : known + (i - 1) * lanes;
        const T *const x_n = i == odd_rows ? zeros<T> : known + i * lanes;
        if (!tile.along_rows) {
            substitute_run<false, T>(lanes, 1, at.a, no_d, at.c, x_p, x_n, 1, at.y);
            if (i < odd_rows) std::copy_n(x_n, lanes, at.y + lanes);
            ++i;
            continue;
        }
        const int64_t count = i == 0 || i == odd_rows ? 1 : std::min({end - i, RowRun<T>::most, odd_rows - i});
        substitute_run<false, T>(int(count), 2, at.a, no_d, at.c, x_p, x_n, 2, at.y);
        for (int64_t m = 0; m < std::min(count, odd_rows - i); ++m) at.y[2 * m + 1] = x_n[m];
        i += count;
    }
}

// The same for level 0, in B. Every unknown of the later levels is a neighbour of an even row, whose unknown is not
// finite if that one is not: so it suffices to test the even rows.
template <class T>
class FirstSubstitution {
public:
    FirstSubstitution(const OddEvenTile<T> &tile, RowNumber<T> *first_bad)
        : tile_(tile),
          lanes_(tile.lanes()),
          known_(tile.level(1).y),
          first_bad_(first_bad),
          dl_(tile.dl, tile.a_lanes, tile.rows),
          d_(tile.d, tile.a_lanes, tile.rows),
          du_(tile.du, tile.a_lanes, tile.rows),
          b_(tile.b, tile.b_lanes, tile.rows) {}

    void run(int64_t begin, int64_t end) {
        const int64_t block = stage_rows<T>(lanes_) / 2;
        for (; begin < end; begin += block) {
            const int64_t block_end = std::min(begin + block, end), row = 2 * begin;
            const int64_t rows = std::min(2 * block_end, tile_.rows) - row;
            const Rows<const T> dl = dl_.fetch(row, rows), d = d_.fetch(row, rows), du = du_.fetch(row, rows);
            const Rows<T> x = b_.adjacent() ? b_.in_place(row) : Rows<T>{stage_, lanes_};
            if (!b_.adjacent()) gather(tile_.b, tile_.b_lanes, row, rows, std::min(rows, tile_.rows - row - rows), x);
            for (int64_t i = begin; i < block_end;) i += substitute_at(i, 2 * (i - begin), block_end, dl, d, du, x);
            if (!b_.adjacent()) scatter<T>({x.first, x.pitch}, tile_.b, tile_.b_lanes, row, rows);
        }
    }

private:
    // Row 2i, which is row k of the block, and the next; along rows several pairs. Returns the number of pairs.
    int64_t substitute_at(int64_t i, int64_t k, int64_t end, Rows<const T> dl, Rows<const T> d, Rows<const T> du,
                          Rows<T> x) const {
        const int64_t odd_rows = tile_.rows_of(1);
        const T *const l = i == 0 ? zeros<T> : dl.row(k), *const u = i == odd_rows ? zeros<T> : du.row(k);
        const T *const x_p = i == 0 ? zeros<T> : known_ + (i - 1) * lanes_;
        const T *const x_n = i == odd_rows ? zeros<T> : known_ + i * lanes_;
        if (!tile_.along_rows) {
            dl_.prefetch_from(2 * i), d_.prefetch_from(2 * i), du_.prefetch_from(2 * i), b_.prefetch_from(2 * i);
            substitute_run<true>(lanes_, 1, l, d.row(k), u, x_p, x_n, 1, x.row(k));
            if (tile_.has_info) note_lanes(lanes_, number_of_row<T>(tile_.rows), x.row(k), first_bad_);
            if (i < odd_rows) std::copy_n(x_n, lanes_, x.row(k + 1));
            return 1;
        }
        const int64_t count = i == 0 || i == odd_rows ? 1 : std::min({end - i, RowRun<T>::most, odd_rows - i});
        T *const b = x.row(k), *const next = b + x.pitch;
        with_strides(d.pitch, x.pitch, [&](auto a_stride, auto b_stride) {
            substitute_run<true>(int(count), a_stride, l, d.row(k), u, x_p, x_n, b_stride, b);
            if (tile_.has_info) note_rows<T>(count, number_of_row<T>(tile_.rows), b_stride, b, *first_bad_);
            for (int64_t m = 0; m < std::min(count, odd_rows - i); ++m) next[m * b_stride] = x_n[m];
        });
        return count;
    }

    const OddEvenTile<T> &tile_;
    const int lanes_;
    const T *const known_;
    RowNumber<T> *const first_bad_;
    Input<T> dl_, d_, du_;
    Strip<T> b_;
    alignas(64) T stage_[stage_bytes / sizeof(T)];
};

// Rows of level k in pairs begin … end-1 to level k+1, and back; first_bad has an element per lane.
template <class T>
XBATCH_SIMD_CLONES void reduce(const OddEvenTile<T> &tile, int k, int64_t begin, int64_t end, RowNumber<T> *first_bad) {
    if (k == 0)
        FirstReduction<T>(tile, first_bad).run(begin, end);
    else
        reduce_rows(tile, k, begin, end, first_bad);
}
template <class T>
XBATCH_SIMD_CLONES void substitute(const OddEvenTile<T> &tile, int k, int64_t begin, int64_t end,
                                   RowNumber<T> *first_bad) {
    if (k == 0)
        FirstSubstitution<T>(tile, first_bad).run(begin, end);
    else
        substitute_rows(tile, k, begin, end);
}

// Pairs in one block. Along rows these determine the vector loops, and so the bits of the result: they must not depend
// on how the pairs are distributed.
constexpr int64_t block_elements = 4096;
template <class T>
int64_t block_pairs(const OddEvenTile<T> &tile) {
    return std::max<int64_t>(block_elements / tile.lanes(), 1);
}
template <class T>
void reduce_block(const OddEvenTile<T> &tile, int k, int64_t block, RowNumber<T> *first_bad) {
    const int64_t pairs = block_pairs(tile), begin = block * pairs;
    reduce(tile, k, begin, std::min(begin + pairs, tile.even_rows_of(k)), first_bad);
}
template <class T>
void substitute_block(const OddEvenTile<T> &tile, int k, int64_t block, RowNumber<T> *first_bad) {
    const int64_t pairs = block_pairs(tile), begin = block * pairs;
    substitute(tile, k, begin, std::min(begin + pairs, tile.even_rows_of(k)), first_bad);
}
template <class T>
int64_t blocks_of(const OddEvenTile<T> &tile, int k) {
    return (tile.even_rows_of(k) + block_pairs(tile) - 1) / block_pairs(tile);
}

// Reduces levels k, k+1, …, and substitutes back, in one thread
template <class T>
void solve_from(const OddEvenTile<T> &tile, int k, RowNumber<T> *first_bad) {
    const int levels = tile.levels();
    for (int m = k; m < levels; ++m)
        for (int64_t block = 0; block < blocks_of(tile, m); ++block) reduce_block(tile, m, block, first_bad);
    for (int m = levels; m-- > k;)
        for (int64_t block = 0; block < blocks_of(tile, m); ++block) substitute_block(tile, m, block, first_bad);
}

// One lane group by all threads of a team, each of which calls this; one thread does the short levels at the end.
template <class T>
void solve_shared(const OddEvenTile<T> &tile, RowNumber<T> *first_bad, std::mutex &joining) {
    const int lanes = tile.lanes();
    int shared = 0;  // levels that the threads share
    while (blocks_of(tile, shared) > 2) ++shared;
    RowNumber<T> mine[max_lanes<T>];
    std::fill_n(mine, lanes, no_row<T>);
    for (int k = 0; k < shared; ++k) {
#pragma omp for schedule(static)
        for (int64_t block = 0; block < blocks_of(tile, k); ++block) reduce_block(tile, k, block, mine);
    }
#pragma omp single
    solve_from(tile, shared, mine);
    for (int k = shared; k-- > 0;) {
#pragma omp for schedule(static)
        for (int64_t block = 0; block < blocks_of(tile, k); ++block) substitute_block(tile, k, block, mine);
    }
    const std::lock_guard<std::mutex> lock(joining);  // no omp critical: a child of fork() may find it locked
    for (int l = 0; l < lanes; ++l) first_bad[l] = std::min(first_bad[l], mine[l]);
}

// How a batch is distributed, and the memory of its levels
template <class T>
struct Plan {
    bool along_rows;  // every system is a lane group of its own
    bool is_shared;   // all threads work on one lane group
    int64_t widest;   // largest number of lanes of a group
    int64_t threads;
    T *scratch;
    int64_t scratch_of_tile;
    size_t bytes;

    Plan(const Context &context, const GtsvProblem &p, void *workspace) {
        constexpr int64_t long_rows = 1 << 14, most_elements = (int64_t(32) << 20) / int64_t(sizeof(T));
        constexpr int64_t cache_elements = (int64_t(8) << 20) / int64_t(sizeof(T)) / 3;  // for a group's levels
        const int64_t most = thread_count(context);
        along_rows = p.batch == 1 || (p.layout == XBATCH_LAYOUT_FLAT && p.batch < gathered_lanes<T>);
        widest = along_rows ? 1 : p.layout == XBATCH_LAYOUT_FLAT ? gathered_lanes<T> : max_lanes<T>;
        widest = std::min(widest,
                          std::max<int64_t>(cache_elements / p.n / simd_lanes<T> * simd_lanes<T>, gathered_lanes<T>));
        widest = std::min(widest, p.batch);
        const bool are_few = (p.batch + widest - 1) / widest < most;
        is_shared = p.n >= long_rows && (are_few || 3 * p.n * widest > most_elements);
        if (!is_shared) widest = std::min({widest, whole_simd_lanes<T>((p.batch + most - 1) / most), p.batch});
        const int64_t jobs = is_shared ? p.n * widest / (2 * block_elements) + 1 : (p.batch + widest - 1) / widest;
        threads = std::min(most, jobs);
        scratch_of_tile = whole_lines(counted_product(3, p.n, widest));
        Carver carver(workspace);
        scratch = carver.take<T>(is_shared ? 1 : threads, scratch_of_tile);
        bytes = carver.bytes();
    }
};

// A batch cut into lane groups
template <class T>
class Batch {
public:
    Batch(const GtsvProblem &problem, const Plan<T> &plan)
        : p_(problem),
          plan_(plan),
          tiles_(p_.b_at, p_.batch, plan.along_rows ? p_.batch : std::min(plan.widest, lanes_for<T>(p_.b_at))) {}

    int64_t count() const { return plan_.along_rows ? p_.batch : tiles_.count(); }
    int64_t begin(int64_t t) const { return plan_.along_rows ? t : tiles_.begin(t); }
    int lanes(int64_t t) const { return plan_.along_rows ? 1 : tiles_.lanes(t); }
    OddEvenTile<T> tile(int64_t t, int64_t r, T *scratch) const {
        return {p_.n,
                static_cast<const T *>(p_.dl),
                static_cast<const T *>(p_.d),
                static_cast<const T *>(p_.du),
                static_cast<T *>(p_.b),
                system_lanes<T>(p_.a_at, begin(t), lanes(t), 0),
                system_lanes<T>(p_.b_at, begin(t), lanes(t), r),
                scratch,
                plan_.along_rows,
                p_.info != nullptr};
    }
    // Reports one right-hand side; several threads may report right-hand sides of one lane group. info is 0 before.
    void report(int64_t t, const RowNumber<T> *first_bad) const {
        const int32_t count = lanes(t);
        if (!p_.info || std::all_of(first_bad, first_bad + count, [](auto row) { return row == no_row<T>; })) return;
#pragma omp critical(xbatch_oddeven)
        for (int l = 0; l < count; ++l) {
            int32_t &info = p_.info[begin(t) + l];
            const int32_t found = info_of<T>(first_bad[l]);
            if (found != 0) info = info == 0 ? found : std::min(info, found);
        }
    }

private:
    const GtsvProblem &p_;
    const Plan<T> &plan_;
    Tiles<T> tiles_;
};

}  // namespace

template <class T>
xbatchStatus_t oddeven_host(Context &context, const GtsvProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
    const Batch<T> batch(p, plan);
    const int64_t work = batch.count() * p.nrhs;
    if (p.info) std::fill_n(p.info, p.batch, 0);
    if (plan.is_shared) {
        for (int64_t w = 0; w < work; ++w) {
            const int64_t t = w / p.nrhs, r = w % p.nrhs;
            if (batch.lanes(t) == 0) continue;
            const OddEvenTile<T> tile = batch.tile(t, r, plan.scratch);
            RowNumber<T> first_bad[max_lanes<T>];
            std::fill_n(first_bad, tile.lanes(), no_row<T>);
            std::mutex joining;
#pragma omp parallel num_threads(team_size(plan.threads))
            solve_shared(tile, first_bad, joining);
            batch.report(t, first_bad);
        }
        return XBATCH_STATUS_SUCCESS;
    }
#pragma omp parallel for schedule(static) num_threads(team_size(plan.threads, p.n, p.batch))
    for (int64_t w = 0; w < work; ++w) {
        const int64_t t = w / p.nrhs, r = w % p.nrhs;
        if (batch.lanes(t) == 0) continue;
        const OddEvenTile<T> tile = batch.tile(t, r, plan.scratch + omp_get_thread_num() * plan.scratch_of_tile);
        RowNumber<T> first_bad[max_lanes<T>];
        std::fill_n(first_bad, tile.lanes(), no_row<T>);
        solve_from(tile, 0, first_bad);
        batch.report(t, first_bad);
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t oddeven_host_workspace(const Context &context, const GtsvProblem &p) {
    return Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(oddeven_host);

}  // namespace xbatch::tridiagonal
