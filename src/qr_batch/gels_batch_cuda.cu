// gels_batch_cuda.cu: launches least squares for a batch: in one kernel where a tile holds matrix and right-hand sides,
// else by factors in the workspace.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/workspace.hpp"
#include "gels_large_cuda.hpp"
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

}  // namespace

template <class T>
xbatchStatus_t solve_cuda(Context &context, QrKind kind, const SolveArguments<T> &p) {
    const int64_t rows = std::max(p.m, p.n), columns = std::min(p.m, p.n) + p.nrhs;
    switch (kind) { XBATCH_LAUNCH_KINDS(solve_batch, T, true); }
}

template <class T>
xbatchStatus_t solve_by_factors_cuda(Context &context, QrKind factoring, QrKind applying, const SolveArguments<T> &p,
                                     T *factors, T *tau) {
    const xbatchStatus_t enough = check_blocks(context, p.batch);
    if (enough != XBATCH_STATUS_SUCCESS) return enough;
    const int m = std::max(p.m, p.n), n = std::min(p.m, p.n);
    const DeviceSizes &s = p.sizes;  // of A; those of G follow
    const int64_t *rows = p.is_turned ? s.n : s.m, *columns = p.is_turned ? s.m : s.n;
    const MatrixPlacement at = matrix_placement(XBATCH_LAYOUT_FLAT, n, p.batch, m, int64_t(m) * n);
    const DeviceMatrices<T> g = device_matrices<T>(factors, at, false);
    const DeviceTau<T> t{tau, placement(XBATCH_LAYOUT_FLAT, n, 1, p.batch, n), nullptr};
    const ApplyArguments<T> product{
        g, p.b, t, m, p.nrhs, n, !p.is_least_norm, false, p.batch, {rows, s.k, columns, s.which, s.range}};
    xbatchStatus_t status = factor_cuda<T>(
        context, factoring, {p.g, g, t, m, n, p.batch, nullptr, {rows, columns, nullptr, s.which, s.range}});
    if (status != XBATCH_STATUS_SUCCESS) return status;
    if (!p.is_least_norm) status = apply_cuda<T>(context, applying, product);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    solve_triangles<T><<<unsigned(p.batch), triangle_threads, 0, stream_of(context)>>>(
        {g, p.b, m, n, p.nrhs, p.is_least_norm, p.batch, p.info, {rows, columns, s.k, s.which, s.range}});
    XBATCH_CUDA_LAUNCHED(context, "solve_triangles");
    return p.is_least_norm ? apply_cuda<T>(context, applying, product) : status;
}

template <class T>
xbatchStatus_t gels_batch_cuda(Context &context, const GelsBatch &p, void *workspace) {
    if (p.rows > most_rows) return gels_large_cuda<T>(context, p, workspace);
    const SolveArguments<T> arguments{device_matrices<T>(p.a, p.g_at, p.is_turned),
                                      device_matrices<T>(p.b, p.b_at, false),
                                      int(p.is_turned ? p.columns : p.rows),
                                      int(p.is_turned ? p.rows : p.columns),
                                      int(p.nrhs),
                                      p.is_turned,
                                      p.is_least_norm,
                                      p.batch,
                                      p.info,
                                      {}};
    const QrKind kind = kind_that_holds(p.rows, p.columns, p.nrhs, sizeof(T) == 16);
    if (kind != QrKind::none) return solve_cuda<T>(context, kind, arguments);
    const FactorsPlan<T> plan(p, workspace);
    return solve_by_factors_cuda<T>(context, kind_for(p.rows, p.columns), kind_for(p.rows, p.nrhs), arguments,
                                    plan.factors, plan.tau);
}
template <class T>
size_t gels_batch_cuda_workspace(const Context &context, const GelsBatch &p) {
    if (p.rows > most_rows) return gels_large_cuda_workspace<T>(context, p);
    return kind_that_holds(p.rows, p.columns, p.nrhs, sizeof(T) == 16) == QrKind::none
               ? FactorsPlan<T>(p, nullptr).bytes
               : 0;
}

#define XBATCH_INSTANTIATE(T)                                                                                         \
    template xbatchStatus_t solve_cuda<T>(Context &, QrKind, const SolveArguments<T> &);                              \
    template xbatchStatus_t solve_by_factors_cuda<T>(Context &, QrKind, QrKind, const SolveArguments<T> &, T *, T *); \
    template xbatchStatus_t gels_batch_cuda<T>(Context &, const GelsBatch &, void *);                                 \
    template size_t gels_batch_cuda_workspace<T>(const Context &, const GelsBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
