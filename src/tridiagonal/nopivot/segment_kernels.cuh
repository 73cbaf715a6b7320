// segment_kernels.cuh: long systems without pivoting, cut into segments: each is reduced to its last row, and solved
// once the last unknowns of all segments are known. Both times it is eliminated in the same order: otherwise the two
// results would differ by rounding errors times the norm of its inverse.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "cyclic_reduction.cuh"

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

template <class T, int R, bool FLAT>
constexpr size_t segment_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + ChunkRows<T>::bytes(threads);
}

// Reduction: a block reduces segments to their last rows, which are the rows of the next level. Method eliminates a
// chunk, gives the equations of its ends, and computes its inner unknowns from them. Bad pivots occur again in
// substitution, which reports them.
template <class Method, class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) segment_reduce(SegmentLevel<T> level, ReducedRows<T> to) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    const ChunkRows<T> rows{reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS))};
    const BlockShape shape = level.shape;
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    trigger_dependents();
    wait_for_prerequisites();
    int64_t checked_system = -1;  // of is_unresolved
    bool is_unresolved = false;
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
        const Edges<T> edges = Method::edges(v);
        EndEquation<T> last;
        reduce_chunks<AnyPivot>(edges, chunk, shape, rows, last);
        if (is_writer) {
            const Edges<T> mine = edges_of_run(edges, last, chunk, shape, rows);
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

// The last unknowns of the segments: `known`, element [segment] of a system at placement `at`; where SOLVES_ABOVE each
// block computes them from the rows of the level above.
template <class T>
struct SegmentEnds {
    const T *known;
    Placement at;
    SegmentLevel<T> above;
};

constexpr int above_rows = 4;  // of a thread, in addition to those of its segment

// Solves one system of a level, FLAT; the unknowns replace the rows of the chunks. Returns the row of a bad pivot, or
// no_row.
template <class Method, class T, int R>
__device__ inline int solve_above(const SegmentLevel<T> &level, int64_t system, T *stage, ChunkRows<T> rows) {
    const ThreadChunk chunk = chunk_of_thread<true>(level.shape);
    const TileAccess<R, true> access(level.shape, chunk, system, level.p.batch, 0, level.p.n);
    RowChunk<T, R> v;
    load_level(level, access, tile_arrays<R, true>(level.p, chunk, system, 0, 0), chunk, 0, stage, v);
    int bad = Method::eliminate(v);
    ChunkEnds<T> ends;
    if (!find_chunk_ends<AnyPivot>(Method::edges(v), chunk, level.shape, rows, ends)) bad = min(bad, R - 1);
    Method::solve(v, ends.z_before, ends.z);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < R; ++i) rows.shared[chunk.k * R + i] = v.d[i];
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
    const ChunkRows<T> rows{reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS))};
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
    if (!level.is_reduced()) wait_for_prerequisites();
    ChunkEnds<T> ends{};
    if (!is_top && j < level.p.batch) {
        const T *known = segment_ends.known;
        int64_t end = segment_ends.at.offset(my.segment, my.r * level.p.batch + j, 0), step = segment_ends.at.step;
        if (SOLVES_ABOVE && level.is_unresolved(my.j0)) {
            const int bad_above =
                solve_above<Method, T, above_rows>(segment_ends.above, my.r * level.p.batch + j, stage, rows);
            if (bad_above != no_row) report_bad_before((bad_above + int64_t(1)) * segment_ends.above.span);
            known = rows.shared, end = my.segment, step = 1;
        }
        ends = {my.segment > 0 ? known[end - step] : T(0), known[end]};
        if (SOLVES_ABOVE) __syncthreads();
    }
    EndEquation<T> last;
    if (!reduce_chunks<AnyPivot>(Method::edges(v), chunk, shape, rows, last)) bad = min(bad, R - 1);
    if (is_top) ends.z = last.value;
    descend(chunk, shape, rows, ends);
    if (bad != no_row && access.own > 0) report_bad_before((my.row0 + chunk.k * R + bad + 1) * level.span);
    Method::solve(v, ends.z_before, ends.z);
    if (level.p.info && !level.is_reduced() && access.own > 0 && !are_finite(v.d)) report(level.p.info + j, level.rows);
    store(level.p, access, at, stage, v);
}

}  // namespace xbatch::tridiagonal
