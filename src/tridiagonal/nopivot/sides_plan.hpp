// sides_plan.hpp: how the right-hand sides of matrices that fit a block are divided among threads and blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "nopivot_tuning.hpp"

namespace xbatch::tridiagonal {

// A thread's rows of the matrix and of the columns that follow its elimination take up to 448 bytes of registers.
template <class T>
struct SidesTuning {
    static constexpr int columns = sizeof(T) == 16 ? 3 : 4;  // of a thread, at most
    static constexpr int rows = 64 / int(sizeof(T));         // of a thread
    static constexpr int most_threads = 384;                 // of a block, and resident on a multiprocessor
    static constexpr int cluster_threads = 192;              // of a block of a cluster, at most
    static constexpr int cluster_blocks = 2;                 // of them on a multiprocessor
    static constexpr double lone_block = 0.6, pair = 0.9;    // fewer blocks overlap loads with computation less
    static constexpr double in_warp = 1.25;                  // where warps do not wait for others
};

// The blocks of a launch, in this order: `blocks` for systems with several columns, then, if all systems have one
// matrix, those for the systems left over, with one column each.
struct SidesPlan {
    int64_t systems;    // with several columns
    int64_t columns;    // of such a system
    int64_t groups;     // into which they are divided, one for a block
    int64_t larger;     // groups with of_group + 1 columns, the first ones
    int64_t stride;     // from a column to the next in b
    int64_t apart;      // one matrix: column k of system j is the right-hand side of system j + k*apart; otherwise 0
    int64_t of_system;  // the caller's right-hand sides of a system; one matrix: systems that share an entry of info
    int64_t writers;    // blocks or threads that report to an entry of info
    int64_t blocks;
    int of_group;  // columns of the other groups
};

// Of contiguous rows: the threads with the most resident lanes that have rows
template <class T>
BlockChoice choose_flat_sides(int64_t n) {
    using Tuning = SidesTuning<T>;
    constexpr int rows = Tuning::rows, block_threads = PschemeTuning<T>::block_threads;
    if (n > int64_t(rows) * Tuning::most_threads) return {};
    const int chunks = ceil_div(n, rows), most_systems = chunks <= 32 ? 32 / chunks * (block_threads / 32) : 0;
    BlockChoice best{rows, chunks, most_systems, block_threads, true};
    double best_worth = Tuning::in_warp * most_systems * (Tuning::most_threads / block_threads);
    for (int threads = std::max(block_threads * (chunks <= 32), round_up(chunks, 32)); threads <= Tuning::most_threads;
         threads += 32) {
        const int resident = Tuning::most_threads / threads, systems = threads / chunks;
        const double overlap = resident == 1 ? Tuning::lone_block : resident == 2 ? Tuning::pair : 1;
        const double worth = resident * systems * overlap;
        if (worth > best_worth) best = {rows, chunks, systems, threads, true}, best_worth = worth;
    }
    return best;
}

// Of interleaved systems: at least a memory line of them, if the batch has as many
template <class T>
BlockChoice choose_lane_sides(int64_t n, int64_t batch) {
    using Tuning = SidesTuning<T>;
    constexpr int rows = Tuning::rows;
    int systems = systems_of_line<T>(batch);
    if (n > int64_t(rows) * (Tuning::most_threads / systems)) return {};
    const int chunks = ceil_div(n, rows);
    const auto is_small = [&] {
        return chunks * systems < PschemeTuning<T>::block_threads && 2 * chunks * systems <= Tuning::cluster_threads;
    };
    while (is_small() && systems < batch) systems *= 2;
    return {rows, chunks, systems, round_up(chunks * systems, 32), true};
}

// Of interleaved systems that would take a multiprocessor for one block, or do not fit one: as choose_cluster
template <class T>
ClusterChoice choose_cluster_sides(const BlockChoice &block, int64_t n, int64_t batch) {
    using Tuning = SidesTuning<T>;
    if (block.fits && block.threads <= Tuning::cluster_threads) return {};
    const int line = systems_of_line<T>(batch);
    ClusterChoice best{};
    double best_worth = 0;
    for (int systems = line; systems > 0 && systems >= line / 2; systems /= 2)
        for (int parts = 2; parts <= ClusterTuning<T>::most_parts; ++parts) {
            const int chunks = ceil_div(n, int64_t(Tuning::rows) * parts);
            if (chunks * systems > Tuning::cluster_threads) continue;
            const ClusterChoice choice = {ceil_div(n, int64_t(Tuning::rows) * chunks), chunks, systems, true};
            const double worth = worth_of_cluster<T>(choice, n, Tuning::rows, false, line);
            if (worth > best_worth) best = choice, best_worth = worth;
        }
    return best;
}

// Systems of one matrix are the columns of others; `unit` of them are adjacent in memory.
template <class Problem>
SidesPlan plan_one_matrix(const Problem &p, int64_t unit, int64_t columns) {
    const int64_t apart = p.batch / columns / unit * unit;
    const bool is_flat = p.b_at.layout == XBATCH_LAYOUT_FLAT,
               is_interleaved = p.b_at.layout == XBATCH_LAYOUT_INTERLEAVED;
    SidesPlan plan{};
    plan.systems = plan.apart = apart, plan.columns = columns;
    plan.groups = 1;
    plan.stride = apart * (is_flat ? p.b_at.ld : is_interleaved ? 1 : p.n);
    return plan;
}

// Plans for systems with several right-hand sides, or for several systems of one matrix, without `blocks`. False where
// there are no columns. The right-hand sides of one FLAT matrix become systems of `p`.
template <class T, class Problem>
bool plan_sides(Problem &p, bool flat, SidesPlan &plan) {
    constexpr int64_t most = SidesTuning<T>::columns;
    const bool is_one = p.a_at.ld == 0 || p.batch == 1;
    const auto layout = p.b_at.layout;
    const bool are_adjacent = layout == XBATCH_LAYOUT_INTERLEAVED || layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    const int64_t of_system = p.nrhs;
    if (flat && is_one) p.batch *= p.nrhs, p.nrhs = p.b_at.nrhs = 1, p.a_at.ld = 0;
    plan = {};
    if (p.nrhs > 1) {
        plan.systems = p.batch, plan.columns = p.nrhs;
        plan.groups = (p.nrhs - 1) / most + 1;
        plan.larger = p.nrhs % plan.groups, plan.stride = p.b_at.ld * (layout == XBATCH_LAYOUT_FLAT ? 1 : p.n);
    } else if (is_one && (flat || are_adjacent)) {
        const int64_t unit = flat                                  ? 1
                             : layout == XBATCH_LAYOUT_INTERLEAVED ? PschemeTuning<T>::line_systems
                                                                   : p.b_at.ld;
        plan = plan_one_matrix(p, unit, std::min(most, p.batch));
    }
    plan.of_system = of_system;
    if (plan.systems == 0 || plan.columns == 1) return false;
    plan.of_group = int(plan.columns / plan.groups), plan.writers = plan.apart > 0 ? of_system : plan.groups;
    return true;
}

}  // namespace xbatch::tridiagonal
