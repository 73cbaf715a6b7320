// pscheme_cuda.cu: launches the P-scheme for general tridiagonal systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "pscheme_launch.cuh"
#include "tiled_launch.cuh"

namespace xbatch {
namespace {

// A tile's rows, by the P-scheme
struct PschemeMethod {
    template <class T, int R>
    __device__ static int eliminate(Chunk<T, R> &v) {
        return precompute(v);
    }
    template <class T, int R>
    __device__ static Edges<T> ends(const Chunk<T, R> &v) {
        return edges_of(v);
    }
    template <class T, int R>
    __device__ static void substitute(Chunk<T, R> &v, T z_before, T z) {
        determine(v, z_before, z);
    }
};

template <class T>
size_t workspace_of(const GtsvProblem &p, bool flat) {
    return choose<T>(p, flat).fits ? 0 : tiles_workspace<T>(p, flat);
}

}  // namespace

template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    const bool flat = is_flat(p);
    const BlockChoice choice = choose<T>(p, flat);
    if (choice.fits)
        return flat ? launch_block<T, true>(context, p, choice) : launch_block<T, false>(context, p, choice);
    return launch_tiles<PschemeMethod, T>(context, p, flat, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t pscheme_cuda_workspace(const Context &, const GtsvProblem &p) {
    const size_t flat = workspace_of<T>(p, true);
    return p.layout == XBATCH_LAYOUT_FLAT ? flat : std::max(flat, workspace_of<T>(p, false));
}

template xbatchStatus_t pscheme_cuda<float>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t pscheme_cuda<double>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t pscheme_cuda<Complex<float>>(Context &, const GtsvProblem &, void *);
template xbatchStatus_t pscheme_cuda<Complex<double>>(Context &, const GtsvProblem &, void *);
template size_t pscheme_cuda_workspace<float>(const Context &, const GtsvProblem &);
template size_t pscheme_cuda_workspace<double>(const Context &, const GtsvProblem &);
template size_t pscheme_cuda_workspace<Complex<float>>(const Context &, const GtsvProblem &);
template size_t pscheme_cuda_workspace<Complex<double>>(const Context &, const GtsvProblem &);

}  // namespace xbatch
