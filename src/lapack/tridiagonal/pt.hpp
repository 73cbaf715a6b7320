// pt.hpp: LAPACK's factorisation L D L^H of one positive definite tridiagonal matrix, and solves with its factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::lapack {

// d are the pivots, e the multipliers.
template <class T>
struct LdlFactors {
    using Element = T;
    using Op = bool;  // false: A = L D L^H; true: A = U^H D U, with the multipliers above the diagonal
    int64_t n;
    const Real<T> *d;
    const T *e;

    // Solves A X = B in place; B has nrhs columns.
    void solve(bool is_upper, T *b, int64_t ldb = 0, int64_t nrhs = 1) const;
    // The largest entry of M(L)^-H D^-1 M(L)^-1 (1 … 1), where M is the comparison matrix: the exact norm of the
    // inverse. `work` has n entries.
    Real<T> inverse_norm(Real<T> *work) const;
};

// Factors in place. Returns the first pivot that is not positive, counted from 1, or 0. Elimination ends at that pivot,
// as in LAPACK; later rows remain unchanged.
template <class T>
int64_t pt_factor(int64_t n, Real<T> *d, T *e);

}  // namespace xbatch::lapack
