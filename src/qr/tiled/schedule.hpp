// schedule.hpp: the tasks of tiled QR in ticket order, and what each waits for.
//
// The graph is not stored. Every task changes one or two tiles, and a tile's version counts its changes. So a task
// waits for the versions that its tiles have at its turn in the sequential order. The rows of R in a panel's first tile
// count as a tile of their own (Tiling::versions), split off by the first step of the panel. V and R of a diagonal tile
// never conflict, since each kernel accesses only its own triangle of the tile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/workspace.hpp"
#include "qr/common/tiling.hpp"

namespace xbatch::qr {

// The job: if `factors`, column tiles begin with the panels of the matrix itself; `others` are updated.
struct QrJob {
    Tiling tiling;
    int64_t others;      // tiles of nb columns that are not panels
    bool factors;        // otherwise existing reflectors are applied to the others
    bool is_forward;     // the panels from the first to the last
    bool from_diagonal;  // the panels up to c, and no later ones, are applied to other column tile c

    XBATCH_HD int64_t column_tiles() const { return (factors ? tiling.panels() : 0) + others; }
    XBATCH_HD int64_t first_column(int64_t panel) const { return factors ? panel + 1 : from_diagonal ? panel : 0; }
    int64_t tasks() const;
};

// A factorisation of a panel's tile, column = -1, or an update of a column tile by its reflectors
struct QrTask {
    PanelStep step;
    int32_t panel, column;
    int32_t top_version, tile_version;  // that it waits for; each is incremented when it is done
    int32_t vector_version;             // of the panel's tile, for an update in a factorisation
    int32_t number;                     // in the sequential order
    double start;                       // the earliest possible, on any number of threads
};

struct QrSchedule {
    QrTask *tasks;
    int64_t count;

    static QrSchedule carve(Carver &carver, const QrJob &job);
};

// Fills in the tasks. `versions` and `ready`, Tiling::versions of each column tile, are scratch.
void make_schedule(const QrJob &job, const QrSchedule &schedule, int32_t *versions, double *ready);

}  // namespace xbatch::qr
