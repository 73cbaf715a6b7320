// tile_memory.cuh: what a block of threads keeps of tiles in its shared memory, and how they come and go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/scalar.hpp"
#include "shape.hpp"

namespace xbatch {

constexpr int tile_threads = 256, tile_warps = tile_threads / 32;
constexpr int block_columns = 32;            // vectors of a block at most, ib <= 32
constexpr int block_ld = block_columns + 2;  // of matrices with a row for each vector of a block
template <class T>
constexpr int device_tile = sizeof(T) == 16 ? 64 : 128;  // rows and columns of a tile at most

// Whether products are by matrix instructions
#if __CUDA_ARCH__ >= 900
template <class T>
constexpr bool has_mma = std::is_same_v<T, double>;
#else
template <class T>
constexpr bool has_mma = false;
#endif

// Columns are padded so that those of eight lanes in a row, and rows of four, meet different banks.
template <class T, int B>
struct TileShared {
    static constexpr int ld = B + 4;
    T tile[B * ld];
    T vectors[block_columns * ld];  // of a block, whole: with zeros and ones, zeros behind rows and columns
    T top[B * block_ld];            // the rows of R above the tile that a block of vectors meets
    T triangle[block_columns * block_ld];
    T products[block_columns * block_ld];
    T partial[2][tile_warps][32];
    T row[2][32];
    T tau[32];
    Real<T> most[tile_warps];
};

// A matrix in the caller's memory, or the conjugate transpose of one
template <class T>
struct DeviceView {
    T *at;
    int64_t ld;
    bool is_transposed;

    __device__ DeviceView from(int64_t row, int64_t column) const {
        return {at + (is_transposed ? row * ld + column : column * ld + row), ld, is_transposed};
    }
    __device__ T get(int row, int column) const {
        return is_transposed ? conjugate(at[row * ld + column]) : at[column * ld + row];
    }
    __device__ void put(int row, int column, T x) const {
        if (is_transposed)
            at[row * ld + column] = conjugate(x);
        else
            at[column * ld + row] = x;
    }
};

// f(row, column) for all of rows x columns, by all threads, neighbours down a column, or along a row
template <class F>
__device__ void each_entry(int rows, int columns, bool by_rows, F f) {
    const int fast = by_rows ? columns : rows, lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int slow = by_rows ? rows : columns;
    for (int y = warp; y < slow; y += tile_warps)
        for (int x = lane; x < fast; x += 32) f(by_rows ? y : x, by_rows ? x : y);
}

// Householder vectors of a tile and their block factors, as TileReflectors on the host
template <class T>
struct DeviceReflectors {
    Shape shape;
    int rows, columns, ib;
    T *v;
    int64_t ldv;
    T *triangles;

    // The vector's entry that lies in memory; what is no part of it is not even read, for another block may write it.
    __device__ bool has(int row, int column) const {
        return shape == Shape::full || (shape == Shape::trapezoid ? row > column : row <= column);
    }
    __device__ T entry(int row, int column) const {
        if (row >= rows) return T(0);
        if (has(row, column)) return v[column * ldv + row];
        return T(Real<T>(shape == Shape::trapezoid && row == column ? 1 : 0));
    }
};

// Block s … s+width-1 of a tile's vectors and its triangle
template <class T, int B>
__device__ void load_vectors(TileShared<T, B> &shared, const DeviceReflectors<T> &t, int s, int width) {
    each_entry(B, block_columns, false,
               [&](int row, int c) { shared.vectors[c * shared.ld + row] = c < width ? t.entry(row, s + c) : T(0); });
    each_entry(block_columns, block_columns, false, [&](int r, int c) {
        shared.triangle[c * block_ld + r] = r <= c && c < width ? t.triangles[(s + c) * t.ib + r] : T(0);
    });
}

}  // namespace xbatch
