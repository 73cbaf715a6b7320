// tile_update.cuh: a block of reflectors applied to columns in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_memory.cuh"

namespace xbatch::qr {

// [C1; C2] -= V op(T) V^H [C1; C2] for the block in shared.vectors and shared.triangle: C2 [B x columns] in c, C1,
// where it is there, in top, its rows 0 … width-1. In groups of 32 columns: W = C1 + V^H C2, X = op(T) W, C1 -= X, C2
// -= V X. Called by all threads, and all may go on behind it only after a barrier.
template <class T, int B>
__device__ void apply_block(TileShared<T, B> &shared, int width, T *c, T *top, int columns, bool is_adjoint) {
    constexpr int ld = TileShared<T, B>::ld;
    const int tid = thread_of_task(), r0 = tid % 16, j0 = tid / 16, lane = tid % 32, warp = tid / 32;
    for (int first = 0; first < columns; first += 32) {
        const int count = min(32, columns - first);
        T sum[2][2] = {};
        const T *const v0 = shared.vectors + r0 * ld, *const v1 = v0 + 16 * ld;
        const T *const c0 = c + (first + min(j0, count - 1)) * ld, *const c1 =
                                                                       c + (first + min(j0 + 16, count - 1)) * ld;
#pragma unroll 8
        for (int i = 0; i < B; ++i) {
            const T x0 = conjugate(v0[i]), x1 = conjugate(v1[i]), y0 = c0[i], y1 = c1[i];
            sum[0][0] = fma_(x0, y0, sum[0][0]), sum[0][1] = fma_(x0, y1, sum[0][1]);
            sum[1][0] = fma_(x1, y0, sum[1][0]), sum[1][1] = fma_(x1, y1, sum[1][1]);
        }
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int r = r0 + p / 2 * 16, j = j0 + p % 2 * 16;
            const bool meets_top = top && r < width && j < count;
            shared.products[j * block_ld + r] =
                meets_top ? sum[p / 2][p % 2] + top[(first + j) * block_ld + r] : sum[p / 2][p % 2];
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int r = r0 + p / 2 * 16, j = j0 + p % 2 * 16;
            T x = T(0);
#pragma unroll 4
            for (int l = 0; l < block_columns; ++l) {
                const T t =
                    is_adjoint ? conjugate(shared.triangle[r * block_ld + l]) : shared.triangle[l * block_ld + r];
                x = fma_(t, shared.products[j * block_ld + l], x);
            }
            sum[p / 2][p % 2] = x;
        }
        __syncthreads();
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int r = r0 + p / 2 * 16, j = j0 + p % 2 * 16;
            const T x = sum[p / 2][p % 2];
            shared.products[j * block_ld + r] = x;
            if (top && r < width && j < count) top[(first + j) * block_ld + r] = top[(first + j) * block_ld + r] - x;
        }
        __syncthreads();
        T change[B / 32][4] = {};
#pragma unroll 4
        for (int r = 0; r < block_columns; ++r) {
#pragma unroll
            for (int x = 0; x < B / 32; ++x) {
                const T v = shared.vectors[r * ld + lane + 32 * x];
#pragma unroll
                for (int y = 0; y < 4; ++y)
                    change[x][y] = fma_(v, shared.products[(4 * warp + y) * block_ld + r], change[x][y]);
            }
        }
#pragma unroll
        for (int y = 0; y < 4; ++y)
            if (4 * warp + y < count) {
                T *const column = c + (first + 4 * warp + y) * ld + lane;
#pragma unroll
                for (int x = 0; x < B / 32; ++x) column[32 * x] = column[32 * x] - change[x][y];
            }
        __syncthreads();
    }
}

}  // namespace xbatch::qr
