// pscheme_relation.cuh: runs of rows as relations between their ends, by which blocks work on one system together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pscheme_kernels.cuh"

namespace xbatch {

// What a run of rows, from its first unknown x_f to its last x_l, says about the unknowns before and behind it:
// x_f by f, x_l by l. For dominant rows no entry of before and behind exceeds 1: chaining relations can underflow,
// never overflow.
template <class T>
struct Relation {
    Ends<T> f, l;
};

// Chain two neighbouring runs. The pair between them, x_l of the left and x_f of the right, is eliminated; `between` is
// what x_l of the left becomes over the unknowns outside both. Returns false where the pivot is bad.
template <class Pivot = AnyPivot, class T>
__device__ inline bool chain(const Relation<T> &left, const Relation<T> &right, Relation<T> &both, Ends<T> &between) {
    const auto pivot = Pivot::part(fnma(left.l.behind, right.f.before, T(1))), inverse = fast_reciprocal(pivot);
    between = {fnma(left.l.behind, right.f.value, left.l.value) * inverse, left.l.before * inverse,
               -(left.l.behind * right.f.behind * inverse)};
    const Ends<T> joint = {fnma(right.f.before, between.value, right.f.value), -(right.f.before * between.before),
                           fnma(right.f.before, between.behind, right.f.behind)};
    both = {{fnma(left.f.behind, joint.value, left.f.value), fnma(left.f.behind, joint.before, left.f.before),
             -(left.f.behind * joint.behind)},
            {fnma(right.l.before, between.value, right.l.value), -(right.l.before * between.before),
             fnma(right.l.before, between.behind, right.l.behind)}};
    return Pivot::is_good(pivot);
}

template <class T>
__device__ inline Ends<T> shuffled_down(const Ends<T> &e, int by) {
    return {shuffled_down(e.value, by), shuffled_down(e.before, by), shuffled_down(e.behind, by)};
}

// Chain the runs of neighbouring lanes: lanes `beside` apart hold neighbouring runs, the first `count` of them are
// there. The lanes of run 0 hold the result. Returns false where a pivot is bad.
template <class T>
__device__ inline bool chain_lanes(Relation<T> &mine, int place, int count, int beside) {
    bool is_fine = true;
#pragma unroll 1
    for (int s = 1; s < count; s *= 2) {
        const Relation<T> next{shuffled_down(mine.f, s * beside), shuffled_down(mine.l, s * beside)};
        if (place % (2 * s) == 0 && place + s < count) {
            Relation<T> both;
            Ends<T> between;
            is_fine = chain(mine, next, both, between) && is_fine;
            mine = both;
        }
    }
    return is_fine;
}

// The relation of a thread's chunk after precompute: z is replaced by what it says itself.
template <class T, int R>
__device__ inline Relation<T> relation_of(const Chunk<T, R> &v) {
    const Ends<T> l{v.d[R - 1], v.a[R - 1], v.c[R - 1]};
    return {{fnma(v.c[0], l.value, v.d[0]), fnma(v.c[0], l.before, v.a[0]), -(v.c[0] * l.behind)}, l};
}

// Shared memory of a block that owns a part of a system, beside the stages and propagate's.
template <class T>
struct PartShared {
    T *known;                // [2][systems]: the unknowns before and behind the tile
    T *ends;                 // [threads]: the last unknown of every chunk
    Relation<T> *relations;  // [2][warps][systems]: of a warp's part of the tile; then of its part of the segments left
                             // and right

    __device__ PartShared(unsigned char *bytes, int threads)
        : known(reinterpret_cast<T *>(bytes)),
          ends(known + 2 * threads),
          relations(reinterpret_cast<Relation<T> *>(ends + threads)) {}
    static constexpr size_t bytes(int threads, int systems) {
        return size_t(threads) * 3 * sizeof(T) + size_t(2) * (threads / 32) * systems * sizeof(Relation<T>);
    }
};

// The relation of a tile after precompute, in the threads of chunk 0: along the lanes, then over the warps. `parts` is
// [warps][systems]. Returns false where a pivot is bad.
template <class T, int R>
__device__ inline bool condense(const Chunk<T, R> &v, Seat seat, BlockShape shape, Relation<T> *parts,
                                Relation<T> &tile) {
    const int warps = blockDim.x / 32, in_warp = 32 / seat.beside;  // chunks of a system in a warp
    tile = relation_of(v);
    bool is_fine = chain_lanes(tile, seat.k % in_warp, in_warp, seat.beside);
    if (seat.k % in_warp == 0) parts[threadIdx.x / 32 * shape.systems + seat.sub] = tile;
    __syncthreads();
    if (seat.k != 0) return is_fine;
    for (int w = 1; w < warps; ++w) {
        const Relation<T> left = tile;
        Ends<T> between;
        is_fine = chain(left, parts[w * shape.systems + seat.sub], tile, between) && is_fine;
    }
    return is_fine;
}

// The unknowns before and behind a run, from what stands left and right of it (all zero: nothing): x_before is the
// left's x_l, x_behind the right's x_f, each over the end of the run that it touches.
template <class T>
__device__ inline bool close_run(const Relation<T> &left, const Relation<T> &mine, const Relation<T> &right, T &before,
                                 T &behind) {
    Relation<T> both;
    Ends<T> between;
    const bool is_joined = chain({left.l, left.l}, mine, both, between);
    const T pivot = fnma(right.f.before, both.l.behind, T(1));
    behind = fnma(right.f.before, both.l.value, right.f.value) * fast_reciprocal(pivot);
    before = fnma(between.behind, behind, between.value);
    return is_joined && has_reciprocal(pivot);
}

// Phases 2 and 3 of a tile after precompute, whose outer unknowns are known: x replaces d.
template <class T, int R>
__device__ inline bool finish(Chunk<T, R> &v, Seat seat, BlockShape shape, T *exchange, T *ends, T x_before,
                              T x_behind) {
    if (seat.k == 0) v.d[R - 1] = fnma(v.a[R - 1], x_before, v.d[R - 1]), v.a[R - 1] = T(0);
    if (seat.k == shape.chunks - 1) v.d[R - 1] = fnma(v.c[R - 1], x_behind, v.d[R - 1]), v.c[R - 1] = T(0);
    T z;
    const bool is_fine = propagate(edges_of(v), seat, shape, exchange, z);
    ends[threadIdx.x] = z;
    __syncthreads();
    determine(v, seat.k == 0 ? x_before : ends[threadIdx.x - seat.beside], z);
    return is_fine;
}

}  // namespace xbatch
