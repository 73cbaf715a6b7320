// oddeven_cuda.cu: picks the odd-even kernels for a shape and launches them.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "gtsv_launch.cuh"
#include "oddeven_kernels.cuh"
#include "tiled_launch.cuh"
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

// A tile's rows, by odd-even reduction
struct OddEvenMethod {
    template <class T, int R>
    __device__ static int eliminate(Chunk<T, R> &v) {
        return reduce(v);
    }
    template <class T, int R>
    __device__ static Edges<T> ends(const Chunk<T, R> &v) {
        return reduced_edges(v);
    }
    template <class T, int R>
    __device__ static void substitute(Chunk<T, R> &v, T z_before, T z) {
        xbatch::substitute(v, z_before, z);
    }
};

template <class T>
BlockChoice choose(const GtsvProblem &p, bool flat) {
    return flat ? choose_flat<T>(p.n, true) : choose_lanes<T>(p.n, p.batch);
}

template <class T>
size_t workspace_of(const GtsvProblem &p, bool flat) {
    return choose<T>(p, flat).fits ? 0 : tiles_workspace<T>(p, flat);
}

}  // namespace

template <class T>
xbatchStatus_t oddeven_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    const bool flat = is_flat(p);
    const BlockChoice choice = choose<T>(p, flat);
    if (choice.fits)
        return flat ? launch_block<T, true>(context, p, choice) : launch_block<T, false>(context, p, choice);
    return launch_tiles<OddEvenMethod, T>(context, p, flat, workspace);
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
