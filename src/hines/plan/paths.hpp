// paths.hpp: a tree as paths that are processed in parallel, level by level, for solves with stored factors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines/hines.hpp"

namespace xbatch::hines {

// A node's order is 1 at a tip; otherwise the largest order of its children, plus 1 if several of them have it
// (Strahler number). A path is a maximal sequence of nodes of the same order, each the parent of the one before. All
// paths of an order are a level: below them are only nodes of smaller order. So a tree of n nodes has at most log2(n) +
// 1 levels.
//
// Rows number the nodes path by path, each from its lowest node to its top, the paths in levels, in a level the longest
// first.
struct TreePath {
    int32_t first, length;          // rows
    int32_t above;                  // row of the parent of its top, -1 for roots
    int32_t first_join, last_join;  // into TreePaths::joins, without the last
};

// Of a node with children of smaller order: the tops of their paths. Joins are in the order of subtraction.
struct PathJoin {
    int32_t row, child;
};

struct TreePaths {
    std::vector<int32_t> node;  // of each row
    std::vector<TreePath> paths;
    std::vector<PathJoin> joins;
    std::vector<int32_t> levels;  // first path of each level, and the number of paths
};

TreePaths find_paths(const Tree &tree);

}  // namespace xbatch::hines
