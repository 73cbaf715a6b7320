// tile_full_update.cuh: a full tile of doubles updated by the reflectors of another (TSMQR), all sizes known, B rows
// and N columns, where tile_chain_update.cuh does not update it.
//
// The columns of C2 are held in registers from the first block to the last (tile_mma.cuh). Vectors and triangles of the
// blocks are loaded by TMA (bulk asynchronous copies), as many blocks ahead as there is room for, one copy per column
// since these are padded. Each warp issues its share, and loads the rows of C1 of its own columns one block ahead.
// Loads and stores of C1 and C2 after a block are interleaved with the products' instructions, which overlap them.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_copies.cuh"
#include "core/block_barrier.cuh"
#include "core/cluster.cuh"
#include "qr/common/tile_copy.cuh"
#include "qr/common/tile_mma.cuh"

namespace xbatch::qr {

// The operands of an update
struct FullOperands {
    const double *vectors, *triangles;
    double *top, *below;
    int64_t ld_vectors, ld_top, ld_below;
};

// The operands are here too: the loop has no registers for them.
template <int B, int N>
struct FullShared {
    static constexpr int ld = TileShared<double, B>::ld, top_ld = block_columns + 4;
    static constexpr int blocks = N / block_columns, stages = blocks < 3 ? blocks : 3;
    struct Stage {
        double vectors[block_columns * ld], triangle[block_columns * block_ld];
    };
    Stage stage[stages];
    double top[2][N * top_ld];  // C1, its 32 rows of a block, column by column
    uint64_t full[blocks];      // a block is loaded
    uint64_t empty[blocks];     // all threads are done with a block
    FullOperands operands;
};

template <int B, int N, bool IS_ADJOINT>
class FullUpdate {
public:
    __device__ explicit FullUpdate(FullShared<B, N> &shared) : shared_(shared), warp_(thread_of_task() / 32) {}

    static __device__ bool suits(const DeviceReflectors<double> &t, const View<double> &top, const View<double> &below,
                                 int columns) {
        return t.shape == Shape::full && !t.stored && t.ib == block_columns && t.columns == N && t.rows == B &&
               columns == N && !below.is_transposed && is_aligned(below.at, below.ld) && is_aligned(top.at, top.ld) &&
               is_aligned(t.v, t.ldv);
    }

    __device__ __forceinline__ void run(const FullOperands &operands) {
        if (thread_of_task() == 0) {  // before any copy: the fences would wait for it
            shared_.operands = operands;
#pragma unroll
            for (int n = 0; n < blocks; ++n) full().begin(n, warps), empty().begin(n, 32 * warps);
            begin_bulk_copies();
        }
        __syncthreads();
        double tile[tiles][4] = {};  // always set: otherwise registers hold it between tasks
        if (warp_ < warps) {
            fetch_block(0);
            fetch_top(operands, 0);
            load(tile, operands);
#pragma unroll
            for (int n = 1; n < stages; ++n) fetch_block(n);
#pragma unroll 1
            for (int n = 0; n < blocks; ++n) apply(tile, n);
        }
        __syncthreads();
        if (thread_of_task() == 0) {
#pragma unroll
            for (int n = 0; n < blocks; ++n) full().end(n), empty().end(n);
        }
    }

private:
    using Shared = FullShared<B, N>;
    static constexpr int ld = Shared::ld, top_ld = Shared::top_ld, blocks = Shared::blocks, stages = Shared::stages;
    static constexpr int warps = N / mma_columns, share = block_columns / warps, tiles = B / 8;

    __device__ BlockBarriers full() const { return BlockBarriers(shared_.full); }
    __device__ BlockBarriers empty() const { return BlockBarriers(shared_.empty); }
    __device__ int near() const { return warp_ * mma_columns + lane_.g; }  // the first of this lane's columns
    __device__ int first_vector(int n) const { return (IS_ADJOINT ? n : blocks - 1 - n) * block_columns; }

    // This warp's columns of the n-th block that is applied
    __device__ __forceinline__ void fetch_block(int n) {
        const int lane = thread_of_task() % 32, c = warp_ * share + lane % share;
        constexpr unsigned vector_bytes = B * sizeof(double), triangle_bytes = block_columns * sizeof(double);
        const FullOperands &o = shared_.operands;
        typename Shared::Stage &stage = shared_.stage[n % stages];
        const TransferBarrier barrier{&shared_.full[n]};
        if (lane == 0) barrier.expect(share * (vector_bytes + triangle_bytes));
        __syncwarp();
        if (lane < share)
            fetch_bytes(stage.vectors + c * ld, o.vectors + (first_vector(n) + c) * o.ld_vectors, vector_bytes,
                        barrier);
        else if (lane < 2 * share)
            fetch_bytes(stage.triangle + c * block_ld, o.triangles + (first_vector(n) + c) * block_columns,
                        triangle_bytes, barrier);
    }
    // The rows of C1 of that block, this warp's columns
    __device__ __forceinline__ void fetch_top(const FullOperands &o, int n) {
        const int lane = thread_of_task() % 32, r = lane % 16 * 2;
        const double *from = o.top + (warp_ * mma_columns + lane / 16) * o.ld_top + first_vector(n) + r;
        double *const to = shared_.top[n % 2] + (warp_ * mma_columns + lane / 16) * top_ld + r;
        const int64_t two_columns = 2 * o.ld_top;
#pragma unroll
        for (int c = 0; c < mma_columns; c += 2, from += two_columns) copy_async<16>(to + c * top_ld, from, 16);
        queue_copies();
    }

    __device__ __forceinline__ void apply(double (&tile)[tiles][4], int n) {
        wait_copies<0>();
        __syncwarp();
        if (n + 1 < blocks) fetch_top(shared_.operands, n + 1);
        const double *const at = shared_.top[n % 2] + near() * top_ld;
        const auto top = [&](int k, int e) {  // of an element of an operand's tile
            return at[(e % 2 ? 8 * top_ld : 0) + 8 * k + (e < 2 ? lane_.even() : lane_.odd())];
        };
        double w[4][4];
#pragma unroll
        for (int k = 0; k < 4; ++k) w[k][0] = top(k, 0), w[k][1] = top(k, 2), w[k][2] = top(k, 1), w[k][3] = top(k, 3);
        double *const to = shared_.operands.top + near() * shared_.operands.ld_top + first_vector(n);
        const int64_t to_far = 8 * shared_.operands.ld_top;
        full().wait(n, 0);
        const typename Shared::Stage &stage = shared_.stage[n % stages];
        apply_mma<B>(
            tile, w, stage.vectors, stage.triangle, IS_ADJOINT,
            [&] {
                if (stages < blocks && n > 0 && n - 1 + stages < blocks) {
                    empty().wait(n - 1, 0);
                    fetch_block(n - 1 + stages);
                }
            },
            [&](int part) {
                if (part == tiles - 1) empty().arrive(n);
                constexpr int each = 16 / tiles;
#pragma unroll
                for (int x = 0; x < each; ++x) {
                    const int k = (part * each + x) / 4, e = (part * each + x) % 4;
                    __stcg(to + (e % 2 ? to_far : 0) + 8 * k + (e < 2 ? lane_.even() : lane_.odd()),
                           top(k, e) + w[k][e]);
                }
                if (n == blocks - 1 && part % 2) store(tile, part - 1), store(tile, part);
            });
    }

    __device__ double *below(const FullOperands &o) const { return o.below + near() * o.ld_below + 2 * lane_.t; }
    __device__ __forceinline__ void load(double (&tile)[tiles][4], const FullOperands &o) const {
        const double *const from = below(o), *const far = from + 8 * o.ld_below;
#pragma unroll
        for (int u = 0; u < tiles; ++u) {
            const double2 x = __ldcg(reinterpret_cast<const double2 *>(from + 8 * u));
            const double2 y = __ldcg(reinterpret_cast<const double2 *>(far + 8 * u));
            tile[u][0] = x.x, tile[u][1] = x.y, tile[u][2] = y.x, tile[u][3] = y.y;
        }
    }
    __device__ __forceinline__ void store(const double (&tile)[tiles][4], int u) const {
        double *const to = below(shared_.operands), *const far = to + 8 * shared_.operands.ld_below;
        __stcg(reinterpret_cast<double2 *>(to + 8 * u), make_double2(tile[u][0], tile[u][1]));
        __stcg(reinterpret_cast<double2 *>(far + 8 * u), make_double2(tile[u][2], tile[u][3]));
    }

    Shared &shared_;
    int warp_;
    MmaLane lane_;
};

}  // namespace xbatch::qr
