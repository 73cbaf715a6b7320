// interface_host.cpp: long or periodic systems with pivoting on the host (partition method): every chunk is reduced to
// two interface equations in the unknowns at its ends, the interface equations of all chunks are solved as a tree, and
// the interior of every chunk follows from its ends.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "interface_host.hpp"

#include <omp.h>

#include <algorithm>
#include <utility>

#include "core/workspace.hpp"
#include "tridiagonal/nopivot/chunk_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// l0 x_{L-1} + l1 x_L + r0 x_R + r1 x_{R+1} = g, for rows L … R
template <class T>
struct Equation {
    T l0, l1, r0, r1, g;
};

// The two interface equations of a chunk, or of adjacent chunks joined. Solving a chunk by its own rows alone fails if
// its interior is singular, as every second one is with a zero diagonal; this fails only if the matrix is singular.
template <class T>
struct InterfaceEquations {
    Equation<T> a, b;
};

// While rows L … m and m+1 … R are joined: l0 x_{L-1} + l1 x_L + u x_m + v x_{m+1} + r0 x_R + r1 x_{R+1} = g
template <class T>
struct JoinEquation {
    T l0, l1, u, v, r0, r1, g;
};

// Slot k of a system: the interface equations of chunk k, and how it was joined to the chunks before
template <class T>
struct Slot {
    InterfaceEquations<T> equations;
    JoinEquation<T> first, second;  // the equations that eliminated x_m and x_{m+1}
    T x_m, x_m1;
    int32_t first_bad;  // row of the chunk (1-based) with the first bad pivot, 0 if there is none
    bool is_finite;     // all unknowns of the chunk
};

// Lanes are chunks, which may begin or end an open system: then the first dl or the last du is not used
template <class T>
struct ChunkTile {
    int64_t rows;
    const T *dl, *d, *du;
    Lanes<T> a_lanes, b_lanes;
    bool begins[max_lanes<T>], ends[max_lanes<T>];
    bool pinned[max_lanes<T>];  // the last row is x_{n-1} = 0
    bool is_shifted;
    const T *w;
    T sigma[max_lanes<T>];
};

// The first row of an open system has no dl, the last one no du; that of a pinned system is x_{n-1} = 0.
template <class T>
inline void mark_end(RowCopy<T> &row, const ChunkTile<T> &tile, bool is_first, int lanes) {
    for (int l = 0; l < lanes; ++l) {
        if (is_first && tile.begins[l]) row.dl[l] = T(0);
        if (!is_first && tile.ends[l]) row.du[l] = T(0);
        if (!is_first && tile.pinned[l]) row.pin(l);
    }
}

// step(i, dl, d, du, b) for all rows of a lane group; B is Input or Unknowns.
template <class T, class B, class Step>
inline void for_each_row(const ChunkTile<T> &tile, B &b, Step step) {
    const int lanes = tile.a_lanes.count;
    const LaneShifts<T> shifts{tile.w, tile.is_shifted ? tile.sigma : nullptr};
    GatheredRows<T> a(tile.dl, tile.d, tile.du, tile.a_lanes, tile.rows, shifts);
    const int64_t block = stage_rows<T>(lanes), last = tile.rows - 1;
    RowCopy<T> end;
    for (int64_t begin = 0; begin < tile.rows; begin += block) {
        const int64_t rows = std::min(tile.rows - begin, block);
        a.fetch(begin, rows);
        const auto y = b.fetch(begin, rows);
        for (int64_t k = 0; k < rows; ++k) {
            const int64_t i = begin + k;
            StoredRow<T> row = a.row(k);
            if (i == 0 || i == last) {
                end.copy(row, lanes);
                mark_end(end, tile, i == 0, lanes);
                row = end.row();
            }
            a.prefetch_from(i), b.prefetch_from(i);
            step(i, row.dls, row.ds, row.dus, y.row(k));
        }
    }
}

// The two held rows of each lane, a and b: l0 x_{L-1} + l1 x_L + p x_i + q x_{i+1} = g. Initially they are the chunk's
// first two rows.
template <class T>
struct HeldRow {
    alignas(64) T l0[max_lanes<T>], l1[max_lanes<T>], p[max_lanes<T>], q[max_lanes<T>], g[max_lanes<T>];
};
template <class T>
struct HeldRows {
    HeldRow<T> a, b;
    alignas(64) Exponent<Real<T>> before[max_lanes<T>], first[max_lanes<T>];  // sizes of their left ends, as bits
    alignas(64) RowNumber<T> first_bad[max_lanes<T>];
};

template <class T>
inline Exponent<Real<T>> size_bits(T a) {
    return Exponent<Real<T>>(word_of(lane_size(a)));
}

// Weights that choose the pivot, as interface.cuh derives: |p| / sqrt(m), where m >= 1 is the growth of the left ends
// of the candidate's row relative to those of the chunk's first two rows, `before` and `first`. As approximate
// logarithms to base 2: the bits of numbers.
template <class T>
inline Exponent<Real<T>> pivot_weight(T l0, T l1, T p, Exponent<Real<T>> before, Exponent<Real<T>> first) {
    using E = Exponent<Real<T>>;
    return size_bits(p) - (larger(larger(size_bits(l0) - before, size_bits(l1) - first), E(0)) >> 1);
}
// A new row, whose m is 1, is preferred to held ones of up to 2^(1/4) times its weight.
template <class T>
inline Exponent<Real<T>> pivot_weight_of_new(T p) {
    return size_bits(p) + (Exponent<Real<T>>(1) << (BitsOf<Real<T>>::type::mantissa - 2));
}

// One lane of row i+1: of it (n) and the held rows (a, b) the one with the largest weight eliminates x_i from the other
// two, which are then held. The pivot row is stored in l0, l1, q, c (of x_{i+2}) and g, divided by its pivot (operands
// one by one: lanes_host.hpp).
template <class T>
inline void absorb(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                   T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, T &l0, T &l1, T &q, T &c, T &g,
                   RowNumber<T> number, RowNumber<T> &first_bad) {
    equilibrate(dl, d, du, b);
    const Exponent<Real<T>> weight_a = pivot_weight(a_l0, a_l1, a_p, before, first),
                            weight_b = pivot_weight(b_l0, b_l1, b_p, before, first), weight_n = pivot_weight_of_new(dl);
    const bool is_b = weight_b > weight_a, is_n = bool(int(weight_n > weight_a) & int(weight_n > weight_b));
    const T p = select(is_b, b_p, a_p), w_l0 = select(is_b, b_l0, a_l0), w_l1 = select(is_b, b_l1, a_l1);
    const T w_q = select(is_b, b_q, a_q), w_g = select(is_b, b_g, a_g);
    const T s_p = select(is_b, a_p, b_p), s_l0 = select(is_b, a_l0, b_l0), s_l1 = select(is_b, a_l1, b_l1);
    const T s_q = select(is_b, a_q, b_q), s_g = select(is_b, a_g, b_g);
    const T pivot = select(is_n, dl, p), inverse = lane_reciprocal(pivot);
    first_bad = note_pivot(first_bad, number, pivot, inverse);
    const T f_s = s_p * inverse, f_o = select(is_n, p, dl) * inverse;
    const T pivot_l0 = select(is_n, T(0), w_l0), pivot_l1 = select(is_n, T(0), w_l1);
    const T pivot_q = select(is_n, d, w_q), pivot_c = select(is_n, du, T(0)), pivot_g = select(is_n, b, w_g);
    a_l0 = fnma(f_s, pivot_l0, s_l0), a_l1 = fnma(f_s, pivot_l1, s_l1);
    a_p = fnma(f_s, pivot_q, s_q), a_q = -(f_s * pivot_c), a_g = fnma(f_s, pivot_g, s_g);
    b_l0 = select(is_n, w_l0, -(f_o * w_l0)), b_l1 = select(is_n, w_l1, -(f_o * w_l1));
    b_p = fnma(f_o, pivot_q, select(is_n, w_q, d));
    b_q = select(is_n, -(f_o * du), du);
    b_g = fnma(f_o, pivot_g, select(is_n, w_g, b));
    l0 = pivot_l0 * inverse, l1 = pivot_l1 * inverse, q = pivot_q * inverse, c = pivot_c * inverse;
    g = pivot_g * inverse;
}

// Rows 0 and 1 of each lane are the first held rows.
template <class T>
inline void first_rows(int lanes, bool is_second, const T *dl, const T *d, const T *du, const T *b, HeldRows<T> &w) {
    for (int l = 0; l < lanes; ++l) {
        T x = dl[l], y = d[l], z = du[l], right = b[l];
        equilibrate(x, y, z, right);
        if (is_second)
            w.b.l0[l] = T(0), w.b.l1[l] = x, w.b.p[l] = y, w.b.q[l] = z, w.b.g[l] = right;
        else
            w.a.l0[l] = x, w.a.l1[l] = y, w.a.p[l] = z, w.a.q[l] = T(0), w.a.g[l] = right;
        if (is_second)
            w.first[l] = larger(w.first[l], size_bits(x));
        else
            w.before[l] = size_bits(x), w.first[l] = size_bits(y), w.first_bad[l] = no_row<T>;
    }
}

// The same without the pivot row
template <class T>
inline void absorb(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                   T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, RowNumber<T> number,
                   RowNumber<T> &first_bad) {
    T l0, l1, q, c, g;
    absorb(dl, d, du, b, a_l0, a_l1, a_p, a_q, a_g, b_l0, b_l1, b_p, b_q, b_g, before, first, l0, l1, q, c, g, number,
           first_bad);
}

template <class T>
inline void absorb_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *b,
                       HeldRows<T> &w) {
    HeldRow<T> &x = w.a, &y = w.b;
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        absorb(dl[l], d[l], du[l], b[l], x.l0[l], x.l1[l], x.p[l], x.q[l], x.g[l], y.l0[l], y.l1[l], y.p[l], y.q[l],
               y.g[l], w.before[l], w.first[l], number, w.first_bad[l]);
}

// Reduces every chunk to its interface equations.
template <class T>
inline void reduce_tile(const ChunkTile<T> &tile, const T *b, Slot<T> *const *slots) {
    const int lanes = tile.a_lanes.count;
    Input<T> right_hand_side(b, tile.b_lanes, tile.rows);
    HeldRows<T> w;
    for_each_row(tile, right_hand_side, [&](int64_t i, const T *dl, const T *d, const T *du, const T *g) {
        if (i > 1)
            absorb_row<T>(lanes, number_of_row<T>(i - 1), dl, d, du, g, w);
        else
            first_rows(lanes, i == 1, dl, d, du, g, w);
    });
    const auto equation = [](const HeldRow<T> &row, int l) {
        return Equation<T>{row.l0[l], row.l1[l], row.p[l], row.q[l], row.g[l]};
    };
    for (int l = 0; l < lanes; ++l) {
        slots[l]->equations = {equation(w.a, l), equation(w.b, l)};
        slots[l]->first_bad = info_of<T>(w.first_bad[l]);
    }
}

// The unknowns at the ends of each lane: x_{L-1}, x_L, x_R, x_{R+1}
template <class T>
struct KnownEnds {
    alignas(64) T before[max_lanes<T>], first[max_lanes<T>], last[max_lanes<T>], after[max_lanes<T>];
};

// The same elimination again, with known ends: x_i = y - q x_{i+1} - c x_{i+2}
template <class T>
inline void eliminate(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                      T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, T x_before, T x_first, T &q, T &c,
                      T &y, RowNumber<T> number, RowNumber<T> &first_bad) {
    T l0, l1, g;
    absorb(dl, d, du, b, a_l0, a_l1, a_p, a_q, a_g, b_l0, b_l1, b_p, b_q, b_g, before, first, l0, l1, q, c, g, number,
           first_bad);
    y = fnma(l0, x_before, fnma(l1, x_first, g));
}

template <class T>
inline void eliminate_row(int lanes, RowNumber<T> number, const T *dl, const T *d, const T *du, const T *b,
                          const KnownEnds<T> &ends, HeldRows<T> &w, T *first, T *second, T *unknown) {
    HeldRow<T> &x = w.a, &y = w.b;
#pragma omp simd
    for (int l = 0; l < lanes; ++l)
        eliminate(dl[l], d[l], du[l], b[l], x.l0[l], x.l1[l], x.p[l], x.q[l], x.g[l], y.l0[l], y.l1[l], y.p[l], y.q[l],
                  y.g[l], w.before[l], w.first[l], ends.before[l], ends.first[l], first[l], second[l], unknown[l],
                  number, w.first_bad[l]);
}

// Computes the interior of every chunk from its ends.
template <class T>
inline void determine_tile(const ChunkTile<T> &tile, T *b, const KnownEnds<T> &ends, const PivotRows<T> &pivots,
                           T *scratch, Slot<T> *const *slots) {
    const int lanes = tile.a_lanes.count;
    const Unknowns<T> unknowns(b, tile.b_lanes, scratch, tile.rows);
    HeldRows<T> w;
    for_each_row(tile, unknowns, [&](int64_t i, const T *dl, const T *d, const T *du, const T *g) {
        const int64_t row = i - 1;  // row 0 of the unknowns is unused, since x_L is known
        if (i > 1)
            eliminate_row<T>(lanes, number_of_row<T>(row), dl, d, du, g, ends, w, pivots.first + row * lanes,
                             pivots.second + row * lanes, unknowns.row(row));
        else
            first_rows(lanes, i == 1, dl, d, du, g, w);
    });
    std::copy_n(ends.first, lanes, unknowns.row(0));
    std::copy_n(ends.last, lanes, unknowns.row(tile.rows - 1));
    back_substitute<T>(pivots, unknowns, lanes, tile.rows, 1, tile.rows - 1, ends.last, ends.after);
    // A product with a non-finite unknown is not finite, so it suffices to test x_{L+1}, the last one computed.
    for (int l = 0; l < lanes; ++l)
        slots[l]->is_finite = is_finite(unknowns.row(0)[l]) && is_finite(unknowns.row(1)[l]);
}

XBATCH_SIMD_CLONES void reduce(const ChunkTile<float> &tile, const float *b, Slot<float> *const *slots) {
    reduce_tile(tile, b, slots);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<double> &tile, const double *b, Slot<double> *const *slots) {
    reduce_tile(tile, b, slots);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<Complex<float>> &tile, const Complex<float> *b,
                               Slot<Complex<float>> *const *slots) {
    reduce_tile(tile, b, slots);
}
XBATCH_SIMD_CLONES void reduce(const ChunkTile<Complex<double>> &tile, const Complex<double> *b,
                               Slot<Complex<double>> *const *slots) {
    reduce_tile(tile, b, slots);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<float> &tile, float *b, const KnownEnds<float> &ends,
                                  const PivotRows<float> &pivots, float *scratch, Slot<float> *const *slots) {
    determine_tile(tile, b, ends, pivots, scratch, slots);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<double> &tile, double *b, const KnownEnds<double> &ends,
                                  const PivotRows<double> &pivots, double *scratch, Slot<double> *const *slots) {
    determine_tile(tile, b, ends, pivots, scratch, slots);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<Complex<float>> &tile, Complex<float> *b,
                                  const KnownEnds<Complex<float>> &ends, const PivotRows<Complex<float>> &pivots,
                                  Complex<float> *scratch, Slot<Complex<float>> *const *slots) {
    determine_tile(tile, b, ends, pivots, scratch, slots);
}
XBATCH_SIMD_CLONES void determine(const ChunkTile<Complex<double>> &tile, Complex<double> *b,
                                  const KnownEnds<Complex<double>> &ends, const PivotRows<Complex<double>> &pivots,
                                  Complex<double> *scratch, Slot<Complex<double>> *const *slots) {
    determine_tile(tile, b, ends, pivots, scratch, slots);
}

// row - f * pivot; the coefficient that f cancels is not updated
template <class T>
void subtract(JoinEquation<T> &row, T f, const JoinEquation<T> &pivot) {
    row.l0 = fnma(f, pivot.l0, row.l0), row.l1 = fnma(f, pivot.l1, row.l1);
    row.v = fnma(f, pivot.v, row.v);
    row.r0 = fnma(f, pivot.r0, row.r0), row.r1 = fnma(f, pivot.r1, row.r1);
    row.g = fnma(f, pivot.g, row.g);
}

// Moves the row with the largest `coefficient` to the front and eliminates it from the others; false for a bad pivot.
template <class T>
bool eliminate(JoinEquation<T> *rows, int count, T JoinEquation<T>::*coefficient) {
    for (int k = 1; k < count; ++k)
        if (lane_size(rows[k].*coefficient) > lane_size(rows[0].*coefficient)) std::swap(rows[0], rows[k]);
    const T pivot = rows[0].*coefficient, inverse = reciprocal(pivot);
    for (int k = 1; k < count; ++k) subtract(rows[k], rows[k].*coefficient * inverse, rows[0]);
    return is_good_pivot(pivot, inverse);
}

// Joins the chunks before a slot with its own and those after it: 0, or which of the two pivots was the first bad one.
template <class T>
int join(InterfaceEquations<T> &before, Slot<T> &slot) {
    const auto of_left = [](const Equation<T> &e) { return JoinEquation<T>{e.l0, e.l1, e.r0, e.r1, T(0), T(0), e.g}; };
    const auto of_right = [](const Equation<T> &e) { return JoinEquation<T>{T(0), T(0), e.l0, e.l1, e.r0, e.r1, e.g}; };
    const auto equation = [](const JoinEquation<T> &m) { return Equation<T>{m.l0, m.l1, m.r0, m.r1, m.g}; };
    JoinEquation<T> rows[] = {of_left(before.a), of_left(before.b), of_right(slot.equations.a),
                              of_right(slot.equations.b)};
    const bool first_is_good = eliminate(rows, 4, &JoinEquation<T>::u),
               second_is_good = eliminate(rows + 1, 3, &JoinEquation<T>::v);
    slot.first = rows[0], slot.second = rows[1];
    before = {equation(rows[2]), equation(rows[3])};
    return !first_is_good ? 1 : !second_is_good ? 2 : 0;
}

// Joins chunks begin … end-1 into slot begin; sets bad_row to the first bad pivot's row, 1-based, if it is 0.
template <class T>
void join_range(Slot<T> *slots, const Cut &cut, int64_t begin, int64_t end, int64_t &bad_row) {
    if (end - begin == 1) return;
    const int64_t middle = begin + (end - begin) / 2;
    join_range(slots, cut, begin, middle, bad_row);
    join_range(slots, cut, middle, end, bad_row);
    const int bad = join(slots[begin].equations, slots[middle]);
    if (bad && !bad_row) bad_row = middle * cut.chunk_rows + bad - 1;
}

// Periodic systems, x_{-1} = x_{n-1} and x_n = x_0; and open ones, whose coefficients of both are 0.
template <class T>
int close(Slot<T> &begin, Slot<T> &end) {
    const auto closed = [](const Equation<T> &e) {
        return JoinEquation<T>{T(0), T(0), e.l1 + e.r1, e.l0 + e.r0, T(0), T(0), e.g};
    };
    JoinEquation<T> rows[] = {closed(begin.equations.a), closed(begin.equations.b)};
    const bool first_is_good = eliminate(rows, 2, &JoinEquation<T>::u);
    const T inverse = reciprocal(rows[1].v);
    const T x_last = rows[1].g * inverse, x_0 = fnma(rows[0].v, x_last, rows[0].g) * reciprocal(rows[0].u);
    begin.x_m = end.x_m = x_last;
    begin.x_m1 = end.x_m1 = x_0;
    return !first_is_good ? 1 : !is_good_pivot(rows[1].v, inverse) ? 2 : 0;
}

// Computes the unknowns between chunks begin … end-1 from those at both ends
template <class T>
void resolve_range(Slot<T> *slots, int64_t begin, int64_t end) {
    if (end - begin == 1) return;
    const int64_t middle = begin + (end - begin) / 2;
    const Slot<T> &left = slots[begin], &right = slots[end];
    Slot<T> &s = slots[middle];
    const auto without_ends = [&](const JoinEquation<T> &m) {
        return fnma(m.l0, left.x_m, fnma(m.l1, left.x_m1, fnma(m.r0, right.x_m, fnma(m.r1, right.x_m1, m.g))));
    };
    s.x_m1 = without_ends(s.second) * reciprocal(s.second.v);
    s.x_m = fnma(s.first.v, s.x_m1, without_ends(s.first)) * reciprocal(s.first.u);
    resolve_range(slots, begin, middle);
    resolve_range(slots, middle, end);
}

// How systems are cut into chunks, and the workspace for it
template <class T>
struct Plan {
    Cut cut;
    int64_t widest;  // largest number of lanes of a group
    int64_t threads;
    Slot<T> *slots;  // [group][chunks + 1]
    T *scratch;
    int64_t scratch_of_array, scratch_of_thread;
    size_t bytes;

    Plan(const Context &context, const GtsvProblem &p, Boundary boundary, void *workspace) {
        // Rounding errors accumulate over the rows of a chunk, and hardly over the levels of a tree. Not a power of
        // two: lanes would share cache sets.
        constexpr int64_t least_rows = 32, most_rows = 120;
        constexpr int64_t lanes = gathered_lanes<T>;
        // a lane group's rows are read twice, so they and the pivot rows should fit in the cache
        constexpr int64_t cache_elements = (int64_t(4) << 20) / int64_t(sizeof(T));
        const bool is_whole =
            p.n < 2 * least_rows || (boundary == Boundary::periodic && p.n <= most_rows && p.batch >= lanes);
        cut.chunk_rows = is_whole ? p.n : std::clamp(p.n * std::min(p.batch, lanes) / lanes, least_rows, most_rows);
        if (context.run_rows > 0) cut.chunk_rows = std::min<int64_t>(context.run_rows, p.n);
        cut.chunks = p.n / cut.chunk_rows;  // the last chunk includes a remainder of one row, since a chunk needs two
        cut.chunks += p.n - cut.chunks * cut.chunk_rows > 1;
        cut.last_rows = p.n - (cut.chunks - 1) * cut.chunk_rows;
        const int64_t rows = std::max(cut.chunk_rows, cut.last_rows);
        widest = p.layout == XBATCH_LAYOUT_FLAT ? lanes : std::clamp<int64_t>(p.batch, lanes, max_lanes<T>);
        widest = std::min(widest, std::max(cache_elements / rows / simd_lanes<T> * simd_lanes<T>, lanes));
        // enough chunks for many threads, and whole lane groups where systems are adjacent
        cut.group = std::max(64 * lanes / cut.chunks, p.layout == XBATCH_LAYOUT_FLAT ? 1 : widest);
        cut.group = std::min(cut.group, p.batch);
        threads = std::min(int64_t(thread_count(context)), most_tiles<T>(p, cut, widest));
        scratch_of_array = (rows * widest + 63) / 64 * 64;
        scratch_of_thread = 3 * scratch_of_array;
        Carver carver(workspace);
        slots = carver.take<Slot<T>>(cut.group * (cut.chunks + 1));
        scratch = carver.take<T>(threads * scratch_of_thread);
        bytes = carver.bytes();
    }
};

// One right-hand side of a group of systems. The calling threads share the work of each phase, which ends with a
// barrier.
template <class T, class GroupTiles>
class Group {
public:
    Group(const GtsvProblem &problem, const Plan<T> &plan, Boundary boundary, const GroupTiles &tiles, int64_t r)
        : p_(problem), plan_(plan), boundary_(boundary), tiles_(tiles), r_(r), shifts_(all_shifts<T>(problem)) {}

    void pin_last_unknowns() const {
        if (!shifts_.pins_zero) return;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j)
            if (shifts_.pins(tiles_.first() + j))
                static_cast<T *>(p_.b)[p_.b_at.offset(p_.n - 1, tiles_.first() + j, r_)] = T(0);
    }

    void reduce_chunks() const {
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            Slot<T> *slots[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l) slots[l] = slot_of(chosen, l);
            reduce(tile_of(chosen), static_cast<const T *>(p_.b), slots);
        }
    }

    void solve_for_ends() const {
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j) {
            const int64_t chunks = plan_.cut.chunks;
            Slot<T> *const slots = plan_.slots + j * (chunks + 1);
            int64_t bad_row = 0;
            for (int64_t k = 0; k < chunks && !bad_row; ++k)
                if (slots[k].first_bad) bad_row = k * plan_.cut.chunk_rows + slots[k].first_bad;
            join_range(slots, plan_.cut, 0, chunks, bad_row);
            const int bad = close(slots[0], slots[chunks]);
            if (bad && !bad_row) bad_row = bad == 1 ? 1 : p_.n;
            resolve_range(slots, 0, chunks);
            if (p_.info && r_ == 0) p_.info[tiles_.first() + j] = int32_t(std::min<int64_t>(bad_row, INT32_MAX));
        }
    }

    void determine_chunks() const {
        T *const scratch = plan_.scratch + omp_get_thread_num() * plan_.scratch_of_thread;
        const PivotRows<T> pivots{scratch + plan_.scratch_of_array, scratch + 2 * plan_.scratch_of_array};
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles_.count(); ++t) {
            const Chosen<T> chosen = tiles_.choose(t);
            if (chosen.count == 0) continue;
            KnownEnds<T> ends;
            Slot<T> *slots[max_lanes<T>];
            for (int l = 0; l < chosen.count; ++l) {
                const Slot<T> *s = slots[l] = slot_of(chosen, l);
                ends.before[l] = s[0].x_m, ends.first[l] = s[0].x_m1, ends.last[l] = s[1].x_m,
                ends.after[l] = s[1].x_m1;
            }
            determine(tile_of(chosen), static_cast<T *>(p_.b), ends, pivots, scratch, slots);
        }
    }

    void report_not_finite() const {
        if (!p_.info) return;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < tiles_.systems(); ++j) {
            const Slot<T> *const slots = plan_.slots + j * (plan_.cut.chunks + 1);
            int32_t &info = p_.info[tiles_.first() + j];
            const bool solved =
                std::all_of(slots, slots + plan_.cut.chunks, [](const Slot<T> &s) { return s.is_finite; });
            if (info == 0 && !solved) info = int32_t(std::min<int64_t>(p_.n + 1, INT32_MAX));
        }
    }

private:
    ChunkTile<T> tile_of(const Chosen<T> &chosen) const {
        ChunkTile<T> tile;
        tile.rows = chosen.rows;
        tile.dl = static_cast<const T *>(p_.dl), tile.d = static_cast<const T *>(p_.d);
        tile.du = static_cast<const T *>(p_.du);
        tile.a_lanes = chunk_lanes(chosen, plan_.cut, tiles_.first(), p_.a_at, 0);
        tile.b_lanes = chunk_lanes(chosen, plan_.cut, tiles_.first(), p_.b_at, r_);
        for (int l = 0; l < chosen.count; ++l) {
            const bool is_last = chosen.chunk[l] == plan_.cut.chunks - 1;
            tile.begins[l] = boundary_ == Boundary::open && chosen.chunk[l] == 0;
            tile.ends[l] = boundary_ == Boundary::open && is_last;
            const int64_t j = tiles_.first() + chosen.system[l];
            tile.pinned[l] = is_last && shifts_.pins(j);
            if (shifts_.sigma) tile.sigma[l] = shifts_.sigma[j];
        }
        tile.is_shifted = shifts_.sigma, tile.w = shifts_.w;
        return tile;
    }
    Slot<T> *slot_of(const Chosen<T> &chosen, int l) const {
        return plan_.slots + chosen.system[l] * (plan_.cut.chunks + 1) + chosen.chunk[l];
    }

    const GtsvProblem &p_;
    const Plan<T> &plan_;
    Boundary boundary_;
    const GroupTiles &tiles_;
    int64_t r_;
    LaneShifts<T> shifts_;  // of the whole batch
};

}  // namespace

template <class T>
xbatchStatus_t interface_host(Context &context, const GtsvProblem &p, Boundary boundary, void *workspace) {
    const Plan<T> plan(context, p, boundary, workspace);
    for_each_group<T>(p, plan.cut, plan.widest, [&](const auto &tiles) {
        for (int64_t r = 0; r < p.nrhs; ++r) {
            const Group<T, std::decay_t<decltype(tiles)>> group(p, plan, boundary, tiles, r);
#pragma omp parallel num_threads(team_size(plan.threads, p.n, tiles.systems()))
            {
                group.pin_last_unknowns();
                group.reduce_chunks();
                group.solve_for_ends();
                group.determine_chunks();
                group.report_not_finite();
            }
        }
    });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t interface_host_workspace(const Context &context, const GtsvProblem &p, Boundary boundary) {
    return Plan<T>(context, p, boundary, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(interface_host);

}  // namespace xbatch::tridiagonal
