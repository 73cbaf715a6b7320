// cyclic_matrix.cuh: QR of a small matrix in the registers of a few lanes (cyclic_columns.cuh).
//
// The matrix ends with the last row or column of the lanes, or both, so that a small one skips the first stages; in
// shapes with slack, whose lanes keep finished rows, it ends with the last column whatever its rows are.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclic_columns.cuh"

namespace xbatch::qr {

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
class CyclicMatrix : CyclicColumns<T, K> {
public:
    // By the own-th of its lanes; its taus in shared memory
    __device__ CyclicMatrix(const CyclicPlaces &at, int own, T *taus) : Base(own), at_(at), taus_(taus - at.across) {}

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
    using Base = CyclicColumns<T, K>;
    using Base::A, Base::C, Base::D, Base::R, Base::a_, Base::column_, Base::is_complex, Base::row_;
    template <int S>
    static constexpr int first = Base::template first<S>;
    template <int S>
    static constexpr int below_heads = Base::template below_heads<S>;

    template <int ROW, class P, class F>
    __device__ __forceinline__ void each_element(P *data, bool is_there, F f) const;
    // From the place of a row in the lanes to that of its diagonal entry
    __device__ int shift() const { return K::shape.slack() > 0 ? at_.across - at_.down : 0; }
    template <int S>
    __device__ __forceinline__ void step(int j, T &sigma);
    template <int S>
    __device__ __forceinline__ void stage();

    const CyclicPlaces &at_;
    T *const taus_;
    bool needs_scaling_ = false;
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
    const int k = S * A + j - shift();
    const auto scalars = [&](T alpha, Real<T> squares) {
        const HouseholderScalars<T> h = short_householder(alpha, squares);
        if (is_complex &&
            S * A + j - at_.across == at_.m - 1) {  // a reflector in the last row if its entry is not real
            const Real<T> of_head = inner(alpha, alpha);
            const bool acts = imaginary(alpha) != 0;
            needs_scaling_ |= acts && !in_safe_range(of_head, of_head);
            return acts ? h : HouseholderScalars<T>{real_part(alpha), Real<T>(0), T(0), T(0)};
        }
        needs_scaling_ |= !in_safe_range(squares, inner(alpha, alpha) + squares);
        return h;
    };
    const HouseholderScalars<T> h = this->template reflect<S>(j, k, scalars);
    const bool is_owner = column_ == j;
#pragma unroll
    for (int i = first<S>; i < below_heads<S>; ++i)
        a_[S][i] = chosen(is_owner && i * D + row_ == k, T(h.beta), a_[S][i]);
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
