// interface_host.hpp: the arithmetic that the pivoted solvers of the host share, and the partition method's entry.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "coefficients_host.hpp"
#include "tridiagonal/nopivot/elimination_lanes_host.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Both without branches
template <class R>
inline R select(bool first, R a, R b) {
    return first ? a : b;
}
template <class R>
inline Complex<R> select(bool first, Complex<R> a, Complex<R> b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}
template <class R>
inline R lane_size(R a) {
    return magnitude(a);
}
template <class R>
inline R lane_size(Complex<R> a) {
    const R x = magnitude(a.re), y = magnitude(a.im);
    return x > y ? x : y;
}

template <class R>
inline R times_real(R a, R s) {
    return a * s;
}
template <class R>
inline Complex<R> times_real(Complex<R> a, R s) {
    return {a.re * s, a.im * s};
}

// The power of two that makes a row's largest coefficient about 1, 2^-exponent. Scaling by it is exact. Pivots can then
// be compared, whatever the rows' units, and products of two coefficients do not overflow.
template <class T>
inline Real<T> row_scale(T dl, T d, T du, Exponent<Real<T>> &exponent) {
    // d last: NaN in dl or du does not spoil the scale, so that the first bad pivot is that of the row it reaches
    const Real<T> x = lane_size(dl), y = lane_size(du), z = lane_size(d), xy = x > y ? x : y, size = xy > z ? xy : z;
    return normaliser(size, exponent);
}
template <class T>
inline void equilibrate(T &dl, T &d, T &du, T &b) {
    Exponent<Real<T>> exponent;
    const Real<T> s = row_scale(dl, d, du, exponent);
    dl = times_real(dl, s), d = times_real(d, s), du = times_real(du, s), b = times_real(b, s);
}

// The pivot rows: x_i = y_i - first_i x_{i+1} - second_i x_{i+2}; y_i is stored in place of the unknowns
template <class T>
struct PivotRows {
    T *first, *second;  // [rows][lanes]
};

// Rows 0 … rows-1 of each lane form a system: the first dl and the last du are not used.
template <class T>
struct PivotedTile {
    int64_t rows;
    const T *dl, *d, *du;
    Lanes<T> a_lanes;
    LaneShifts<T> shifts;
    PivotRows<T> pivots;  // scratch
    T *y;                 // scratch [rows][lanes] for right-hand sides whose lanes are not adjacent
};

// Gaussian elimination with pivoting of every lane, in gtsv_host.cpp; first_bad[l] is the first row (1-based) whose
// pivot is zero or not finite, no_row if there is none.
void solve_pivoted(const PivotedTile<float> &tile, float *b, const Lanes<float> &b_lanes, RowNumber<float> *first_bad);
void solve_pivoted(const PivotedTile<double> &tile, double *b, const Lanes<double> &b_lanes,
                   RowNumber<double> *first_bad);
void solve_pivoted(const PivotedTile<Complex<float>> &tile, Complex<float> *b, const Lanes<Complex<float>> &b_lanes,
                   RowNumber<Complex<float>> *first_bad);
void solve_pivoted(const PivotedTile<Complex<double>> &tile, Complex<double> *b, const Lanes<Complex<double>> &b_lanes,
                   RowNumber<Complex<double>> *first_bad);

template <class T>
inline void back_substitute_row(int lanes, const T *first, const T *second, const T *x_1, const T *x_2, T *x) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) x[l] = fnma(first[l], x_1[l], fnma(second[l], x_2[l], x[l]));
}

// Computes rows begin … end-1 of the unknowns from those of row `end`, x_1, and of the row after it, x_2; then stores
// all rows.
template <class T>
inline void back_substitute(const PivotRows<T> &pivots, const Unknowns<T> &unknowns, int lanes, int64_t rows,
                            int64_t begin, int64_t end, const T *x_1, const T *x_2) {
    const int64_t block = stage_rows<T>(lanes);
    for (int64_t last = rows; last > 0;) {
        const int64_t first = (last - 1) / block * block;
        for (int64_t i = std::min(last, end); i-- > std::max(first, begin);) {
            T *x = unknowns.row(i);
            back_substitute_row(lanes, pivots.first + i * lanes, pivots.second + i * lanes, x_1, x_2, x);
            x_2 = x_1, x_1 = x;
        }
        unknowns.store(first, last - first);
        last = first;
    }
}

// The shifts of systems j, j+1, …
template <class T>
LaneShifts<T> shifts_from(const GtsvProblem &p, int64_t j) {
    const T *sigma = static_cast<const T *>(p.shift.sigma);
    return {static_cast<const T *>(p.shift.w), sigma ? sigma + j : nullptr, p.shift.pins_zero};
}

// Open or periodic systems by the interface equations of chunks, in interface_host.cpp
enum class Boundary { open, periodic };
template <class T>
xbatchStatus_t interface_host(Context &context, const GtsvProblem &problem, Boundary boundary, void *workspace);
template <class T>
size_t interface_host_workspace(const Context &context, const GtsvProblem &problem);

// The same with `sets` matrices that are eliminated once, for lanes that are right-hand sides, in
// interface_once_host.cpp
template <class T>
void interface_once(Context &context, const GtsvProblem &problem, Boundary boundary, int64_t sets, void *workspace);
template <class T>
size_t interface_once_bytes(const Context &context, const GtsvProblem &problem, int64_t sets);

}  // namespace xbatch::tridiagonal
