// solve_split.cuh: batched least squares with one right-hand side of tall matrices of doubles whose rows a few warps
// share.
//
// As factor_split.cuh for [A b]. The lanes keep R, for which shared memory has no room next to the vectors, until A is
// factored. Matrices are solved again with scaling as in solve_packed.cuh.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor_split.cuh"
#include "solve_triangle.cuh"

namespace xbatch::qr {

struct SplitSolveArguments {
    DeviceMatrices<double> a, b;
    int m, n;
    int32_t *info;
};

// [A b] in global memory, and what is left of it: R in local memory, Q^T b in shared memory
template <int SHAPE>
class SplitSystem {
public:
    // side: shared memory that the last panel does not use
    __device__ SplitSystem(const MatrixView<double> &a, const MatrixView<double> &b, int m, int n, double *side)
        : a_(a), b_(b), m_(m), n_(n), side_(side) {}

    __device__ void scale(LeastSquaresScaling scaling) { is_scaled_ = true, scaling_ = scaling; }
    __device__ int columns() const { return n_ + 1; }
    __device__ int steps() const { return n_; }
    template <bool STORES, int N>
    __device__ __forceinline__ void move(int panel, int c, double (&x)[N]) {
        if constexpr (STORES) {
            keep(panel, c, x);
        } else {
            const bool is_side = c >= n_;
            const MatrixView<double> from = {is_side ? b_.data : a_.data, is_side ? b_.row : a_.row,
                                             is_side ? 0 : a_.column, false, a_.by_sixteen && b_.by_sixteen};
            SplitColumns<SHAPE>(from, m_, n_ + 1).template move<false>(panel, c, x);
            if (is_scaled_)
#pragma unroll
                for (int i = 0; i < N; ++i) x[i] = times_power_of_two(x[i], c < n_ ? scaling_.a : scaling_.b);
        }
    }
    // R by columns without the zeros, by all warps
    __device__ __forceinline__ void write(double *r) const {
#pragma unroll 1
        for (int panel = 0; 8 * panel < n_; ++panel) {
            const int c = 8 * panel + int(threadIdx.x) % 32 / 4;
#pragma unroll
            for (int i = 0; i < heads; ++i)
                if (c < n_ && split_row(i) <= c) r[c * (c + 1) / 2 + split_row(i)] = r_[panel][i];
        }
    }

private:
    static constexpr int heads = 2 * (most_split_columns / 8 / split_warps);  // of a lane's registers in rows of R

    template <int N>
    __device__ __forceinline__ void keep(int panel, int c, const double (&x)[N]) {
#pragma unroll
        for (int i = 0; i < heads; ++i)
            if (c < n_ && split_row(i) <= c) r_[panel][i] = x[i];
        if (c != n_) return;
#pragma unroll
        for (int i = 0; i < N; ++i)
            if (split_row(i) < m_) side_[split_row(i)] = x[i];
    }

    const MatrixView<double> &a_, &b_;
    const int m_, n_;
    double *const side_;
    bool is_scaled_ = false;
    LeastSquaresScaling scaling_{};
    double r_[most_split_columns / 8][heads];
};

template <int SHAPE>
__global__ void __launch_bounds__(32 * split_warps, split_shapes[SHAPE].blocks)
    solve_split(const __grid_constant__ SplitSolveArguments p) {
    extern __shared__ __align__(16) unsigned char shared[];
    SplitMemory &memory = *reinterpret_cast<SplitMemory *>(shared);
    double *const vectors = reinterpret_cast<double *>(&memory + 1), *const side = vectors + 8 * split_ld(p.m, 0),
                  *const r = side + p.m;
    const MatrixView<double> a = p.a.of(blockIdx.x), b = p.b.of(blockIdx.x);
    LeastSquaresScaling scaling{};
    if (threadIdx.x == 0) memory.wrong = 0;  // whether the matrix has to be solved again
#pragma unroll 1
    for (bool is_scaled = false;; is_scaled = true) {
        __syncthreads();
        SplitSystem<SHAPE> system(a, b, p.m, p.n, side);
        if (is_scaled) system.scale(scaling);
        if (SplitPanel<SHAPE, SplitSystem<SHAPE>>(memory, vectors, system, p.m).factor_once(is_scaled))
            memory.wrong = 1;
        __syncthreads();
        system.write(r);
        __syncthreads();
        if (threadIdx.x < 32) {
            SolveTriangle<double, most_split_columns> triangle(r, side, p.m, p.n);
            const int wrong = triangle.solve(is_scaled ? scaling.of_solution() : 0);
            SideRange<double> range;
#pragma unroll 1
            for (int i = int(threadIdx.x); i < p.m; i += 32) range.add(*b.at(i, 0));
            const bool is_flagged = __any_sync(~0u, range.needs_scaling(~0u)) || wrong != 0 || memory.wrong != 0;
            if (is_scaled || !is_flagged) {
                triangle.write(b, is_scaled ? scaling.of_residual() : 0);
                if (p.info && threadIdx.x == 0) p.info[blockIdx.x] = wrong;
            }
            __syncwarp();
            if (threadIdx.x == 0) memory.wrong = is_flagged && !is_scaled;
        }
        __syncthreads();
        if (memory.wrong == 0) return;
        scaling = exponents_for(a, b, p.m, p.n);
    }
}

}  // namespace xbatch::qr
