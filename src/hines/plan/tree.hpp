// tree.hpp: which parent arrays are trees, and the numbering in which every parent precedes its children.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::hines {

// Parents as a caller gives them: nodes counted from `base`, one root or, in a forest, several.
struct ParentArray {
    int64_t n;
    const int32_t *parent;
    int base;
    bool is_forest;

    // Node i counted from 0; a root's parent is -1, base-1 or the node itself.
    bool is_root(int64_t i) const { return parent[i] == -1 || parent[i] == base - 1 || int64_t(parent[i]) == i + base; }
    int64_t parent_of(int64_t i) const { return int64_t(parent[i]) - base; }
};

// What is wrong with a node, counted from 0; `what` is NULL if nothing is, node -1 if it concerns all nodes.
struct TreeFault {
    const char *what = nullptr;
    int64_t node = -1;
};

// Accepts trees whose node 0 is a root and whose parents precede their children: ready to solve. Sets parent [n], -1
// for roots, up to the first fault.
TreeFault read_tree(const ParentArray &tree, int32_t *parent);

// Depth first, children in numerical order or, with largest_last, in the order of the number of nodes below them, where
// equal in numerical order; `order` and, unless NULL, `ordered` are written if there is no fault.
TreeFault order_tree(const ParentArray &tree, bool largest_last, int32_t *order, int32_t *ordered);

}  // namespace xbatch::hines
