// tile_triangle.cuh: the triangular factor T of a block reflector I - V T V^H.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_memory.cuh"

namespace xbatch::qr {

// T from tau and U, the products above the diagonal of V^H V: T^-1 = U + diag(1 / tau). First the triangles of
// eight vectors, T(0:k, k) = -tau T(0:k, 0:k) U(0:k, k), then pairs of triangles joined: T12 = -T11 U12 T22. By all
// threads, between barriers.
template <class T, int B>
__device__ void form_triangle(TileShared<T, B> &shared, int width) {
    constexpr int least = 8;
    const int tid = thread_of_task();
    T *const t = shared.triangle, *const u = shared.products;
    if (tid < block_columns) {
        const int first = tid / least * least;
        T row[least];
#pragma unroll
        for (int k = 0; k < least; ++k) {
            const int c = first + k;
            T sum = T(0);
#pragma unroll
            for (int l = 0; l < k; ++l) sum = fma_(row[l], u[c * block_ld + first + l], sum);
            const T tau = shared.tau[c];
            row[k] = tid > c || c >= width ? T(0) : tid == c ? tau : -(tau * sum);
            t[c * block_ld + tid] = row[k];
        }
    }
#pragma unroll
    for (int size = least; size < block_columns; size *= 2) {
        const int pair = tid / (size * size), first = 2 * size * pair, r = first + tid % size;
        const int column = first + size, c = column + tid / size % size;
        const bool has_entry = column < block_columns;
        __syncthreads();
        T sum = T(0);  // of U12 T22
        if (has_entry) {
#pragma unroll
            for (int l = 0; l < size; ++l)
                if (column + l < width) sum = fma_(u[(column + l) * block_ld + r], t[c * block_ld + column + l], sum);
        }
        __syncthreads();
        if (has_entry) u[c * block_ld + r] = sum;
        __syncthreads();
        sum = T(0);
        if (has_entry) {
#pragma unroll
            for (int l = 0; l < size; ++l) sum = fma_(t[(first + l) * block_ld + r], u[c * block_ld + first + l], sum);
            t[c * block_ld + r] = -sum;
            t[r * block_ld + c] = T(0);
        }
    }
}

}  // namespace xbatch::qr
