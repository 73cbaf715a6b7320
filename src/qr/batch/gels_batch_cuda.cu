// gels_batch_cuda.cu: launches least squares for a batch: in one kernel if registers or shared memory hold several
// matrices and their right-hand sides, or a tile those of one matrix, otherwise by factors in the workspace.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gels_batch_scaling.cuh"
#include "gels_kernels.cuh"
#include "qr/batch/panels/gels_large_cuda.hpp"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

template <class T>
struct FactorsPlan {
    SolveFactors<T> factors;
    size_t bytes;

    FactorsPlan(const GelsBatch &p, void *workspace) {
        Carver carver(workspace);
        factors = SolveFactors<T>(carver, p.rows, p.columns, p.batch);
        bytes = carver.bytes();
    }
};

// Least squares with one right-hand side, if there is a kernel for this size; else false
template <class T>
bool solve_one_cuda(Context &context, const ResidentArguments<T> &p, xbatchStatus_t &status) {
    if (has_cyclic<T>(p.a, p.b, p.m, p.n)) {
        status = solve_cyclic_cuda<T>(context, p);
        return true;
    }
    if (has_rows<T>(p.m, p.n)) {
        status = solve_rows_cuda<T>(context, p);
        return true;
    }
    if constexpr (std::is_same_v<T, double>)
        if (has_split(context, p.a, p.m, p.n)) {
            status = solve_split_cuda(context, p);
            return true;
        }
    if (!has_packed<T>(context, p.a, p.b, p.m, p.n)) return false;
    status = solve_packed_cuda<T>(context, p);
    return true;
}

}  // namespace

template <class T>
xbatchStatus_t solve_cuda(Context &context, QrKind kind, const SolveArguments<T> &p) {
    const int64_t rows = std::max(p.m, p.n), columns = std::min(p.m, p.n) + p.nrhs;
    switch (kind) { XBATCH_LAUNCH_BLOCK_KINDS(solve_batch, T); }
}

template <class T>
bool solve_each_cuda(Context &context, const SolveArguments<T> &p, xbatchStatus_t &status) {
    const int rows = std::max(p.m, p.n), columns = std::min(p.m, p.n);
    const ResidentArguments<T> on_chip{p.g, p.b, {}, rows, columns, p.nrhs, p.is_least_norm, p.batch, p.info, {}};
    const QrKind kind = kind_that_holds(rows, columns, p.nrhs, sizeof(T) == 16);
    if (p.nrhs == 1 && !p.is_least_norm && solve_one_cuda<T>(context, on_chip, status)) return true;
    if (is_resident<T>(context, rows, columns, p.nrhs))
        status = factor_resident_cuda<T>(context, on_chip);
    else if (kind != QrKind::none)
        status = solve_cuda<T>(context, kind, p);
    else
        return false;
    return true;
}

template <class T>
xbatchStatus_t solve_by_factors_cuda(Context &context, QrKind factoring, QrKind applying, const SolveArguments<T> &p,
                                     const SolveFactors<T> &factors) {
    const int m = std::max(p.m, p.n), n = std::min(p.m, p.n);
    const DeviceSizes &s = p.sizes;  // of A; those of G follow
    const int64_t *rows = p.is_turned ? s.n : s.m, *columns = p.is_turned ? s.m : s.n;
    const DeviceSizes sizes{rows, columns, s.k, s.which, s.range};
    const MatrixPlacement at = matrix_placement(XBATCH_LAYOUT_FLAT, n, p.batch, m, int64_t(m) * n);
    const DeviceMatrices<T> g = device_matrices<T>(factors.g, at, false);
    const DeviceTau<T> t{factors.tau, placement(XBATCH_LAYOUT_FLAT, n, 1, p.batch, n), nullptr};
    const ScalingArguments<T> scaling{p.g, p.b, m, n, p.nrhs, p.is_least_norm, p.batch, factors.scaling, p.info, sizes};
    const ApplyArguments<T> product{
        g, p.b, t, m, p.nrhs, n, !p.is_least_norm, false, p.batch, {rows, s.k, columns, s.which, s.range}};
    Launch launch(context, p.batch, scaling_threads);
    XBATCH_TRY(launch(find_scaling<T>, "find_scaling", scaling));
    XBATCH_TRY(factor_cuda<T>(
        context, factoring,
        {p.g, g, t, m, n, p.batch, nullptr, {rows, columns, nullptr, s.which, s.range}, factors.scaling}));
    if (!p.is_least_norm) XBATCH_TRY(apply_cuda<T>(context, applying, product));
    XBATCH_TRY(Launch(context, p.batch, triangle_threads)(
        solve_triangles<T>, "solve_triangles", {g, p.b, m, n, p.nrhs, p.is_least_norm, p.batch, p.info, sizes}));
    if (p.is_least_norm) XBATCH_TRY(apply_cuda<T>(context, applying, product));
    return launch(scale_solutions<T>, "scale_solutions", scaling);
}

template <class T>
xbatchStatus_t gels_batch_cuda(Context &context, const GelsBatch &p, void *workspace) {
    if (is_for_tiles(p)) return gels_large_cuda<T>(context, p, workspace);
    const DeviceMatrices<T> g = device_matrices<T>(p.a, p.g_at, p.is_turned),
                            b = device_matrices<T>(p.b, p.b_at, false);
    const SolveArguments<T> arguments{g,
                                      b,
                                      int(p.is_turned ? p.columns : p.rows),
                                      int(p.is_turned ? p.rows : p.columns),
                                      int(p.nrhs),
                                      p.is_turned,
                                      p.is_least_norm,
                                      p.batch,
                                      p.info,
                                      {}};
    if (xbatchStatus_t status; solve_each_cuda<T>(context, arguments, status)) return status;
    const FactorsPlan<T> plan(p, workspace);
    return solve_by_factors_cuda<T>(context, block_kind_for(p.rows, p.columns), kind_for(p.rows, p.nrhs), arguments,
                                    plan.factors);
}
template <class T>
size_t gels_batch_cuda_workspace(const Context &context, const GelsBatch &p) {
    if (is_for_tiles(p)) return gels_large_cuda_workspace<T>(context, p);
    if (is_resident<T>(context, p.rows, p.columns, p.nrhs)) return 0;
    return kind_that_holds(p.rows, p.columns, p.nrhs, sizeof(T) == 16) == QrKind::none
               ? FactorsPlan<T>(p, nullptr).bytes
               : 0;
}

XBATCH_INSTANTIATE_TYPES(solve_cuda);
XBATCH_INSTANTIATE_TYPES(solve_each_cuda);
XBATCH_INSTANTIATE_TYPES(solve_by_factors_cuda);
XBATCH_INSTANTIATE_BACKEND(gels_batch_cuda);

}  // namespace xbatch::qr
