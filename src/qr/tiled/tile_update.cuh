// tile_update.cuh: applies a block reflector to columns in shared memory (UNMQR, TSMQR, TTMQR).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_memory.cuh"

namespace xbatch::qr {

// A warp's four columns in apply_block: lane l has row l of W and X, and adjacent rows of C2. Whole warps read the same
// entries of C2 and X, or adjacent ones of V, many bytes at once.
template <class T, int B>
struct ColumnsUpdate {
    static constexpr int ld = TileShared<T, B>::ld, count = 4;
    static constexpr int in_16_bytes = 16 / int(sizeof(T)), pair = in_16_bytes < 2 ? 1 : 2;
    static_assert(count * tile_warps <= block_columns, "W and X of all warps");

    const TileShared<T, B> &shared;
    T *products;  // [count x block_ld], of this warp
    T *c[count], *top[count];
    int width, lane;
    bool has[count];  // columns after the last one are read as that, and not stored

    __device__ ColumnsUpdate(TileShared<T, B> &s, int width, T *tile, T *rows, int first, int columns)
        : shared(s), width(width), lane(thread_of_task() % 32) {
        products = s.products + thread_of_task() / 32 * (count * block_ld);
#pragma unroll
        for (int j = 0; j < count; ++j) {
            has[j] = first + j < columns;
            const int column = has[j] ? first + j : columns - 1;
            c[j] = tile + column * ld, top[j] = rows ? rows + column * block_ld : nullptr;
        }
    }
    template <int N>
    static __device__ Packed<T, N> load(const T *at) {
        return *reinterpret_cast<const Packed<T, N> *>(at);
    }
    __device__ bool has_top(int j) const { return top[j] && lane < width; }
    __device__ void exchange(const T (&x)[count]) const {
        __syncwarp();
#pragma unroll
        for (int j = 0; j < count; ++j) products[j * block_ld + lane] = x[j];
        __syncwarp();
    }
    // W = C1 + V^H C2
    __device__ __forceinline__ void form_w(T (&w)[count]) const {
        const T *const v = shared.vectors + lane * ld;
#pragma unroll 16
        for (int i = 0; i < B; i += in_16_bytes) {
            const auto x = load<in_16_bytes>(v + i);
#pragma unroll
            for (int j = 0; j < count; ++j) {
                const auto y = load<in_16_bytes>(c[j] + i);
#pragma unroll
                for (int e = 0; e < in_16_bytes; ++e) w[j] = fma_(conjugate(x.x[e]), y.x[e], w[j]);
            }
        }
#pragma unroll
        for (int j = 0; j < count; ++j)
            if (has_top(j)) w[j] = w[j] + top[j][lane];
    }
    // X = op(T) W
    __device__ __forceinline__ void multiply(T (&x)[count], bool is_adjoint) const {
        const T *const t = shared.triangle + lane * (is_adjoint ? block_ld : 1);
#pragma unroll
        for (int l = 0; l < block_columns; l += pair) {
            Packed<T, pair> row;
            if (is_adjoint) {
                row = load<pair>(t + l);
            } else {
#pragma unroll
                for (int e = 0; e < pair; ++e) row.x[e] = t[(l + e) * block_ld];
            }
#pragma unroll
            for (int j = 0; j < count; ++j) {
                const auto w = load<pair>(products + j * block_ld + l);
#pragma unroll
                for (int e = 0; e < pair; ++e) x[j] = fma_(is_adjoint ? conjugate(row.x[e]) : row.x[e], w.x[e], x[j]);
            }
        }
    }
    // C1 -= X
    __device__ __forceinline__ void update_top(const T (&x)[count]) const {
#pragma unroll
        for (int j = 0; j < count; ++j)
            if (has_top(j) && has[j]) top[j][lane] = top[j][lane] - x[j];
    }
    // C2 -= V X
    __device__ __forceinline__ void update_tile() const {
        constexpr int each = in_16_bytes < B / 32 ? in_16_bytes : B / 32, parts = B / 32 / each;
#pragma unroll
        for (int part = 0; part < parts; ++part) {
            const int row = (32 * part + lane) * each;
            T change[each][count] = {};
#pragma unroll 8
            for (int r = 0; r < block_columns; r += pair) {
                Packed<T, each> v[pair];
#pragma unroll
                for (int p = 0; p < pair; ++p) v[p] = load<each>(shared.vectors + (r + p) * ld + row);
#pragma unroll
                for (int j = 0; j < count; ++j) {
                    const auto x = load<pair>(products + j * block_ld + r);
#pragma unroll
                    for (int p = 0; p < pair; ++p)
#pragma unroll
                        for (int e = 0; e < each; ++e) change[e][j] = fma_(v[p].x[e], x.x[p], change[e][j]);
                }
            }
#pragma unroll
            for (int j = 0; j < count; ++j) {
                if (!has[j]) continue;
                auto entries = load<each>(c[j] + row);
#pragma unroll
                for (int e = 0; e < each; ++e) entries.x[e] = entries.x[e] - change[e][j];
                *reinterpret_cast<Packed<T, each> *>(c[j] + row) = entries;
            }
        }
    }
};

// [C1; C2] -= V op(T) V^H [C1; C2] for the block in shared.vectors and shared.triangle: C2 [B x columns] in c, C1,
// unless NULL, in top, its rows 0 … width-1. W = C1 + V^H C2, X = op(T) W, C1 -= X, C2 -= V X. By all threads; a
// barrier ends it.
template <class T, int B>
__device__ void apply_block(TileShared<T, B> &shared, int width, T *c, T *top, int columns, bool is_adjoint) {
    using Update = ColumnsUpdate<T, B>;
    const int warp = thread_of_task() / 32;
    for (int first = warp * Update::count; first < columns; first += tile_warps * Update::count) {
        const Update update(shared, width, c, top, first, columns);
        T w[Update::count] = {}, x[Update::count] = {};
        update.form_w(w);
        update.exchange(w);
        update.multiply(x, is_adjoint);
        update.update_top(x);
        update.exchange(x);
        update.update_tile();
        __syncwarp();
    }
    __syncthreads();
}

}  // namespace xbatch::qr
