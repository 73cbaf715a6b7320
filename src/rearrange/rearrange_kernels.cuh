// rearrange_kernels.cuh: the kernel that copies a tile of a batch from one layout to another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "rearrange.hpp"

namespace xbatch::rearrange {

// A warp copies a tile of at most `width` rows by `width` systems; the rows of a system are divided evenly among tiles.
template <class T>
struct RearrangeTile {
    static constexpr int width = sizeof(T) == 16 ? 16 : 32;
    static constexpr int at_once = 32 / width;  // rows (systems) of the tile that a warp accesses at once
    static constexpr int steps = width / at_once;
    static constexpr int pitch = width + 1;  // in shared memory, without bank conflicts in either direction
    static constexpr int threads = 128;

    int rows;
    int64_t row_tiles, count;
};

// Source or destination. Adjacent lanes have adjacent rows of a system if these are contiguous (BY_ROWS), else adjacent
// systems; step m is the m-th group of at_once systems (rows).
template <class T, bool BY_ROWS>
struct RearrangeSide {
    using Tile = RearrangeTile<T>;
    int i, j;  // of step 0, within the tile
    int64_t offset, step;

    __device__ RearrangeSide(const Placement &p, int64_t i0, int64_t j0, int64_t batch) {
        const int lane = threadIdx.x % 32, fast = lane % Tile::width, slow = lane / Tile::width;
        i = BY_ROWS ? fast : slow, j = BY_ROWS ? slow : fast;
        offset = p.offset(i0 + i, min(j0 + j, batch - 1), 0);
        step = Tile::at_once * (BY_ROWS ? p.ld : p.step);
    }
    __device__ bool has(int m, int rows, int systems) const {
        const int further = m * Tile::at_once;
        return BY_ROWS ? i < rows && j + further < systems : j < systems && i + further < rows;
    }
    __device__ int turned(int m) const {
        const int further = m * Tile::at_once;
        return BY_ROWS ? (j + further) * Tile::pitch + i : j * Tile::pitch + i + further;
    }
};

// If the order of lanes differs between the two sides, the tile is transposed in shared memory.
template <class T, bool SRC_BY_ROWS, bool DST_BY_ROWS>
__global__ void __launch_bounds__(RearrangeTile<T>::threads)
    rearrange_tiles(RearrangeProblem p, RearrangeTile<T> shape) {
    using Tile = RearrangeTile<T>;
    constexpr bool turns = SRC_BY_ROWS != DST_BY_ROWS;
    __shared__ T shared[turns ? Tile::threads / 32 * Tile::width * Tile::pitch : 1];
    const int warp = threadIdx.x / 32;
    const int64_t tile = int64_t(blockIdx.x) * (Tile::threads / 32) + warp;
    if (tile >= shape.count) return;
    const int64_t tile_j = tile / shape.row_tiles, i0 = (tile - tile_j * shape.row_tiles) * shape.rows;
    const int64_t j0 = tile_j * Tile::width;
    const int rows = int(min(int64_t(shape.rows), p.n - i0)), systems = int(min(int64_t(Tile::width), p.batch - j0));
    T *const turned = shared + (turns ? warp * Tile::width * Tile::pitch : 0);
    const RearrangeSide<T, SRC_BY_ROWS> from(p.from, i0, j0, p.batch);
    const RearrangeSide<T, DST_BY_ROWS> to(p.to, i0, j0, p.batch);
    const T *const src = static_cast<const T *>(p.src) + from.offset;
    T *const dst = static_cast<T *>(p.dst) + to.offset;
    T v[Tile::steps];
#pragma unroll
    for (int m = 0; m < Tile::steps; ++m)
        if (from.has(m, rows, systems)) v[m] = load_once(src + m * from.step);
    if (turns) {
#pragma unroll
        for (int m = 0; m < Tile::steps; ++m) turned[from.turned(m)] = v[m];
        __syncwarp();
    }
#pragma unroll
    for (int m = 0; m < Tile::steps; ++m)
        if (to.has(m, rows, systems)) store_once(dst + m * to.step, turns ? turned[to.turned(m)] : v[m]);
}

}  // namespace xbatch::rearrange
