// tree.cpp: parent arrays: checked in one pass, and renumbered depth first.
// SPDX-License-Identifier: BSD-3-Clause
#include "tree.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace xbatch::hines {
namespace {

constexpr const char *no_node = "its parent is not a node",
                     *second_root = "it is a second root, but a tree is expected, not a forest",
                     *not_before = "its parent does not precede it; xhinesOrder renumbers such trees",
                     *no_root = "no node is a root", *cycle = "it is its own ancestor";

// Children of each node, and roots, as linked lists in numerical order or that of `nodes`
struct Children {
    std::vector<int32_t> first, next;  // -1 ends
    int32_t first_root = -1;

    explicit Children(const ParentArray &tree) : first(size_t(tree.n), -1), next(size_t(tree.n)) {
        for (int64_t i = tree.n; i-- > 0;) prepend(tree, int32_t(i));
    }
    Children(const ParentArray &tree, const std::vector<int32_t> &nodes)
        : first(size_t(tree.n), -1), next(size_t(tree.n)) {
        for (size_t k = nodes.size(); k-- > 0;) prepend(tree, nodes[k]);
    }

private:
    void prepend(const ParentArray &tree, int32_t i) {
        int32_t &head = tree.is_root(i) ? first_root : first[size_t(tree.parent_of(i))];
        next[size_t(i)] = head;
        head = i;
    }
};

TreeFault find_roots(const ParentArray &tree) {
    int64_t roots = 0;
    for (int64_t i = 0; i < tree.n; ++i) {
        if (tree.is_root(i)) {
            if (++roots > 1 && !tree.is_forest) return {second_root, i};
        } else if (tree.parent_of(i) < 0 || tree.parent_of(i) >= tree.n) {
            return {no_node, i};
        }
    }
    return roots == 0 ? TreeFault{no_root, -1} : TreeFault{};
}

// The nodes that a root reaches
std::vector<int32_t> depth_first(const ParentArray &tree, const Children &children) {
    std::vector<int32_t> visited;
    visited.reserve(size_t(tree.n));
    for (int64_t i = children.first_root; i >= 0;) {
        visited.push_back(int32_t(i));
        int64_t after = children.first[size_t(i)];
        while (after < 0 && !tree.is_root(i)) {  // up to the first node that has a next sibling
            after = children.next[size_t(i)];
            if (after < 0) i = tree.parent_of(i);
        }
        i = after < 0 ? children.next[size_t(i)] : after;
    }
    return visited;
}

// All nodes by the number of nodes below them, then by their own; `visited` has parents before their children.
std::vector<int32_t> by_nodes_below(const ParentArray &tree, const std::vector<int32_t> &visited) {
    std::vector<int32_t> below(size_t(tree.n), 0), nodes(size_t(tree.n));
    for (size_t k = visited.size(); k-- > 0;)
        if (const int32_t i = visited[k]; !tree.is_root(i)) below[size_t(tree.parent_of(i))] += below[size_t(i)] + 1;
    std::iota(nodes.begin(), nodes.end(), 0);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int32_t a, int32_t b) { return below[size_t(a)] < below[size_t(b)]; });
    return nodes;
}

// Of the nodes that no root reaches: the smallest node of the cycle above the first of them
TreeFault find_cycle(const ParentArray &tree, const std::vector<int32_t> &visited) {
    std::vector<bool> is_reached(size_t(tree.n), false);
    for (const int32_t i : visited) is_reached[size_t(i)] = true;
    int64_t i = std::find(is_reached.begin(), is_reached.end(), false) - is_reached.begin();
    for (int64_t steps = 0; steps < tree.n; ++steps) i = tree.parent_of(i);
    int64_t smallest = i;
    for (int64_t k = tree.parent_of(i); k != i; k = tree.parent_of(k)) smallest = std::min(smallest, k);
    return {cycle, smallest};
}

}  // namespace

TreeFault read_tree(const ParentArray &tree, int32_t *parent) {
    parent[0] = -1;
    for (int64_t i = 1; i < tree.n; ++i) {
        const int64_t p = tree.parent_of(i);
        if (tree.is_root(i)) {
            if (!tree.is_forest) return {second_root, i};
            parent[i] = -1;
        } else {
            if (p < 0 || p >= tree.n) return {no_node, i};
            if (p > i) return {not_before, i};
            parent[i] = int32_t(p);
        }
    }
    return {};
}

TreeFault order_tree(const ParentArray &tree, bool largest_last, int32_t *order, int32_t *ordered) {
    const TreeFault fault = find_roots(tree);
    if (fault.what) return fault;
    std::vector<int32_t> visited = depth_first(tree, Children(tree));
    if (int64_t(visited.size()) < tree.n) return find_cycle(tree, visited);
    if (largest_last) visited = depth_first(tree, Children(tree, by_nodes_below(tree, visited)));
    std::vector<int32_t> position(size_t(tree.n));
    for (int64_t k = 0; k < tree.n; ++k) position[size_t(visited[size_t(k)])] = int32_t(k);
    for (int64_t k = 0; k < tree.n; ++k) {
        const int32_t old = visited[size_t(k)];
        order[k] = int32_t(old + tree.base);
        if (ordered) ordered[k] = int32_t((tree.is_root(old) ? -1 : position[size_t(tree.parent_of(old))]) + tree.base);
    }
    return {};
}

}  // namespace xbatch::hines
