// rearrange_kernels.cuh: moves a tile of a batch from one layout to another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "rearrange.hpp"

namespace xbatch {

// A tile of 2^rows_log rows by 2^systems_log systems.
struct RearrangeTile {
    static constexpr int threads = 256;
    static constexpr int bytes_a_thread = 64;

    int rows_log, systems_log;
    int64_t row_tiles;
};

// One side of the move. Where `is_linear`, a system further is `stride` further; otherwise (a tile over several blocks
// of a block-interleaved array) each element asks its placement.
struct RearrangeSide {
    Placement placement;
    int64_t stride;
    bool is_linear;
};

// The elements of a tile that a thread meets on one side, in the order of that side's memory: BY_ROWS where the rows of
// a system are neighbours. Of element e = m*threads + t the part of m is the same for all threads, and so are its
// addresses.
template <bool BY_ROWS>
struct RearrangeWalk {
    int log, i, j;  // of t

    __device__ explicit RearrangeWalk(const RearrangeTile &tile) : log(BY_ROWS ? tile.rows_log : tile.systems_log) {
        const int fast = int(threadIdx.x) & ((1 << log) - 1), slow = int(threadIdx.x) >> log;
        i = BY_ROWS ? fast : slow, j = BY_ROWS ? slow : fast;
    }
    __device__ int i_of(int m) const { return BY_ROWS ? fast_of(m) : slow_of(m); }
    __device__ int j_of(int m) const { return BY_ROWS ? slow_of(m) : fast_of(m); }

private:
    __device__ int fast_of(int m) const { return m * RearrangeTile::threads & ((1 << log) - 1); }
    __device__ int slow_of(int m) const { return m * RearrangeTile::threads >> log; }
};

// Where the two sides differ the tile turns in shared memory, whose rows are one element longer than they need be, so
// that neither way meets a bank twice. WHOLE: the tile lies inside the batch and both sides are linear.
template <class T, bool SRC_BY_ROWS, bool DST_BY_ROWS, bool WHOLE>
__device__ inline void move_tile(const RearrangeProblem &p, const RearrangeSide &from, const RearrangeSide &to,
                                 const RearrangeTile &tile, int64_t i0, int64_t j0, T *turned) {
    constexpr int each = RearrangeTile::bytes_a_thread / sizeof(T);
    const int stride = tile.systems_log > 0 ? (1 << tile.systems_log) + 1 : 1;
    const RearrangeWalk<SRC_BY_ROWS> read(tile);
    const RearrangeWalk<DST_BY_ROWS> write(tile);
    const auto exists = [&](int i, int j) {
        return WHOLE || (i0 + i < p.n && j0 + j < p.batch && i < (1 << tile.rows_log) && j < (1 << tile.systems_log));
    };
    const auto offset = [&](const RearrangeSide &side, const auto &walk, int64_t start, int m) {
        return WHOLE || side.is_linear
                   ? start + (walk.i_of(m) * side.placement.step + walk.j_of(m) * side.stride)
                   : side.placement.offset(i0 + walk.i + walk.i_of(m), j0 + walk.j + walk.j_of(m), 0);
    };
    const T *const src = static_cast<const T *>(p.src);
    T *const dst = static_cast<T *>(p.dst);
    const int64_t source = from.placement.offset(i0, j0, 0) + read.i * from.placement.step + read.j * from.stride;
    const int64_t target = to.placement.offset(i0, j0, 0) + write.i * to.placement.step + write.j * to.stride;
    T v[each];
#pragma unroll
    for (int m = 0; m < each; ++m)
        if (exists(read.i + read.i_of(m), read.j + read.j_of(m))) v[m] = load_once(src + offset(from, read, source, m));
    if (SRC_BY_ROWS != DST_BY_ROWS) {
        const int put = read.i * stride + read.j, get = write.i * stride + write.j;
#pragma unroll
        for (int m = 0; m < each; ++m)
            if (exists(read.i + read.i_of(m), read.j + read.j_of(m)))
                turned[put + read.i_of(m) * stride + read.j_of(m)] = v[m];
        __syncthreads();
#pragma unroll
        for (int m = 0; m < each; ++m)
            if (exists(write.i + write.i_of(m), write.j + write.j_of(m)))
                v[m] = turned[get + write.i_of(m) * stride + write.j_of(m)];
    }
#pragma unroll
    for (int m = 0; m < each; ++m)
        if (exists(write.i + write.i_of(m), write.j + write.j_of(m)))
            store_once(dst + offset(to, write, target, m), v[m]);
}

template <class T, bool SRC_BY_ROWS, bool DST_BY_ROWS>
__global__ void __launch_bounds__(RearrangeTile::threads)
    rearrange_tiles(RearrangeProblem p, RearrangeSide from, RearrangeSide to, RearrangeTile tile) {
    constexpr int elements = RearrangeTile::threads * RearrangeTile::bytes_a_thread / int(sizeof(T));
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const turned = reinterpret_cast<T *>(shared_bytes);
    const int64_t tile_j = blockIdx.x / unsigned(tile.row_tiles), tile_i = blockIdx.x - tile_j * tile.row_tiles;
    const int64_t i0 = tile_i << tile.rows_log, j0 = tile_j << tile.systems_log;
    const bool is_whole = from.is_linear && to.is_linear && 1 << (tile.rows_log + tile.systems_log) == elements &&
                          i0 + (1 << tile.rows_log) <= p.n && j0 + (1 << tile.systems_log) <= p.batch;
    if (is_whole)
        move_tile<T, SRC_BY_ROWS, DST_BY_ROWS, true>(p, from, to, tile, i0, j0, turned);
    else
        move_tile<T, SRC_BY_ROWS, DST_BY_ROWS, false>(p, from, to, tile, i0, j0, turned);
}

}  // namespace xbatch
