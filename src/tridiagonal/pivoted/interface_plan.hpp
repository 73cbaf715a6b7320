// interface_plan.hpp: the division of a batch among the threads of the pivoting kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/layout.hpp"

namespace xbatch::tridiagonal {

// Division of numbers whose product with the divisor is below 2^20
struct SmallDivisor {
    unsigned inverse;

    static SmallDivisor of(int divisor) { return {(1u << 20) / unsigned(divisor) + 1}; }
    XBATCH_HD int quotient(int x) const { return int(unsigned(x) * inverse >> 20); }
};

// The 128 threads of a block solve 2^systems_log systems, or a part of each, by 2^lanes_log threads per system. A part
// is the share of one block of a cluster, or a segment of a long system. Every thread owns `pairs` pairs of adjacent
// rows, the last ones of a part fewer or none; they are in shared memory, where pivot rows replace them.
struct InterfacePlan {
    static constexpr int threads = 128, warps = threads / 32;
    static constexpr int resident = 3;         // blocks on a multiprocessor, if threads have the most rows
    static constexpr int shuffled_levels = 2;  // of the tree, the first ones
    static constexpr int columns = threads >> shuffled_levels;  // inputs of its last levels

    int systems_log, lanes_log;
    int parts, parts_log;    // blocks of a cluster
    int part_rows, pairs;    // of a part, and of a thread, for which shared memory has room
    SmallDivisor by_pairs;   // gives the owner of a pair of rows
    SmallDivisor by_system;  // gives its system: division by the pairs of a system, or, if n is odd, by its rows
    int swizzle;             // of places in shared memory, to avoid bank conflicts: of systems or, FLAT, of pairs
    int swizzle_shift;       // FLAT: that many neighbouring threads have the same, as a power of two
    int ahead;               // distance in groups of systems of the prefetch; 0: none
    bool is_wide;            // arrays are copied by 16 bytes; FLAT: and systems of one warp are contiguous
    bool is_periodic;
    int64_t n;

    XBATCH_HD int systems() const { return 1 << systems_log; }
    XBATCH_HD int lanes() const { return 1 << lanes_log; }
    XBATCH_HD int tile_rows() const { return threads * 2 * pairs; }  // of a block, in shared memory
    // Whether every block of a cluster solves the interface equations of all its systems; otherwise each solves those
    // of its share, and sends the results to the others.
    XBATCH_HD bool everyone_solves() const { return parts << systems_log <= columns; }
};

// The tile of rows in shared memory: four arrays, FLAT per warp and ordered by systems, otherwise per block and ordered
// by rows.
template <class T>
struct InterfaceTile {
    static constexpr int line_log = sizeof(T) == 4 ? 5 : sizeof(T) == 8 ? 4 : 3;
    static constexpr int line = 1 << line_log;  // elements of a memory line
    static constexpr int most_rows = line;  // of a thread, so that three blocks fit a multiprocessor's shared memory
    static constexpr int together = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;      // elements of one copy
    static constexpr int resident = sizeof(T) == 16 ? 3 : sizeof(T) == 8 ? 5 : 7;  // blocks that have registers
    static constexpr int swizzle = line / 2 - 1 & ~int(together > 2);  // FLAT, if threads have the most rows
};

template <class T>
size_t interface_bytes(const InterfacePlan &plan) {
    constexpr int equations = 10, known = 4;
    int elements = 4 * plan.tile_rows() + InterfacePlan::threads;
    if (plan.lanes_log > InterfacePlan::shuffled_levels || plan.parts > 1)
        elements += equations * InterfacePlan::columns;
    if (plan.parts > 1) elements += equations * InterfacePlan::columns;
    if (plan.parts > 1 && !plan.everyone_solves()) elements += known * InterfacePlan::columns;
    return size_t(elements) * sizeof(T);
}

}  // namespace xbatch::tridiagonal
