// hines_shapes.hpp: what a block that solves Hines systems keeps in its shared memory, and where.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_plan.hpp"

namespace xbatch {

// A block holds `systems` whole systems: u, l, d, b of each node, or three arrays where u is l, in rows of all systems
// or system after system; the shares; the tree's tables; where each array begins in global memory; the last bad node of
// each system; a barrier.
struct TileShape {
    int systems, arrays;
    bool is_flat;       // system after system
    int array, system;  // bytes from array to array and, if flat, from system to system of an array
    int shares, tables, origins, bad, barrier, bytes;

    template <class T>
    XBATCH_HD static TileShape of(const DeviceTree &tree, bool is_flat, bool is_symmetric, int systems) {
        constexpr int size = int(sizeof(T));
        TileShape s{};
        s.systems = systems, s.arrays = is_symmetric ? 3 : 4, s.is_flat = is_flat;
        // A system's first element stands as far behind a multiple of 16 bytes as it does in global memory.
        s.system = (tree.n * size + 15) / 16 * 16 + 16;
        s.array = is_flat ? systems * s.system : (tree.n * systems * size + 15) / 16 * 16;
        s.shares = s.arrays * s.array;
        s.tables = s.shares + (2 * tree.slots * systems * size + 15) / 16 * 16;
        s.origins = s.tables + tree.bytes;
        s.barrier = s.origins + 4 * systems * 8;
        s.bad = s.barrier + 8;
        s.bytes = s.bad + 4 * systems;
        return s;
    }
};

}  // namespace xbatch
