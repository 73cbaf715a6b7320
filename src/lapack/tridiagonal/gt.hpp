// gt.hpp: LAPACK's LU factorisation of one tridiagonal matrix, and solves with its factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::lapack {

enum class Transpose { none, transposed, adjoint };

// d, du and du2 are the diagonals of U, dl the multipliers, ipiv the 1-based pivot rows.
template <class T, class Int>
struct LuFactors {
    using Element = T;
    using Op = Transpose;
    int64_t n;
    const T *dl, *d, *du, *du2;
    const Int *ipiv;

    // Solves op(A) X = B in place; B has nrhs columns.
    void solve(Transpose op, T *b, int64_t ldb = 0, int64_t nrhs = 1) const;
};

// Factors in place; returns the number of rows that were eliminated in SIMD lanes.
template <class T, class Int>
int64_t gt_factor(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv);

// Factors and solves A X = B, n > 0. du2 overwrites dl except for its last element. Returns the first zero pivot,
// counted from 1, or 0. Elimination of A and B ends at that pivot, as in LAPACK's gtsv; later rows remain unchanged.
template <class T>
int64_t gt_factor_and_solve(int64_t n, int64_t nrhs, T *dl, T *d, T *du, T *b, int64_t ldb);

// The first zero on the diagonal, counted from 1, or 0
template <class T>
int64_t first_zero(int64_t n, const T *d);

}  // namespace xbatch::lapack
