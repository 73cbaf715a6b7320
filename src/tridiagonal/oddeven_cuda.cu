// oddeven_cuda.cu: picks the odd-even kernels for a shape, plans the levels of long systems, and launches.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/workspace.hpp"
#include "gtsv_launch.cuh"
#include "oddeven_kernels.cuh"
#include "tridiagonal_tuning.hpp"

namespace xbatch {
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

// How long systems are cut into tiles, the tiles' last rows into tiles again, and so on until a system is one tile; and
// where the rows of levels 1, 2, … lie.
template <class T>
struct Plan {
    static constexpr int most_levels = 12;  // 2^63 rows, a hundred a tile

    int count;  // levels, that of a single tile included
    TiledLevel<T> levels[most_levels];
    ReducedRows<T> rows[most_levels];  // of each level but the first
    int64_t blocks[most_levels];
    size_t bytes;

    Plan(const GtsvProblem &p, bool flat, void *workspace) {
        using Tuning = OddEvenTuning<T>;
        Carver carver(workspace);
        GtsvProblem level = p;
        int64_t span = 1;
        for (count = 0;; ++count) {
            const int systems = flat ? 1 : systems_of_line<T>(level.batch);
            const int threads = flat ? Tuning::flat_threads : Tuning::lanes_threads;
            const BlockShape shape = block_shape(systems, threads / systems, flat);
            const int64_t tile_rows = int64_t(shape.chunks) * Tuning::tile_rows, tiles = (level.n - 1) / tile_rows + 1;
            blocks[count] = ((level.batch - 1) / systems + 1) * level.nrhs * tiles;
            levels[count] = {level, nullptr, nullptr, shape, unsigned(tiles), p.batch, span, p.n};
            if (count > 0) levels[count].fc = rows[count].fc, levels[count].fd = rows[count].fd;
            if (tiles == 1) break;
            span *= tile_rows;
            level = carve(carver, rows[count + 1], tiles, p.batch * p.nrhs, flat);
            level.info = p.info;
        }
        ++count;
        bytes = carver.bytes();
    }

private:
    static GtsvProblem carve(Carver &carver, ReducedRows<T> &rows, int64_t n, int64_t batch, bool flat) {
        for (T **array : {&rows.a, &rows.c, &rows.b, &rows.fa, &rows.fc, &rows.fd}) *array = carver.take<T>(n * batch);
        const xbatchLayout_t layout = flat ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED;
        rows.at = {layout, n, 1, flat ? n : batch, flat ? 1 : batch, 0};
        return {layout, n, 1, batch, rows.a, rows.fa, rows.c, rows.b, nullptr, rows.at, rows.at};
    }
};

template <class T, bool FLAT>
xbatchStatus_t launch_levels(Context &context, const GtsvProblem &p, void *workspace) {
    using Tuning = OddEvenTuning<T>;
    constexpr int R = Tuning::tile_rows, threads = FLAT ? Tuning::flat_threads : Tuning::lanes_threads;
    constexpr int resident = Tuning::multiprocessor_threads / threads;
    const Plan<T> plan(p, FLAT, workspace);
    const xbatchStatus_t status = check_blocks(context, plan.blocks[0]);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const cudaStream_t stream = stream_of(context);
    if (p.info) XBATCH_CUDA(context, cudaMemsetAsync(p.info, 0, size_t(p.batch) * sizeof(int32_t), stream));
    const auto reduce_tiles = oddeven_reduce<T, R, FLAT, threads, resident>;
    for (int k = 0; k + 1 < plan.count; ++k) {
        const size_t bytes = oddeven_reduce_bytes<T, R, FLAT>(threads, plan.levels[k].shape.systems);
        XBATCH_ALLOW_SHARED(context, reduce_tiles, bytes);
        reduce_tiles<<<unsigned(plan.blocks[k]), threads, bytes, stream>>>(plan.levels[k], plan.rows[k + 1]);
        XBATCH_CUDA_LAUNCHED(context, "oddeven_reduce");
    }
    const auto substitute_tiles = oddeven_substitute<T, R, FLAT, threads, resident>;
    const size_t bytes = oddeven_substitute_bytes<T, R, FLAT>(threads);
    XBATCH_ALLOW_SHARED(context, substitute_tiles, bytes);
    for (int k = plan.count - 1; k >= 0; --k) {
        const bool is_last = k == plan.count - 1;
        substitute_tiles<<<unsigned(plan.blocks[k]), threads, bytes, stream>>>(
            plan.levels[k], is_last ? nullptr : plan.rows[k + 1].b, is_last ? Placement{} : plan.rows[k + 1].at);
        XBATCH_CUDA_LAUNCHED(context, "oddeven_substitute");
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
BlockChoice choose(const GtsvProblem &p, bool flat) {
    return flat ? choose_flat<T>(p.n, true) : choose_lanes<T>(p.n, p.batch);
}

template <class T>
size_t workspace_of(const GtsvProblem &p, bool flat) {
    return choose<T>(p, flat).fits ? 0 : Plan<T>(p, flat, nullptr).bytes;
}

}  // namespace

template <class T>
xbatchStatus_t oddeven_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    const bool flat = is_flat(p);
    const BlockChoice choice = choose<T>(p, flat);
    if (choice.fits)
        return flat ? launch_block<T, true>(context, p, choice) : launch_block<T, false>(context, p, choice);
    return flat ? launch_levels<T, true>(context, p, workspace) : launch_levels<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t oddeven_cuda_workspace(const Context &, const GtsvProblem &p) {
    const size_t flat = workspace_of<T>(p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_of<T>(p, false));
}

template xbatchStatus_t oddeven_cuda<float>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t oddeven_cuda<double>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t oddeven_cuda<Complex<float>>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t oddeven_cuda<Complex<double>>(Context &, const GtsvProblem &, void *);
template size_t oddeven_cuda_workspace<float>(const Context &, const GtsvProblem &);
template size_t oddeven_cuda_workspace<double>(const Context &, const GtsvProblem &);
template size_t oddeven_cuda_workspace<Complex<float>>(const Context &, const GtsvProblem &);
template size_t oddeven_cuda_workspace<Complex<double>>(const Context &, const GtsvProblem &);

}  // namespace xbatch
