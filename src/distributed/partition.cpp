// partition.cpp: the cuts between ranks, and the nodes of the tree that each rank sends.
// SPDX-License-Identifier: BSD-3-Clause
#include "partition.hpp"

#include <algorithm>

namespace xbatch::distributed {

// At most 4096 rows, so that up to n/4096 ranks share long systems evenly and a node still has work for all lanes; 64
// chunks or more, for short systems on several ranks. But a join takes as long as a few rows, so chunks have at
// least least_rows.
int64_t chunks_of(int64_t n, int64_t least_rows) {
    constexpr int64_t most_rows = 4096, least = 64, most = 4096;
    int64_t chunks = 1;
    while (2 * chunks <= n / least_rows && chunks < most && (chunks < least || (n - 1) / chunks + 1 > most_rows))
        chunks *= 2;
    return chunks;
}

namespace {

// The cut that is wrong; the leaf of each other one
WrongCut find_leaves(Partition &p, const int64_t *offsets) {
    const auto begin = p.leaf_row.begin(), end = p.leaf_row.end();
    for (int k = 0; k <= p.ranks(); ++k) {
        const auto at = std::lower_bound(begin, end, offsets[k]);
        if (at == end || *at != offsets[k]) {
            const bool is_before = at == end || (at != begin && offsets[k] - *(at - 1) <= *at - offsets[k]);
            return {k, is_before ? *(at - 1) : *at};
        }
        p.rank_leaf[k] = at - begin;
    }
    return {};
}

WrongCut find_shares(Partition &p, bool any_cut, const int64_t *offsets, int64_t least_rows) {
    const int ranks = p.ranks();
    if (any_cut) {
        for (int k = 0; k <= ranks; ++k) p.offsets[k] = offsets ? offsets[k] : even_cut(p.n, k, ranks);
        p.leaf_row = {0};
        for (int k = 1; k <= ranks; ++k)
            if (p.offsets[k] > p.leaf_row.back()) p.leaf_row.push_back(p.offsets[k]);
        return find_leaves(p, p.offsets.data());
    }
    const int64_t chunks = chunks_of(p.n, least_rows);
    p.leaf_row.resize(chunks + 1);
    for (int64_t k = 0; k <= chunks; ++k) p.leaf_row[k] = even_cut(p.n, k, chunks);
    return share_leaves(p, offsets);
}

void find_nodes(Partition &p) {
    std::vector<int64_t> node_of(p.leaves() + 1);  // that begins with a leaf
    const auto is_node = [&](int64_t begin, int64_t end) {
        const auto owner = std::upper_bound(p.rank_leaf.begin(), p.rank_leaf.end(), begin) - 1;
        if (end > owner[1]) return false;
        node_of[begin] = int64_t(p.nodes.size()), node_of[end] = node_of[begin] + 1;
        ++p.rank_node[owner - p.rank_leaf.begin() + 1];
        p.nodes.push_back({begin, end});
        return true;
    };
    append_joins(
        p.joins, 0, p.leaves(), is_node, [&](int64_t leaf) { return node_of[leaf]; },
        [&](int64_t leaf) { return p.leaf_row[leaf]; });
    for (int k = 0; k < p.ranks(); ++k) p.rank_node[k + 1] += p.rank_node[k];
}

}  // namespace

WrongCut share_leaves(Partition &p, const int64_t *offsets) {
    for (int k = 0; k <= p.ranks(); ++k) p.rank_leaf[k] = even_cut(p.leaves(), k, p.ranks());
    const WrongCut wrong = offsets ? find_leaves(p, offsets) : WrongCut{};
    for (int k = 0; k <= p.ranks() && wrong.rank < 0; ++k) p.offsets[k] = p.leaf_row[p.rank_leaf[k]];
    return wrong;
}

WrongCut make_partition(Partition &p, int64_t n, int ranks, const int64_t *offsets, bool any_cut, int64_t least_rows) {
    p.n = n;
    for (std::vector<int64_t> *each : {&p.offsets, &p.rank_leaf, &p.rank_node}) each->assign(size_t(ranks) + 1, 0);
    p.leaf_row = {0};
    if (n == 0) return {};
    const WrongCut wrong = find_shares(p, any_cut, offsets, least_rows);
    if (wrong.rank < 0) find_nodes(p);
    return wrong;
}

}  // namespace xbatch::distributed
