// task_order.hpp: the tasks of tiled QR in task order, and what each waits for, in closed form on the GPU.
//
// Versions count the changes of a tile, as in schedule.hpp. The order is that of levels: a step of a panel has one, an
// update of column tile j by panel k one more for each column between them, so that the next panels come first. Every
// task has a higher level than those it waits for; tasks of one level are independent.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "task_view.hpp"

namespace xbatch::qr {

// The steps of one panel: domains of tiles, each with its head, which the tree then joins.
struct PanelOrder {
    int32_t first, tiles, heads, domain;

    XBATCH_HD PanelOrder(const Tiling &t, int32_t panel)
        : first(int32_t(t.first_tile(panel))),
          tiles(int32_t(t.tiles())),
          heads(int32_t(t.heads(panel))),
          domain(int32_t(t.domain())) {}

    XBATCH_HD int32_t head(int32_t n) const { return n == 0 ? first : (first / domain + n) * domain; }
    XBATCH_HD int32_t size(int32_t n) const { return (n + 1 < heads ? head(n + 1) : tiles) - head(n); }
    XBATCH_HD int32_t domain_of(int32_t tile) const { return std::min(tile / domain - first / domain, heads - 1); }
    // The number of triangles that are joined to that of head n, before its own is joined
    XBATCH_HD int32_t joined(int32_t n) const {
        int32_t count = 0;
        for (int32_t distance = 1; n + distance < heads && (n & distance) == 0; distance *= 2) ++count;
        return count;
    }
    // Steps that change a tile
    XBATCH_HD int32_t changes(int32_t tile) const {
        if (tile < first) return 0;
        const int32_t n = domain_of(tile);
        return n > 0 && tile == head(n) ? size(n) + joined(n) + 1 : 1;
    }
    // Steps that change the rows of R
    XBATCH_HD int32_t changes_of_rows() const { return size(0) + joined(0); }
    XBATCH_HD int32_t steps() const { return tiles - first + heads - 1; }
};

// A step, and how many changes of its tiles in this panel precede it
struct OrderedStep {
    Shape shape;
    int32_t top, tile, top_changes, tile_changes;
    int32_t level;  // from the panel's first
    bool has_rows;  // top is the panel's first tile, of which the step changes only the rows of R

    // step: first those of the domains, by tiles, then the triangles of all heads but the first. reach: tiles of the
    // largest domain, at least.
    XBATCH_HD OrderedStep(const PanelOrder &order, int32_t step, int32_t reach) {
        const int32_t in_domains = order.tiles - order.first;
        if (step < in_domains) {
            tile = order.first + step;
            const int32_t n = order.domain_of(tile), behind = tile - order.head(n);
            shape = behind == 0 ? Shape::trapezoid : Shape::full;
            top = order.head(n), top_changes = behind, tile_changes = 0, level = 2 * behind, has_rows = n == 0;
        } else {
            const int32_t n = step - in_domains + 1, distance = n & -n;
            int32_t rank = 0;
            while (1 << rank < distance) ++rank;
            shape = Shape::triangle;
            tile = order.head(n), top = order.head(n - distance);
            tile_changes = order.size(n) + order.joined(n), top_changes = order.size(n - distance) + rank;
            level = 2 * (reach + rank), has_rows = n == distance;
        }
    }
};

struct TiledTaskOrder {
    QrJob job;
    int32_t tiles, panels, columns;  // of column tiles
    int32_t reach, span, stride;     // levels: of a panel, from one panel to the next
    int32_t chain;                   // tiles of a chain of updates; 1: there are none

    explicit TiledTaskOrder(const QrJob &j, int32_t tiles_of_chain = 1)
        : job(j),
          tiles(int32_t(j.tiling.tiles())),
          panels(int32_t(j.tiling.panels())),
          columns(int32_t(j.column_tiles())),
          reach(int32_t(std::min(j.tiling.domain() + 1, j.tiling.tiles()))),
          chain(tiles_of_chain) {
        int32_t ranks = 0;
        while ((int64_t(1) << ranks) * j.tiling.domain() < tiles) ++ranks;
        span = 2 * (reach + ranks);
        // In a flat tree a tile's step in the next panel is two levels after its step in this one, or earlier.
        stride = j.tiling.config.tree == XBATCH_TREE_FLAT ? 4 : span + 2;
    }
    int64_t levels() const { return int64_t(panels) * stride + span + columns; }
    int64_t versions() const { return job.tiling.versions() * columns; }
    int64_t changes() const { return int64_t(tiles) * (panels + 1); }
    int64_t tasks_of_largest_panel() const { return PanelOrder(job.tiling, 0).steps() * int64_t(columns + 1); }

    XBATCH_HD int32_t first_column(int32_t panel) const { return int32_t(job.first_column(panel)); }
    XBATCH_HD int32_t tasks_of_step(int32_t panel) const {
        const int32_t first = first_column(panel);
        return (columns > first ? columns - first : 0) + (job.factors ? 1 : 0);
    }
    // Of the task that is the n-th of a step; n = 0 factors, where that is done
    XBATCH_HD int32_t column(int32_t panel, int32_t n) const {
        return job.factors && n == 0 ? -1 : first_column(panel) + n - (job.factors ? 1 : 0);
    }
    // Whether a panel updates a column tile by chains: not the next panels, which would wait for the whole chain
    XBATCH_HD bool is_chained(int32_t panel, int32_t column) const {
        return chain > 1 && column >= 0 && (!job.factors || column - panel >= 2 * chain - 1);
    }
    XBATCH_HD int32_t end_of_chain(int32_t tile) const { return std::min((tile / chain + 1) * chain, tiles); }
    // Tiles that the task of a step and a column updates; 0: that of an earlier step of its chain does it
    XBATCH_HD int32_t length(int32_t panel, const OrderedStep &step, int32_t column) const {
        if (step.shape != Shape::full || !is_chained(panel, column)) return 1;
        return step.tile % chain == 0 || step.tile == step.top + 1 ? end_of_chain(step.tile) - step.tile : 0;
    }
    // A chain has the level of its last tile: all that it waits for come first, and what waits for it later.
    XBATCH_HD int32_t level(int32_t panel, const OrderedStep &step, int32_t column) const {
        const int32_t forward = panel * stride + step.level;
        if (!job.is_forward) return (panels - 1) * stride + span - forward;
        if (is_chained(panel, column)) {
            const int32_t behind = end_of_chain(step.tile) - 1 - step.tile;
            return forward + 2 * behind + (step.shape == Shape::full || behind == 0 ? 1 : 0);
        }
        return forward + (job.factors && column >= 0 ? column - panel : 0);
    }
    // A chain is one
    int64_t tasks() const {
        int64_t count = job.tasks();
        for (int32_t panel = 0; chain > 1 && panel < panels; ++panel) {
            const int32_t first = std::max(first_column(panel), job.factors ? panel + 2 * chain - 1 : 0);
            const int32_t begin = int32_t(job.tiling.first_tile(panel)) + 1;
            if (first >= columns || begin >= tiles) continue;
            const int32_t chains = (tiles - 1) / chain - begin / chain + 1;
            count -= int64_t(columns - first) * (tiles - begin - chains);
        }
        return count;
    }
    // changes: [panels + 1][tiles], those of all panels before one
    XBATCH_HD TileTask task(const int32_t *changes, int32_t panel, const OrderedStep &s, int32_t column) const {
        TileTask t{int16_t(s.shape),
                   int16_t(length(panel, s, column)),
                   s.has_rows ? tiles + panel : s.top,
                   s.tile,
                   panel,
                   column,
                   0,
                   0,
                   0};
        const int32_t *before = changes + int64_t(panel) * tiles;
        if (job.is_forward) {
            t.top_version = (s.has_rows ? 0 : before[s.top]) + s.top_changes;
            t.tile_version = before[s.tile] + s.tile_changes;
            if (job.factors && column >= 0) t.vector_version = t.tile_version + 1;
        } else {  // what follows in the forward order has been done
            const int32_t last = job.from_diagonal && column < panels ? column + 1 : panels;
            const int32_t *end = changes + int64_t(last) * tiles;
            const int32_t all =
                s.has_rows ? PanelOrder(job.tiling, panel).changes_of_rows() : end[s.top] - before[s.top];
            t.top_version = all - s.top_changes - 1;
            t.tile_version = end[s.tile] - before[s.tile] - s.tile_changes - 1;
        }
        return t;
    }
};

}  // namespace xbatch::qr
