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
// the places of four tiles; and for each thread a ring of the coefficients of `depth` steps. If c, g and e are not kept
// on chip, a worker has rows of d and b for pending sums only, behind those of the ports.
template <class T, bool IS_KEPT = true>
struct StreamedShape {
    static constexpr int across = 16 / int(sizeof(T)), arrays = 4, places = 4, element_bytes = int(sizeof(T));
    static constexpr int depth = 3;
    int systems;

    XBATCH_HD int lanes() const { return systems / across; }
    // In the upper levels a thread has one system.
    XBATCH_HD int threads(const DeviceCondensed &tree) const {
        const int first = tree.workers * lanes();
        return ((first < systems ? systems : first) + 31) / 32 * 32;
    }
    XBATCH_HD int row_bytes() const { return systems * int(sizeof(T)); }
    XBATCH_HD int d(const DeviceCondensed &tree) const { return CondensedFront::bytes(tree, systems); }
    XBATCH_HD static int first_slot(const DeviceCondensed &tree) {
        return IS_KEPT ? tree.nodes : tree.ports + tree.workers * tree.pending;
    }
    XBATCH_HD int b(const DeviceCondensed &tree) const {
        return d(tree) + (first_slot(tree) + tree.slots) * row_bytes();
    }
    XBATCH_HD int u(const DeviceCondensed &tree) const {
        return b(tree) + (first_slot(tree) + tree.slots) * row_bytes();
    }
    XBATCH_HD int l(const DeviceCondensed &tree) const { return u(tree) + tree.ports * row_bytes(); }
    XBATCH_HD int e(const DeviceCondensed &tree) const { return l(tree) + tree.ports * row_bytes(); }
    XBATCH_HD int tiles(const DeviceCondensed &tree) const {
        return e(tree) + (IS_KEPT ? tree.paths * row_bytes() : 0);
    }
    XBATCH_HD int ring(const DeviceCondensed &tree) const { return tiles(tree) + places * int(sizeof(TilePlace)); }
    // Of a block of at least as many threads as the tree needs
    XBATCH_HD int bytes(const DeviceCondensed &tree, int threads) const {
        return ring(tree) + depth * arrays * 16 * threads;
    }
};

// The substitution where c, g and e are in global memory: places of tiles, and for each thread unknowns of `pending`
// nodes whose other children follow
template <class T>
struct ExpandShape {
    static constexpr int across = StreamedShape<T>::across, element_bytes = int(sizeof(T));
    int systems;

    XBATCH_HD int threads(const DeviceCondensed &tree) const { return StreamedShape<T>{systems}.threads(tree); }
    XBATCH_HD int row_bytes() const { return systems * int(sizeof(T)); }
    XBATCH_HD int tiles(const DeviceCondensed &tree) const { return CondensedFront::bytes(tree, systems); }
    XBATCH_HD int pending(const DeviceCondensed &tree) const {
        return tiles(tree) + StreamedShape<T>::places * int(sizeof(TilePlace));
    }
    XBATCH_HD int bytes(const DeviceCondensed &tree, int threads) const {
        return pending(tree) + tree.pending * 16 * threads;
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

    XBATCH_HD int threads(const DeviceCondensed &tree) const { return (tree.workers * systems + 31) / 32 * 32; }
    XBATCH_HD static int array_bytes(int rows) { return (rows * int(sizeof(T)) + 31) / 16 * 16; }
    // Arrays in the order u, l, d, b
    XBATCH_HD static int array(const DeviceCondensed &tree, int a) {
        return a <= 2 ? a * array_bytes(tree.nodes)
                      : 2 * array_bytes(tree.nodes) + array_bytes(tree.nodes + tree.slots);
    }
    // Systems begin in different banks.
    XBATCH_HD int system_bytes(const DeviceCondensed &tree) const {
        const int all = 2 * array_bytes(tree.nodes) + 2 * array_bytes(tree.nodes + tree.slots);
        return (all + 127) / 128 * 128 + (systems < 8 ? 128 / systems : 16) / 16 * 16 % 128;
    }
    XBATCH_HD int barrier(const DeviceCondensed &tree) const { return CondensedFront::bytes(tree, systems); }
    XBATCH_HD int offsets(const DeviceCondensed &tree) const { return barrier(tree) + 16; }
    XBATCH_HD int arrays(const DeviceCondensed &tree) const { return offsets(tree) + (4 * systems * 4 + 15) / 16 * 16; }
    XBATCH_HD int bytes(const DeviceCondensed &tree, int) const { return arrays(tree) + systems * system_bytes(tree); }
};

}  // namespace xbatch::hines
