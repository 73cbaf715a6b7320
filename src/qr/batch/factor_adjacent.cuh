// factor_adjacent.cuh: factor_packed.cuh of adjacent interleaved matrices, whose panels a block copies together.
//
// A warp factors panels of one matrix, but thread t of `adjacent_matrices` warps copies entries of matrix t mod
// `adjacent_matrices`, so that adjacent threads access adjacent elements. A panel is exchanged for the next one through
// shared memory, some registers at a time: where no vectors are yet, or in room that is kept for it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "factor_packed.cuh"
#include "qr_adjacent_tuning.hpp"

namespace xbatch::qr {

template <class T, int SHAPE>
struct ShapeOfAdjacent {
    static constexpr PackedShape value = std::get<SHAPE>(adjacent_shapes<T>).panels;
};
template <class T, int SHAPE>
struct AdjacentKind : PanelKind<T, ShapeOfAdjacent<T, SHAPE>> {
    using Base = PanelKind<T, ShapeOfAdjacent<T, SHAPE>>;
    static constexpr bool ends_at_first = true;
    static constexpr int threads = 32 * Base::warps, registers = Base::C * Base::R;  // of a matrix, of a lane's panel
    static constexpr bool loads_ahead = std::get<SHAPE>(adjacent_shapes<T>).loads_ahead;
};

// In shared memory: bytes from a matrix to the next one, panels whose vectors have a place, and elements that are kept
// for exchanges of each warp
struct AdjacentPlaces {
    int apart, held, room;
};

template <class T, class K>
class AdjacentColumns {
public:
    static constexpr bool is_exchanged = true;

    __device__ AdjacentColumns(const PackedArguments<T> &p, const AdjacentPlaces &at, int64_t batch,
                               unsigned char *shared)
        : p_(p), at_(at), batch_(batch), shared_(shared), place_(begin_of(warp())) {
        const int64_t j = first() + other_matrix();
        columns_ = j < batch ? p.n : 0;
        global_ = p.a.data + p.a.at.base(min(j, batch - 1));
        if (K::loads_ahead) load<0, K::registers>(warp(), next_);
    }

    static __device__ int warp() { return int(threadIdx.x) / 32 % K::warps; }
    // Loads the warp's first panel.
    __device__ __forceinline__ void begin(int panel, T (&a)[K::C][K::R]) {
        exchange_by_room(-1, panel, place_, place_of(panel), a);
    }
    // Stores a panel when all matrices' warps have it, and loads their next one, if there is one.
    __device__ __forceinline__ void exchange(int panel, int panels, T (&a)[K::C][K::R]) {
        const int next = panel + K::warps;
#pragma unroll
        for (int w = 0; w < K::warps; ++w) place_ += K::B * ld(panel + w);
        const bool is_end = K::warps == 1 && next >= panels;  // one warp no longer needs any vectors
        exchange_by_room(panel, next, is_end ? 0 : place_, place_of(is_end ? 0 : next), a);
    }
    // A column of this lane's matrix, which is not stored yet
    template <bool STORES>
    __device__ __forceinline__ void move(int c, int part, int m, int n, T (&a)[K::R]) const {
        static_assert(!STORES);
        const int64_t j = first() + matrix();
        if (j < batch_ && c < n) return PackedColumns<T, K>(p_.a.of(j)).template move<false>(c, part, m, n, a);
#pragma unroll
        for (int r = 0; r < K::R; ++r) a[r] = T(Real<T>(0));
    }

private:
    static constexpr int G = adjacent_matrices;

    // Of a panel's vectors
    static __device__ int ld(int panel) {
        constexpr PackedShape shape = K::shape;
        return shape.ld(panel, K::chunk);
    }
    static __device__ int begin_of(int panel) {
        constexpr PackedShape shape = K::shape;
        return shape.begin(panel, K::chunk);
    }
    // Elements of the place of its vectors, if it has one
    __device__ int place_of(int panel) const { return panel < at_.held ? K::B * ld(panel) : 0; }
    static __device__ int lane() { return int(threadIdx.x) % 32; }
    static __device__ int matrix() { return int(threadIdx.x) / K::threads; }
    // Of the entries that this thread copies: their matrix, and the lane that has them
    static __device__ int other_matrix() { return lane() % G; }
    static __device__ int other_lane() { return matrix() * (32 / G) + lane() / G; }
    static __device__ int64_t first() { return int64_t(blockIdx.x) * G; }
    // Of a matrix's entries of a lane, by which lanes of one matrix and of several access different banks
    __device__ T *exchanged_at(int place, int lane, int matrix) const {
        return reinterpret_cast<T *>(shared_ + matrix * at_.apart + K::head_bytes) + place +
               (lane ^ (matrix * (32 / int(sizeof(T)))));
    }
    // Of the warps for this one's panels of all matrices
    static __device__ void sync() { asm volatile("bar.sync %0, %1;" ::"r"(1 + warp()), "n"(32 * G) : "memory"); }

    // f(x, address, whether the matrix has it) for COUNT registers of a panel from FIRST on
    template <int FIRST, int COUNT, class F>
    __device__ __forceinline__ void each_entry(int panel, F f) const {
#pragma unroll
        for (int t = FIRST / K::R; t < K::C && t * K::R < FIRST + COUNT; ++t) {
            int part = other_lane() % K::D * K::chunk, column = panel * K::B + t * K::A + other_lane() / K::D;
            asm volatile("" : "+r"(part), "+r"(column));  // hidden: addresses are not to be held in registers
            int64_t row = p_.a.at.row;
            T *const at = global_ + column * p_.a.at.column + part * row;
            const int left = panel >= 0 && column < columns_ ? p_.m - part : 0;
            asm volatile("" : "+l"(row));
#pragma unroll
            for (int i = 0; i < K::R; ++i) {
                const int x = t * K::R + i, below = i / K::chunk * K::D * K::chunk + i % K::chunk;
                if (x >= FIRST && x < FIRST + COUNT) f(x, at + below * row, below < left);
            }
        }
    }
    template <int FIRST, int COUNT, int N>
    __device__ __forceinline__ void load(int panel, T (&to)[N]) const {
        each_entry<FIRST, COUNT>(panel, [&](int x, T *at, bool is_in) { to[x - FIRST] = read_if(is_in, at); });
    }
    // panel: -1 if none is stored; place: of vectors that are not there, and its elements
    __device__ __forceinline__ void exchange_by_room(int panel, int next, int place, int elements, T (&a)[K::C][K::R]) {
        const bool has_place = elements > at_.room;
        const int at = has_place ? place : begin_of(at_.held) + warp() * at_.room;
        if ((has_place ? elements : at_.room) >= exchange_room(8))
            exchange_some<0, 8>(panel, next, at, a);
        else
            exchange_some<0, 2>(panel, next, at, a);
        __syncwarp();  // the place is free for vectors
        if constexpr (K::loads_ahead)
            load<0, K::registers>(next + K::warps, next_);
        else
            each_entry<0, K::registers>(next + K::warps, [](int, T *at, bool is_in) {
                if (is_in) asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
            });
    }
    // Registers from FIRST on, N at once
    template <int FIRST, int N>
    __device__ __forceinline__ void exchange_some(int panel, int next, int at, T (&a)[K::C][K::R]) {
        constexpr int count = K::registers - FIRST < N ? K::registers - FIRST : N;
        T loaded[N];
        if constexpr (!K::loads_ahead) load<FIRST, count>(next, loaded);
        T *const own = exchanged_at(at, lane(), matrix()), *const other =
                                                               exchanged_at(at, other_lane(), other_matrix());
#pragma unroll
        for (int x = FIRST; x < FIRST + count; ++x) own[(x - FIRST) * 32] = a[x / K::R][x % K::R];
        sync();
        each_entry<FIRST, count>(panel, [&](int x, T *to, bool is_in) {
            if (is_in) *to = other[(x - FIRST) * 32];
        });
#pragma unroll
        for (int x = FIRST; x < FIRST + count; ++x)
            other[(x - FIRST) * 32] = K::loads_ahead ? next_[x] : loaded[x - FIRST];
        sync();
#pragma unroll
        for (int x = FIRST; x < FIRST + count; ++x) a[x / K::R][x % K::R] = own[(x - FIRST) * 32];
        if constexpr (FIRST + count < K::registers) exchange_some<FIRST + count, N>(panel, next, at, a);
    }

    const PackedArguments<T> &p_;
    const AdjacentPlaces &at_;
    int64_t batch_;
    unsigned char *shared_;
    int place_, columns_;  // of the vectors of the warp's next panel; of the matrix of which this thread copies entries
    T *global_;            // that matrix
    T next_[K::loads_ahead ? K::registers : 1];
};

template <class T, int SHAPE>
__global__ void __launch_bounds__(AdjacentKind<T, SHAPE>::threads *adjacent_matrices,
                                  AdjacentKind<T, SHAPE>::shape.blocks)
    factor_adjacent(const __grid_constant__ PackedArguments<T> p, const __grid_constant__ AdjacentPlaces at,
                    int64_t batch) {
    extern __shared__ __align__(128) unsigned char shared[];
    using K = AdjacentKind<T, SHAPE>;
    using Panel = PackedPanel<T, K>;
    const int q = int(threadIdx.x) / K::threads, own = int(threadIdx.x) % K::threads;
    const PackedMemory<T, K> memory(p, shared + q * at.apart);
    const int k = min(p.m, p.n), steps = memory.steps(0);
    const int64_t j = int64_t(blockIdx.x) * adjacent_matrices + q;
    if (K::warps > 1)
        for (int s = own; s < K::stages; s += K::threads) memory.panels(0).begin(s, 32);
    if (own == 0) memory.wrong() = INT_MAX;
    if (own == 0 && steps < k) memory.taus(0)[k - 1] = T(Real<T>(0));
    __syncthreads();
    AdjacentColumns<T, K> columns(p, at, batch, shared);
    Panel(memory).factor(columns, memory.wrong());
    __syncthreads();
    if (j < batch) finish_packed<T, K>(p, memory, j, own, K::threads);
}

}  // namespace xbatch::qr
