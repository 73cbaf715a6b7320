// condensed_shape.hpp: the layout of shared memory for trees whose subtrees are condensed to their ports on chip.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/plan/device_plan.hpp"

namespace xbatch::hines {

// What both kernels have first in shared memory: the steps, the tables of all levels, and reports of the systems of two
// tiles, for each its bad pivot and whether an unknown is lost.
struct CondensedFront {
    XBATCH_HD static int tables(const DeviceCondensed &tree) {
        return (tree.workers * tree.steps * int(sizeof(CondensedStep)) + 15) / 16 * 16;
    }
    XBATCH_HD static int reports(const DeviceCondensed &tree) { return tables(tree) + tree.table_bytes; }
    XBATCH_HD static int bytes(const DeviceCondensed &tree, int systems) {
        return (reports(tree) + 4 * systems * int(sizeof(int)) + 15) / 16 * 16;
    }
};

// Where the systems of a tile are: their number, and offsets of the first one's arrays. In line: they are adjacent in
// memory. Packed: all are, and rows consist of aligned units of 16 bytes.
struct alignas(16) TilePlace {
    int64_t origin[4];
    int count;
    bool is_packed, is_in_line;
};

// Coefficients are read in the order of the steps. A block solves `systems` systems at a time; a thread is one worker
// of `across` of them, 16 bytes of a row. Then come the rows: d and b of nodes and slots, u and l of ports, e of paths;
// the places of four tiles; and for each thread a ring of the coefficients of `depth` steps.
template <class T>
struct StreamedShape {
    static constexpr int across = 16 / int(sizeof(T)), arrays = 4, places = 4, element_bytes = int(sizeof(T));
    static constexpr int depth = 3;
    int systems;

    XBATCH_HD int lanes() const { return systems / across; }
    // In the upper levels a thread has one system.
    XBATCH_HD int threads(const DeviceTree &tree) const {
        const int first = tree.streamed.workers * lanes();
        return ((first < systems ? systems : first) + 31) / 32 * 32;
    }
    XBATCH_HD int row_bytes() const { return systems * int(sizeof(T)); }
    XBATCH_HD int d(const DeviceTree &tree) const { return CondensedFront::bytes(tree.streamed, systems); }
    XBATCH_HD int b(const DeviceTree &tree) const { return d(tree) + (tree.n + tree.streamed.slots) * row_bytes(); }
    XBATCH_HD int u(const DeviceTree &tree) const { return b(tree) + (tree.n + tree.streamed.slots) * row_bytes(); }
    XBATCH_HD int l(const DeviceTree &tree) const { return u(tree) + tree.streamed.ports * row_bytes(); }
    XBATCH_HD int e(const DeviceTree &tree) const { return l(tree) + tree.streamed.ports * row_bytes(); }
    XBATCH_HD int tiles(const DeviceTree &tree) const { return e(tree) + tree.streamed.paths * row_bytes(); }
    XBATCH_HD int ring(const DeviceTree &tree) const { return tiles(tree) + places * int(sizeof(TilePlace)); }
    // Of a block of at least as many threads as the tree needs
    XBATCH_HD int bytes(const DeviceTree &tree, int threads) const {
        return ring(tree) + depth * arrays * 16 * threads;
    }
};

// Flat systems, resident with all their arrays; a thread is one worker of one system. Then come a barrier, the offsets
// of the arrays from multiples of 16 bytes, and for each system its four arrays with the same offset from a multiple of
// 16 bytes as in global memory, those of d and b followed by the slots.
template <class T>
struct ResidentTreeShape {
    static constexpr int element_bytes = int(sizeof(T));
    int systems;

    XBATCH_HD static int row_bytes() { return INT32_MAX; }  // a system's elements are adjacent

    XBATCH_HD int threads(const DeviceTree &tree) const { return (tree.resident.workers * systems + 31) / 32 * 32; }
    XBATCH_HD static int array_bytes(int rows) { return (rows * int(sizeof(T)) + 31) / 16 * 16; }
    // Arrays in the order u, l, d, b
    XBATCH_HD static int array(const DeviceTree &tree, int a) {
        return a <= 2 ? a * array_bytes(tree.n) : 2 * array_bytes(tree.n) + array_bytes(tree.n + tree.resident.slots);
    }
    // Systems begin in different banks.
    XBATCH_HD int system_bytes(const DeviceTree &tree) const {
        const int all = 2 * array_bytes(tree.n) + 2 * array_bytes(tree.n + tree.resident.slots);
        return (all + 127) / 128 * 128 + (systems < 8 ? 128 / systems : 16) / 16 * 16 % 128;
    }
    XBATCH_HD int barrier(const DeviceTree &tree) const { return CondensedFront::bytes(tree.resident, systems); }
    XBATCH_HD int offsets(const DeviceTree &tree) const { return barrier(tree) + 16; }
    XBATCH_HD int arrays(const DeviceTree &tree) const { return offsets(tree) + (4 * systems * 4 + 15) / 16 * 16; }
    XBATCH_HD int bytes(const DeviceTree &tree, int) const { return arrays(tree) + systems * system_bytes(tree); }
};

}  // namespace xbatch::hines
