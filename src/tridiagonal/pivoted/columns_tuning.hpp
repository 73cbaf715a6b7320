// columns_tuning.hpp: how the pivoting solver divides interleaved systems among threads, blocks and clusters of a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv_tuning.hpp"

namespace xbatch::tridiagonal {

// Decides how a block copies its interleaved systems, by lines only if it may, and the least distance between their
// rows in shared memory.
template <class T>
void place_columns(const GtsvProblem &p, bool may_have_lines, ColumnsPlan &plan) {
    constexpr int line = FlatTile<T>::line;
    const int systems = plan.systems();
    const auto has_lines = [&](const Placement &at) {
        if (line == 1 || !may_have_lines || plan.b_is_wide || at.layout == XBATCH_LAYOUT_FLAT) return false;
        if (at.step + 1 < line) return false;  // a line of the second row may begin before the first one
        if (at.layout == XBATCH_LAYOUT_INTERLEAVED) return true;
        return at.ld % systems == 0 && (at.layout != strided_layout || at.batch.stride[0] == 1);
    };
    plan.a_is_wide = has_wide_coefficients<T>(p, systems);
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
    plan.swizzle_log = log2_up(line), plan.swizzle_shift = std::max(0, log2_up(FlatTile<T>::banks) - plan.systems_log);
    plan.by_lines_of_row = SmallDivisor::of((plan.systems() + line - 2) / line + 1);
}

// The most lanes of a phase that share a bank when each reads its first row
template <class T>
int most_on_a_bank(const ColumnsPlan &plan) {
    return most_on_a_bank<T>(plan.lanes * plan.per_warp, [&](int lane) {
        const int system = lane / plan.lanes, k = lane % plan.lanes;
        return (system ^ (k >> plan.swizzle_shift << plan.swizzle_log & plan.swizzle)) + k * plan.rows * plan.pitch;
    });
}
// Chooses by how many places, whole 16-byte lines, the systems of a row move from thread to thread, and returns
// most_on_a_bank().
template <class T>
int choose_swizzle(ColumnsPlan &plan) {
    int ways = most_on_a_bank<T>(plan);
    for (ColumnsPlan other = plan; ++other.swizzle_log < other.systems_log;)
        if (const int found = most_on_a_bank<T>(other); found < ways)
            plan.swizzle_log = other.swizzle_log, ways = found;
    return ways;
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

// Places the rows of a block in shared memory, at least this far from one to the next; returns most_on_a_bank().
template <class T>
int place_rows(ColumnsPlan &plan, int least_pitch) {
    constexpr int line = FlatTile<T>::line;
    const bool by_lines = plan.a_by_lines || plan.b_by_lines;
    const int ways = by_lines ? choose_pitch<T>(plan, least_pitch) : choose_swizzle<T>(plan);
    plan.tile_rows = std::max(plan.part_rows, (plan.lanes - 1) * plan.rows + 2);
    plan.array = (plan.tile_rows * plan.pitch + (by_lines ? 2 * line : line) - 1) / line * line;
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

// Whether time_of() is known: of general real systems, one right-hand side each, enough for several blocks on each
// multiprocessor, in float with rows that begin at multiples of 16 bytes
template <class T>
bool has_time(const Context &context, const GtsvProblem &p) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    constexpr int line = FlatTile<T>::banks;  // systems of a memory line
    return is_real && p.nrhs == 1 && !p.is_definite && !p.shift.is_given &&
           (sizeof(T) == 8 || has_wide_systems<T>(p, line)) && p.batch / line >= 4 * context.multiprocessors;
}
// Cycles, about, that a multiprocessor takes for its part of all systems
template <class T>
double time_of(const Context &context, const GtsvProblem &p, const ColumnsPlan &plan) {
    constexpr bool is_double = sizeof(T) == 8;
    constexpr int of_block = is_double ? 2000 : 600, of_row = is_double ? 210 : 150, of_join = is_double ? 740 : 200;
    constexpr int of_parts = 2300;                               // each time that their number doubles
    constexpr int per_warp = 600, per_row = 62, per_join = 230;  // instructions
    constexpr double reads = 14.0 / FlatTile<T>::banks;          // of shared memory, for a row of one system
    const double groups = double((p.batch - 1) / plan.systems() + 1) * plan.parts;
    const double all = groups * plan.warps / context.multiprocessors, resident = resident_warps<T>(plan);
    const double at_once = std::clamp(all, 1.0, resident);
    const double rows = at_once / plan.warps * plan.systems() * plan.part_rows;
    const int joins = log2_up(plan.lanes), conflicts = most_on_a_bank<T>(plan) - 1;
    // Of each row, in eighths of an element's bytes: copies by lines, or by elements through a first-level cache of
    // which shared memory leaves 60 or 28 KB
    const bool by_lines = plan.a_by_lines || plan.b_by_lines;
    const bool leaves_cache = resident / plan.warps * double(columns_bytes<T>(plan) + 1024) <= 196 * 1024;
    const double copies = by_lines ? 1.3 : plan.b_is_wide ? 0 : leaves_cache ? 0.8 : 2.5;
    const double half_lines = plan.systems() < FlatTile<T>::banks && all > resident ? 0.5 : 0;
    const double waiting = (reads * conflicts + (copies + half_lines) * sizeof(T) / 8) * rows;
    const double latency = of_block + of_row * plan.rows + of_join * joins + of_parts * plan.parts_log;
    const double issue = at_once / 4 * (per_warp + per_row * plan.rows + per_join * joins);
    return (latency + issue + waiting) * std::max(1.0, all / resident);
}

// Finds the division of interleaved systems that takes the least time.
template <class T>
struct ColumnsPlanner {
    using Tile = FlatTile<T>;
    const Context &context;
    const GtsvProblem &p;
    const int most_rows = most_rows_of_lane<T>(context);
    const bool is_timed = has_time<T>(context, p);
    ColumnsPlan one{}, best{};
    double least = 1e300;
    int least_pitch = 0;

    // A block's part of 2^systems_log systems, by this number of threads each
    void consider(int lanes, int rows) {
        constexpr int of_warp = 700, of_conflict = 30;  // instructions, about; the second of each row
        one.rows = rows;
        one.lanes = (one.part_rows + one.rows - 1) / one.rows;
        if (one.lanes != lanes) return;
        one.per_warp = 32 / lanes, one.warps = (one.systems() + one.per_warp - 1) / one.per_warp;
        const int ways = place_rows<T>(one, least_pitch);
        const size_t bytes = columns_bytes<T>(one) + 1024;
        if (bytes > most_bytes<T>(context, p, one) || one.warps > Tile::most_warps(one.sides)) return;
        const int conflicts = one.a_by_lines || one.b_by_lines ? ways - 1 : 0;
        const double work = work_of_rows(one.rows, lanes, one.sides) + of_conflict * conflicts * one.rows + of_warp;
        const double resident = resident_warps<T>(one);
        const double all = double((p.batch - 1) / one.systems() + 1) * double(one.side_groups * one.parts * one.warps) /
                           context.multiprocessors;
        const double time = is_timed ? time_of<T>(context, p, one) : time_of_warps(work, all, resident);
        if (time < least) least = time, best = one;
    }
    // By the fewest rows of a thread, odd ones where rows do not fill all banks, or by more if these have fewer
    // conflicts
    void consider_rows(int lanes) {
        const int fewest = std::max((one.part_rows + lanes - 1) / lanes, 3);
        const bool by_lines = one.a_by_lines || one.b_by_lines;
        if (!is_timed || !by_lines)
            return consider(lanes, is_timed && one.systems() >= Tile::banks ? fewest : fewest | 1);
        for (int rows = fewest; rows <= std::min(fewest + 7, most_rows); ++rows) {
            consider(lanes, rows);
            if (one.lanes == lanes && most_on_a_bank<T>(one) == 1) return;
        }
        const int odd = fewest | 1;  // with fewer threads
        consider((one.part_rows + odd - 1) / odd, odd);
    }
    // With this number of systems in a block, and the fewest lanes that have all rows of each
    void consider_all(int systems_log, int fewest) {
        one.systems_log = systems_log;
        // In clusters of whole memory lines copies by elements may be faster than conflicts or fewer blocks.
        const bool has_choice = one.parts > 1 && systems_log >= log2_up(Tile::banks);
        for (const bool by_lines : {true, false}) {
            if (has_choice ? by_lines && !is_timed : !by_lines) continue;
            place_columns<T>(p, by_lines, one);
            least_pitch = one.pitch;
            // Powers of two have the fewest bank conflicts.
            const int first = is_timed ? 1 << log2_up(fewest) : fewest;
            for (int lanes = first; lanes <= std::min(32, 3 * fewest + 1); lanes += is_timed ? lanes : 1)
                consider_rows(lanes);
        }
    }
};

// Plans interleaved systems, a memory line or two of which, or a part of one, fit a block or a cluster; false if they
// are longer, for at most `sides` right-hand sides of a block, which has 2^-part_log lines. Several follow one
// elimination in a cluster only by half a line or less.
template <class T>
bool plan_columns(const Context &context, const GtsvProblem &p, bool is_periodic, int sides, int part_log,
                  ColumnsPlan &plan) {
    using Tile = FlatTile<T>;
    ColumnsPlanner<T> planner{context, p};
    ColumnsPlan &one = planner.one;
    one.n = p.n, one.is_periodic = is_periodic;
    divide_sides(p.nrhs, sides, one);
    const int line_log = log2_up(Tile::banks);  // of systems in a memory line
    // Few systems take the least time with one block a multiprocessor, if each then fits a block.
    int few_log = line_log;
    while (one.sides == 1 && 1 << few_log > Tile::line && (p.batch - 1) >> (few_log - 1) < context.multiprocessors)
        --few_log;
    const int most_parts = context.has_clusters && (one.sides == 1 || part_log > 0) ? 1 << most_parts_log : 1;
    for (one.parts = 1; one.parts <= most_parts && planner.least == 1e300; one.parts *= 2, ++one.parts_log) {
        const int64_t part_rows = (p.n + one.parts - 1) >> one.parts_log;
        if (part_rows > 32 * planner.most_rows) continue;
        one.part_rows = int(part_rows);
        const int fewest = (one.part_rows + planner.most_rows - 1) / planner.most_rows;
        if (one.parts == 1 && few_log < line_log) planner.consider_all(few_log, fewest);
        if (planner.least < 1e300) break;
        int systems_log = line_log - part_log;
        while (one.parts == 1 && fewest << systems_log <= 16) ++systems_log;  // else half of the warp is idle
        planner.consider_all(systems_log, fewest);
    }
    if (planner.least == 1e300) return false;
    plan = planner.best;
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

// Half a memory line of systems in a block or a cluster, instead of a line in a cluster of more blocks: where that
// takes less time, or about the same with more resident warps, of complex systems where more warps are then resident,
// and always in complex double, whose clusters have few rows each
template <class T>
void prefer_half_lines(const Context &context, const GtsvProblem &p, bool is_periodic, ColumnsPlan &plan) {
    if (plan.parts == 1 || plan.systems() < FlatTile<T>::banks) return;
    ColumnsPlan half;
    if (!plan_columns<T>(context, p, is_periodic, 1, 1, half)) return;
    const bool has_more_warps = resident_warps<T>(half) > resident_warps<T>(plan);
    const double about = has_more_warps ? 1.03 : 1;
    const bool is_faster =
        has_time<T>(context, p) ? time_of<T>(context, p, half) < about * time_of<T>(context, p, plan) : has_more_warps;
    if (sizeof(T) == 16 || is_faster) plan = half;
}
template <class T>
void prefer_half_lines(const Context &, const GtsvProblem &, bool, FlatPlan &) {}

}  // namespace xbatch::tridiagonal
