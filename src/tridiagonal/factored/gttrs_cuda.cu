// gttrs_cuda.cu: solves with stored matrices on CUDA: passes the diagonals of op(A) to the pivoting solver.
// SPDX-License-Identifier: BSD-3-Clause
#include "stored_matrices.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

template <class T>
xbatchStatus_t gttrs_cuda(Context &context, const GttrsProblem &p, void *workspace) {
    const StoredMatrices<T> stored(p.layout, p.n, p.sets, const_cast<void *>(p.factors));  // read only
    const bool turned = p.op != XBATCH_OP_N;
    GtsvProblem system{p.layout,
                       p.n,
                       p.nrhs,
                       p.batch,
                       turned ? stored.turned_dl : stored.dl,
                       stored.d,
                       turned ? stored.turned_du : stored.du,
                       p.b,
                       nullptr,
                       stored.at,
                       p.b_at};
    if (p.sets < p.batch) system.a_at.ld = 0;
    system.is_conjugated = p.op == XBATCH_OP_C;
    return gtsv_cuda<T>(context, system, workspace);
}

template <class T>
size_t gttrs_cuda_workspace(const Context &context, const GttrsProblem &p) {
    GtsvProblem system{};
    system.layout = p.layout, system.n = p.n, system.nrhs = p.nrhs, system.batch = p.batch;
    return gtsv_cuda_workspace<T>(context, system);
}

XBATCH_INSTANTIATE_BACKEND(gttrs_cuda);

}  // namespace xbatch::tridiagonal
