// shifted_image.cuh: T and W in the order of the threads that read them; and systems T + sigma_j W written out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "core/dependent_launch.cuh"
#include "shifted_plan.cuh"

namespace xbatch::tridiagonal {

template <class T>
struct ShiftedRow {
    T dl, d, du, w;
};

// Shared by all systems. No entry is read that the contract does not use.
template <class T>
struct ShiftedMatrix {
    const T *dl, *d, *du, *w;  // w may be NULL
    int64_t n;
    bool is_periodic;

    __device__ ShiftedRow<T> row(int64_t i) const {
        return {is_periodic || i > 0 ? dl[i] : T(0), d[i], is_periodic || i + 1 < n ? du[i] : T(0), w ? w[i] : T(1)};
    }
    // Instead of row n-1, and of those behind it
    __device__ static ShiftedRow<T> pinned() { return {T(0), T(1), T(0), T(0)}; }
    __device__ ShiftedRow<T> beyond() const { return {T(0), T(1), is_periodic ? T(-1) : T(0), T(0)}; }
};

template <class T>
__device__ inline void fill(const ShiftedMatrix<T> &matrix, const ShiftedImage<T> &image, int64_t at, int64_t step) {
    const int last = int(matrix.n - 1);
    for (int64_t e = at; e < int64_t(image.chunks + 1) * image.rows; e += step) {
        const int column = int(e) / image.rows, i = int(e) - column * image.rows;
        const bool is_pinned = column == image.chunks;
        const int row = (is_pinned ? last / image.rows : column) * image.rows + i;
        const ShiftedRow<T> values = row > last                 ? matrix.beyond()
                                     : is_pinned && row == last ? matrix.pinned()
                                                                : matrix.row(row);
        T *const to = image.first + column;
        to[image.at(i, image.dl)] = values.dl, to[image.at(i, image.d)] = values.d;
        to[image.at(i, image.du)] = values.du, to[image.at(i, image.w)] = values.w;
    }
}

// By one block. Row i is not dominant for shifts that are nearer to -d_i / w_i than (|dl_i| + |du_i|) / |w_i|. `shifts`
// become the least and the largest number of all these intervals.
template <class R>
__device__ inline void find_dominant_shifts(const ShiftedMatrix<R> &matrix, R *shifts) {
    constexpr int threads = 256;
    __shared__ R least[threads], largest[threads];
    const R infinity = std::numeric_limits<R>::infinity();
    R low = infinity, high = -infinity;
    for (int64_t i = threadIdx.x; i < matrix.n; i += threads) {
        const ShiftedRow<R> e = matrix.row(i);
        const R sum = magnitude(e.dl) + magnitude(e.du), size = magnitude(e.w);
        if (size == 0 && magnitude(e.d) >= sum) continue;
        const R middle = size > 0 ? -e.d / e.w : R(0), reach = size > 0 ? sum / size : infinity;
        low = min(low, middle - reach), high = max(high, middle + reach);
    }
    least[threadIdx.x] = low, largest[threadIdx.x] = high;
    for (int s = threads / 2; s > 0; s /= 2) {
        __syncthreads();
        if (int(threadIdx.x) >= s) continue;
        least[threadIdx.x] = min(least[threadIdx.x], least[threadIdx.x + s]);
        largest[threadIdx.x] = max(largest[threadIdx.x], largest[threadIdx.x + s]);
    }
    if (threadIdx.x == 0) shifts[0] = least[0], shifts[1] = largest[0];
}

template <class T>
__global__ void __launch_bounds__(256)
    shifted_prepare(ShiftedMatrix<T> matrix, ShiftedMemory<T> memory, int64_t sides, int64_t units) {
    const int64_t at = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, step = int64_t(gridDim.x) * blockDim.x;
    trigger_dependents();
    fill(matrix, memory.dominant, at, step);
    fill(matrix, memory.pivoting, at, step);
    if constexpr (sizeof(T) == sizeof(Real<T>))
        if (blockIdx.x == 0) find_dominant_shifts(matrix, memory.dominant_shifts);
    for (int64_t u = at; u < units; u += step) memory.open_units[u] = 0;
}

// Long systems: writes all matrices out, and the right-hand side 0 of pinned rows.
template <class T>
__global__ void __launch_bounds__(256)
    shifted_write_out(ShiftedMatrix<T> matrix, ShiftsOf<T> shifts, GtsvProblem p, T *dl, T *d, T *du) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x, all = p.n * p.batch;
    const bool flat = p.a_at.layout == XBATCH_LAYOUT_FLAT;
    for (int64_t e = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; e < all; e += step) {
        const int64_t outer = divided(e, flat ? p.n : p.batch), inner = e - outer * (flat ? p.n : p.batch);
        const int64_t i = flat ? inner : outer, j = flat ? outer : inner, at = p.a_at.offset(i, j, 0);
        const T sigma = shifts.of(j);
        const bool is_pinned = i + 1 == p.n && shifts.pins(sigma);
        const ShiftedRow<T> row = is_pinned ? matrix.pinned() : matrix.row(i);
        dl[at] = row.dl, d[at] = fma_(sigma, row.w, row.d), du[at] = row.du;
        for (int64_t r = 0; is_pinned && r < p.nrhs; ++r) static_cast<T *>(p.b)[p.b_at.offset(i, j, r)] = T(0);
    }
}

}  // namespace xbatch::tridiagonal
