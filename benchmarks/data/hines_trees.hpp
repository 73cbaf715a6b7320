// hines_trees.hpp: the morphologies of measured Hines systems: real neurons, or generated trees of the same measures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct Morphology {
    std::string name;  // says so if the tree is generated
    std::vector<int32_t> parent;

    int64_t n() const { return int64_t(parent.size()); }
    int64_t branches() const;  // nodes whose parent has other children too
    int64_t depth() const;     // nodes on the longest path from the root to a leaf
    int64_t most_children() const;
};

// The measures of a generated tree.
struct Measures {
    int64_t n, branches, depth;
};
Morphology grown(const std::string &name, const Measures &measures);
bool is_grown(const Morphology &tree);

// Table 1 of the cuHinesBatch paper under its names: from `folder`/table1_cases, or generated if that is absent.
std::vector<Morphology> table1_cases(const std::string &folder);

// About 5000, 15000 and 50000 nodes: from `folder`/large, or generated.
std::vector<Morphology> large_trees(const std::string &folder);

// All *.swc files in `folder` and the folders in it, by size, or generated trees of 100 … 8000 nodes if there is none.
std::vector<Morphology> all_cells(const std::string &folder);

}  // namespace bench
