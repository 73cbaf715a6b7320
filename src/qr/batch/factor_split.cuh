// factor_split.cuh: batched QR of tall matrices of doubles whose rows a few warps share, by panels of 8 columns.
//
// Left-looking: blocks of reflectors in shared memory are applied to a panel in registers (panel_mma.cuh), it is
// factored, and its vectors and -T go to shared memory. Rows are distributed cyclically in chunks of 8: warp w of W has
// chunks w, w + W, …, and of these lane 4g + t has rows 2t and 2t + 1 of column g. Sums over the warps go through
// shared memory: for a reflector x^T a_g for all g, for a block W = C^T V.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "core/lanes.cuh"
#include "factor_packed.cuh"
#include "packed_arguments.cuh"
#include "panel_mma.cuh"
#include "qr_split_tuning.hpp"
#include "resident_scaled.cuh"
#include "tile_kind.cuh"

namespace xbatch::qr {

struct alignas(16) SplitMemory {
    double2 tiles[split_warps][32];      // of each warp: its part of W, as accumulators
    double products[2][8][split_warps];  // of x with column g
    double heads[2][8];                  // row k
    double taus[most_split_columns];
    int wrong;  // first column whose norm is not finite
};

// A lane's row of register i
__device__ __forceinline__ int split_row(int i) {
    return 8 * (i / 2 * split_warps + int(threadIdx.x) / 32) + 2 * (int(threadIdx.x) % 4) + i % 2;
}

// Columns of matrices in global memory: this lane's rows of column c of a panel
template <int SHAPE>
class SplitColumns {
public:
    __device__ SplitColumns(const MatrixView<double> &a, int m, int n) : matrix_(a), m_(m), n_(n) {}

    __device__ int columns() const { return n_; }
    __device__ int steps() const { return n_; }
    // Loads, or STORES. Loads in one branch: merged ones would wait for each other.
    template <bool STORES, int R>
    __device__ __forceinline__ void move(int, int c, double (&a)[R]) const {
        double *const column = matrix_.at(0, min(c, n_ - 1));
        const int part = split_row(0) / 2, rows = c < n_ ? m_ : 0;
        if (matrix_.by_sixteen && m_ % 2 == 0)
            move_packed_column<STORES, 2, Kind>(column, matrix_.row, part, rows, a);
        else
            move_packed_column<STORES, 1, Kind>(column, matrix_.row, part, rows, a);
    }

private:
    struct Kind {  // as PackedKind
        static constexpr int chunk = 2, chunks = split_shapes[SHAPE].chunks, R = chunk * chunks, D = 4 * split_warps;
    };

    const MatrixView<double> &matrix_;
    const int m_, n_;
};

template <int SHAPE, class Columns = SplitColumns<SHAPE>>
class SplitPanel {
public:
    __device__ SplitPanel(SplitMemory &memory, double *vectors, Columns &columns, int m)
        : memory_(memory),
          vectors_(vectors),
          of_(columns),
          m_(m),
          n_(columns.columns()),
          steps_(columns.steps()),
          all_((m + 7) / 8) {}

    // Panels whose norms need scaling are loaded and factored again.
    __device__ __forceinline__ void factor() {
        each_panel([&](double *block, bool is_last) {
            bool is_scaled = false;
#pragma unroll 1
            while (true) {
                move<false>();
                if (!is_scaled || !is_last) apply_before();
                if (is_last && panel_ > 0 && !is_scaled) {  // for a second attempt
                    move<true>();
                    __syncthreads();
                }
                if (is_scaled) {
                    eliminate_scaled(block);
                    break;
                }
                is_scaled = eliminate(block);
                if (!is_scaled) break;
            }
        });
    }

    // All panels with scaled norms, or none. Returns whether some norm needs scaling.
    __device__ __forceinline__ bool factor_once(bool is_scaled) {
        bool needs_scaling = false;
        each_panel([&](double *block, bool is_last) {
            move<false>();
            apply_before();
            if (is_last && panel_ > 0) __syncthreads();
            if (is_scaled)
                eliminate_scaled(block);
            else
                needs_scaling |= eliminate(block);
        });
        return needs_scaling;
    }

private:
    static constexpr int chunks = split_shapes[SHAPE].chunks, R = 2 * chunks;
    static constexpr int near = most_split_columns / 8 / split_warps;  // chunks that may hold heads

    __device__ int ld(int panel) const { return split_ld(m_, panel); }
    __device__ int chunk(int i) const { return i * split_warps + warp_; }
    __device__ int row(int i) const { return split_row(i); }
    // Whether chunk i has rows of the vectors of a panel
    __device__ bool has(int i, int panel) const {
        return (i >= near || chunk(i) >= panel) && (i < SplitShape::fewest(chunks) || chunk(i) < all_);
    }

    // f(block, is_last) loads and factors each panel; the last one where the vectors of the first were.
    template <class F>
    __device__ __forceinline__ void each_panel(F f) {
        const int panels = (n_ + 7) / 8;
        double *place = vectors_;
#pragma unroll 1
        for (panel_ = 0; panel_ < panels; ++panel_) {
            const bool is_last = panel_ + 1 == panels;
            if (is_last) place = vectors_;
            f(place - 8 * panel_, is_last);
            move<true>();
            if (!is_last) keep(place - 8 * panel_);
            place += 8 * ld(panel_);
        }
    }
    template <bool STORES>
    __device__ __forceinline__ void move() {
        of_.template move<STORES>(panel_, 8 * panel_ + lane_.g, a_);
    }
    // This lane's rows of its column, to or from where the panel is exchanged
    __device__ __forceinline__ void write_column(double *block, int column, int ld) const {
#pragma unroll
        for (int i = 0; i < chunks; ++i)
            if (has(i, panel_))
                *reinterpret_cast<double2 *>(block + column * ld + row(2 * i)) = make_double2(a_[2 * i], a_[2 * i + 1]);
    }
    __device__ __forceinline__ void read_column(const double *block, int column, int ld, double (&x)[R]) const {
#pragma unroll
        for (int i = 0; i < chunks; ++i) {
            if (!has(i, panel_)) continue;
            const double2 y = *reinterpret_cast<const double2 *>(block + column * ld + row(2 * i));
            x[2 * i] = y.x, x[2 * i + 1] = y.y;
        }
    }

    // C -= V T^T V^T C for the panels before this one
    __device__ __forceinline__ void apply_before() {
        const double *place = vectors_;
#pragma unroll 1
        for (int q = 0; q < panel_; ++q) {
            apply(place - 8 * q, q, ld(q));
            place += 8 * ld(q);
        }
    }
    __device__ __forceinline__ void apply(const double *block, int q, int ld) {
        const int own = lane_.vector(), even = lane_.even(), odd = lane_.odd();
        const auto entry = [&](double stored, int i, int r, int column) {  // where -T is stored
            return chunk(i) != q || r > column ? stored : r == column ? 1. : 0.;
        };
        const double *const two_rows = block + block_place(2 * lane_.t, own, ld);
        double w[4][2] = {};
#pragma unroll
        for (int i = 0; i < chunks; ++i) {
            double2 v = make_double2(0, 0);
            if (has(i, q)) v = *reinterpret_cast<const double2 *>(two_rows + 8 * chunk(i));
            if (i < near) v = make_double2(entry(v.x, i, 2 * lane_.t, own), entry(v.y, i, 2 * lane_.t + 1, own));
            mma_small(w[i % 2 * 2], a_[2 * i], v.x);
            mma_small(w[i % 2 * 2 + 1], a_[2 * i + 1], v.y);
        }
        const double2 sum = sum_tile(w);
        const double *const heads = block + 8 * q;
        double x[2] = {};
        mma_small(x, sum.x, even <= own ? heads[block_place(even, own, ld)] : 0);
        mma_small(x, sum.y, odd <= own ? heads[block_place(odd, own, ld)] : 0);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int column = half ? odd : even;
            const double *const one_row = block + block_place(lane_.g, column, ld);
#pragma unroll
            for (int i = 0; i < chunks; ++i) {
                double v = 0;
                if (has(i, q)) v = one_row[8 * chunk(i)];
                if (i < near) v = entry(v, i, lane_.g, column);
                double tile[2] = {a_[2 * i], a_[2 * i + 1]};
                mma_small(tile, x[half], v);
                a_[2 * i] = tile[0], a_[2 * i + 1] = tile[1];
            }
        }
    }
    // Over the warps, of accumulators that each has in four parts
    __device__ __forceinline__ double2 sum_tile(const double (&w)[4][2]) {
        const int lane = int(threadIdx.x) % 32;
        memory_.tiles[warp_][lane] =
            make_double2((w[0][0] + w[1][0]) + (w[2][0] + w[3][0]), (w[0][1] + w[1][1]) + (w[2][1] + w[3][1]));
        __syncthreads();
        double2 sum = memory_.tiles[0][lane];
#pragma unroll
        for (int k = 1; k < split_warps; ++k) sum.x += memory_.tiles[k][lane].x, sum.y += memory_.tiles[k][lane].y;
        __syncthreads();
        return sum;
    }

    // Factors the panel. Returns whether a norm needs scaling.
    __device__ __forceinline__ bool eliminate(double *block) {
        const int first = 8 * panel_, count = min(8, steps_ - first), ld_ = ld(panel_), g = lane_.g, t = lane_.t;
        double sigma = 1;
        bool needs_scaling = false;
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            const int k = first + j;
            double x[R] = {}, part[2] = {};
            if (g == j) write_column(block, j, ld_);
            __syncwarp();
            read_column(block, j, ld_, x);
#pragma unroll
            for (int i = 0; i < 2 * near; ++i) x[i] = row(i) > k ? x[i] : 0;
#pragma unroll
            for (int i = 0; i < R; ++i) part[i % 2] = fma(x[i], a_[i], part[i % 2]);
            double product = part[0] + part[1];
            product += exchanged(product, 1);
            product += exchanged(product, 2);
            double head = a_[0];
#pragma unroll
            for (int i = 1; i < 2 * near; ++i) head = row(i) == k ? a_[i] : head;
            if (t == 0) memory_.products[j % 2][g][warp_] = product;
            if (chunk(0) == panel_ || (near > 1 && chunk(1) == panel_))
                if (t == j / 2) memory_.heads[j % 2][g] = head;
            __syncthreads();
            const double alpha = memory_.heads[j % 2][j], own = memory_.heads[j % 2][g];
            double squares = memory_.products[j % 2][j][0];
            product = memory_.products[j % 2][g][0];
#pragma unroll
            for (int w = 1; w < split_warps; ++w)
                squares += memory_.products[j % 2][j][w], product += memory_.products[j % 2][g][w];
            const HouseholderScalars<double> h = householder(alpha, squares);
            needs_scaling |= !in_safe_range(squares, fma(alpha, alpha, squares));
            const double change = g > j ? h.ratio * fma(h.sigma, product, own) : 0, top = alpha - h.beta;
#pragma unroll
            for (int i = 0; i < 2 * near; ++i) x[i] = row(i) == k ? top : x[i];
#pragma unroll
            for (int i = 0; i < R; ++i) a_[i] = fnma(x[i], change, a_[i]);
#pragma unroll
            for (int i = 0; i < 2 * near; ++i) a_[i] = g == j && row(i) == k ? h.beta : a_[i];
            sigma = g == j ? h.sigma : sigma;
            if (threadIdx.x == 0) memory_.taus[k] = h.tau;
        }
        if (needs_scaling) return true;
#pragma unroll
        for (int i = 0; i < R; ++i) a_[i] = i >= 2 * near || row(i) > first + g ? sigma * a_[i] : a_[i];
        return false;
    }
    // The same with scaled norms, by the first warp
    __device__ __forceinline__ void eliminate_scaled(double *block) {
        const int first = 8 * panel_, count = min(8, n_ - first), steps = max(0, min(8, steps_ - first)),
                  ld_ = ld(panel_);
        __syncthreads();
        write_column(block, lane_.g, ld_);
        __syncthreads();
        if (warp_ == 0) {
            const int wrong = factor_scaled(block + first, ld_, m_ - first, count, steps, memory_.taus + first);
            if (wrong > 0 && threadIdx.x == 0) memory_.wrong = min(memory_.wrong, first + wrong);
        }
        __syncthreads();
        read_column(block, lane_.g, ld_, a_);
    }
    // Stores the vectors and -T for later panels.
    __device__ __forceinline__ void keep(double *block) {
        const int ld_ = ld(panel_), g = lane_.g, t = lane_.t, first = 8 * panel_;
        double w[4][2] = {};
#pragma unroll
        for (int i = 0; i < R; ++i) {
            double v = a_[i];
            if (i < 2 * near) v = row(i) > first + g ? v : row(i) == first + g ? 1. : 0.;
            mma_small(w[i % 4], v, v);
        }
        const double2 sum = sum_tile(w);  // of V^T V, row g
#pragma unroll
        for (int i = 0; i < chunks; ++i)
            if (has(i, panel_))
                *reinterpret_cast<double2 *>(block + 8 * chunk(i) + block_place(2 * t, g, ld_)) =
                    make_double2(a_[2 * i], a_[2 * i + 1]);
        __syncwarp();
        if (warp_ != panel_ % split_warps) return;
        double *const products = reinterpret_cast<double *>(memory_.tiles[warp_]);
        memory_.tiles[warp_][int(threadIdx.x) % 32] = sum;
        __syncwarp();
        const TriangleRow triangle(products, block_vectors, memory_.taus + first, block_vectors);
        __syncwarp();
        triangle.store(block + first, ld_);
    }

    SplitMemory &memory_;
    double *const vectors_;
    Columns &of_;
    const int m_, n_, steps_, all_;  // all_: chunks
    const BlockLane lane_;
    const int warp_ = int(threadIdx.x) / 32;
    int panel_ = 0;
    double a_[R];
};

template <int SHAPE>
__global__ void __launch_bounds__(32 * split_warps, split_shapes[SHAPE].blocks)
    factor_split(const __grid_constant__ PackedArguments<double> p) {
    extern __shared__ __align__(16) unsigned char shared[];
    SplitMemory &memory = *reinterpret_cast<SplitMemory *>(shared);
    const MatrixView<double> a = p.a.of(blockIdx.x);
    if (threadIdx.x == 0) memory.wrong = INT_MAX;
    SplitColumns<SHAPE> columns(a, p.m, p.n);
    SplitPanel<SHAPE>(memory, reinterpret_cast<double *>(&memory + 1), columns, p.m).factor();
    __syncthreads();
    const MatrixView<double> tau = p.tau.of(blockIdx.x);
    for (int i = int(threadIdx.x); i < p.n; i += int(blockDim.x)) *tau.at(i, 0) = memory.taus[i];
    if (p.info && threadIdx.x == 0) p.info[blockIdx.x] = memory.wrong == INT_MAX ? 0 : memory.wrong;
}

// Bytes of shared memory of a block. The last panel takes the place of the first.
inline size_t split_bytes(int m, int n) {
    int elements = 8 * split_ld(m, 0);
    for (int p = 1; 8 * (p + 1) < n; ++p) elements += 8 * split_ld(m, p);
    return sizeof(SplitMemory) + size_t(elements) * sizeof(double);
}

}  // namespace xbatch::qr
