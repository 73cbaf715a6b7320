// partition.hpp: which rows each rank has, and in which order their equations are joined, whatever the number of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

namespace xbatch::distributed {

// Joins the equations in slot `middle`, of the rows up to slot `end`, to those in slot `begin`. Rows are those of the
// whole system: `row` is the first one of `middle`, counted from 0.
struct Join {
    int64_t begin, middle, end, row;
};

// floor(total * k / parts) for k <= parts, without overflow
inline int64_t even_cut(int64_t total, int64_t k, int64_t parts) {
    return total / parts * k + total % parts * k / parts;
}

// A system is a sequence of leaves: chunks, which depend on n only, or with cuts anywhere the shares that are not
// empty. Leaves are joined by the complete binary tree over their numbers. A rank sends the equations of nodes: the
// largest subtrees that are wholly its own. So every join has the same operands, whichever rank computes it.
struct Partition {
    struct Node {
        int64_t first, end;  // leaves
    };

    int64_t n = 0;
    std::vector<int64_t> offsets;    // [ranks + 1] first row of each rank
    std::vector<int64_t> leaf_row;   // [leaves + 1] first row of each leaf
    std::vector<int64_t> rank_leaf;  // [ranks + 1] first leaf of each rank
    std::vector<Node> nodes;         // of all ranks, in order
    std::vector<int64_t> rank_node;  // [ranks + 1] first node of each rank
    std::vector<Join> joins;         // of all nodes; the slot of a node is its number

    int ranks() const { return int(offsets.size()) - 1; }
    int64_t leaves() const { return int64_t(leaf_row.size()) - 1; }
    int64_t rows(int rank) const { return offsets[rank + 1] - offsets[rank]; }
    int64_t nodes_of(int rank) const { return rank_node[rank + 1] - rank_node[rank]; }
};

// The number of chunks of a system of n rows, which have at least least_rows rows
constexpr int64_t least_chunk_rows = 16;
int64_t chunks_of(int64_t n, int64_t least_rows = least_chunk_rows);

// What is wrong with a cut: the row of the nearest chunk where it must be on one
struct WrongCut {
    int rank = -1;  // none
    int64_t nearest = -1;
};

// Which of the leaves each rank has; offsets [ranks + 1] or NULL: even shares.
WrongCut share_leaves(Partition &partition, const int64_t *offsets);

// offsets [ranks + 1] or NULL: even shares. n >= 0. Throws std::bad_alloc.
WrongCut make_partition(Partition &partition, int64_t n, int ranks, const int64_t *offsets, bool any_cut,
                        int64_t least_rows = least_chunk_rows);

// Appends the joins of leaves begin … end-1 in their order; visit(begin, end) is true at the ends of the recursion.
template <class Visit, class SlotOf, class RowOf>
void append_joins(std::vector<Join> &joins, int64_t begin, int64_t end, Visit visit, SlotOf slot_of, RowOf row_of) {
    if (visit(begin, end)) return;
    const int64_t middle = begin + (end - begin) / 2;
    append_joins(joins, begin, middle, visit, slot_of, row_of);
    append_joins(joins, middle, end, visit, slot_of, row_of);
    joins.push_back({slot_of(begin), slot_of(middle), slot_of(end), row_of(middle)});
}

}  // namespace xbatch::distributed
