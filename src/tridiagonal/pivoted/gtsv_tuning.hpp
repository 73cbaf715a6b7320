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
// Whether every array can be loaded by 16 aligned bytes of adjacent rows (FLAT) or systems of a block.
template <class T>
bool is_wide(const GtsvProblem &p, const InterfacePlan &plan, bool flat) {
    const auto is_wide_at = [&](const void *array, const Placement &at) {
        if (!flat) return has_wide_systems<T>(array, at, plan.systems());
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

// Decides how a block copies its interleaved systems, and the least distance between their rows in shared memory.
template <class T>
void place_columns(const GtsvProblem &p, ColumnsPlan &plan) {
    constexpr int line = FlatTile<T>::line;
    const int systems = plan.systems();
    const auto has_lines = [&](const Placement &at) {
        if (line == 1 || plan.b_is_wide || at.layout == XBATCH_LAYOUT_FLAT) return false;
        if (at.step + 1 < line) return false;  // a line of the second row may begin before the first one
        if (plan.parts > 1 && systems >= FlatTile<T>::banks) return false;
        if (at.layout == XBATCH_LAYOUT_INTERLEAVED) return true;
        return at.ld % systems == 0 && (at.layout != strided_layout || at.batch.stride[0] == 1);
    };
    const auto a_is_wide = [&](const void *array) { return has_wide_systems<T>(array, p.a_at, systems); };
    plan.a_is_wide = a_is_wide(p.dl) && a_is_wide(p.d) && a_is_wide(p.du);
    plan.b_is_wide = has_wide_systems<T>(p.b, p.b_at, systems);
    // Of arrays at different distances from lines, one is copied by elements; but FLAT coefficients always are.
    if (p.a_at.layout != XBATCH_LAYOUT_FLAT) plan.a_is_wide = plan.b_is_wide = plan.a_is_wide && plan.b_is_wide;
    plan.a_by_lines = has_lines(p.a_at);
    plan.b_by_lines = has_lines(p.b_at) && (!plan.a_by_lines || (p.a_at.step - p.b_at.step) % line == 0);
    const bool by_lines = plan.a_by_lines || plan.b_by_lines;
    const int rest = int((plan.a_by_lines ? p.a_at : p.b_at).step % line);  // strides are positive
    // So that rows share no 16-byte line
    plan.pitch = plan.systems() + (by_lines ? (rest == line - 1 ? rest : rest + line) : 0);
    plan.swizzle = by_lines ? 0 : plan.systems() - 1;
    plan.swizzle_shift = std::max(0, log2_up(FlatTile<T>::banks) - plan.systems_log);
    plan.by_lines_of_row = SmallDivisor::of((plan.systems() + line - 2) / line + 1);
}

// The most lanes of a phase that share a bank when each reads its first row
template <class T>
int most_on_a_bank(const ColumnsPlan &plan) {
    return most_on_a_bank<T>(plan.lanes * plan.per_warp,
                             [&](int lane) { return lane / plan.lanes + lane % plan.lanes * plan.rows * plan.pitch; });
}
// Chooses among distances of rows that differ by whole 16-byte lines from the least, and returns most_on_a_bank().
template <class T>
int choose_pitch(ColumnsPlan &plan, int least) {
    constexpr int line = FlatTile<T>::line;
    plan.pitch = least;
    int ways = most_on_a_bank<T>(plan);
    for (ColumnsPlan other = plan; other.pitch < least + 3 * line;) {
        other.pitch += line;
        if (const int found = most_on_a_bank<T>(other); found < ways) plan.pitch = other.pitch, ways = found;
    }
    return ways;
}

// Warps that are resident on a multiprocessor
template <class T>
int resident_warps(const ColumnsPlan &plan) {
    const size_t bytes = columns_bytes<T>(plan) + 1024;  // of which the system takes 1 KB
    return std::min(FlatTile<T>::most_warps(plan.sides), int(2 * FlatTile<T>::block_bytes / bytes) * plan.warps);
}
// Most bytes of shared memory that a block of interleaved systems takes: all, if each has a multiprocessor
template <class T>
size_t most_bytes(const Context &context, const GtsvProblem &p, const ColumnsPlan &plan) {
    const bool are_few =
        plan.sides == 1 && plan.parts == 1 && (p.batch - 1) >> plan.systems_log < context.multiprocessors;
    return are_few ? size_t(context.shared_per_block) : most_bytes<T>(context);
}

// Plans interleaved systems, a memory line or two of which, or a part of one, fit a block or a cluster; false if they
// are longer, for at most `sides` right-hand sides of a block, which has 2^-part_log lines. Several follow one
// elimination in a cluster only by half a line or less.
template <class T>
bool plan_columns(const Context &context, const GtsvProblem &p, bool is_periodic, int sides, int part_log,
                  ColumnsPlan &plan) {
    using Tile = FlatTile<T>;
    const int most_rows = most_rows_of_lane<T>(context);
    double least = 1e300;
    int least_pitch = 0;
    ColumnsPlan one{};
    one.n = p.n, one.is_periodic = is_periodic;
    divide_sides(p.nrhs, sides, one);
    // A block's part of 2^systems_log systems, by this number of threads each
    const auto consider = [&](int lanes) {
        constexpr int of_warp = 700, of_conflict = 30;  // instructions, about; the second of each row
        one.rows = std::max((one.part_rows + lanes - 1) / lanes | 1, 3);
        one.lanes = (one.part_rows + one.rows - 1) / one.rows;
        if (one.lanes != lanes) return;
        one.per_warp = 32 / lanes, one.warps = (one.systems() + one.per_warp - 1) / one.per_warp;
        const bool by_lines = one.a_by_lines || one.b_by_lines;  // otherwise a swizzle avoids conflicts
        const int ways = by_lines ? choose_pitch<T>(one, least_pitch) : 1;
        one.array = one.lanes * one.rows * one.pitch + (by_lines ? Tile::line : 0);
        one.array = (one.array + Tile::line - 1) / Tile::line * Tile::line;
        const size_t bytes = columns_bytes<T>(one) + 1024;
        if (bytes > most_bytes<T>(context, p, one) || one.warps > Tile::most_warps(one.sides)) return;
        const double work = work_of_rows(one.rows, lanes, one.sides) + of_conflict * (ways - 1) * one.rows + of_warp;
        const double resident = resident_warps<T>(one);
        const double all = double((p.batch - 1) / one.systems() + 1) * double(one.side_groups * one.parts * one.warps) /
                           context.multiprocessors;
        const double time = time_of_warps(work, all, resident);
        if (time < least) least = time, plan = one;
    };
    // With this number of systems in a block, and the fewest lanes that have all rows of each
    const auto consider_all = [&](int systems_log, int fewest) {
        one.systems_log = systems_log;
        place_columns<T>(p, one);
        least_pitch = one.pitch;
        for (int lanes = fewest; lanes <= std::min(32, 3 * fewest + 1); ++lanes) consider(lanes);
    };
    const int line_log = log2_up(Tile::banks);  // of systems in a memory line
    // Few systems take the least time with one block a multiprocessor, if each then fits a block.
    int few_log = line_log;
    while (one.sides == 1 && 1 << few_log > Tile::line && (p.batch - 1) >> (few_log - 1) < context.multiprocessors)
        --few_log;
    const int most_parts = context.has_clusters && (one.sides == 1 || part_log > 0) ? 1 << most_parts_log : 1;
    for (one.parts = 1; one.parts <= most_parts && least == 1e300; one.parts *= 2, ++one.parts_log) {
        const int64_t part_rows = (p.n + one.parts - 1) >> one.parts_log;
        if (part_rows > 32 * most_rows) continue;
        one.part_rows = int(part_rows);
        const int fewest = (one.part_rows + most_rows - 1) / most_rows;
        if (one.parts == 1 && few_log < line_log) consider_all(few_log, fewest);
        if (least < 1e300) break;
        int systems_log = line_log - part_log;
        while (one.parts == 1 && fewest << systems_log <= 16) ++systems_log;  // else half of the warp is idle
        consider_all(systems_log, fewest);
    }
    if (least == 1e300) return false;
    plan.by_lanes = SmallDivisor::of(plan.lanes), plan.by_rows = SmallDivisor::of(plan.rows);
    return true;
}

// Plans each right-hand side by itself; false if this is not supported. Interleaved ones may
// have 2^-most_log of the systems of a memory line in a block, if no more fit. Positive definite ones are faster by
// half a line in a block or a cluster than by a line in a cluster.
template <class T>
bool plan_lanes(const Context &context, const GtsvProblem &p, bool is_periodic, FlatPlan &plan, int = 0) {
    return context.has_clusters && plan_flat<T>(context, p, is_periodic, 1, plan);
}
template <class T>
bool plan_lanes(const Context &context, const GtsvProblem &p, bool is_periodic, ColumnsPlan &plan, int most_log = 0) {
    for (int part_log = 0; part_log <= most_log; ++part_log)
        if (plan_columns<T>(context, p, is_periodic, 1, part_log, plan) &&
            !(p.is_definite && part_log == 0 && plan.parts > 1))
            return true;
    return false;
}

// Half a memory line of systems in a block or a cluster, instead of a line in a cluster of more blocks: where more
// warps are then resident, and always in complex double, whose clusters have few rows each
template <class T>
void prefer_half_lines(const Context &context, const GtsvProblem &p, bool is_periodic, ColumnsPlan &plan) {
    if (plan.parts == 1 || plan.systems() < FlatTile<T>::banks) return;
    ColumnsPlan half;
    if (!plan_columns<T>(context, p, is_periodic, 1, 1, half)) return;
    if (sizeof(T) == 16 || resident_warps<T>(half) > resident_warps<T>(plan)) plan = half;
}
template <class T>
void prefer_half_lines(const Context &, const GtsvProblem &, bool, FlatPlan &) {}

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
