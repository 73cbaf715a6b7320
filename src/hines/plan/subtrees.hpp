// subtrees.hpp: how a tree is cut into pieces that threads work on side by side, and in which steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines/hines.hpp"

namespace xbatch::hines {

// A piece is a part of a tree of at most so many nodes, with all that is left below it; several that hang on one node
// may be one piece. The pieces of a level are eliminated side by side, tips first; the nodes that are in none make the
// tree of the next level, until none is left. Then the pieces of each level are substituted, the last level first. That
// is the order of the sequential elimination, with its small componentwise backward error.
//
// A tree so deep that there would be too many levels is cut by the P-scheme: all children outside of a piece hang on
// one of its nodes, its port; all other nodes are eliminated, those above the port too, and the ports are the tree of
// the next level. That takes as many levels as the logarithm of the depth, but a row's error is relative to the port's
// unknown, which may be hundreds of times as large. The cut, and so every bit of a result, depends on the tree alone.
constexpr int first_level_steps = 16, next_level_steps = 8;  // the latter where there are ports
constexpr int64_t most_depth_without_ports = 8192;

// Row v is that of node v; after the n rows of the nodes come those of the slots, where the tops of a piece leave what
// they take off the node above.
constexpr int64_t max_piece_rows = 0xffffff;

// One node's elimination, in the order in which a worker does them, and read backwards its substitution.
struct PieceStep {
    uint32_t row_and_flags;  // row in the low 24 bits, flags above
    uint32_t parent;         // row of the parent; for the top of a piece that of the slot

    XBATCH_HD uint32_t row() const { return row_and_flags & 0xffffff; }
    XBATCH_HD uint32_t flags() const { return row_and_flags >> 24; }
};

enum PieceFlag : uint32_t {
    STEP_IS_PORT = 1 << 0,  // not eliminated
    STEP_ON_PATH = 1 << 1,  // the port is below this node, in this piece
    STEP_IS_TOP = 1 << 2,   // its parent is outside of the piece
    STEP_ENDS = 1 << 3,     // the piece ends, and it is not the worker's last
    STEP_IS_IDLE = 1 << 4,  // nothing is done: the worker has fewer steps than others
};

// A node of a level above the first, and the pieces of the level below that hang on it.
struct PieceJoint {
    int32_t row, begin, end;  // begin, end: into `contributors`
};

// What a piece is between: rows of its port and of the port that it hangs on, or -1
struct PieceEnds {
    int32_t port, above;
};

// Level 0 has the tree's own nodes. Tables of steps are [step][worker].
struct PieceLevel {
    int32_t workers, steps;
    int32_t first_step;           // into TreePieces::steps
    int32_t first_joint, joints;  // into TreePieces::joints
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
    std::vector<int32_t> contributors;  // rows of slots
    std::vector<PieceEnds> ends;        // [slot]
    std::vector<int32_t> roots;
    int64_t slots() const { return int64_t(ends.size()); }
};

TreePieces cut_tree(const Tree &tree);

}  // namespace xbatch::hines
