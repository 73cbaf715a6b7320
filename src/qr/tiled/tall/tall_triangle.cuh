// tall_triangle.cuh: T of a block of vectors, as form_triangle of tile_triangle.cuh, by few threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_memory.cuh"
#include "tall.cuh"

namespace xbatch::qr {

// The input for T: V^T V above its diagonal, which is overwritten, and tau
struct TallVectors {
    alignas(16) double products[block_columns * block_ld];
    double tau[32];
};

// sum += M x, M in columns
template <int SIZE, int ROWS>
__device__ __forceinline__ void add_products(double (&sum)[ROWS], const double *matrix, const double *column) {
#pragma unroll
    for (int l = 0; l < SIZE; ++l)
#pragma unroll
        for (int e = 0; e < ROWS; e += 2) {
            const double2 pair = *reinterpret_cast<const double2 *>(matrix + l * block_ld + e);
            sum[e] = fma(pair.x, column[l], sum[e]), sum[e + 1] = fma(pair.y, column[l], sum[e + 1]);
        }
}

// T12 = -T11 U12 T22 of pairs of triangles: a thread has some rows of a column.
template <int SIZE, int THREADS>
__device__ __forceinline__ void join_triangles(double *t, double *u) {
    constexpr int rows = SIZE * 16 / THREADS, parts = SIZE / rows;
    const int tid = thread_of_task() % THREADS;
    const int first = tid / (parts * SIZE) * 2 * SIZE, column = first + SIZE;
    const int c = column + tid / parts % SIZE, r = first + tid % parts * rows;
    double *const x = u + c * block_ld;
    sync<THREADS>();
    double sum[rows] = {};
    add_products<SIZE>(sum, u + column * block_ld + r, t + c * block_ld + column);
    sync<THREADS>();
#pragma unroll
    for (int e = 0; e < rows; ++e) x[r + e] = -sum[e], sum[e] = 0;
    sync<THREADS>();
    add_products<SIZE>(sum, t + first * block_ld + r, x + first);
#pragma unroll
    for (int e = 0; e < rows; ++e) t[c * block_ld + r + e] = sum[e];
}

// T [32 x 32], by THREADS threads. T and the products must be zero below the diagonal and after the last column from
// the beginning, and remain so.
template <int THREADS>
__device__ __forceinline__ void form_triangle(double *t, TallVectors &vectors, int width) {
    constexpr int least = 8;
    const int tid = thread_of_task() % THREADS;
    if (tid < block_columns) {
        const int first = tid / least * least, r = tid % least;
        const double *const u = vectors.products + first * (block_ld + 1);
        double row[least];
#pragma unroll
        for (int k = 0; k < least; ++k) {
            double sum = 0;
#pragma unroll
            for (int l = 0; l < k; ++l) sum = fma(row[l], u[k * block_ld + l], sum);
            const double tau = first + k < width ? vectors.tau[first + k] : 0;
            row[k] = r < k ? -(tau * sum) : r == k ? tau : 0;
            t[(first + k) * block_ld + tid] = row[k];
        }
    }
    join_triangles<least, THREADS>(t, vectors.products);
    join_triangles<2 * least, THREADS>(t, vectors.products);
    sync<THREADS>();
}

}  // namespace xbatch::qr
