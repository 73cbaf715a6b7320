// solve_alone.cuh: least squares with one right-hand side in shared memory, by a warp with scaled norms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_batch.cuh"
#include "resident_scaled.cuh"
#include "resident_solve.cuh"

namespace xbatch::qr {

// For ResidentSystem
template <int LD>
struct RowsAlone {
    static constexpr int lanes = 32, height = LD, ld = LD;
};

// A matrix with norms near the ends of the range, or whose solution is not finite, by a warp. Returns info.
template <class T, int ld>
__device__ __noinline__ int solve_alone(const MatrixView<T> a, const MatrixView<T> b, int m, int n, T *shared) {
    T *const side = shared + n * ld, *const taus = side + ld;
    const int lane = int(threadIdx.x) % 32;
#pragma unroll 1
    for (int c = 0; c <= n; ++c)
#pragma unroll 1
        for (int i = lane; i < m; i += 32) shared[c * ld + i] = c < n ? *a.at(i, c) : *b.at(i, 0);
    __syncwarp();
    LeastSquaresScaling scaling;
    scaling.a = scale(shared, ld, m, n), scaling.b = scale(side, ld, m, 1);
    factor_scaled(shared, ld, m, n + 1, n, taus);
    const ResidentSystem<T, RowsAlone<ld>> system(shared, side, taus, {m, n, 1});
    const int wrong = system.solve(false);
    system.unscale(n, scaling);
    const bool is_solved = system.is_finite_to(n);
    __syncwarp();
#pragma unroll 1
    for (int i = lane; i < m; i += 32) *b.at(i, 0) = side[i];
    __syncwarp();
    return wrong > 0 ? wrong : is_solved ? 0 : n + 1;
}

}  // namespace xbatch::qr
