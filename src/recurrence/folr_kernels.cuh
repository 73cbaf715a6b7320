// folr_kernels.cuh: the P-scheme for first-order recurrences in registers and within a block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "affine_map.hpp"
#include "core/chunk.cuh"
#include "core/lanes.cuh"
#include "recurrence.hpp"

namespace xbatch::recurrence {

// Pre-computation (Wakatani 2012, phase 1): the affine map of one thread's R rows. The product is computed directly if
// no partial product can overflow or underflow, otherwise with a separate exponent.
template <class T, int R>
__device__ inline AffineMap<T> precompute(const T (&s)[R], const T (&t)[R]) {
    int distance = 0;
    T product = s[0], sum = t[0];
#pragma unroll
    for (int i = 0; i < R; ++i) {
        distance += exponent_distance(s[i]);
        if (i > 0) product = product * s[i], sum = fma_(s[i], sum, t[i]);
    }
    AffineMap<T> map{product, 0, sum};
    if (distance < BitsOf<Real<T>>::type::bias / 2) {
        renormalise(map.m, map.e);
        return map;
    }
    map = identity_map<T>();
#pragma unroll
    for (int i = 0; i < R; ++i) extend(map, s[i], t[i]);
    return map;
}

// Determination (phase 3): the states w of the rows from the state before them; w replaces t. Returns the last one.
template <class T, int R>
__device__ inline T determine(const T (&s)[R], T (&t)[R], T before) {
#pragma unroll
    for (int i = 0; i < R; ++i) t[i] = before = fma_(s[i], before, t[i]);
    return before;
}

using xbatch::from_lane;
template <class T>
__device__ inline AffineMap<T> from_lane(const AffineMap<T> &map, int lane) {
    return {from_lane(map.m, lane), from_lane(map.e, lane), from_lane(map.t, lane)};
}

// Shared memory of propagate: two buffers of one map per thread
template <class T>
XBATCH_HD constexpr size_t propagate_bytes(int threads) {
    return 2 * size_t(threads) * (2 * sizeof(T) + sizeof(int));
}

template <class T>
struct SharedMaps {
    T *m, *t;
    int *e;

    __device__ SharedMaps(unsigned char *bytes, int threads)
        : m(reinterpret_cast<T *>(bytes)), t(m + threads), e(reinterpret_cast<int *>(t + threads)) {}
    __device__ void put(int i, const AffineMap<T> &map) const { m[i] = map.m, t[i] = map.t, e[i] = map.e; }
    __device__ AffineMap<T> get(int i) const { return {m[i], e[i], t[i]}; }
};

// Prefix composition over consecutive lanes of a warp; `first` is the number of these lanes before this one.
template <class T, class Compose>
__device__ inline AffineMap<T> compose_lanes(AffineMap<T> map, int first, int most, Compose compose) {
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int s = 1; s < most; s *= 2) {
        const AffineMap<T> other = from_lane(map, (lane - s) & 31);
        if (first >= s) map = compose(other, map);
    }
    return map;
}

// Propagation (phase 2): on return `before` is the map of all chunks of the tile before this one, and the result the
// map up to and including it. The order of all products depends on the shape alone. FLAT: the chunks of a system are
// lanes of one warp; otherwise threads of a block, which exchange maps through shared memory.
template <class T, bool FLAT>
__device__ inline AffineMap<T> propagate(AffineMap<T> map, ThreadChunk chunk, BlockShape shape, unsigned char *shared,
                                         AffineMap<T> &before) {
    const int threads = blockDim.x, t = threadIdx.x, lane = t % 32;
    if (FLAT) {
        map = compose_lanes(map, chunk.k, shape.chunks, composed<T>);
        before = from_lane(map, (lane - 1) & 31);
        if (chunk.k == 0) before = identity_map<T>();
        return map;
    }
    __syncthreads();  // earlier contents have been read
    int buffer = 0;
    const auto maps = [&] { return SharedMaps<T>(shared + buffer * (propagate_bytes<T>(threads) / 2), threads); };
    for (int s = 1; s < shape.chunks; s *= 2, buffer ^= 1) {
        maps().put(t, map);
        __syncthreads();
        if (chunk.k >= s && chunk.is_used) map = composed(maps().get(t - s * chunk.stride), map);
    }
    maps().put(t, map);
    __syncthreads();
    before = chunk.k > 0 && chunk.is_used ? maps().get(t - chunk.stride) : identity_map<T>();
    return map;
}

// Loads one array of the tile, in the order of memory.
template <class T, int R, bool FLAT>
__device__ inline void load(const T *array, const TileArray &at, const TileAccess<R, FLAT> &access, T (&v)[R]) {
    if (access.is_run(at)) {
        const int64_t first = access.run_offset(at, 0), step = FLAT ? 32 * at.step : at.step;
        access.each([&](int i) { v[i] = array[first + i * step]; });
    } else {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            int system = 0, row = 0;
            if (access.find(i, system, row)) v[i] = array[access.offset(at, system, row)];
        }
    }
}
template <class T, int R, bool FLAT>
__device__ inline void store(T *array, const TileArray &at, const TileAccess<R, FLAT> &access, const T (&v)[R]) {
    if (access.is_run(at)) {
        const int64_t first = access.run_offset(at, 0), step = FLAT ? 32 * at.step : at.step;
        access.each([&](int i) { store_once(array + first + i * step, v[i]); });
    } else {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            int system = 0, row = 0;
            if (access.find(i, system, row)) store_once(array + access.offset(at, system, row), v[i]);
        }
    }
}

template <class T, int R>
__device__ inline void clear(T (&v)[R]) {
#pragma unroll
    for (int i = 0; i < R; ++i) v[i] = T(0);
}
template <class T, int R>
__device__ inline void add(const T (&u)[R], T (&v)[R]) {
#pragma unroll
    for (int i = 0; i < R; ++i) v[i] = v[i] + u[i];
}

template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t walk_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}
// A worker evaluates `systems` sequences at a time, tile by tile of chunks*R rows. FLAT: a worker is a warp; otherwise
// a block. CORRECTS: it evaluates the recurrence with t = 0 and adds the result to w.
template <class T, int R, bool FLAT, bool CORRECTS = false>
struct Walker {
    const FolrProblem &p;
    BlockShape shape;
    ThreadChunk chunk;
    int64_t j0, r;  // of the block's first system
    T *stage, *states;
    unsigned char *exchange;
    T s[R], t[R];
    AffineMap<T> before;

    __device__ bool is_last() const { return chunk.is_used && chunk.k == shape.chunks - 1; }
    __device__ TileAccess<R, FLAT> access(int64_t row0) const { return {shape, chunk, j0, p.batch, row0, p.n}; }

    // Phases 1 and 2 of a tile; returns the map of the whole tile in the thread of the last chunk.
    __device__ AffineMap<T> enter(int64_t row0) {
        const TileAccess<R, FLAT> there = access(row0);
        load(static_cast<const T *>(p.s), tile_array<R, FLAT>(p.s_at, chunk, p.batch, j0, 0, row0), there, s);
        if (CORRECTS)
            clear(t);
        else
            load(static_cast<const T *>(p.t), tile_array<R, FLAT>(p.t_at, chunk, p.batch, j0, r, row0), there, t);
        to_chunk(stage, there, T(1), s);
        to_chunk(stage, there, T(0), t);
        return propagate<T, FLAT>(precompute(s, t), chunk, shape, exchange, before);
    }
    // Phase 3 of the tile; returns the state after the thread's chunk.
    __device__ T leave(int64_t row0, T state) {
        const T last = determine(s, t, pass(before, state));
        const TileAccess<R, FLAT> there = access(row0);
        to_memory_order(stage, there, t);
        const TileArray w_at = tile_array<R, FLAT>(p.w_at, chunk, p.batch, j0, r, row0);
        if (CORRECTS) {
            load(static_cast<const T *>(p.w), w_at, there, s);
            add(s, t);
        }
        store(static_cast<T *>(p.w), w_at, there, t);
        return last;
    }
    // Broadcasts the value of the thread of the last chunk to all threads of its system.
    __device__ T spread(T value) {
        if (FLAT) return from_lane(value, int(threadIdx.x) % 32 - chunk.k + shape.chunks - 1 & 31);
        __syncthreads();
        if (is_last()) states[chunk.system] = value;
        __syncthreads();
        return states[chunk.is_used ? chunk.system : 0];
    }
    // Tiles begin … end-1 from the state before them; returns the state after them, FLAT.
    __device__ T walk(int64_t begin, int64_t end, T state) {
        for (int64_t tile = begin; tile < end; ++tile) {
            if (CORRECTS && magnitude(state) == 0) break;
            const int64_t row0 = tile * shape.chunks * R;
            enter(row0);
            const T last = leave(row0, state);
            if (FLAT || tile + 1 < end) state = spread(last);
        }
        return state;
    }
};

template <class T, int R, bool FLAT, bool CORRECTS = false>
__device__ inline Walker<T, R, FLAT, CORRECTS> walker(const FolrProblem &p, BlockShape shape,
                                                      unsigned char *shared_bytes, size_t stages, int64_t unit) {
    T *const states = reinterpret_cast<T *>(shared_bytes + stages);
    return {p,
            shape,
            chunk_of_thread<FLAT>(shape),
            unit / p.nrhs * shape.systems,
            unit % p.nrhs,
            reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0),
            states,
            reinterpret_cast<unsigned char *>(states + blockDim.x),
            {},
            {},
            {}};
}

template <class T>
__device__ inline T state_at_start(const FolrProblem &p, bool exists, int64_t j, int64_t r) {
    return exists && j < p.batch && p.w0 ? static_cast<const T *>(p.w0)[j * p.nrhs + r] : T(0);
}

// Every worker evaluates sequences of its own.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, 2) folr_walk(FolrProblem p, BlockShape shape, int64_t tiles) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    Walker<T, R, FLAT> w = walker<T, R, FLAT>(p, shape, shared_bytes, stages_bytes<T, R, FLAT>(THREADS), blockIdx.x);
    w.walk(0, tiles, state_at_start<T>(p, w.chunk.is_used, w.j0 + w.chunk.system, w.r));
}

}  // namespace xbatch::recurrence
