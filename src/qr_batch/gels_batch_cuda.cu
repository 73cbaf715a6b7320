// gels_batch_cuda.cu: launches least squares for a batch: in one kernel where a tile holds matrix and right-hand sides,
// else by factors in the workspace.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/workspace.hpp"
#include "qr_batch_launch.cuh"

namespace xbatch {
namespace {

template <class T>
struct FactorsPlan {
    T *factors, *tau;
    size_t bytes;

    FactorsPlan(const GelsBatch &p, void *workspace) {
        Carver carver(workspace);
        factors = carver.take<T>(p.rows * p.columns * p.batch);
        tau = carver.take<T>(p.columns * p.batch);
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t solve_by_factors(Context &context, const GelsBatch &p, void *workspace) {
    const FactorsPlan<T> plan(p, workspace);
    const int m = int(p.rows), n = int(p.columns), nrhs = int(p.nrhs);
    const xbatchStatus_t enough = check_blocks(context, p.batch);
    if (enough != XBATCH_STATUS_SUCCESS) return enough;
    const MatrixPlacement at = matrix_placement(XBATCH_LAYOUT_FLAT, n, p.batch, m, int64_t(m) * n);
    const DeviceMatrices<T> factors = device_matrices<T>(plan.factors, at, false),
                            b = device_matrices<T>(p.b, p.b_at, false);
    const DeviceTau<T> tau{plan.tau, placement(XBATCH_LAYOUT_FLAT, n, 1, p.batch, n), nullptr};
    const ApplyArguments<T> product{factors, b, tau, m, nrhs, n, !p.is_least_norm, false, p.batch, {}};
    xbatchStatus_t status = factor_cuda<T>(
        context, {device_matrices<T>(p.a, p.g_at, p.is_turned), factors, tau, m, n, p.batch, nullptr, {}});
    if (status != XBATCH_STATUS_SUCCESS) return status;
    if (!p.is_least_norm) status = apply_cuda<T>(context, product);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    solve_triangles<T><<<unsigned(p.batch), triangle_threads, 0, stream_of(context)>>>(
        {factors, b, m, n, nrhs, p.is_least_norm, p.info});
    XBATCH_CUDA_LAUNCHED(context, "solve_triangles");
    return p.is_least_norm ? apply_cuda<T>(context, product) : status;
}

template <class T>
xbatchStatus_t solve_at_once(Context &context, QrKind kind, const SolveArguments<T> &p) {
    const int64_t rows = std::max(p.m, p.n), columns = std::min(p.m, p.n) + p.nrhs;
    switch (kind) { XBATCH_LAUNCH_KINDS(solve_batch, T, true); }
}

}  // namespace

template <class T>
xbatchStatus_t gels_batch_cuda(Context &context, const GelsBatch &p, void *workspace) {
    if (p.rows > most_rows) return too_many_rows<T>(context, p.rows);
    const QrKind kind = kind_that_holds(p.rows, p.columns, p.nrhs, sizeof(T) == 16);
    if (kind == QrKind::none) return solve_by_factors<T>(context, p, workspace);
    return solve_at_once<T>(context, kind,
                            {device_matrices<T>(p.a, p.g_at, p.is_turned),
                             device_matrices<T>(p.b, p.b_at, false),
                             int(p.is_turned ? p.columns : p.rows),
                             int(p.is_turned ? p.rows : p.columns),
                             int(p.nrhs),
                             p.is_turned,
                             p.is_least_norm,
                             p.batch,
                             p.info,
                             {}});
}
template <class T>
size_t gels_batch_cuda_workspace(const Context &, const GelsBatch &p) {
    return kind_that_holds(p.rows, p.columns, p.nrhs, sizeof(T) == 16) == QrKind::none
               ? FactorsPlan<T>(p, nullptr).bytes
               : 0;
}

#define XBATCH_INSTANTIATE(T)                                                         \
    template xbatchStatus_t gels_batch_cuda<T>(Context &, const GelsBatch &, void *); \
    template size_t gels_batch_cuda_workspace<T>(const Context &, const GelsBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
