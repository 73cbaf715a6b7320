// factor_cluster.cuh: batched QR of interleaved matrices, one per block; a thread-block cluster factors adjacent ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "qr_batch_kernels.cuh"
#include "qr_batch_tuning.hpp"
#include "tile_slots.cuh"

namespace xbatch::qr {

// Overlaps loads and stores of a cluster's matrices with computation. There is a slot for each chunk of each thread's
// tile, and the blocks of a cluster have a thread's slots in turn: so a block moves rows of all the cluster's matrices,
// each warp for that warp of all blocks, and finds its own chunks in the others' shared memory. Racecheck reports
// copies that another block reads after the cluster's barrier; with plain loads instead it reports nothing.
template <class T, class K>
class ClusterSlots {
public:
    using Tile = RegisterTile<T, K>;
    static constexpr int blocks = cluster_blocks;
    static constexpr int warp_bytes = K::C * Tile::chunks * 512;
    static constexpr int turns = K::C * Tile::chunks / blocks;  // slots of a thread that a block has

    // m x n matrices in place: those from `first` on, then those `step` further.
    __device__ ClusterSlots(unsigned char *memory, const DeviceMatrices<T> &a, int m, int n, int64_t batch,
                            int64_t first, int64_t step)
        : a_(a), memory_(memory), m_(m), n_(n), batch_(batch), first_(first), step_(step) {
        next_ = at(first);
        move(0, turns);
    }
    // As TileSlots::swap
    __device__ __forceinline__ void swap(Tile &tile) {
        wait_for_copies();
        sync_cluster();
        const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
        unsigned char *const own = memory_ + warp * warp_bytes + slot_of(rank(), lane);
        tile.swap([&](int s) {
            return reinterpret_cast<Sixteen<T> *>(of_block(own, s % blocks) + s / blocks * blocks * 512);
        });
        sync_cluster();
        previous_ = current_, current_ = next_;
        next_ = at(first_ += step_);
    }
    // Stores a part of the previous matrices, and loads a part of the next
    __device__ __forceinline__ void move(int from, int to) const {
        int64_t row = a_.at.row, column = a_.at.column;
        int thread = int(threadIdx.x);
        // Hidden from the compiler, as in RegisterTile::each_place
        asm volatile("" : "+l"(row), "+l"(column), "+r"(thread));
        const int warp = thread / 32, lane = thread % 32, across = K::A * (int(blockDim.x) / 32);
        const int q = lane % blocks, x = lane / blocks % lane_rows, l = lane / blocks / lane_rows;  // x, l: place
        const int begin = warp * warp_bytes + slot_of(q, l * K::D + x / chunk) + x % chunk * int(sizeof(T));
        const unsigned shared = shared_address(memory_);
#pragma unroll 1
        for (int turn = from; turn < to; ++turn) {
            const int s = turn * blocks + rank(), i = s % Tile::chunks * part_rows + x;
            const int c = s / Tile::chunks * across + warp * K::A + l, slot = begin + turn * blocks * 512;
            T *const place = a_.data + i * row + c * column + q;
            const int columns_left = n_ - c;
            const int rows_out = q < previous_.count ? m_ - i : 0, rows_in = q < next_.count ? m_ - i : 0;
#pragma unroll
            for (int cs = 0; cs < K::A; cs += lane_columns)
#pragma unroll
                for (int is = 0; is < part_rows; is += lane_rows) {
                    const int here = slot ^ 16 * (cs * K::D + is / chunk);  // their bits are disjoint
                    T *const there = place + is * row + cs * column;
                    if (is < rows_out && cs < columns_left)
                        there[previous_.offset] = *reinterpret_cast<const T *>(memory_ + here);
                    fetch_if(is < rows_in && cs < columns_left, there + next_.offset, shared + unsigned(here));
                }
        }
    }

private:
    static constexpr int chunk = Tile::chunk, part_rows = K::D * chunk;  // of a slot of all lanes
    static constexpr int lane_rows = Tile::min_of(32 / blocks, part_rows), lane_columns = 32 / blocks / lane_rows;
    static_assert(turns * blocks == K::C * Tile::chunks && lane_rows * lane_columns * blocks == 32);

    // Offset of the cluster's first matrix, and the number that exist
    struct Moved {
        int64_t offset = 0;
        int count = 0;
    };
    __device__ Moved at(int64_t j) const {
        return {a_.at.base(j), int(max(min(batch_ - j, int64_t(blocks)), int64_t(0)))};
    }
    static __device__ int rank() { return int(blockIdx.x) % blocks; }
    // The cluster's matrices begin in different banks.
    static __device__ int slot_of(int q, int lane) { return 512 * q + 16 * (lane ^ q * (8 / blocks)); }
    static __device__ void sync_cluster() { __syncthreads(), cluster_arrive(), cluster_wait(); }

    const DeviceMatrices<T> &a_;
    unsigned char *memory_;
    int m_, n_;
    int64_t batch_, first_, step_;
    Moved previous_, current_, next_;
};

// A = Q R in place, m x n at most a tile
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    factor_cluster(TileLayout layout, const __grid_constant__ FactorBatchArguments<T> p) {
    if constexpr (!architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char memory[];
    using Tile = RegisterTile<T, K>;
    using Slots = ClusterSlots<T, K>;
    Tile tile(layout, reinterpret_cast<T *>(memory + layout.warps_across * Slots::warp_bytes));
    const int own = int(blockIdx.x) % Slots::blocks, k = min(p.m, p.n);
    // Loads and stores are issued early, in the stages that have columns.
    const int stages = (k - 1) / (K::D * Tile::chunk) + 1, turns = (Slots::turns - 1) / stages + 1;
    const int64_t begin = int64_t(blockIdx.x) - own, step = int64_t(gridDim.x);
    Slots slots(memory, p.a, p.m, p.n, p.batch, begin, step);
#pragma unroll 1
    for (int64_t first = begin; first < p.batch; first += step) {
        slots.swap(tile);
        const bool exists = first + own < p.batch;
        const auto number = [&] {  // as TileOfBatch::number
            int64_t j = exists ? first + own : 0;
            asm volatile("" : "+l"(j));
            return j;
        };
        const bool in_safe_range = tile.factor(p.m, k, k, [&](int stage) {
            slots.move(min(stage * turns, Slots::turns), min((stage + 1) * turns, Slots::turns));
        });
        int wrong = 0;
        if (__syncthreads_or(exists && !in_safe_range)) {  // the matrix is still in memory
            tile.load(p.a.of(number()), p.m, 0, p.n);
            wrong = tile.factor_scaled(p.m, k, k);
        }
        const MatrixView<T> tau = p.tau.of(number());
        tile.each_tau([&](int c, T x) {
            if (c < k && exists) *tau.at(c, 0) = x;
        });
        if (p.info && exists && threadIdx.x == 0) p.info[number()] = wrong;
    }
    slots.swap(tile);
    slots.move(0, Slots::turns);
}

}  // namespace xbatch::qr
