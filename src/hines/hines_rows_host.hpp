// hines_rows_host.hpp: rows of lanes of Hines systems on the host: where they lie, and copies to and from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes_host.hpp"
#include "hines.hpp"

namespace xbatch::hines {

// Systems first … first + systems - 1 of a group, in `lanes` lanes; surplus lanes repeat the last system.
template <class T>
Lanes<T> group_lanes(const GroupPlacement &at, const Group &group, int64_t first, int systems, int lanes, int64_t r) {
    Lanes<T> result;
    result.count = lanes, result.step = at.step();
    for (int l = 0; l < std::min(lanes, max_lanes<T>); ++l) {
        const int64_t k = first + std::min(l, systems - 1);
        result.at[l] = at.base(k, group.system(k), r);
    }
    return result;
}

// Copies rows i … i+rows-1 into rows of lanes, and prefetches the `ahead` rows after them. is_same: all lanes are one
// sequence.
template <class T>
inline void copy_rows(const T *data, const Lanes<T> &lanes, bool is_same, int64_t i, int64_t rows, int64_t ahead,
                      Rows<T> to) {
    if (!is_same || lanes.count == 1) return gather(data, lanes, i, rows, ahead, to);
    for (int64_t k = 0; k < rows; ++k) std::fill_n(to.row(k), lanes.count, data[lanes.at[0] + (i + k) * lanes.step]);
}

// Coefficients of a lane group from the last node to the first
template <class T>
class Coefficients {
public:
    Coefficients(const T *data, const Lanes<T> &lanes)
        : data_(data), lanes_(lanes), is_adjacent_(lanes.adjacent()), is_same_(lanes.same()) {}

    // Rows of nodes i … i+rows-1, at most stage_rows of them, valid until the next call
    Rows<const T> fetch(int64_t i, int64_t rows) {
        if (is_adjacent_) return {data_ + lanes_.at[0] + i * lanes_.step, lanes_.step};
        copy_rows(data_, lanes_, is_same_, i, rows, 0, {stage_, lanes_.count});
        return {stage_, lanes_.count};
    }

private:
    const T *data_;
    const Lanes<T> &lanes_;
    bool is_adjacent_, is_same_;
    alignas(64) T stage_[stage_bytes / sizeof(T)];
};

// has_reciprocal() without branches, and without the reciprocal
template <class R>
inline bool is_invertible(R pivot) {
    constexpr R least = std::numeric_limits<R>::min(), most = R(1) / least;
    const R size = magnitude(pivot);
    return (size >= least) & (size < most);
}
template <class R>
inline bool is_invertible(Complex<R> pivot) {
    return lane_has_reciprocal(pivot, pivot);
}

// The larger of the last bad row so far and this row, if its pivot is bad
template <class T>
inline RowNumber<T> note_pivot(RowNumber<T> last_bad, RowNumber<T> number, T pivot) {
    const RowNumber<T> noted = is_invertible(pivot) ? 0 : number;
    return noted > last_bad ? noted : last_bad;
}

template <class T>
inline void conjugate_rows(int64_t n, int lanes, const Rows<T> &rows) {
    if constexpr (!std::is_same_v<T, Real<T>>)
        for (int64_t i = 0; i < n; ++i) {
            T *row = rows.row(i);
#pragma omp simd
            for (int l = 0; l < lanes; ++l) row[l] = conjugate(row[l]);
        }
}

// Copies an array of a lane group, all rows, into rows of lanes
template <class T>
inline void load_rows(const T *data, const Lanes<T> &lanes, int64_t n, Rows<T> to) {
    const int64_t block = stage_rows<T>(lanes.count);
    const bool is_adjacent = lanes.count > 1 && lanes.adjacent(), is_same = lanes.same();
    for (int64_t i = 0; i < n; i += block) {
        const int64_t rows = std::min(n - i, block);
        if (is_adjacent)
            for (int64_t k = i; k < i + rows; ++k)
                std::copy_n(data + lanes.at[0] + k * lanes.step, lanes.count, to.row(k));
        else
            copy_rows(data, lanes, is_same, i, rows, std::min(rows, n - i - rows), {to.row(i), to.pitch});
    }
}

}  // namespace xbatch::hines
