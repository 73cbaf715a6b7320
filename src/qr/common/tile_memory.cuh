// tile_memory.cuh: tiles in the shared memory of a block, and the loop by which threads access them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/scalar.hpp"
#include "tile_view.hpp"
#include "vector_shape.hpp"

namespace xbatch::qr {

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

// Elements that are loaded and stored together
template <class T, int N>
struct alignas(N * sizeof(T)) Packed {
    T x[N];
};

// Columns are padded so that columns of eight adjacent lanes, and rows of four, are in different banks.
template <class T, int B>
struct TileShared {
    static constexpr int ld = B + 4;
    T tile[B * ld];
    T vectors[block_columns * ld];  // of a block, with explicit zeros and ones, zero-filled
    T top[B * block_ld];            // rows of R to which a block of vectors is applied
    T triangle[block_columns * block_ld];
    T products[block_columns * block_ld];
    T partial[2][2][tile_warps][32];  // in turn, of two columns
    T row[2][2][32];
    T tau[32];
};

// The calling thread, hidden from the compiler, which would otherwise compute all addresses that depend on it before
// the loop over tasks, and have no registers left.
__device__ inline int thread_of_task() {
#ifdef __CUDA_ARCH__
    int thread;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return thread;
#else
    return 0;
#endif
}

// f(row, column) for all of rows x columns, adjacent threads down a column, or along a row; by all threads, or by the
// warps from first_warp on
template <class F>
__device__ void each_entry(int rows, int columns, bool by_rows, F f, int first_warp = 0) {
    const int fast = by_rows ? columns : rows, thread = thread_of_task(), lane = thread % 32, warp = thread / 32;
    const int slow = by_rows ? rows : columns;
    for (int y = warp - first_warp; y < slow; y += tile_warps - first_warp)
#pragma unroll 4
        for (int x = lane; x < fast; x += 32) f(by_rows ? y : x, by_rows ? x : y);
}

// Counters by which blocks of threads wait for each other. A fence orders them with what else a block writes and reads.
__device__ inline int32_t load_counter(const int32_t *counter) {
    int32_t value = 0;
#ifdef __CUDA_ARCH__
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
#endif
    return value;
}
__device__ inline void store_counter(int32_t *counter, int32_t value) {
#ifdef __CUDA_ARCH__
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
#endif
}
__device__ inline void counter_fence() {
#ifdef __CUDA_ARCH__
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
}
// Waits until a counter has a value, by one thread. What was written before it was set is then visible.
__device__ inline void await_counter(const int32_t *counter, int32_t value) {
#ifdef __CUDA_ARCH__
    while (load_counter(counter) < value) __nanosleep(20);
#endif
    counter_fence();
}

// Householder vectors of a tile and their block factors, as TileReflectors on the host
template <class T>
struct DeviceReflectors {
    Shape shape;
    int rows, columns, ib;
    T *v;
    int64_t ldv;
    T *triangles;
    const int32_t *stored = nullptr;  // counts the blocks that a factorisation stores, if it may not have ended
    int32_t before = 0;               // the value of `stored` before the first of them

    // Until block n is stored, by a whole warp
    __device__ __forceinline__ void await_block(int n) const {
        if (!stored) return;
        if (thread_of_task() % 32 == 0) await_counter(stored, before + n + 1);
        __syncwarp();
    }
    // Whether an entry of the vectors is in memory. Other entries are not even read, since another block may write
    // them.
    __device__ bool has(int row, int column) const {
        return shape == Shape::full || (shape == Shape::trapezoid ? row > column : row <= column);
    }
};

}  // namespace xbatch::qr
