// subtrees.hpp: how a tree is cut into subtrees that threads process in parallel, and the order of their steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines/hines.hpp"

namespace xbatch::hines {

// A subtree is a node with all nodes left below it, up to a maximal number; several below one node may be merged. The
// subtrees of a level are eliminated in parallel, tips first. All other nodes form the tree of the next level, until
// none is left. Then the subtrees of each level are substituted, the last level first. That is the order of sequential
// elimination, with its small componentwise backward error.
//
// A tree so deep that there would be too many levels is cut by the P-scheme: all children outside a subtree are
// attached to one of its nodes, its port. All other nodes are eliminated, also above the port, and the ports are the
// tree of the next level. The levels grow as the logarithm of the depth, but a row's error is relative to the port's
// unknown, perhaps hundreds of times as large. The cut, thus every bit of a result, depends on the tree alone.
struct SubtreeCut {
    int first_steps, next_steps;  // of a worker in the first level, and in the others
    bool has_ports;

    static SubtreeCut of(const Tree &tree);
};

// Row v is that of node v. After the n rows of the nodes come those of the slots, where the tops of a subtree store
// their contributions to the node above.
constexpr int64_t max_subtree_rows = 0xffffff;

// The elimination of one node, in a worker's order; in reverse order its substitution.
struct SubtreeStep {
    uint32_t row_and_flags;  // row in the low 24 bits, flags above
    uint32_t parent;         // row of the parent; for the top of a subtree that of the slot

    XBATCH_HD uint32_t row() const { return row_and_flags & 0xffffff; }
    XBATCH_HD uint32_t flags() const { return row_and_flags >> 24; }
};

enum SubtreeFlag : uint32_t {
    STEP_IS_PORT = 1 << 0,  // not eliminated
    STEP_ON_PATH = 1 << 1,  // the port is below this node, in this subtree
    STEP_IS_TOP = 1 << 2,   // its parent is outside of the subtree
    STEP_ENDS = 1 << 3,     // the subtree ends, and it is not the worker's last
    STEP_IS_IDLE = 1 << 4,  // no operation: the worker has fewer steps than others
};

// A node of a level above the first, and the subtrees of the level below that contribute to it.
struct SubtreeJoint {
    int32_t row, begin, end;  // begin, end: into `contributors`
};

// The ends of a subtree: rows of its port and of the node above it, or -1
struct SubtreeEnds {
    int32_t port, above;
};

// Level 0 has the tree's own nodes. Tables of steps are [step][worker].
struct SubtreeLevel {
    int32_t workers, steps;
    int32_t first_step;           // into SubtreeTables::steps
    int32_t first_joint, joints;  // into SubtreeTables::joints
    int32_t first_worker;         // into SubtreeTables::worker_slots, workers + 1 of this level
    int32_t first_slot;           // of this level
};

// Slots number the subtrees of all levels. In each level the last subtree of each worker comes first, then the others
// of the first worker, of the second, ….
struct SubtreeTables {
    std::vector<SubtreeLevel> levels;
    std::vector<SubtreeStep> steps;
    std::vector<SubtreeJoint> joints;
    std::vector<int32_t> worker_slots;  // a worker's first slot without that of its last subtree
    std::vector<int32_t> contributors;  // rows of slots
    std::vector<SubtreeEnds> ends;      // [slot]
    std::vector<int32_t> roots;
    int64_t slots() const { return int64_t(ends.size()); }
};

SubtreeTables cut_tree(const Tree &tree, SubtreeCut cut);

// The first level of a piece, nodes first … end - 1 of a tree, which are numbered from 0. A node with children outside
// of the piece is a port. `above`: the node above a subtree by the tree's number, or -1; in `ends` it is the slot's own
// row, in which its unknown will be.
struct PieceSubtrees {
    SubtreeTables tables;
    std::vector<int32_t> above;  // [slot]
};
PieceSubtrees cut_piece(const Tree &tree, const std::vector<bool> &has_child_outside, int32_t first, int32_t end,
                        int steps);

}  // namespace xbatch::hines
