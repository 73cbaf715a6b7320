// lu_lanes_host.hpp: LU factors of many matrices in SIMD lanes, and solves with them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface_host.hpp"

namespace xbatch::tridiagonal {

// P S A = L U. Elimination holds one row with entries p_i, q_i in columns i, i+1, and adds row i+1 of S A, with entries
// a, b, c in columns i, i+1, i+2. The added row becomes pivot row i of U if a is so much larger than p_i as
// is_pivot_next says, otherwise the held one. The other minus l_{i+1} times it is held next. inverse_i = 1 / U(i, i),
// and first_i and second_i are U(i, i+1) and U(i, i+2) times it; l_0 = 0. words_i is 2 e + w: row i of A was scaled by
// 2^-e, and w = 1 if it was the pivot row of column i-1.
//
// Element (i, k) of each array is that of lane k at [i*pitch + k], or of every lane at [i*pitch] if `shared`.
template <class T>
struct LuTile {
    int64_t rows, pitch;
    bool shared;
    T *l, *inverse, *first, *second;
    int16_t *words;

    // The factors from lane k on; if `is_shared`, only of that lane, for all lanes of a group
    LuTile from_lane(int64_t k, bool is_shared) const {
        return {rows, pitch, is_shared, l + k, inverse + k, first + k, second + k, words + k};
    }
};

// The first rows (1-based) of each lane whose pivots are bad, and whose pivots are not finite
template <class T>
struct BadPivots {
    alignas(64) RowNumber<T> first_bad[max_lanes<T>], first_infinite[max_lanes<T>];
};

// Norms of the matrices of each lane
template <class T>
struct Norms {
    alignas(64) Real<T> one[max_lanes<T>], inf[max_lanes<T>];
};

// Far from overflow and underflow
inline float modulus(float a) { return std::fabs(a); }
inline double modulus(double a) { return std::fabs(a); }
template <class R>
inline R modulus(Complex<R> a) {
    return std::sqrt(a.re * a.re + a.im * a.im);
}

// `norms` may be NULL.
template <class T>
void factor_lu(const Coefficients<T> &a, const LuTile<T> &tile, BadPivots<T> &bad, Norms<T> *norms);

// Solves op(A) x = b in place for `sides` right-hand sides, which are `apart` in B, at most most_sides; y is a scratch
// [sides][rows][lanes] where the lanes of b are not adjacent.
template <class T>
void solve_lu(const LuTile<T> &tile, xbatchOperation_t op, T *b, const Lanes<T> &lanes, T *y, int64_t sides = 1,
              int64_t apart = 0);

}  // namespace xbatch::tridiagonal
