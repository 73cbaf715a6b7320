// register_apply.cuh: applies reflectors to a register tile, from a matrix in memory or from the tile itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "register_tile.cuh"

namespace xbatch::qr {

template <class T, class K>
__device__ __forceinline__ void RegisterTile<T, K>::apply_reflector(const MatrixView<T> &m, int height, int column,
                                                                    int pivot, T factor) {
    const bool by_sixteen = m.by_sixteen && height % chunk == 0;
    T v[rows];
#pragma unroll
    for (int u = 0; u < chunks; ++u) {
        const int row = first_row(u);
        Sixteen<T> x;
        if (by_sixteen) {
            const bool is_there = row < height && row + chunk > pivot;
            x = read_if(is_there, reinterpret_cast<const Sixteen<T> *>(m.at(row, column)));
        } else {
#pragma unroll
            for (int e = 0; e < chunk; ++e)
                x.x[e] = read_if(row + e > pivot && row + e < height, m.at(row + e, column));
        }
#pragma unroll
        for (int e = 0; e < chunk; ++e) v[u * chunk + e] = as_vector(x.x[e], row + e, pivot);
    }
    subtract_outer(v, factor, 0);
}

template <class T, class K>
__device__ __forceinline__ void RegisterTile<T, K>::multiply(int n, int own) {
    each_element([&](int i, int c) { a_[c][i] = chosen(column(c) >= n && row(i) >= own, T(0), a_[c][i]); });
    sync();
#pragma unroll 1
    for (int k = n - 1; k >= 0; --k) {
        const T *const x = broadcast(k);
        T v[rows];
        each_row(x, [&](int i, T y) { v[i] = as_vector(y, row(i), k); });
        subtract_outer(v, k < own ? taus()[k] : T(0), n);
    }
}

}  // namespace xbatch::qr
