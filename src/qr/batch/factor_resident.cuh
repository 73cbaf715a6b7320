// factor_resident.cuh: batched QR of matrices in shared memory, several per warp, by panels of columns in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "resident_panel.cuh"

namespace xbatch::qr {

// A = Q R for any norms, by a warp, for A with leading dimension ld in shared memory. Returns the first column whose
// norm is not finite, from 1, or 0.
template <class T>
__device__ __noinline__ int factor_scaled(T *a, int ld, int m, int n, T *taus) {
    using R = Real<T>;
    constexpr bool is_complex = sizeof(T) > sizeof(R);
    const int lane = int(threadIdx.x) % 32;
    int wrong = 0;
#pragma unroll 1
    for (int k = 0; k < min(m, n); ++k) {
        T *const x = a + k * ld;
        const T alpha = x[k];
        const ColumnScaling<R> scaling = scaling_of(x, k + 1, m, alpha);
        R squares = 0;
#pragma unroll 1
        for (int i = k + 1 + lane; i < m; i += 32) {
            const T y = scaling.scaled(x[i]);
            squares += inner(y, y);
        }
#pragma unroll 1
        for (int distance = 1; distance < 32; distance *= 2) squares += __shfl_xor_sync(~0u, squares, distance);
        const bool acts = !scaling.is_nothing && (is_complex || k < m - 1);
        HouseholderScalars<T> h = householder(scaling.scaled(alpha), squares);
        h.beta = scaling.unscaled(h.beta);
        if (!acts) h = {real_part(alpha), R(0), T(R(0)), T(R(0))};
#pragma unroll 1
        for (int i = k + 1 + lane; i < m; i += 32) x[i] = h.sigma * scaling.scaled(x[i]);
        __syncwarp();
        if (lane == 0) x[k] = T(h.beta), taus[k] = h.tau;
#pragma unroll 1
        for (int c = k + 1 + lane; c < n && acts; c += 32) {
            T *const y = a + c * ld;
            T g = y[k];
#pragma unroll 1
            for (int i = k + 1; i < m; ++i) g = fma_(conjugate(x[i]), y[i], g);
            g = conjugate(h.tau) * g;
            y[k] = y[k] - g;
#pragma unroll 1
            for (int i = k + 1; i < m; ++i) y[i] = fnma(x[i], g, y[i]);
        }
        __syncwarp();
        if (!is_finite(h.beta) && wrong == 0) wrong = k + 1;
    }
    return wrong;
}

// In place, p.from = p.a, for matrices of one size, of which shared memory holds those of a block
template <class T, int SHAPE>
__global__ void __launch_bounds__(ResidentKind<T, SHAPE>::threads, ResidentKind<T, SHAPE>::blocks)
    factor_resident(const __grid_constant__ FactorBatchArguments<T> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    using K = ResidentKind<T, SHAPE>;
    const auto sync = [] { K::threads > 32 ? __syncthreads() : __syncwarp(); };
    const ResidentMemory<T, K> memory(p, shared);
    memory.load();
    wait_for_copies();
    sync();
    using Panel = ResidentPanel<T, K>;
    if (Panel(memory, p.m, p.n).factor()) memory.flag(Panel::matrix_of_thread()) = 1;
    sync();
    const int k = min(p.m, p.n);
#pragma unroll 1
    for (int q = int(threadIdx.x) / 32; q < memory.count(); q += K::threads / 32) {
        T *const a = memory.matrix(q), *const last_tau = memory.taus(q) + k - 1;
        const bool had_head = sizeof(T) > sizeof(Real<T>) || k < p.m;  // the last diagonal entry
        if (!had_head) *last_tau = T(Real<T>(0));
        const bool is_wrong = !had_head && is_nonfinite(a[(k - 1) * (K::ld + 1)]);
        if (memory.flag(q) == 0 && !is_wrong) continue;
        memory.reload(q);
        __syncwarp();
        const int wrong = factor_scaled(a, K::ld, p.m, p.n, memory.taus(q));
        if (int(threadIdx.x) % 32 == 0) memory.flag(q) = wrong;
    }
    sync();
    memory.store();
}

}  // namespace xbatch::qr
