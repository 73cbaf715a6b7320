// gram_panel.cuh: a well-conditioned panel A of up to 64 columns, in LAPACK's form, by the products of its columns: no
// exchange for each column.
//
// A^T A = R1^T R1 by Cholesky's method, Q = A R1^-1 and E = Q^T Q - I, which is small. With N the upper triangle of E
// and half of its diagonal, I + E = (I + N)^T (I + N) to second order, so R = (I + N) R1, or R1 where no column is near
// the span of the others, so that E is about unit roundoff. V and tau follow from A and R
// as in reconstruction.cuh. Others than well-conditioned panels, and those with a column that has hardly anything to
// eliminate, are left as they were.
//
// Yamamoto, Nakatsukasa, Yanagisawa, Fukaya: Roundoff error analysis of the CholeskyQR2 algorithm, Electronic
// Transactions on Numerical Analysis 44 (2015).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "core/dependent_launch.cuh"
#include "reconstruction.cuh"

namespace xbatch::qr {

template <class S>
struct GramPanelArguments {
    DeviceMatrices<S> a;  // from the panel's head on
    DeviceTau<S> tau;
    int64_t rows;
    int columns, blocks;  // of a matrix: 1, 2, 4, 8 or 16
    const int32_t *info;
    int32_t *done;  // whether the panel is factored
};

struct GramShared {
    using Tile = RowsOnTheWay<double, double>::Tile;
    Tile inverse, r1, rows[2];
    double row[2][most_vectors], column[2][most_vectors];
    double norms[most_vectors], pivots[most_vectors], signs[most_vectors];
};

// All blocks of a cluster compute the small matrices alike. Thread (i, c) has their rows i + 16 a and columns c + 16 b.
template <class S>
class GramPanel {
public:
    __device__ GramPanel(GramShared &shared, const GramPanelArguments<S> &p)
        : s_(shared),
          p_(p),
          a_(p.a.of(int(blockIdx.x) / p.blocks)),
          rank_(int(blockIdx.x) % p.blocks),
          i_(int(threadIdx.x) % 16),
          c_(int(threadIdx.x) / 16) {}

    __device__ __forceinline__ bool run() {
        TileProduct<double> product;
        form_gram(product);
        sum_over_blocks(product);
        load_gram();
        sweep<false>();
        if (!take_cholesky()) return false;
        if (needs_correction_) {
            form_error(product);
            sum_over_blocks(product);
            if (!correct_r()) return false;
        } else {
            keep_r();
        }
        load_top();
        sweep<true>();
        if (!take_vectors()) return false;
        form_vectors(product);
        return true;
    }

private:
    using T = double;
    static constexpr int side = 4;
    // Errors of Q and V are unit roundoff times the growth; R's is of the order of E's square.
    static constexpr T most_growth = std::is_same_v<S, float> ? 1 << 16 : 1 << 6;  // of |a_i| |(R^-1)_ij|
    // R1 is R if its error, unit roundoff times sum_i (|a_i| |(R^-1)_ij|)^2, is small for all j.
    static constexpr T most_inflation = std::is_same_v<S, float> ? 1 << 20 : 8;
    static constexpr T most_error = std::is_same_v<S, float> ? 1e-5 : 1e-9;  // of E

    template <class F>
    __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int a = 0; a < side; ++a)
#pragma unroll
            for (int b = 0; b < side; ++b) f(i_ + 16 * a, c_ + 16 * b, x_[a][b]);
    }
    static __device__ void clear(TileProduct<T> &product) {
        product.each([](int, int, T &x) { x = 0; });
    }
    // f(tile in shared memory, first row of it) for this block's tiles of 64 rows from `begin` on
    template <bool OVER_ROWS, class F>
    __device__ __forceinline__ void each_tile(int64_t begin, F f) {
        RowsOnTheWay<S, T, OVER_ROWS> on_the_way;
        const int64_t step = int64_t(p_.blocks) * product_side;
        const auto fetch = [&](int64_t first, int turn) {
            on_the_way.begin(a_.data + first * a_.row, a_.row, a_.column, p_.rows - first, p_.columns, s_.rows[turn]);
        };
        int64_t first = begin + int64_t(rank_) * product_side;
        __syncthreads();
        fetch(first, 0);
        on_the_way.end(s_.rows[0]);
        for (int turn = 0; first < p_.rows; first += step, turn ^= 1) {
            __syncthreads();
            fetch(first + step, turn ^ 1);
            f(s_.rows[turn], first);
            on_the_way.end(s_.rows[turn ^ 1]);
        }
        __syncthreads();
    }
    template <class Tile>
    static __device__ __forceinline__ void add(TileProduct<T> &product, const Tile &fast, const Tile &slow) {
#pragma unroll 1
        for (int d = 0; d < most_vectors / product_depth; ++d) product.add(fast[d], slow[d]);
    }
    __device__ __forceinline__ void form_gram(TileProduct<T> &gram) {
        clear(gram);
        each_tile<true>(0, [&](auto &tile, int64_t) { add(gram, tile, tile); });
    }
    // E + I
    __device__ __forceinline__ void form_error(TileProduct<T> &error) {
        clear(error);
        each_tile<false>(0, [&](auto &tile, int64_t) {
            TileProduct<T> q;
            clear(q);
            add(q, tile, s_.inverse);
            __syncthreads();  // the tile has been read
            q.each([&](int row, int column, T x) { *RowsOnTheWay<T, T, true>::place(tile, row, column) = x; });
            __syncthreads();
            add(error, tile, tile);
        });
    }
    // Leaves the sums over all blocks in sums().
    __device__ __forceinline__ void sum_over_blocks(TileProduct<T> &product) {
        T *const own = &s_.rows[0][0][0];
        product.each([&](int fast, int slow, T x) { own[slow * most_vectors + fast] = x; });
        sync();
        const int share = most_vectors * most_vectors / p_.blocks;
        for (int e = rank_ * share + int(threadIdx.x); e < (rank_ + 1) * share; e += product_threads) {
            T sum = 0;
            for (int b = 0; b < p_.blocks; ++b) sum += of_block(own, b)[e];
            for (int b = 0; b < p_.blocks; ++b) of_block(sums(), b)[e] = sum;
        }
        sync();
    }
    __device__ T *sums() const { return &s_.rows[1][0][0]; }
    __device__ T sum(int i, int c) const { return sums()[c * most_vectors + i]; }
    __device__ void sync() const { cluster_arrive(), cluster_wait(); }

    __device__ __forceinline__ void load_gram() {
        each([&](int i, int c, T &x) {
            x = i < p_.columns && c < p_.columns ? sum(i, c) : T(i == c);
            if (i == c) s_.norms[i] = sqrt(x);
        });
    }
    // The leading rows of A
    __device__ __forceinline__ void load_top() {
        each([&](int i, int c, T &x) {
            const bool is_in = i < p_.columns && c < p_.columns;
            x = is_in ? T(*a_.at(i, c)) : T(i == c);
        });
    }
    __device__ T *r(int i, int c) const { return sums() + i * (most_vectors + 1) + c; }

    // X - S R = L' U, with U_jj = 1: L' and, above its diagonal, U^-1 take the place of X. S R counts only if
    // SUBTRACTS.
    template <bool SUBTRACTS>
    __device__ __forceinline__ void sweep() {
#pragma unroll
        for (int n = 0; n < side; ++n)
#pragma unroll 1
            for (int l = 0; l < 16; ++l) {
                const int j = 16 * n + l, turn = j & 1;
                if (i_ == l)
#pragma unroll
                    for (int b = 0; b < side; ++b) s_.row[turn][c_ + 16 * b] = x_[n][b];
                if (c_ == l)
#pragma unroll
                    for (int a = 0; a < side; ++a) s_.column[turn][i_ + 16 * a] = x_[a][n];
                __syncthreads();
                T pivot = s_.row[turn][j], sign = 0;
                if (SUBTRACTS) sign = pivot >= 0 ? -1 : 1, pivot = fma(-sign, *r(j, j), pivot);
                const T factor = inverse(pivot, pivot);
                if (threadIdx.x == 0) s_.pivots[j] = pivot, s_.signs[j] = sign;
                T u[side], left[side];
#pragma unroll
                for (int a = 0; a < side; ++a) left[a] = s_.column[turn][i_ + 16 * a];
#pragma unroll
                for (int b = n; b < side; ++b) {
                    const int c = c_ + 16 * b;
                    T x = s_.row[turn][c];
                    if (SUBTRACTS) x = fma(-sign, *r(j, c), x);
                    u[b] = c > j ? x * factor : T(0);
                }
#pragma unroll
                for (int a = 0; a < side; ++a)
#pragma unroll
                    for (int b = n; b < side; ++b) {
                        const bool is_own = a == n && i_ == l && c_ + 16 * b > j;
                        x_[a][b] = is_own ? -u[b] : fma(-left[a], u[b], x_[a][b]);
                    }
            }
        __syncthreads();
    }
    // The inverse of the triangle that sweep() has left above the diagonal, whose columns are to be times `factor`.
    // Returns whether its growth is small. act(a, b, i, c, growth) for each entry
    template <class Act>
    __device__ __forceinline__ bool take_inverse(const T (&factor)[side], Act act) {
        bool is_well = true;
#pragma unroll
        for (int a = 0; a < side; ++a)
#pragma unroll
            for (int b = 0; b < side; ++b) {
                const int i = i_ + 16 * a, c = c_ + 16 * b;
                const T x = i < c ? x_[a][b] * factor[b] : i == c ? factor[b] : T(0);
                *RowsOnTheWay<T, T>::place(s_.inverse, c, i) = x;
                const T growth = s_.norms[i] * fabs(x);
                is_well = is_well && growth <= most_growth;
                act(a, b, i, c, growth);
            }
        return is_well;
    }
    // R1 and its inverse. Returns whether the panel is well-conditioned.
    __device__ __forceinline__ bool take_cholesky() {
        constexpr T range = T(1LL << 62);
        bool is_well = true;
        T root[side], squares[side] = {};
#pragma unroll
        for (int b = 0; b < side; ++b) {
            const T pivot = s_.pivots[c_ + 16 * b], norm = s_.norms[c_ + 16 * b];
            root[b] = 1 / sqrt(pivot);
            is_well = is_well && pivot > 0 && norm < range * range && norm * range * range > 1;
        }
        is_well &= take_inverse(root, [&](int a, int b, int i, int c, T growth) {
            squares[b] = fma(growth, growth, squares[b]);
            // R1^T below the diagonal
            *RowsOnTheWay<T, T>::place(s_.r1, i, c) = i >= c ? x_[a][b] * root[b] : T(0);
        });
        bool is_exact = true;
#pragma unroll
        for (int b = 0; b < side; ++b) {
#pragma unroll
            for (int lane = 8; lane > 0; lane /= 2) squares[b] += __shfl_xor_sync(~0u, squares[b], lane);
            is_exact = is_exact && squares[b] <= most_inflation;
        }
        needs_correction_ = !__syncthreads_and(is_exact);
        return __syncthreads_and(is_well) != 0;
    }
    // R = R1, for r()
    __device__ __forceinline__ void keep_r() {
        each([&](int i, int c, T &) { *r(i, c) = *RowsOnTheWay<T, T>::place(s_.r1, c, i); });
        __syncthreads();
    }
    // R = (I + N) R1, for r()
    __device__ __forceinline__ bool correct_r() {
        bool is_small = true;
        each([&](int i, int c, T &) {
            const T e = i < p_.columns && c < p_.columns ? sum(i, c) - T(i == c) : T(0);
            is_small = is_small && fabs(e) <= most_error;
            *RowsOnTheWay<T, T>::place(s_.rows[0], i, c) = i < c ? e : i == c ? e / 2 : T(0);
        });
        if (!__syncthreads_and(is_small)) return false;
        TileProduct<T> product;
        clear(product);
        add(product, s_.rows[0], s_.r1);
        product.each([&](int i, int c, T x) { *r(i, c) = *RowsOnTheWay<T, T>::place(s_.r1, c, i) + x; });
        __syncthreads();
        return true;
    }
    // W^-1 for the other rows; the first rows of V, S R and tau
    __device__ __forceinline__ bool take_vectors() {
        constexpr T most_tau = 2 - 1e-9;  // 2: nothing to eliminate
        bool is_well = true;
        T factor[side];
#pragma unroll
        for (int b = 0; b < side; ++b) {
            const int c = c_ + 16 * b;
            factor[b] = 1 / s_.pivots[c];
            is_well = is_well && (c >= p_.columns || fabs(s_.pivots[c]) < most_tau * *r(c, c));
        }
        is_well &= take_inverse(factor, [&](int a, int b, int i, int c, T) {
            x_[a][b] = i > c ? x_[a][b] * factor[b] : s_.signs[i] * *r(i, c);
        });
        if (!__syncthreads_and(is_well)) return false;
        if (rank_ > 0) return true;
        each([&](int i, int c, T &x) {
            if (i < p_.columns && c < p_.columns) *a_.at(i, c) = S(x);
        });
        const int c = int(threadIdx.x);
        if (c < p_.columns)
            *p_.tau.of(int(blockIdx.x) / p_.blocks).at(c, 0) = S(-s_.pivots[c] * s_.signs[c] / *r(c, c));
        return true;
    }
    __device__ __forceinline__ void form_vectors(TileProduct<T> &product) {
        each_tile<false>(p_.columns, [&](auto &tile, int64_t first) {
            clear(product);
            add(product, tile, s_.inverse);
            product.each([&](int row, int column, T x) {
                if (first + row < p_.rows && column < p_.columns)
                    a_.data[(first + row) * a_.row + column * a_.column] = S(x);
            });
        });
    }

    GramShared &s_;
    const GramPanelArguments<S> &p_;
    const MatrixView<S> a_;
    const int rank_, i_, c_;
    bool needs_correction_ = false;
    T x_[side][side];
};

template <class S>
__global__ void __launch_bounds__(product_threads, 1)
    factor_gram_panel(const __grid_constant__ GramPanelArguments<S> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    wait_for_prerequisites();
    trigger_dependents();
    if constexpr (architecture_has_clusters) {
        const int64_t j = blockIdx.x / p.blocks;
        const bool is_done = p.info[j] == 0 && GramPanel<S>(*reinterpret_cast<GramShared *>(memory), p).run();
        if (threadIdx.x == 0 && blockIdx.x % p.blocks == 0) p.done[j] = is_done;
    }
}

}  // namespace xbatch::qr
