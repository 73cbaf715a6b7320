// ldl_lanes_host.hpp: stored factors of positive definite matrices on the host, and operations on a lane group.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/factored/factor_lanes_host.hpp"

namespace xbatch::tridiagonal {

// A = L D L^H, lanes of one panel: l_i = L(i+1, i) = e_i / D_i, l_{n-1} = 0, inverse_i = 1 / D_i. Element (i, k) is at
// [i*pitch + k], or at [i*pitch] if `shared`.
template <class T>
struct LdlTile {
    int64_t rows, pitch;
    bool shared;
    T *l;
    Real<T> *inverse;
};

// The matrices of a lane group
template <class T>
struct LdlCoefficients {
    const Real<T> *d;
    const T *e;
    Lanes<Real<T>> d_lanes;
    Lanes<T> e_lanes;
};

template <class T>
LdlCoefficients<T> ldl_coefficients(const void *d, const void *e, const Placement &at, int64_t j, int lanes) {
    return {static_cast<const Real<T> *>(d), static_cast<const T *>(e), system_lanes<Real<T>>(at, j, lanes, 0),
            system_lanes<T>(at, j, lanes, 0)};
}

// first_bad[k] is the first row (1-based) of lane k whose pivot is not positive, not finite or without an inverse.
template <class T>
void factor_ldl(const LdlCoefficients<T> &a, const LdlTile<T> &tile, RowNumber<T> *first_bad);

// Solves in place; y is a scratch [rows][lanes] where the lanes of b are not adjacent.
template <class T>
void solve_ldl(const LdlTile<T> &tile, T *b, const Lanes<T> &lanes, T *y);

}  // namespace xbatch::tridiagonal
