// tile_stream.cuh: a tile of doubles updated by the reflectors of another, whose blocks stream through shared memory.
//
// The columns of C2 stay in registers from the first block to the last (tile_mma.cuh); while one block is applied, the
// next one's vectors, triangle and rows of C1 are on their way.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tile_mma.cuh"

namespace xbatch {

template <int B>
struct StreamShared {
    static constexpr int ld = TileShared<double, B>::ld, top_ld = block_columns + 4;
    struct Stage {
        double vectors[block_columns * ld], triangle[block_columns * block_ld];
        double top[B * top_ld];  // C1, its 32 rows of a block
    };
    Stage stages[2];
};

// 16 bytes, or 8, of which `bytes` come from memory; the rest are zero.
__device__ inline void copy_16(double *to, const double *from, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(bytes)
                 : "memory");
}
__device__ inline void copy_8(double *to, const double *from, int bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(bytes)
                 : "memory");
}

// Entries of a matrix of the caller's, plain or transposed
struct Strided {
    double *at;
    int64_t row, column;  // from one to the next

    __device__ explicit Strided(const DeviceView<double> &v)
        : at(v.at), row(v.is_transposed ? v.ld : 1), column(v.is_transposed ? 1 : v.ld) {}
    __device__ double *operator()(int r, int c) const { return at + r * row + c * column; }
    __device__ bool is_aligned() const {
        return row == 1 && column % 2 == 0 && reinterpret_cast<uintptr_t>(at) % 16 == 0;
    }
};

template <int B>
class StreamUpdate {
public:
    __device__ StreamUpdate(StreamShared<B> &shared, const DeviceReflectors<double> &t, const DeviceView<double> &top,
                            const DeviceView<double> &below, int columns, bool is_adjoint)
        : shared_(shared),
          t_(t),
          top_(top),
          below_(below),
          columns_(columns),
          is_adjoint_(is_adjoint),
          has_top_(t.shape != Shape::trapezoid),
          vectors_are_aligned_(t.shape == Shape::full && t.ldv % 2 == 0 && reinterpret_cast<uintptr_t>(t.v) % 16 == 0),
          top_is_aligned_(top_.is_aligned()),
          tile_is_whole_(below_.is_aligned() && t.rows == B && columns == B) {}

    __device__ void run() {
        const int blocks = (t_.columns + t_.ib - 1) / t_.ib, first = int(threadIdx.x) / 32 * mma_columns;
        double tile[B / 8][4];
        issue(0, blocks);
        if (first < columns_) load(tile, first);
        for (int n = 0; n < blocks; ++n) {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
            __syncthreads();
            if (n + 1 < blocks) issue(n + 1, blocks);
            if (first < columns_) apply(tile, n, blocks, first);
        }
        if (first < columns_) store(tile, first);
    }

private:
    using Stage = typename StreamShared<B>::Stage;
    static constexpr int ld = StreamShared<B>::ld, top_ld = StreamShared<B>::top_ld;

    __device__ int begin_of(int n, int blocks) const { return (is_adjoint_ ? n : blocks - 1 - n) * t_.ib; }
    __device__ int width_of(int s) const { return min(t_.ib, t_.columns - s); }

    // Queues the copies of the n-th block that is applied.
    __device__ void issue(int n, int blocks) {
        Stage &stage = shared_.stages[n % 2];
        const int s = begin_of(n, blocks), width = width_of(s);
        if (vectors_are_aligned_) {
#pragma unroll 4
            for (int e = int(threadIdx.x); e < block_columns * B / 2; e += tile_threads) {
                const int c = e / (B / 2), r = e % (B / 2) * 2, rows = c < width ? t_.rows - r : 0;
                const int there = rows >= 2 ? 16 : rows == 1 ? 8 : 0;
                copy_16(stage.vectors + c * ld + r, there > 0 ? t_.v + (s + c) * t_.ldv + r : t_.v, there);
            }
        } else {
#pragma unroll 4
            for (int e = int(threadIdx.x); e < block_columns * B; e += tile_threads) {
                const int c = e / B, r = e % B;
                double *const to = stage.vectors + c * ld + r;
                const bool is_there = c < width && r < t_.rows && t_.has(r, s + c);
                if (c < width && t_.shape == Shape::trapezoid && r == s + c)
                    *to = 1;
                else
                    copy_8(to, is_there ? t_.v + (s + c) * t_.ldv + r : t_.v, is_there ? 8 : 0);
            }
        }
#pragma unroll
        for (int e = int(threadIdx.x); e < block_columns * block_columns; e += tile_threads) {
            const int c = e / block_columns, r = e % block_columns;
            const bool is_there = r <= c && c < width;
            copy_8(stage.triangle + c * block_ld + r, is_there ? t_.triangles + (s + c) * t_.ib + r : t_.triangles,
                   is_there ? 8 : 0);
        }
        if (has_top_) issue_top(stage, s, width);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    __device__ void issue_top(Stage &stage, int s, int width) const {
        if (top_is_aligned_ && s % 2 == 0) {
#pragma unroll 4
            for (int e = int(threadIdx.x); e < B * block_columns / 2; e += tile_threads) {
                const int c = e / (block_columns / 2), r = e % (block_columns / 2) * 2;
                const int rows = c < columns_ ? width - r : 0, there = rows >= 2 ? 16 : rows == 1 ? 8 : 0;
                copy_16(stage.top + c * top_ld + r, there > 0 ? top_(s + r, c) : top_.at, there);
            }
        } else {
#pragma unroll 4
            for (int e = int(threadIdx.x); e < B * block_columns; e += tile_threads) {
                const int c = e / block_columns, r = e % block_columns;
                const bool is_there = c < columns_ && r < width;
                copy_8(stage.top + c * top_ld + r, is_there ? top_(s + r, c) : top_.at, is_there ? 8 : 0);
            }
        }
    }

    __device__ void apply(double (&tile)[B / 8][4], int n, int blocks, int first) {
        const MmaLane lane;
        Stage &stage = shared_.stages[n % 2];
        const int s = begin_of(n, blocks), width = width_of(s), near = first + lane.g, far = near + 8;
        const double *const top0 = stage.top + near * top_ld, *const top1 = stage.top + far * top_ld;
        double w[4][4] = {};
        if (has_top_) {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int even = 8 * k + lane.even(), odd = 8 * k + lane.odd();
                w[k][0] = top0[even], w[k][1] = top0[odd], w[k][2] = top1[even], w[k][3] = top1[odd];
            }
        }
        if (is_adjoint_)
            apply_mma<B, true>(tile, w, stage.vectors, stage.triangle);
        else
            apply_mma<B, false>(tile, w, stage.vectors, stage.triangle);
        if (!has_top_) return;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int even = 8 * k + lane.even(), odd = 8 * k + lane.odd();
            if (near < columns_ && even < width) *top_(s + even, near) = top0[even] - w[k][0];
            if (near < columns_ && odd < width) *top_(s + odd, near) = top0[odd] - w[k][1];
            if (far < columns_ && even < width) *top_(s + even, far) = top1[even] - w[k][2];
            if (far < columns_ && odd < width) *top_(s + odd, far) = top1[odd] - w[k][3];
        }
    }

    __device__ void load(double (&tile)[B / 8][4], int first) const {
        const MmaLane lane;
        const int near = first + lane.g, far = near + 8;
        if (tile_is_whole_) {
            const double *const c0 = below_(2 * lane.t, near), *const c1 = below_(2 * lane.t, far);
#pragma unroll
            for (int u = 0; u < B / 8; ++u) {
                const double2 x = *reinterpret_cast<const double2 *>(c0 + 8 * u);
                const double2 y = *reinterpret_cast<const double2 *>(c1 + 8 * u);
                tile[u][0] = x.x, tile[u][1] = x.y, tile[u][2] = y.x, tile[u][3] = y.y;
            }
        } else {
#pragma unroll
            for (int u = 0; u < B / 8; ++u)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int r = 8 * u + 2 * lane.t + e % 2, c = e < 2 ? near : far;
                    tile[u][e] = r < t_.rows && c < columns_ ? *below_(r, c) : 0;
                }
        }
    }
    __device__ void store(const double (&tile)[B / 8][4], int first) const {
        const MmaLane lane;
        const int near = first + lane.g, far = near + 8;
        if (tile_is_whole_) {
            double *const c0 = below_(2 * lane.t, near), *const c1 = below_(2 * lane.t, far);
#pragma unroll
            for (int u = 0; u < B / 8; ++u) {
                *reinterpret_cast<double2 *>(c0 + 8 * u) = make_double2(tile[u][0], tile[u][1]);
                *reinterpret_cast<double2 *>(c1 + 8 * u) = make_double2(tile[u][2], tile[u][3]);
            }
        } else {
#pragma unroll
            for (int u = 0; u < B / 8; ++u)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int r = 8 * u + 2 * lane.t + e % 2, c = e < 2 ? near : far;
                    if (r < t_.rows && c < columns_) *below_(r, c) = tile[u][e];
                }
        }
    }

    StreamShared<B> &shared_;
    const DeviceReflectors<double> &t_;
    Strided top_, below_;
    int columns_;
    bool is_adjoint_, has_top_, vectors_are_aligned_, top_is_aligned_, tile_is_whole_;
};

}  // namespace xbatch
