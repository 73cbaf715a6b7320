// oddeven_kernels.cuh: odd-even reduction in registers and shared memory, and the kernels made of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv_chunk.cuh"

namespace xbatch {

// Odd-even reduction of a thread's rows (Lin and Chen Wu; oddeven_host.cpp). Level s = 1, 2, 4, …, R/2: rows i = s-1,
// 3s-1, 5s-1, … go, as x_i = d_i - a_i x_{i-s} - c_i x_{i+s}, and rows i-s and i+s take them up. The last row is left,
//   z = d - a z' - c x_behind,
// with z' the last unknown of the chunk before and x_behind the first of the chunk behind: whatever goes there depends
// on z and on rows there alone, so it need not be known here. Returns the first row with a bad pivot, or no_row.
template <int S, class T, int R>
__device__ inline void reduce_level(Chunk<T, R> &v, unsigned &bad) {
#pragma unroll
    for (int i = S - 1; i < R - 1; i += 2 * S) {
        const T inverse = fast_reciprocal(v.b[i]);
        if (!has_reciprocal(v.b[i])) bad |= 1u << i;
        v.a[i] = v.a[i] * inverse;
        v.c[i] = v.c[i] * inverse;
        v.d[i] = v.d[i] * inverse;
    }
#pragma unroll
    for (int i = 2 * S - 1; i < R; i += 2 * S) {
        const int p = i - S, n = i + S < R ? i + S : p;
        v.b[i] = fnma(v.a[i], v.c[p], v.b[i]);
        v.d[i] = fnma(v.a[i], v.d[p], v.d[i]);
        v.a[i] = -(v.a[i] * v.a[p]);
        if (i == R - 1) continue;
        v.b[i] = fnma(v.c[i], v.a[n], v.b[i]);
        v.d[i] = fnma(v.c[i], v.d[n], v.d[i]);
        v.c[i] = -(v.c[i] * v.c[n]);
    }
    if constexpr (2 * S < R) reduce_level<2 * S>(v, bad);
}

template <class T, int R>
__device__ inline int reduce(Chunk<T, R> &v) {
    unsigned bad = 0;  // a bit a row
    reduce_level<1>(v, bad);
    const T inverse = fast_reciprocal(v.b[R - 1]);
    if (!has_reciprocal(v.b[R - 1])) bad |= 1u << (R - 1);
    v.a[R - 1] = v.a[R - 1] * inverse;
    v.c[R - 1] = v.c[R - 1] * inverse;
    v.d[R - 1] = v.d[R - 1] * inverse;
    return bad ? __ffs(bad) - 1 : no_row;
}

// The ends of a reduced chunk: x_first ties to x_1, that to x_3, x_7, …, and the last of them to z.
template <int I, class T, int R>
__device__ inline void follow(const Chunk<T, R> &v, Edges<T> &e) {
    e.fd = fnma(e.fc, v.d[I], e.fd);
    e.fa = fnma(e.fc, v.a[I], e.fa);
    e.fc = -(e.fc * v.c[I]);
    if constexpr (2 * I + 1 < R - 1) follow<2 * I + 1>(v, e);
}

template <class T, int R>
__device__ inline Edges<T> reduced_edges(const Chunk<T, R> &v) {
    Edges<T> e{v.a[0], v.c[0], v.d[0], v.a[R - 1], v.c[R - 1], v.d[R - 1]};
    follow<1>(v, e);
    return e;
}

// Back substitution, level after level from the longest step to the shortest; x replaces d.
template <int S, class T, int R>
__device__ inline void substitute_level(Chunk<T, R> &v, T z_before) {
#pragma unroll
    for (int i = S - 1; i < R - 1; i += 2 * S)
        v.d[i] = fnma(v.c[i], v.d[i + S], fnma(v.a[i], i >= S ? v.d[i >= S ? i - S : 0] : z_before, v.d[i]));
    if constexpr (S > 1) substitute_level<S / 2>(v, z_before);
}

template <class T, int R>
__device__ inline void substitute(Chunk<T, R> &v, T z_before, T z) {
    v.d[R - 1] = z;
    substitute_level<R / 2>(v, z_before);
}

// Systems that fit a block: read once, solved on the chip, written once. Every thread reduces its rows to one; those of
// a system are solved by parallel cyclic reduction, where a further halving would leave threads idle. Blocks run over
// (group of systems, r), r fastest so that the right-hand sides of a group find its coefficients in the cache.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, THREADS == 128 ? 3 : 1) oddeven_block(GtsvProblem p, BlockShape shape) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    T *const exchange = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(blockDim.x));
    T *const ends = exchange + 6 * blockDim.x;
    int *const first_bad = reinterpret_cast<int *>(ends + blockDim.x);  // [systems]

    const Seat seat = seat_of<FLAT>(shape);
    const int64_t group = p.nrhs == 1 ? blockIdx.x : blockIdx.x / p.nrhs, r = blockIdx.x - group * p.nrhs;
    const int64_t j0 = group * shape.systems, j = j0 + seat.sub;
    const Reach<R, FLAT> reach(shape, seat, j0, p.batch, 0, p.n);
    const Tracks at = tracks_of<R, FLAT>(p, seat, j0, r, 0);
    const bool in_warp = is_in_warp(shape);
    const bool is_reporter = seat.k == 0 && seat.is_used;
    Chunk<T, R> v;
    load(p, reach, at, seat, 0, stage, v);
    if (is_reporter) first_bad[seat.sub] = no_row;
    int bad = reduce(v);
    T z;
    if (!propagate(reduced_edges(v), seat, shape, exchange, z)) bad = min(bad, R - 1);
    ends[threadIdx.x] = z;
    sync_chunks(in_warp);
    if (bad != no_row && reach.own > 0) atomicMin(&first_bad[seat.sub], seat.k * R + bad);
    substitute(v, seat.k > 0 && seat.is_used ? ends[threadIdx.x - seat.beside] : T(0), z);
    store(p, reach, at, stage, v);
    if (!p.info || r != 0) return;
    sync_chunks(in_warp);
    if (is_reporter && j < p.batch)
        p.info[j] = first_bad[seat.sub] == no_row ? 0 : info_of(min(int64_t(first_bad[seat.sub]), p.n - 1));
}

// Where the rows of a reduced level are written: row t stands for the last row of tile t of the level before. Its own
// equation is x_t = b - a x_{t-1} - c x_first, and what the tile behind says of its first unknown is
// x_first = fd - fa x_t - fc x_{t+1}.
template <class T>
struct ReducedRows {
    T *a, *c, *b, *fa, *fc, *fd;
    Placement at;
};

// A level of a system that is spread over tiles. Of level 0, p is the caller's; of a reduced one, ReducedRows with fa
// as d, and one system for each (j, r), r*batch + j.
template <class T>
struct TiledLevel {
    GtsvProblem p;
    const T *fc, *fd;  // of a reduced level, else NULL
    BlockShape shape;
    unsigned tiles;      // of a system
    int64_t informed;    // systems that info tells of, the first ones
    int64_t span, rows;  // a row stands for the last of `span` rows of the caller's system, which has `rows`
};

// The tile that a block works on
struct TileOfBlock {
    int64_t j0, r, row0;
    unsigned tile;
};
template <class T>
__device__ inline TileOfBlock tile_of(const TiledLevel<T> &level, unsigned block, int tile_rows) {
    const unsigned nrhs = unsigned(level.p.nrhs), rest = block / nrhs, group = rest / level.tiles;
    const unsigned tile = rest - group * level.tiles;
    return {int64_t(group) * level.shape.systems, int64_t(block - rest * nrhs), int64_t(tile) * tile_rows, tile};
}

// Read a chunk of a level. A row of a reduced one is put together from what its tile and the one behind say.
template <class T, int R, bool FLAT>
__device__ inline void load_level(const TiledLevel<T> &level, const Reach<R, FLAT> &reach, const Tracks &at, Seat seat,
                                  int64_t row0, T *stage, Chunk<T, R> &v) {
    load(level.p, reach, at, seat, row0, stage, v);
    if (!level.fc) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (r >= reach.own) continue;
        const int64_t offset = reach.offset(at.a, seat.sub, FLAT ? seat.k * R + r : r);
        v.b[r] = fnma(v.c[r], v.b[r], T(1));
        v.d[r] = fnma(v.c[r], level.fd[offset], v.d[r]);
        v.c[r] = -(v.c[r] * level.fc[offset]);
    }
}

// A bad pivot met at this row of a level
template <class T>
__device__ inline void report(const TiledLevel<T> &level, const TileOfBlock &my, int64_t j, int64_t row) {
    if (level.p.info && my.r == 0 && j < level.informed)
        report(level.p.info + j, min((row + 1) * level.span, level.rows) - 1);
}

// Two neighbouring runs of chunks become one: the left's z goes, between z' and the right's, and its x_first and the
// right's z take it up. Returns false where a pivot is bad.
template <class T>
__device__ inline bool join(const Edges<T> &left, const Edges<T> &right, Edges<T> &both) {
    const T pivot = fnma(left.lc, right.fa, T(1)), inverse = fast_reciprocal(pivot);
    const T a = left.la * inverse, c = -(left.lc * right.fc * inverse), d = fnma(left.lc, right.fd, left.ld) * inverse;
    const T last_pivot = fnma(right.la, c, T(1)), last_inverse = fast_reciprocal(last_pivot);
    both = {fnma(left.fc, a, left.fa),      -(left.fc * c),          fnma(left.fc, d, left.fd),
            -(right.la * a * last_inverse), right.lc * last_inverse, fnma(right.la, d, right.ld) * last_inverse};
    return has_reciprocal(pivot) && has_reciprocal(last_pivot);
}

template <class T>
__device__ inline Edges<T> shuffled_down(const Edges<T> &e, int by) {
    return {shuffled_down(e.fa, by), shuffled_down(e.fc, by), shuffled_down(e.fd, by),
            shuffled_down(e.la, by), shuffled_down(e.lc, by), shuffled_down(e.ld, by)};
}

// All chunks of a tile become one run, in the threads of chunk 0: pairs of lanes, of pairs, …, then warp after warp.
// `parts` is [warps][systems]; systems and chunks are powers of two. Returns false where a pivot is bad.
template <class T>
__device__ inline bool join_chunks(Edges<T> &mine, Seat seat, BlockShape shape, Edges<T> *parts) {
    const int warps = blockDim.x / 32, in_warp = 32 / seat.beside;  // chunks of a system in a warp
    bool is_fine = true;
#pragma unroll 1
    for (int s = 1; s < in_warp; s *= 2) {
        const Edges<T> left = mine, right = shuffled_down(mine, s * seat.beside);
        if (seat.k % (2 * s) == 0) is_fine = join(left, right, mine) && is_fine;
    }
    if (seat.k % in_warp == 0) parts[threadIdx.x / 32 * shape.systems + seat.sub] = mine;
    __syncthreads();
    if (seat.k != 0) return is_fine;
    for (int w = 1; w < warps; ++w) {
        const Edges<T> left = mine;
        is_fine = join(left, parts[w * shape.systems + seat.sub], mine) && is_fine;
    }
    return is_fine;
}

template <class T, int R, bool FLAT>
constexpr size_t oddeven_reduce_bytes(int threads, int systems) {
    return stages_bytes<T, R, FLAT>(threads) + size_t(threads / 32) * systems * sizeof(Edges<T>);
}

// On the way down: a block reduces a tile to its last row, which becomes a row of the level behind.
template <class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) oddeven_reduce(TiledLevel<T> level, ReducedRows<T> to) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    Edges<T> *const parts = reinterpret_cast<Edges<T> *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS));
    const BlockShape shape = level.shape;
    const Seat seat = seat_of<FLAT>(shape);
    const TileOfBlock my = tile_of(level, blockIdx.x, shape.chunks * R);
    const int64_t j = my.j0 + seat.sub;
    const Reach<R, FLAT> reach(shape, seat, my.j0, level.p.batch, my.row0, level.p.n);
    Chunk<T, R> v;
    load_level(level, reach, tracks_of<R, FLAT>(level.p, seat, my.j0, my.r, my.row0), seat, my.row0, stage, v);
    reduce(v);  // bad pivots of single rows are reported on the way back, where they are met again
    Edges<T> mine = reduced_edges(v);
    const bool is_fine = join_chunks(mine, seat, shape, parts);
    if (j >= level.p.batch) return;
    if (!is_fine) report(level, my, j, my.row0 + shape.chunks * R - 1);
    if (seat.k != 0) return;
    const int64_t system = my.r * level.p.batch + j, offset = to.at.offset(my.tile, system, 0);
    to.a[offset] = mine.la, to.c[offset] = mine.lc, to.b[offset] = mine.ld;
    if (my.tile > 0) {
        const int64_t before = offset - to.at.step;
        to.fa[before] = mine.fa, to.fc[before] = mine.fc, to.fd[before] = mine.fd;
    }
    if (my.tile + 1 == level.tiles) to.fa[offset] = to.fc[offset] = to.fd[offset] = T(0);
}

template <class T, int R, bool FLAT>
constexpr size_t oddeven_substitute_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}

// On the way back: the last unknowns of all tiles are `known`, [tile] of a system placed as known_at says, and a block
// finds those inside a tile, reading its rows again; the tiles that were reduced last come first, for they may be in
// the cache. Without `known` a tile is a whole system.
template <class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    oddeven_substitute(TiledLevel<T> level, const T *known, Placement known_at) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    T *const exchange = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS));
    T *const ends = exchange + 6 * THREADS;
    const BlockShape shape = level.shape;
    const Seat seat = seat_of<FLAT>(shape);
    const TileOfBlock my = tile_of(level, gridDim.x - 1 - blockIdx.x, shape.chunks * R);
    const int64_t j = my.j0 + seat.sub;
    const Reach<R, FLAT> reach(shape, seat, my.j0, level.p.batch, my.row0, level.p.n);
    const Tracks at = tracks_of<R, FLAT>(level.p, seat, my.j0, my.r, my.row0);
    Chunk<T, R> v;
    load_level(level, reach, at, seat, my.row0, stage, v);
    int bad = reduce(v);
    Edges<T> mine = reduced_edges(v);
    T z_before = T(0);
    if (known && j < level.p.batch) {
        const int64_t end = known_at.offset(my.tile, my.r * level.p.batch + j, 0);
        if (seat.k == 0 && my.tile > 0) {
            z_before = known[end - known_at.step];
            mine.ld = fnma(mine.la, z_before, mine.ld);
            mine.la = T(0);
        }
        if (seat.k == shape.chunks - 1) mine.la = mine.lc = T(0), mine.ld = known[end];
    }
    T z;
    if (!propagate(mine, seat, shape, exchange, z)) bad = min(bad, R - 1);
    ends[threadIdx.x] = z;
    __syncthreads();
    if (bad != no_row && reach.own > 0) report(level, my, j, my.row0 + seat.k * R + bad);
    substitute(v, seat.k > 0 ? ends[threadIdx.x - seat.beside] : z_before, z);
    store(level.p, reach, at, stage, v);
}

}  // namespace xbatch
