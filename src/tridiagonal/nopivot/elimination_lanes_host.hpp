// elimination_lanes_host.hpp: Gaussian elimination without interchanges of many systems, or chunks of systems, in SIMD
// lanes.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <utility>

#include "core/lanes_host.hpp"
#include "core/workspace.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

template <class T>
constexpr RowNumber<T> no_row = std::numeric_limits<RowNumber<T>>::max();

// The number of row i; rows beyond the type's range share the largest number
template <class T>
RowNumber<T> number_of_row(int64_t i) {
    return RowNumber<T>(std::min<int64_t>(i + 1, no_row<T> - 1));
}

// The value for info: 0 for none
template <class T>
int32_t info_of(RowNumber<T> first_bad) {
    return first_bad == no_row<T> ? 0 : int32_t(std::min<int64_t>(first_bad, INT32_MAX));
}

// The matrices of a lane group: rows 0 … rows-1 of each lane. The first dl and the last du are not used.
template <class T>
struct Coefficients {
    int64_t rows;
    const T *dl, *d, *du;
    Lanes<T> lanes;
};

template <class T>
Coefficients<T> coefficients_of(const GtsvProblem &p, int64_t j, int lanes) {
    return {p.n, static_cast<const T *>(p.dl), static_cast<const T *>(p.d), static_cast<const T *>(p.du),
            system_lanes<T>(p.a_at, j, lanes, 0)};
}

// Eliminates and solves for one right-hand side. c, the quotients du_i / pivot_i, and y, for right-hand sides whose
// lanes are not adjacent, are scratch [rows][lanes]. first_bad[l] is the first row (1-based) of lane l whose pivot is
// zero or not finite, no_row if there is none.
template <class T>
void solve_thomas(const Coefficients<T> &a, T *b, const Lanes<T> &b_lanes, T *c, T *y, RowNumber<T> *first_bad);

// Without a branch, for SIMD loops
template <class R>
inline R larger(R a, R b) {
    return a > b ? a : b;
}

// The rows before the first and after the last one
template <class T>
constexpr T zeros[max_lanes<T>] = {};

// The right-hand sides of a lane group: in B if the lanes are adjacent there, in the scratch otherwise.
template <class T>
class Unknowns : public Strip<T> {
    using Strip<T>::data_, Strip<T>::lanes_, Strip<T>::rows_, Strip<T>::adjacent_;

public:
    Unknowns(T *b, const Lanes<T> &lanes, T *scratch, int64_t rows)
        : Strip<T>(b, lanes, rows), all_(adjacent_ ? this->in_place(0) : Rows<T>{scratch, lanes.count}) {}

    T *row(int64_t i) const { return all_.row(i); }
    // Loads rows i … i+rows-1 of the right-hand side
    Rows<T> fetch(int64_t i, int64_t rows) const {
        if (!adjacent_) gather(data_, lanes_, i, rows, std::min(rows, rows_ - i - rows), {row(i), all_.pitch});
        return {row(i), all_.pitch};
    }
    void store(int64_t i, int64_t rows) const {
        if (!adjacent_) scatter({row(i), all_.pitch}, data_, lanes_, i, rows);
    }

private:
    Rows<T> all_;
};

// Several right-hand sides of a lane group, so that its factors are read once for all of them. They are `apart` in B,
// and contiguous in the scratch.
template <class T, size_t sides>
using Sides = std::array<Unknowns<T>, sides>;
constexpr int64_t most_sides = 4;

template <class T, size_t... S>
inline Sides<T, sizeof...(S)> sides_of(T *b, int64_t apart, const Lanes<T> &lanes, T *scratch, int64_t rows,
                                       std::index_sequence<S...>) {
    return {Unknowns<T>(b + int64_t(S) * apart, lanes, scratch + int64_t(S) * rows * lanes.count, rows)...};
}
// Row i of each
template <class T, size_t sides>
inline std::array<T *, sides> rows_of(const Sides<T, sides> &b, int64_t i) {
    std::array<T *, sides> rows;
    for (size_t s = 0; s < sides; ++s) rows[s] = b[s].row(i);
    return rows;
}

// f(i) for all rows of the right-hand sides, each loaded before
template <class T, size_t sides, class F>
inline void for_rows(const Sides<T, sides> &b, int lanes, int64_t rows, F f) {
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t begin = 0; begin < rows; begin += block) {
        const int64_t end = std::min(begin + block, rows);
        for (const Unknowns<T> &side : b) side.fetch(begin, end - begin);
        for (int64_t i = begin; i < end; ++i) {
            for (const Unknowns<T> &side : b) side.prefetch_from(i);
            f(i);
        }
    }
}
// f(i) for all rows from the last to the first, each stored after
template <class T, size_t sides, class F>
inline void for_rows_back(const Sides<T, sides> &b, int lanes, int64_t rows, F f) {
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t end = rows; end > 0;) {
        const int64_t begin = (end - 1) / block * block;
        for (int64_t i = end; i-- > begin;) f(i);
        for (const Unknowns<T> &side : b) side.store(begin, end - begin);
        end = begin;
    }
}

template <class T, class F>
inline void for_rows(const Unknowns<T> &b, int lanes, int64_t rows, F f) {
    for_rows(Sides<T, 1>{b}, lanes, rows, f);
}
template <class T, class F>
inline void for_rows_back(const Unknowns<T> &b, int lanes, int64_t rows, F f) {
    for_rows_back(Sides<T, 1>{b}, lanes, rows, f);
}

// Whether the next row becomes the pivot row, by the sizes of its coefficient and of that of the held row. `waited` is
// the sum of the multipliers of the held row since it was read: it gathers a rounding error with each row that becomes
// pivot before it, and where all rows are alike, partial pivoting would hold one through the whole system. So the next
// row's coefficient must be more than twice as large, and more than `waited` times: the multiplier by which the held
// row leaves is then no larger than what it has gathered.
template <class R>
inline bool is_pivot_next(R next, R held, R waited) {
    return larger(R(2), waited) * held < next;
}

// The smaller of the first bad row so far and this row, if its pivot is bad; for scaled rows
template <class T>
inline RowNumber<T> note_pivot(RowNumber<T> first_bad, RowNumber<T> number, T pivot, T inverse) {
    const RowNumber<T> noted = is_good_pivot(pivot, inverse) ? no_row<T> : number;
    return noted < first_bad ? noted : first_bad;
}
// The same for unscaled rows
template <class T>
inline RowNumber<T> note_unscaled_pivot(RowNumber<T> first_bad, RowNumber<T> number, T pivot, T inverse) {
    const RowNumber<T> noted = lane_has_reciprocal(pivot, inverse) ? no_row<T> : number;
    return noted < first_bad ? noted : first_bad;
}

// The same for an unknown that is not finite, with the number after the last row: any bad pivot comes first.
template <class T>
inline RowNumber<T> note_finite(RowNumber<T> first_bad, RowNumber<T> number_after_last, T x) {
    const RowNumber<T> noted = is_finite(x) ? no_row<T> : number_after_last;
    return noted < first_bad ? noted : first_bad;
}

// The same for all unknowns of the lanes in B, after substitution from the last row to row 0. x_i includes a product
// with x_{i+1}, which is not finite where x_{i+1} is not, even by 0; so it suffices to test x_0.
template <class T>
inline void note_solved(const T *b, const Lanes<T> &lanes, int64_t rows, RowNumber<T> *first_bad) {
    for (int l = 0; l < lanes.count; ++l)
        first_bad[l] = note_finite(first_bad[l], number_of_row<T>(rows), b[lanes.at[l]]);
}

}  // namespace xbatch::tridiagonal
