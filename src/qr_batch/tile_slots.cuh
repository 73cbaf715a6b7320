// tile_slots.cuh: how matrices of a batch come and go through shared memory while others are worked on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cluster.cuh"
#include "register_tile.cuh"

namespace xbatch {

// Copied to shared memory while the thread goes on; zero where it is not wanted
template <class V>
__device__ __forceinline__ void fetch_if(bool wanted, const V *from, unsigned to) {
    constexpr int size = int(sizeof(V));
    if constexpr (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(wanted ? size : 0)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(size),
                     "r"(wanted ? size : 0)
                     : "memory");
}

// A slot for each chunk of the tile of each thread. Lanes follow memory: of flat matrices, whose columns are whole
// chunks, a warp moves 512 bytes side by side, all its own; of interleaved ones the block moves rows of as many as it
// has.
template <class T, class K, int THREADS, bool FLAT>
class TileSlots {
public:
    using Tile = RegisterTile<T, K>;
    static constexpr int lanes = K::D * K::A, matrices = THREADS / lanes;
    static constexpr int bytes = THREADS * K::C * Tile::chunks * 16;

    // m x n matrices in place: those from `first` on come first, and those `step` further next.
    __device__ TileSlots(unsigned char *memory, const DeviceMatrices<T> &a, int m, int n, int64_t batch, int64_t first,
                         int64_t step)
        : a_(a),
          rows_(m),
          columns_(n),
          memory_(memory),
          batch_(batch),
          number_(first + own_place().matrix),
          step_(step) {
        comes_ = at(number_);
        move_all();
    }
    // What has come becomes the tile, and what was the tile goes.
    __device__ __forceinline__ void swap(Tile &tile) {
        wait_for_copies();
        sync();
        tile.swap([&](int s) {
            return reinterpret_cast<Sixteen<T> *>(memory_ + 16 * (s * THREADS + swizzled(int(threadIdx.x), s)));
        });
        sync();
        goes_ = stays_, stays_ = comes_;
        comes_ = at(number_ += step_);
    }
    // Before each stage of the work on the tile: a part of what goes and comes
    __device__ __forceinline__ void move(int stage) const {
        constexpr int count = moves / Tile::most_stages;
        static_assert(count * Tile::most_stages == moves);
        int64_t row = FLAT ? 1 : a_.at.row, column = a_.at.column, goes = goes_.offset, comes = comes_.offset;
        Place own = own_place();
        int slot = slot_of(own);
        // Not known to be the same again, as in RegisterTile::each_place
        asm volatile(""
                     : "+l"(row), "+l"(column), "+l"(goes), "+l"(comes), "+r"(own.row), "+r"(own.column), "+r"(slot));
        const int64_t begin = own.row * row + own.column * column;
        T *const out = a_.data + goes + begin;
        const T *const in = a_.data + comes + begin;
        const int rows_left = rows_ - own.row, columns_left = columns_ - own.column;
        const unsigned shared = unsigned(__cvta_generic_to_shared(memory_));
#pragma unroll
        for (int t = 0; t < count; ++t) {
            const Place p = place_of_move(stage * count + t);
            const int64_t offset = (FLAT ? p.matrix * a_.at.stride : p.row * row) + p.column * column;
            const bool is_in = p.row < rows_left && p.column < columns_left;
            const int here = slot ^ slot_of(p);  // of bits that are one's or the other's
            if (is_in && p.matrix < goes_.count)
                *reinterpret_cast<Unit *>(out + offset) = *reinterpret_cast<const Unit *>(memory_ + here);
            fetch_if(is_in && p.matrix < comes_.count, reinterpret_cast<const Unit *>(in + offset),
                     shared + unsigned(here));
        }
    }
    __device__ __forceinline__ void move_all() const {
#pragma unroll 1
        for (int stage = 0; stage < Tile::most_stages; ++stage) move(stage);
    }

private:
    using Unit = std::conditional_t<FLAT, Sixteen<T>, T>;  // that a lane moves
    static constexpr int chunk = Tile::chunk, chunks = Tile::chunks, rows = K::D * K::R;
    static constexpr int moves = bytes / THREADS / int(sizeof(Unit));

    // Where the first matrix that this thread moves lies, and how many of those from it on exist
    struct Moved {
        int64_t offset = 0;
        int count = 0;
    };
    __device__ Moved at(int64_t j) const {
        return {FLAT ? j * a_.at.stride : a_.at.base(j), int(min(batch_ - j, int64_t(matrices)))};
    }
    struct Place {
        int matrix, row, column;
    };
    // Of unit u, where a warp's flat matrices are one behind the other
    static __device__ constexpr Place place_of_unit(int u) {
        constexpr int in_column = K::D * chunks, in_matrix = in_column * K::A * K::C;
        return {u / in_matrix, u % in_column * chunk, u % in_matrix / in_column};
    }
    static __device__ Place own_place() {
        const int thread = int(threadIdx.x);
        if (!FLAT) return {thread % matrices, thread / matrices, 0};
        Place p = place_of_unit(thread % 32);
        p.matrix += thread / 32 * K::matrices;
        return p;
    }
    // How far from there move t is
    static __device__ constexpr Place place_of_move(int t) {
        return FLAT ? place_of_unit(32 * t) : Place{0, t % (rows / lanes) * lanes, t / (rows / lanes)};
    }
    // Bytes to the place's slot. The lanes of a tile meet different banks, and so do those that move it.
    static __device__ constexpr int slot_of(Place p) {
        const int u = p.row / chunk, s = p.column / K::A * chunks + u / K::D;
        const int thread = p.matrix * lanes + p.column % K::A * K::D + u % K::D;
        return 16 * (s * THREADS + swizzled(thread, s)) + p.row % chunk * int(sizeof(T));
    }
    static __device__ constexpr int swizzled(int thread, int s) {
        return thread ^ ((thread >> 3 ^ thread >> 6 ^ K::D * s) & 7);
    }
    static __device__ void sync() {
        if (FLAT)
            __syncwarp();
        else
            __syncthreads();
    }

    const DeviceMatrices<T> &a_;
    int rows_, columns_;
    unsigned char *memory_;
    int64_t batch_, number_, step_;
    Moved goes_, stays_, comes_;
};

}  // namespace xbatch
