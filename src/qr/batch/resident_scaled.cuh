// resident_scaled.cuh: for norms near the ends of the range, and for what is not finite: a matrix in shared memory is
// factored by one warp with scaled norms.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/gels_scaling.hpp"
#include "qr/common/householder.cuh"

namespace xbatch::qr {

// A = Q R with `steps` reflectors, for A in shared memory with distances ld between columns and `row` between rows.
// Returns the first column whose norm is not finite, from 1, or 0.
template <class T>
__device__ __noinline__ int factor_scaled(T *a, int ld, int m, int n, int steps, T *taus, int row = 1) {
    using R = Real<T>;
    constexpr bool is_complex = sizeof(T) > sizeof(R);
    const int lane = int(threadIdx.x) % 32;
    int wrong = 0;
#pragma unroll 1
    for (int k = 0; k < steps; ++k) {
        T *const x = a + k * ld;
        const T alpha = x[k * row];
        R most = 0;
        bool has_nan = false;
#pragma unroll 1
        for (int i = k + 1 + lane; i < m; i += 32) {
            const R size = magnitude(x[i * row]);
            has_nan |= !(size == size), most = size > most ? size : most;
        }
#pragma unroll 1
        for (int distance = 1; distance < 32; distance *= 2) {
            const R other = __shfl_xor_sync(~0u, most, distance);
            most = other > most ? other : most;
        }
        const ColumnScaling<R> scaling = scaling_for(most, bool(__any_sync(~0u, has_nan)), alpha);
        R squares = 0;
#pragma unroll 1
        for (int i = k + 1 + lane; i < m; i += 32) {
            const T y = scaling.scaled(x[i * row]);
            squares += inner(y, y);
        }
#pragma unroll 1
        for (int distance = 1; distance < 32; distance *= 2) squares += __shfl_xor_sync(~0u, squares, distance);
        const bool acts = !scaling.is_nothing && (is_complex || k < m - 1);
        HouseholderScalars<T> h = householder(scaling.scaled(alpha), squares);
        h.beta = scaling.unscaled(h.beta);
        if (!acts) h = {real_part(alpha), R(0), T(R(0)), T(R(0))};
#pragma unroll 1
        for (int i = k + 1 + lane; i < m; i += 32) x[i * row] = h.sigma * scaling.scaled(x[i * row]);
        __syncwarp();
        if (lane == 0) x[k * row] = T(h.beta), taus[k] = h.tau;
#pragma unroll 1
        for (int c = k + 1 + lane; c < n && acts; c += 32) {
            T *const y = a + c * ld;
            T g = y[k * row];
#pragma unroll 1
            for (int i = (k + 1) * row; i < m * row; i += row) g = fma_(conjugate(x[i]), y[i], g);
            g = conjugate(h.tau) * g;
            y[k * row] = y[k * row] - g;
#pragma unroll 1
            for (int i = (k + 1) * row; i < m * row; i += row) y[i] = fnma(x[i], g, y[i]);
        }
        __syncwarp();
        if (!is_finite(h.beta) && wrong == 0) wrong = k + 1;
    }
    return wrong;
}

// Scales a matrix as for least squares, by a warp. Returns the exponent.
template <class T>
__device__ __noinline__ int scale(T *a, int ld, int m, int n) {
    const int lane = int(threadIdx.x) % 32;
    SizeBits<Real<T>> most = 0;
#pragma unroll 1
    for (int c = 0; c < n; ++c)
#pragma unroll 1
        for (int i = lane; i < m; i += 32) most = max(most, size_bits(a[c * ld + i]));
#pragma unroll 1
    for (int distance = 1; distance < 32; distance *= 2) most = max(most, __shfl_xor_sync(~0u, most, distance));
    const int e = scaling_exponent<Real<T>>(most);
#pragma unroll 1
    for (int c = 0; c < n && e != 0; ++c)
#pragma unroll 1
        for (int i = lane; i < m; i += 32) a[c * ld + i] = times_power_of_two(a[c * ld + i], e);
    __syncwarp();
    return e;
}

}  // namespace xbatch::qr
