// tree_share.cpp: the cuts of a tree, its ports, and what the messages about them contain.
// SPDX-License-Identifier: BSD-3-Clause
#include "tree_share.hpp"

#include <algorithm>
#include <cstdlib>

namespace xbatch::distributed {
namespace {

using Parents = std::vector<int32_t>;

// [n + 1]: the number of nodes before node a that have children from a on
std::vector<int32_t> crossings(const Parents &parent) {
    std::vector<int32_t> last(parent.size(), -1), count(parent.size() + 2, 0);
    for (size_t i = 0; i < parent.size(); ++i)
        if (parent[i] >= 0) last[size_t(parent[i])] = int32_t(i);
    for (size_t i = 0; i < parent.size(); ++i)
        if (last[i] >= 0) ++count[i + 1], --count[size_t(last[i]) + 1];
    for (size_t a = 1; a < count.size(); ++a) count[a] += count[a - 1];
    return count;
}

// Where even chunks would begin, or near it if fewer nodes have children on both sides there
std::vector<int64_t> cuts_of(const Parents &parent) {
    const int64_t n = int64_t(parent.size()), chunks = chunks_of(n), window = n / chunks / 8;
    const std::vector<int32_t> count = crossings(parent);
    std::vector<int64_t> cuts;
    for (int64_t k = 0; k <= chunks; ++k) {
        const int64_t even = even_cut(n, k, chunks);
        int64_t best = even;
        for (int64_t away = 1; away <= window && k > 0 && k < chunks; ++away)
            for (const int64_t a : {even - away, even + away})
                if (count[size_t(a)] < count[size_t(best)]) best = a;
        cuts.push_back(best);
    }
    return cuts;
}

// Which nodes are ports
std::vector<bool> find_ports(const Parents &parent, const std::vector<int64_t> &cuts) {
    constexpr int8_t none = 0, one = 1, several = 2;
    std::vector<bool> is_port(parent.size(), false);
    std::vector<int8_t> below(parent.size(), none);  // ports below each node in its chunk, at most one to a child
    for (size_t k = cuts.size() - 1; k-- > 0;)
        for (int64_t i = cuts[k + 1]; i-- > cuts[k];) {
            if (below[size_t(i)] == several) is_port[size_t(i)] = true;
            const int64_t p = parent[size_t(i)];
            if (p < 0) continue;
            if (p < cuts[k])
                is_port[size_t(p)] = true;
            else if (is_port[size_t(i)] || below[size_t(i)] == one)
                below[size_t(p)] = below[size_t(p)] == none ? one : several;
        }
    return is_port;
}

class Divider {
public:
    Divider(TreeShare &share, Partition &partition, const Parents &parent, int rank)
        : share_(share),
          p_(partition),
          parent_(parent),
          rank_(rank),
          is_port_(find_ports(parent, partition.leaf_row)),
          entry_(parent.size(), -1) {}

    void run() {
        for (int q = 0; q < p_.ranks(); ++q) {
            const size_t before = share_.entries.size();
            for (int64_t k = p_.rank_leaf[size_t(q)]; k < p_.rank_leaf[size_t(q) + 1]; ++k) add_chunk(q, k, before);
            if (share_.entries.size() == before && p_.rows(q) > 0) add_entry(p_.rank_leaf[size_t(q)], {});
            p_.rank_node[size_t(q) + 1] = int64_t(share_.entries.size());
        }
    }

private:
    void add_entry(int64_t leaf, const TreeEntry &entry) {
        share_.entries.push_back(entry);
        p_.nodes.push_back({leaf, leaf + 1});
    }

    void add_chunk(int q, int64_t leaf, size_t first_of_rank) {
        begin_ = p_.leaf_row[size_t(leaf)], end_ = p_.leaf_row[size_t(leaf) + 1];
        TreeChunk chunk{};
        chunk.first = begin_ - p_.offsets[size_t(q)], chunk.rows = end_ - begin_;
        chunk.first_entry = int64_t(share_.entries.size() - first_of_rank);
        above_.clear();
        for (int64_t i = begin_; i < end_; ++i) {
            const int32_t p = parent_[size_t(i)];
            if (p >= 0 && p < begin_) above_.push_back(p);
        }
        std::sort(above_.begin(), above_.end());
        above_.erase(std::unique(above_.begin(), above_.end()), above_.end());
        chunk.sums = int64_t(above_.size());
        for (const int32_t p : above_) add_entry(leaf, {-1, entry_[size_t(p)], true});
        for (int64_t i = begin_; i < end_; ++i) {
            if (!is_port_[size_t(i)]) continue;
            entry_[size_t(i)] = int64_t(share_.entries.size());
            add_entry(leaf, {i, entry_of_port_above(i), false});
            chunk.port_row.push_back(int32_t(i - begin_));
        }
        share_.most_rows = std::max(share_.most_rows, chunk.rows + chunk.sums + 1);
        share_.most_ports = std::max(share_.most_ports, chunk.ports());
        if (q == rank_) {
            find_steps(chunk);
            share_.chunks.push_back(std::move(chunk));
        }
    }

    bool is_inside(int64_t i) const { return i >= begin_ && !is_port_[size_t(i)]; }  // eliminated in this chunk

    int64_t entry_of_port_above(int64_t i) const {
        int64_t p = parent_[size_t(i)];
        while (is_inside(p)) p = parent_[size_t(p)];
        return p < 0 ? -1 : entry_[size_t(p)];
    }

    void find_steps(TreeChunk &chunk) const {
        for (int64_t i = begin_; i < end_; ++i) {
            const int32_t p = parent_[size_t(i)];
            TreeStep step{int32_t(p - begin_), -1, is_port_[size_t(i)], p < 0, !is_inside(p)};
            if (p < 0)
                step.parent = int32_t(chunk.rows + chunk.sums);
            else if (p < begin_)
                step.parent =
                    int32_t(chunk.rows + (std::lower_bound(above_.begin(), above_.end(), p) - above_.begin()));
            chunk.steps.push_back(step);
        }
        for (size_t k = 0; k < chunk.port_row.size(); ++k) {
            const int64_t port = begin_ + chunk.port_row[k];
            chunk.steps[size_t(port - begin_)].port = int32_t(k);
            for (int64_t i = parent_[size_t(port)]; is_inside(i); i = parent_[size_t(i)])
                chunk.steps[size_t(i - begin_)].port = int32_t(k);
        }
    }

    TreeShare &share_;
    Partition &p_;
    const Parents &parent_;
    const int rank_;
    const std::vector<bool> is_port_;
    std::vector<int64_t> entry_;   // of each port
    int64_t begin_ = 0, end_ = 0;  // of the chunk
    std::vector<int32_t> above_;   // ports of earlier chunks that have children in it, ascending
};

}  // namespace

WrongCut make_tree_share(TreeShare &share, Partition &p, const std::vector<int32_t> &parent, int rank, int ranks,
                         const int64_t *offsets, bool any_cut) {
    p.n = int64_t(parent.size());
    for (std::vector<int64_t> *each : {&p.offsets, &p.rank_leaf, &p.rank_node}) each->assign(size_t(ranks) + 1, 0);
    if (p.n == 0) return {};
    p.leaf_row = cuts_of(parent);
    if (any_cut && offsets) {
        p.leaf_row.insert(p.leaf_row.end(), offsets, offsets + ranks + 1);
        std::sort(p.leaf_row.begin(), p.leaf_row.end());
        p.leaf_row.erase(std::unique(p.leaf_row.begin(), p.leaf_row.end()), p.leaf_row.end());
    }
    const WrongCut wrong = share_leaves(p, offsets);
    if (wrong.rank < 0) Divider(share, p, parent, rank).run();
    return wrong;
}

}  // namespace xbatch::distributed
