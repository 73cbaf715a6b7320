// oddeven_cuda.cu: odd-even reduction, on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_launch.cuh"
#include "oddeven_kernels.cuh"

namespace xbatch::tridiagonal {

template <class T>
xbatchStatus_t oddeven_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return solve_by_method<OddEven, T>(context, p, workspace);
}
template <class T>
size_t oddeven_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return method_workspace<OddEven, T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(oddeven_cuda);

}  // namespace xbatch::tridiagonal
