// ptsv_cuda.cu: solves positive definite systems, from the caller's coefficients or from kept ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "core/level_tree.hpp"
#include "spd_factors.cuh"
#include "spd_segments.cuh"
#include "tridiagonal/nopivot/block_launch.cuh"
#include "tridiagonal/nopivot/pscheme_kernels.cuh"

namespace xbatch::tridiagonal {
namespace {

// Of a tile of a long system: many rows a thread, for the tree above them takes as long as many rows.
template <class T>
constexpr int tile_rows = PschemeTuning<T>::most_rows;  // a thread
constexpr int tile_threads = 128;                       // a block
constexpr int tile_blocks = 3;                          // of them on a multiprocessor

// The tiles of long systems, and the levels of relations above them
template <class T>
struct LongPlan {
    SpdTiles<T> tiles{};
    LevelTree<SpdLevel<T>> tree;
    int64_t blocks;  // of tiles
    size_t bytes;

    template <class Problem>
    LongPlan(const Problem &p, bool flat, void *workspace) {
        const int systems = flat ? 1 : systems_of_line<T>(p.batch);
        tiles.shape = block_shape(systems, tile_threads / systems, flat);
        const int64_t rows = int64_t(tile_rows<T>) * tiles.shape.chunks;
        tiles.tiles = (p.n - 1) / rows + 1;
        blocks = ((p.batch - 1) / systems + 1) * tiles.tiles * p.nrhs;
        Carver carver(workspace);
        tree.carve(carver, p.batch * p.nrhs, tiles.tiles);
        tiles.relations = tree.level[0].relations;
        bytes = carver.bytes();
    }
};

template <class T, bool PARTS>
xbatchStatus_t launch_level(Context &context, const PtsvProblem &p, const SpdLevel<T> &level) {
    const int threads = int(std::min<int64_t>(SpdLevel<T>::threads, (level.count + 31) / 32 * 32));
    return Launch(context, level.units * level.groups, threads)(spd_level<T, PARTS>, "spd_level", p, level);
}

template <class T, bool FLAT, bool SOLVES>
xbatchStatus_t launch_tiles(Context &context, const PtsvProblem &p, const LongPlan<T> &plan) {
    return Launch(context, plan.blocks, tile_threads)(
        spd_tile<T, tile_rows<T>, FLAT, tile_threads, tile_blocks, SOLVES>, "spd_tile", p, plan.tiles);
}

template <class T, bool FLAT>
xbatchStatus_t solve_long(Context &context, const PtsvProblem &p, void *workspace) {
    const LongPlan<T> plan(p, FLAT, workspace);
    const LevelTree<SpdLevel<T>> &tree = plan.tree;
    XBATCH_TRY(check_blocks(context, std::max(plan.blocks, tree.level[0].units * tree.level[0].groups)));
    XBATCH_TRY(clear_info(context, p.info, p.batch));
    XBATCH_TRY(launch_tiles<T, FLAT, false>(context, p, plan));
    const int top = tree.count - 1;
    for (int l = 0; l < top; ++l) XBATCH_TRY(launch_level<T, false>(context, p, tree.level[l]));
    for (int l = top; l >= 0; --l) XBATCH_TRY(launch_level<T, true>(context, p, tree.level[l]));
    if (p.info) {  // it holds bad pivots alone so far
        constexpr int threads = 128;
        XBATCH_TRY(Launch(context, p.batch, threads)(correct_info<T, threads>, "correct_info", p));
    }
    return launch_tiles<T, FLAT, true>(context, p, plan);
}

template <class T>
xbatchStatus_t solve(Context &context, const PtsvProblem &p, void *workspace) {
    const bool flat = is_flat(p);
    const BlockChoice choice = choose_block<Pscheme, T>(p, flat);
    if (choice.fits)
        return flat ? launch_block<Pscheme, T, true>(context, p, choice)
                    : launch_block<Pscheme, T, false>(context, p, choice);
    return flat ? solve_long<T, true>(context, p, workspace) : solve_long<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T, class Problem>
size_t ptsv_workspace(const Problem &p) {
    const auto bytes = [&](bool flat) {
        return choose_block<Pscheme, T>(p, flat).fits ? 0 : LongPlan<T>(p, flat, nullptr).bytes;
    };
    return p.layout == XBATCH_LAYOUT_FLAT ? bytes(true) : std::max(bytes(true), bytes(false));
}

}  // namespace

template <class T>
xbatchStatus_t ptsv_cuda(Context &context, const PtsvProblem &p, void *workspace) {
    return solve<T>(context, p, workspace);
}
template <class T>
size_t ptsv_cuda_workspace(const Context &, const PtsvProblem &p) {
    return ptsv_workspace<T>(p);
}

template <class T>
xbatchStatus_t pttrs_cuda(Context &context, const PttrsProblem &p, void *workspace) {
    const SpdFactors<T> kept(p.layout, p.n, p.sets, const_cast<void *>(p.factors));  // which are only read
    const Placement a_at = p.sets == 1 ? coefficients(p.layout, p.n, p.batch, 0) : kept.at;
    return solve<T>(context, PtsvProblem{p.layout, p.n, p.nrhs, p.batch, kept.d, kept.e, p.b, nullptr, a_at, p.b_at},
                    workspace);
}
template <class T>
size_t pttrs_cuda_workspace(const Context &, const PttrsProblem &p) {
    return ptsv_workspace<T>(p);
}

XBATCH_INSTANTIATE_BACKEND(ptsv_cuda);
XBATCH_INSTANTIATE_BACKEND(pttrs_cuda);

}  // namespace xbatch::tridiagonal
