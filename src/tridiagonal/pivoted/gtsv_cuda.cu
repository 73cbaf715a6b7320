// gtsv_cuda.cu: launches the pivoting solver for open and periodic systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "gtsv_tuning.hpp"
#include "interface_tree.cuh"
#include "tridiagonal/nopivot/segment_windows.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T, bool FLAT, TwoPortJob JOB>
xbatchStatus_t launch_blocks(Context &context, const GtsvProblem &p, TwoPortPlan plan, const TwoPortTiles<T> &tiles) {
    plan.is_wide = is_wide<T>(p, plan, FLAT);
    // Worth its instructions where the threads of a system wait for each other most
    if (p.nrhs == 1 && plan.lanes_log > 5) plan.ahead = context.multiprocessors / plan.parts;
    const int64_t groups = ((p.batch - 1) >> plan.systems_log) + 1;
    const int64_t blocks = groups * p.nrhs * plan.parts * tiles.tiles;
    Launch launch(context, blocks, TwoPortPlan::threads, twoport_bytes<T, FLAT>(plan));
    if (JOB == TwoPortJob::CLUSTER) launch.cluster(plan.parts);
    if (JOB == TwoPortJob::SOLVE || (JOB == TwoPortJob::CONDENSE && tiles.open)) launch.dependent();
    return launch(twoport_block<T, FLAT, JOB>, "twoport_block", p, plan, tiles);
}

// Where the relations of long systems lie: those of the tiles, and of the levels above them.
template <class T>
struct LongPlan {
    int32_t *open;  // as TwoPortTiles has it
    LevelTree<TwoPortLevel<T>> tree;

    LongPlan(Carver &carver, const GtsvProblem &p, int64_t tiles) : open(carver.take<int32_t>(p.batch)) {
        tree.carve(carver, p.batch * p.nrhs, tiles);
        for (TwoPortLevel<T> &level : tree.level) level.nrhs = p.nrhs;
    }
    // From now on levels work on the systems alone that windows leave open.
    void have_windows() {
        for (TwoPortLevel<T> &level : tree.level) level.open = open;
    }
};

// A cut before every tile, and one behind the last: what is outside a tile becomes known, where Known has it.
template <class T>
struct TwoPortCuts {
    unsigned of_system;
    int64_t n, nrhs, tile_rows;
    TwoPortTiles<T> tiles;

    __device__ int64_t row(unsigned m) const { return min(n, m * tile_rows); }
    __device__ void keep(int64_t j, int64_t r, unsigned m, const AtCut<T> &found) const {
        T *const behind = tiles.relations + ((j * nrhs + r) * tiles.tiles + m) * TwoPortTiles<T>::values;
        T *const before = behind - TwoPortTiles<T>::values;
        if (m < tiles.tiles) behind[0] = found.last;
        if (m > 0) before[3] = found.first;
    }
};

// Two passes over the rows; where windows are enough they replace the first.
template <class T, bool FLAT>
xbatchStatus_t solve_long(Context &context, const GtsvProblem &p, bool is_ring, void *workspace) {
    TwoPortPlan plan;
    const int64_t tiles = plan_twoport_tiles<T>(context, p.n, p.nrhs, p.batch, FLAT, is_ring, plan);
    Carver carver(workspace);
    LongPlan<T> levels(carver, p, tiles);
    const LevelTree<TwoPortLevel<T>> &tree = levels.tree;
    TwoPortTiles<T> rows = {unsigned(tiles), tree.level[0].relations, nullptr};
    XBATCH_TRY(check_blocks(context, p.batch * p.nrhs * tree.level[0].groups));
    if (FLAT && !is_ring && plan.systems_log == 0 && has_windows(p)) {
        const TwoPortCuts<T> cuts{unsigned(tiles) + 1, p.n, p.nrhs, plan.part_rows, rows};
        XBATCH_TRY(launch_windows<T>(context, p, cuts, levels.open));
        rows.open = levels.open;
        levels.have_windows();
    }
    XBATCH_TRY(launch_blocks<T, FLAT, TwoPortJob::CONDENSE>(context, p, plan, rows));
    const auto warps = [&](const TwoPortLevel<T> &level) {
        return Launch(context, level.units * level.groups, 32).dependent();
    };
    const int top = tree.count - 1;
    for (int l = 0; l < top; ++l)
        XBATCH_TRY(warps(tree.level[l])(twoport_condense<T>, "twoport_condense", tree.level[l]));
    for (int l = top; l >= 0; --l) {
        const auto expand = l == top ? twoport_expand<T, true> : twoport_expand<T, false>;
        XBATCH_TRY(warps(tree.level[l])(expand, "twoport_expand", tree.level[l], is_ring, p.n, p.info));
    }
    return launch_blocks<T, FLAT, TwoPortJob::SOLVE>(context, p, plan, rows);
}

template <class T, bool FLAT>
xbatchStatus_t solve(Context &context, const GtsvProblem &p, bool is_ring, void *workspace) {
    TwoPortPlan plan;
    XBATCH_TRY(clear_info(context, p.info, p.batch, p.nrhs > 1));
    if (!plan_twoport<T>(p.n, p.batch, FLAT, context.has_clusters, most_rows_of_thread<T>(context), is_ring, plan))
        return solve_long<T, FLAT>(context, p, is_ring, workspace);
    const TwoPortTiles<T> none = {1, nullptr, nullptr};
    return plan.parts > 1 ? launch_blocks<T, FLAT, TwoPortJob::CLUSTER>(context, p, plan, none)
                          : launch_blocks<T, FLAT, TwoPortJob::BLOCK>(context, p, plan, none);
}

template <class T>
size_t workspace_for(const Context &context, const GtsvProblem &p, bool flat) {
    TwoPortPlan plan;
    if (plan_twoport<T>(p.n, p.batch, flat, context.has_clusters, most_rows_of_thread<T>(context), false, plan))
        return 0;
    Carver carver(nullptr);
    LongPlan<T>(carver, p, plan_twoport_tiles<T>(context, p.n, p.nrhs, p.batch, flat, false, plan));
    return carver.bytes();
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return is_flat(p) ? solve<T, true>(context, p, false, workspace) : solve<T, false>(context, p, false, workspace);
}
// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t gtsv_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t flat = workspace_for<T>(context, p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_for<T>(context, p, false));
}
template <class T>
xbatchStatus_t periodic_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return is_flat(p) ? solve<T, true>(context, p, true, workspace) : solve<T, false>(context, p, true, workspace);
}
template <class T>
size_t periodic_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return gtsv_cuda_workspace<T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(gtsv_cuda);
XBATCH_INSTANTIATE_BACKEND(periodic_cuda);

}  // namespace xbatch::tridiagonal
