// gtsv_tuning.hpp: how the pivoting solver divides a batch among threads, blocks and clusters of a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "flat_plan.hpp"
#include "interface_plan.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Blocks of a cluster: on every device that has clusters, and on those that have larger ones
constexpr int most_parts_log = 3, large_parts_log = 4;
// Interleaved shifted and positive definite systems of a block: at least 2^-that of those of a memory line
constexpr int least_part_log = 2;

inline int log2_up(int64_t x) {
    int log = 0;
    while ((int64_t(1) << log) < x) ++log;
    return log;
}

// Whether the first elements of systems are at multiples of 16 bytes
template <class T>
bool is_aligned(const void *array, const Placement &at) {
    const int64_t planes = at.batch.stride[1] | at.batch.stride[2];
    return (reinterpret_cast<uintptr_t>(array) | uint64_t(at.origin | at.ld | planes) * sizeof(T)) % 16 == 0;
}
// Whether an array that is not FLAT can be loaded by 16 aligned bytes of adjacent ones of a block's `systems` systems
template <class T>
bool has_wide_systems(const void *array, const Placement &at, int systems) {
    if (!is_aligned<T>(array, at) || at.layout == XBATCH_LAYOUT_FLAT || systems * sizeof(T) < 16) return false;
    if (at.layout == strided_layout && (at.batch.stride[0] != 1 || uint64_t(at.step) * sizeof(T) % 16 != 0))
        return false;
    return at.layout == XBATCH_LAYOUT_INTERLEAVED || at.ld % systems == 0;
}
// The same of the three coefficients, and of all arrays
template <class T>
bool has_wide_coefficients(const GtsvProblem &p, int systems) {
    const auto is_wide = [&](const void *array) { return has_wide_systems<T>(array, p.a_at, systems); };
    return is_wide(p.dl) && is_wide(p.d) && is_wide(p.du);
}
template <class T>
bool has_wide_systems(const GtsvProblem &p, int systems) {
    return has_wide_coefficients<T>(p, systems) && has_wide_systems<T>(p.b, p.b_at, systems);
}
// Whether every array can be loaded by 16 aligned bytes of adjacent rows (FLAT) or systems of a block.
template <class T>
bool is_wide(const GtsvProblem &p, const InterfacePlan &plan, bool flat) {
    if (!flat) return has_wide_systems<T>(p, plan.systems());
    const auto is_wide_at = [&](const void *array, const Placement &at) {
        if (!is_aligned<T>(array, at) || plan.part_rows * sizeof(T) % 16 != 0) return false;
        return plan.lanes_log >= 5 || (at.ld == p.n && at.nrhs == 1);
    };
    return is_wide_at(p.dl, p.a_at) && is_wide_at(p.d, p.a_at) && is_wide_at(p.du, p.a_at) && is_wide_at(p.b, p.b_at);
}

// Most rows of a thread
template <class T>
int most_rows_of_thread(const Context &context) {
    constexpr int most = InterfaceTile<T>::most_rows;
    return context.run_rows > 0 ? std::clamp(context.run_rows & ~1, 2, most) : most;
}

// Plans systems that fit a block or a cluster of at most 2^parts_log blocks; false if they are longer.
template <class T>
bool plan_interface(int64_t n, int64_t batch, bool flat, int parts_log, int most_rows, bool is_periodic,
                    InterfacePlan &plan) {
    using Tile = InterfaceTile<T>;
    constexpr int all_log = 7;  // of 128 threads
    const int least_systems_log = flat ? 0 : std::min(Tile::line_log, log2_up(batch));
    plan = {};
    plan.n = n, plan.is_periodic = is_periodic;
    const int64_t all_pairs = (n + 1) / 2;
    int lanes_log = 0;
    while ((all_pairs + (int64_t(1) << lanes_log) - 1) >> lanes_log > most_rows / 2) ++lanes_log;
    // Half a memory line of systems is faster than reading all rows twice, and a large cluster than half a line.
    for (int systems_log = least_systems_log; systems_log >= std::max(0, least_systems_log - 1); --systems_log) {
        const int here = std::min(lanes_log, all_log - systems_log);
        if (lanes_log - here > (systems_log < least_systems_log ? std::min(parts_log, most_parts_log) : parts_log))
            continue;
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

// The same of kernels whose systems have any number of lanes
template <class T>
int most_rows_of_lane(const Context &context) {
    constexpr int most = FlatTile<T>::most_rows;
    return context.run_rows > 0 ? std::clamp(context.run_rows | 1, 3, most) : most;
}

// Most bytes of shared memory that a block takes
template <class T>
size_t most_bytes(const Context &context) {
    return size_t(std::min(FlatTile<T>::block_bytes, context.shared_per_block));
}

// Divides the right-hand sides of a matrix among blocks: at most this number each, as evenly as possible.
template <class Plan>
void divide_sides(int64_t nrhs, int most, Plan &plan) {
    plan.side_groups = int((nrhs - 1) / most + 1), plan.sides = int((nrhs - 1) / plan.side_groups + 1);
}
// Instructions of a thread, about: for a row, and for a join
inline double work_of_rows(int rows, int lanes, int sides) {
    constexpr int of_row = 110, of_join = 350, side_of_row = 20, side_of_join = 60;
    return rows * (of_row + (sides - 1) * side_of_row) +
           log2_up(std::min(lanes, 32)) * (of_join + (sides - 1) * side_of_join);
}
// Time for the work of all warps: r of them on a multiprocessor take sqrt(r) times as long as one, but up to four, one
// for each of its schedulers, no longer than one.
inline double time_of_warps(double work, double all, double resident) {
    const double at_once = std::clamp(all, 1.0, resident);
    return work * std::sqrt(std::max(at_once, 4.0)) * std::max(1.0, all / resident);
}

// Few systems are waited for: the most lanes of each, up to a warp, with which each scheduler has at most one warp
inline int few_lanes(const Context &context, int64_t systems) {
    constexpr int warp = 32, schedulers = 4;
    return int(std::min<int64_t>(warp, int64_t(warp * schedulers) * context.multiprocessors / systems));
}

// Finds the division of systems with contiguous rows among threads that takes the least time.
template <class T>
struct FlatPlanner {
    using Tile = FlatTile<T>;
    const Context &context;
    const GtsvProblem &p;
    FlatPlan best{};
    double least = 1e300;

    // Places systems in shared memory: at the distances in memory, if they are little apart there and threads of
    // different systems have few bank conflicts; otherwise without gaps, at distances that differ from those in memory
    // by whole 16-byte lines.
    void place(FlatPlan &plan) const {
        const int64_t b_step = p.b_at.ld * p.b_at.nrhs, a_step = p.a_at.ld;
        const int covered = plan.lanes * plan.rows, last_rows = plan.part_rows - (plan.lanes - 1) * plan.rows;
        const auto is_near = [&](int64_t step) {
            return step >= p.n && (step - p.n) * int(sizeof(T)) <= std::max<int64_t>(32, p.n * int(sizeof(T)) / 16) &&
                   most_on_a_bank(plan, int(step)) <= 32 / Tile::banks + 1;
        };
        plan.is_run = plan.sides == 1 && plan.per_warp > 0 && (plan.lanes == 1 || last_rows > 1) && is_near(a_step) &&
                      is_near(b_step);
        const auto stride = [&](int64_t step) {
            return plan.is_run ? int(step)
                               : covered + int(uint64_t(step) - uint64_t(covered) & uint64_t(Tile::line - 1));
        };
        plan.a_stride = stride(a_step), plan.b_stride = stride(b_step);
        const int elements = plan.systems() * std::max(plan.a_stride, plan.b_stride);
        plan.array = (elements + 2 * (Tile::line - 1)) / Tile::line * Tile::line;
    }
    static int most_on_a_bank(const FlatPlan &plan, int stride) {
        int on[Tile::banks] = {}, most = 0;
        for (int system = 0; system < plan.per_warp; ++system)
            for (int k = 0; k < plan.lanes; ++k)
                most = std::max(most, ++on[(system * stride + k * plan.rows) & Tile::banks - 1]);
        return most;
    }

    // A part by at most this number of threads
    void consider(FlatPlan plan, int threads) {
        constexpr int of_copy = 50, of_warp = 600, of_block = 1000;  // instructions, about
        plan.rows = std::max((plan.part_rows + threads - 1) / threads | 1, 3);
        plan.lanes = (plan.part_rows + plan.rows - 1) / plan.rows;
        plan.per_warp = plan.parts == 1 ? 32 / plan.lanes : 0;
        plan.warps = plan.per_warp > 0 ? 1 : (plan.lanes + 31) / 32;
        place(plan);
        const size_t bytes = flat_bytes<T>(plan) + 1024;  // of which the system takes 1 KB
        if (bytes > most_bytes<T>(context)) return;
        const int of_copies = plan.is_run ? 0 : of_copy * std::max(plan.per_warp, 1);
        const double work =
            work_of_rows(plan.rows, plan.lanes, plan.sides) + of_copies + of_warp + (plan.per_warp > 0 ? 0 : of_block);
        // Warps of a multiprocessor, at once and in all
        const double resident = std::min(Tile::most_warps(plan.sides), int(2 * Tile::block_bytes / bytes) * plan.warps);
        const double all = double((p.batch - 1) / plan.systems() + 1) *
                           double(plan.side_groups * plan.parts * plan.warps) / context.multiprocessors;
        const double time = time_of_warps(work, all, resident);
        if (time < least) least = time, best = plan;
    }
};

// Plans systems with contiguous rows that fit a warp, a block or a cluster, for at most this number of right-hand sides
// of a block; false if they are longer.
template <class T>
bool plan_flat(const Context &context, const GtsvProblem &p, bool is_periodic, int sides, FlatPlan &plan) {
    using Tile = FlatTile<T>;
    FlatPlanner<T> planner{context, p};
    const int most_rows = most_rows_of_lane<T>(context);
    plan = {};
    plan.n = p.n, plan.is_periodic = is_periodic;
    divide_sides(p.nrhs, sides, plan);
    plan.all_sides = p.batch * p.nrhs;
    const int most_log = plan.sides > 1 ? 0 : most_parts_log;
    for (; plan.parts_log <= most_log && planner.least == 1e300; ++plan.parts_log) {
        plan.parts = 1 << plan.parts_log;
        const int64_t part_rows = (p.n + plan.parts - 1) >> plan.parts_log;
        if (part_rows > int64_t(most_rows) * plan.most_threads()) continue;
        plan.part_rows = int(part_rows);
        const int fewest = (plan.part_rows + most_rows - 1) / most_rows, step = (fewest + 7) / 8;
        const int most = std::min(3 * fewest + 1, plan.most_threads());
        for (int threads = fewest; threads <= most; threads += step) planner.consider(plan, threads);
        // Others than whole lines would be copied by more instructions than more lanes save.
        const int few = plan.sides == 1 && p.n % Tile::line == 0 ? few_lanes(context, p.batch) : 0;
        for (int threads = most + 1; threads <= few; ++threads) planner.consider(plan, threads);
    }
    plan = planner.best;
    plan.by_lanes = SmallDivisor::of(std::max(plan.lanes, 1));
    return planner.least < 1e300;
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
    plan_interface<T>((n - 1) / segments + 1, batch, flat, 0, most_rows, is_periodic, plan);
    plan.n = n;
    return (n - 1) / plan.part_rows + 1;
}

}  // namespace xbatch::tridiagonal
