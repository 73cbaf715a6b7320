// tiling.hpp: how tiled QR cuts a matrix into tiles, and in which order tiles are eliminated, panel by panel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/layout.hpp"
#include "vector_shape.hpp"
#include "xbatch/qr.h"

namespace xbatch::qr {

// Number of parts of `size` in `count`, without a sum that may overflow
XBATCH_HD inline int64_t parts_of(int64_t count, int64_t size) { return count / size + (count % size != 0); }

// A step of a panel: GEQRT of a tile, or TSQRT (full) or TTQRT (triangle) of the tile against the triangle of `top`.
struct PanelStep {
    Shape shape;
    int32_t top, tile;
};

// An m x k matrix, k <= m, all of whose columns become reflectors. Panel j is columns j*nb …, tile i rows i*mb …
struct Tiling {
    int64_t m, k;
    xbatchTiledConfig_t config;

    int64_t column_tiles(int64_t count) const { return parts_of(count, config.nb); }
    XBATCH_HD int64_t tiles() const { return parts_of(m, config.mb); }
    XBATCH_HD int64_t panels() const { return parts_of(k, config.nb); }
    XBATCH_HD int64_t columns(int64_t panel) const { return std::min(config.nb, k - panel * config.nb); }
    XBATCH_HD int64_t first_tile(int64_t panel) const { return panel * config.nb / config.mb; }
    XBATCH_HD int64_t first_row(int64_t tile, int64_t panel) const {
        return std::max(tile * config.mb, panel * config.nb);
    }
    // Rows of a tile in a panel. The first tile of a panel begins at its diagonal.
    XBATCH_HD int64_t rows(int64_t tile, int64_t panel) const {
        return std::min((tile + 1) * config.mb, m) - first_row(tile, panel);
    }
    // What has a version in a column tile: the tiles, followed by the rows of R of each panel, since a panel's later
    // steps still update these while the next panel works on the other rows of the same tile.
    XBATCH_HD int64_t versions() const { return tiles() + panels(); }
    XBATCH_HD int64_t version_of_top(int64_t top, int64_t panel) const {
        return top == first_tile(panel) ? tiles() + panel : top;
    }
    XBATCH_HD int64_t domain() const { return config.tree == XBATCH_TREE_FLAT ? tiles() : config.domain; }

    // Heads of domains: the first tile of a panel and multiples of the domain's size. A tile with less than a whole
    // triangle belongs to the domain before it.
    XBATCH_HD int64_t heads(int64_t panel) const {
        const int64_t first = first_tile(panel), last = tiles() - 1;
        const bool last_is_short = last > first && rows(last, panel) < columns(panel);
        return (last_is_short ? last - 1 : last) / domain() - first / domain() + 1;
    }
    XBATCH_HD int64_t head(int64_t n, int64_t panel) const {
        const int64_t first = first_tile(panel);
        return n == 0 ? first : (first / domain() + n) * domain();
    }

    // f(step) in the order in which the tiles are eliminated, or in reverse
    template <class F>
    void each_step(int64_t panel, bool is_forward, F f) const {
        const int64_t count = heads(panel);
        int64_t farthest = 1;
        while (farthest < count) farthest *= 2;
        if (is_forward) {
            for (int64_t n = 0; n < count; ++n) each_of_domain(panel, n, true, f);
            for (int64_t distance = 1; distance < count; distance *= 2) each_of_tree(panel, distance, f);
        } else {
            for (int64_t distance = farthest / 2; distance > 0; distance /= 2) each_of_tree(panel, distance, f);
            for (int64_t n = 0; n < count; ++n) each_of_domain(panel, n, false, f);
        }
    }
    XBATCH_HD int64_t steps(int64_t panel) const { return tiles() - first_tile(panel) + heads(panel) - 1; }

    // Elements of a T, and number of Ts: one for each tile in each panel, and a second one for triangle steps.
    XBATCH_HD int64_t triangle_elements() const { return config.ib * config.nb; }
    XBATCH_HD int64_t triangles() const { return (config.tree == XBATCH_TREE_FLAT ? 1 : 2) * tiles() * panels(); }

private:
    template <class F>
    void each_of_domain(int64_t panel, int64_t n, bool is_forward, F f) const {
        const int32_t first = int32_t(head(n, panel));
        const int32_t end = int32_t(n + 1 < heads(panel) ? head(n + 1, panel) : tiles());
        if (is_forward) f(PanelStep{Shape::trapezoid, first, first});
        for (int32_t k = 1; k < end - first; ++k) f(PanelStep{Shape::full, first, is_forward ? first + k : end - k});
        if (!is_forward) f(PanelStep{Shape::trapezoid, first, first});
    }
    // Pairs of heads at one distance are independent.
    template <class F>
    void each_of_tree(int64_t panel, int64_t distance, F f) const {
        for (int64_t n = 0; n + distance < heads(panel); n += 2 * distance)
            f(PanelStep{Shape::triangle, int32_t(head(n, panel)), int32_t(head(n + distance, panel))});
    }
};

// The configuration limited to an m x k matrix: no tile is larger than the matrix.
Tiling tiling_of(int64_t m, int64_t k, const xbatchTiledConfig_t &config);

}  // namespace xbatch::qr
