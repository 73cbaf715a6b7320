// segment_kernels.cuh: long systems without pivoting, cut into tiles: a tile is reduced to its last row, and solved
// again when the last unknowns of all tiles are known.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "row_chunk.cuh"

namespace xbatch::tridiagonal {

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
    unsigned tiles;       // of a system
    unsigned blocks;      // that all tiles take
    int64_t batch;        // of the caller's systems
    int64_t span, rows;   // a row stands for the last of `span` rows of the caller's system, which has `rows`
    const int32_t *open;  // [batch], FLAT: whether windows failed to find the last unknowns of a system's tiles, so
                          // that levels must; NULL: they must for all

    __device__ bool is_reduced() const { return fc != nullptr; }
    __device__ bool is_open(int64_t j) const { return !open || open[is_reduced() ? j % batch : j] != 0; }
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
                                  int64_t row0, T *stage, RowChunk<T, R> &v) {
    load(level.p, reach, at, seat, row0, stage, v);
    if (!level.is_reduced()) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (r >= reach.own) continue;
        const int64_t offset = reach.offset(at.a, seat.sub, FLAT ? seat.k * R + r : r);
        v.b[r] = fnma(v.c[r], v.b[r], T(1));
        v.d[r] = fnma(v.c[r], level.fd[offset], v.d[r]);
        v.c[r] = -(v.c[r] * level.fc[offset]);
    }
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

using xbatch::shuffled_down;
template <class T>
__device__ inline Edges<T> shuffled_down(const Edges<T> &e, int by) {
    return {shuffled_down(e.fa, by), shuffled_down(e.fc, by), shuffled_down(e.fd, by),
            shuffled_down(e.la, by), shuffled_down(e.lc, by), shuffled_down(e.ld, by)};
}

// All chunks of a tile become one run, in the threads of chunk 0: pairs of lanes, of pairs, …, then warp after warp.
// `parts` is [warps][systems]; systems and chunks are powers of two. What a bad pivot gave becomes NaN.
template <class T>
__device__ inline void join_chunks(Edges<T> &mine, Seat seat, BlockShape shape, Edges<T> *parts) {
    const int warps = blockDim.x / 32, in_warp = 32 / seat.beside;  // chunks of a system in a warp
    const T nan(std::numeric_limits<Real<T>>::quiet_NaN());
    const auto append = [&](const Edges<T> &right) {
        const Edges<T> left = mine;
        if (!join(left, right, mine)) mine.la = mine.lc = nan;
    };
#pragma unroll 1
    for (int s = 1; s < in_warp; s *= 2) {
        const Edges<T> right = shuffled_down(mine, s * seat.beside);
        if (seat.k % (2 * s) == 0) append(right);
    }
    if (seat.k % in_warp == 0) parts[threadIdx.x / 32 * shape.systems + seat.sub] = mine;
    __syncthreads();
    if (seat.k != 0) return;
    for (int w = 1; w < warps; ++w) append(parts[w * shape.systems + seat.sub]);
}

template <class T, int R, bool FLAT>
constexpr size_t tiled_reduce_bytes(int threads, int systems) {
    return stages_bytes<T, R, FLAT>(threads) + size_t(2) * (threads / 32) * systems * sizeof(Edges<T>);
}

// On the way down: a block reduces tiles to their last rows, each of which becomes a row of the level behind. Method
// eliminates a chunk, tells its ends, and finds what is inside from them. A bad pivot shows on the way back: those of
// single rows are met again, those between chunks have left NaN.
template <class Method, class T, int R, bool FLAT, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) tiled_reduce(TiledLevel<T> level, ReducedRows<T> to) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    Edges<T> *const parts = reinterpret_cast<Edges<T> *>(shared_bytes + stages_bytes<T, R, FLAT>(THREADS));
    const BlockShape shape = level.shape;
    const Seat seat = seat_of<FLAT>(shape);
    let_next_begin();
    wait_for_previous();
    int64_t asked = -1;  // of is_open
    bool is_open = false;
    int round = 0;
    for (unsigned block = blockIdx.x; block < level.blocks; block += gridDim.x) {
        const TileOfBlock my = tile_of(level, block, shape.chunks * R);
        const int64_t j = my.j0 + seat.sub;
        const bool is_writer = seat.k == 0 && j < level.p.batch;
        if (level.p.info && !level.is_reduced() && is_writer && my.r == 0 && my.tile == 0) level.p.info[j] = 0;
        if (FLAT && my.j0 != asked) asked = my.j0, is_open = level.is_open(asked);
        if (FLAT && !is_open) continue;
        const Reach<R, FLAT> reach(shape, seat, my.j0, level.p.batch, my.row0, level.p.n);
        RowChunk<T, R> v;
        load_level(level, reach, tracks_of<R, FLAT>(level.p, seat, my.j0, my.r, my.row0), seat, my.row0, stage, v);
        Method::eliminate(v);
        Edges<T> mine = Method::edges(v);
        // The first warp may still be busy here when the others meet the next tile.
        join_chunks(mine, seat, shape, parts + (round ^= 1) * (THREADS / 32) * shape.systems);
        if (is_writer) {
            const int64_t offset = to.at.offset(my.tile, my.r * level.p.batch + j, 0);
            to.a[offset] = mine.la, to.c[offset] = mine.lc, to.b[offset] = mine.ld;
            if (my.tile > 0) {
                const int64_t before = offset - to.at.step;
                to.fa[before] = mine.fa, to.fc[before] = mine.fc, to.fd[before] = mine.fd;
            }
            if (my.tile + 1 == level.tiles) to.fa[offset] = to.fc[offset] = to.fd[offset] = T(0);
        }
    }
}

template <class T, int R, bool FLAT>
constexpr size_t tiled_substitute_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) + size_t(threads) * sizeof(T);
}

// What the tiles' last unknowns are found from: `known`, [tile] of a system placed as `at` says, or, where it is NULL,
// the rows of the level above, of which a block solves all by itself.
template <class T>
struct TileEnds {
    const T *known;
    Placement at;
    TiledLevel<T> above;
};

constexpr int above_rows = 4;  // of a thread, which is then still busy with a tile

// The last unknowns of a chunk and of the one before
template <class T>
struct ChunkEnds {
    T z_before, z;
};
// Returns false where a pivot is bad.
template <class T>
__device__ inline bool find_chunk_ends(const Edges<T> &mine, Seat seat, BlockShape shape, T *exchange, T *ends,
                                       ChunkEnds<T> &found) {
    const bool is_fine = propagate(mine, seat, shape, exchange, found.z);
    ends[threadIdx.x] = found.z;
    __syncthreads();
    if (seat.k > 0) found.z_before = ends[threadIdx.x - seat.beside];
    return is_fine;
}

// All unknowns of one system of a level, FLAT, into `solved`. Returns the row of a bad pivot, or no_row.
template <class Method, class T, int R>
__device__ inline int solve_above(const TiledLevel<T> &level, int64_t system, T *stage, T *exchange, T *ends,
                                  T *solved) {
    const Seat seat = seat_of<true>(level.shape);
    const Reach<R, true> reach(level.shape, seat, system, level.p.batch, 0, level.p.n);
    RowChunk<T, R> v;
    load_level(level, reach, tracks_of<R, true>(level.p, seat, system, 0, 0), seat, 0, stage, v);
    int bad = Method::eliminate(v);
    ChunkEnds<T> at{};
    if (!find_chunk_ends(Method::edges(v), seat, level.shape, exchange, ends, at)) bad = min(bad, R - 1);
    Method::solve(v, at.z_before, at.z);
#pragma unroll
    for (int i = 0; i < R; ++i) solved[seat.k * R + i] = v.d[i];
    __syncthreads();
    return bad != no_row && reach.own > 0 ? seat.k * R + bad : no_row;
}

// On the way back: the last unknowns of all tiles are known, and a block finds those inside a tile, reading its rows
// again; the tiles that were reduced last come first, for they may be in the cache. At the top a tile is a whole
// system. Where SOLVES_ABOVE the block first finds the last unknowns itself, unless windows have found them.
template <class Method, class T, int R, bool FLAT, int THREADS, int BLOCKS, bool SOLVES_ABOVE>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    tiled_substitute(TiledLevel<T> level, bool is_top, TileEnds<T> tile_ends) {
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
    const auto tell = [&](int64_t end) {  // of a bad pivot in the rows before that one of the caller's
        if (level.p.info && my.r == 0 && j < level.batch) report(level.p.info + j, min(end, level.rows) - 1);
    };
    if (level.is_reduced()) {
        let_next_begin();
        wait_for_previous();
        if (FLAT && !level.is_open(my.j0)) return;
    }
    RowChunk<T, R> v;
    load_level(level, reach, at, seat, my.row0, stage, v);
    int bad = Method::eliminate(v);
    Edges<T> mine = Method::edges(v);
    if (!level.is_reduced()) wait_for_previous();
    ChunkEnds<T> found{};
    if (!is_top && j < level.p.batch) {
        const T *known = tile_ends.known;
        int64_t end = tile_ends.at.offset(my.tile, my.r * level.p.batch + j, 0), step = tile_ends.at.step;
        if (SOLVES_ABOVE && level.is_open(my.j0)) {
            const int bad_above = solve_above<Method, T, above_rows>(tile_ends.above, my.r * level.p.batch + j, stage,
                                                                     exchange, ends, exchange);
            if (bad_above != no_row) tell((bad_above + int64_t(1)) * tile_ends.above.span);
            known = exchange, end = my.tile, step = 1;
        }
        if (seat.k == 0 && my.tile > 0) {
            found.z_before = known[end - step];
            mine.ld = fnma(mine.la, found.z_before, mine.ld);
            mine.la = T(0);
        }
        if (seat.k == shape.chunks - 1) mine.la = mine.lc = T(0), mine.ld = known[end];
        if (SOLVES_ABOVE) __syncthreads();
    }
    if (!find_chunk_ends(mine, seat, shape, exchange, ends, found)) bad = min(bad, R - 1);
    if (bad != no_row && reach.own > 0) tell((my.row0 + seat.k * R + bad + 1) * level.span);
    Method::solve(v, found.z_before, found.z);
    if (level.p.info && !level.is_reduced() && reach.own > 0 && !are_finite(v.d)) report(level.p.info + j, level.rows);
    store(level.p, reach, at, stage, v);
}

}  // namespace xbatch::tridiagonal
