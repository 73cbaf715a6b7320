// tile_slots.cuh: overlaps loads and stores of a batch's matrices, through shared memory, with computation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "register_tile.cuh"

namespace xbatch::qr {

// Asynchronous copy to shared memory; zero if not wanted
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

// A slot for each chunk of each thread's tile. Accesses to global memory are coalesced: a warp moves 512 contiguous
// bytes of its own flat matrices, whose columns are whole chunks; a block moves rows of all its interleaved matrices.
// EACH: flat matrices at addresses of their own
template <class T, class K, int THREADS, bool FLAT, bool EACH>
class TileSlots {
public:
    using Tile = RegisterTile<T, K>;
    static constexpr int lanes = K::lanes, matrices = THREADS / lanes;
    static constexpr int bytes = THREADS * K::C * Tile::chunks * 16;

    // m x n matrices in place: those from `first` on, then those `step` further.
    __device__ TileSlots(unsigned char *memory, const DeviceMatrices<T> &a, int m, int n, int64_t batch, int64_t first,
                         int64_t step)
        : a_(a),
          rows_(m),
          columns_(n),
          memory_(memory),
          batch_(batch),
          number_(first + (EACH ? int(threadIdx.x) / lanes : own_place().matrix)),
          step_(step) {
        if (EACH) following_ = slot_address(number_);
        next_ = EACH ? following() : at(number_);
        move_all();
    }
    // The tile becomes the loaded matrix, and the factored one is in the slots to be stored.
    __device__ __forceinline__ void swap(Tile &tile) {
        wait_for_copies();
        sync(tile);
        tile.swap([&](int s) {
            return reinterpret_cast<Sixteen<T> *>(memory_ + 16 * (s * THREADS + swizzled(int(threadIdx.x), s)));
        });
        sync(tile);
        previous_ = current_, current_ = next_;
        next_ = EACH ? following() : at(number_ += step_);
    }
    // Whether this tile's matrix goes through the slots
    __device__ bool has_slots() const { return !EACH || current_.count > 0; }
    // Before each stage of the factorisation: stores a part of the previous matrices, loads a part of the next. The
    // number of moves of a stage is a power of two, as are all sizes: so the places of its first move and of the others
    // from there have disjoint bits, and so have their slots.
    __device__ __forceinline__ void move(int stage) const {
        constexpr int count = moves / Tile::most_stages;
        static_assert(count * Tile::most_stages == moves && (count & (count - 1)) == 0);
        int64_t row = FLAT ? 1 : a_.at.row, column = a_.at.column, previous = previous_.offset, next = next_.offset;
        Place own = own_place();
        int slot = slot_of(own);
        // Hidden from the compiler, as in RegisterTile::each_place
        asm volatile(""
                     : "+l"(row), "+l"(column), "+l"(previous), "+l"(next), "+r"(own.row), "+r"(own.column),
                       "+r"(slot));
        const T *in = a_.data + next + own.row * row + own.column * column;
        const int columns_left = columns_ - own.column;
        int rows_out = previous_.count > 0 ? rows_ - own.row : 0, rows_in = next_.count > 0 ? rows_ - own.row : 0;
        asm volatile("" : "+r"(rows_out), "+r"(rows_in));
        int64_t apart = previous - next;
        const unsigned shared = shared_address(memory_);
        const Place first = place_of_move(stage * count);
        Place before{};
#pragma unroll
        for (int t = 0; t < count; ++t) {
            const Place further = place_of_move(t), p = first + further;
            if (EACH && (t == 0 || further.matrix != place_of_move(t - 1).matrix)) {
                const int lane = (own.matrix % K::matrices + p.matrix) * lanes % 32;
                const int64_t from = __shfl_sync(~0u, next, lane), to = __shfl_sync(~0u, previous, lane);
                in = a_.data + from + (own.row + p.row) * row + (own.column + p.column) * column;
                rows_in = from != 0 ? rows_ - own.row : 0, rows_out = to != 0 ? rows_ - own.row : 0;
                apart = to - from;
            } else {
                if (FLAT && !EACH) in += (p.matrix - before.matrix) * a_.at.stride;
                in += (p.row - before.row) * row + (p.column - before.column) * column;
            }
            asm volatile("" : "+l"(in));  // otherwise each move takes a multiplication
            __builtin_assume(__isGlobal(in));
            before = p;
            const auto is_there = [&](const Moved &of, int rows) {
                return p.row < rows && p.column < columns_left && (EACH || p.matrix == 0 || p.matrix < of.count);
            };
            const int here = slot ^ slot_of(first) ^ slot_of(further);
            if (is_there(previous_, rows_out))
                *reinterpret_cast<Unit *>(const_cast<T *>(in) + (EACH ? apart : previous - next)) =
                    *reinterpret_cast<const Unit *>(memory_ + here);
            fetch_if(is_there(next_, rows_in), reinterpret_cast<const Unit *>(in), shared + unsigned(here));
        }
    }
    __device__ __forceinline__ void move_all() const {
#pragma unroll 1
        for (int stage = 0; stage < Tile::most_stages; ++stage) {
            int s = stage;
            // Hidden: nvcc 13.0 takes 32 * (2 * stage + 1) % 4096 / 64 in a loop for 2 * stage + 1.
            asm volatile("" : "+r"(s));
            move(s);
        }
    }

private:
    using Unit = std::conditional_t<FLAT, Sixteen<T>, T>;  // moved by a lane at once
    static constexpr int chunk = Tile::chunk, chunks = Tile::chunks, rows = K::D * K::R;
    static constexpr int warps = K::WARPS_ACROSS, across = Tile::most_across;
    static constexpr int moves = bytes / THREADS / int(sizeof(Unit));

    // Offset of the first matrix that this thread moves, and the number of those from it on. EACH: of this tile's
    // matrix, from address 0, and whether it goes through the slots
    struct Moved {
        int64_t offset = 0;
        int count = 0;
    };
    __device__ Moved at(int64_t j) const {
        return {FLAT ? j * a_.at.stride : a_.at.base(j), int(min(batch_ - j, int64_t(matrices)))};
    }
    // Address of a matrix in elements, or 0 if it does not exist or its columns are no whole chunks
    __device__ int64_t slot_address(int64_t j) const {
        const uint64_t address = j < batch_ ? reinterpret_cast<uint64_t>(a_.each[j]) : 0;
        return address % 16 == 0 ? int64_t(address / sizeof(T)) : 0;
    }
    // Addresses are read long before they are used.
    __device__ Moved following() {
        const int64_t own = following_;
        following_ = slot_address(number_ += step_);
        return {own, own != 0};
    }
    struct Place {
        int matrix, row, column;

        __device__ constexpr Place operator+(Place p) const {
            return {matrix + p.matrix, row + p.row, column + p.column};
        }
    };
    // Of unit u of a warp's contiguous flat matrices
    static __device__ constexpr Place place_of_unit(int u) {
        constexpr int in_column = K::D * chunks, in_matrix = in_column * across * K::C;
        return {u / in_matrix, u % in_column * chunk, u % in_matrix / in_column};
    }
    static __device__ Place own_place() {
        const int thread = int(threadIdx.x);
        if (!FLAT) return {thread % matrices, thread / matrices % rows, thread / matrices / rows};
        // Warps that share a matrix have a part of its columns each.
        Place p = place_of_unit(thread % 32);
        p.matrix += thread / 32 / warps * K::matrices;
        p.column += thread / 32 % warps * (across * K::C / warps);
        return p;
    }
    // The distance of move t from there
    static __device__ constexpr Place place_of_move(int t) {
        return FLAT ? place_of_unit(32 * t) : Place{0, t * lanes % rows, t * lanes / rows};
    }
    // Offset of the place's slot. The lanes of a tile access different banks, and so do those that move it.
    static __device__ constexpr int slot_of(Place p) {
        const int u = p.row / chunk, s = p.column / across * chunks + u / K::D;
        const int thread = p.matrix * lanes + p.column % across * K::D + u % K::D;
        return 16 * (s * THREADS + swizzled(thread, s)) + p.row % chunk * int(sizeof(T));
    }
    // Matrices of several warps are further apart.
    static __device__ constexpr int swizzled(int thread, int s) {
        return thread ^ ((thread >> 3 ^ thread >> (warps > 1 ? 5 : 6) ^ K::D * s) & 7);
    }
    static __device__ void sync(const Tile &tile) {
        if (FLAT)
            tile.sync();
        else
            __syncthreads();
    }

    const DeviceMatrices<T> &a_;
    int rows_, columns_;
    unsigned char *memory_;
    int64_t batch_, number_, step_, following_ = 0;
    Moved previous_, current_, next_;
};

}  // namespace xbatch::qr
