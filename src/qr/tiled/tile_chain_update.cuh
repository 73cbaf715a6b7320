// tile_chain_update.cuh: updates of several full tiles, one below the other, by the reflectors of a panel (TSMQR):
// where a large matrix of doubles or complex doubles spends most of its time.
//
// The rows of C1 lie in shared memory from the first tile to the last, the columns of C2 in registers from a tile's
// first block to its last. Vectors and triangles of blocks are loaded by TMA (bulk asynchronous copies), one block
// ahead, also across tiles; a tile's entries go to memory, and those of the next tile come into the same registers,
// while products of the last block are formed. Before that each warp waits until the next tile may be updated.
//
// Racecheck reports write-after-write of these copies from the second task on: it takes those of the task before for
// incomplete, since the barriers that counted them have ended. It does so too where a barrier of the block follows.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_copies.cuh"
#include "core/block_barrier.cuh"
#include "core/cluster.cuh"
#include "qr/common/complex_mma.cuh"

namespace xbatch::qr {

// Tiles have B rows, and as many columns as a block of threads updates. The versions are those of the tiles.
template <class T>
struct ChainOperands {
    const T *vectors, *triangles;
    T *top, *below;
    int64_t ld_vectors, ld;
    int32_t *own;           // of each tile, set to own_version + 1 when it is updated
    const int32_t *stored;  // of each tile's reflectors, as in DeviceReflectors
    int32_t own_version, before, stored_of_first, length;
};

template <class T, int B>
struct ChainShared {
    static constexpr bool is_complex = sizeof(T) == 16;
    static constexpr int pad = is_complex ? 1 : 4, ld = B + pad, triangle_ld = block_columns + (is_complex ? 1 : 2);
    static constexpr int blocks = B / block_columns, stages = 2;
    struct Stage {
        T vectors[block_columns * ld], triangle[block_columns * triangle_ld];
    };
    alignas(16) Stage stage[stages];
    T top[B * ld];           // C1, column by column
    uint64_t full[stages];   // a block is loaded
    uint64_t empty[stages];  // all threads are done with a block
    uint64_t has_top[blocks];
    ChainOperands<T> operands;
};

template <class T, int B>
class ChainUpdate {
public:
    __device__ explicit ChainUpdate(ChainShared<T, B> &shared) : shared_(shared), warp_(thread_of_task() / 32) {}

    __device__ __forceinline__ void run(const ChainOperands<T> &operands) {
        if (thread_of_task() == 0) {  // before any copy: the fences would wait for it
            shared_.operands = operands;
#pragma unroll
            for (int n = 0; n < stages; ++n) full().begin(n, tile_warps), empty().begin(n, tile_threads);
#pragma unroll
            for (int n = 0; n < blocks; ++n) has_top().begin(n, tile_warps);
            begin_bulk_copies();
        }
        __syncthreads();
        double tile[tiles][4] = {};  // always set: otherwise registers hold it between tasks
        fetch_block(0);
        fetch_top();
        const T *const from = below(0);
#pragma unroll
        for (int u = 0; u < tiles; ++u) load(tile[u], from, u);
        stored_ = shared_.operands.stored ? shared_.operands.stored_of_first : blocks;
        const int end = shared_.operands.length * blocks;
#pragma unroll 1
        for (int step = 0; step < end; ++step) apply(tile, step, end);
        __syncthreads();
        if (thread_of_task() == 0) {
#pragma unroll
            for (int n = 0; n < stages; ++n) full().end(n), empty().end(n);
#pragma unroll
            for (int n = 0; n < blocks; ++n) has_top().end(n);
        }
    }

private:
    using Shared = ChainShared<T, B>;
    static constexpr bool is_complex = Shared::is_complex;
    static constexpr int ld = Shared::ld, triangle_ld = Shared::triangle_ld, blocks = Shared::blocks;
    static constexpr int stages = Shared::stages, warp_columns = is_complex ? 8 : 16, tiles = B / 8;
    static_assert(warp_columns * tile_warps == B);

    __device__ BlockBarriers full() const { return BlockBarriers(shared_.full); }
    __device__ BlockBarriers empty() const { return BlockBarriers(shared_.empty); }
    __device__ BlockBarriers has_top() const { return BlockBarriers(shared_.has_top); }
    __device__ int near() const { return warp_ * warp_columns + lane_.g; }  // the first of this lane's columns

    // This warp's columns of the block that is applied in a step
    __device__ __forceinline__ void fetch_block(int step) {
        constexpr int share = block_columns / tile_warps;
        constexpr unsigned vector_bytes = B * sizeof(T), triangle_bytes = block_columns * sizeof(T);
        const int lane = thread_of_task() % 32, c = warp_ * share + lane % share;
        const int tile = step / blocks, column = step % blocks * block_columns + c;
        const ChainOperands<T> &o = shared_.operands;
        typename Shared::Stage &stage = shared_.stage[step % stages];
        const TransferBarrier barrier{&shared_.full[step % stages]};
        if (lane == 0) barrier.expect(share * (vector_bytes + triangle_bytes));
        __syncwarp();
        if (lane < share)
            fetch_bytes(stage.vectors + c * ld, o.vectors + column * o.ld_vectors + tile * B, vector_bytes, barrier);
        else if (lane < 2 * share)
            fetch_bytes(stage.triangle + c * triangle_ld,
                        o.triangles + int64_t(tile) * (block_columns * B) + column * block_columns, triangle_bytes,
                        barrier);
    }
    // This warp's columns of C1, the rows of each block
    __device__ __forceinline__ void fetch_top() {
        constexpr unsigned bytes = block_columns * sizeof(T);
        const int lane = thread_of_task() % 32, c = warp_ * warp_columns + lane % warp_columns;
        const ChainOperands<T> &o = shared_.operands;
#pragma unroll
        for (int n = 0; n < blocks; ++n) {
            const TransferBarrier barrier{&shared_.has_top[n]};
            if (lane == 0) barrier.expect(warp_columns * bytes);
            __syncwarp();
            if (lane < warp_columns)
                fetch_bytes(shared_.top + c * ld + n * block_columns, o.top + c * o.ld + n * block_columns, bytes,
                            barrier);
        }
    }

    __device__ __forceinline__ void apply(double (&tile)[tiles][4], int step, int end) {
        const int n = step % blocks;
        const bool is_last = n == blocks - 1, has_next = step + 1 < end;
        const bool is_done = step + blocks >= end;  // the rows of C1 are final
        T *const at = shared_.top + near() * ld + n * block_columns;
        T *const to = is_done ? shared_.operands.top + near() * shared_.operands.ld + n * block_columns : at;
        const int64_t far_to = is_done ? 8 * shared_.operands.ld : 8 * ld;
        has_top().wait(n, 0);
        double w[4][4];
        read_top(w, at);
        full().wait(step % stages, step / stages % 2);
        const typename Shared::Stage &stage = shared_.stage[step % stages];
        T *const from = below(step / blocks);
        const auto between = [&] {
            if (!has_next) return;
            if (step > 0) empty().wait((step - 1) % stages, (step - 1) / stages % 2);
            if (n == 0 && step > 0) publish(step / blocks - 1);
            await(step + 1);
            fetch_block(step + 1);
        };
        const auto finish = [&](int u) {
            store(tile[u], from, u);
            if (has_next) load(tile[u], from + B, u);
        };
        if constexpr (is_complex) {
            apply_complex<B>(tile, w, stage.vectors, ld, stage.triangle, triangle_ld, between, [&](int part) {
                constexpr int each = 8 / (tiles / 2);
#pragma unroll
                for (int x = part * each; x < (part + 1) * each; ++x) {
                    const int k = x / 2, e = x % 2, r = 8 * k + 2 * lane_.t + e;
                    const double2 y = *reinterpret_cast<const double2 *>(at + r);
                    *reinterpret_cast<double2 *>(to + r) = make_double2(y.x + w[k][e], y.y + w[k][2 + e]);
                }
                if (is_last) finish(2 * part), finish(2 * part + 1);
                if (part == tiles / 2 - 1) empty().arrive(step % stages);
            });
        } else {
            apply_mma<B>(tile, w, stage.vectors, stage.triangle, true, between, [&](int part) {
                constexpr int each = 16 / tiles;
#pragma unroll
                for (int x = part * each; x < (part + 1) * each; ++x) {
                    const int k = x / 4, e = x % 4, r = 8 * k + (e < 2 ? lane_.even() : lane_.odd());
                    to[(e % 2 ? far_to : 0) + r] = at[(e % 2 ? 8 * ld : 0) + r] + w[k][e];
                }
                if (is_last && part % 2) finish(part - 1), finish(part);
                if (part == tiles - 1) empty().arrive(step % stages);
            });
        }
    }
    // C1 as accumulators
    __device__ __forceinline__ void read_top(double (&w)[4][4], const T *at) const {
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if constexpr (is_complex) {
#pragma unroll
                for (int e = 0; e < 2; ++e) {
                    const double2 x = *reinterpret_cast<const double2 *>(at + 8 * k + 2 * lane_.t + e);
                    w[k][e] = x.x, w[k][2 + e] = x.y;
                }
            } else {
                const T *const even = at + 8 * k + lane_.even(), *const odd = at + 8 * k + lane_.odd();
                w[k][0] = even[0], w[k][1] = odd[0], w[k][2] = even[8 * ld], w[k][3] = odd[8 * ld];
            }
    }

    // After all threads have stored a tile
    __device__ __forceinline__ void publish(int tile) const {
        if (thread_of_task() != 0) return;
        const ChainOperands<T> &o = shared_.operands;
        counter_fence();
        store_counter(o.own + tile, o.own_version + 1);
    }
    // Until the block of a step is stored and, if it is its tile's first one, the tile may be updated; by each warp,
    // for its own loads and copies
    __device__ __forceinline__ void await(int step) {
        const ChainOperands<T> &o = shared_.operands;
        const int tile = step / blocks, n = step % blocks;
        if (n > 0 && n < stored_) return;
        int stored = blocks;
        if (thread_of_task() % 32 == 0) {
            if (n == 0) await_counter(o.own + tile, o.own_version);
            if (o.stored) {
                await_counter(o.stored + tile, o.before + n + 1);
                stored = max(load_counter(o.stored + tile) - o.before, n + 1);
            }
        }
        stored_ = __shfl_sync(~0u, stored, 0);
        bulk_copy_fence();
    }

    __device__ T *below(int tile) const {
        return shared_.operands.below + near() * shared_.operands.ld + 2 * lane_.t + tile * B;
    }
    __device__ __forceinline__ void load(double (&c)[4], const T *from, int u) const {
        const T *const other = is_complex ? from + 1 : from + 8 * shared_.operands.ld;
        const double2 x = __ldcg(reinterpret_cast<const double2 *>(from + 8 * u));
        const double2 y = __ldcg(reinterpret_cast<const double2 *>(other + 8 * u));
        c[0] = x.x, c[1] = is_complex ? y.x : x.y, c[2] = is_complex ? x.y : y.x, c[3] = y.y;
    }
    __device__ __forceinline__ void store(const double (&c)[4], T *to, int u) const {
        T *const other = is_complex ? to + 1 : to + 8 * shared_.operands.ld;
        __stcg(reinterpret_cast<double2 *>(to + 8 * u), make_double2(c[0], is_complex ? c[2] : c[1]));
        __stcg(reinterpret_cast<double2 *>(other + 8 * u), make_double2(is_complex ? c[1] : c[2], c[3]));
    }

    Shared &shared_;
    int warp_, stored_ = 0;
    MmaLane lane_;
};

}  // namespace xbatch::qr
