// spd_segments.cuh: positive definite systems too long for a block: tiles of rows, whose relations join in a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "spd_run.cuh"
#include "tridiagonal/nopivot/pscheme_interface.cuh"

namespace xbatch::tridiagonal {

// Neighbouring runs of rows join two by two, from the rows of a thread to the whole system; what stands outside it is
// nothing, and the unknowns just outside every run follow on the way back. The way back goes through the very numbers
// of the way up: where a run is solved by another order of elimination than it was joined by, the two differ by as much
// as its inverse magnifies rounding, and the rows at its ends are no longer satisfied.

// The unknowns just outside a run
template <class T>
struct Outside {
    T before, behind;
};
template <class T>
__device__ inline T value_at(const EndEquation<T> &end, const Outside<T> &outside) {
    return fnma(end.behind, outside.behind, fnma(end.before, outside.before, end.value));
}
// Where a relation was, what stands outside its run may take its place.
template <class T>
__device__ inline EndEquation<T> kept(const Outside<T> &outside) {
    return {T(0), outside.before, outside.behind};
}
template <class T>
__device__ inline Outside<T> outside_of(const Relation<T> &place) {
    return {place.f.before, place.f.behind};
}

// Thread k of a system's `runs` threads brings run k; thread 0 takes away the whole. nodes [threads]: right runs, and
// where they were joined their first unknowns and the last ones of the left runs. Returns false where a pivot is bad.
template <class T>
__device__ inline bool join_runs(Relation<T> &mine, Seat seat, int runs, Relation<T> *nodes) {
    bool is_fine = true;
    for (int s = 1; s < runs; s *= 2) {
        if (seat.is_used && seat.k % (2 * s) == s) nodes[threadIdx.x] = mine;
        __syncthreads();
        if (!seat.is_used || seat.k % (2 * s) != 0 || seat.k + s >= runs) continue;
        Relation<T> &node = nodes[threadIdx.x + s * seat.beside];
        const Relation<T> left = mine, right = node;
        EndEquation<T> between;
        is_fine = chain<PositivePivot>(left, right, mine, between) && is_fine;
        node.l = between;
    }
    return is_fine;
}

// And back: thread 0 brings what stands outside the whole, each thread takes away what stands outside its run.
template <class T>
__device__ inline void part_runs(Outside<T> &outside, Seat seat, int runs, Relation<T> *nodes) {
    int s = 1;
    while (2 * s < runs) s *= 2;
    for (; s > 0; s /= 2) {
        if (seat.is_used && seat.k % (2 * s) == 0 && seat.k + s < runs) {
            Relation<T> &node = nodes[threadIdx.x + s * seat.beside];
            const Outside<T> of_right{value_at(node.l, outside), outside.behind};
            outside.behind = value_at(node.f, of_right);
            node.f = kept(of_right);
        }
        __syncthreads();
        if (seat.is_used && seat.k % (2 * s) == s) outside = outside_of(nodes[threadIdx.x]);
    }
}

// Systems in groups of shape.systems, cut into tiles of chunks*R rows. Relations are [system][right-hand side][tile].
template <class T>
struct SpdTiles {
    BlockShape shape;
    int64_t tiles;
    Relation<T> *relations;
};

// A block works on one tile of a group: it leaves the tile's relation, or, where it SOLVES, finds what stands outside
// the tile in the relation's place.
template <class T, int R, bool FLAT, int THREADS, int BLOCKS, bool SOLVES>
__global__ void __launch_bounds__(THREADS, BLOCKS) spd_tile(PtsvProblem p, SpdTiles<T> plan) {
    __shared__ Relation<T> nodes[THREADS];
    __shared__ T stages[FLAT ? THREADS / 32 * stage_size<T, R>() : 1];
    T *const stage = stages + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    const BlockShape shape = plan.shape;
    const Seat seat = seat_of<FLAT>(shape);
    const int64_t rest = blockIdx.x / p.nrhs, r = blockIdx.x - rest * p.nrhs;
    const int64_t group = rest / plan.tiles, tile = rest - group * plan.tiles;
    const int64_t j0 = group * shape.systems, j = j0 + seat.sub, row0 = tile * shape.chunks * R;
    const Reach<R, FLAT> reach(shape, seat, j0, p.batch, row0, p.n);
    const Tracks at = tracks_of<R, FLAT>(p, seat, j0, r, row0);
    const bool exists = seat.is_used && j < p.batch;
    Relation<T> *const relation = plan.relations + (j * p.nrhs + r) * plan.tiles + tile;
    RowChunk<T, R> v;
    load(p, reach, at, seat, row0, stage, v);
    const int bad = precompute<PositivePivot>(v);
    Relation<T> run = relation_of(v);
    const bool is_fine = join_runs(run, seat, shape.chunks, nodes) && bad == no_row;
    if (SOLVES) {
        Outside<T> outside{};
        if (exists && seat.k == 0) outside = outside_of(*relation);
        part_runs(outside, seat, shape.chunks, nodes);
        determine(v, outside.before, value_at({v.d[R - 1], v.a[R - 1], v.c[R - 1]}, outside));
        if (p.info && reach.own > 0 && !are_finite(v.d)) report(p.info + j, p.n);
        store(p, reach, at, stage, v);
    } else if (exists) {
        if (seat.k == 0) *relation = run;
        if (!is_fine && p.info && r == 0)
            report(p.info + j, min(row0 + seat.k * R + (bad == no_row ? R - 1 : bad), p.n - 1));
    }
}

// One level of relations: `count` of each of `units` systems and right-hand sides, in groups of at most `threads`, the
// groups of a unit sharing them out evenly. A group is one block's, and one relation of the level above.
template <class T>
struct SpdLevel {
    static constexpr int threads = 128, most_a_group = threads, values = 1;

    int64_t count, groups, units;
    Relation<T> *relations, *above;  // [units][count], [units][groups]
};

// The relation of each group; or, where it PARTS, what stands outside every run of the group, in the relations' place.
// On the topmost level, where a unit is one group, nothing stands outside that.
template <class T, bool PARTS>
__global__ void __launch_bounds__(SpdLevel<T>::threads) spd_level(PtsvProblem p, SpdLevel<T> level) {
    __shared__ Relation<T> nodes[SpdLevel<T>::threads];
    const int64_t unit = blockIdx.x / level.groups, group = blockIdx.x - unit * level.groups;
    const int64_t begin = level.count * group / level.groups;
    const int runs = int(level.count * (group + 1) / level.groups - begin), k = threadIdx.x;
    const Seat seat{0, k, 1, k < runs};
    Relation<T> *const own = level.relations + unit * level.count + begin + k;
    Relation<T> *const above = level.above + unit * level.groups + group;
    const bool is_top = level.groups == 1;
    Relation<T> run{};
    if (seat.is_used) run = *own;
    const bool is_fine = join_runs(run, seat, runs, nodes);
    if (!is_fine && PARTS == is_top && p.info && unit % p.nrhs == 0) report(p.info + unit / p.nrhs, p.n - 1);
    if (PARTS) {
        Outside<T> outside{};
        if (k == 0 && !is_top) outside = outside_of(*above);
        part_runs(outside, seat, runs, nodes);
        if (seat.is_used) own->f = kept(outside);
    } else if (k == 0) {
        *above = run;
    }
}

// LAPACK's row in the place of one that some block met; a block a system.
template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS) correct_info(PtsvProblem p) {
    __shared__ Run<Real<T>> runs[THREADS];
    const int64_t j = blockIdx.x;
    const int32_t met = p.info[j];
    if (met == 0) return;
    const int64_t row = first_bad_row_by_block<T, THREADS>(p, j, met - 1, runs);
    if (threadIdx.x == 0) p.info[j] = info_of(row);
}

}  // namespace xbatch::tridiagonal
