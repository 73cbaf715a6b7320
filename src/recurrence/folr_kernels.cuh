// folr_kernels.cuh: the P-scheme for first-order recurrences in registers, within a block, and across blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

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
template <class T>
__device__ inline AffineMap<T> compose_lanes(AffineMap<T> map, int first, int most) {
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int s = 1; s < most; s *= 2) {
        const AffineMap<T> other = from_lane(map, (lane - s) & 31);
        if (first >= s) map = composed(other, map);
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
        map = compose_lanes(map, chunk.k, shape.chunks);
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

// Copies maps that other blocks wrote, bypassing the first-level cache, by `threads` threads together.
template <class T>
__device__ inline void fetch_maps(const AffineMap<T> *from, int64_t count, AffineMap<T> *to, int thread, int threads) {
    for (int64_t i = thread; i < count * int64_t(sizeof(AffineMap<T>) / 4); i += threads)
        reinterpret_cast<int *>(to)[i] = __ldcg(reinterpret_cast<const int *>(from) + i);
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

template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t walk_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}
// The maps of all blocks of a unit temporarily share the memory of the stages.
template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t segments_bytes(int threads, int64_t maps) {
    const size_t stages = stages_bytes<T, R, FLAT>(threads),
                 fetched = FLAT ? (size_t(maps) * sizeof(AffineMap<T>) + 15) / 16 * 16 : 0;
    return walk_bytes<T, R, FLAT>(threads) - stages + (stages > fetched ? stages : fetched);
}

// A worker evaluates `systems` sequences at a time, tile by tile of chunks*R rows. FLAT: a worker is a warp; otherwise
// a block.
template <class T, int R, bool FLAT>
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
        store(static_cast<T *>(p.w), tile_array<R, FLAT>(p.w_at, chunk, p.batch, j0, r, row0), there, t);
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
    __device__ void walk(int64_t begin, int64_t end, T state) {
        for (int64_t tile = begin; tile < end; ++tile) {
            const int64_t row0 = tile * shape.chunks * R;
            enter(row0);
            const T last = leave(row0, state);
            if (tile + 1 < end) state = spread(last);
        }
    }
};

template <class T, int R, bool FLAT>
__device__ inline Walker<T, R, FLAT> walker(const FolrProblem &p, BlockShape shape, unsigned char *shared_bytes,
                                            size_t stages, int64_t unit) {
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

// Few long sequences: `places` blocks share each, and in a block, FLAT, its warps. Every worker first condenses its
// segment to one map, from its last tile to its first, so that the tiles it loads again first are still in the cache.
// Blocks exchange their maps through global memory; after one grid barrier every worker computes the state before its
// segment. 40 bytes per element of doubles instead of 24.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, 2)
    folr_segments(FolrProblem p, BlockShape shape, int64_t units, int64_t tiles, int places, AffineMap<T> *maps) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ AffineMap<T> warp_maps[THREADS / 32];
    const int warp = threadIdx.x / 32, workers = FLAT ? THREADS / 32 : 1, worker = FLAT ? warp : 0;
    const int64_t unit = blockIdx.x % units, place = blockIdx.x / units;
    const int S = FLAT ? 1 : shape.systems;
    const size_t stages = segments_bytes<T, R, FLAT>(THREADS, places) -
                          (walk_bytes<T, R, FLAT>(THREADS) - stages_bytes<T, R, FLAT>(THREADS));
    Walker<T, R, FLAT> w = walker<T, R, FLAT>(p, shape, shared_bytes, stages, unit);
    if (FLAT) w.j0 = unit / p.nrhs - warp;  // all warps of the block have the same sequence
    const int system = FLAT ? 0 : w.chunk.system;
    const int64_t all = int64_t(places) * workers, mine = place * workers + worker;
    const int64_t begin = tiles * mine / all, end = tiles * (mine + 1) / all;

    AffineMap<T> segment = identity_map<T>();
    for (int64_t tile = end - 1; tile >= begin; --tile) segment = composed(w.enter(tile * shape.chunks * R), segment);
    AffineMap<T> *const published = maps + unit * places * S;
    if (FLAT) {
        if (w.is_last()) warp_maps[warp] = segment;
        __syncthreads();
        if (threadIdx.x == 0) {
            segment = warp_maps[0];
            for (int q = 1; q < workers; ++q) segment = composed(segment, warp_maps[q]);
            published[place] = segment;
        }
    } else if (w.is_last()) {
        published[place * S + system] = segment;
    }
    cooperative_groups::this_grid().sync();
    // The maps of one sequence are copied to shared memory, as all warps use them; those of many are read in place.
    AffineMap<T> *const fetched = reinterpret_cast<AffineMap<T> *>(shared_bytes);
    if (FLAT) fetch_maps(published, place, fetched, threadIdx.x, THREADS);
    __syncthreads();
    AffineMap<T> before = identity_map<T>(), ignored;
    const int count = int(place);
    if (w.chunk.is_used)
        for (int q = count * w.chunk.k / shape.chunks; q < count * (w.chunk.k + 1) / shape.chunks; ++q) {
            AffineMap<T> map;
            if (FLAT)
                map = fetched[q];
            else
                fetch_maps(published + int64_t(q) * S + system, 1, &map, 0, 1);
            before = composed(before, map);
        }
    before = propagate<T, FLAT>(before, w.chunk, shape, w.exchange, ignored);
    __syncthreads();  // the stages are free again
    for (int q = 0; q < worker; ++q) before = composed(before, warp_maps[q]);
    w.walk(begin, end, w.spread(pass(before, state_at_start<T>(p, w.chunk.is_used, w.j0 + w.chunk.system, w.r))));
}

}  // namespace xbatch::recurrence
