// cyclic_matrix.cuh: a small matrix in the registers of a few lanes, distributed cyclically by rows and by columns.
//
// Lane (r, a) of D x A has rows r, r + D, … and columns a, a + A, …: R of the former and C of the latter. Stage S
// eliminates columns S A … S A + A - 1, of which each lane column has one, in slot S; all registers of a stage are
// constants. The matrix ends with the last row or column of the lanes, or both, so that a small one skips the first
// stages; in shapes with slack, whose lanes keep finished rows, it ends with the last column whatever its rows are. A
// reflector is H = I - f v v^T, f = tau / v_k^2, where v_k = alpha - beta and v is the column below row k. Its column
// reaches all lanes by shuffles, and sums over rows are formed by D lanes each.
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

template <class T, int SHAPE>
struct CyclicKind {
    static constexpr CyclicShape shape = std::get<SHAPE>(cyclic_shapes<T>);
    static constexpr int D = shape.down, A = shape.across, R = shape.rows, C = shape.columns;
    static constexpr int lanes = shape.lanes(), of_warp = shape.of_warp(), apart = shape.apart(), warps = shape.warps;
    static constexpr int of_box = cyclic_box_warps<T>(shape) * of_warp;
    static constexpr int most_warps = most_cyclic_warps<T>(shape);
    static_assert(32 % lanes == 0);
};

template <class T, class K>
class CyclicMatrix {
public:
    // By the own-th of its lanes; its taus in shared memory
    __device__ CyclicMatrix(const CyclicPlaces &at, int own, T *taus)
        : at_(at), taus_(taus - at.across), row_(own % D), column_(own / D) {
        asm volatile("" : "+r"(row_), "+r"(column_));  // otherwise each step computes them again
    }

    // ROW: distance between rows in shared memory
    template <int ROW>
    __device__ __forceinline__ void read(const T *from, bool is_there) {
        each_element<ROW>(from, is_there, [](T &x, const T *at, bool is_in) {
            x = T(0);
            if (is_in) x = *at;
        });
    }
    template <int ROW>
    __device__ __forceinline__ void write(T *to) const {
        each_element<ROW>(to, true, [](const T &x, T *at, bool is_in) {
            if (is_in) *at = x;
        });
    }
    // Returns whether a norm of this lane's matrix is near the ends of the range, or some result is not finite.
    __device__ __forceinline__ bool factor() {
        stage<0>();
        // If a product with a column overflowed, none of its entries is finite: zeros times infinity are not.
#pragma unroll
        for (int t = 0; t < C; ++t) needs_scaling_ |= is_nonfinite(a_[t][R - 1]);
        return needs_scaling_;
    }

private:
    static constexpr int D = K::D, A = K::A, R = K::R, C = K::C, apart = K::apart;
    static constexpr bool is_complex = sizeof(T) > sizeof(Real<T>);

    // The registers of a stage's heads: the first, and the one after the last
    template <int S>
    static constexpr int first = (S * A > K::shape.slack() ? S * A - K::shape.slack() : 0) / D;
    template <int S>
    static constexpr int below_heads = (S * A + A - 1) / D + 1 < R ? (S *A + A - 1) / D + 1 : R;

    template <int ROW, class P, class F>
    __device__ __forceinline__ void each_element(P *data, bool is_there, F f) const;
    // Over the lanes that share a column
    template <int S, class X, int N>
    __device__ __forceinline__ void sum(X (&g)[N]) const {
#pragma unroll
        for (int distance = 1; distance < D; distance *= 2)
#pragma unroll
            for (int t = S; t < N; ++t) g[t] = g[t] + exchanged(g[t], distance * apart);
    }
    // From the place of a row in the lanes to that of its diagonal entry
    __device__ int shift() const { return K::shape.slack() > 0 ? at_.across - at_.down : 0; }
    template <int S>
    __device__ __forceinline__ void step(int j, T &sigma);
    template <int S>
    __device__ __forceinline__ void stage();

    const CyclicPlaces &at_;
    T *const taus_;
    int row_, column_;
    bool needs_scaling_ = false;
    T a_[C][R];
};

// f(entry, its address, whether the matrix has it)
template <class T, class K>
template <int ROW, class P, class F>
__device__ __forceinline__ void CyclicMatrix<T, K>::each_element(P *data, bool is_there, F f) const {
    auto *const self = const_cast<CyclicMatrix *>(this);
    const int row = row_ - at_.down;
#pragma unroll
    for (int t = 0; t < C; ++t) {
        const int column = t * A + column_ - at_.across;
        P *const at = data + column * at_.ld + row * ROW;
        const bool is_in = is_there && unsigned(column) < unsigned(at_.n);
#pragma unroll
        for (int i = 0; i < R; ++i)
            f(self->a_[t][i], at + i * D * ROW, is_in && unsigned(row + i * D) < unsigned(at_.m));
    }
}

// Eliminates the j-th column of stage S.
template <class T, class K>
template <int S>
__device__ __forceinline__ void CyclicMatrix<T, K>::step(int j, T &sigma) {
    constexpr int begin = first<S>, end = below_heads<S>;
    const int k = S * A + j - shift(), lane = int(threadIdx.x) % 32;
    const bool is_owner = column_ == j;
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
    HouseholderScalars<T> h = short_householder(alpha, squares[0]);
    if (is_complex && S * A + j - at_.across == at_.m - 1) {  // the last row needs a reflector if its entry is not real
        const Real<T> of_head = inner(alpha, alpha);
        const bool acts = imaginary(alpha) != 0;
        needs_scaling_ |= acts && !in_safe_range(of_head, of_head);
        if (!acts) h = {real_part(alpha), Real<T>(0), T(0), T(0)};
    } else {
        needs_scaling_ |= !in_safe_range(squares[0], inner(alpha, alpha) + squares[0]);
    }
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
#pragma unroll
    for (int i = begin; i < end; ++i) a_[S][i] = chosen(is_owner && i * D + row_ == k, T(h.beta), a_[S][i]);
    sigma = chosen(is_owner, h.sigma, sigma);
    if (is_owner && row_ == 0) taus_[S * A + j] = h.tau;
}

// Vectors stay unscaled, v = sigma x, until the stage's columns are eliminated.
template <class T, class K>
template <int S>
__device__ __forceinline__ void CyclicMatrix<T, K>::stage() {
    if (at_.end <= S * A) return;
    if (at_.across < (S + 1) * A) {
        T sigma = T(1);
#pragma unroll 1
        for (int j = max(0, at_.across - S * A); j < min(A, at_.end - S * A); ++j) step<S>(j, sigma);
#pragma unroll
        for (int i = first<S>; i < R; ++i)
            a_[S][i] =
                chosen(i >= below_heads<S> || i * D + row_ > S * A + column_ - shift(), sigma * a_[S][i], a_[S][i]);
    }
    if constexpr (S + 1 < C && (S + 1) * A < D * R) stage<S + 1>();
}

}  // namespace xbatch::qr
