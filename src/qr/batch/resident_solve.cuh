// resident_solve.cuh: triangular systems and products with Q, of factors in shared memory, by the lanes of a matrix.
//
// Lane l of L has rows l, l + L, … of a right-hand side in registers. Row k is broadcast by the lane that has it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"
#include "qr/common/gels_scaling.hpp"
#include "resident_kind.cuh"

namespace xbatch::qr {

// The factors of a [m x n] and right-hand sides b [m x nrhs], both with the leading dimension K::ld
template <class T, class K>
class ResidentSystem {
public:
    __device__ ResidentSystem(const T *a, T *b, const T *taus, MatrixSize size)
        : a_(a),
          b_(b),
          taus_(taus),
          m_(size.m),
          n_(size.n),
          nrhs_(size.k),
          lane_(int(threadIdx.x) % 32),
          own_(lane_ % L),
          mask_((~0u >> (32 - L)) << (lane_ - own_)) {}

    __device__ bool is_first() const { return own_ == 0; }
    // Whether the first rows of the right-hand sides need no scaling, as far as this lane's are concerned
    __device__ __forceinline__ bool is_in_scale(int rows) const {
        SizeBits<Real<T>> most = 0;
        each_entry(rows, [&](int, T &x) { most = max(most, size_bits(x)); });
        return scaling_exponent<Real<T>>(most) == 0;
    }
    // Least squares: R x = b, the first n rows of Q^H B. Least norm: R^H y = b, then x = Q y. Returns the first row
    // whose diagonal entry has no reciprocal, from 1, or 0.
    __device__ __forceinline__ int solve(bool is_least_norm) const {
        Real<T> reciprocals[rows];
        int wrong = INT32_MAX;
#pragma unroll
        for (int s = 0; s < rows; ++s) {
            const int i = row(s);
            const Real<T> diagonal = i < n_ ? real_part(a_[i * (K::ld + 1)]) : Real<T>(1);
            if (!has_reciprocal(diagonal)) wrong = min(wrong, i + 1);
            reciprocals[s] = Real<T>(1) / diagonal;
        }
#pragma unroll 1
        for (int c = 0; c < nrhs_; ++c) {
            T *const b = b_ + c * K::ld;
            T y[rows];
#pragma unroll
            for (int s = 0; s < rows; ++s) y[s] = row(s) < m_ ? b[row(s)] : T(Real<T>(0));
            if (is_least_norm) {
                solve_adjoint(y, reciprocals);
                multiply(y);
            } else {
                solve_triangle(y, reciprocals);
            }
#pragma unroll
            for (int s = 0; s < rows; ++s)
                if (row(s) < m_) b[row(s)] = y[s];
        }
        __syncwarp(mask_);
        wrong = __reduce_min_sync(mask_, wrong);
        return wrong < INT32_MAX ? wrong : 0;
    }
    // Scales right-hand sides back, of which the first rows hold the solutions, the others residuals.
    __device__ __forceinline__ void unscale(int unknowns, LeastSquaresScaling scaling) const {
        if (scaling.a == 0 && scaling.b == 0) return;
        each_entry(m_, [&](int i, T &x) {
            x = times_power_of_two(x, i < unknowns ? scaling.of_solution() : scaling.of_residual());
        });
    }
    __device__ __forceinline__ bool is_finite_to(int unknowns) const {
        bool all = true;
        each_entry(unknowns, [&](int, T &x) { all = all && is_finite(x); });
        return __all_sync(mask_, all) != 0;
    }

private:
    static constexpr int L = K::lanes, rows = (K::height + L - 1) / L;  // of a lane

    __device__ int row(int s) const { return s * L + own_; }
    // f(row, entry)
    template <class F>
    __device__ __forceinline__ void each_entry(int end, F f) const {
#pragma unroll 1
        for (int c = 0; c < nrhs_; ++c)
#pragma unroll 1
            for (int i = own_; i < end; i += L) f(i, b_[c * K::ld + i]);
    }
    __device__ __forceinline__ T broadcast(T x, int from) const {
        const int lane = lane_ - own_ + from;
        if constexpr (sizeof(T) > sizeof(Real<T>))
            return T(__shfl_sync(mask_, x.re, lane), __shfl_sync(mask_, x.im, lane));
        else
            return __shfl_sync(mask_, x, lane);
    }
    // f(s, k) for each row k = s L + … before n, from the first or the last one on, with constants s
    template <bool IS_DOWN, class F>
    static __device__ __forceinline__ void each_step(int n, F f) {
#pragma unroll
        for (int t = 0; t < rows; ++t) {
            const int s = IS_DOWN ? t : rows - 1 - t, count = min(L, n - s * L);
#pragma unroll 1
            for (int u = 0; u < count; ++u) f(s, s * L + (IS_DOWN ? u : count - 1 - u));
        }
    }
    __device__ __forceinline__ void solve_triangle(T (&y)[rows], const Real<T> (&reciprocals)[rows]) const {
        each_step<false>(n_, [&](int s, int k) {
            const T *const column = a_ + k * K::ld;
            const T x = broadcast(y[s] * reciprocals[s], k % L);
#pragma unroll
            for (int t = 0; t < rows; ++t) {
                if (t > s) continue;
                const int i = row(t);
                if (i < k) y[t] = fnma(column[i], x, y[t]);
                if (i == k) y[t] = x;
            }
        });
    }
    __device__ __forceinline__ void solve_adjoint(T (&y)[rows], const Real<T> (&reciprocals)[rows]) const {
        each_step<true>(n_, [&](int s, int k) {
            const T x = broadcast(y[s] * reciprocals[s], k % L);
#pragma unroll
            for (int t = 0; t < rows; ++t) {
                if (t < s) continue;
                const int i = row(t);
                if (i > k && i < n_) y[t] = fnma(conjugate(a_[i * K::ld + k]), x, y[t]);
                if (i == k) y[t] = x;
            }
        });
    }
    __device__ __forceinline__ void multiply(T (&y)[rows]) const {
        each_step<false>(n_, [&](int s, int k) {
            T v[rows], g = T(Real<T>(0));
#pragma unroll
            for (int t = 0; t < rows; ++t) {
                if (t < s) continue;
                const int i = row(t);
                v[t] = i > k && i < m_ ? a_[k * K::ld + i] : T(Real<T>(i == k ? 1 : 0));
                g = fma_(conjugate(v[t]), y[t], g);
            }
#pragma unroll
            for (int distance = 1; distance < L; distance *= 2)
                if constexpr (sizeof(T) > sizeof(Real<T>))
                    g = g + T(__shfl_xor_sync(mask_, g.re, distance), __shfl_xor_sync(mask_, g.im, distance));
                else
                    g = g + __shfl_xor_sync(mask_, g, distance);
            g = taus_[k] * g;
#pragma unroll
            for (int t = 0; t < rows; ++t)
                if (t >= s) y[t] = fnma(v[t], g, y[t]);
        });
    }

    const T *const a_;
    T *const b_;
    const T *const taus_;
    const int m_, n_, nrhs_, lane_, own_;
    const unsigned mask_;
};

}  // namespace xbatch::qr
