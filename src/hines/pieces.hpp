// pieces.hpp: how a tree is cut into pieces that threads work on side by side, and in which steps: the P-scheme on
// trees. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines.hpp"

namespace xbatch {

// A piece is a connected part of a tree of at most `piece_steps` nodes, whose children outside all hang on one of its
// nodes, its port; or it has no children outside and no port, and then several such pieces below one node may be one.
// All nodes of a piece but its port are eliminated, tips first; what is left couples the ports, which form a tree
// again, the tree of the next level, until a level has no ports. Then the pieces of each level are substituted, the
// last level first. The cut depends on the tree alone, and with it every bit of a result.
constexpr int first_level_steps = 16, next_level_steps = 8;

// One node's elimination, in the order in which a worker does them, and read backwards its substitution.
struct PieceStep {
    uint32_t node_and_flags, parent_and_flags;  // number in the low 24 bits; flags, in two halves, above

    XBATCH_HD uint32_t node() const { return node_and_flags & 0xffffff; }
    XBATCH_HD uint32_t parent() const { return parent_and_flags & 0xffffff; }  // itself for a root of the tree
    XBATCH_HD uint32_t flags() const { return node_and_flags >> 24 | (parent_and_flags >> 24) << 8; }
};
constexpr int64_t max_hines_nodes = 0xffffff;

enum PieceFlag : uint32_t {
    STEP_IS_PORT = 1 << 0,        // not eliminated
    STEP_ON_PATH = 1 << 1,        // the port is below this node, in this piece
    STEP_IS_TOP = 1 << 2,         // its parent is outside of the piece
    STEP_ENDS = 1 << 3,           // the piece ends
    STEP_IS_LAST = 1 << 4,        // and it is the worker's last
    STEP_BEFORE_PARENT = 1 << 5,  // the next step is its parent's
    STEP_IS_ROOT = 1 << 6,        // of the tree
    STEP_IS_IDLE = 1 << 7,        // nothing is done: the worker has fewer steps than others
    STEP_AFTER_CHILD = 1 << 8,    // the step before was BEFORE_PARENT
};

// A node of a level above the first: the port of a piece of the level below, and the pieces that hang on it.
struct PieceJoint {
    int32_t node, begin, end;  // begin, end: into `contributors`
};

// Level 0 has the tree's own nodes. Tables are [step][worker].
struct PieceLevel {
    int32_t workers, steps;
    int32_t first_step;           // into TreePieces::steps
    int32_t first_joint, joints;  // into TreePieces::joints: the nodes of the level; level 0 has none
    int32_t first_worker;         // into TreePieces::worker_slots, workers + 1 of this level
    int32_t first_slot;           // of this level
};

// Pieces of all levels are numbered by slots; in each level the last piece of each worker comes first, then the others
// of the first worker, of the second, ….
struct TreePieces {
    std::vector<PieceLevel> levels;
    std::vector<PieceStep> steps;
    std::vector<PieceJoint> joints;
    std::vector<int32_t> worker_slots;  // a worker's first slot but for its last piece
    std::vector<int32_t> contributors;  // slots
    std::vector<int32_t> roots;
    std::vector<int32_t> ports;  // [slot]: the port's node, or -1
    int64_t slots() const { return int64_t(ports.size()); }
};

TreePieces cut_tree(const Tree &tree);

}  // namespace xbatch
