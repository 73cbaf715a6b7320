// gtsv_tuning.hpp: how the pivoting solver divides a batch among threads, blocks and clusters of a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "interface_plan.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

constexpr int most_parts_log = 3;  // blocks of a cluster on every device that has clusters

inline int log2_up(int64_t x) {
    int log = 0;
    while ((int64_t(1) << log) < x) ++log;
    return log;
}

// Whether every array can be loaded by 16 aligned bytes of adjacent rows (FLAT) or systems of a block.
template <class T>
bool is_wide(const GtsvProblem &p, const InterfacePlan &plan, bool flat) {
    const auto is_wide_at = [&](const void *array, const Placement &at) {
        const int64_t planes = at.batch.stride[1] | at.batch.stride[2];
        if ((reinterpret_cast<uintptr_t>(array) | uint64_t(at.origin | at.ld | planes) * sizeof(T)) % 16 != 0)
            return false;
        if (flat && plan.part_rows * sizeof(T) % 16 != 0) return false;
        if (flat) return plan.lanes_log >= 5 || (at.ld == p.n && at.nrhs == 1);
        if (at.layout == XBATCH_LAYOUT_FLAT || plan.systems() * sizeof(T) < 16) return false;
        if (at.layout == strided_layout && (at.batch.stride[0] != 1 || uint64_t(at.step) * sizeof(T) % 16 != 0))
            return false;
        return at.layout == XBATCH_LAYOUT_INTERLEAVED || at.ld % plan.systems() == 0;
    };
    return is_wide_at(p.dl, p.a_at) && is_wide_at(p.d, p.a_at) && is_wide_at(p.du, p.a_at) && is_wide_at(p.b, p.b_at);
}

// Most rows of a thread
template <class T>
int most_rows_of_thread(const Context &context) {
    constexpr int most = InterfaceTile<T>::most_rows;
    return context.run_rows > 0 ? std::clamp(context.run_rows & ~1, 2, most) : most;
}

// Plans systems that fit a block or, if the device has them, a cluster; false if they are longer.
template <class T>
bool plan_interface(int64_t n, int64_t batch, bool flat, bool has_clusters, int most_rows, bool is_periodic,
                    InterfacePlan &plan) {
    using Tile = InterfaceTile<T>;
    constexpr int all_log = 7;  // of 128 threads
    const int least_systems_log = flat ? 0 : std::min(Tile::line_log, log2_up(batch));
    plan = {};
    plan.n = n, plan.is_periodic = is_periodic;
    const int64_t all_pairs = (n + 1) / 2;
    int lanes_log = 0;
    while ((all_pairs + (int64_t(1) << lanes_log) - 1) >> lanes_log > most_rows / 2) ++lanes_log;
    // Half a memory line of systems is faster than reading all rows twice.
    for (int systems_log = least_systems_log; systems_log >= std::max(0, least_systems_log - 1); --systems_log) {
        const int here = std::min(lanes_log, all_log - systems_log);
        if (lanes_log - here > (has_clusters ? most_parts_log : 0)) continue;
        plan.parts_log = lanes_log - here;
        plan.parts = 1 << plan.parts_log;
        plan.lanes_log = here;
        plan.systems_log = all_log - here;
        const int part_pairs = int((all_pairs + plan.parts - 1) >> plan.parts_log);
        plan.part_rows = 2 * part_pairs;
        // All threads get the most rows, and the last ones fewer, if an even division would save little.
        const bool nearly_most = flat && plan.part_rows * 4 >= plan.lanes() * most_rows * 3;
        plan.pairs = nearly_most ? most_rows / 2 : (part_pairs + plan.lanes() - 1) >> here;
        plan.by_pairs = SmallDivisor::of(plan.pairs);
        plan.by_system = SmallDivisor::of(n % 2 == 0 ? part_pairs : int(n));
        if (flat) {
            // As many of the bits as pairs are whole groups of; a memory line has line/2 pairs.
            int log = 0;
            while (log < Tile::line_log - 1 && plan.pairs % (2 << log) == 0) ++log;
            plan.swizzle = (1 << log) - 1, plan.swizzle_shift = Tile::line_log - 1 - log;
        } else {
            plan.swizzle = std::min(Tile::line, plan.systems()) - 1 & ~(Tile::together - 1);
        }
        return true;
    }
    return false;
}

// Plans longer systems, in segments that fit a block; returns their number, the smallest possible. If nearly all
// segments are resident at once, there are more of them, so that no multiprocessor is idle at the end.
template <class T>
int64_t plan_interface_segments(const Context &context, int64_t n, int64_t nrhs, int64_t batch, bool flat,
                                bool is_periodic, InterfacePlan &plan) {
    const int most_rows = most_rows_of_thread<T>(context);
    constexpr int64_t line = InterfaceTile<T>::line;
    const int64_t systems = flat ? 1 : std::min<int64_t>(line, int64_t(1) << log2_up(batch));
    const int64_t most = InterfacePlan::threads * most_rows / systems, least_tiles = (n - 1) / most + 1;
    const int64_t at_once = int64_t(context.multiprocessors) * InterfacePlan::resident;
    const int64_t units = ((batch - 1) / systems + 1) * nrhs, rounds = (least_tiles * units - 1) / at_once + 1;
    int64_t segments = least_tiles;
    if (rounds <= 2)
        segments = std::clamp(rounds * at_once / units, least_tiles, std::max(least_tiles, 2 * (n - 1) / most));
    plan_interface<T>((n - 1) / segments + 1, batch, flat, false, most_rows, is_periodic, plan);
    plan.n = n;
    return (n - 1) / plan.part_rows + 1;
}

}  // namespace xbatch::tridiagonal
