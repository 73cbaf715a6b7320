// pscheme_cuda.cu: the P-scheme for general tridiagonal systems, on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_launch.cuh"
#include "pscheme_kernels.cuh"
#include "sides_launch.cuh"

namespace xbatch::tridiagonal {

template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return for_each_plane(p, [&](const GtsvProblem &plane) {
        xbatchStatus_t status;
        return solve_sides<T>(context, plane, status) ? status : solve_by_method<Pscheme, T>(context, plane, workspace);
    });
}
template <class T>
size_t pscheme_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return method_workspace<Pscheme, T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(pscheme_cuda);

}  // namespace xbatch::tridiagonal
