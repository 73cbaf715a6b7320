// test_distributed_cuts.cpp: the division of a system among up to 4096 ranks.
//
// The nodes of all ranks are aligned subtrees of one complete binary tree over the chunks, in order, without gaps, as
// few as possible; the joins of the nodes are the upper part of that tree, each after those of its two halves.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "distributed/partition.hpp"
#include "support/generators/random.hpp"

namespace xbatch_test {
namespace {

using xbatch::distributed::chunks_of;
using xbatch::distributed::Join;
using xbatch::distributed::make_partition;
using xbatch::distributed::Partition;

// Joins of slots that hold one node each must leave one run of all nodes, made of adjacent runs.
void expect_one_tree(const Partition &p) {
    std::vector<int64_t> end(p.nodes.size());
    for (size_t q = 0; q < end.size(); ++q) end[q] = int64_t(q) + 1;
    for (const Join &j : p.joins) {
        ASSERT_LT(j.begin, j.middle);
        EXPECT_EQ(end[size_t(j.begin)], j.middle);
        EXPECT_EQ(end[size_t(j.middle)], j.end);
        EXPECT_EQ(j.row, p.leaf_row[size_t(p.nodes[size_t(j.middle)].first)]);
        const int64_t first = p.nodes[size_t(j.begin)].first, last = p.nodes[size_t(j.end) - 1].end;
        EXPECT_EQ(p.nodes[size_t(j.middle)].first, first + (last - first) / 2) << "halves of a subtree";
        end[size_t(j.begin)] = j.end;
    }
    EXPECT_EQ(p.joins.size() + 1, p.nodes.size());
    EXPECT_EQ(end[0], int64_t(p.nodes.size()));
}

void expect_nodes(const Partition &p, bool any_cut) {
    int64_t leaf = 0;
    for (int rank = 0; rank < p.ranks(); ++rank) {
        ASSERT_EQ(p.leaf_row[size_t(p.rank_leaf[size_t(rank)])], p.offsets[size_t(rank)]);
        EXPECT_LE(p.nodes_of(rank), any_cut ? 1 : 2 * 12);
        for (int64_t q = p.rank_node[size_t(rank)]; q < p.rank_node[size_t(rank) + 1]; ++q) {
            const Partition::Node &node = p.nodes[size_t(q)];
            const int64_t length = node.end - node.first;
            EXPECT_EQ(node.first, leaf);
            leaf = node.end;
            if (any_cut) continue;
            EXPECT_EQ(length & (length - 1), 0);
            EXPECT_EQ(node.first % length, 0);
            const int64_t twice = node.first / (2 * length) * 2 * length;
            EXPECT_FALSE(p.rank_leaf[size_t(rank)] <= twice && twice + 2 * length <= p.rank_leaf[size_t(rank) + 1])
                << "a larger subtree is the rank's own";
        }
        EXPECT_EQ(leaf, p.rank_leaf[size_t(rank) + 1]);
    }
    EXPECT_EQ(leaf, p.leaves());
}

TEST(Cuts, OfAllRanks) {
    Random random(3);
    for (const int64_t n : {int64_t(1), int64_t(31), int64_t(1000), int64_t(300000), int64_t(1) << 40})
        for (const int ranks : {1, 2, 3, 7, 64, 1000, 4096})
            for (const bool any_cut : {false, true})
                for (const bool is_even : {false, true}) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", ranks " << ranks << ", any " << any_cut);
                    std::vector<int64_t> offsets(size_t(ranks) + 1, n);
                    const int64_t chunks = chunks_of(n);
                    for (int p = 0; p < ranks; ++p) {
                        const int64_t chunk = p == 0 ? 0 : int64_t(random.bits() % uint64_t(chunks + 1));
                        offsets[size_t(p)] = any_cut ? int64_t(random.bits() % uint64_t(n + 1)) * (p > 0)
                                                     : xbatch::distributed::even_cut(n, chunk, chunks);
                    }
                    std::sort(offsets.begin(), offsets.end());
                    Partition p;
                    ASSERT_EQ(make_partition(p, n, ranks, is_even ? nullptr : offsets.data(), any_cut).rank, -1);
                    if (!is_even) {
                        EXPECT_EQ(p.offsets, offsets);
                    }
                    expect_nodes(p, any_cut);
                    expect_one_tree(p);
                }
}

// One node for each rank where the shares are equal and their number is a power of two
TEST(Cuts, EqualSharesAreOneNodeEach) {
    for (int ranks = 1; ranks <= 4096; ranks *= 2) {
        Partition p;
        make_partition(p, int64_t(1) << 40, ranks, nullptr, false);
        EXPECT_EQ(p.leaves(), 4096);
        EXPECT_EQ(p.nodes.size(), size_t(ranks));
    }
}

TEST(Cuts, ChunksOfASystem) {
    const auto largest = [](int64_t n) { return (n - 1) / chunks_of(n) + 1; };
    for (int64_t n = 1; n < 3000; ++n) {
        EXPECT_GE(n / chunks_of(n), std::min<int64_t>(n, 16));
        EXPECT_LE(chunks_of(n), 64);
        EXPECT_TRUE(chunks_of(n) == 64 || largest(n) <= 32) << n;
    }
    for (const int64_t n : {1024, 262144, 262145, 16777216, 16777217})
        EXPECT_LE(largest(n), n > 16777216 ? 4097 : 4096);
    EXPECT_EQ(chunks_of(262144), 64);
    EXPECT_EQ(chunks_of(262145), 128);
    EXPECT_EQ(chunks_of(INT64_MAX), 4096);
}

TEST(Cuts, TheNearestChunk) {
    Partition p;
    for (const auto &[cut, nearest] : {std::pair<int64_t, int64_t>{1, 0}, {24, 20}, {31, 40}, {639, 640}}) {
        const int64_t offsets[] = {0, cut, 640};
        const auto wrong = make_partition(p, 640, 2, offsets, false);
        EXPECT_EQ(wrong.rank, 1);
        EXPECT_EQ(wrong.nearest, nearest);
    }
}

}  // namespace
}  // namespace xbatch_test
