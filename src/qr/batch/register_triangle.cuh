// register_triangle.cuh: solves triangular systems with R of a register tile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register_tile.cuh"

namespace xbatch::qr {

template <class T, class K>
__device__ __forceinline__ int RegisterTile<T, K>::solve(int n, int own) {
    int wrong = 0;
    sync();
#pragma unroll 1
    for (int k = n - 1; k >= 0; --k) {
        const T *const x = broadcast(k, k);
        T g[C] = {};
        each_augmented(
            n, [&](int c) { each_row_to(k, x, [&](int i, T) { g[c] = chosen(row(i) == k, a_[c][i], g[c]); }); });
        sum_below<0>(g);
        const R diagonal = real_part(x[k]), inverse = R(1) / diagonal;
        if (k >= own) continue;
        if (!has_reciprocal(diagonal)) wrong = k + 1;
        each_augmented(n, [&](int c) {
            const T y = g[c] * inverse;
            each_row_to(k, x, [&](int i, T r) {
                const T less = chosen(row(i) < k, fnma(r, y, a_[c][i]), a_[c][i]);
                a_[c][i] = chosen(row(i) == k, y, less);
            });
        });
    }
    return wrong;
}

template <class T, class K>
__device__ __forceinline__ int RegisterTile<T, K>::solve_adjoint(int n, int own) {
    int wrong = 0;
    sync();
#pragma unroll 1
    for (int k = 0; k < n; ++k) {
        const T *const x = broadcast(k, k);
        T g[C] = {};
        each_augmented(n, [&](int c) {
            each_row_to(k, x, [&](int i, T r) {
                const T own = chosen(row(i) == k, g[c] + a_[c][i], g[c]);
                g[c] = chosen(row(i) < k, fnma(conjugate(r), a_[c][i], g[c]), own);
            });
        });
        sum_below<0>(g);
        const R diagonal = real_part(x[k]), inverse = R(1) / diagonal;
        if (k >= own) continue;
        if (!has_reciprocal(diagonal) && wrong == 0) wrong = k + 1;
        each_augmented(n, [&](int c) {
            each_row_to(k, x, [&](int i, T) { a_[c][i] = chosen(row(i) == k, g[c] * inverse, a_[c][i]); });
        });
    }
    return wrong;
}

}  // namespace xbatch::qr
