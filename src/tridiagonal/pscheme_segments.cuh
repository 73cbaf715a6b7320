// pscheme_segments.cuh: the P-scheme across blocks, for systems of any length: each block owns a segment of rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "pscheme_relation.cuh"

namespace xbatch {

// How systems are cut: `groups` of shape.systems systems (times nrhs) are worked on `at_once` at a time, each by
// `segments` blocks that own `tiles` tiles of chunks*R rows together. One segment needs no other block.
struct SegmentPlan {
    BlockShape shape;
    int threads;
    int64_t groups, tiles;
    int segments, at_once;
    int64_t tiles_per_segment;  // the most a segment holds

    __host__ __device__ int64_t relations() const {  // of all blocks, in two buffers that rounds take in turn
        return int64_t(2) * at_once * segments * shape.systems;
    }
    __host__ __device__ int64_t trail() const {  // one entry a tile of every block
        return int64_t(at_once) * segments * tiles_per_segment * shape.systems;
    }
};

template <class T>
struct SegmentBuffers {
    Relation<T> *relations;
    Ends<T> *trail;
};

// Relations that other blocks wrote, not through L1, by `threads` threads together: whole lines.
template <class T>
__device__ inline void fetch_relations(const Relation<T> *from, int64_t count, Relation<T> *to, int thread,
                                       int threads) {
    for (int64_t i = thread; i < count * int64_t(sizeof(Relation<T>) / 8); i += threads)
        reinterpret_cast<double *>(to)[i] = __ldcg(reinterpret_cast<const double *>(from) + i);
}

// The chain of segments [begin, end) of one system, by one warp, a serial piece a lane; lane 0 holds the result.
template <class T, class Read>
__device__ inline bool chain_segments(Read read, int begin, int end, Relation<T> &result) {
    const int lane = threadIdx.x % 32, count = max(0, end - begin), pieces = min(count, 32);
    bool is_fine = true;
    if (lane < pieces) {
        const int first = begin + count * lane / pieces, last = begin + count * (lane + 1) / pieces;
        result = read(first);
        for (int q = first + 1; q < last; ++q) {
            const Relation<T> left = result;
            Ends<T> between;
            is_fine = chain(left, read(q), result, between) && is_fine;
        }
    }
    is_fine = chain_lanes(result, lane, pieces, 1) && is_fine;
    return __all_sync(0xffffffffu, is_fine);
}

// The chain of what the warps found of segments [begin, end), warp w having seen those from segments*w/warps on.
template <class T>
__device__ inline bool chain_warps(const Relation<T> *parts, int segments, int begin, int end, int warps, int stride,
                                   Relation<T> &result) {
    bool is_fine = true, is_empty = true;
    for (int w = 0; w < warps; ++w) {
        if (max(begin, segments * w / warps) >= min(end, segments * (w + 1) / warps)) continue;
        const Relation<T> left = result, part = parts[w * stride];
        Ends<T> between;
        if (is_empty)
            result = part;
        else
            is_fine = chain(left, part, result, between) && is_fine;
        is_empty = false;
    }
    return is_fine;
}

// What a block works in: the stages and propagate's, and for a while the relations of all segments in their place.
template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t working_bytes(int threads, int relations) {
    const size_t solving = stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads);
    const size_t fetched = FLAT ? size_t(relations) * sizeof(Relation<T>) : 0;
    return ((solving > fetched ? solving : fetched) + 15) / 16 * 16;
}

template <class T, int R, bool FLAT>
constexpr size_t segments_kernel_bytes(int threads, int systems, int segments) {
    return working_bytes<T, R, FLAT>(threads, segments) + PartShared<T>::bytes(threads, systems);
}

// Two passes over the rows: pre-computation tile after tile, keeping one relation a segment; propagation over the
// segments of a system, done by every block for itself after one grid barrier; determination in the opposite order, so
// that the tiles met last, and the one still in registers, are found on the chip. 72 bytes a row of doubles at most
// instead of 40.
template <class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    pscheme_segments(GtsvProblem p, SegmentPlan plan, SegmentBuffers<T> buffers) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    constexpr int threads = THREADS, warps = THREADS / 32;
    const int warp = threadIdx.x / 32;
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? warp * stage_size<T, R>() : 0);
    T *const exchange = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(threads));
    const BlockShape shape = plan.shape;
    const int S = shape.systems;
    const PartShared<T> shared(shared_bytes + working_bytes<T, R, FLAT>(threads, plan.segments), threads);
    const Seat seat = seat_of<FLAT>(shape);
    const bool is_first = seat.k == 0;
    const int place = blockIdx.x / plan.segments, segment = blockIdx.x % plan.segments;
    const int64_t tile_rows = int64_t(shape.chunks) * R;
    const int64_t tile_begin = plan.tiles * segment / plan.segments,
                  tile_end = plan.tiles * (segment + 1) / plan.segments;
    Ends<T> *const trail = buffers.trail + int64_t(blockIdx.x) * plan.tiles_per_segment * S + seat.sub;

    int round = 0;
    for (int64_t group = place; group - place < plan.groups; group += plan.at_once, round ^= 1) {
        const bool is_idle = group >= plan.groups;  // only here for the barrier
        const int64_t r = group % p.nrhs, j0 = is_idle ? 0 : group / p.nrhs * S, j = j0 + seat.sub;
        const int64_t batch = is_idle ? 0 : p.batch;
        int32_t *const info = p.info && r == 0 && j < batch ? p.info + j : nullptr;
        if (info && is_first && segment == 0) *info = 0;
        int64_t bad_row = INT64_MAX;
        Chunk<T, R> v;

        const auto enter = [&](int64_t m) {  // phase 1 of a tile
            const Reach<R, FLAT> reach(shape, seat, j0, batch, m * tile_rows, p.n);
            load(p, reach, tracks_of<R, FLAT>(p, seat, j0, r, m * tile_rows), seat, m * tile_rows, stage, v);
            const int bad = precompute(v);
            if (bad != no_row && reach.own > 0) bad_row = min(bad_row, m * tile_rows + seat.k * R + bad);
        };

        Relation<T> mine{};
        for (int64_t m = tile_begin; m < tile_end; ++m) {
            enter(m);
            Relation<T> tile;
            bool is_fine = condense(v, seat, shape, shared.relations + (m & 1) * warps * S, tile);
            if (is_first && m > tile_begin) {
                const Relation<T> left = mine;
                Ends<T> between;
                is_fine = chain(left, tile, mine, between) && is_fine;
                trail[(m - tile_begin) * S] = between;
            } else {
                mine = tile;
            }
            if (!is_fine) bad_row = min(bad_row, (m + 1) * tile_rows - 1);
        }

        T before = T(0), behind = T(0);  // of the segment; in the thread of chunk 0
        if (plan.segments > 1) {
            Relation<T> *const relations =
                buffers.relations + (int64_t(round) * plan.at_once + place) * plan.segments * S;
            if (is_first) relations[int64_t(segment) * S + seat.sub] = mine;
            cooperative_groups::this_grid().sync();
            // One system's relations fit in shared memory, where all warps want them; those of many are read in place.
            Relation<T> *const fetched = reinterpret_cast<Relation<T> *>(shared_bytes);
            if (FLAT) fetch_relations(relations, plan.segments, fetched, threadIdx.x, threads);
            __syncthreads();
            // Left and right of the segment, for every system a part a warp.
            for (int sub = 0; sub < S; ++sub) {
                const int begin = plan.segments * warp / warps, end = plan.segments * (warp + 1) / warps;
                Relation<T> left{}, right{};
                const auto read = [&](int q) {
                    if (FLAT) return fetched[q];
                    Relation<T> relation;
                    fetch_relations(relations + int64_t(q) * S + sub, 1, &relation, 0, 1);
                    return relation;
                };
                bool is_fine = chain_segments<T>(read, begin, min(end, segment), left);
                is_fine = chain_segments<T>(read, max(begin, segment + 1), end, right) && is_fine;
                if (threadIdx.x % 32 == 0) {
                    shared.relations[warp * S + sub] = left;
                    shared.relations[(warps + warp) * S + sub] = right;
                }
                if (seat.sub == sub && !is_fine) bad_row = min(bad_row, tile_end * tile_rows - 1);
            }
            __syncthreads();
            if (is_first) {
                Relation<T> left{}, right{};
                bool is_fine = chain_warps(shared.relations + seat.sub, plan.segments, 0, segment, warps, S, left);
                is_fine = chain_warps(shared.relations + warps * S + seat.sub, plan.segments, segment + 1,
                                      plan.segments, warps, S, right) &&
                          is_fine;
                if (!close_run(left, mine, right, before, behind) || !is_fine)
                    bad_row = min(bad_row, tile_end * tile_rows - 1);
            }
        }
        __syncthreads();

        for (int64_t m = tile_end - 1; m >= tile_begin; --m) {
            if (is_first) {
                T inner = before;
                if (m > tile_begin) {
                    const Ends<T> between = trail[(m - tile_begin) * S];
                    inner = fnma(between.behind, behind, fnma(between.before, before, between.value));
                }
                shared.known[seat.sub] = inner, shared.known[threads + seat.sub] = behind;
            }
            if (m < tile_end - 1) enter(m);
            __syncthreads();
            if (!finish(v, seat, shape, exchange, shared.ends, shared.known[seat.sub],
                        shared.known[threads + seat.sub]))
                bad_row = min(bad_row, (m + 1) * tile_rows - 1);
            behind = v.d[0];  // of the tile before, in the thread of chunk 0
            const Reach<R, FLAT> reach(shape, seat, j0, batch, m * tile_rows, p.n);
            store(p, reach, tracks_of<R, FLAT>(p, seat, j0, r, m * tile_rows), stage, v);
        }
        if (info && bad_row != INT64_MAX) report(info, min(bad_row, p.n - 1));
        __syncthreads();
    }
}

}  // namespace xbatch
