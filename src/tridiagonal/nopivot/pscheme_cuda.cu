// pscheme_cuda.cu: the P-scheme for general tridiagonal systems, on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_launch.cuh"
#include "pscheme_kernels.cuh"
#include "sides_launch.cuh"
#include "tridiagonal/pivoted/gtsv_unpivoted.hpp"

namespace xbatch::tridiagonal {

// By the kernels of the pivoting solver, where these are faster: few systems are waited for. Tests that set the rows of
// a chunk solve small batches, too.
template <class T>
bool solve_many_rows(Context &context, const GtsvProblem &p, xbatchStatus_t &status) {
    constexpr int64_t many_rows = 1 << 20;
    if (context.run_rows == 0 && counted_product(p.n, p.batch) < many_rows) return false;
    const bool is_run = p.a_at.ld == p.n && p.b_at.ld == p.n;
    return is_faster_by_lanes<T>(p.n, is_flat(p), is_run) && gtsv_unpivoted<T>(context, p, status);
}

template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    return for_each_plane(p, [&](const GtsvProblem &plane) {
        xbatchStatus_t status;
        if (solve_sides<T>(context, plane, status) || solve_many_rows<T>(context, plane, status)) return status;
        return solve_by_method<Pscheme, T>(context, plane, workspace);
    });
}
template <class T>
size_t pscheme_cuda_workspace(const Context &context, const GtsvProblem &p) {
    return method_workspace<Pscheme, T>(context, p);
}

XBATCH_INSTANTIATE_BACKEND(pscheme_cuda);

}  // namespace xbatch::tridiagonal
