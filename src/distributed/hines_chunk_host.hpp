// hines_chunk_host.hpp: elimination and substitution of one chunk of a tree on the host, for systems in SIMD lanes.
//
// Node i with the parent p has the pivot d_i and, at first, x_i d_i + x_p l_i = b_i; row p has u_i x_i. If port v is
// below i in the chunk, row i also has s_v x_v, and row v has w_v x_i; s_v = u_v, w_v = l_v at first.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/hines_rows_host.hpp"
#include "tree_share.hpp"

namespace xbatch::distributed {

// The numbers in a row of c, and how many rows g has for each of them: its rows are [sides][lanes].
struct TreeWidth {
    int lanes, sides;
};

// A chunk of some systems and right-hand sides
template <class T>
struct TreeTile {
    const TreeChunk *chunk;
    TreeWidth width;
    T *c, *g;                    // d, then l / d; b, then x
    Rows<const T> upper, lower;  // in place, or copied
    T *s, *w;                    // [ports][lanes]
    T *inverse, *factor;         // [lanes], of one node
    const T *zeros;              // [lanes]
    RowNumber<T> *last_bad;      // [lanes], rows from 1

    T *row_of_c(int64_t i) const { return c + i * width.lanes; }
    T *row_of_g(int64_t i) const { return g + i * width.sides * width.lanes; }
};

// Lane l of node i is eliminated: the updates of row p, which are those of every Hines solve.
template <class T>
inline void eliminate_lane(const T &upper, const T &lower, const T &pivot, T &c, T &parent_pivot, T &inverse) {
    inverse = lane_reciprocal(pivot);
    c = lower * inverse;
    parent_pivot = fnma(upper, c, parent_pivot);
}
template <class T>
inline void forward_lane(const T &upper, const T &inverse, T &g, T &parent_g) {
    g = g * inverse;
    parent_g = fnma(upper, g, parent_g);
}
// Row v below it, and the entries s_v and w_v that couple v to p in place of i. factor: w_v before
template <class T>
inline void couple_lane(const T &upper, const T &c, const T &inverse, T &s, T &w, T &factor, T &port_pivot) {
    const T to_port = s * inverse;
    factor = w;
    port_pivot = fnma(w, to_port, port_pivot);
    s = fnma(upper, to_port, T(0));
    w = fnma(w, c, T(0));
}

template <class T>
struct TreeRow {
    const TreeStep &step;
    const T *upper, *lower;
    T *c, *g, *parent_c, *parent_g;

    TreeRow(const TreeTile<T> &tile, int64_t i, TreeWidth width)
        : step(tile.chunk->steps[size_t(i)]),
          upper(step.is_root ? tile.zeros : tile.upper.row(i)),
          lower(step.is_root ? tile.zeros : tile.lower.row(i)),
          c(tile.c + i * width.lanes),
          g(tile.g + i * width.sides * width.lanes),
          parent_c(tile.c + int64_t(step.parent) * width.lanes),
          parent_g(tile.g + int64_t(step.parent) * width.sides * width.lanes) {}
};

// f(k, l) for each right-hand side and lane: k is their number in a row of g.
template <class F>
inline void for_sides(TreeWidth width, F f) {
    for (int r = 0; r < width.sides; ++r) {
#pragma omp simd
        for (int l = 0; l < width.lanes; ++l) f(r * width.lanes + l, l);
    }
}

// Towards the ports: row i in the rows of its parent and of the port below it
template <class T>
inline void reduce_row(const TreeTile<T> &tile, int64_t i, TreeWidth width) {
    const TreeRow<T> row(tile, i, width);
    const T *const upper = row.upper, *const lower = row.lower;
    T *const s = tile.s + row.step.port * width.lanes, *const w = tile.w + row.step.port * width.lanes;
    if (row.step.is_port) {
        std::copy_n(upper, width.lanes, s), std::copy_n(lower, width.lanes, w);
        return;
    }
    T *const c = row.c, *const parent_c = row.parent_c, *const inverse = tile.inverse;
#pragma omp simd
    for (int l = 0; l < width.lanes; ++l) {
        tile.last_bad[l] = hines::note_pivot(tile.last_bad[l], RowNumber<T>(i + 1), c[l]);
        eliminate_lane(upper[l], lower[l], T(c[l]), c[l], parent_c[l], inverse[l]);
    }
    for_sides(width, [&](int k, int l) { forward_lane(upper[l], inverse[l], row.g[k], row.parent_g[k]); });
    if (row.step.port < 0) return;
    const int64_t port = tile.chunk->port_row[size_t(row.step.port)];
    T *const factor = tile.factor, *const port_c = tile.c + port * width.lanes,
             *const port_g = tile.g + port * width.sides * width.lanes;
#pragma omp simd
    for (int l = 0; l < width.lanes; ++l) couple_lane(upper[l], c[l], inverse[l], s[l], w[l], factor[l], port_c[l]);
    for_sides(width, [&](int k, int l) { port_g[k] = fnma(factor[l], row.g[k], port_g[k]); });
}

// The unknowns of ports and, in the rows after the nodes, of ports of earlier chunks are in g: plain elimination
template <class T>
inline void eliminate_row(const TreeTile<T> &tile, int64_t i, TreeWidth width) {
    const TreeRow<T> row(tile, i, width);
    const T *const upper = row.upper, *const lower = row.lower;
    T *const c = row.c, *const parent_c = row.parent_c, *const inverse = tile.inverse;
    if (row.step.is_port) {
        if (row.step.ends) return;
        for_sides(width, [&](int k, int l) { row.parent_g[k] = fnma(upper[l], row.g[k], row.parent_g[k]); });
    } else if (row.step.ends) {
#pragma omp simd
        for (int l = 0; l < width.lanes; ++l) inverse[l] = lane_reciprocal(c[l]), c[l] = lower[l] * inverse[l];
        for_sides(width, [&](int k, int l) { row.g[k] = row.g[k] * inverse[l]; });
    } else {
#pragma omp simd
        for (int l = 0; l < width.lanes; ++l)
            eliminate_lane(upper[l], lower[l], T(c[l]), c[l], parent_c[l], inverse[l]);
        for_sides(width, [&](int k, int l) { forward_lane(upper[l], inverse[l], row.g[k], row.parent_g[k]); });
    }
}

// x_i = g_i - c_i x_p
template <class T>
inline void substitute_row(const TreeTile<T> &tile, int64_t i, TreeWidth width) {
    const TreeRow<T> row(tile, i, width);
    if (row.step.is_port) return;
    for_sides(width, [&](int k, int l) { row.g[k] = fnma(row.c[l], row.parent_g[k], row.g[k]); });
}

// act(tile, i, width) with a width that the compiler knows where it is a single number. Numbers that are not real go
// through one compiled copy of act, so that no bit depends on which chunks are side by side.
template <class T, class Act>
inline void with_width(const TreeTile<T> &tile, int64_t i, Act act) {
    if (tile.width.lanes * tile.width.sides == 1)
        act(tile, i, TreeWidth{1, 1});
    else
        act(tile, i, tile.width);
    if constexpr (!std::is_same_v<T, Real<T>>) asm volatile("" ::: "memory");
}

// act for all rows of all tiles from the last to the first, a row of each tile in turn: rows of a chunk depend on each
// other, those of different ones do not, so a processor overlaps them.
template <class T, class Act>
inline void for_rows_backward(const TreeTile<T> *tiles, int count, Act act) {
    int64_t most = 0;
    for (int t = 0; t < count; ++t) most = std::max(most, tiles[t].chunk->rows);
    for (int64_t k = 1; k <= most; ++k)
        for (int t = 0; t < count; ++t)
            if (k <= tiles[t].chunk->rows) with_width(tiles[t], tiles[t].chunk->rows - k, act);
}

template <class T>
XBATCH_SIMD_CLONES __attribute__((noinline)) void reduce_tiles(const TreeTile<T> *tiles, int count) {
    for_rows_backward(tiles, count, [](const TreeTile<T> &tile, int64_t i, TreeWidth w) { reduce_row(tile, i, w); });
}
template <class T>
XBATCH_SIMD_CLONES __attribute__((noinline)) void solve_tiles(const TreeTile<T> *tiles, int count) {
    for_rows_backward(tiles, count, [](const TreeTile<T> &tile, int64_t i, TreeWidth w) { eliminate_row(tile, i, w); });
    for (int t = 0; t < count; ++t)
        for (int64_t i = 0; i < tiles[t].chunk->rows; ++i)
            with_width(tiles[t], i,
                       [](const TreeTile<T> &tile, int64_t k, TreeWidth w) { substitute_row(tile, k, w); });
}

}  // namespace xbatch::distributed
