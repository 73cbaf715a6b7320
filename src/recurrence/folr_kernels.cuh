// folr_kernels.cuh: the P-scheme for first-order recurrences in registers, within a block, and across blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "affine_map.hpp"
#include "core/chunk.cuh"
#include "core/lanes.cuh"
#include "recurrence.hpp"

namespace xbatch::recurrence {

// Pre-computation (Wakatani 2012, phase 1): the link of one thread's R rows. The product is plain where no part of it
// can leave the range, and carries its exponent along otherwise.
template <class T, int R>
__device__ inline Link<T> precompute(const T (&s)[R], const T (&t)[R]) {
    int distance = 0;
    T product = s[0], sum = t[0];
#pragma unroll
    for (int i = 0; i < R; ++i) {
        distance += exponent_distance(s[i]);
        if (i > 0) product = product * s[i], sum = fma_(s[i], sum, t[i]);
    }
    Link<T> link{product, 0, sum};
    if (distance < BitsOf<Real<T>>::type::bias / 2) {
        renormalise(link.m, link.e);
        return link;
    }
    link = identity_link<T>();
#pragma unroll
    for (int i = 0; i < R; ++i) extend(link, s[i], t[i]);
    return link;
}

// Determination (phase 3): the rows from the state before them; w replaces t. Returns the last one.
template <class T, int R>
__device__ inline T determine(const T (&s)[R], T (&t)[R], T before) {
#pragma unroll
    for (int i = 0; i < R; ++i) t[i] = before = fma_(s[i], before, t[i]);
    return before;
}

using xbatch::from_lane;
template <class T>
__device__ inline Link<T> from_lane(const Link<T> &link, int lane) {
    return {from_lane(link.m, lane), from_lane(link.e, lane), from_lane(link.t, lane)};
}

// Shared memory of propagate: two buffers of a link a thread.
template <class T>
XBATCH_HD constexpr size_t propagate_bytes(int threads) {
    return 2 * size_t(threads) * (2 * sizeof(T) + sizeof(int));
}

template <class T>
struct SharedLinks {
    T *m, *t;
    int *e;

    __device__ SharedLinks(unsigned char *bytes, int threads)
        : m(reinterpret_cast<T *>(bytes)), t(m + threads), e(reinterpret_cast<int *>(t + threads)) {}
    __device__ void put(int i, const Link<T> &link) const { m[i] = link.m, t[i] = link.t, e[i] = link.e; }
    __device__ Link<T> get(int i) const { return {m[i], e[i], t[i]}; }
};

// A chain along the lanes of a warp, `first` being the number of lanes before this one that belong to it.
template <class T>
__device__ inline Link<T> chain_lanes(Link<T> link, int first, int most) {
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int s = 1; s < most; s *= 2) {
        const Link<T> other = from_lane(link, (lane - s) & 31);
        if (first >= s) link = chained(other, link);
    }
    return link;
}

// Propagation (phase 2): on return `before` is the link of all chunks of the tile before this one, and the result the
// link up to and with it. The order of all products is fixed by the shape alone. FLAT: the chunks of a system are lanes
// of one warp; otherwise they are seats of a block, and meet in shared memory.
template <class T, bool FLAT>
__device__ inline Link<T> propagate(Link<T> link, Seat seat, BlockShape shape, unsigned char *shared, Link<T> &before) {
    const int threads = blockDim.x, t = threadIdx.x, lane = t % 32;
    if (FLAT) {
        link = chain_lanes(link, seat.k, shape.chunks);
        before = from_lane(link, (lane - 1) & 31);
        if (seat.k == 0) before = identity_link<T>();
        return link;
    }
    __syncthreads();  // what stood there has been read
    int buffer = 0;
    const auto links = [&] { return SharedLinks<T>(shared + buffer * (propagate_bytes<T>(threads) / 2), threads); };
    for (int s = 1; s < shape.chunks; s *= 2, buffer ^= 1) {
        links().put(t, link);
        __syncthreads();
        if (seat.k >= s && seat.is_used) link = chained(links().get(t - s * seat.beside), link);
    }
    links().put(t, link);
    __syncthreads();
    before = seat.k > 0 && seat.is_used ? links().get(t - seat.beside) : identity_link<T>();
    return link;
}

// Links that other blocks wrote, not through L1, by `threads` threads together: whole lines.
template <class T>
__device__ inline void fetch_links(const Link<T> *from, int64_t count, Link<T> *to, int thread, int threads) {
    for (int64_t i = thread; i < count * int64_t(sizeof(Link<T>) / 4); i += threads)
        reinterpret_cast<int *>(to)[i] = __ldcg(reinterpret_cast<const int *>(from) + i);
}

// One array of the tile into registers, in the order of memory.
template <class T, int R, bool FLAT>
__device__ inline void load(const T *array, const Track &at, const Reach<R, FLAT> &reach, T (&v)[R]) {
    if (reach.is_run(at)) {
        const int64_t first = reach.run_offset(at, 0), step = FLAT ? 32 * at.step : at.step;
        reach.each([&](int i) { v[i] = array[first + i * step]; });
    } else {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            int system = 0, row = 0;
            if (reach.find(i, system, row)) v[i] = array[reach.offset(at, system, row)];
        }
    }
}
template <class T, int R, bool FLAT>
__device__ inline void store(T *array, const Track &at, const Reach<R, FLAT> &reach, const T (&v)[R]) {
    if (reach.is_run(at)) {
        const int64_t first = reach.run_offset(at, 0), step = FLAT ? 32 * at.step : at.step;
        reach.each([&](int i) { store_once(array + first + i * step, v[i]); });
    } else {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            int system = 0, row = 0;
            if (reach.find(i, system, row)) store_once(array + reach.offset(at, system, row), v[i]);
        }
    }
}

template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t walk_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}
// The links of all blocks of a unit take the place of the stages for a while.
template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t segments_bytes(int threads, int64_t links) {
    const size_t stages = stages_bytes<T, R, FLAT>(threads),
                 fetched = FLAT ? (size_t(links) * sizeof(Link<T>) + 15) / 16 * 16 : 0;
    return walk_bytes<T, R, FLAT>(threads) - stages + (stages > fetched ? stages : fetched);
}

// What a worker does: `systems` sequences side by side, tile after tile of chunks*R rows. FLAT: a worker is a warp;
// otherwise a block.
template <class T, int R, bool FLAT>
struct Walker {
    const FolrProblem &p;
    BlockShape shape;
    Seat seat;
    int64_t j0, r;  // of the block's first system
    T *stage, *states;
    unsigned char *exchange;
    T s[R], t[R];
    Link<T> before;

    __device__ bool is_last() const { return seat.is_used && seat.k == shape.chunks - 1; }
    __device__ Reach<R, FLAT> reach(int64_t row0) const { return {shape, seat, j0, p.batch, row0, p.n}; }

    // Phases 1 and 2 of a tile; the thread of the last chunk gets the link of the whole tile.
    __device__ Link<T> enter(int64_t row0) {
        const Reach<R, FLAT> there = reach(row0);
        load(static_cast<const T *>(p.s), track_of<R, FLAT>(p.s_at, seat, p.batch, j0, 0, row0), there, s);
        load(static_cast<const T *>(p.t), track_of<R, FLAT>(p.t_at, seat, p.batch, j0, r, row0), there, t);
        to_chunk(stage, there, T(1), s);
        to_chunk(stage, there, T(0), t);
        return propagate<T, FLAT>(precompute(s, t), seat, shape, exchange, before);
    }
    // Phase 3 of the tile; returns the state behind the thread's chunk.
    __device__ T leave(int64_t row0, T state) {
        const T last = determine(s, t, pass(before, state));
        const Reach<R, FLAT> there = reach(row0);
        to_memory_order(stage, there, t);
        store(static_cast<T *>(p.w), track_of<R, FLAT>(p.w_at, seat, p.batch, j0, r, row0), there, t);
        return last;
    }
    // What the thread of the last chunk knows, to all threads of its system.
    __device__ T spread(T value) {
        if (FLAT) return from_lane(value, int(threadIdx.x) % 32 - seat.k + shape.chunks - 1 & 31);
        __syncthreads();
        if (is_last()) states[seat.sub] = value;
        __syncthreads();
        return states[seat.is_used ? seat.sub : 0];
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
            seat_of<FLAT>(shape),
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

// Every worker walks along its own sequences.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, 2) folr_walk(FolrProblem p, BlockShape shape, int64_t tiles) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    Walker<T, R, FLAT> w = walker<T, R, FLAT>(p, shape, shared_bytes, stages_bytes<T, R, FLAT>(THREADS), blockIdx.x);
    w.walk(0, tiles, state_at_start<T>(p, w.seat.is_used, w.j0 + w.seat.sub, w.r));
}

// Few long sequences: `places` blocks share each, and in a block, FLAT, its warps. Every worker first condenses its
// segment to one link, from its last tile to its first, so that the tiles it meets again are those still in the cache;
// links of blocks go through memory, and after one grid barrier everyone knows the state before its segment. 40 bytes
// an element of doubles instead of 24.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, 2)
    folr_segments(FolrProblem p, BlockShape shape, int64_t units, int64_t tiles, int places, Link<T> *links) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ Link<T> warp_links[THREADS / 32];
    const int warp = threadIdx.x / 32, workers = FLAT ? THREADS / 32 : 1, worker = FLAT ? warp : 0;
    const int64_t unit = blockIdx.x % units, place = blockIdx.x / units;
    const int S = FLAT ? 1 : shape.systems;
    const size_t stages = segments_bytes<T, R, FLAT>(THREADS, places) -
                          (walk_bytes<T, R, FLAT>(THREADS) - stages_bytes<T, R, FLAT>(THREADS));
    Walker<T, R, FLAT> w = walker<T, R, FLAT>(p, shape, shared_bytes, stages, unit);
    if (FLAT) w.j0 = unit / p.nrhs - warp;  // all warps of the block have the same sequence
    const int sub = FLAT ? 0 : w.seat.sub;
    const int64_t all = int64_t(places) * workers, mine = place * workers + worker;
    const int64_t begin = tiles * mine / all, end = tiles * (mine + 1) / all;

    Link<T> segment = identity_link<T>();
    for (int64_t tile = end - 1; tile >= begin; --tile) segment = chained(w.enter(tile * shape.chunks * R), segment);
    Link<T> *const told = links + unit * places * S;
    if (FLAT) {
        if (w.is_last()) warp_links[warp] = segment;
        __syncthreads();
        if (threadIdx.x == 0) {
            segment = warp_links[0];
            for (int q = 1; q < workers; ++q) segment = chained(segment, warp_links[q]);
            told[place] = segment;
        }
    } else if (w.is_last()) {
        told[place * S + sub] = segment;
    }
    cooperative_groups::this_grid().sync();
    // One sequence's links fit in shared memory, where all warps want them; those of many are read in place.
    Link<T> *const fetched = reinterpret_cast<Link<T> *>(shared_bytes);
    if (FLAT) fetch_links(told, place, fetched, threadIdx.x, THREADS);
    __syncthreads();
    Link<T> before = identity_link<T>(), ignored;
    const int count = int(place);
    if (w.seat.is_used)
        for (int q = count * w.seat.k / shape.chunks; q < count * (w.seat.k + 1) / shape.chunks; ++q) {
            Link<T> link;
            if (FLAT)
                link = fetched[q];
            else
                fetch_links(told + int64_t(q) * S + sub, 1, &link, 0, 1);
            before = chained(before, link);
        }
    before = propagate<T, FLAT>(before, w.seat, shape, w.exchange, ignored);
    __syncthreads();  // the stages are free again
    for (int q = 0; q < worker; ++q) before = chained(before, warp_links[q]);
    w.walk(begin, end, w.spread(pass(before, state_at_start<T>(p, w.seat.is_used, w.j0 + w.seat.sub, w.r))));
}

}  // namespace xbatch::recurrence
