// tree_share.hpp: how one tree is cut into chunks of nodes, and the tree that is left once all other nodes are
// eliminated.
//
// A chunk is a range of nodes. Ports are the nodes with children in later chunks and, so that within a chunk at most
// one port is below any other node, the nodes with ports below two of their children. All others are eliminated. Each
// is coupled to the nearest port above it, and to the one below it in its chunk. The ports remain, with their tree.
//
// A chunk sends an entry for each of its ports, and a sum for each port of an earlier chunk that has children in it:
// what their elimination adds to the equation of that port. Cuts are where few nodes have children on both sides.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "partition.hpp"

namespace xbatch::distributed {

// Entries of the first chunk come first, in each its sums, then its ports in their order: so an entry follows that
// above it. A rank with neither has an entry that says nothing.
struct TreeEntry {
    int64_t node = -1;   // the port
    int64_t above = -1;  // entry of the port above it, or of the port of a sum; -1: none
    bool is_sum = false;
};

// The elimination of a node. After the rows of a chunk's nodes come those of its sums, and then one for roots.
struct TreeStep {
    int32_t parent;  // its row
    int32_t port;    // of this chunk, from 0: the node itself, or the one that it is coupled to below it; -1: none
    bool is_port, is_root;  // a port is not eliminated
    bool ends;              // the parent's unknown is among those that the chunk learns
};

struct TreeChunk {
    int64_t first, rows;  // nodes, in the share
    int64_t first_entry;  // among those of the rank
    int64_t sums;
    std::vector<int32_t> port_row;
    std::vector<TreeStep> steps;

    int64_t ports() const { return int64_t(port_row.size()); }
    int64_t entries() const { return sums + ports(); }
};

struct TreeShare {
    std::vector<TreeEntry> entries;         // of all ranks
    std::vector<TreeChunk> chunks;          // of this one
    int64_t most_rows = 0, most_ports = 0;  // of the chunks of all ranks, with the rows after the nodes
};

// parent [n], -1 for roots. A leaf of the partition is a chunk, one of its nodes an entry. offsets [ranks + 1] or NULL:
// even shares. any_cut: chunks also end at the offsets. Throws std::bad_alloc.
WrongCut make_tree_share(TreeShare &share, Partition &partition, const std::vector<int32_t> &parent, int rank,
                         int ranks, const int64_t *offsets, bool any_cut);

}  // namespace xbatch::distributed
