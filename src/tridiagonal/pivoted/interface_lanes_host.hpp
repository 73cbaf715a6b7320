// interface_lanes_host.hpp: the elimination of chunks in SIMD lanes, and the tree of their interface equations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "interface_host.hpp"
#include "tridiagonal/nopivot/chunk_lanes_host.hpp"

namespace xbatch::tridiagonal {

// The type in which interface equations are joined, always in double precision: where influence decays, products of
// couplings are soon below the normal numbers of single precision, with which arithmetic takes 100 cycles.
template <class T>
using Joined = std::conditional_t<std::is_same_v<T, Real<T>>, double, Complex<double>>;

template <class To, class R>
inline To converted(R a) {
    return To(a);
}
template <class To, class R>
inline To converted(Complex<R> a) {
    return {Real<To>(a.re), Real<To>(a.im)};
}

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

// How four equations were joined: their numbers, that of the pivot row first, those of the other three in the second
// elimination, and the factors
template <class T>
struct JoinSteps {
    int first_order[4], second_order[3];
    T first[3], second[2];
};

// Slot k of a system: the interface equations of chunk k, and how it was joined to the chunks before. The slot after
// the last chunk: how the ends were joined.
template <class T>
struct Slot {
    InterfaceEquations<T> equations;
    JoinEquation<T> first, second;  // the equations that eliminated x_m and x_{m+1}
    JoinSteps<T> steps;
    T inverse_u, inverse_v;  // of the pivots, first.u and second.v
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
    bool pinned[max_lanes<T>] = {};  // the last row is x_{n-1} = 0
    bool is_shifted = false;
    const T *w = nullptr;
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

// One lane of row i+1: of it (n) and the held rows (a, b) the one with the largest weight eliminates x_i from the other
// two, which are then held. The pivot row is stored in l0, l1, q, c (of x_{i+2}) and g, divided by its pivot; f_s and
// f_o are the factors of the others, and `choice` is 1 for b, plus 2 for n (operands one by one: lanes_host.hpp).
template <class T>
inline void absorb(T dl, T d, T du, T b, T &a_l0, T &a_l1, T &a_p, T &a_q, T &a_g, T &b_l0, T &b_l1, T &b_p, T &b_q,
                   T &b_g, Exponent<Real<T>> before, Exponent<Real<T>> first, T &l0, T &l1, T &q, T &c, T &g, T &f_s,
                   T &f_o, T &inverse, RowNumber<T> &choice, RowNumber<T> number, RowNumber<T> &first_bad) {
    equilibrate(dl, d, du, b);
    const Exponent<Real<T>> weight_a = pivot_weight(a_l0, a_l1, a_p, before, first),
                            weight_b = pivot_weight(b_l0, b_l1, b_p, before, first), weight_n = size_bits(dl);
    const bool is_b = weight_b > weight_a, is_n = bool(int(weight_n > weight_a) & int(weight_n > weight_b));
    choice = (is_b ? RowNumber<T>(1) : RowNumber<T>(0)) + (is_n ? RowNumber<T>(2) : RowNumber<T>(0));
    const T p = select(is_b, b_p, a_p), w_l0 = select(is_b, b_l0, a_l0), w_l1 = select(is_b, b_l1, a_l1);
    const T w_q = select(is_b, b_q, a_q), w_g = select(is_b, b_g, a_g);
    const T s_p = select(is_b, a_p, b_p), s_l0 = select(is_b, a_l0, b_l0), s_l1 = select(is_b, a_l1, b_l1);
    const T s_q = select(is_b, a_q, b_q), s_g = select(is_b, a_g, b_g);
    const T pivot = select(is_n, dl, p);
    inverse = lane_reciprocal(pivot);
    first_bad = note_pivot(first_bad, number, pivot, inverse);
    f_s = s_p * inverse, f_o = select(is_n, p, dl) * inverse;
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

// The interface equations of a lane whose rows have been absorbed
template <class T>
InterfaceEquations<Joined<T>> equations_of(const HeldRows<T> &w, int l) {
    using J = Joined<T>;
    const auto equation = [l](const HeldRow<T> &row) {
        return Equation<J>{converted<J>(row.l0[l]), converted<J>(row.l1[l]), converted<J>(row.p[l]),
                           converted<J>(row.q[l]), converted<J>(row.g[l])};
    };
    return {equation(w.a), equation(w.b)};
}

// row - f * pivot; the coefficient that f cancels is not used again
template <class T>
inline JoinEquation<T> subtract(const JoinEquation<T> &row, T f, const JoinEquation<T> &pivot) {
    return {fnma(f, pivot.l0, row.l0), fnma(f, pivot.l1, row.l1), T(0),
            fnma(f, pivot.v, row.v),   fnma(f, pivot.r0, row.r0), fnma(f, pivot.r1, row.r1),
            fnma(f, pivot.g, row.g)};
}

// Eliminates the row with the largest `coefficient` from the others: rows order[0] and order[1] … into `rest`. False
// for a bad pivot. By indices: which row it is cannot be predicted.
template <int count, class T>
inline bool eliminate(const JoinEquation<T> *rows, T JoinEquation<T>::*coefficient, int *order, T *factors, T &inverse,
                      JoinEquation<T> *rest) {
    int largest = 0;
    for (int k = 1; k < count; ++k)
        largest = lane_size(rows[k].*coefficient) > lane_size(rows[largest].*coefficient) ? k : largest;
    const JoinEquation<T> &first = rows[largest];
    const T pivot = first.*coefficient;
    inverse = reciprocal(pivot);
    order[0] = largest;
    for (int k = 1; k < count; ++k) {
        order[k] = k == largest ? 0 : k;
        factors[k - 1] = rows[order[k]].*coefficient * inverse;
        rest[k - 1] = subtract(rows[order[k]], factors[k - 1], first);
    }
    return is_good_pivot(pivot, inverse);
}

// Joins the chunks before a slot with its own and those after it: 0, or which of the two pivots was the first bad one.
template <class T>
inline int join(InterfaceEquations<T> &before, Slot<T> &slot) {
    const auto of_left = [](const Equation<T> &e) { return JoinEquation<T>{e.l0, e.l1, e.r0, e.r1, T(0), T(0), e.g}; };
    const auto of_right = [](const Equation<T> &e) { return JoinEquation<T>{T(0), T(0), e.l0, e.l1, e.r0, e.r1, e.g}; };
    const auto equation = [](const JoinEquation<T> &m) { return Equation<T>{m.l0, m.l1, m.r0, m.r1, m.g}; };
    const JoinEquation<T> rows[] = {of_left(before.a), of_left(before.b), of_right(slot.equations.a),
                                    of_right(slot.equations.b)};
    JoinSteps<T> &steps = slot.steps;
    JoinEquation<T> rest[3], last[2];
    const bool first_is_good =
                   eliminate<4>(rows, &JoinEquation<T>::u, steps.first_order, steps.first, slot.inverse_u, rest),
               second_is_good =
                   eliminate<3>(rest, &JoinEquation<T>::v, steps.second_order, steps.second, slot.inverse_v, last);
    slot.first = rows[steps.first_order[0]], slot.second = rest[steps.second_order[0]];
    before = {equation(last[0]), equation(last[1])};
    return !first_is_good ? 1 : !second_is_good ? 2 : 0;
}

// Periodic systems, x_{-1} = x_{n-1} and x_n = x_0; and open ones, whose coefficients of both are 0.
template <class T>
inline int close(Slot<T> &begin, Slot<T> &end) {
    const auto closed = [](const Equation<T> &e) {
        return JoinEquation<T>{T(0), T(0), e.l1 + e.r1, e.l0 + e.r0, T(0), T(0), e.g};
    };
    const JoinEquation<T> rows[] = {closed(begin.equations.a), closed(begin.equations.b)};
    const bool first_is_good =
        eliminate<2>(rows, &JoinEquation<T>::u, end.steps.first_order, end.steps.first, end.inverse_u, &end.second);
    end.first = rows[end.steps.first_order[0]], end.inverse_v = reciprocal(end.second.v);
    begin.x_m = end.x_m = end.second.g * end.inverse_v;
    begin.x_m1 = end.x_m1 = fnma(end.first.v, end.x_m, end.first.g) * end.inverse_u;
    return !first_is_good ? 1 : !is_good_pivot(end.second.v, end.inverse_v) ? 2 : 0;
}

// act(first, middle, end) for the joins of a tree of `chunks` chunks from the leaves to the root: those of slots first
// … middle-1 with those of slots middle … end-1
template <class Act>
inline void for_each_join(int64_t chunks, Act act) {
    for (int64_t half = 1; half < chunks; half *= 2)
        for (int64_t first = 0; first + half < chunks; first += 2 * half)
            act(first, first + half, std::min(first + 2 * half, chunks));
}
// The same from the root to the leaves
template <class Act>
inline void for_each_join_back(int64_t chunks, Act act) {
    int64_t half = 1;
    while (half < chunks) half *= 2;
    for (half /= 2; half > 0; half /= 2)
        for (int64_t first = 0; first + half < chunks; first += 2 * half)
            act(first, first + half, std::min(first + 2 * half, chunks));
}

// Joins all chunks of a system of n rows and its ends: the first bad pivot's row, 1-based, or 0
template <class T>
inline int64_t join_chunks(Slot<T> *slots, const Cut &cut, int64_t n) {
    int64_t bad_row = 0;
    for (int64_t k = 0; k < cut.chunks && !bad_row; ++k)
        if (slots[k].first_bad) bad_row = k * cut.chunk_rows + slots[k].first_bad;
    for_each_join(cut.chunks, [&](int64_t first, int64_t middle, int64_t) {
        const int bad = join(slots[first].equations, slots[middle]);
        if (bad && !bad_row) bad_row = middle * cut.chunk_rows + bad - 1;
    });
    const int bad = close(slots[0], slots[cut.chunks]);
    return !bad || bad_row ? bad_row : bad == 1 ? 1 : n;
}

// Computes the unknowns between the chunks before and after slot s from those at both ends
template <class T>
inline void resolve(const Slot<T> &left, Slot<T> &s, const Slot<T> &right) {
    const auto without_ends = [&](const JoinEquation<T> &m) {
        return fnma(m.l0, left.x_m, fnma(m.l1, left.x_m1, fnma(m.r0, right.x_m, fnma(m.r1, right.x_m1, m.g))));
    };
    s.x_m1 = without_ends(s.second) * s.inverse_v;
    s.x_m = fnma(s.first.v, s.x_m1, without_ends(s.first)) * s.inverse_u;
}

// The same between all chunks
template <class T>
inline void resolve_all(Slot<T> *slots, int64_t chunks) {
    for_each_join_back(
        chunks, [&](int64_t first, int64_t middle, int64_t end) { resolve(slots[first], slots[middle], slots[end]); });
}

// How a system of n rows is cut. Rounding errors accumulate over the rows of a chunk, up to one eps a row, and hardly
// over the levels of a tree.
inline Cut cut_rows(const Context &context, int64_t n) {
    constexpr int64_t most_rows = 20;
    Cut cut = {};
    cut.chunk_rows = std::min(n, context.run_rows > 0 ? int64_t(context.run_rows) : most_rows);
    cut.chunks = n / cut.chunk_rows;  // the last chunk includes a remainder of one row, since a chunk needs two
    cut.chunks += n - cut.chunks * cut.chunk_rows > 1;
    cut.last_rows = n - (cut.chunks - 1) * cut.chunk_rows;
    return cut;
}

// Largest number of lanes of a group
template <class T>
int64_t widest_group(const Cut &cut, xbatchLayout_t layout, int64_t batch) {
    constexpr int64_t lanes = gathered_lanes<T>;
    // a lane group's rows are read twice, so they and the pivot rows should fit in the cache
    constexpr int64_t cache_elements = (int64_t(4) << 20) / int64_t(sizeof(T));
    const int64_t rows = std::max(cut.chunk_rows, cut.last_rows);
    const int64_t widest = layout == XBATCH_LAYOUT_FLAT ? lanes : std::clamp<int64_t>(batch, lanes, max_lanes<T>);
    return std::min(widest, std::max(cache_elements / rows / simd_lanes<T> * simd_lanes<T>, lanes));
}

// How systems are cut into chunks, and the workspace for it
template <class T>
struct ChunkPlan {
    Cut cut;
    int64_t widest;  // largest number of lanes of a group
    int64_t threads;
    Slot<Joined<T>> *slots;  // [group][chunks + 1]
    T *scratch;
    int64_t scratch_of_array, scratch_of_thread;
    size_t bytes;

    ChunkPlan(const Context &context, const GtsvProblem &p, void *workspace)
        : cut(cut_rows(context, p.n)), widest(widest_group<T>(cut, p.layout, p.batch)) {
        constexpr int64_t lanes = gathered_lanes<T>;
        // enough chunks for many threads, and whole lane groups where systems are adjacent
        cut.group = std::max(64 * lanes / cut.chunks, p.layout == XBATCH_LAYOUT_FLAT ? 1 : widest);
        cut.group = std::min(cut.group, p.batch);
        threads = std::min(int64_t(thread_count(context)), most_tiles<T>(p, cut, widest));
        scratch_of_array = (std::max(cut.chunk_rows, cut.last_rows) * widest + 63) / 64 * 64;
        scratch_of_thread = 3 * scratch_of_array;
        Carver carver(workspace);
        slots = carver.take<Slot<Joined<T>>>(cut.group * (cut.chunks + 1));
        scratch = carver.take<T>(threads * scratch_of_thread);
        bytes = carver.bytes();
    }
};

}  // namespace xbatch::tridiagonal
