// hines_trees.hpp: the test trees for Hines systems, generated ones and those of real neurons.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "random.hpp"

namespace xbatch_test {

// The parent of each node, counted from 0 and smaller than the node; -1 for a root.
using Parents = std::vector<int32_t>;

inline bool is_root(const Parents &tree, int64_t i) { return tree[size_t(i)] < 0; }
inline bool is_leaf(const Parents &tree, int64_t i) {
    return std::find(tree.begin(), tree.end(), int32_t(i)) == tree.end();
}

// The tree with parent(i) for all nodes except 0
template <class F>
Parents make_tree(int64_t n, F parent) {
    Parents tree(static_cast<size_t>(n), -1);
    for (int64_t i = 1; i < n; ++i) tree[size_t(i)] = int32_t(parent(i));
    return tree;
}

inline Parents chain(int64_t n) {
    return make_tree(n, [](int64_t i) { return i - 1; });
}
inline Parents star(int64_t n) {
    return make_tree(n, [](int64_t) { return 0; });
}
inline Parents binary(int64_t n) {
    return make_tree(n, [](int64_t i) { return (i - 1) / 2; });
}
// A chain with a leaf at each of its nodes
inline Parents caterpillar(int64_t n) {
    return make_tree(n, [](int64_t i) { return i % 2 ? i - 1 : std::max<int64_t>(i - 2, 0); });
}
// A chain with a chain of `length` at each of its nodes
inline Parents comb(int64_t n, int64_t length) {
    return make_tree(n, [=](int64_t i) { return i % (length + 1) ? i - 1 : i - length - 1; });
}
// Depth first; with this probability a node begins a new branch, at a random previous node.
inline Parents random_tree(int64_t n, double branching, uint64_t seed = 1) {
    Random random(seed);
    return make_tree(n, [&](int64_t i) {
        const bool branches = std::fabs(random.uniform()) < branching;
        return branches ? int64_t(random.bits() % uint64_t(i)) : i - 1;
    });
}
// The parent of each node is a random previous node: shallow
inline Parents recursive_tree(int64_t n, uint64_t seed = 1) { return random_tree(n, 1, seed); }
// Adds roots - 1 random roots, each of which cuts the tree.
inline Parents with_roots(Parents tree, int64_t roots, uint64_t seed = 1) {
    Random random(seed);
    for (int64_t k = 1; k < roots; ++k) tree[size_t(random.bits() % tree.size())] = -1;
    return tree;
}

// The same tree with random node numbers, parents first
inline Parents shuffled(const Parents &tree, uint64_t seed = 1) {
    Random random(seed);
    const size_t n = tree.size();
    std::vector<std::vector<int32_t>> children(n);
    std::vector<int32_t> ready, number(n, -1);
    for (size_t i = 0; i < n; ++i)
        tree[i] < 0 ? ready.push_back(int32_t(i)) : children[size_t(tree[i])].push_back(int32_t(i));
    Parents result;
    while (!ready.empty()) {
        std::swap(ready[size_t(random.bits() % ready.size())], ready.back());
        const size_t i = size_t(ready.back());
        ready.pop_back();
        number[i] = int32_t(result.size());
        result.push_back(tree[i] < 0 ? -1 : number[size_t(tree[i])]);
        ready.insert(ready.end(), children[i].begin(), children[i].end());
    }
    return result;
}

struct NamedTree {
    std::string name;
    Parents parents;
};

// One tree of each kind, small enough for all element types and layouts
inline std::vector<NamedTree> made_trees() {
    return {{"one node", chain(1)},
            {"two nodes", chain(2)},
            {"three in a row", chain(3)},
            {"chain", chain(517)},
            {"star", star(1001)},
            {"caterpillar", caterpillar(301)},
            {"binary", binary(255)},
            {"comb of long teeth", comb(700, 99)},
            {"comb of short teeth", comb(333, 3)},
            {"random, few branches", random_tree(640, 0.02)},
            {"random, some branches", random_tree(401, 0.2)},
            {"random, many branches", random_tree(401, 0.7)},
            {"recursive", recursive_tree(350)},
            {"shuffled chain of stars", shuffled(comb(300, 1))},
            {"shuffled", shuffled(random_tree(450, 0.1))},
            {"shuffled binary", shuffled(binary(129))}};
}

// The folder of real trees: XBATCH_SWC, or the one the build found; empty if there is none.
inline std::string swc_folder() {
    const char *folder = std::getenv("XBATCH_SWC");
    const std::string found = folder ? folder : XBATCH_TEST_SWC;
    return !found.empty() && std::filesystem::is_directory(found) ? found : "";
}

// Reads an SWC file: "index type x y z radius parent" per line, parents first, -1 for the parent of the root.
inline Parents read_swc(const std::string &path) {
    std::ifstream file(path);
    std::vector<int64_t> number;
    Parents tree;
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        int64_t index = 0, type = 0, parent = 0;
        double x = 0, y = 0, z = 0, radius = 0;
        if (!(fields >> index >> type >> x >> y >> z >> radius >> parent)) continue;  // a comment
        const auto at = std::find(number.rbegin(), number.rend(), parent);
        tree.push_back(parent < 0 ? -1 : int32_t(number.rend() - at - 1));
        number.push_back(index);
    }
    return tree;
}

// All trees of a subfolder, by name
inline std::vector<NamedTree> real_trees(const std::string &subfolder) {
    std::vector<NamedTree> trees;
    const std::string folder = swc_folder();
    if (folder.empty()) return trees;
    for (const auto &entry : std::filesystem::directory_iterator(folder + "/" + subfolder))
        if (entry.path().extension() == ".swc") trees.push_back({entry.path().filename(), read_swc(entry.path())});
    std::sort(trees.begin(), trees.end(), [](const NamedTree &a, const NamedTree &b) { return a.name < b.name; });
    return trees;
}

}  // namespace xbatch_test
