// pieces.hpp: how a tree is cut into pieces that threads work on side by side, and in which steps: the P-scheme on
// trees. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines.hpp"

namespace xbatch {

// A piece is a connected part of a tree of at most so many nodes, whose children outside all hang on one of its nodes,
// its port; or it has no children outside and no port, and then several such pieces below one node may be one. All
// nodes of a piece but its port are eliminated, tips first; what is left couples the ports, which form a tree again,
// the tree of the next level, until a level has no ports. Then the pieces of each level are substituted, the last level
// first. The cut depends on the tree alone, and with it every bit of a result.
constexpr int first_level_steps = 16, next_level_steps = 8;

// Rows are numbered as workers meet them in the first level, those of a step side by side; after the n rows of the
// nodes come those of the slots, where the tops of a piece leave what they take off the port above.
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

// A node of a level above the first, the port of a piece of the level below, and the pieces that hang on it.
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
    std::vector<int32_t> contributors;  // rows of slots
    std::vector<PieceEnds> ends;        // [slot]
    std::vector<int32_t> roots;
    int64_t slots() const { return int64_t(ends.size()); }
};

TreePieces cut_tree(const Tree &tree);

}  // namespace xbatch
