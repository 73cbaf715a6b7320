// panel_mma.cuh: a block reflector of 8 vectors of doubles, applied by matrix instructions to columns in registers.
//
// H_1 … H_8 = I - V T V^T. Lane 4g + t holds column g, of each 8 rows those of numbers 2t and 2t + 1: the accumulators
// of transposed tiles C^T, m8n8k4. W = C^T V, X = -W T, C^T += X V^T. As in tile_mma.cuh an accumulator is an operand
// without a move between lanes, since the rows and vectors that a step of a product sums over have any order.
//
// V is in shared memory, column by column, whose leading dimension is a multiple of 8. Of its first 8 rows, those of
// the heads, the upper triangle holds -T. So that lanes access different banks, pairs of rows have other places in some
// columns, in others the rows of two blocks of 8 have each other's if their number is even, and vectors have an order
// in products.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_mma.cuh"

namespace xbatch::qr {

constexpr int block_vectors = 8;

// even(), odd(): the vectors of W and X that a lane has; vector(): that whose products are its column of W
struct BlockLane {
    int g, t;

    __device__ BlockLane() : g(int(threadIdx.x) % 32 / 4), t(int(threadIdx.x) % 4) {}
    __device__ int even() const { return t < 2 ? t : t + 4; }
    __device__ int odd() const { return (t ^ 1) + 2; }
    __device__ int vector() const { return int(0x47562130u >> (4 * g)) & 7; }
};
// Whether the rows of blocks of 8 change places in odd columns, as far as an even number of them goes
__device__ __forceinline__ bool changes_blocks(int column, int ld) { return ld % 16 == 0 && column % 2 == 1; }
// Place of an entry of one of the first 8 rows
__device__ __forceinline__ int block_place(int row, int column, int ld) {
    return column * ld + (row ^ (column & 2) * 2) + (changes_blocks(column, ld) ? 8 : 0);
}
// Places of a row of the first 8, and of those some blocks of 8 rows further
template <class V>
struct BlockRow {
    V *even, *odd;  // for an even number of blocks, and for an odd one

    __device__ BlockRow(V *block, int row, int column, int ld) : even(block + block_place(row, column, ld)) {
        int back = changes_blocks(column, ld) ? 16 : 0;
        if (ld % 16 == 0) asm volatile("" : "+r"(back));  // hidden: places are not to be held in registers
        odd = even - back;
    }
    __device__ V *at(int further) const { return (further % 2 == 0 ? even : odd) + 8 * further; }
};

// c += a b. Volatile, or the compiler loads operands so early that registers spill.
__device__ __forceinline__ void mma_small(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
#endif
}

// A lane's row of T: entry j is -tau_j times the product of the entries before it with column j of V^T V.
class TriangleRow {
public:
    // products: V^T V. Of count vectors tau is given, others are zero.
    __device__ __forceinline__ TriangleRow(const double *products, int ld, const double *taus, int count) {
#pragma unroll
        for (int j = 0; j < block_vectors; ++j) {
            const double tau = j < count ? taus[j] : 0;
            double sum = 0;
#pragma unroll
            for (int k = 0; k < j; ++k) sum = fma(row_[k], products[j * ld + k], sum);
            row_[j] = j == own_ ? tau : -tau * sum;
        }
    }
    // Stores the rows of -T of a warp's first lanes.
    __device__ __forceinline__ void store(double *block, int ld) const {
        if (int(threadIdx.x) % 32 < block_vectors)
#pragma unroll
            for (int j = 0; j < block_vectors; ++j)
                if (own_ <= j) block[block_place(own_, j, ld)] = -row_[j];
    }

private:
    const int own_ = int(threadIdx.x) % block_vectors;
    double row_[block_vectors];
};

// Stores the vectors, of which the lanes have v from register FIRST on, and -T, at `block`. By a warp; of count vectors
// tau is given, others are zero.
template <int FIRST, int R>
__device__ __forceinline__ void store_block(const double (&v)[R], const double *taus, int count, double *block,
                                            int ld) {
    const BlockLane lane;
    double products[2][2] = {};  // row g of V^T V
#pragma unroll
    for (int i = FIRST; i < R; ++i) mma_small(products[i % 2], v[i], v[i]);
    *reinterpret_cast<double2 *>(block + lane.g * ld + 2 * lane.t) =
        make_double2(products[0][0] + products[1][0], products[0][1] + products[1][1]);
    __syncwarp();
    const TriangleRow triangle(block, ld, taus, count);
    __syncwarp();
    const BlockRow<double> place(block, 2 * lane.t, lane.g, ld);
#pragma unroll
    for (int i = FIRST; i < R; i += 2)
        *reinterpret_cast<double2 *>(place.at((i - FIRST) / 2)) = make_double2(v[i], v[i + 1]);
    __syncwarp();
    triangle.store(block, ld);
}

// c: this lane's rows of its column, which change from register FIRST on
template <int FIRST, int R>
__device__ __forceinline__ void apply_block(double (&c)[R], const double *block, int ld) {
    const BlockLane lane;
    const int own = lane.vector(), even = lane.even(), odd = lane.odd();
    const auto entry = [](double stored, int row, int column) {  // of the heads' rows
        return row > column ? stored : row == column ? 1. : 0.;
    };
    const BlockRow<const double> two_rows(block, 2 * lane.t, own, ld), even_row(block, lane.g, even, ld),
        odd_row(block, lane.g, odd, ld);
    double w[2][2] = {};
#pragma unroll
    for (int i = FIRST; i < R; i += 2) {
        double2 v = *reinterpret_cast<const double2 *>(two_rows.at((i - FIRST) / 2));
        if (i == FIRST) v = make_double2(entry(v.x, 2 * lane.t, own), entry(v.y, 2 * lane.t + 1, own));
        mma_small(w[0], c[i], v.x);
        mma_small(w[1], c[i + 1], v.y);
    }
    double x[2] = {};
    mma_small(x, w[0][0] + w[1][0], even <= own ? block[block_place(even, own, ld)] : 0);
    mma_small(x, w[0][1] + w[1][1], odd <= own ? block[block_place(odd, own, ld)] : 0);
#pragma unroll
    for (int i = FIRST; i < R; i += 2) {
        double v0 = *even_row.at((i - FIRST) / 2), v1 = *odd_row.at((i - FIRST) / 2);
        if (i == FIRST) v0 = entry(v0, lane.g, even), v1 = entry(v1, lane.g, odd);
        double tile[2] = {c[i], c[i + 1]};
        mma_small(tile, x[0], v0);
        mma_small(tile, x[1], v1);
        c[i] = tile[0], c[i + 1] = tile[1];
    }
}

}  // namespace xbatch::qr
