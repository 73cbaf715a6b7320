// pieces.hpp: a tree too large for a block, cut into pieces that different blocks condense.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed.hpp"

namespace xbatch::hines {

// Some nodes with consecutive numbers, so that they are contiguous in a flat system. Their subtrees are condensed as
// those of a tree on chip. Its ports, and the slots of its subtrees, are consecutive among those of the whole tree.
struct TreePiece {
    int32_t first, nodes;
    int32_t first_port, first_slot, first_path;
    CondensedTables streamed, resident;  // rows by worker, by node
};

// The ports of all pieces, in the order of their nodes, are a tree again: the parent of a port is the node above the
// subtree, a port too. Contributions of a subtree to the node above are in its slot.
struct PieceTables {
    std::vector<TreePiece> pieces;
    std::vector<int32_t> nodes_of_ports, ports_above;  // [port], [slot]; -1 without a node above
    std::vector<int32_t> begin, slots;                 // slots below port p: begin[p] … begin[p + 1] - 1
    int32_t paths = 0;                                 // nodes above a port of their subtree
    Tree ports;
};

PieceTables cut_into_pieces(const Tree &tree, int32_t nodes, int steps);

}  // namespace xbatch::hines
