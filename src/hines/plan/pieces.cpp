// pieces.cpp: cuts a tree into pieces, and finds the tree of their ports.
// SPDX-License-Identifier: BSD-3-Clause
#include "pieces.hpp"

#include <algorithm>
#include <numeric>

namespace xbatch::hines {
namespace {

std::vector<bool> nodes_with_children_in_other_pieces(const Tree &tree, int32_t nodes) {
    std::vector<bool> found(tree.parent.size());
    for (int32_t v = 0; v < int32_t(tree.n()); ++v) {
        const int32_t parent = tree.parent[size_t(v)];
        if (parent >= 0 && parent / nodes != v / nodes) found[size_t(parent)] = true;
    }
    return found;
}

}  // namespace

PieceTables cut_into_pieces(const Tree &tree, int32_t nodes, int steps) {
    PieceTables all;
    const int32_t n = int32_t(tree.n());
    const std::vector<bool> has_child_outside = nodes_with_children_in_other_pieces(tree, nodes);
    std::vector<int32_t> port_of(size_t(n), -1), above, own_port;  // [node], [slot]
    for (int32_t first = 0; first < n; first += nodes) {
        const int32_t count = std::min(nodes, n - first);
        PieceSubtrees cut = cut_piece(tree, has_child_outside, first, first + count, steps);
        TreePiece piece{first, count, int32_t(all.nodes_of_ports.size()), int32_t(above.size()), all.paths, {}, {}};
        above.insert(above.end(), cut.above.begin(), cut.above.end());
        for (const SubtreeEnds &ends : cut.tables.ends) own_port.push_back(ends.port < 0 ? -1 : first + ends.port);
        piece.streamed = condense(cut.tables, count, CondensedRows::by_worker);
        piece.resident = condense(std::move(cut.tables), count, CondensedRows::by_node);
        for (const int32_t port : piece.streamed.nodes_of_ports) {
            port_of[size_t(first + port)] = int32_t(all.nodes_of_ports.size());
            all.nodes_of_ports.push_back(first + port);
        }
        all.paths += piece.streamed.paths;
        all.pieces.push_back(std::move(piece));
    }
    all.ports.parent.resize(all.nodes_of_ports.size());
    all.begin.assign(all.nodes_of_ports.size() + 1, 0);
    for (size_t s = 0; s < above.size(); ++s) {
        const int32_t port = above[s] < 0 ? -1 : port_of[size_t(above[s])];
        all.ports_above.push_back(port);
        if (own_port[s] >= 0) all.ports.parent[size_t(port_of[size_t(own_port[s])])] = port;
        if (port >= 0) ++all.begin[size_t(port) + 1];
    }
    std::partial_sum(all.begin.begin(), all.begin.end(), all.begin.begin());
    all.slots.resize(size_t(all.begin.back()));
    std::vector<int32_t> next(all.begin.begin(), all.begin.end() - 1);
    for (size_t s = 0; s < above.size(); ++s)
        if (all.ports_above[s] >= 0) all.slots[size_t(next[size_t(all.ports_above[s])]++)] = int32_t(s);
    return all;
}

}  // namespace xbatch::hines
