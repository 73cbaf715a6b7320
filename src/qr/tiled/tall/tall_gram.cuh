// tall_gram.cuh: the steps of a tall panel from the products of its columns, all at once instead of in sequence.
//
// The head of each domain is factored by reflectors: R_0 = S R^_0, with signs S and a nonnegative diagonal of R^_0.
// Every later step, of a tile or of the tree, adds rows A to those that have been eliminated: its R is that of
// Cholesky's method for the sum of the products A^T A so far, which need not wait for the step before (tall_steps.cuh).
// Each sum has a slot of the workspace, and R^ then takes its place: the slot of a tile has the rows of its domain up
// to this tile, the slot of a node of the tree the rows of the two subtrees that it joins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/tile_mma.cuh"
#include "tall_panel.cuh"

namespace xbatch::qr {

// Sums of the tree: groups of eight domains, then groups of eight groups, …
constexpr int group_size = 8;
constexpr int sum_threads_of_tall = 256;
constexpr int slot_elements = block_columns * block_columns;  // row r from r * block_columns on

// The slots of a panel, which the next panel uses again
struct TallSlots {
    double *at;
    int32_t *arrived;  // of each group
    int32_t *refused;  // whether the panel is not well-conditioned: then its steps follow one another

    static XBATCH_HD int64_t elements(int64_t tiles, int64_t heads) { return (tiles + 2 * heads) * slot_elements; }
    __device__ double *of(int64_t n) const { return at + n * slot_elements; }
};
struct TallGram {
    TallPanel panel;
    TallSlots slots;
    PanelOrder order;

    __device__ double *tile(int tile) const { return slots.of(tile); }
    // Of the step that joins the triangle of domain n to another
    __device__ double *node(int n) const { return slots.of(order.tiles + n); }
    // Of the domains of a group, at its first one
    __device__ double *total(int n) const { return slots.of(order.tiles + order.heads + n); }
    // The slots of a domain's triangle after its tiles, and `joined` steps of the tree
    __device__ double *triangle(int n, int joined) const {
        return joined == 0 ? tile(order.head(n) + order.size(n) - 1) : node(n + (1 << (joined - 1)));
    }
    __device__ bool is_head(int tile) const { return tile == order.head(order.domain_of(tile)); }
    __device__ int64_t place(int tile, int64_t ld) const {
        return panel.panel * panel.tiling.config.nb * ld + panel.tiling.first_row(tile, panel.panel);
    }
    __device__ int width() const { return int(panel.tiling.columns(panel.panel)); }
    __device__ int rows(int tile) const { return int(panel.tiling.rows(tile, panel.panel)); }
};

// Rows of a tile in pairs: pair(column, row) is these two of a column, zeros where there are none.
class TilePairs {
public:
    __device__ TilePairs(const double *at, int64_t ld, int rows, int columns)
        : at_(at),
          ld_(ld),
          rows_(rows),
          columns_(columns),
          is_aligned_(is_aligned(at, ld)),
          is_whole_(is_aligned_ && rows == tall_rows && columns == block_columns) {}
    // Calls load(pair), with a pair() that has no branches if the tile is whole.
    template <class Load>
    __device__ __forceinline__ void with_pairs(Load load) const {
        if (is_whole_)
            load([&](int c, int r) { return *reinterpret_cast<const double2 *>(at_ + c * ld_ + r); });
        else
            load([&](int c, int r) {
                const int count = c < columns_ ? rows_ - r : 0;
                const double *const from = at_ + c * ld_ + r;
                return make_double2(count > 0 ? from[0] : 0, count > 1 ? from[1] : 0);
            });
    }

private:
    const double *at_;
    int64_t ld_;
    int rows_, columns_;
    bool is_aligned_, is_whole_;
};

// A^T A of a tile by two warps, each of half of its rows: lane 4g + t has rows 8s + 2t, + 1 of columns g + 8q
struct TileGramShared {
    double sums[6 * 4 * 32];
};
__device__ __forceinline__ void form_tile_gram(TileGramShared &shared, const TallGram &p, int tile) {
    constexpr int steps = panel_rows / 8;
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32, g = lane / 4, t = lane % 4;
    const TallSource from = p.panel.from;
    double2 x[steps][4];
    TilePairs(from.at + p.place(tile, from.ld), from.ld, p.rows(tile), p.width()).with_pairs([&](auto pair) {
#pragma unroll
        for (int s = 0; s < steps; ++s)
#pragma unroll
            for (int q = 0; q < 4; ++q) x[s][q] = pair(g + 8 * q, panel_rows * warp + 8 * s + 2 * t);
    });
    double sum[6][4] = {};  // blocks of 16 x 8 that have entries of the upper triangle: (0, 0 … 3), (1, 2), (1, 3)
#pragma unroll
    for (int s = 0; s < steps; ++s)
#pragma unroll
        for (int n = 0; n < 6; ++n) {
            const int i = n / 4 * 2, j = n < 4 ? n : n - 2;
            const double a[4] = {x[s][i].x, x[s][i + 1].x, x[s][i].y, x[s][i + 1].y};
            mma(sum[n], a, x[s][j].x, x[s][j].y);
        }
    if (warp == 1)
#pragma unroll
        for (int n = 0; n < 6; ++n)
#pragma unroll
            for (int e = 0; e < 4; ++e) shared.sums[(4 * n + e) * 32 + lane] = sum[n][e];
    __syncthreads();
    if (warp == 1) return;
    double *const to = p.tile(tile);
#pragma unroll
    for (int n = 0; n < 6; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int i = n / 4 * 16 + e / 2 * 8 + g, j = (n < 4 ? n : n - 2) * 8 + 2 * t + e % 2;
            if (i <= j) to[i * block_columns + j] = sum[n][e] + shared.sums[(4 * n + e) * 32 + lane];
        }
}

// Factors the heads, and forms the products of the other tiles: both in turn, so that the former, which take long, have
// begun when half of the device has blocks of the latter.
__global__ void __launch_bounds__(panel_threads, panel_resident) begin_tall_panel(const __grid_constant__ TallGram p) {
    __shared__ union Shared {
        TallPanelShared panel;
        TileGramShared gram;
        __device__ Shared() {}
    } shared;
    trigger_dependents();
    const int n = int(blockIdx.x), heads = p.order.heads;
    if (n < 2 * heads && n % 2 == 0) {
        clear_panel(shared.panel);
        TallPanelBlock(shared.panel, p.panel).run_head(n / 2, p.tile(p.order.head(n / 2)));
        return;
    }
    const int tile = p.order.first + (n < 2 * heads ? n / 2 : n - heads);
    if (!p.is_head(tile)) form_tile_gram(shared.gram, p, tile);
}

// Sums of the products. A block has a domain, and goes on with a group if it is the last of it.
__global__ void __launch_bounds__(sum_threads_of_tall) sum_tall_grams(const __grid_constant__ TallGram p) {
    constexpr int own = slot_elements / sum_threads_of_tall;
    __shared__ double r[block_columns][block_columns + 1];
    __shared__ bool is_last;
    const PanelOrder &order = p.order;
    const int thread = int(threadIdx.x), c = thread % block_columns, warp = thread / block_columns;
    const int domain = int(blockIdx.x), head = order.head(domain), size = order.size(domain);
    const auto each = [&](auto f) {
#pragma unroll
        for (int k = 0; k < own; ++k) {
            const int row = warp + k * (sum_threads_of_tall / block_columns);
            if (row <= c) f(k, row, row * block_columns + c);
        }
    };
    wait_for_prerequisites();
    trigger_dependents();
    double sum[own] = {};
    each([&](int, int row, int e) { r[row][c] = p.tile(head)[e]; });
    __syncthreads();
    each([&](int k, int row, int) {
        for (int l = 0; l <= row; ++l) sum[k] = fma(r[l][row], r[l][c], sum[k]);
    });
    constexpr int ahead = 4;  // tiles whose products are loaded at once
    for (int tile = head + 1; tile < head + size; tile += ahead) {
        double x[ahead][own];
#pragma unroll
        for (int i = 0; i < ahead; ++i)
            each([&](int k, int, int e) { x[i][k] = tile + i < head + size ? p.tile(tile + i)[e] : 0; });
#pragma unroll
        for (int i = 0; i < ahead; ++i)
            if (tile + i < head + size) each([&](int k, int, int e) { p.tile(tile + i)[e] = sum[k] += x[i][k]; });
    }
    each([&](int k, int, int e) { p.total(domain)[e] = sum[k]; });

    int index = domain, count = order.heads, stride = 1;
    int32_t *arrived = p.slots.arrived;
    while (count > 1) {
        const int group = index / group_size, members = min(group_size, count - group * group_size);
        __threadfence();
        __syncthreads();
        if (thread == 0) is_last = atomicAdd(arrived + group, 1) == members - 1;
        __syncthreads();
        if (!is_last) return;
        __threadfence();
        const auto domain_of = [&](int i) { return (group * group_size + i) * stride; };
        each([&](int, int, int e) {
            double x[group_size];
#pragma unroll
            for (int i = 0; i < group_size; ++i) x[i] = i < members ? __ldcg(p.total(domain_of(i)) + e) : 0;
#pragma unroll
            for (int distance = 1; distance < group_size; distance *= 2)
#pragma unroll
                for (int i = 0; i + distance < group_size; i += 2 * distance)
                    if (i + distance < members) p.node(domain_of(i + distance))[e] = x[i] += x[i + distance];
            p.total(domain_of(0))[e] = x[0];
        });
        const int groups = (count + group_size - 1) / group_size;
        arrived += groups, index = group, count = groups, stride *= group_size;
    }
}

// R^ of a slot by Cholesky's method: a warp, each lane a column, and one of the identity, which becomes a row of R^^-1
// and is stored below the diagonal, as a column. Refuses the panel if a column is almost a combination of the others.
constexpr int cholesky_threads = 128;
constexpr double most_inflation = 16;  // of |a_i|^2 by its distance from the span of the other columns
__global__ void __launch_bounds__(cholesky_threads) factor_tall_grams(const __grid_constant__ TallGram p) {
    __shared__ __align__(16) double rows[cholesky_threads / 32][2][block_columns];
    const PanelOrder &order = p.order;
    const int warp = int(threadIdx.x) / 32, c = int(threadIdx.x) % 32;
    const int n = int(blockIdx.x) * (cholesky_threads / 32) + warp, tiles = order.tiles - order.first;
    const bool is_tile = n < tiles;
    wait_for_prerequisites();
    trigger_dependents();
    if (n >= tiles + order.heads - 1) return;
    if (is_tile && p.is_head(order.first + n)) return;
    double *const slot = is_tile ? p.tile(order.first + n) : p.node(n - tiles + 1);
    double x[block_columns], y[block_columns], square = 0;
#pragma unroll
    for (int r = 0; r < block_columns; ++r) {
        x[r] = r <= c ? slot[r * block_columns + c] : 0, y[r] = r == c;
        if (r == c) square = x[r];
    }
    bool is_well = square > 0x1p-400 && square < 0x1p400;
#pragma unroll
    for (int k = 0; k < block_columns; ++k) {
        double *const row = rows[warp][k % 2];
        const double pivot = __shfl_sync(~0u, x[k], k), factor = rsqrt(pivot);
        is_well = is_well && pivot > 0;
        x[k] *= factor, y[k] *= factor;
        row[c] = x[k];
        __syncwarp();
#pragma unroll
        for (int r = (k + 1) / 2 * 2; r < block_columns; r += 2) {
            const double2 pair = *reinterpret_cast<const double2 *>(row + r);
            if (r > k) x[r] = fma(-pair.x, x[k], x[r]), y[r] = fma(-pair.x, y[k], y[r]);
            x[r + 1] = fma(-pair.y, x[k], x[r + 1]), y[r + 1] = fma(-pair.y, y[k], y[r + 1]);
        }
    }
    double squares = 0;
#pragma unroll
    for (int k = 0; k < block_columns; ++k) squares = fma(y[k], y[k], squares);
    is_well = is_well && square * squares <= most_inflation;
    if (!is_well) *p.slots.refused = 1;
#pragma unroll
    for (int r = 0; r < block_columns; ++r) slot[r * block_columns + c] = r <= c ? x[r] : y[r];
}

}  // namespace xbatch::qr
