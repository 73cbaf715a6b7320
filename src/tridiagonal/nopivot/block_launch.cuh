// block_launch.cuh: selects the kernels of a method without pivoting for a shape, and launches them.
//
// A system is solved by a block, by a thread-block cluster, or, if it is longer, by segment_launch.cuh. A Method
// (Pscheme, OddEven) defines how a thread eliminates its rows, and which kernel solves systems that fit a block.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cluster_kernel.cuh"
#include "core/launch.cuh"
#include "nopivot_tuning.hpp"
#include "segment_launch.cuh"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// f(rows) for all numbers of rows of a thread for which there is a kernel
template <class Method, class T, bool FLAT, class F>
void for_block_rows(F f) {
    const auto of_rows = [&](auto... rows) { (f(rows), ...); };
    of_rows(std::integral_constant<int, 4>{}, std::integral_constant<int, 8>{});
    if constexpr (PschemeTuning<T>::most_rows == 16) {
        of_rows(std::integral_constant<int, 16>{});
        if constexpr (FLAT && !Method::halves_rows)
            of_rows(std::integral_constant<int, 9>{}, std::integral_constant<int, 11>{},
                    std::integral_constant<int, 13>{}, std::integral_constant<int, 15>{});
    }
}

template <class Method, class T, class Problem>
BlockChoice choose_block(const Problem &p, bool flat) {
    if (flat) return choose_flat<T>(p.n, Method::halves_rows);
    return Method::halves_rows ? choose_lanes<T>(p.n, p.batch) : choose_lane_shape<T>(p.n, p.batch);
}

template <class Method, class T, bool FLAT, class Problem>
xbatchStatus_t launch_block(Context &context, const Problem &p, const BlockChoice &choice) {
    void (*kernel)(Problem, BlockShape) = nullptr;
    size_t bytes = 0;
    for_block_rows<Method, T, FLAT>([&](auto rows) {
        constexpr int R = decltype(rows)::value;
        if (R != choice.rows) return;
        kernel = Method::template block_kernel<T, R, FLAT, Problem>();
        bytes = block_kernel_bytes<T, R, FLAT>(choice.threads);
    });
    if (!kernel)
        return fail(context, XBATCH_STATUS_INTERNAL_ERROR, "no kernel whose threads have %d rows", choice.rows);
    const int64_t blocks = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    XBATCH_TRY(check_blocks(context, blocks));
    XBATCH_TRY(clear_info(context, p.info, p.batch, p.nrhs > 1));
    return Launch(context, blocks, choice.threads, bytes)(kernel, Method::block_name, p,
                                                          block_shape(choice.systems, choice.chunks, FLAT));
}

// Rows of a thread
template <class Method, class T>
constexpr int cluster_rows(bool flat) {
    return flat && !Method::halves_rows ? ClusterTuning<T>::flat_rows : ClusterTuning<T>::lane_rows;
}
template <class Method, class T>
ClusterChoice choose_cluster(const Context &context, const GtsvProblem &p, bool flat) {
    if (!context.has_clusters) return {};
    return choose_cluster<T>(choose_block<Method, T>(p, flat), p.n, p.batch, flat, cluster_rows<Method, T>(flat));
}

// Clusters that load rows ahead are persistent: as many as are resident at once share the units of work. Otherwise each
// unit has its own cluster.
template <class Method, class T, bool FLAT>
xbatchStatus_t launch_cluster(Context &context, const GtsvProblem &p, const ClusterChoice &choice) {
    using Tuning = ClusterTuning<T>;
    constexpr int R = cluster_rows<Method, T>(FLAT);
    constexpr bool ahead = loads_ahead<R, FLAT>;
    constexpr int threads = Tuning::threads, resident = ahead ? Tuning::ahead_blocks : Tuning::blocks;
    const auto kernel = gtsv_cluster<Method, T, R, FLAT, threads, resident>;
    const BlockShape shape = block_shape(choice.systems, choice.chunks, FLAT);
    const int64_t units = ((p.batch - 1) / choice.systems + 1) * p.nrhs;
    XBATCH_TRY(check_blocks(context, units * choice.parts));
    XBATCH_TRY(clear_info(context, p.info, p.batch));
    const size_t bytes = ClusterMemory<T, R, FLAT, threads>::bytes(choice.parts, choice.systems);
    Launch launch(context, units * choice.parts, cluster_threads<T>(choice, FLAT), bytes);
    launch.cluster(choice.parts);
    if (ahead) launch.limit_to_resident(kernel);
    return launch(kernel, Method::cluster_name, p, shape, choice.parts, unsigned(units));
}

template <class Method, class T, bool FLAT>
xbatchStatus_t solve_by_method(Context &context, const GtsvProblem &p, void *workspace) {
    const ClusterChoice cluster = choose_cluster<Method, T>(context, p, FLAT);
    if (cluster.fits) return launch_cluster<Method, T, FLAT>(context, p, cluster);
    const BlockChoice block = choose_block<Method, T>(p, FLAT);
    return block.fits ? launch_block<Method, T, FLAT>(context, p, block)
                      : launch_segments<Method, T, FLAT>(context, p, workspace);
}
template <class Method, class T>
xbatchStatus_t solve_by_method(Context &context, const GtsvProblem &p, void *workspace) {
    return for_each_plane(p, [&](const GtsvProblem &plane) {
        return is_flat(plane) ? solve_by_method<Method, T, true>(context, plane, workspace)
                              : solve_by_method<Method, T, false>(context, plane, workspace);
    });
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so the workspace must suffice for both.
template <class Method, class T>
size_t method_workspace(const Context &context, const GtsvProblem &p) {
    const auto bytes = [&](bool flat) {
        if (choose_block<Method, T>(p, flat).fits || choose_cluster<Method, T>(context, p, flat).fits) return size_t(0);
        return segments_workspace<T>(p, flat);
    };
    return p.layout == XBATCH_LAYOUT_FLAT ? bytes(true) : std::max(bytes(true), bytes(false));
}

}  // namespace xbatch::tridiagonal
