// hines_shapes.hpp: what a block that solves Hines systems keeps in its shared memory, and where.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_plan.hpp"

namespace xbatch {

// A block holds `systems` whole systems: u and l of each node, or u alone where l is the same, d and b of each node and
// slot. Rows hold all systems side by side, or, if flat, one: then system follows system, and its arrays begin as far
// behind a multiple of 16 bytes as they do in global memory. Behind them the tree's tables, where each array begins in
// global memory, the last bad node of each system, and a barrier.
struct TileShape {
    int systems, row;  // systems, and bytes of a row
    int l, d, b;       // from u of a system, which begins at 0 of its part
    int system;        // bytes from system to system
    int tables, origins, bad, barrier, bytes;

    template <class T>
    XBATCH_HD static TileShape of(const DeviceTree &tree, bool is_flat, bool is_symmetric, int systems) {
        constexpr int size = int(sizeof(T));
        TileShape s{};
        s.systems = systems, s.row = is_flat ? size : systems * size;
        const int behind = is_flat ? 16 : 0;
        const int nodes = up(tree.n * s.row + behind), nodes_and_slots = up((tree.n + tree.slots) * s.row + behind);
        s.l = is_symmetric ? 0 : nodes;
        s.d = s.l + nodes;
        s.b = s.d + nodes_and_slots;
        s.system = is_flat ? s.b + nodes_and_slots : size;
        s.tables = is_flat ? systems * s.system : s.b + nodes_and_slots;
        s.origins = s.tables + tree.bytes;
        s.barrier = s.origins + 4 * systems * 8;
        s.bad = s.barrier + 8;
        s.bytes = s.bad + 4 * systems;
        return s;
    }

private:
    XBATCH_HD static int up(int bytes) { return (bytes + 15) / 16 * 16; }
};

}  // namespace xbatch
