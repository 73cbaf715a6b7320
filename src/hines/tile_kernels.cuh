// tile_kernels.cuh: a block solves a tile of systems of one tree: all is copied in, worked on in place, copied out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "hines_tuning.hpp"
#include "piece_step.cuh"

namespace xbatch {

// 16 bytes to shared memory; what stands beside them in memory is asked for too, since the blocks beside want it.
__device__ inline void fetch_16(unsigned shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// A tile as its block sees it.
template <class T, bool FLAT>
struct Tile {
    const HinesCall<T> &p;
    const DeviceTree &tree;
    HinesTile which;
    int64_t r;  // right-hand side
    TileShape shape;
    char *shared;

    using Element = T;
    static constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;

    __device__ const HinesArray &place(int a) const { return p.place(a); }
    __device__ bool is_copied(int a) const { return a != 1 || shape.l > 0; }
    __device__ int64_t &origin(int a, int s) const {
        return reinterpret_cast<int64_t *>(shared + shape.origins)[a * shape.systems + s];
    }
    __device__ const T *global(int a, int s) const { return p.data(a) + origin(a, s); }
    __device__ char *rows(int a, int s) const {
        char *const at = shared + s * shape.system + (a == 0 ? 0 : a == 1 ? shape.l : a == 2 ? shape.d : shape.b);
        return FLAT ? at + reinterpret_cast<uintptr_t>(global(a, s)) % 16 : at;
    }
    __device__ TreeRows<T, int> system(int s) const {
        return {rows(0, s), rows(1, s), rows(2, s), rows(3, s), FLAT ? int(sizeof(T)) : shape.row};
    }
    __device__ int *bad() const { return reinterpret_cast<int *>(shared + shape.bad); }

    // Systems behind the batch's last are that one again.
    __device__ void find_origins() const {
        for (int q = int(threadIdx.x); q < arrays * shape.systems; q += int(blockDim.x)) {
            const int a = q / shape.systems, s = q - a * shape.systems;
            origin(a, s) =
                place(a).base(tree, which.tree, p.plan, which.k0 + min(s, which.count - 1), a == b_array ? r : 0);
        }
    }
    // 16 bytes of a row are 16 aligned bytes in memory.
    __device__ bool is_in_line(int a) const {
        const int last = shape.systems - 1;
        return which.count == shape.systems && shape.row % 16 == 0 && place(a).kind != HinesArray::shared &&
               origin(a, last) == origin(a, 0) + last && reinterpret_cast<uintptr_t>(global(a, 0)) % 16 == 0 &&
               place(a).step(tree) * int64_t(sizeof(T)) % 16 == 0;
    }
};

// A flat system's array by the copy engine, but for what is less than 16 bytes at its ends. Gives back the bytes that
// the engine moves.
template <bool IS_BACK, class T>
__device__ inline unsigned move_flat(T *shared, T *global, unsigned n, TransferBarrier barrier) {
    constexpr unsigned in_16 = 16 / sizeof(T);
#if __CUDA_ARCH__ >= 900
    const unsigned behind = unsigned(reinterpret_cast<uintptr_t>(global) % 16 / sizeof(T));
    const unsigned head = min((in_16 - behind) % in_16, n), whole = (n - head) / in_16 * in_16;
#else
    const unsigned head = n, whole = 0;
#endif
    const unsigned bytes = whole * unsigned(sizeof(T));
    const auto one = [&](unsigned i) {
        if (IS_BACK)
            global[i] = shared[i];
        else
            shared[i] = global[i];
    };
    for (unsigned i = 0; i < head; ++i) one(i);
    for (unsigned i = head + whole; i < n; ++i) one(i);
    if (bytes == 0) return 0;
    if (IS_BACK)
        put_bytes(global + head, shared + head, bytes);
    else
        fetch_bytes(shared + head, global + head, bytes, barrier);
    return bytes;
}

// A thread's part of array a where systems lie side by side: f(address in the rows, in global memory, whether 16 bytes,
// system)
template <class Tile, class F>
__device__ inline void for_rows(const Tile &tile, int a, F f) {
    const int n = tile.tree.n, t = int(threadIdx.x), threads = int(blockDim.x), row = tile.shape.row;
    const bool by_16 = tile.is_in_line(a);
    const int columns = by_16 ? row / 16 : tile.shape.systems, column = t % columns, next = threads / columns;
    if (t >= next * columns) return;
    using T = typename Tile::Element;
    const int s = by_16 ? 0 : column;
    const int64_t step = tile.place(a).step(tile.tree) * int64_t(sizeof(T));
    const char *from =
        reinterpret_cast<const char *>(tile.global(a, s)) + t / columns * step + (by_16 ? column * 16 : 0);
    char *to = tile.rows(a, s) + t / columns * row + (by_16 ? column * 16 : 0);
#pragma unroll 4
    for (int v = t / columns; v < n; v += next, from += next * step, to += next * row) f(to, from, by_16, s);
}

template <class Tile>
__device__ inline void fetch_rows(const Tile &tile) {
    using T = typename Tile::Element;
    for (int a = 0; a < Tile::arrays; ++a) {
        if (!tile.is_copied(a)) continue;
        for_rows(tile, a, [&](char *to, const char *from, bool by_16, int) {
            if (by_16)
                fetch_16(shared_address(to), from);
            else
                copy_async<T, 1, 0>(true, shared_address(to), reinterpret_cast<const T *>(from));
        });
    }
}
template <class Tile>
__device__ inline void put_rows(const Tile &tile) {
    using T = typename Tile::Element;
    for_rows(tile, Tile::b_array, [&](const char *from, const char *to, bool by_16, int s) {
        char *const there = const_cast<char *>(to);
        if (by_16)
            __stcs(reinterpret_cast<float4 *>(there), *reinterpret_cast<const float4 *>(from));
        else if (s < tile.which.count)
            store_once(reinterpret_cast<T *>(there), *reinterpret_cast<const T *>(from));
    });
}

// Flat systems: the lanes of one warp begin a transfer each.
template <bool IS_BACK, class Tile>
__device__ inline void move_systems(const Tile &tile, TransferBarrier barrier) {
    using T = typename Tile::Element;
    unsigned bytes = 0;
    for (int q = int(threadIdx.x); q < tile.which.count * Tile::arrays; q += 32) {
        const int s = q / Tile::arrays, a = q % Tile::arrays;
        if (IS_BACK ? a != Tile::b_array : !tile.is_copied(a)) continue;
        bytes += move_flat<IS_BACK>(reinterpret_cast<T *>(tile.rows(a, s)), const_cast<T *>(tile.global(a, s)),
                                    unsigned(tile.tree.n), barrier);
    }
    if (IS_BACK) return wait_for_puts();
    bytes = __reduce_add_sync(~0u, bytes);
    if (threadIdx.x == 0) barrier.expect(bytes);
}

template <class Tile>
__device__ inline void conjugate_rows(const Tile &tile) {
    using T = typename Tile::Element;
    for (int q = int(threadIdx.x); q < tile.which.count * tile.tree.n; q += int(blockDim.x)) {
        const int s = q / tile.tree.n, v = q - s * tile.tree.n;
        const TreeRows<T, int> rows = tile.system(s);
        const int at = rows.at(uint32_t(v));
        rows.u(at) = conjugate(rows.u(at)), rows.d(at) = conjugate(rows.d(at));
        if (tile.is_copied(1)) rows.l(at) = conjugate(rows.l(at));
    }
}

// Everything between the copies. Thread t is worker t % workers of system t / workers where these are flat, otherwise
// worker t / systems of system t % systems.
template <class T, bool FLAT>
__device__ inline void solve_tile(const Tile<T, FLAT> &tile, const PieceTables &tables) {
    const int across = FLAT ? tile.tree.workers : tile.shape.systems, t = int(threadIdx.x);
    const int high = t / across, low = t - high * across, s = FLAT ? high : low, w = FLAT ? low : high;
    const bool is_used = s < tile.which.count && w < tile.tree.workers;
    const int workers = tile.tree.workers;
    const TreeRows<T, int> rows = tile.system(is_used ? s : 0);
    for (int k = w; is_used && k < max(tile.tree.root_count, tile.tree.slots); k += workers)
        clear_rows(tile.tree, k, rows);
    __syncthreads();
    int bad = 0;
    for (int level = 0; level < tile.tree.levels; ++level) {
        const PieceLevel now = tables.levels[level];
        if (level > 0) {
            for (int k = w; is_used && k < now.joints; k += workers)
                join(tables, tables.joints[now.first_joint + k], rows);
            __syncthreads();
        }
        if (is_used && w < now.workers) bad = eliminate_level(tables, now, w, rows, bad);
        __syncthreads();
    }
    for (int level = tile.tree.levels - 1; level >= 0; --level) {
        const PieceLevel now = tables.levels[level];
        if (is_used && w < now.workers) substitute_level(tables, now, w, rows);
        if (level > 0) __syncthreads();
    }
    if (bad > 0) atomicMax(tile.bad() + s, bad);
}

// Blocks of a tile: one for each right-hand side.
template <class T, bool FLAT>
__global__ void hines_tile(HinesCall<T> p, int64_t first_tile) {
    extern __shared__ uint4 shared_memory[];
    char *const shared = reinterpret_cast<char *>(shared_memory);
    const unsigned sides = unsigned(p.nrhs);
    const HinesTile which = p.tile(first_tile + blockIdx.x / sides);
    const DeviceTree &tree = p.plan.trees[which.tree];
    const TileShape shape = TileShape::of<T>(tree, FLAT, p.u == p.l, p.systems);
    const Tile<T, FLAT> tile{p, tree, which, int64_t(blockIdx.x % sides), shape, shared};
    const TransferBarrier barrier{reinterpret_cast<uint64_t *>(shared + shape.barrier)};

    for (int q = int(threadIdx.x); q < tree.bytes / 16; q += int(blockDim.x))
        fetch_16(shared_address(shared + shape.tables) + q * 16, tree.tables + q * 16);
    tile.find_origins();
    for (int s = int(threadIdx.x); s < shape.systems; s += int(blockDim.x)) tile.bad()[s] = 0;
    if (FLAT && threadIdx.x == 0) barrier.begin();
    __syncthreads();
    if (!FLAT) fetch_rows(tile);
    if (FLAT && threadIdx.x < 32) move_systems<false>(tile, barrier);
    if (FLAT) barrier.wait(0);
    wait_for_copies();
    __syncthreads();
    if (p.is_conjugated) {
        conjugate_rows(tile);
        __syncthreads();
    }
    solve_tile(tile, tree.at(shared + shape.tables));
    if (FLAT) async_fence();
    __syncthreads();
    if (p.info && tile.r == 0)
        for (int s = int(threadIdx.x); s < which.count; s += int(blockDim.x))
            p.info[p.system(tree, which.k0 + s)] = tile.bad()[s];
    if (!FLAT) put_rows(tile);
    if (FLAT && threadIdx.x < 32) move_systems<true>(tile, barrier);
}

}  // namespace xbatch
