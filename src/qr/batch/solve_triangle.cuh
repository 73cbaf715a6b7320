// solve_triangle.cuh: what least squares with one right-hand side need before and after a matrix is factored: the
// exponents of scaling, and the solution of R x = Q^T b.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "core/lanes.cuh"
#include "device_batch.cuh"
#include "qr/common/gels_scaling.hpp"
#include "solve_side.cuh"

namespace xbatch::qr {

// The exponents for least squares, by a warp
template <class T>
__device__ __noinline__ LeastSquaresScaling exponents_for(const MatrixView<T> a, const MatrixView<T> b, int m, int n) {
    const auto exponent = [&](const MatrixView<T> &v, int columns) {
        SizeBits<T> most = 0;
#pragma unroll 1
        for (int c = 0; c < columns; ++c)
#pragma unroll 1
            for (int i = int(threadIdx.x) % 32; i < m; i += 32) most = max(most, size_bits(*v.at(i, c)));
#pragma unroll 1
        for (int distance = 1; distance < 32; distance *= 2) most = max(most, __shfl_xor_sync(~0u, most, distance));
        return scaling_exponent<T>(most);
    };
    return {exponent(a, n), exponent(b, 1)};
}

// R x = Q^T b, by a warp: lane l has rows l, l + 32, …
template <class T, int MOST>
class SolveTriangle {
public:
    // r: R by columns, without the zeros; side: Q^T b
    __device__ SolveTriangle(const T *r, const T *side, int m, int n)
        : r_(r), side_(side), m_(m), n_(n), lane_(int(threadIdx.x) % 32) {}

    // Returns the first row whose diagonal entry has no reciprocal, from 1, or n + 1 if x is not finite, or 0. scaling:
    // the exponent by which x is scaled back
    __device__ __forceinline__ int solve(int scaling) {
        T inverse[Y];
        int wrong = INT_MAX;
#pragma unroll
        for (int s = 0; s < Y; ++s) {
            const int i = lane_ + 32 * s;
            const T diagonal = i < n_ ? column(i)[i] : T(1);
            y_[s] = i < n_ ? side_[i] : T(0), inverse[s] = T(1) / diagonal;
            if (!has_reciprocal(diagonal)) wrong = min(wrong, i + 1);
        }
#pragma unroll
        for (int s = Y - 1; s >= 0; --s) {
#pragma unroll 4
            for (int k = min(32 * s + 31, n_ - 1); k >= 32 * s; --k) {
                const T *const own = column(k);
                T r[Y];
#pragma unroll
                for (int t = 0; t <= s; ++t) r[t] = lane_ + 32 * t < k ? own[lane_ + 32 * t] : T(0);
                const T x = from_lane(y_[s] * inverse[s], k % 32);
#pragma unroll
                for (int t = 0; t <= s; ++t) y_[t] = fnma(r[t], x, y_[t]);
            }
            y_[s] = y_[s] * inverse[s];
        }
        bool is_solved = true;
#pragma unroll
        for (int s = 0; s < Y && scaling != 0; ++s) y_[s] = times_power_of_two(y_[s], scaling);
#pragma unroll
        for (int s = 0; s < Y; ++s) is_solved = is_solved && is_finite(y_[s]);
        wrong = __reduce_min_sync(~0u, wrong), is_solved = __all_sync(~0u, is_solved);
        return wrong < INT_MAX ? wrong : is_solved ? 0 : n_ + 1;
    }
    // x, and what is left of b, for which scaling is the exponent
    __device__ __forceinline__ void write(const MatrixView<T> &b, int scaling) const {
#pragma unroll
        for (int s = 0; s < Y; ++s)
            if (lane_ + 32 * s < n_) *b.at(lane_ + 32 * s, 0) = y_[s];
#pragma unroll 1
        for (int i = n_ + lane_; i < m_; i += 32) {
            const T x = side_[i];
            *b.at(i, 0) = scaling == 0 ? x : times_power_of_two(x, scaling);
        }
    }

private:
    static constexpr int Y = (MOST + 31) / 32;

    __device__ const T *column(int c) const { return r_ + c * (c + 1) / 2; }

    const T *const r_, *const side_;
    const int m_, n_, lane_;
    T y_[Y];
};

}  // namespace xbatch::qr
