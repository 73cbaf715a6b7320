// spd_segments.cuh: positive definite systems too long for a block: segments, whose interface equations join in a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "spd_run.cuh"
#include "spd_tree.cuh"

namespace xbatch::tridiagonal {

// Groups of shape.systems systems, cut into segments of chunks*R rows. Equations are [system][right-hand
// side][segment].
template <class T>
struct SpdSegments {
    BlockShape shape;
    int64_t segments;
    EndEquations<T> *equations;
};

// One segment of a group per block, which stores the segment's equations or, if it SOLVES, reads the unknowns adjacent
// to the segment from their place and solves. Systems of one segment are solved at once.
template <class T, int R, bool FLAT, int THREADS, int BLOCKS, bool SOLVES>
__global__ void __launch_bounds__(THREADS, BLOCKS) spd_segment(PtsvProblem p, SpdSegments<T> plan) {
    __shared__ T shared[RunNodes<T>::values * THREADS];
    __shared__ T stages[FLAT ? THREADS / 32 * stage_size<T, R>() : 1];
    const RunNodes<T> nodes{shared};
    T *const stage = stages + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    const BlockShape shape = plan.shape;
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const int64_t rest = blockIdx.x / p.nrhs, r = blockIdx.x - rest * p.nrhs;
    const int64_t group = rest / plan.segments, segment = rest - group * plan.segments;
    const int64_t j0 = group * shape.systems, j = j0 + chunk.system, row0 = segment * shape.chunks * R;
    const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, row0, p.n);
    const TileArrays at = tile_arrays<R, FLAT>(p, chunk, j0, r, row0);
    const bool exists = chunk.is_used && j < p.batch, is_one = plan.segments == 1;
    EndEquations<T> *const equations = plan.equations + (j * p.nrhs + r) * plan.segments + segment;
    RowChunk<T, R> v;
    load(p, access, at, chunk, row0, stage, v);
    const int bad = precompute<PositivePivot>(v);
    const Edges<T> edges = edges_of(v);
    EndEquations<T> run = end_equations(edges);
    const bool is_fine = join_runs<PositivePivot>(run, chunk, shape.chunks, false, nodes) && bad == no_row;
    if (SOLVES) {
        Outside<T> outside{};
        if (exists && chunk.k == 0 && !is_one) outside = Outside<T>{equations->f.before, equations->f.behind};
        split_runs(outside, chunk, shape.chunks, false, nodes);
        determine(v, outside);
        if (p.info && access.own > 0 && !are_finite(v.d)) report(p.info + j, p.n);
        store(p, access, at, stage, v);
    } else if (exists && chunk.k == 0) {
        *equations = run;
    }
    if (SOLVES != is_one || is_fine || !exists || !p.info || r > 0) return;
    const int64_t row = min(row0 + chunk.k * R + (bad == no_row ? R - 1 : bad), p.n - 1);
    report(p.info + j, is_one ? first_bad_row<T>(p.d, p.e, p.a_at, p.n, j, row) : row);
}

// One level of the tree: `count` items in each of `units` systems and right-hand sides, divided evenly into groups of
// at most `threads`. One block joins a group to one item of the level above.
template <class T>
struct SpdLevel {
    static constexpr int threads = 128, most_a_group = threads, values = 1;

    int64_t count, groups, units;
    EndEquations<T> *equations, *above;  // [units][count], [units][groups]
};

// The way up: the equations of each group. The way down (SPLITS): the unknowns adjacent to every run of the group
// replace its equations. On the top level, where a unit is one group, there are no unknowns outside.
template <class T, bool SPLITS>
__global__ void __launch_bounds__(SpdLevel<T>::threads) spd_level(PtsvProblem p, SpdLevel<T> level) {
    __shared__ T shared[RunNodes<T>::values * SpdLevel<T>::threads];
    const RunNodes<T> nodes{shared};
    const int64_t unit = blockIdx.x / level.groups, group = blockIdx.x - unit * level.groups;
    const int64_t begin = level.count * group / level.groups;
    const int runs = int(level.count * (group + 1) / level.groups - begin), k = threadIdx.x;
    const ThreadChunk chunk{0, k, 1, k < runs};
    EndEquations<T> *const own = level.equations + unit * level.count + begin + k;
    EndEquations<T> *const above = level.above + unit * level.groups + group;
    const bool is_top = level.groups == 1;
    EndEquations<T> run{};
    if (chunk.is_used) run = *own;
    const bool is_fine = join_runs<PositivePivot>(run, chunk, runs, false, nodes);
    if (!is_fine && SPLITS == is_top && p.info && unit % p.nrhs == 0) report(p.info + unit / p.nrhs, p.n - 1);
    if (SPLITS) {
        Outside<T> outside{};
        if (k == 0 && !is_top) outside = Outside<T>{above->f.before, above->f.behind};
        split_runs(outside, chunk, runs, false, nodes);
        if (chunk.is_used) own->f = {T(0), outside.before, outside.behind};
    } else if (k == 0) {
        *above = run;
    }
}

// Replaces the row that any block reported by LAPACK's; one system per block.
template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS) correct_info(PtsvProblem p) {
    __shared__ Run<Real<T>> runs[THREADS];
    const int64_t j = blockIdx.x;
    const int32_t found = p.info[j];
    if (found == 0) return;
    const int64_t row = first_bad_row_by_block<T, THREADS>(p, j, found - 1, runs);
    if (threadIdx.x == 0) p.info[j] = info_of(row);
}

}  // namespace xbatch::tridiagonal
