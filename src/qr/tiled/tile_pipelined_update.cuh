// tile_pipelined_update.cuh: a tile of doubles updated by the reflectors of another, whose blocks are pipelined through
// shared memory.
//
// The columns of C2 are held in registers from the first block to the last (tile_mma.cuh); while one block is applied,
// the next one's vectors, triangle and rows of C1 are loaded.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_copy.cuh"
#include "qr/common/tile_mma.cuh"

namespace xbatch::qr {

template <int B>
struct PipelinedShared {
    static constexpr int ld = TileShared<double, B>::ld, top_ld = block_columns + 4;
    struct Stage {
        double vectors[block_columns * ld], triangle[block_columns * block_ld];
        double top[B * top_ld];  // C1, its 32 rows of a block
    };
    Stage stages[2];
};

// Entries of a matrix of the caller's, plain or transposed
struct CallerTile {
    double *at;
    int64_t row, column;  // from one to the next

    __device__ explicit CallerTile(const View<double> &v)
        : at(v.at), row(v.is_transposed ? v.ld : 1), column(v.is_transposed ? 1 : v.ld) {}
    __device__ double *operator()(int r, int c) const { return at + r * row + c * column; }
};

template <int B>
class PipelinedUpdate {
public:
    __device__ PipelinedUpdate(PipelinedShared<B> &shared, const DeviceReflectors<double> &t, const View<double> &top,
                               const View<double> &below, int columns, bool is_adjoint)
        : shared_(shared),
          t_(t),
          top_(top),
          below_(below),
          columns_(columns),
          is_adjoint_(is_adjoint),
          has_top_(t.shape != Shape::trapezoid) {}

    __device__ __forceinline__ void run() {
        const int blocks = (t_.columns + t_.ib - 1) / t_.ib, first = thread_of_task() / 32 * mma_columns;
        double tile[B / 8][4] = {};  // always set: otherwise registers hold it between tasks
        issue(0, blocks);
        if (is_mine(first)) load(tile, first);
        for (int n = 0; n < blocks; ++n) {
            wait_copies<0>();
            if (!has_top_) {
                __syncthreads();
                const int s = begin_of(n, blocks);
                set_diagonal(shared_.stages[n % 2].vectors, ld, t_, s, width_of(s));
            }
            __syncthreads();
            if (n + 1 < blocks) issue(n + 1, blocks);
            if (is_mine(first)) apply(tile, n, blocks, first);
        }
        if (is_mine(first)) store(tile, first);
    }

private:
    using Stage = typename PipelinedShared<B>::Stage;
    static constexpr int ld = PipelinedShared<B>::ld, top_ld = PipelinedShared<B>::top_ld;

    __device__ int begin_of(int n, int blocks) const { return (is_adjoint_ ? n : blocks - 1 - n) * t_.ib; }
    __device__ int width_of(int s) const { return min(t_.ib, t_.columns - s); }
    __device__ bool is_mine(int first) const { return first < columns_; }  // a warp's 16 columns
    __device__ bool has(int column) const { return column < columns_; }

    // Queues the copies of the n-th block that is applied.
    __device__ void issue(int n, int blocks) {
        Stage &stage = shared_.stages[n % 2];
        const int s = begin_of(n, blocks), width = width_of(s);
        t_.await_block(n);
        copy_block<B>(stage.vectors, ld, stage.triangle, t_, s, width);
        if (has_top_ && top_.row == 1) {
            copy_columns<block_columns>(stage.top, top_ld, B, top_(s, 0), top_.column, width, columns_);
        } else if (has_top_) {
            copy_entries<block_columns>(stage.top, top_ld, B, top_.at, [&](int r, int c) {
                return r < width && c < columns_ ? top_(s + r, c) : nullptr;
            });
        }
        queue_copies();
    }

    __device__ __forceinline__ void apply(double (&tile)[B / 8][4], int n, int blocks, int first) {
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
        apply_mma<B>(tile, w, stage.vectors, stage.triangle, is_adjoint_);
        if (!has_top_) return;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int even = 8 * k + lane.even(), odd = 8 * k + lane.odd();
            if (has(near) && even < width) *top_(s + even, near) = top0[even] + w[k][0];
            if (has(near) && odd < width) *top_(s + odd, near) = top0[odd] + w[k][2];
            if (has(far) && even < width) *top_(s + even, far) = top1[even] + w[k][1];
            if (has(far) && odd < width) *top_(s + odd, far) = top1[odd] + w[k][3];
        }
    }

    // act(row, column, entry) for the lane's entries of a tile, of columns from `first` on
    template <class Tile, class Act>
    __device__ __forceinline__ void each_entry(Tile &tile, int first, Act act) const {
        const MmaLane lane;
        const int near = first + lane.g, far = near + 8;
#pragma unroll
        for (int u = 0; u < B / 8; ++u)
#pragma unroll
            for (int e = 0; e < 4; ++e) act(8 * u + 2 * lane.t + e % 2, e < 2 ? near : far, tile[u][e]);
    }
    __device__ __forceinline__ void load(double (&tile)[B / 8][4], int first) const {
        each_entry(tile, first, [&](int r, int c, double &x) { x = r < t_.rows && c < columns_ ? *below_(r, c) : 0; });
    }
    __device__ __forceinline__ void store(const double (&tile)[B / 8][4], int first) const {
        each_entry(tile, first, [&](int r, int c, double x) {
            if (r < t_.rows && c < columns_) *below_(r, c) = x;
        });
    }

    PipelinedShared<B> &shared_;
    const DeviceReflectors<double> &t_;
    CallerTile top_, below_;
    int columns_;
    bool is_adjoint_, has_top_;
};

}  // namespace xbatch::qr
