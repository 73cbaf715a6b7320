// pscheme_cuda.cu: launches the P-scheme for general tridiagonal systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "cluster_kernel.cuh"
#include "pscheme_launch.cuh"
#include "segment_launch.cuh"

namespace xbatch::tridiagonal {
namespace {

template <class T>
ClusterChoice choose_cluster(const Context &context, const GtsvProblem &p, bool flat) {
    using Tuning = ClusterTuning<T>;
    if (!context.has_clusters) return {};
    return tridiagonal::choose_cluster<T>(choose<T>(p, flat), p.n, p.batch, flat,
                                          flat ? Tuning::flat_rows : Tuning::lane_rows);
}

template <class T>
size_t workspace_of(const Context &context, const GtsvProblem &p, bool flat) {
    if (choose<T>(p, flat).fits || choose_cluster<T>(context, p, flat).fits) return 0;
    return tiles_workspace<T>(p, flat);
}

template <class T, bool FLAT>
xbatchStatus_t solve(Context &context, const GtsvProblem &p, void *workspace) {
    using Tuning = ClusterTuning<T>;
    constexpr int rows = FLAT ? Tuning::flat_rows : Tuning::lane_rows;
    const ClusterChoice cluster = choose_cluster<T>(context, p, FLAT);
    if (cluster.fits) return launch_gtsv_cluster<Pscheme, T, rows, FLAT>(context, p, cluster, "pscheme_cluster");
    const BlockChoice block = choose<T>(p, FLAT);
    return block.fits ? launch_block<T, FLAT>(context, p, block)
                      : launch_tiles<Pscheme, T>(context, p, FLAT, workspace);
}

}  // namespace

template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return is_flat(p) ? solve<T, true>(context, p, workspace) : solve<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t pscheme_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t flat = workspace_of<T>(context, p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_of<T>(context, p, false));
}

XBATCH_INSTANTIATE_BACKEND(pscheme_cuda);

}  // namespace xbatch::tridiagonal
