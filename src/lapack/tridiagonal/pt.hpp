// pt.hpp: LAPACK's factors L D L^H of one positive definite tridiagonal matrix, and solves with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::lapack {

// Factors in place: d the pivots, e the multipliers. Returns the first pivot that is not positive, counted from 1, or
// 0. As in LAPACK elimination ends at that pivot, and later rows stay as they were.
template <class T>
int64_t pt_factor(int64_t n, Real<T> *d, T *e);

// Solves in place with A = L D L^H, where `upper` with A = U^H D U, whose multipliers stand above the diagonal; b has
// nrhs columns.
template <class T>
void pt_solve(bool upper, int64_t n, const Real<T> *d, const T *e, T *b, int64_t ldb = 0, int64_t nrhs = 1);

// The largest entry of M(L)^-H D^-1 M(L)^-1 (1 … 1), M the comparison matrix: the exact norm of the inverse. `work` has
// n entries.
template <class T>
Real<T> pt_inverse_norm(int64_t n, const Real<T> *d, const T *e, Real<T> *work);

}  // namespace xbatch::lapack
