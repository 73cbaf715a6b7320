// sides_access.cuh: how threads load, store and exchange several right-hand sides of a matrix, which follow one
// elimination.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "tridiagonal/sides.cuh"

namespace xbatch::tridiagonal {

// The arrays of a problem from a block's tile on, with the first `count` of the columns in b, `stride` apart
template <int R, bool FLAT>
struct SidesArrays {
    TileArray a, b;
    typename TileAccess<R, FLAT>::Start from;  // in b
    int64_t stride;
    int count;
};

// Loads the columns of b, in the order of memory. They are read once.
template <class T, int R, bool FLAT, int K>
__device__ inline void fetch_sides(const T *b, const SidesArrays<R, FLAT> &at, const TileAccess<R, FLAT> &access,
                                   SideValues<T, K> (&d)[R]) {
    access.each_offset(at.b, at.from, [&](int r, int64_t offset) {
#pragma unroll
        for (int k = 0; k < K; ++k)
            if (k < at.count) d[r].of[k] = load_once(b + offset + k * at.stride);
    });
}

// One column
template <class T, int R, int K>
__device__ inline void take_column(const SideValues<T, K> (&d)[R], int k, T (&column)[R]) {
#pragma unroll
    for (int r = 0; r < R; ++r) column[r] = d[r].of[k];
}
template <class T, int R, int K>
__device__ inline void set_column(SideValues<T, K> (&d)[R], int k, const T (&column)[R]) {
#pragma unroll
    for (int r = 0; r < R; ++r) d[r].of[k] = column[r];
}

// From the order of memory to the thread's own rows (to_chunk); columns that do not exist become 0.
template <class T, int R, bool FLAT, int K>
__device__ inline void sides_to_chunk(T *stage, const TileAccess<R, FLAT> &access, const SidesArrays<R, FLAT> &at,
                                      SideValues<T, K> (&d)[R]) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
        T column[R] = {};
        if (k < at.count) {
            take_column(d, k, column);
            to_chunk(stage, access, T(0), column);
        }
        set_column(d, k, column);
    }
}

// Stores the columns of x, which replace b.
template <class T, int R, bool FLAT, int K>
__device__ inline void store_sides(T *b, const SidesArrays<R, FLAT> &at, const TileAccess<R, FLAT> &access, T *stage,
                                   SideValues<T, K> (&x)[R]) {
#pragma unroll
    for (int k = 0; k < K; ++k)
        if (k < at.count) {
            T column[R];
            take_column(x, k, column);
            to_memory_order(stage, access, column);
            set_column(x, k, column);
        }
    access.each_offset(at.b, at.from, [&](int r, int64_t offset) {
#pragma unroll
        for (int k = 0; k < K; ++k)
            if (k < at.count) store_once(b + offset + k * at.stride, x[r].of[k]);
    });
}

// One bit for each column with an unknown that is not finite
template <class T, int R, int K>
__device__ inline unsigned not_finite_sides(const SideValues<T, K> (&x)[R]) {
    unsigned bits = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        T column[R];
        take_column(x, k, column);
        if (!are_finite(column)) bits |= 1u << k;
    }
    return bits;
}

}  // namespace xbatch::tridiagonal
