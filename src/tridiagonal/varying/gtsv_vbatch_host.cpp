// gtsv_vbatch_host.cpp: systems of different lengths on the host: one thread a system, by elimination with pivoting.
// SPDX-License-Identifier: BSD-3-Clause
#include "gtsv_vbatch.hpp"

#include <omp.h>

#include "core/workspace.hpp"
#include "tridiagonal/pivoted/interface_host.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr int64_t run = 16;  // adjacent systems that a thread takes at a time

template <class T>
struct Plan {
    int64_t threads, scratch_of_thread;
    T *scratch;
    size_t bytes;

    Plan(const Context &context, const VBatchProblem &p, void *workspace) {
        threads = std::min<int64_t>(thread_count(context), (p.batch - 1) / run + 1);
        scratch_of_thread = whole_lines(counted_product(2, p.maxn));
        Carver carver(workspace);
        scratch = carver.take<T>(threads, scratch_of_thread);
        bytes = carver.bytes();
    }
};

// One system, all right-hand sides; returns its info
template <class T>
int32_t solve_system(const VBatchProblem &p, int64_t j, T *scratch) {
    const int64_t begin = p.offsets[j], end = p.offsets[j + 1];
    if (begin < 0 || end < begin || end - begin > p.maxn) return -1;
    if (begin == end) return 0;
    PivotedTile<T> tile;
    tile.rows = end - begin;
    tile.dl = static_cast<const T *>(p.dl), tile.d = static_cast<const T *>(p.d);
    tile.du = static_cast<const T *>(p.du);
    tile.a_lanes.count = 1, tile.a_lanes.step = 1, tile.a_lanes.at[0] = begin;
    tile.pivots = {scratch, scratch + p.maxn};
    tile.y = nullptr;  // a single lane is adjacent to itself
    Lanes<T> b_lanes = tile.a_lanes;
    RowNumber<T> first_bad = no_row<T>, pivots;
    for (int64_t r = 0; r < p.nrhs; ++r) {
        b_lanes.at[0] = r * p.ldb + begin;
        solve_pivoted(tile, static_cast<T *>(p.b), b_lanes, &pivots);
        first_bad = std::min(first_bad, pivots);
        if (p.info) note_solved(static_cast<const T *>(p.b), b_lanes, tile.rows, &first_bad);
    }
    return info_of<T>(first_bad);
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_vbatch_host(Context &context, const VBatchProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
#pragma omp parallel for schedule(dynamic, run) num_threads(team_size(plan.threads, p.maxn, p.batch))
    for (int64_t j = 0; j < p.batch; ++j) {
        const int32_t info = solve_system(p, j, plan.scratch + omp_get_thread_num() * plan.scratch_of_thread);
        if (p.info) p.info[j] = info;
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gtsv_vbatch_host_workspace(const Context &context, const VBatchProblem &p) {
    return Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gtsv_vbatch_host);

}  // namespace xbatch::tridiagonal
