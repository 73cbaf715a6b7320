// sides_launch.cuh: launches the P-scheme where several right-hand sides follow the elimination of one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cluster_sides.cuh"
#include "core/launch.cuh"

namespace xbatch::tridiagonal {

// Blocks or clusters of `systems` systems each
template <class Problem>
int64_t count_units(const Problem &p, int systems, SidesPlan &plan) {
    const int64_t others = plan.apart > 0 ? p.batch - plan.columns * plan.systems : 0;
    plan.blocks = ((plan.systems - 1) / systems + 1) * plan.groups;
    return plan.blocks + (others + systems - 1) / systems;
}

template <class T, bool FLAT, class Problem>
xbatchStatus_t launch_sides(Context &context, const Problem &p, const BlockChoice &choice, SidesPlan plan,
                            int64_t entries) {
    constexpr int R = SidesTuning<T>::rows, K = SidesTuning<T>::columns;
    const int64_t blocks = count_units(p, choice.systems, plan);
    BlockShape shape = block_shape(choice.systems, choice.chunks, FLAT);
    if (choice.systems > shape.per_warp * (choice.threads / 32)) shape.per_warp = 0;
    XBATCH_TRY(check_blocks(context, blocks));
    XBATCH_TRY(clear_info(context, p.info, entries, plan.writers > 1));
    return Launch(context, blocks, choice.threads, sides_kernel_bytes<T, R, K, FLAT>(choice.threads))(
        pscheme_sides<T, R, K, FLAT, Problem>, "pscheme_sides", p, shape, plan);
}

template <class T, class Problem>
xbatchStatus_t launch_cluster_sides(Context &context, const Problem &p, const ClusterChoice &choice, SidesPlan plan,
                                    int64_t entries) {
    constexpr int R = SidesTuning<T>::rows, K = SidesTuning<T>::columns;
    const int64_t blocks = count_units(p, choice.systems, plan) * choice.parts;
    const int threads = round_up(choice.chunks * choice.systems, 32);
    XBATCH_TRY(check_blocks(context, blocks));
    XBATCH_TRY(clear_info(context, p.info, entries));
    return Launch(context, blocks, threads, ClusterSides<T, K>::bytes(threads, choice.systems, choice.parts))
        .cluster(choice.parts)(cluster_sides<T, R, K, Problem>, "cluster_sides", p,
                               block_shape(choice.systems, choice.chunks, false), plan, choice.parts);
}

// Solves, and sets `status`, where several right-hand sides can follow one elimination; otherwise returns false.
template <class T, class Problem>
bool solve_sides(Context &context, const Problem &problem, xbatchStatus_t &status) {
    Problem p = problem;
    const bool flat = is_flat(p);
    SidesPlan plan;
    if (!plan_sides<T>(p, flat, plan)) return false;
    const BlockChoice block = flat ? choose_flat_sides<T>(p.n) : choose_lane_sides<T>(p.n, plan.systems);
    if (!flat && context.has_clusters)
        if (const ClusterChoice cluster = choose_cluster_sides<T>(block, p.n, plan.systems); cluster.fits) {
            status = launch_cluster_sides<T>(context, p, cluster, plan, problem.batch);
            return true;
        }
    if (!block.fits) return false;
    status = flat ? launch_sides<T, true>(context, p, block, plan, problem.batch)
                  : launch_sides<T, false>(context, p, block, plan, problem.batch);
    return true;
}

}  // namespace xbatch::tridiagonal
