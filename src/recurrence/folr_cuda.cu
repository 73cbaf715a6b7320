// folr_cuda.cu: selects the recurrence kernel for a shape and launches it.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "folr_segments.cuh"
#include "recurrence_tuning.hpp"

namespace xbatch::recurrence {
namespace {

// The division of a batch: units of shape.systems sequences and one right-hand side, tiles of chunks*rows rows. If
// is_cut, `places` blocks share each unit.
struct FolrPlan {
    BlockShape shape;
    int rows;  // per thread
    int64_t units, tiles;
    bool is_cut;
    int places;
};

template <class T>
FolrPlan plan_folr(const Context &context, const FolrProblem &p, bool flat, int rows) {
    using Tuning = FolrTuning<T>;
    FolrPlan plan{};
    plan.rows = rows;
    int systems = 1, chunks = 0;
    if (flat) {  // one warp per worker
        chunks = int(std::min<int64_t>((p.n - 1) / rows + 1, 32));
        systems = 32 / chunks * (Tuning::threads / 32);
    } else {
        while (systems < Tuning::line_systems && systems < p.batch) systems *= 2;
        chunks = int(std::min<int64_t>((p.n - 1) / rows + 1, Tuning::threads / systems));
        while (2 * systems * chunks <= Tuning::threads && systems < p.batch) systems *= 2;
    }
    plan.shape = block_shape(systems, chunks, flat);
    plan.units = ((p.batch - 1) / systems + 1) * p.nrhs;
    plan.tiles = (p.n - 1) / (int64_t(chunks) * rows) + 1;
    plan.places = 1;
    const int64_t resident = int64_t(context.multiprocessors) * Tuning::segment_blocks;
    if (plan.tiles == 1 || 2 * plan.units > resident) return plan;
    const int workers = flat ? Tuning::threads / 32 : 1;
    const int64_t units = flat ? p.batch * p.nrhs : plan.units;  // if cut, all warps of a block share one sequence
    const int64_t places = std::min(resident / units, (plan.tiles - 1) / workers + 1);
    if (places > 1 || (places == 1 && flat)) plan.units = units, plan.places = int(places), plan.is_cut = true;
    return plan;
}

// Fewer rows per thread for short sequences, as there is less padding, and for few sequences, if more workers are then
// busy.
template <class T>
FolrPlan plan_folr(const Context &context, const FolrProblem &p, bool flat) {
    int rows = FolrTuning<T>::most_rows;
    while (rows > 4 && p.n <= 2 * rows) rows /= 2;
    const FolrPlan plan = plan_folr<T>(context, p, flat, rows), finer = plan_folr<T>(context, p, flat, 4);
    const int64_t workers = flat ? FolrTuning<T>::threads / 32 : 1;
    return plan.is_cut && finer.is_cut && finer.tiles <= finer.places * workers ? finer : plan;
}

template <class T>
Places<T> carve(Carver &carver, const FolrPlan &plan, bool flat) {
    const int64_t blocks = plan.is_cut ? plan.units * plan.places : 0;
    AffineMap<T> *const maps = carver.take<AffineMap<T>>(blocks * (flat ? 1 : plan.shape.systems));
    return {plan.units, plan.tiles, plan.places, maps, carver.take<int>(flat ? blocks : 0)};
}

template <class T, int R, bool FLAT>
xbatchStatus_t launch(Context &context, const FolrProblem &p, const FolrPlan &plan, void *workspace) {
    constexpr int threads = FolrTuning<T>::threads;
    const int64_t blocks = plan.units * plan.places;
    if (!plan.is_cut)
        return Launch(context, blocks, threads, walk_bytes<T, R, FLAT>(threads))(
            folr_walk<T, R, FLAT, threads>, "folr_walk", p, plan.shape, plan.tiles);
    Carver carver(workspace);
    const Places<T> places = carve<T>(carver, plan, FLAT);
    return Launch(context, blocks, threads, segments_bytes<T, R, FLAT>(threads, plan.places))
        .cooperative()(folr_segments<T, R, FLAT, threads>, "folr_segments", p, plan.shape, places);
}

template <class T, bool FLAT>
xbatchStatus_t launch(Context &context, const FolrProblem &p, void *workspace) {
    const FolrPlan plan = plan_folr<T>(context, p, FLAT);
    if (plan.rows == 4) return launch<T, 4, FLAT>(context, p, plan, workspace);
    if (plan.rows == 8) return launch<T, 8, FLAT>(context, p, plan, workspace);
    if constexpr (FolrTuning<T>::most_rows == 16) return launch<T, 16, FLAT>(context, p, plan, workspace);
    return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no kernel with %d rows a thread", plan.rows);
}

template <class T>
size_t places_workspace(const Context &context, const FolrProblem &p, bool flat) {
    Carver carver(nullptr);
    carve<T>(carver, plan_folr<T>(context, p, flat), flat);
    return carver.bytes();
}

}  // namespace

template <class T>
xbatchStatus_t folr_cuda(Context &context, const FolrProblem &p, void *workspace) {
    const bool flat = p.s_at.layout == XBATCH_LAYOUT_FLAT && p.t_at.layout == XBATCH_LAYOUT_FLAT &&
                      p.w_at.layout == XBATCH_LAYOUT_FLAT;
    return flat ? launch<T, true>(context, p, workspace) : launch<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so the workspace must suffice for both.
template <class T>
size_t folr_cuda_workspace(const Context &context, const FolrProblem &p) {
    const size_t flat = places_workspace<T>(context, p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, places_workspace<T>(context, p, false));
}

XBATCH_INSTANTIATE_BACKEND(folr_cuda);

}  // namespace xbatch::recurrence
