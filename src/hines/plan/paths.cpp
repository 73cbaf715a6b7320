// paths.cpp: computes the orders of nodes, and lists the paths of each order.
// SPDX-License-Identifier: BSD-3-Clause
#include "paths.hpp"

#include <algorithm>

namespace xbatch::hines {
namespace {

struct Orders {
    std::vector<int32_t> order;  // of each node
    std::vector<int32_t> below;  // the child on the same path; -1 for its lowest node

    explicit Orders(const Tree &tree) : order(tree.parent.size(), 1), below(tree.parent.size(), -1) {
        std::vector<int32_t> largest(tree.parent.size(), 0);  // order of the children so far
        for (size_t i = tree.parent.size(); i-- > 0;) {
            if (largest[i] > 0) order[i] = largest[i] + (below[i] < 0);
            if (tree.parent[i] < 0) continue;
            const size_t p = size_t(tree.parent[i]);
            if (order[i] > largest[p])
                largest[p] = order[i], below[p] = int32_t(i);
            else if (order[i] == largest[p])
                below[p] = -1;
        }
    }
};

struct FoundPath {
    int32_t top, length, order;
};

}  // namespace

TreePaths find_paths(const Tree &tree) {
    const Orders orders(tree);
    const std::vector<int32_t> &below = orders.below;
    std::vector<FoundPath> found;
    for (size_t i = 0; i < tree.parent.size(); ++i) {
        const int32_t p = tree.parent[i];
        if (p >= 0 && below[size_t(p)] == int32_t(i)) continue;
        int32_t length = 1;
        for (int32_t k = below[i]; k >= 0; k = below[size_t(k)]) ++length;
        found.push_back({int32_t(i), length, orders.order[i]});
    }
    std::stable_sort(found.begin(), found.end(), [](const FoundPath &a, const FoundPath &b) {
        return a.order != b.order ? a.order < b.order : a.length > b.length;
    });

    TreePaths result;
    std::vector<int32_t> row(tree.parent.size());
    result.node.resize(tree.parent.size());
    int32_t rows = 0;
    for (const FoundPath &path : found) {
        rows += path.length;
        int32_t at = rows;
        for (int32_t k = path.top; k >= 0; k = below[size_t(k)]) row[size_t(k)] = --at, result.node[size_t(at)] = k;
    }
    // The tops of paths below each node, by decreasing number: lists in an array
    std::vector<int32_t> last(tree.parent.size(), -1), next(tree.parent.size(), -1);
    for (size_t i = 0; i < tree.parent.size(); ++i) {
        const int32_t p = tree.parent[i];
        if (p >= 0 && below[size_t(p)] != int32_t(i)) next[i] = last[size_t(p)], last[size_t(p)] = int32_t(i);
    }
    rows = 0;
    for (const FoundPath &path : found) {
        if (result.paths.empty() || found[result.paths.size() - 1].order != path.order)
            result.levels.push_back(int32_t(result.paths.size()));
        TreePath one{rows, path.length, -1, int32_t(result.joins.size()), 0};
        const int32_t p = tree.parent[size_t(path.top)];
        if (p >= 0) one.above = row[size_t(p)];
        rows += path.length;
        for (int32_t r = one.first; r < rows; ++r)
            for (int32_t k = last[size_t(result.node[size_t(r)])]; k >= 0; k = next[size_t(k)])
                result.joins.push_back({r, row[size_t(k)]});
        one.last_join = int32_t(result.joins.size());
        result.paths.push_back(one);
    }
    result.levels.push_back(int32_t(result.paths.size()));
    return result;
}

}  // namespace xbatch::hines
