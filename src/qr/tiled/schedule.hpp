// schedule.hpp: the tasks of tiled QR in the order of their tickets, and what each waits for.
//
// The graph is nowhere built. Every task changes one or two tiles, and a tile's version counts its changes; so a task
// waits for the versions that its tiles have when its turn has come in the sequential order. The rows of R in a panel's
// first tile are a tile of their own here (Tiling::versions), which the first step of the panel cuts off. V and R of a
// diagonal tile never meet, since the kernels touch just their own triangle of it.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/workspace.hpp"
#include "qr/common/tiling.hpp"

namespace xbatch::qr {

// What is done: columns of the matrix itself, its panels, come first where they are factored; `others` are updated.
struct QrJob {
    Tiling tiling;
    int64_t others;      // tiles of nb columns that are not panels
    bool factors;        // else reflectors that are there are applied to the others
    bool is_forward;     // the panels from the first to the last
    bool from_diagonal;  // other column tile c meets the panels up to c alone

    XBATCH_HD int64_t column_tiles() const { return (factors ? tiling.panels() : 0) + others; }
    XBATCH_HD int64_t first_column(int64_t panel) const { return factors ? panel + 1 : from_diagonal ? panel : 0; }
    int64_t tasks() const;
};

// A factorisation of a panel's tile, column = -1, or an update of a column tile by what came of it
struct QrTask {
    PanelStep step;
    int32_t panel, column;
    int32_t top_version, tile_version;  // that it waits for; each is one more when it is done
    int32_t vector_version;             // of the panel's tile, for an update in a factorisation
    int32_t number;                     // in the sequential order
    double start;                       // the earliest, on any number of threads
};

struct QrSchedule {
    QrTask *tasks;
    int64_t count;

    static QrSchedule carve(Carver &carver, const QrJob &job);
};

// Fills in the tasks. `versions` and `ready`, Tiling::versions of each column tile, are left in no particular state.
void make_schedule(const QrJob &job, const QrSchedule &schedule, int32_t *versions, double *ready);

}  // namespace xbatch::qr
