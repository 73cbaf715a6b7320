// segment_kernels.cuh: long systems without pivoting, cut into segments: each is reduced to its last row, and solved
// once the last unknowns of all segments are known.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "row_chunk.cuh"

namespace xbatch::tridiagonal {

// The rows of a reduced level: row t is the last row of segment t of the level below, x_t = b - a x_{t-1} - c x_first.
// The first unknown of the segment behind is x_first = fd - fa x_t - fc x_{t+1}.
template <class T>
struct ReducedRows {
    T *a, *c, *b, *fa, *fc, *fd;
    Placement at;
};

// A level of a segmented system. In level 0, p is the caller's problem; in a reduced level it is ReducedRows with fa as
// d, and one system r*batch + j for each (j, r).
template <class T>
struct SegmentLevel {
    GtsvProblem p;
    const T *fc, *fd;  // in a reduced level, else NULL
    BlockShape shape;
    unsigned segments;          // of a system
    unsigned blocks;            // for all segments
    int64_t batch;              // of the caller's systems
    int64_t span, rows;         // one row per `span` rows of the caller's system, which has `rows`
    const int32_t *unresolved;  // [batch], FLAT: whether windows did not suffice for a system, so that levels are
                                // needed; NULL: all systems need them

    __device__ bool is_reduced() const { return fc != nullptr; }
    __device__ bool is_unresolved(int64_t j) const {
        return !unresolved || unresolved[is_reduced() ? j % batch : j] != 0;
    }
};

// The segment that a block works on
struct SegmentOfBlock {
    int64_t j0, r, row0;
    unsigned segment;
};
template <class T>
__device__ inline SegmentOfBlock segment_of(const SegmentLevel<T> &level, unsigned block, int segment_rows) {
    const unsigned nrhs = unsigned(level.p.nrhs), rest = block / nrhs, group = rest / level.segments;
    const unsigned segment = rest - group * level.segments;
    return {int64_t(group) * level.shape.systems, int64_t(block - rest * nrhs), int64_t(segment) * segment_rows,
            segment};
}

// Loads a chunk of a level. A row of a reduced level is composed of the equations of its segment and of the one behind.
template <class T, int R, bool FLAT>
__device__ inline void load_level(const SegmentLevel<T> &level, const TileAccess<R, FLAT> &access, const TileArrays &at,
                                  ThreadChunk chunk, int64_t row0, T *stage, RowChunk<T, R> &v) {
    load(level.p, access, at, chunk, row0, stage, v);
    if (!level.is_reduced()) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (r >= access.own) continue;
        const int64_t offset = access.offset(at.a, chunk.system, FLAT ? chunk.k * R + r : r);
        v.b[r] = fnma(v.c[r], v.b[r], T(1));
        v.d[r] = fnma(v.c[r], level.fd[offset], v.d[r]);
        v.c[r] = -(v.c[r] * level.fc[offset]);
    }
}

// Joins two adjacent runs of chunks: eliminates the left's z from the equations of its x_first and the right's z.
// Returns false where a pivot is bad.
template <class T>
__device__ inline bool join(const Edges<T> &left, const Edges<T> &right, Edges<T> &both) {
    const T pivot = fnma(left.lc, right.fa, T(1)), inverse = fast_reciprocal(pivot);
    const T a = left.la * inverse, c = -(left.lc * right.fc * inverse), d = fnma(left.lc, right.fd, left.ld) * inverse;
    const T last_pivot = fnma(right.la, c, T(1)), last_inverse = fast_reciprocal(last_pivot);
    both = {fnma(left.fc, a, left.fa),      -(left.fc * c),          fnma(left.fc, d, left.fd),
            -(right.la * a * last_inverse), right.lc * last_inverse, fnma(right.la, d, right.ld) * last_inverse};
    return has_reciprocal(pivot) && has_reciprocal(last_pivot);
}

using xbatch::shuffled_down;
template <class T>
__device__ inline Edges<T> shuffled_down(const Edges<T> &e, int by) {
    return {shuffled_down(e.fa, by), shuffled_down(e.fc, by), shuffled_down(e.fd, by),
            shuffled_down(e.la, by), shuffled_down(e.lc, by), shuffled_down(e.ld, by)};
}

// Joins all chunks of a segment, in the threads of chunk 0: as a tree within each warp, then the warps in sequence.
// `parts` is [warps][systems]; systems and chunks are powers of two. A bad pivot gives NaN.
template <class T>
__device__ inline void join_chunks(Edges<T> &mine, ThreadChunk chunk, BlockShape shape, Edges<T> *parts) {
    const int warps = blockDim.x / 32, in_warp = 32 / chunk.stride;  // chunks of a system in a warp
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
    const auto append = [&](const Edges<T> &right) {
        const Edges<T> left = mine;
        if (!join(left, right, mine)) mine.la = mine.lc = nan;
    };
#pragma unroll 1
    for (int s = 1; s < in_warp; s *= 2) {
        const Edges<T> right = shuffled_down(mine, s * chunk.stride);
        if (chunk.k % (2 * s) == 0) append(right);
    }
    if (chunk.k % in_warp == 0) parts[threadIdx.x / 32 * shape.systems + chunk.system] = mine;
    __syncthreads();
    if (chunk.k != 0) return;
    for (int w = 1; w < warps; ++w) append(parts[w * shape.systems + chunk.system]);
}

template <class T, int R, bool FLAT>
constexpr size_t segment_reduce_bytes(int threads, int systems) {
    return stages_bytes<T, R, FLAT>(threads) + size_t(2) * (threads / 32) * systems * sizeof(Edges<T>);
}

// Reduction: a block reduces segments to their last rows, which are the rows of the next level. Method eliminates a
// chunk, gives the equations of its ends, and computes its inner unknowns from them. Bad pivots are reported by
// substitution: those of rows occur again, those between chunks have given NaN.
template <class Method, class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) segment_reduce(SegmentLevel<T> level, ReducedRows<T> to) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    Edges<T> *const parts = reinterpret_cast<Edges<T> *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS));
    const BlockShape shape = level.shape;
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    trigger_dependents();
    wait_for_prerequisites();
    int64_t checked_system = -1;  // of is_unresolved
    bool is_unresolved = false;
    int round = 0;
    for (unsigned block = blockIdx.x; block < level.blocks; block += gridDim.x) {
        const SegmentOfBlock my = segment_of(level, block, shape.chunks * R);
        const int64_t j = my.j0 + chunk.system;
        const bool is_writer = chunk.k == 0 && j < level.p.batch;
        if (level.p.info && !level.is_reduced() && is_writer && my.r == 0 && my.segment == 0) level.p.info[j] = 0;
        if (FLAT && my.j0 != checked_system)
            checked_system = my.j0, is_unresolved = level.is_unresolved(checked_system);
        if (FLAT && !is_unresolved) continue;
        const TileAccess<R, FLAT> access(shape, chunk, my.j0, level.p.batch, my.row0, level.p.n);
        RowChunk<T, R> v;
        load_level(level, access, tile_arrays<R, FLAT>(level.p, chunk, my.j0, my.r, my.row0), chunk, my.row0, stage, v);
        Method::eliminate(v);
        Edges<T> mine = Method::edges(v);
        // Two buffers: the first warp may still read here when the others write those of the next segment.
        join_chunks(mine, chunk, shape, parts + (round ^= 1) * (THREADS / 32) * shape.systems);
        if (is_writer) {
            const int64_t offset = to.at.offset(my.segment, my.r * level.p.batch + j, 0);
            to.a[offset] = mine.la, to.c[offset] = mine.lc, to.b[offset] = mine.ld;
            if (my.segment > 0) {
                const int64_t before = offset - to.at.step;
                to.fa[before] = mine.fa, to.fc[before] = mine.fc, to.fd[before] = mine.fd;
            }
            if (my.segment + 1 == level.segments) to.fa[offset] = to.fc[offset] = to.fd[offset] = T(0);
        }
    }
}

template <class T, int R, bool FLAT>
constexpr size_t segment_substitute_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}

// The last unknowns of the segments: `known`, element [segment] of a system at placement `at`; where SOLVES_ABOVE each
// block computes them from the rows of the level above.
template <class T>
struct SegmentEnds {
    const T *known;
    Placement at;
    SegmentLevel<T> above;
};

constexpr int above_rows = 4;  // of a thread, in addition to those of its segment

// The last unknowns of a chunk and of the one before
template <class T>
struct ChunkEnds {
    T z_before, z;
};
// Returns false where a pivot is bad.
template <class T>
__device__ inline bool find_chunk_ends(const Edges<T> &mine, ThreadChunk chunk, BlockShape shape, T *exchange, T *ends,
                                       ChunkEnds<T> &found) {
    const bool is_fine = propagate(mine, chunk, shape, exchange, found.z);
    ends[threadIdx.x] = found.z;
    __syncthreads();
    if (chunk.k > 0) found.z_before = ends[threadIdx.x - chunk.stride];
    return is_fine;
}

// Solves one system of a level, FLAT; stores the unknowns in `solved`. Returns the row of a bad pivot, or no_row.
template <class Method, class T, int R>
__device__ inline int solve_above(const SegmentLevel<T> &level, int64_t system, T *stage, T *exchange, T *ends,
                                  T *solved) {
    const ThreadChunk chunk = chunk_of_thread<true>(level.shape);
    const TileAccess<R, true> access(level.shape, chunk, system, level.p.batch, 0, level.p.n);
    RowChunk<T, R> v;
    load_level(level, access, tile_arrays<R, true>(level.p, chunk, system, 0, 0), chunk, 0, stage, v);
    int bad = Method::eliminate(v);
    ChunkEnds<T> at{};
    if (!find_chunk_ends(Method::edges(v), chunk, level.shape, exchange, ends, at)) bad = min(bad, R - 1);
    Method::solve(v, at.z_before, at.z);
#pragma unroll
    for (int i = 0; i < R; ++i) solved[chunk.k * R + i] = v.d[i];
    __syncthreads();
    return bad != no_row && access.own > 0 ? chunk.k * R + bad : no_row;
}

// Substitution: from the last unknowns of all segments a block computes those inside a segment, whose rows it loads
// again, in reverse order, as the segments reduced last may be in the cache. At the top level a segment is a whole
// system. Where SOLVES_ABOVE the block first computes the last unknowns itself, unless windows have done so.
template <class Method, class T, int R, bool FLAT, int THREADS, int BLOCKS, bool SOLVES_ABOVE>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    segment_substitute(SegmentLevel<T> level, bool is_top, SegmentEnds<T> segment_ends) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    T *const exchange = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS));
    T *const ends = exchange + 6 * THREADS;
    const BlockShape shape = level.shape;
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const SegmentOfBlock my = segment_of(level, gridDim.x - 1 - blockIdx.x, shape.chunks * R);
    const int64_t j = my.j0 + chunk.system;
    const TileAccess<R, FLAT> access(shape, chunk, my.j0, level.p.batch, my.row0, level.p.n);
    const TileArrays at = tile_arrays<R, FLAT>(level.p, chunk, my.j0, my.r, my.row0);
    const auto report_bad_before = [&](int64_t end) {  // a bad pivot before row `end` of the caller's system
        if (level.p.info && my.r == 0 && j < level.batch) report(level.p.info + j, min(end, level.rows) - 1);
    };
    if (level.is_reduced()) {
        trigger_dependents();
        wait_for_prerequisites();
        if (FLAT && !level.is_unresolved(my.j0)) return;
    }
    RowChunk<T, R> v;
    load_level(level, access, at, chunk, my.row0, stage, v);
    int bad = Method::eliminate(v);
    Edges<T> mine = Method::edges(v);
    if (!level.is_reduced()) wait_for_prerequisites();
    ChunkEnds<T> found{};
    if (!is_top && j < level.p.batch) {
        const T *known = segment_ends.known;
        int64_t end = segment_ends.at.offset(my.segment, my.r * level.p.batch + j, 0), step = segment_ends.at.step;
        if (SOLVES_ABOVE && level.is_unresolved(my.j0)) {
            const int bad_above = solve_above<Method, T, above_rows>(segment_ends.above, my.r * level.p.batch + j,
                                                                     stage, exchange, ends, exchange);
            if (bad_above != no_row) report_bad_before((bad_above + int64_t(1)) * segment_ends.above.span);
            known = exchange, end = my.segment, step = 1;
        }
        if (chunk.k == 0 && my.segment > 0) {
            found.z_before = known[end - step];
            mine.ld = fnma(mine.la, found.z_before, mine.ld);
            mine.la = T(0);
        }
        if (chunk.k == shape.chunks - 1) mine.la = mine.lc = T(0), mine.ld = known[end];
        if (SOLVES_ABOVE) __syncthreads();
    }
    if (!find_chunk_ends(mine, chunk, shape, exchange, ends, found)) bad = min(bad, R - 1);
    if (bad != no_row && access.own > 0) report_bad_before((my.row0 + chunk.k * R + bad + 1) * level.span);
    Method::solve(v, found.z_before, found.z);
    if (level.p.info && !level.is_reduced() && access.own > 0 && !are_finite(v.d)) report(level.p.info + j, level.rows);
    store(level.p, access, at, stage, v);
}

}  // namespace xbatch::tridiagonal
