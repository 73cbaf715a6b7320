// tile_tasks.cuh: the tasks of tiled QR on the GPU: factor a tile (GEQRT, TSQRT, TTQRT), update by it (UNMQR, TSMQR,
// TTMQR).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "bulk_copies.cuh"
#include "qr/common/tile_copy.cuh"
#include "tile_chain_update.cuh"
#include "tile_full_update.cuh"
#include "tile_panel.cuh"
#include "tile_parts_update.cuh"
#include "tile_pipelined_update.cuh"
#include "tile_triangle.cuh"
#include "tile_update.cuh"

namespace xbatch::qr {

// By these a panel's tasks begin while those before them still work on later blocks: `rows` counts, for each block, the
// steps that have changed its rows of R, `stored` the blocks that are stored. NULL: they do not.
struct BlockCounters {
    int32_t *rows, *stored;
    int32_t version, before;  // of rows and of stored before this task

    // After a fence
    __device__ void publish(int n) const {
        store_counter(rows + n, version + 1);
        store_counter(stored, before + n + 1);
    }
    // After a barrier; bulk copies of other blocks of threads may read what was written
    __device__ void release(int n) const {
        bulk_copy_fence();
        counter_fence();
        publish(n);
    }
};

// As FactorTile on the host; bad: 2^31-1 less the first column, from 0, whose norm is not finite, or 0; columns are
// counted from bad_column.
template <class T>
struct DeviceFactor {
    DeviceReflectors<T> tile;
    T *top;
    int64_t ldtop;
    int *bad, bad_column;
    BlockCounters counters;
};

template <class T>
struct DeviceUpdate {
    DeviceReflectors<T> tile;
    bool is_adjoint;
    View<T> top, below;
    int columns;
};

// Shared memory of a task
template <class T, int B>
constexpr size_t task_shared = std::max(sizeof(TileShared<T, B>),
                                        std::is_same_v<T, float> ? sizeof(PartsUpdateShared<float, B, 2>) : 0);

template <class T, int B>
class TileTasks {
public:
    __device__ explicit TileTasks(TileShared<T, B> &shared) : shared_(shared) {}

    __device__ __forceinline__ void factor(const DeviceFactor<T> &f) {
        const DeviceReflectors<T> &t = f.tile;
        if (t.shape == Shape::triangle) {
            copy_entries<B>(shared_.tile, ld, t.columns, t.v,
                            [&](int r, int c) { return r < t.rows && r <= c ? t.v + c * t.ldv + r : nullptr; });
        } else {
            copy_columns<B>(shared_.tile, ld, t.columns, t.v, t.ldv, t.rows, t.columns);
        }
        if (t.shape == Shape::trapezoid)
            factor_blocks<false>(f);
        else
            factor_blocks<true>(f);
    }

    __device__ __forceinline__ void update(const DeviceUpdate<T> &u) {
        const DeviceReflectors<T> &t = u.tile;
        if constexpr (has_mma<T>) {
            static_assert(sizeof(PipelinedShared<B>) <= sizeof(shared_));
            auto &pipelined = reinterpret_cast<PipelinedShared<B> &>(shared_);
            PipelinedUpdate<B>(pipelined, t, u.top, u.below, u.columns, u.is_adjoint).run();
            return;
        }
        if constexpr (has_parts<T>) {
            constexpr int few = tile_warps / 2 * mma_columns;  // columns of floats that would leave warps idle
            if constexpr (!std::is_same_v<T, float>)
                update_parts<1>(u);
            else if constexpr (B <= few)
                update_parts<2>(u);
            else
                u.columns <= few ? update_parts<2>(u) : update_parts<1>(u);
            return;
        }
        const bool has_top = t.shape != Shape::trapezoid, by_rows = u.below.is_transposed;
        const int blocks = (t.columns + t.ib - 1) / t.ib;
        if (by_rows)
            each_entry(B, u.columns, true,
                       [&](int r, int c) { shared_.tile[c * ld + r] = r < t.rows ? u.below.get(r, c) : T(0); });
        else
            copy_columns<B>(shared_.tile, ld, u.columns, u.below.at, u.below.ld, t.rows, u.columns);
        for (int n = 0; n < blocks; ++n) {
            const int s = (u.is_adjoint ? n : blocks - 1 - n) * t.ib, width = min(t.ib, t.columns - s);
            t.await_block(n);
            copy_block<B>(shared_.vectors, ld, shared_.triangle, t, s, width);
            queue_copies();
            if (has_top)
                each_entry(width, u.columns, by_rows,
                           [&](int r, int c) { shared_.top[c * block_ld + r] = u.top.get(s + r, c); });
            wait_copies<0>();
            __syncthreads();
            set_diagonal(shared_.vectors, ld, t, s, width);
            __syncthreads();
            apply_block(shared_, width, shared_.tile, has_top ? shared_.top : nullptr, u.columns, u.is_adjoint);
            if (has_top)
                each_entry(width, u.columns, by_rows,
                           [&](int r, int c) { u.top.put(s + r, c, shared_.top[c * block_ld + r]); });
        }
        each_entry(t.rows, u.columns, by_rows, [&](int r, int c) { u.below.put(r, c, shared_.tile[c * ld + r]); });
    }

private:
    static constexpr int ld = TileShared<T, B>::ld;

    template <int SPLIT>
    __device__ __forceinline__ void update_parts(const DeviceUpdate<T> &u) {
        auto &parts = reinterpret_cast<PartsUpdateShared<T, B, SPLIT> &>(shared_);
        static_assert(sizeof parts <= task_shared<T, B>);
        PartsUpdate<T, B, SPLIT>(parts, u.tile, u.top, u.below, u.columns, u.is_adjoint).run();
    }

    // Block by block. The rows of R above a block are loaded while the block before is applied to the tile's other
    // columns, into the memory of finished columns if that suffices.
    template <bool HAS_TOP>
    __device__ void factor_blocks(const DeviceFactor<T> &f) {
        using Block = TilePanel<T, B, HAS_TOP>;
        const DeviceReflectors<T> &t = f.tile;
        T *top = shared_.top;
        if (HAS_TOP) copy_top(f, top, 0);
        for (int s = 0; s < t.columns; s += t.ib) {
            const int width = min(t.ib, t.columns - s), first = s + width;
            queue_copies();
            wait_copies<0>();
            __syncthreads();
            if (s > 0 && f.counters.rows && thread_of_task() == 0) f.counters.release(s / t.ib - 1);
            Block(shared_, top, s, width, f.bad, f.bad_column + s).factor();
            __syncthreads();
            form_triangle(shared_, width);
            __syncthreads();
            T *const next_top =
                top == shared_.top && (t.columns - first) * block_ld <= first * ld ? shared_.tile : shared_.top;
            if (HAS_TOP && next_top != top) copy_top(f, next_top, first);
            if constexpr (has_mma<T>) {
                apply_and_store<HAS_TOP>(f, top, s, width);
            } else {
                store_block<HAS_TOP>(f, top, s, width, 0);
                if (first < t.columns)
                    apply_block(shared_, width, shared_.tile + first * ld, HAS_TOP ? top + width * block_ld : nullptr,
                                t.columns - first, true);
                if (HAS_TOP)
                    store_top(f, top, s, width, width, t.columns - first, 0);
                else
                    each_entry(width, t.columns - first, false, [&](int r, int c) {
                        t.v[(first + c) * t.ldv + s + r] = shared_.tile[(first + c) * ld + s + r];
                    });
            }
            if (HAS_TOP && next_top == top) {
                __syncthreads();
                copy_top(f, top, first);
            }
            top = next_top;
        }
    }
    // The warps that have none of the tile's other columns store the block.
    template <bool HAS_TOP>
    __device__ __forceinline__ void apply_and_store(const DeviceFactor<T> &f, T *top, int s, int width) {
        const int warp = thread_of_task() / 32, first = warp * mma_columns, behind = s + width;
        const int columns = f.tile.columns - behind, busy = (columns + mma_columns - 1) / mma_columns;
        if (warp >= busy) {
            store_block<HAS_TOP>(f, top, s, width, busy);
            return;
        }
        T *const next = HAS_TOP ? top + width * block_ld : nullptr;
        apply_block_mma(shared_, width, shared_.tile + behind * ld, next, first, columns);
        __syncwarp();
        const int r = thread_of_task() % 32;
        T *const to = HAS_TOP ? f.top + behind * f.ldtop + s : f.tile.v + behind * f.tile.ldv + s;
        const int64_t ld_to = HAS_TOP ? f.ldtop : f.tile.ldv;
        const T *const from = HAS_TOP ? next : shared_.tile + behind * ld + s;
        for (int c = first; c < min(first + mma_columns, columns); ++c)
            if (r < width) to[c * ld_to + r] = from[c * (HAS_TOP ? block_ld : ld) + r];
    }

    // Rows s … of R, its columns from s on; entries below its diagonal belong to other tasks
    __device__ void copy_top(const DeviceFactor<T> &f, T *top, int s) {
        if (s > 0 && s < f.tile.columns && f.counters.rows) {
            if (thread_of_task() % 32 == 0) await_counter(f.counters.rows + s / f.tile.ib, f.counters.version);
            __syncwarp();
        }
        const int width = min(f.tile.ib, f.tile.columns - s);
        copy_entries<block_columns>(top, block_ld, f.tile.columns - s, f.top, [&](int r, int c) {
            return r < width && r <= c ? f.top + (s + c) * f.ldtop + s + r : nullptr;
        });
    }
    // Columns c … of those, by the warps from one on
    __device__ void store_top(const DeviceFactor<T> &f, const T *top, int s, int width, int c, int columns, int warp) {
        each_entry(
            width, columns, false,
            [&](int r, int j) {
                if (r <= c + j) f.top[(s + c + j) * f.ldtop + s + r] = top[(c + j) * block_ld + r];
            },
            warp);
    }
    // Stores the factored columns of a block, without the rows of R that are stored before, and its T
    template <bool HAS_TOP>
    __device__ void store_block(const DeviceFactor<T> &f, const T *top, int s, int width, int warp) {
        const DeviceReflectors<T> &t = f.tile;
        const T *const from = HAS_TOP ? shared_.vectors : shared_.tile + s * ld;
        each_entry(
            t.rows, width, false,
            [&](int r, int c) {
                if (HAS_TOP ? t.shape != Shape::triangle || r <= s + c : r >= s)
                    t.v[(s + c) * t.ldv + r] = from[c * ld + r];
            },
            warp);
        each_entry(
            t.ib, width, false,
            [&](int r, int c) { t.triangles[(s + c) * t.ib + r] = shared_.triangle[c * block_ld + r]; }, warp);
        if (HAS_TOP) store_top(f, top, s, width, 0, width, warp);
    }

    TileShared<T, B> &shared_;
};

// Types and tiles of which there are chains
#if __CUDA_ARCH__ >= 900
template <class T, int B>
constexpr bool has_chains = B == device_tile<T> && (std::is_same_v<T, double> || sizeof(T) == 16);
#else
template <class T, int B>
constexpr bool has_chains = false;
#endif

// The tasks on all of the block's dynamic shared memory. Separate functions, so that each has its own allocation of
// registers. They name that memory themselves: the compiler would not know that a pointer is to shared memory.
template <class T, int B>
__device__ TileShared<T, B> &tile_shared() {
    extern __shared__ __align__(128) unsigned char memory[];
    return *reinterpret_cast<TileShared<T, B> *>(memory);
}
template <class T, int B>
__device__ __noinline__ void factor_tile(const DeviceFactor<T> &f) {
    TileTasks<T, B>(tile_shared<T, B>()).factor(f);
    if constexpr (has_mma<T> || has_chains<T, B>) bulk_copy_fence();  // they read what it wrote
}
template <class T, int B>
__device__ __noinline__ void update_any_tile(const DeviceUpdate<T> &u) {
    TileTasks<T, B>(tile_shared<T, B>()).update(u);
}
template <class T, int B>
__device__ __noinline__ void update_chain(const ChainOperands<T> &operands) {
    static_assert(sizeof(ChainShared<T, B>) <= task_shared<T, B>);
    ChainUpdate<T, B>(reinterpret_cast<ChainShared<T, B> &>(tile_shared<T, B>())).run(operands);
}
template <int B, int N, bool IS_ADJOINT>
__device__ __forceinline__ void update_full_tile(const DeviceUpdate<double> &u) {
    static_assert(sizeof(FullShared<B, N>) <= sizeof(TileShared<double, B>));
    auto &shared = reinterpret_cast<FullShared<B, N> &>(tile_shared<double, B>());
    FullUpdate<B, N, IS_ADJOINT>(shared).run(
        {u.tile.v, u.tile.triangles, u.top.at, u.below.at, u.tile.ldv, u.top.ld, u.below.ld});
}
// Updates a tile of N columns, if it is suited
template <int B, int N>
__device__ __forceinline__ bool updates_full_tile(const DeviceUpdate<double> &u) {
    constexpr bool is_chain = N == B && has_chains<double, B>;  // of one tile
    if ((is_chain && u.is_adjoint) || !FullUpdate<B, N, true>::suits(u.tile, u.top, u.below, u.columns)) return false;
    if (!u.is_adjoint)
        update_full_tile<B, N, false>(u);
    else if constexpr (!is_chain)
        update_full_tile<B, N, true>(u);
    return true;
}

template <class T, int B>
__device__ __forceinline__ void update_tile(const DeviceUpdate<T> &u) {
    if constexpr (has_mma<T>) {
        if (updates_full_tile<B, B>(u) || updates_full_tile<B, B / 2>(u)) return;
    }
    update_any_tile<T, B>(u);
}

}  // namespace xbatch::qr
