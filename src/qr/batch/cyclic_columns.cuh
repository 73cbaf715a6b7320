// cyclic_columns.cuh: columns in the registers of a few lanes, distributed cyclically by rows and by columns, and how
// one of them is eliminated.
//
// Lane (r, a) of D x A has rows r, r + D, … and columns a, a + A, …: R of the former and C of the latter. Stage S
// eliminates columns S A … S A + A - 1, of which each lane column has one, in slot S; all registers of a stage are
// constants. A reflector is H = I - f v v^T, f = tau / v_k^2, where v_k = alpha - beta and v is the column below row k.
// Its column reaches all lanes by shuffles, and sums over rows are formed by D lanes each.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/lanes.cuh"
#include "qr/common/householder.cuh"
#include "qr_cyclic_tuning.hpp"

namespace xbatch::qr {

// householder(); in single precision by the hardware's approximations, which are shorter than a division.
__device__ __forceinline__ HouseholderScalars<double> short_householder(double alpha, double squares) {
    return householder(alpha, squares);
}
__device__ __forceinline__ HouseholderScalars<float> short_householder(float alpha, float squares) {
    const float x = fmaf(alpha, alpha, squares), size = fabsf(alpha);
    float root, over;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    const float norm = x * root, d = size + norm;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(over) : "f"(d));
    over = fmaf(fmaf(-d, over, 1.0f), over, over);
    return {copysignf(norm, -alpha), copysignf(root, alpha), fmaf(size, root, 1.0f), copysignf(over, alpha)};
}
__device__ __forceinline__ HouseholderScalars<Complex<double>> short_householder(Complex<double> alpha,
                                                                                 double squares) {
    return householder(alpha, squares);
}
__device__ __forceinline__ HouseholderScalars<Complex<float>> short_householder(Complex<float> alpha, float squares) {
    const float x = fmaf(alpha.re, alpha.re, fmaf(alpha.im, alpha.im, squares)), size = fabsf(alpha.re);
    float root, over;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    const float norm = x * root, d = size + norm, squared = fmaf(d, d, alpha.im * alpha.im);
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(over) : "f"(squared));
    over = fmaf(fmaf(-squared, over, 1.0f), over, over);
    const float ratio = copysignf(root, alpha.re);
    return {copysignf(norm, -alpha.re), ratio, Complex<float>(fmaf(size, root, 1.0f), ratio * alpha.im),
            Complex<float>(copysignf(d * over, alpha.re), -alpha.im * over)};
}

template <class T, class K>
class CyclicColumns {
protected:
    static constexpr int D = K::D, A = K::A, R = K::R, C = K::C, apart = K::apart;
    static constexpr bool is_complex = sizeof(T) > sizeof(Real<T>);

    // The registers of a stage's heads: the first, and the one after the last
    template <int S>
    static constexpr int first = (S * A > K::shape.slack() ? S * A - K::shape.slack() : 0) / D;
    template <int S>
    static constexpr int below_heads = (S * A + A - 1) / D + 1 < R ? (S *A + A - 1) / D + 1 : R;

    // By the own-th of the lanes
    __device__ explicit CyclicColumns(int own) : row_(own % D), column_(own / D) {
        asm volatile("" : "+r"(row_), "+r"(column_));  // otherwise each step computes them again
    }
    // Applies the reflector of the j-th column of stage S, whose diagonal entry is in row k of the lanes, to the
    // columns after it. scalars(alpha, squares): those of the reflector
    template <int S, class F>
    __device__ __forceinline__ HouseholderScalars<T> reflect(int j, int k, F scalars);
    // Over the lanes that share a column
    template <int S, class X, int N>
    __device__ __forceinline__ void sum(X (&g)[N]) const {
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2)
#pragma unroll
            for (int t = S; t < N; ++t) g[t] = g[t] + exchanged(g[t], distance * apart);
    }

    int row_, column_;
    T a_[C][R];
};

template <class T, class K>
template <int S, class F>
__device__ __forceinline__ HouseholderScalars<T> CyclicColumns<T, K>::reflect(int j, int k, F scalars) {
    constexpr int begin = first<S>, end = below_heads<S>;
    const int lane = int(threadIdx.x) % 32;
    T v[R], g[C];
    Real<T> squares[1], part[2] = {};
#pragma unroll
    for (int i = begin; i < R; ++i) v[i] = A > 1 ? from_lane(a_[S][i], lane + (j - column_) * D * apart) : a_[S][i];
    T alpha = v[begin];
#pragma unroll
    for (int i = begin + 1; i < end; ++i) alpha = chosen(k / D == i, v[i], alpha);
    if constexpr (D > 1) alpha = from_lane(alpha, lane + (k % D - row_) * apart);
#pragma unroll
    for (int i = begin; i < end; ++i) v[i] = chosen(i * D + row_ > k, v[i], T(0));
#pragma unroll
    for (int i = begin; i < R; ++i) {
        part[i % 2] = fma_(real_part(v[i]), real_part(v[i]), part[i % 2]);
        if constexpr (is_complex) part[i % 2] = fma_(imaginary(v[i]), imaginary(v[i]), part[i % 2]);
    }
    squares[0] = part[0] + part[1];
    sum<0>(squares);
    // Products of the rows below the heads: they do not wait for the scalars.
    constexpr int next = A > 1 ? S : S + 1, sums = C - S > 3 ? 1 : 2;  // the first slot that it changes
#pragma unroll
    for (int t = next; t < C; ++t) {
        T of[2] = {};
#pragma unroll
        for (int i = end; i < R; ++i) of[i % sums] = fma_(conjugate(v[i]), a_[t][i], of[i % sums]);
        g[t] = sums > 1 ? of[0] + of[1] : of[0];
    }
    const HouseholderScalars<T> h = scalars(alpha, squares[0]);
    const T f = h.sigma * h.ratio, own = chosen(column_ > j, f, T(0));
#pragma unroll
    for (int i = begin; i < end; ++i) v[i] = chosen(i * D + row_ == k, alpha - T(h.beta), v[i]);
#pragma unroll
    for (int t = next; t < C; ++t)
#pragma unroll
        for (int i = begin; i < end; ++i) g[t] = fma_(conjugate(v[i]), a_[t][i], g[t]);
    sum<next>(g);
#pragma unroll
    for (int t = next; t < C; ++t) {
        const T change = (t == S ? own : f) * g[t];
#pragma unroll
        for (int i = begin; i < R; ++i) a_[t][i] = fnma(v[i], change, a_[t][i]);
    }
    return h;
}

}  // namespace xbatch::qr
