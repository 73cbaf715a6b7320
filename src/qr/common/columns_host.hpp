// columns_host.hpp: matrices in a thread's buffers, column by column.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/scalar.hpp"

namespace xbatch::qr {

template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <class T>
constexpr int parts = is_complex<T> ? 2 : 1;  // reals of an element

// Column j begins at at[j*ld]; for complex types the imaginary parts follow, im elements after the real ones.
template <class R>
struct Columns {
    R *at;
    int64_t ld, im;

    Columns from(int64_t row, int64_t column) const { return {at + column * ld + row, ld, im}; }
};

// Rows of a column from row 0 on that are zero after the last one, so that vectors may include them
constexpr int64_t spare_rows = 16;

// Columns of a buffer for `rows` rows; adjacent ones begin in different sets of the first-level cache.
template <class T>
int64_t column_reals(int64_t rows) {
    return ((rows + spare_rows + 15) / 16 | 1) * 16 * parts<T>;
}
template <class T>
Columns<Real<T>> columns_at(Real<T> *at, int64_t rows) {
    return {at, column_reals<T>(rows), column_reals<T>(rows) / parts<T>};
}
template <class T>
T get(const Columns<Real<T>> &c, int64_t row, int64_t column) {
    const Real<T> *x = c.at + column * c.ld + row;
    if constexpr (is_complex<T>)
        return T(x[0], x[c.im]);
    else
        return *x;
}
template <class T>
void put(const Columns<Real<T>> &c, int64_t row, int64_t column, T value) {
    Real<T> *x = c.at + column * c.ld + row;
    if constexpr (is_complex<T>)
        x[0] = value.re, x[c.im] = value.im;
    else
        *x = value;
}

// A matrix in the caller's memory: element (i, c) is at[i*row + c*column], or its conjugate.
template <class T>
struct Strided {
    T *at;
    int64_t row, column;
    bool conjugates = false;
};
// Loads rows 0 … rows-1 and zeroes the spare rows.
template <class T>
void load(const Strided<T> &from, int64_t rows, int64_t columns, const Columns<Real<T>> &to) {
    for (int64_t c = 0; c < columns; ++c) {
        const T *x = from.at + c * from.column;
        if (from.row == 1 && !from.conjugates)
            for (int64_t i = 0; i < rows; ++i) put<T>(to, i, c, x[i]);
        else
            for (int64_t i = 0; i < rows; ++i)
                put<T>(to, i, c, from.conjugates ? conjugate(x[i * from.row]) : x[i * from.row]);
        for (int p = 0; p < parts<T>; ++p) std::fill_n(to.at + c * to.ld + p * to.im + rows, spare_rows, Real<T>(0));
    }
}
template <class T>
void store(const Columns<Real<T>> &from, int64_t rows, int64_t columns, const Strided<T> &to) {
    for (int64_t c = 0; c < columns; ++c) {
        T *x = to.at + c * to.column;
        if (to.row == 1 && !to.conjugates)
            for (int64_t i = 0; i < rows; ++i) x[i] = get<T>(from, i, c);
        else
            for (int64_t i = 0; i < rows; ++i)
                x[i * to.row] = to.conjugates ? conjugate(get<T>(from, i, c)) : get<T>(from, i, c);
    }
}

// Rows [first, end) of a column of either, by parts, and one entry
template <class T>
void copy_rows(const Columns<Real<T>> &from, int64_t first, int64_t end, int64_t column, Real<T> *re, Real<T> *im) {
    const Real<T> *const x = from.at + column * from.ld + first;
    std::copy_n(x, end - first, re);
    if constexpr (is_complex<T>) std::copy_n(x + from.im, end - first, im);
}
template <class T>
void copy_rows(const Strided<T> &from, int64_t first, int64_t end, int64_t column, Real<T> *re, Real<T> *im) {
    const T *const x = from.at + first * from.row + column * from.column;
    const int64_t step = from.row;
    for (int64_t i = 0; i < end - first; ++i) {
        re[i] = real_part(x[i * step]);
        if constexpr (is_complex<T>) im[i] = from.conjugates ? -x[i * step].im : x[i * step].im;
    }
}
template <class T>
T entry(const Columns<Real<T>> &from, int64_t row, int64_t column) {
    return get<T>(from, row, column);
}
template <class T>
T entry(const Strided<T> &from, int64_t row, int64_t column) {
    const T x = from.at[row * from.row + column * from.column];
    return from.conjugates ? conjugate(x) : x;
}

}  // namespace xbatch::qr
