// tile_update.cuh: applies a block reflector to columns in shared memory (UNMQR, TSMQR, TTMQR).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_memory.cuh"

namespace xbatch::qr {

// One group of at most 32 columns in apply_block: thread t has entries (r0 + 0, 16; j0 + 0, 16) of W and X, warp w
// columns 4 w ... 4 w + 3 of C2.
template <class T, int B>
struct BlockUpdate {
    static constexpr int ld = TileShared<T, B>::ld;
    TileShared<T, B> &shared;
    T *c, *top;  // top may be NULL
    int width, first, count, r0, j0;

    // f(row, column, entry)
    template <class F>
    __device__ __forceinline__ void for_own(T (&x)[2][2], F f) const {
#pragma unroll
        for (int p = 0; p < 4; ++p) f(r0 + p / 2 * 16, j0 + p % 2 * 16, x[p / 2][p % 2]);
    }
    __device__ __forceinline__ bool has_top(int r, int j) const { return top && r < width && j < count; }
    // W = C1 + V^H C2
    __device__ __forceinline__ void form_w(T (&sum)[2][2]) const {
        const T *const v0 = shared.vectors + r0 * ld, *const v1 = v0 + 16 * ld;
        const T *const c0 = c + (first + min(j0, count - 1)) * ld;
        const T *const c1 = c + (first + min(j0 + 16, count - 1)) * ld;
#pragma unroll 8
        for (int i = 0; i < B; ++i) {
            const T x0 = conjugate(v0[i]), x1 = conjugate(v1[i]), y0 = c0[i], y1 = c1[i];
            sum[0][0] = fma_(x0, y0, sum[0][0]), sum[0][1] = fma_(x0, y1, sum[0][1]);
            sum[1][0] = fma_(x1, y0, sum[1][0]), sum[1][1] = fma_(x1, y1, sum[1][1]);
        }
        for_own(sum, [&](int r, int j, T x) {
            shared.products[j * block_ld + r] = has_top(r, j) ? x + top[(first + j) * block_ld + r] : x;
        });
    }
    // X = op(T) W
    __device__ __forceinline__ void multiply(T (&sum)[2][2], bool is_adjoint) const {
        for_own(sum, [&](int r, int j, T &sum) {
            T x = T(0);
#pragma unroll 4
            for (int l = 0; l < block_columns; ++l) {
                const T t =
                    is_adjoint ? conjugate(shared.triangle[r * block_ld + l]) : shared.triangle[l * block_ld + r];
                x = fma_(t, shared.products[j * block_ld + l], x);
            }
            sum = x;
        });
    }
    // C1 -= X
    __device__ __forceinline__ void update_top(T (&sum)[2][2]) const {
        for_own(sum, [&](int r, int j, T x) {
            shared.products[j * block_ld + r] = x;
            if (has_top(r, j)) top[(first + j) * block_ld + r] = top[(first + j) * block_ld + r] - x;
        });
    }
    // C2 -= V X
    __device__ __forceinline__ void update_tile(int lane, int warp) const {
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
    }
};

// [C1; C2] -= V op(T) V^H [C1; C2] for the block in shared.vectors and shared.triangle: C2 [B x columns] in c, C1,
// unless NULL, in top, its rows 0 … width-1. In groups of 32 columns: W = C1 + V^H C2, X = op(T) W, C1 -= X, C2 -= V X.
// Called by all threads; a barrier must follow.
template <class T, int B>
__device__ void apply_block(TileShared<T, B> &shared, int width, T *c, T *top, int columns, bool is_adjoint) {
    const int tid = thread_of_task();
    for (int first = 0; first < columns; first += 32) {
        const BlockUpdate<T, B> group{shared, c, top, width, first, min(32, columns - first), tid % 16, tid / 16};
        T sum[2][2] = {};
        group.form_w(sum);
        __syncthreads();
        group.multiply(sum, is_adjoint);
        __syncthreads();
        group.update_top(sum);
        __syncthreads();
        group.update_tile(tid % 32, tid / 32);
        __syncthreads();
    }
}

}  // namespace xbatch::qr
