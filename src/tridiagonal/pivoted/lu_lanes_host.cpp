// lu_lanes_host.cpp: Gaussian elimination with pivoting of many matrices in SIMD lanes, and substitution.
// SPDX-License-Identifier: BSD-3-Clause
#include "lu_lanes_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// Without branches: 2^e for a normal exponent; the larger part, as magnitude(): NaN in either part is the larger one
template <class R>
inline R power(Exponent<R> e) {
    using B = typename BitsOf<R>::type;
    return real_of(typename B::Word(typename B::Word(e + B::bias) << B::mantissa));
}
inline float larger_part(float a) { return std::fabs(a); }
inline double larger_part(double a) { return std::fabs(a); }
template <class R>
inline R larger_part(Complex<R> a) {
    const R x = std::fabs(a.re), y = std::fabs(a.im);
    return bool(int(x > y) | int(x != x)) ? x : y;
}

// In a loop over 16-bit words and reals the compiler fills its vectors with words, four times as many lanes as doubles:
// a group of fewer lanes would be left to its remainder loops, which use short vectors. For such groups words are
// converted before to integers as wide as a real, or from these.
template <class T>
constexpr bool are_few(int lanes) {
    return lanes < 2 * gathered_lanes<T>;
}
template <class Wide>
constexpr int lanes_at_once = 64 / int(sizeof(Wide));
template <class Wide>
using WideVector __attribute__((vector_size(64), aligned(sizeof(Wide)), may_alias)) = Wide;
template <class Wide>
using WordVector __attribute__((vector_size(2 * lanes_at_once<Wide>), aligned(2), may_alias)) = int16_t;

template <class Wide>
inline void widen(int lanes, const int16_t *words, Wide *wide) {
    int k = 0;
    for (; k + lanes_at_once<Wide> <= lanes; k += lanes_at_once<Wide>)
        *reinterpret_cast<WideVector<Wide> *>(wide + k) =
            __builtin_convertvector(*reinterpret_cast<const WordVector<Wide> *>(words + k), WideVector<Wide>);
    for (; k < lanes; ++k) wide[k] = words[k];
}
template <class Wide>
inline void narrow(int lanes, const Wide *wide, int16_t *words) {
    int k = 0;
    for (; k + lanes_at_once<Wide> <= lanes; k += lanes_at_once<Wide>)
        *reinterpret_cast<WordVector<Wide> *>(words + k) =
            __builtin_convertvector(*reinterpret_cast<const WideVector<Wide> *>(wide + k), WordVector<Wide>);
    for (; k < lanes; ++k) words[k] = int16_t(wide[k]);
}

// One row of all lanes, scaled by 2^-exponent
template <class T>
struct ScaledRow {
    alignas(64) T dl[max_lanes<T>], d[max_lanes<T>], du[max_lanes<T>];
    alignas(64) Exponent<Real<T>> exponent[max_lanes<T>];
};

// Sums of moduli of the rows read so far: of the last row's column, and of the next one
template <class T>
struct ColumnSums {
    alignas(64) Real<T> column[max_lanes<T>], beyond[max_lanes<T>];
};

// p_i and q_i
template <class T>
struct Held {
    alignas(64) T p[max_lanes<T>], q[max_lanes<T>];
    alignas(64) Real<T> waited[max_lanes<T>];
};

// One lane of one row (operands one by one: lanes_host.hpp)
template <class T>
inline void scale(const T &dl, const T &d, const T &du, T &a, T &b, T &c, Exponent<Real<T>> &exponent) {
    const Real<T> s = row_scale(dl, d, du, exponent);
    a = times_real(dl, s), b = times_real(d, s), c = times_real(du, s);
}

template <class T>
inline void add_to_norms(const T &a, const T &b, const T &c, Exponent<Real<T>> exponent, Real<T> &one, Real<T> &inf,
                         Real<T> &column, Real<T> &beyond) {
    using R = Real<T>;
    const R back = power<R>(exponent), left = modulus(a) * back, middle = modulus(b) * back, right = modulus(c) * back;
    inf = larger(left + middle + right, inf);
    one = larger(column + left, one);
    column = beyond + middle;
    beyond = right;
}

template <class T>
inline void invert(const T &pivot, T &inverse, RowNumber<T> number, RowNumber<T> &first_bad,
                   RowNumber<T> &first_infinite) {
    inverse = lane_reciprocal(pivot);  // no copy of a complex number: it would not be vectorised
    first_bad = note_pivot(first_bad, number, pivot, inverse);
    const RowNumber<T> infinite = larger_part(pivot) <= std::numeric_limits<Real<T>>::max() ? no_row<T> : number;
    first_infinite = infinite < first_infinite ? infinite : first_infinite;
}

template <class T, class Word>
inline void eliminate(const T &a, const T &b, const T &c, Exponent<Real<T>> exponent, T &p, T &q, Real<T> &waited,
                      RowNumber<T> number, RowNumber<T> &first_bad, RowNumber<T> &first_infinite, T &l, Word &word,
                      T &inverse, T &first, T &second) {
    const bool taken = is_pivot_next(larger_part(a), larger_part(p), waited);
    const T pivot = select(taken, a, p), above = select(taken, b, q), below = select(taken, q, b);
    invert(pivot, inverse, number, first_bad, first_infinite);
    l = select(taken, p, a) * inverse;
    waited = taken ? waited + larger_part(l) : Real<T>(0);
    first = above * inverse, second = select(taken, c, T(0)) * inverse;
    p = fnma(l, above, below);
    q = select(taken, -(l * c), c);
    word = Word(2 * exponent + taken);
}

template <class T>
inline void scale_row(int lanes, const T *dl, const T *d, const T *du, ScaledRow<T> &row) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k) scale(dl[k], d[k], du[k], row.dl[k], row.d[k], row.du[k], row.exponent[k]);
}
template <class T>
inline void add_row_to_norms(int lanes, const ScaledRow<T> &row, ColumnSums<T> &sums, Norms<T> &norms) {
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        add_to_norms(row.dl[k], row.d[k], row.du[k], row.exponent[k], norms.one[k], norms.inf[k], sums.column[k],
                     sums.beyond[k]);
}

// Row 0 of A is the first held row …
template <class T>
inline void hold_row(int lanes, const ScaledRow<T> &row, Held<T> &held, BadPivots<T> &bad, const LuTile<T> &tile) {
    for (int k = 0; k < lanes; ++k) {
        held.p[k] = row.d[k], held.q[k] = row.du[k], held.waited[k] = Real<T>(0);
        bad.first_bad[k] = bad.first_infinite[k] = no_row<T>;
        tile.l[k] = T(0), tile.words[k] = int16_t(2 * row.exponent[k]);
    }
}

// … and every later row i takes part in the elimination of column i-1, which gives row i-1 of U.
template <class T>
inline void eliminate_row(int lanes, const ScaledRow<T> &row, Held<T> &held, BadPivots<T> &bad, const LuTile<T> &tile,
                          int64_t i) {
    const int64_t at = i * tile.pitch, before = at - tile.pitch;
    const RowNumber<T> number = number_of_row<T>(i - 1);
    T *l = tile.l + at, *inverse = tile.inverse + before, *first = tile.first + before, *second = tile.second + before;
    const auto eliminate_lanes = [&](auto *words) {
#pragma omp simd
        for (int k = 0; k < lanes; ++k)
            eliminate(row.dl[k], row.d[k], row.du[k], row.exponent[k], held.p[k], held.q[k], held.waited[k], number,
                      bad.first_bad[k], bad.first_infinite[k], l[k], words[k], inverse[k], first[k], second[k]);
    };
    if (!are_few<T>(lanes)) return eliminate_lanes(tile.words + at);
    alignas(64) Exponent<Real<T>> words[2 * gathered_lanes<T>];
    eliminate_lanes(words);
    narrow(lanes, words, tile.words + at);
}

// The last row of U
template <class T>
inline void finish_row(int lanes, const Held<T> &held, BadPivots<T> &bad, const LuTile<T> &tile) {
    const int64_t last = (tile.rows - 1) * tile.pitch;
    const RowNumber<T> number = number_of_row<T>(tile.rows - 1);
    for (int k = 0; k < lanes; ++k) {
        invert(held.p[k], tile.inverse[last + k], number, bad.first_bad[k], bad.first_infinite[k]);
        tile.first[last + k] = tile.second[last + k] = T(0);
    }
}

template <class T>
XBATCH_SIMD_CLONES void factor(const Coefficients<T> &a, const LuTile<T> &tile, BadPivots<T> &bad, Norms<T> *norms) {
    const int lanes = a.lanes.count;
    Input<T> dl(a.dl, a.lanes, a.rows), d(a.d, a.lanes, a.rows), du(a.du, a.lanes, a.rows);
    ScaledRow<T> row;
    Held<T> held;
    ColumnSums<T> sums;
    for (int k = 0; norms && k < lanes; ++k) norms->one[k] = norms->inf[k] = sums.column[k] = sums.beyond[k] = 0;
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < a.rows; begin += block) {
        const int64_t rows = std::min(a.rows - begin, block);
        const Rows<const T> below = dl.fetch(begin, rows), on = d.fetch(begin, rows), above = du.fetch(begin, rows);
        for (int64_t m = 0; m < rows; ++m) {
            const int64_t i = begin + m;
            dl.prefetch_from(i), d.prefetch_from(i), du.prefetch_from(i);
            scale_row(lanes, i == 0 ? zeros<T> : below.row(m), on.row(m), i + 1 == a.rows ? zeros<T> : above.row(m),
                      row);
            if (norms) add_row_to_norms(lanes, row, sums, *norms);
            if (i == 0)
                hold_row(lanes, row, held, bad, tile);
            else
                eliminate_row(lanes, row, held, bad, tile, i);
        }
    }
    finish_row(lanes, held, bad, tile);
    for (int k = 0; norms && k < lanes; ++k) norms->one[k] = larger(sums.column[k], norms->one[k]);
}

// The scale factor of row i of A
template <class R>
inline R scale_of(Exponent<R> word) {
    return power<R>(-(word >> 1));
}

// The conjugate if sign is -1: A^H x = b is A^T conj(x) = conj(b).
inline float conjugated(float a, float) { return a; }
inline double conjugated(double a, double) { return a; }
template <class R>
inline Complex<R> conjugated(Complex<R> a, R sign) {
    return {a.re, a.im * sign};
}

// One lane of row i of y = U_diagonal^-1 L^-1 P S b: of row i of S b and the held row, one is the pivot row, y_{i-1} is
// it times inverse_{i-1}, and the other minus l_i times it is held.
template <class T>
inline void forward(const T &l, Exponent<Real<T>> word, const T &inverse, const T &b, T &held, T &y) {
    const T next = times_real(b, scale_of<Real<T>>(word));
    const bool taken = word & 1;
    const T pivot = select(taken, next, held), other = select(taken, held, next);
    y = pivot * inverse;
    held = fnma(l, pivot, other);
}

// U^T y = b: `next` and `second` are the products of previous rows to be subtracted from the next two rows.
template <class T>
inline void forward_transposed(const T &inverse, const T &u, const T &u2, Real<T> sign, T &next, T &second, T &y) {
    const T rest = conjugated(y, sign) - next;
    y = rest * inverse;
    next = fma_(u, rest, second);
    second = u2 * rest;
}

// L^T P z = y, x = S z: y_{i-1} -= l_i times the held value, then the two are exchanged if the rows of A were.
template <class T>
inline void backward_transposed(const T &l, Exponent<Real<T>> word, Real<T> sign, const T &before, T &held, T &x) {
    const T rest = fnma(l, held, before);
    const bool taken = word & 1;
    x = conjugated(times_real(select(taken, rest, held), scale_of<Real<T>>(word)), sign);
    held = select(taken, held, rest);
}

// Whose factors the lanes of a group have: those of lane 0, or their own; few lanes, see above, have wide words.
enum class Of { first, few, many };

// The words of a row
template <Of of, class T>
struct RowWords {
    alignas(64) Exponent<Real<T>> wide[2 * gathered_lanes<T>];
    RowWords(int lanes, const int16_t *words) { widen(lanes, words, wide); }
    const Exponent<Real<T>> *all() const { return wide; }
};
template <class T>
struct RowWords<Of::many, T> {
    const int16_t *words;
    RowWords(int, const int16_t *of_row) : words(of_row) {}
    const int16_t *all() const { return words; }
};
template <class T>
struct RowWords<Of::first, T> : RowWords<Of::many, T> {
    using RowWords<Of::many, T>::RowWords;
};

// Rows of all lanes and right-hand sides. What is held for a side: [side][lane]
template <class T, size_t sides>
using HeldOf = T[sides][max_lanes<T>];
template <class T, size_t sides>
using RowsOf = std::array<T *, sides>;

template <Of of, class T, size_t... S>
inline void forward_row(int lanes, const LuTile<T> &tile, int64_t i, const RowsOf<T, sizeof...(S)> &b,
                        HeldOf<T, sizeof...(S)> &held, const RowsOf<T, sizeof...(S)> &y, std::index_sequence<S...>) {
    const int64_t at = i * tile.pitch;
    const T *l = tile.l + at, *inverse = tile.inverse + at - tile.pitch;
    const RowWords<of, T> row_words(lanes, tile.words + at);
    const auto *words = row_words.all();
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        (forward(l[of == Of::first ? 0 : k], words[of == Of::first ? 0 : k], inverse[of == Of::first ? 0 : k], b[S][k],
                 held[S][k], y[S][k]),
         ...);
}
template <class T, size_t sides>
inline void first_row(int lanes, const LuTile<T> &tile, const RowsOf<T, sides> &b, HeldOf<T, sides> &held) {
    for (size_t s = 0; s < sides; ++s)
        for (int k = 0; k < lanes; ++k)
            held[s][k] = times_real(b[s][k], scale_of<Real<T>>(tile.words[tile.shared ? 0 : k]));
}
template <Of of, class T, size_t sides>
inline void last_row(int lanes, const LuTile<T> &tile, const HeldOf<T, sides> &held, const RowsOf<T, sides> &y) {
    const T *inverse = tile.inverse + (tile.rows - 1) * tile.pitch;
    for (size_t s = 0; s < sides; ++s)
        for (int k = 0; k < lanes; ++k) y[s][k] = held[s][k] * inverse[of == Of::first ? 0 : k];
}
template <Of of, class T, size_t... S>
inline void backward_row(int lanes, const LuTile<T> &tile, int64_t i, const RowsOf<const T, sizeof...(S)> &x_1,
                         const RowsOf<const T, sizeof...(S)> &x_2, const RowsOf<T, sizeof...(S)> &x,
                         std::index_sequence<S...>) {
    const T *first = tile.first + i * tile.pitch, *second = tile.second + i * tile.pitch;
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        ((x[S][k] = fnma(first[of == Of::first ? 0 : k], x_1[S][k],
                         fnma(second[of == Of::first ? 0 : k], x_2[S][k], x[S][k]))),
         ...);
}
template <Of of, class T, size_t... S>
inline void forward_transposed_row(int lanes, const LuTile<T> &tile, int64_t i, Real<T> sign,
                                   HeldOf<T, sizeof...(S)> &next, HeldOf<T, sizeof...(S)> &second,
                                   const RowsOf<T, sizeof...(S)> &y, std::index_sequence<S...>) {
    const int64_t at = i * tile.pitch;
    const T *inverse = tile.inverse + at, *u = tile.first + at, *u2 = tile.second + at;
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        (forward_transposed(inverse[of == Of::first ? 0 : k], u[of == Of::first ? 0 : k], u2[of == Of::first ? 0 : k],
                            sign, next[S][k], second[S][k], y[S][k]),
         ...);
}
template <Of of, class T, size_t... S>
inline void backward_transposed_row(int lanes, const LuTile<T> &tile, int64_t i, Real<T> sign,
                                    const RowsOf<const T, sizeof...(S)> &before, HeldOf<T, sizeof...(S)> &held,
                                    const RowsOf<T, sizeof...(S)> &x, std::index_sequence<S...>) {
    const T *l = tile.l + i * tile.pitch;
    const RowWords<of, T> row_words(lanes, tile.words + i * tile.pitch);
    const auto *words = row_words.all();
#pragma omp simd
    for (int k = 0; k < lanes; ++k)
        (backward_transposed(l[of == Of::first ? 0 : k], words[of == Of::first ? 0 : k], sign, before[S][k], held[S][k],
                             x[S][k]),
         ...);
}

// The rows before the first and after the last one
template <class T, size_t sides>
inline RowsOf<const T, sides> rows_of_zeros() {
    RowsOf<const T, sides> rows;
    rows.fill(zeros<T>);
    return rows;
}
template <class T, size_t sides>
inline RowsOf<const T, sides> to_read(const RowsOf<T, sides> &rows) {
    RowsOf<const T, sides> same;
    std::copy(rows.begin(), rows.end(), same.begin());
    return same;
}

template <Of of, class T, size_t sides>
inline void solve_plain(const LuTile<T> &tile, int lanes, const Sides<T, sides> &b) {
    constexpr auto all = std::make_index_sequence<sides>();
    alignas(64) HeldOf<T, sides> held;
    for_rows(b, lanes, tile.rows, [&](int64_t i) {
        if (i == 0)
            first_row<T, sides>(lanes, tile, rows_of(b, 0), held);
        else
            forward_row<of, T>(lanes, tile, i, rows_of(b, i), held, rows_of(b, i - 1), all);
    });
    last_row<of, T, sides>(lanes, tile, held, rows_of(b, tile.rows - 1));
    RowsOf<const T, sides> x_1 = rows_of_zeros<T, sides>(), x_2 = x_1;
    for_rows_back(b, lanes, tile.rows, [&](int64_t i) {
        const RowsOf<T, sides> x = rows_of(b, i);
        backward_row<of, T>(lanes, tile, i, x_1, x_2, x, all);
        x_2 = x_1, x_1 = to_read<T, sides>(x);
    });
}

template <Of of, class T, size_t sides>
inline void solve_transposed(const LuTile<T> &tile, int lanes, Real<T> sign, const Sides<T, sides> &b) {
    constexpr auto all = std::make_index_sequence<sides>();
    alignas(64) HeldOf<T, sides> next, second;
    for (size_t s = 0; s < sides; ++s) std::fill_n(next[s], lanes, T(0)), std::fill_n(second[s], lanes, T(0));
    for_rows(b, lanes, tile.rows,
             [&](int64_t i) { forward_transposed_row<of, T>(lanes, tile, i, sign, next, second, rows_of(b, i), all); });
    HeldOf<T, sides> &held = next;
    for (size_t s = 0; s < sides; ++s) std::copy_n(b[s].row(tile.rows - 1), lanes, held[s]);
    for_rows_back(b, lanes, tile.rows, [&](int64_t i) {
        backward_transposed_row<of, T>(lanes, tile, i, sign,
                                       i == 0 ? rows_of_zeros<T, sides>() : to_read<T, sides>(rows_of(b, i - 1)), held,
                                       rows_of(b, i), all);
    });
}

template <Of of, class T, size_t sides>
inline void solve_sides(const LuTile<T> &tile, xbatchOperation_t op, int lanes, const Sides<T, sides> &b) {
    if (op == XBATCH_OP_N)
        solve_plain<of>(tile, lanes, b);
    else
        solve_transposed<of>(tile, lanes, Real<T>(op == XBATCH_OP_C ? -1 : 1), b);
}

template <class T>
XBATCH_SIMD_CLONES void solve_one(const LuTile<T> &tile, xbatchOperation_t op, T *data, const Lanes<T> &lanes, T *y) {
    const Sides<T, 1> b = sides_of(data, 0, lanes, y, tile.rows, std::index_sequence<0>());
    if (tile.shared)
        solve_sides<Of::first>(tile, op, lanes.count, b);
    else if (are_few<T>(lanes.count))
        solve_sides<Of::few>(tile, op, lanes.count, b);
    else
        solve_sides<Of::many>(tile, op, lanes.count, b);
}

// A full group of gathered lanes, the usual case: the number is known to the compiler.
template <class T>
XBATCH_SIMD_CLONES void solve_most(const LuTile<T> &tile, xbatchOperation_t op, T *data, int64_t apart,
                                   const Lanes<T> &lanes, T *y) {
    const auto b = sides_of(data, apart, lanes, y, tile.rows, std::make_index_sequence<most_sides>());
    solve_sides<Of::few>(tile, op, gathered_lanes<T>, b);
}

}  // namespace

template <class T>
void factor_lu(const Coefficients<T> &a, const LuTile<T> &tile, BadPivots<T> &bad, Norms<T> *norms) {
    factor(a, tile, bad, norms);
}
template <class T>
void solve_lu(const LuTile<T> &tile, xbatchOperation_t op, T *b, const Lanes<T> &lanes, T *y, int64_t sides,
              int64_t apart) {
    if (sides == most_sides && !tile.shared && lanes.count == gathered_lanes<T>) {
        solve_most(tile, op, b, apart, lanes, y);
    } else {
        for (int64_t s = 0; s < sides; ++s) solve_one(tile, op, b + s * apart, lanes, y);
    }
}
XBATCH_INSTANTIATE_TYPES(factor_lu);
XBATCH_INSTANTIATE_TYPES(solve_lu);

}  // namespace xbatch::tridiagonal
