// flat_plan.hpp: the division of systems with contiguous rows among the threads of the pivoting kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <type_traits>

#include "interface_plan.hpp"

namespace xbatch::tridiagonal {

// Any number of lanes of a warp share a system, and a warp has as many systems as it has lanes for; or a system, or the
// share of it that a block of a cluster has, takes the lanes of all warps of a block. Thread k of a system has those of
// rows k*rows … (k+1)*rows-1 that exist. `rows` is odd, so that threads access theirs without bank conflicts.
struct FlatPlan {
    static constexpr int most_warps = 8;

    int warps, per_warp;   // of a block; systems of a warp, 0 if a system has all warps
    int lanes, rows;       // threads of a system, or of a part; rows of a thread
    int parts, parts_log;  // blocks of a cluster
    int part_rows;
    int a_stride, b_stride;  // from one system to the next in shared memory
    int array;               // elements of each array there
    int sides, side_groups;  // right-hand sides of a block; blocks that share those of a system
    int64_t all_sides;       // right-hand sides of all systems
    int64_t of_info;  // right-hand sides that have one info, where those of a shared matrix are divided anew; else 0
    bool is_run;      // the systems of a warp are loaded together, with what is between them
    bool is_periodic;
    bool is_unpivoted;  // threads eliminate their rows without interchanges, dominant or not
    SmallDivisor by_lanes;
    int64_t n;

    XBATCH_HD int systems() const { return per_warp > 0 ? warps * per_warp : 1; }
    XBATCH_HD int threads() const { return 32 * warps; }
    static constexpr int most_threads() { return 32 * most_warps; }
};

// Right-hand sides of a matrix each that follow its elimination together
template <class T>
constexpr int most_sides = sizeof(T) == 16 ? 2 : 4;

template <class T>
struct FlatTile {
    static constexpr int line = sizeof(T) < 16 ? 16 / int(sizeof(T)) : 1;             // elements of 16 bytes
    static constexpr int banks = 128 / int(sizeof(T));                                // elements on different banks
    static constexpr int most_rows = sizeof(T) == 4 ? 41 : sizeof(T) == 8 ? 25 : 13;  // of a thread
    // Of a thread that has this number of right-hand sides, and warps of a multiprocessor
    static constexpr int registers(int sides) { return sizeof(T) == 16 || (sizeof(T) == 8 && sides > 1) ? 168 : 128; }
    static constexpr int most_warps(int sides) { return 16384 / (32 * registers(sides)) * 4; }
    static constexpr int block_bytes = 114 * 1024;  // of shared memory: half of a multiprocessor's
};

// Shared memory: the rows, one value per thread, and tables of interface equations of warps and of parts
template <class T>
size_t flat_bytes(const FlatPlan &plan) {
    const int equations = 8 + 2 * (plan.sides > 1 ? most_sides<T> : 1);
    int elements = (3 + plan.sides) * plan.array + plan.threads();
    if (plan.per_warp == 0) elements += equations * FlatPlan::most_warps * (plan.parts > 1 ? 2 : 1);
    return size_t(elements) * sizeof(T);
}

// Lanes access shared memory in phases, of as many lanes as there are banks. The most lanes of a phase that share a
// bank, over the phases of a warp of which `lanes` take part, each at element place_of(lane)
template <class T, class PlaceOf>
int most_on_a_bank(int lanes, PlaceOf place_of) {
    constexpr int banks = FlatTile<T>::banks;
    int most = 0;
    for (int lane0 = 0; lane0 < lanes; lane0 += banks) {
        int on[banks] = {};
        for (int lane = lane0; lane < std::min(lane0 + banks, lanes); ++lane)
            most = std::max(most, ++on[place_of(lane) & banks - 1]);
    }
    return most;
}

// The same for interleaved systems: a block has 2^systems_log of them, or parts of them, each of which lanes of one
// warp share.
struct ColumnsPlan {
    static constexpr int most_warps = 16;

    int warps, per_warp, systems_log;
    int lanes, rows;
    int parts, parts_log, part_rows;
    int pitch, array;                // elements of shared memory: from a row to the next, of an array
    int tile_rows;                   // rows of a part for which there is room: two of each thread at least
    int sides, side_groups;          // right-hand sides of a thread; blocks that share those of its systems
    int swizzle;                     // most of the bits of a system's number that change with the row's thread:
    int swizzle_shift, swizzle_log;  // those from the second number on, by its number's from the first on
    bool a_is_wide, b_is_wide;       // 16 bytes of all coefficients, or of B, are copied at once
    bool a_by_lines, b_by_lines;     // the coefficients, or B, are copied by 16-byte lines, rows beginning anywhere
    bool is_periodic, is_unpivoted;
    SmallDivisor by_lanes, by_rows, by_lines_of_row;
    int64_t n;

    XBATCH_HD int systems() const { return 1 << systems_log; }
    XBATCH_HD int threads() const { return 32 * warps; }
};

template <bool FLAT>
using LanesPlan = std::conditional_t<FLAT, FlatPlan, ColumnsPlan>;

// Shared memory, as of FlatPlan; behind the values: of each system the equations of all parts, and the unknowns at the
// ends of the block's
template <class T>
size_t columns_bytes(const ColumnsPlan &plan) {
    const int sides = plan.sides > 1 ? most_sides<T> : 1, equations = 8 + 2 * sides, known = 4 * sides;
    int elements = (3 + plan.sides) * plan.array + plan.threads();
    if (plan.parts > 1) elements += (equations * plan.parts + known) << plan.systems_log;
    return size_t(elements) * sizeof(T);
}

}  // namespace xbatch::tridiagonal
