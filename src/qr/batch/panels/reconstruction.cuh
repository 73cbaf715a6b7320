// reconstruction.cuh: LAPACK's V, tau and signs of a tall panel A whose R is known.
//
// With signs s and S = diag(s), A - [S R; 0] = V W: an LU factorisation without interchanges, where s_j r_jj is
// opposite to the real part of the pivot. tau_j = -w_jj / (s_j r_jj), and V = A W^-1 by matrix products below the
// leading rows. An entry of V has an error of unit roundoff times sum_i |a_i| |(W^-1)_ij|, which is small for
// well-conditioned matrices. For others Q and I take the places of A and R: Q - [S; 0] = V W, where W^-1 is always
// bounded.
//
// Ballard, Demmel, Grigori, Jacquelin, Knight, Nguyen: Reconstructing Householder vectors from tall-skinny QR, Journal
// of Parallel and Distributed Computing 85 (2015).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/householder.cuh"
#include "qr_large.hpp"
#include "tile_product.cuh"

namespace xbatch::qr {

// The type of the arithmetic. Floats are factored as doubles, for which tall matrices have kernels: a tree of floats
// takes longer, and all norms are well within the range.
template <class S>
using TreeType = std::conditional_t<std::is_same_v<S, float>, double, S>;

template <class S>
struct Reconstruction {
    using T = TreeType<S>;
    int64_t rows;
    int columns;  // <= most_vectors
    S *a;         // then V and S R
    int64_t lda;
    const T *r;
    int64_t ldr;
    T *q;  // may be `a`
    int64_t ldq;
    S *tau;
    int64_t tau_step;
    T *inverse;         // W^-1, most_vectors rows
    int32_t *has_tail;  // whether a column of V has an entry below its 1
    // Zero if V is formed from A, if from Q; nonzero if from either
    int32_t *skips_a, *skips_q, *done;
};

template <class S, class T>
__device__ S rounded(T x) {
    if constexpr (sizeof(T) > sizeof(Real<T>))
        return x;
    else
        return S(x);
}
// Whether the panel is to be factored otherwise: a norm is not finite. By all threads of a block
template <class S>
__device__ bool is_refused(const Reconstruction<S> &p, const int32_t *bad, const int32_t *info) {
    const int c = int(threadIdx.x);
    return __syncthreads_or(*bad != 0 || *info != 0 || (c < p.columns && !is_finite(rounded<S>(p.r[c * p.ldr + c])))) !=
           0;
}

// The first rows of the identity
constexpr int identity_threads = 256;
template <class S>
__global__ void __launch_bounds__(identity_threads) set_identity_panel(Reconstruction<S> p, int64_t rows) {
    if (*p.skips_q) return;
    const int64_t step = int64_t(gridDim.x) * identity_threads;
    for (int64_t i = int64_t(blockIdx.x) * identity_threads + threadIdx.x; i < rows; i += step)
        for (int c = 0; c < p.columns; ++c) p.q[c * p.ldq + i] = TreeType<S>(Real<TreeType<S>>(i == c ? 1 : 0));
}

// The leading rows of A or Q: thread i + 64 q has row i and columns q, q + 4, ... in registers.
constexpr int top_threads = 4 * most_vectors;
template <class T>
struct TopShared {
    T w[most_vectors][most_vectors + 1], r[most_vectors][most_vectors + 1];
    T column[2][most_vectors], row[2][most_vectors], tau[most_vectors];
    Real<T> norms[most_vectors], diagonal[most_vectors], signs[most_vectors];
};
template <class S, bool FROM_Q>
class TopOfPanel {
public:
    using T = TreeType<S>;
    using R = Real<T>;

    __device__ TopOfPanel(TopShared<T> &shared, const Reconstruction<S> &p)
        : s_(shared), p_(p), i_(int(threadIdx.x) % most_vectors), q_(int(threadIdx.x) / most_vectors) {}

    // Returns false, and stores nothing, if the panel is not well-conditioned.
    __device__ __forceinline__ bool run() {
        each([&](int c, T &x) {
            s_.r[i_][c] = is_in(c) && i_ <= c ? p_.r[c * p_.ldr + i_] : T(R(0));
            x = !is_in(c) ? T(R(i_ == c)) : FROM_Q ? p_.q[c * p_.ldq + i_] : T(p_.a[c * p_.lda + i_]);
        });
        __syncthreads();
        if (q_ == 0) {
            R norm = 0;
            for (int r = 0; r < most_vectors; ++r) norm += magnitude(s_.r[r][i_]);
            s_.norms[i_] = norm, s_.diagonal[i_] = real_part(s_.r[i_][i_]);
        }
        __syncthreads();
        steps([&](int jj, int k) { eliminate(jj, k); });
        each([&](int c, T &x) { s_.w[i_][c] = x, x = T(R(i_ == c)); });
        for (int j = p_.columns - 1; j >= 0; --j) substitute_back(j);
        if (!FROM_Q && !is_well_conditioned()) return false;
        if (q_ == 0 && i_ < p_.columns) p_.tau[i_ * p_.tau_step] = rounded<S>(s_.tau[i_]);
        each([&](int c, T &x) {
            p_.inverse[c * most_vectors + i_] = x;
            if (!is_in(c)) return;
            const T w = s_.w[i_][c];
            p_.a[c * p_.lda + i_] = rounded<S>(i_ > c ? w : p_.r[c * p_.ldr + i_] * s_.signs[i_]);
            if (i_ > c && magnitude(rounded<S>(w)) != 0) p_.has_tail[c] = 1;
        });
        return true;
    }

private:
    static constexpr int own = most_vectors / 4;
    static constexpr R most_growth = std::is_same_v<S, float> ? 1 << 20 : 1 << 8;
    static constexpr int range = sizeof(R) == 8 ? 800 : 100;  // of exponents

    __device__ bool is_in(int c) const { return i_ < p_.columns && c < p_.columns; }
    template <class F>
    __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int n = 0; n < own; ++n) f(4 * n + q_, x_[n]);
    }
    // f(index of column 4 jj + k in the registers of its threads, k)
    template <class F>
    __device__ __forceinline__ void steps(F f) {
#pragma unroll
        for (int jj = 0; jj < own; ++jj)
#pragma unroll 1
            for (int k = 0; k < 4 && 4 * jj + k < p_.columns; ++k) f(jj, k);
    }
    __device__ void publish_row(T *row) {
        each([&](int c, T x) { row[c] = x; });
    }
    // What the sign of row j multiplies
    __device__ T subtracted(int j, int c) const { return FROM_Q ? T(R(j == c)) : s_.r[j][c]; }
    __device__ __forceinline__ void eliminate(int jj, int k) {
        const int j = 4 * jj + k, turn = j % 2;
        if (q_ == k) s_.column[turn][i_] = x_[jj];
        if (i_ == j) publish_row(s_.row[turn]);
        __syncthreads();
        const T pivot = s_.row[turn][j];
        const R of_r = real_part(subtracted(j, j)), size = real_part(pivot);
        const bool is_positive = size > 0 || (size == 0 && (!FROM_Q || s_.diagonal[j] > 0));
        const R sign = is_positive == (of_r > 0) ? -1 : 1;
        const T w = pivot - T(sign * of_r);
        if (i_ < j) return;
        if (i_ == j) {
            each([&](int c, T &x) {
                if (c >= j) x = x - subtracted(j, c) * sign;
            });
            if (q_ == k) s_.signs[j] = sign, s_.tau[j] = w * (-sign / of_r);
            return;
        }
        const T l = s_.column[turn][i_] * reciprocal(w);
        each([&](int c, T &x) {
            if (c > j) x = fnma(l, s_.row[turn][c] - subtracted(j, c) * sign, x);
        });
        if (q_ == k) x_[jj] = l;
    }
    __device__ __forceinline__ void substitute_back(int j) {
        __syncthreads();  // W is stored, or the row before has been read
        T *const row = s_.row[j % 2];
        if (i_ == j) {
            const T inverse = reciprocal(s_.w[j][j]);
            each([&](int, T &x) { x = x * inverse; });
            publish_row(row);
        }
        __syncthreads();
        if (i_ >= j) return;
        const T w = s_.w[i_][j];
        each([&](int c, T &x) { x = fnma(w, row[c], x); });
    }
    __device__ __forceinline__ bool is_well_conditioned() {
        each([&](int c, T x) { s_.r[i_][c] = T(is_in(c) ? s_.norms[i_] * magnitude(x) : R(0)); });
        __syncthreads();
        bool is_so = true;
        if (q_ == 0 && i_ < p_.columns) {
            R growth = 0;
            for (int r = 0; r < most_vectors; ++r) growth += real_part(s_.r[r][i_]);
            const R norm = s_.norms[i_];
            is_so = growth <= most_growth && magnitude(s_.tau[i_]) <= 3 && norm >= power_of_two<R>(-range) &&
                    norm <= power_of_two<R>(range);
        }
        return __syncthreads_and(is_so) != 0;
    }

    TopShared<T> &s_;
    const Reconstruction<S> &p_;
    int i_, q_;
    T x_[own];
};
template <class S>
__global__ void __launch_bounds__(top_threads)
    reconstruct_from_a(const __grid_constant__ Reconstruction<S> p, const int32_t *bad, const int32_t *info) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto &shared = *reinterpret_cast<TopShared<TreeType<S>> *>(memory);
    const bool refuses = is_refused(p, bad, info);
    if (threadIdx.x < most_vectors) p.has_tail[threadIdx.x] = 0;
    __syncthreads();
    const bool is_formed = !refuses && TopOfPanel<S, false>(shared, p).run();
    if (threadIdx.x != 0) return;
    *p.done = !refuses, *p.skips_a = !is_formed, *p.skips_q = refuses || is_formed;
}
template <class S>
__global__ void __launch_bounds__(top_threads) reconstruct_from_q(const __grid_constant__ Reconstruction<S> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    if (!*p.skips_q) TopOfPanel<S, true>(*reinterpret_cast<TopShared<TreeType<S>> *>(memory), p).run();
}

// 64 rows on the way to shared memory, loaded while others are multiplied; floats through registers. As operand of a
// product whose sums are over columns, or OVER_ROWS
template <class From, class T, bool OVER_ROWS = false>
class RowsOnTheWay {
public:
    static constexpr int depths = most_vectors / product_depth;
    using Tile = T[depths][TileProduct<T>::elements];

    static __device__ T *place(Tile &tile, int row, int column) {
        const int i = OVER_ROWS ? column : row, k = OVER_ROWS ? row : column;
        return tile[k / product_depth] + TileProduct<T>::at(i, k % product_depth);
    }
    // Element (i, k) at at[i*row + k*ld]
    __device__ __forceinline__ void begin(const From *at, int64_t row, int64_t ld, int64_t rows, int columns,
                                          Tile &to) {
        const int height = int(min(max(rows, int64_t(0)), int64_t(product_side)));
        if constexpr (std::is_same_v<From, T>) {
            if (rows > 0) {
                const ProductOperand<T> down{at, row, ld, height, false}, across{at, ld, row, columns, false};
                OperandShare<T> share(OVER_ROWS ? across : down, 0);
#pragma unroll
                for (int d = 0; d < depths; ++d) share.fetch(d * product_depth, OVER_ROWS ? height : columns, to[d]);
            }
            queue_copies();
        } else {
            each([&](int n, int i, int k) { x_[n] = read_if(i < height && k < columns, at + i * row + k * ld); });
        }
    }
    __device__ __forceinline__ void end(Tile &to) {
        if constexpr (std::is_same_v<From, T>)
            wait_for_copies();
        else
            each([&](int n, int i, int k) { *place(to, i, k) = x_[n]; });
    }

private:
    static constexpr int step = product_threads / product_side, count = most_vectors / step;
    // f(number, row, column) of this thread's entries
    template <class F>
    __device__ __forceinline__ void each(F f) const {
#pragma unroll
        for (int n = 0; n < count; ++n)
            f(n, int(threadIdx.x) % product_side, int(threadIdx.x) / product_side + n * step);
    }
    From x_[std::is_same_v<From, T> ? 1 : count];
};
// V = A W^-1 or Q W^-1: persistent blocks with the inverse in shared memory
template <class T>
struct RowsShared {
    static constexpr int resident = product_blocks<T>;
    using Tile = typename RowsOnTheWay<T, T>::Tile;
    Tile inverse, rows[2];
    int32_t has_tail[most_vectors];
};
template <class From, class S>
__global__ void __launch_bounds__(product_threads, RowsShared<TreeType<S>>::resident)
    reconstruct_rows(const __grid_constant__ Reconstruction<S> p, const From *from, int64_t ld, const int32_t *skips) {
    using T = TreeType<S>;
    extern __shared__ __align__(16) unsigned char memory[];
    auto &s = *reinterpret_cast<RowsShared<T> *>(memory);
    if (*skips) return;
    const int thread = int(threadIdx.x);
    if (thread < most_vectors) s.has_tail[thread] = 0;
    int64_t first = p.columns + int64_t(blockIdx.x) * product_side;
    const int64_t step = int64_t(gridDim.x) * product_side;
    OperandShare<T> inverse({p.inverse, most_vectors, 1, p.columns, false}, 0);
#pragma unroll
    for (int d = 0; d < RowsOnTheWay<From, T>::depths; ++d) inverse.fetch(d * product_depth, p.columns, s.inverse[d]);
    wait_for_copies();
    RowsOnTheWay<From, T> rows;
    rows.begin(from + first, 1, ld, p.rows - first, p.columns, s.rows[0]);
    rows.end(s.rows[0]);
    for (int turn = 0; first < p.rows; first += step, turn ^= 1) {
        __syncthreads();
        rows.begin(from + first + step, 1, ld, p.rows - first - step, p.columns, s.rows[turn ^ 1]);
        TileProduct<T> product;
        product.each([](int, int, T &x) { x = T(Real<T>(0)); });
#pragma unroll 1
        for (int d = 0; d < RowsOnTheWay<From, T>::depths; ++d) product.add(s.rows[turn][d], s.inverse[d]);
        product.each([&](int row, int column, T x) {
            if (first + row >= p.rows || column >= p.columns) return;
            const S v = rounded<S>(x);
            p.a[column * p.lda + first + row] = v;
            if (magnitude(v) != 0) s.has_tail[column] = 1;
        });
        rows.end(s.rows[turn ^ 1]);
    }
    __syncthreads();
    if (thread < most_vectors && s.has_tail[thread]) p.has_tail[thread] = 1;
}

// Columns of V without a tail, and with a real pivot: H = I instead of I - 2 e e^T
template <class S>
__global__ void __launch_bounds__(most_vectors) drop_empty_reflectors(Reconstruction<S> p) {
    __shared__ bool is_empty[most_vectors];
    const int c = int(threadIdx.x);
    if (!*p.done) return;
    if (c < p.columns) is_empty[c] = !p.has_tail[c] && imaginary(p.tau[c * p.tau_step]) == 0;
    __syncthreads();
    if (c >= p.columns) return;
    for (int j = 0; j <= c; ++j)
        if (is_empty[j]) p.a[c * p.lda + j] = p.a[c * p.lda + j] * Real<S>(-1);
    if (is_empty[c]) p.tau[c * p.tau_step] = S(Real<S>(0));
}

}  // namespace xbatch::qr
