// interface_plan.hpp: what the pivoting kernels are told of how a batch is shared out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/layout.hpp"

namespace xbatch::tridiagonal {

// Division of numbers whose product with the divisor is below 2^20.
struct SmallDivisor {
    unsigned inverse;

    static SmallDivisor of(int divisor) { return {(1u << 20) / unsigned(divisor) + 1}; }
    XBATCH_HD int quotient(int x) const { return int(unsigned(x) * inverse >> 20); }
};

// 128 threads share 2^systems_log systems, 2^lanes_log threads a system, or one of its parts: the blocks of a cluster,
// or the tiles of a long system, have one each. Every thread owns `pairs` of neighbouring rows, the last ones of a part
// fewer or none; they stay in shared memory, where the pivot rows take their place.
struct InterfacePlan {
    static constexpr int threads = 128, warps = threads / 32;
    static constexpr int resident = 3;                          // blocks on a multiprocessor
    static constexpr int shuffled_levels = 2;                   // of the tree, the first ones
    static constexpr int columns = threads >> shuffled_levels;  // equations that its last levels take

    int systems_log, lanes_log;
    int parts, parts_log;    // blocks of a cluster
    int part_rows, pairs;    // of a part, and of a thread
    SmallDivisor by_pairs;   // to find the owner of a pair of rows
    SmallDivisor by_system;  // and its system: by the pairs of one, or, where n is odd, by its rows
    int swizzle;             // not FLAT: of places in shared memory, so that the lanes of a warp meet different banks
    int ahead;               // groups of systems to the one that is read ahead; 0 where nothing is
    bool is_wide;  // 16 bytes of any array can be moved as one; FLAT: and systems of one warp follow each other
    bool is_periodic;
    int64_t n;

    XBATCH_HD int systems() const { return 1 << systems_log; }
    XBATCH_HD int lanes() const { return 1 << lanes_log; }
    // Whether every block of a cluster solves for all systems of it, or each for its share, telling the others.
    XBATCH_HD bool everyone_solves() const { return parts << systems_log <= columns; }
};

// Where the rows lie in shared memory: four arrays, FLAT of every warp and by systems, otherwise of the block and by
// rows.
template <class T, bool FLAT>
struct InterfaceTile {
    static constexpr int line_log = sizeof(T) == 4 ? 5 : sizeof(T) == 8 ? 4 : 3;
    static constexpr int line = 1 << line_log;  // elements of a memory line
    static constexpr int most_rows = line;      // of a thread: three blocks share a multiprocessor's memory
    static constexpr int together = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;       // elements that are moved as one
    static constexpr int swizzle = line / 2 - 1 & ~int(together > 2);               // FLAT: of pairs
    static constexpr int array = (FLAT ? 32 : InterfacePlan::threads) * most_rows;  // elements
    static constexpr int elements = (FLAT ? InterfacePlan::warps : 1) * 4 * array;
};

template <class T, bool FLAT>
size_t interface_bytes(const InterfacePlan &plan) {
    constexpr int equations = 10, known = 4;
    int elements = InterfaceTile<T, FLAT>::elements + InterfacePlan::threads;
    if (plan.lanes_log > InterfacePlan::shuffled_levels || plan.parts > 1)
        elements += equations * InterfacePlan::columns;
    if (plan.parts > 1) elements += equations * InterfacePlan::columns;
    if (plan.parts > 1 && !plan.everyone_solves()) elements += known * InterfacePlan::columns;
    return size_t(elements) * sizeof(T);
}

}  // namespace xbatch::tridiagonal
