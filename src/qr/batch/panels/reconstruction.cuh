// reconstruction.cuh: LAPACK's V, tau and R of a tall panel from any of its orthonormal factors Q.
//
// With signs s and S = diag(s), Q - [S; 0] = V U: an LU factorisation without interchanges, where s_j is opposite to
// the pivot, so that |u_jj| >= 1. The reflectors of V, with tau_j = |u_jj|, have the product [Q S, ...], hence R := S
// R. U is inverted, its inverse is bounded, and V = (Q - [S; 0]) U^-1 by matrix products.
//
// Ballard, Demmel, Grigori, Jacquelin, Knight, Nguyen: Reconstructing Householder vectors from tall-skinny QR, Journal
// of Parallel and Distributed Computing 85 (2015).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_large.hpp"
#include "tile_product.cuh"

namespace xbatch::qr {

struct Reconstruction {
    int64_t rows;
    int columns;  // <= most_vectors
    double *a;    // Q, then V and R
    int64_t lda;
    const double *r;  // of the factorisation that gave Q
    int64_t ldr;
    double *tau;
    int64_t tau_step;
    double *inverse;            // U^-1, most_vectors rows
    int32_t *has_tail;          // whether a column of V has an entry below its 1
    const int32_t *is_refused;  // if nonzero, nothing is done
};

// Whether the panel is to be factored otherwise: columns that are not finite or have nothing to eliminate; `done` says
// the opposite. One warp.
__global__ void check_panel(Reconstruction p, const int32_t *bad, const int32_t *info, int32_t *is_refused,
                            int32_t *done) {
    const int lane = int(threadIdx.x);
    bool refuses = *bad != 0;
    for (int c = lane; c < most_vectors; c += 32) {
        refuses = refuses || (c < p.columns && p.r[c * p.ldr + c] == 0);
        p.has_tail[c] = 0;
    }
    refuses = __any_sync(~0u, refuses);
    if (lane != 0) return;
    *is_refused = refuses || *info != 0;
    *done = !*is_refused;
}

constexpr int identity_threads = 256;
__global__ void __launch_bounds__(identity_threads) set_identity_panel(Reconstruction p) {
    if (*p.is_refused) return;
    const int64_t step = int64_t(gridDim.x) * identity_threads;
    for (int64_t i = int64_t(blockIdx.x) * identity_threads + threadIdx.x; i < p.rows; i += step)
        for (int c = 0; c < p.columns; ++c) p.a[c * p.lda + i] = i == c;
}

// The leading rows: thread r + 64 q has row r and columns q, q + 4, ... in registers.
constexpr int top_threads = 4 * most_vectors;
struct TopShared {
    double u[most_vectors][most_vectors + 1], column[2][most_vectors], row[2][most_vectors];
    double r[most_vectors], signs[most_vectors], tau[most_vectors];  // r: R's diagonal
};
class TopOfPanel {
public:
    __device__ TopOfPanel(TopShared &shared, const Reconstruction &p)
        : s_(shared), p_(p), r_(int(threadIdx.x) % most_vectors), q_(int(threadIdx.x) / most_vectors) {}

    __device__ __forceinline__ void run() {
        each([&](int c, double &x) { x = is_in(c) ? p_.a[c * p_.lda + r_] : r_ == c; });
        if (q_ == 0) s_.r[r_] = r_ < p_.columns ? p_.r[r_ * p_.ldr + r_] : 0;
        __syncthreads();
        steps([&](int jj, int k) { eliminate(jj, k); });
        __syncthreads();
        if (q_ == 0 && r_ < p_.columns) p_.tau[r_ * p_.tau_step] = s_.tau[r_];
        each([&](int c, double &x) {
            s_.u[r_][c] = x;
            if (is_in(c)) p_.a[c * p_.lda + r_] = r_ > c ? x : s_.signs[r_] * p_.r[c * p_.ldr + r_];
            if (r_ > c && x != 0 && is_in(c)) p_.has_tail[c] = 1;
            x = r_ == c;
        });
        for (int j = p_.columns - 1; j >= 0; --j) substitute_back(j);
        each([&](int c, double &x) { p_.inverse[c * most_vectors + r_] = x; });
    }

private:
    static constexpr int own = most_vectors / 4;

    __device__ bool is_in(int c) const { return r_ < p_.columns && c < p_.columns; }
    template <class F>
    __device__ __forceinline__ void each(F f) {
#pragma unroll
        for (int i = 0; i < own; ++i) f(4 * i + q_, x_[i]);
    }
    // f(index of column 4 jj + k in the registers of its threads, k)
    template <class F>
    __device__ __forceinline__ void steps(F f) {
#pragma unroll
        for (int jj = 0; jj < own; ++jj)
#pragma unroll 1
            for (int k = 0; k < 4 && 4 * jj + k < p_.columns; ++k) f(jj, k);
    }
    __device__ void publish_row(double *row) {
        each([&](int c, double x) { row[c] = x; });
    }
    __device__ __forceinline__ void eliminate(int jj, int k) {
        const int j = 4 * jj + k, turn = j % 2;
        if (q_ == k) s_.column[turn][r_] = x_[jj];
        if (r_ == j) publish_row(s_.row[turn]);
        __syncthreads();
        const double pivot = s_.row[turn][j], sign = pivot > 0 || (pivot == 0 && s_.r[j] > 0) ? -1 : 1;
        const double u = pivot - sign;
        if (r_ == j && q_ == k) x_[jj] = u, s_.signs[j] = sign, s_.tau[j] = fabs(u);
        if (r_ <= j) return;
        const double l = s_.column[turn][r_] / u;
        each([&](int c, double &x) {
            if (c > j) x = fnma(l, s_.row[turn][c], x);
        });
        if (q_ == k) x_[jj] = l;
    }
    __device__ __forceinline__ void substitute_back(int j) {
        __syncthreads();  // U is stored, or the row before has been read
        double *const row = s_.row[j % 2];
        if (r_ == j) {
            const double inverse = 1 / s_.u[j][j];
            each([&](int, double &x) { x *= inverse; });
            publish_row(row);
        }
        __syncthreads();
        if (r_ >= j) return;
        const double u = s_.u[r_][j];
        each([&](int c, double &x) { x = fnma(u, row[c], x); });
    }

    TopShared &s_;
    const Reconstruction &p_;
    int r_, q_;
    double x_[own];
};
__global__ void __launch_bounds__(top_threads) reconstruct_top(const __grid_constant__ Reconstruction p) {
    __shared__ TopShared shared;
    if (!*p.is_refused) TopOfPanel(shared, p).run();
}

// The other rows, V = Q U^-1 in place: persistent blocks with the inverse in shared memory load 64 rows while they
// multiply others.
constexpr int rows_resident = 2;
struct RowsShared {
    static constexpr int depths = most_vectors / product_depth;
    using Tile = double[depths][TileProduct<double>::elements];
    Tile inverse, q[2];
    int32_t has_tail[most_vectors];
};
__global__ void __launch_bounds__(product_threads, rows_resident)
    reconstruct_rows(const __grid_constant__ Reconstruction p) {
    extern __shared__ __align__(16) unsigned char memory[];
    RowsShared &s = *reinterpret_cast<RowsShared *>(memory);
    if (*p.is_refused) return;
    const int thread = int(threadIdx.x);
    if (thread < most_vectors) s.has_tail[thread] = 0;
    const auto fetch = [&](const ProductOperand<double> &operand, RowsShared::Tile &to) {
        OperandShare<double> share(operand, 0);
#pragma unroll
        for (int d = 0; d < RowsShared::depths; ++d) share.fetch(d * product_depth, p.columns, to[d]);
    };
    const auto fetch_rows = [&](int64_t first, RowsShared::Tile &to) {
        if (first < p.rows) fetch({p.a + first, 1, p.lda, int(min(p.rows - first, int64_t(product_side))), false}, to);
        queue_copies();
    };
    int64_t first = p.columns + int64_t(blockIdx.x) * product_side;
    const int64_t step = int64_t(gridDim.x) * product_side;
    fetch({p.inverse, most_vectors, 1, p.columns, false}, s.inverse);
    fetch_rows(first, s.q[0]);
    for (int turn = 0; first < p.rows; first += step, turn ^= 1) {
        fetch_rows(first + step, s.q[turn ^ 1]);
        wait_copies<1>();
        __syncthreads();
        TileProduct<double> product;
        product.each([](int, int, double &x) { x = 0; });
#pragma unroll 1
        for (int d = 0; d < RowsShared::depths; ++d) product.add(s.q[turn][d], s.inverse[d]);
        product.each([&](int row, int column, double x) {
            if (first + row >= p.rows || column >= p.columns) return;
            p.a[column * p.lda + first + row] = x;
            if (x != 0) s.has_tail[column] = 1;
        });
        __syncthreads();  // the tile has been read
    }
    if (thread < most_vectors && s.has_tail[thread]) p.has_tail[thread] = 1;
}

// Columns of V without a tail: H = I instead of I - 2 e e^T
__global__ void drop_empty_reflectors(Reconstruction p) {
    const int c = int(threadIdx.x);
    if (*p.is_refused || c >= p.columns) return;
    for (int j = 0; j <= c; ++j)
        if (!p.has_tail[j]) p.a[c * p.lda + j] = -p.a[c * p.lda + j];
    if (!p.has_tail[c]) p.tau[c * p.tau_step] = 0;
}

}  // namespace xbatch::qr
