// gt.hpp: LAPACK's LU factors of one tridiagonal matrix, and solves with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::lapack {

enum class Transpose { none, transposed, adjoint };

// d, du and du2 the pivots and the two diagonals above them of U, dl the multipliers, ipiv the 1-based pivot rows
template <class T, class Int>
struct LuFactors {
    int64_t n;
    const T *dl, *d, *du, *du2;
    const Int *ipiv;
};

// Factors in place; returns how many rows were eliminated in lanes.
template <class T, class Int>
int64_t gt_factor(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv);

// Solves op(A) X = B in place, where B has nrhs columns.
template <class T, class Int>
void gt_solve(Transpose op, const LuFactors<T, Int> &factors, T *b, int64_t ldb = 0, int64_t nrhs = 1);

// Factors and solves A X = B with du2 in place of dl, whose last element stays. Returns the first zero pivot, counted
// from 1, or 0. As in LAPACK's gtsv elimination ends at that pivot, in B too, and later rows stay as they were. n is 1
// or more.
template <class T>
int64_t gt_factor_and_solve(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb);

// The first zero on the diagonal, counted from 1, or 0
template <class T>
int64_t first_zero(int64_t n, const T *d);

}  // namespace xbatch::lapack
