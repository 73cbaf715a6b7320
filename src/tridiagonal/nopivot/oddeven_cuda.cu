// oddeven_cuda.cu: picks the odd-even kernels for a shape and launches them.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_launch.cuh"
#include "cluster_kernel.cuh"
#include "nopivot_tuning.hpp"
#include "oddeven_kernels.cuh"
#include "segment_launch.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T, int R, bool FLAT, int THREADS>
xbatchStatus_t launch_block(Context &context, const GtsvProblem &p, const BlockChoice &choice) {
    return launch_gtsv_block(context, p, choice, FLAT, oddeven_block<T, R, FLAT, THREADS>,
                             block_kernel_bytes<T, R, FLAT>(choice.threads), "oddeven_block");
}

template <class T, int R, bool FLAT>
xbatchStatus_t launch_block(Context &context, const GtsvProblem &p, const BlockChoice &choice) {
    if (choice.threads <= 128) return launch_block<T, R, FLAT, 128>(context, p, choice);
    if (choice.threads <= 256) return launch_block<T, R, FLAT, 256>(context, p, choice);
    if constexpr (R * sizeof(T) <= 64)
        return launch_block<T, R, FLAT, 512>(context, p, choice);
    else
        return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no block of %d threads", choice.threads);
}

template <class T, bool FLAT>
xbatchStatus_t launch_block(Context &context, const GtsvProblem &p, const BlockChoice &choice) {
    if (choice.rows == 4) return launch_block<T, 4, FLAT>(context, p, choice);
    if (choice.rows == 8) return launch_block<T, 8, FLAT>(context, p, choice);
    if constexpr (PschemeTuning<T>::most_rows == 16) return launch_block<T, 16, FLAT>(context, p, choice);
    return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no kernel with %d rows a thread", choice.rows);
}

template <class T>
BlockChoice choose(const GtsvProblem &p, bool flat) {
    return flat ? choose_flat<T>(p.n, true) : choose_lanes<T>(p.n, p.batch);
}

template <class T>
ClusterChoice choose_cluster(const Context &context, const GtsvProblem &p, bool flat) {
    if (!context.has_clusters) return {};
    return tridiagonal::choose_cluster<T>(choose<T>(p, flat), p.n, p.batch, flat, ClusterTuning<T>::lane_rows);
}

template <class T>
size_t workspace_of(const Context &context, const GtsvProblem &p, bool flat) {
    if (choose<T>(p, flat).fits || choose_cluster<T>(context, p, flat).fits) return 0;
    return tiles_workspace<T>(p, flat);
}

template <class T, bool FLAT>
xbatchStatus_t solve(Context &context, const GtsvProblem &p, void *workspace) {
    constexpr int rows = ClusterTuning<T>::lane_rows;  // a power of two, for the thread halves them
    const ClusterChoice cluster = choose_cluster<T>(context, p, FLAT);
    if (cluster.fits) return launch_gtsv_cluster<OddEven, T, rows, FLAT>(context, p, cluster, "oddeven_cluster");
    const BlockChoice block = choose<T>(p, FLAT);
    return block.fits ? launch_block<T, FLAT>(context, p, block)
                      : launch_tiles<OddEven, T>(context, p, FLAT, workspace);
}

}  // namespace

template <class T>
xbatchStatus_t oddeven_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return is_flat(p) ? solve<T, true>(context, p, workspace) : solve<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t oddeven_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t flat = workspace_of<T>(context, p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_of<T>(context, p, false));
}

XBATCH_INSTANTIATE_BACKEND(oddeven_cuda);

}  // namespace xbatch::tridiagonal
