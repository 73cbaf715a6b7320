// schedule.hpp: the steps in which the workers of a warp eliminate a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines/hines.hpp"

namespace xbatch::hines {

// Where the contribution of a node to its parent's equation is stored until the parent is eliminated.
enum class PartPlace {
    rows,      // the first in the parent's row, which is free until then, the others in rows of their own
    children,  // each with its node
    apart,     // each in a row of its own; rows of nodes and of contributions are numbered separately
};

// What a worker does in a step. Row 0 is a dummy for writes, row 1 holds zeros for reads. The others are the nodes'
// rows: by increasing step and worker, so that the workers of a step access adjacent rows; or, for PartPlace::children,
// row v + 2 of node v.
struct HinesStep {
    static constexpr uint32_t nowhere = 0, zeros = 1, first_row = 2;
    enum Flag : uint16_t {
        is_carried = 1,  // the worker eliminated the heavy child in its previous step: the contribution is in registers
        is_root = 2,
    };

    uint32_t node = nowhere;  // v + 2 of node v
    uint32_t row = nowhere;
    // Row of the node's contribution; nowhere if the node has no parent, or the worker eliminates the parent in its
    // next step
    uint16_t target = nowhere;
    uint16_t first = zeros, second = zeros;  // rows of the contributions to this node
    uint16_t flags = 0;

    XBATCH_HD bool is(Flag flag) const { return (flags & flag) != 0; }
};

// A step in half the space, for PartPlace::rows and children and small trees.
struct PackedStep {
    uint32_t low, high;

    static constexpr int row_bits = 14;
    static constexpr uint32_t most_rows = 1u << row_bits;

    static PackedStep of(const HinesStep &step, PartPlace place) {
        return {step.row | uint32_t(step.target) << row_bits | uint32_t(step.flags) << (2 * row_bits) |
                    uint32_t(step.first != HinesStep::zeros) << has_own_bit,
                (place == PartPlace::rows ? step.node : step.first) | uint32_t(step.second) << row_bits};
    }
    XBATCH_HD uint32_t row() const { return low % most_rows; }
    XBATCH_HD uint32_t target() const { return low >> row_bits & (most_rows - 1); }
    XBATCH_HD uint32_t node() const { return high % most_rows; }              // of PartPlace::rows
    XBATCH_HD bool has_own() const { return (low >> has_own_bit & 1) != 0; }  // the first contribution is in row()
    XBATCH_HD uint32_t first() const { return high % most_rows; }             // of PartPlace::children
    XBATCH_HD uint32_t second() const { return high >> row_bits & (most_rows - 1); }
    XBATCH_HD bool is(HinesStep::Flag flag) const { return (low >> (2 * row_bits) & flag) != 0; }

private:
    static constexpr int has_own_bit = 2 * row_bits + 2;
};

// The same for PartPlace::apart and larger trees, without the row.
struct SpilledStep {
    uint32_t low, high;

    static constexpr int node_bits = 18, row_bits = 14;
    static constexpr uint32_t most_nodes = 1u << node_bits, most_rows = 1u << row_bits;

    static SpilledStep of(const HinesStep &step) {
        return {step.node | uint32_t(step.target) << node_bits,
                step.first | uint32_t(step.second) << row_bits | uint32_t(step.flags) << (2 * row_bits)};
    }
    XBATCH_HD uint32_t node() const { return low % most_nodes; }
    XBATCH_HD uint32_t target() const { return low >> node_bits; }
    XBATCH_HD uint32_t first() const { return high % most_rows; }
    XBATCH_HD uint32_t second() const { return high >> row_bits & (most_rows - 1); }
    XBATCH_HD bool is(HinesStep::Flag flag) const { return (high >> (2 * row_bits) & flag) != 0; }
};

// All workers of a step. Busy workers have adjacent rows, starting at an even one.
struct alignas(16) SpilledSteps {
    static constexpr int workers = 32;
    SpilledStep of[workers];
    int32_t first_row = 0;
    uint32_t busy = 0;  // bit w: worker w
};

// A node with more than two contributions: the rows of the others are list[begin] … list[end - 1] of a schedule.
struct MoreParts {
    int32_t step, worker, begin, end;
};

// Steps are [step][worker], and reversed for the substitution. A contribution or an unknown that one worker writes and
// another reads is read at least `latency` steps later.
//
// Contributions are subtracted in an order that depends on the tree alone: children by decreasing number, but last the
// heavy child, the one with the longest path to a tip. So results have the same bits for any number of workers.
struct Schedule {
    PartPlace place;
    int workers, steps;
    int rows;  // PartPlace::apart: of contributions only
    std::vector<HinesStep> table;
    std::vector<MoreParts> more;  // by increasing step
    std::vector<uint32_t> list;
};

Schedule make_schedule(const Tree &tree, int workers, int latency, PartPlace place);

}  // namespace xbatch::hines
