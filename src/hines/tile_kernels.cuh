// tile_kernels.cuh: a block solves a tile of systems of one tree: all is copied in, worked on in place, copied out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "hines_shapes.hpp"
#include "piece_step.cuh"

namespace xbatch {

// 16 bytes to shared memory; what stands beside them in memory is asked for too, since the blocks beside want it.
__device__ inline void fetch_16(unsigned shared, const void *global) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// A tile as its block sees it.
template <class T>
struct Tile {
    const HinesCall<T> &p;
    const DeviceTree &tree;
    HinesTile which;
    int64_t r;  // right-hand side
    TileShape shape;
    char *shared;

    static constexpr int b_array = 3;

    __device__ const HinesArray &place(int a) const { return a < 2 ? p.ul_at : a == 2 ? p.d_at : p.b_at; }
    __device__ const T *data(int a) const { return a == 0 ? p.u : a == 1 ? p.l : a == 2 ? p.d : p.b; }
    // The k-th of the arrays that are held: u, l, d, b, or where u is l, u, d, b.
    __device__ int array(int k) const { return shape.arrays == 3 && k > 0 ? k + 1 : k; }
    __device__ char *rows(int a) const { return shared + (shape.arrays == 3 && a > 0 ? a - 1 : a) * shape.array; }
    __device__ int64_t &origin(int a, int s) const {
        return reinterpret_cast<int64_t *>(shared + shape.origins)[a * shape.systems + s];
    }
    __device__ const T *global(int a, int s) const { return data(a) + origin(a, s); }
    __device__ T *flat_rows(int a, int s) const {
        return reinterpret_cast<T *>(rows(a) + s * shape.system + reinterpret_cast<uintptr_t>(global(a, s)) % 16);
    }
    __device__ int *bad() const { return reinterpret_cast<int *>(shared + shape.bad); }

    // Systems behind the batch's last are that one again.
    __device__ void find_origins() const {
        for (int q = int(threadIdx.x); q < 4 * shape.systems; q += int(blockDim.x)) {
            const int a = q / shape.systems, s = q - a * shape.systems;
            origin(a, s) =
                place(a).base(tree, which.tree, p.plan, which.k0 + min(s, which.count - 1), a == b_array ? r : 0);
        }
    }
    // The arrays of a flat system may begin anywhere in their first 16 bytes.
    template <bool FLAT>
    __device__ auto system(int s) const {
        constexpr int size = int(sizeof(T));
        char *const shares = shared + shape.shares;
        if constexpr (FLAT) {
            char *const at[4] = {reinterpret_cast<char *>(flat_rows(0, s)), reinterpret_cast<char *>(flat_rows(1, s)),
                                 reinterpret_cast<char *>(flat_rows(2, s)), reinterpret_cast<char *>(flat_rows(3, s))};
            return TreeRows<T, int, ConstantStep<size>>{at[0],
                                                        int(at[1] - at[0]),
                                                        int(at[2] - at[0]),
                                                        int(at[3] - at[0]),
                                                        {},
                                                        shares + s * 2 * tree.slots * size,
                                                        size};
        } else {
            return TreeRows<T, int, int>{rows(0) + s * size,     int(rows(1) - rows(0)), int(rows(2) - rows(0)),
                                         int(rows(3) - rows(0)), shape.systems * size,   shares + s * size,
                                         shape.systems * size};
        }
    }
};

// Flat systems by the copy engine, but for what is less than 16 bytes at their ends. By one warp; gives back the bytes
// that the engine will bring.
template <class T>
__device__ inline unsigned window_head(const T *global, int n) {
    constexpr unsigned step = 16 / sizeof(T);
    return min((step - unsigned(reinterpret_cast<uintptr_t>(global) % 16 / sizeof(T))) % step, unsigned(n));
}
template <class T>
__device__ inline unsigned window_bytes(unsigned head, int n) {
    return (unsigned(n) - head) * unsigned(sizeof(T)) / 16 * 16;
}
template <class T>
__device__ inline unsigned fetch_flat(const Tile<T> &tile, TransferBarrier barrier) {
    unsigned all = 0;
    const int n = tile.tree.n;
    for (int q = int(threadIdx.x); q < tile.which.count * tile.shape.arrays; q += 32) {
        const int s = q / tile.shape.arrays, a = tile.array(q - s * tile.shape.arrays);
        const T *const from = tile.global(a, s);
        T *const to = tile.flat_rows(a, s);
        const unsigned head = window_head(from, n), bytes = window_bytes<T>(head, n);
        for (unsigned i = 0; i < head; ++i) to[i] = from[i];
        for (int i = int(head + bytes / sizeof(T)); i < n; ++i) to[i] = from[i];
        if (bytes > 0) fetch_bytes(to + head, from + head, bytes, barrier);
        all += bytes;
    }
    return all;
}
template <class T>
__device__ inline void put_flat(const Tile<T> &tile) {
    const int n = tile.tree.n;
    for (int s = int(threadIdx.x); s < tile.which.count; s += 32) {
        T *const to = tile.p.b + tile.origin(Tile<T>::b_array, s);
        const T *const from = tile.flat_rows(Tile<T>::b_array, s);
        const unsigned head = window_head(to, n), bytes = window_bytes<T>(head, n);
        for (unsigned i = 0; i < head; ++i) to[i] = from[i];
        for (int i = int(head + bytes / sizeof(T)); i < n; ++i) to[i] = from[i];
        if (bytes > 0) put_bytes(to + head, from + head, bytes);
    }
    wait_for_puts();
}

// Rows of systems side by side: by 16 bytes where all of them are there, in line and aligned, otherwise one by one.
template <class T>
__device__ inline bool is_in_line(const Tile<T> &tile, int a) {
    const int last = tile.shape.systems - 1;
    const int64_t step = tile.place(a).step(tile.tree);
    return tile.which.count == tile.shape.systems && tile.shape.systems * sizeof(T) % 16 == 0 &&
           tile.place(a).kind != HinesArray::shared && tile.origin(a, last) == tile.origin(a, 0) + last &&
           reinterpret_cast<uintptr_t>(tile.global(a, 0)) % 16 == 0 && step * int64_t(sizeof(T)) % 16 == 0;
}
// f(first element in the tile's rows, its address in global memory, whether 16 bytes) for this thread's part of array a
template <class T, class F>
__device__ inline void for_rows(const Tile<T> &tile, int a, F f) {
    const int64_t step = tile.place(a).step(tile.tree);
    if (is_in_line(tile, a)) {
        const int parts = tile.shape.systems * int(sizeof(T)) / 16, per = 16 / int(sizeof(T));
        const T *const first = tile.global(a, 0);
        for (int q = int(threadIdx.x); q < tile.tree.n * parts; q += int(blockDim.x)) {
            const int v = q / parts;
            f(q * per, first + v * step + (q - v * parts) * per, true);
        }
    } else {
        for (int q = int(threadIdx.x); q < tile.tree.n * tile.shape.systems; q += int(blockDim.x)) {
            const int v = q / tile.shape.systems, s = q - v * tile.shape.systems;
            f(q, tile.global(a, s) + v * step, false);
        }
    }
}
template <class T>
__device__ inline void fetch_rows(const Tile<T> &tile) {
    for (int k = 0; k < tile.shape.arrays; ++k) {
        const int a = tile.array(k);
        const unsigned to = shared_address(tile.rows(a));
        for_rows(tile, a, [&](int q, const T *from, bool is_16) {
            if (is_16)
                fetch_16(to + q * unsigned(sizeof(T)), from);
            else
                copy_async<T, 1, 0>(true, to + q * unsigned(sizeof(T)), from);
        });
    }
}
template <class T>
__device__ inline void put_rows(const Tile<T> &tile) {
    constexpr int a = Tile<T>::b_array;
    const T *const from = reinterpret_cast<const T *>(tile.rows(a));
    for_rows(tile, a, [&](int q, const T *to, bool is_16) {
        if (is_16)
            __stcs(reinterpret_cast<float4 *>(const_cast<T *>(to)), *reinterpret_cast<const float4 *>(from + q));
        else if (q % tile.shape.systems < tile.which.count)
            *const_cast<T *>(to) = from[q];
    });
}

template <class T>
__device__ inline void conjugate_rows(const Tile<T> &tile) {
    for (int k = 0; k + 1 < tile.shape.arrays; ++k) {  // all but b
        T *const row = reinterpret_cast<T *>(tile.rows(tile.array(k)));
        for (int q = int(threadIdx.x); q < tile.shape.array / int(sizeof(T)); q += int(blockDim.x))
            row[q] = conjugate(row[q]);
    }
}

// Everything between the copies. Thread t is worker t % workers of system t / workers where these are flat, otherwise
// worker t / systems of system t % systems.
template <bool FLAT, class T>
__device__ inline void solve_tile(const Tile<T> &tile, const PieceTables &tables) {
    const int t = int(threadIdx.x), across = FLAT ? tile.tree.workers : tile.shape.systems;
    const int high = t / across, low = t - high * across;
    const int s = FLAT ? high : low, w = FLAT ? low : high;
    const bool is_used = s < tile.which.count;
    const auto rows = tile.template system<FLAT>(is_used ? s : 0);
    const int workers = int(blockDim.x) / across;  // threads of a system, where systems lie side by side
    if (is_used && w == 0)
        for (int k = 0; k < tile.tree.root_count; ++k) {
            const auto root = rows.at(uint32_t(tables.roots[k]));
            rows.u(root) = rows.l(root) = T(0);
        }
    __syncthreads();
    int bad = 0;
    for (int level = 0; level < tile.tree.levels; ++level) {
        const PieceLevel now = tables.levels[level];
        if (level > 0) {
            if (is_used)
                for (int q = w; q < now.joints; q += FLAT ? tile.tree.workers : workers)
                    join(tables, tables.joints[now.first_joint + q], rows);
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
    const TileShape shape = TileShape::of<T>(tree, FLAT, p.u == p.l, p.tiles ? which.count : p.systems);
    const Tile<T> tile{p, tree, which, int64_t(blockIdx.x % sides), shape, shared};
    const TransferBarrier barrier{reinterpret_cast<uint64_t *>(shared + shape.barrier)};

    for (int q = int(threadIdx.x); q < tree.bytes / 16; q += int(blockDim.x))
        fetch_16(shared_address(shared + shape.tables) + q * 16, tree.tables + q * 16);
    tile.find_origins();
    for (int s = int(threadIdx.x); s < shape.systems; s += int(blockDim.x)) tile.bad()[s] = 0;
    if (FLAT && threadIdx.x == 0) barrier.begin();
    __syncthreads();
    if (FLAT) {
        if (threadIdx.x < 32) {
            const unsigned bytes = __reduce_add_sync(~0u, fetch_flat(tile, barrier));
            if (threadIdx.x == 0) barrier.expect(bytes);
        }
        barrier.wait(0);
    } else {
        fetch_rows(tile);
    }
    wait_for_copies();
    __syncthreads();
    if (p.is_conjugated) {
        conjugate_rows(tile);
        __syncthreads();
    }
    solve_tile<FLAT>(tile, tree.at(shared + shape.tables));
    if (FLAT) async_fence();
    __syncthreads();
    if (p.info && tile.r == 0)
        for (int s = int(threadIdx.x); s < which.count; s += int(blockDim.x))
            p.info[p.system(tree, which.k0 + s)] = tile.bad()[s];
    if (!FLAT)
        put_rows(tile);
    else if (threadIdx.x < 32)
        put_flat(tile);
}

}  // namespace xbatch
