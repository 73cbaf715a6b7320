// condensed.hpp: a tree cut into subtrees that workers condense to their ports while they read the coefficients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "subtrees.hpp"

namespace xbatch::hines {

// The elimination of a node of the first level, in a worker's order; in reverse order its substitution. Contributions
// to a node's equation are added up, if there are several or if other steps come between: where storage is free until
// the node is eliminated. Those of a subtree to the node above are added up in the row of the subtree's slot.
struct CondensedStep {
    uint32_t node_and_flags;
    uint32_t target;  // row of the parent; for the top of a subtree that of the slot

    enum Flag : uint32_t {
        is_port = 1 << 0,     // not eliminated
        on_path = 1 << 1,     // the port is below this node, in this subtree
        ends = 1 << 2,        // the last of a subtree
        is_idle = 1 << 3,     // no operation
        has_sum = 1 << 4,     // contributions have been added up
        is_carried = 1 << 5,  // so is that of the step before, in registers
        to_next = 1 << 6,     // the next step is the parent's
        is_first = 1 << 7,    // of the contributions that are added up
        adds = 1 << 8,        // its contribution to others
        is_root = 1 << 9,
    };
    static constexpr int node_bits = 20;
    static constexpr uint32_t idle_word = uint32_t(is_idle) << node_bits;

    XBATCH_HD uint32_t node() const { return node_and_flags & ((1u << node_bits) - 1); }
    XBATCH_HD bool is(Flag flag) const { return (node_and_flags >> node_bits & flag) != 0; }
};

// Where a worker of the first level begins: rows of c and g, rows of e
struct CondensedStart {
    int32_t row, path;
};

// By worker: rows 0 … ports - 1 are those of the ports, by increasing node; then come those of all other nodes, worker
// by worker in the order of their steps, and those of the slots. By node: row v is that of node v. The levels above the
// first are those of `subtrees`, with these rows.
enum class CondensedRows { by_worker, by_node };

struct CondensedTables {
    int32_t workers, steps_of_worker, ports, paths;
    int32_t pending;                      // nodes of a worker at a time whose contributions are being added up
    std::vector<CondensedStep> steps;     // [step][worker]
    std::vector<CondensedStart> starts;   // [worker]
    std::vector<int32_t> nodes_of_ports;  // [port]
    SubtreeTables subtrees;
};

CondensedTables condense(SubtreeTables subtrees, int32_t nodes, CondensedRows rows);
CondensedTables condense_tree(const Tree &tree, SubtreeCut cut, CondensedRows rows);

}  // namespace xbatch::hines
