// gels_batch_scaling.cuh: scaling for least squares by factors in memory: one block per matrix finds the exponents of A
// and B and scales B; finally X is scaled back and info set.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch_kernels.cuh"

namespace xbatch::qr {

constexpr int scaling_threads = 256;

// f(row, entry) for all entries of a matrix, adjacent threads along contiguous memory
template <class T, class F>
__device__ void for_entries(const MatrixView<T> &v, int rows, int columns, F f) {
    const bool is_down = v.row <= v.column;
    const int inner = is_down ? rows : columns, outer = is_down ? columns : rows;
    for (int o = 0; o < outer; ++o)
        for (int i = int(threadIdx.x); i < inner; i += scaling_threads) {
            const int row = is_down ? i : o;
            f(row, *v.at(row, is_down ? o : i));
        }
}
template <class T>
__device__ int scaling_exponent_of(const MatrixView<T> &v, int rows, int columns) {
    SizeBits<Real<T>> most = 0;
    for_entries(v, rows, columns, [&](int, const T &x) { most = max(most, size_bits(x)); });
    return scaling_exponent<Real<T>>(largest_of(most, [](bool is_so) { return __syncthreads_or(is_so) != 0; }));
}

// m, n: of G; sizes: of the matrices of a varying batch
template <class T>
struct ScalingArguments {
    DeviceMatrices<T> g, b;
    int m, n, nrhs;
    bool is_least_norm;
    int64_t batch;
    LeastSquaresScaling *scaling;
    int32_t *info;
    DeviceSizes sizes;
};
template <class T>
__global__ void __launch_bounds__(scaling_threads) find_scaling(ScalingArguments<T> p) {
    if (!p.sizes.has(blockIdx.x, p.batch)) return;
    const int64_t j = p.sizes.matrix(blockIdx.x);
    const MatrixSize size = size_of(p.sizes, j, p.m, p.n, p.nrhs);
    const MatrixView<T> b = p.b.of(j);
    const int given = p.is_least_norm ? size.n : size.m;
    const LeastSquaresScaling s{scaling_exponent_of(p.g.of(j), size.m, size.n), scaling_exponent_of(b, given, size.k)};
    if (s.b != 0) for_entries(b, given, size.k, [&](int, T &x) { x = times_power_of_two(x, s.b); });
    if (threadIdx.x == 0) p.scaling[j] = s;
}
template <class T>
__global__ void __launch_bounds__(scaling_threads) scale_solutions(ScalingArguments<T> p) {
    if (!p.sizes.has(blockIdx.x, p.batch)) return;
    const int64_t j = p.sizes.matrix(blockIdx.x);
    const LeastSquaresScaling s = p.scaling[j];
    const MatrixSize size = size_of(p.sizes, j, p.m, p.n, p.nrhs);
    const MatrixView<T> b = p.b.of(j);
    const int unknowns = p.is_least_norm ? size.m : size.n;
    if (s.a != 0 || s.b != 0)
        for_entries(b, size.m, size.k, [&](int row, T &x) {
            x = times_power_of_two(x, row < unknowns ? s.of_solution() : s.of_residual());
        });
    if (!p.info) return;
    bool is_solved = true;
    for_entries(b, unknowns, size.k, [&](int, const T &x) { is_solved = is_solved && is_finite(x); });
    is_solved = __syncthreads_and(is_solved) != 0;
    if (threadIdx.x == 0 && !is_solved && p.info[j] == 0) p.info[j] = size.n + 1;
}

}  // namespace xbatch::qr
