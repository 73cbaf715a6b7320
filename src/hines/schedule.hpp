// schedule.hpp: the steps in which the workers of a warp eliminate a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "hines.hpp"

namespace xbatch {

// How a node's part of its parent's equation reaches the parent.
enum class PartPlace {
    rows,      // the first into the parent's row, which is free until then, the others into rows of their own
    children,  // each stays with its node
};

// What a worker does in a step. Row 0 is written where nothing is to be written, row 1 holds zeros, to be read where
// nothing is to be read. The others are those of the nodes: by rising step and worker, so that the workers of a step
// have rows side by side; or, where parts stay with the children, row v + 2 of node v.
struct HinesStep {
    uint32_t low, high;

    enum Flag : uint32_t {
        is_carried = 1,  // the heavy child was eliminated in the worker's step before: its part is at hand
        is_root = 2,
        has_own = 4,  // PartPlace::rows: a part waits in the node's own row
    };
    static constexpr int row_bits = 14;
    static constexpr uint32_t most_rows = 1u << row_bits;
    static constexpr uint32_t nowhere = 0, zeros = 1, first_row = 2;

    XBATCH_HD uint32_t row() const { return low % most_rows; }
    // Where the node's part waits for the parent; nowhere if the parent is eliminated in the worker's next step, or
    // none
    XBATCH_HD uint32_t target() const { return low >> row_bits & (most_rows - 1); }
    // PartPlace::rows: v + 2 of node v, or nowhere
    XBATCH_HD uint32_t node() const { return high % most_rows; }
    // PartPlace::children: where a part waits for the node, or zeros
    XBATCH_HD uint32_t first() const { return high % most_rows; }
    // Where another part waits for it, or zeros
    XBATCH_HD uint32_t second() const { return high >> row_bits & (most_rows - 1); }
    XBATCH_HD bool is(Flag flag) const { return (low >> (2 * row_bits) & flag) != 0; }

    static HinesStep of(uint32_t row, uint32_t target, uint32_t node_or_first, uint32_t second, uint32_t flags) {
        return {row | target << row_bits | flags << (2 * row_bits), node_or_first | second << row_bits};
    }
    XBATCH_HD static HinesStep idle(PartPlace place) {
        return {nowhere, (place == PartPlace::rows ? nowhere : zeros) | zeros << row_bits};
    }
};

// A node with more than two parts waiting for it: the rows of the others are list[begin] … list[end - 1] of a schedule.
struct MoreParts {
    int32_t step, worker, begin, end;
};

// Steps [step][worker], backwards for the substitution. A part that goes from worker to worker, and an unknown that
// comes back, is read `latency` steps after it was written at the earliest.
//
// The parts are taken off in an order that depends on the tree alone: children with the highest number first, but the
// heavy child, that with the longest way to a tip, last. So results have the same bits for any number of workers.
struct Schedule {
    PartPlace place;
    int workers, steps, rows;
    std::vector<HinesStep> table;
    std::vector<MoreParts> more;  // by rising step
    std::vector<uint32_t> list;
};

Schedule make_schedule(const Tree &tree, int workers, int latency, PartPlace place);

}  // namespace xbatch
