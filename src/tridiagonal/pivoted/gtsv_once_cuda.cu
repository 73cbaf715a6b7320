// gtsv_once_cuda.cu: launches the pivoting solver for many right-hand sides of one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/launch.cuh"
#include "gtsv_once.hpp"
#include "once_solve.cuh"
#include "once_sweep.cuh"

namespace xbatch::tridiagonal {

template <class T>
bool is_solved_once(const Context &context, const GtsvProblem &p) {
    OncePlan plan;
    const BatchStrides &planes = p.a_at.batch;
    const bool has_one =
        (p.batch == 1 && all_systems(p) == 1) || (p.a_at.ld == 0 && planes.stride[1] == 0 && planes.stride[2] == 0);
    const bool has_short_distances =
        p.b_at.layout != XBATCH_LAYOUT_FLAT || p.b_at.ld <= int64_t(UINT32_MAX / sizeof(T));
    return has_one && has_short_distances &&
           plan_once<T>(context, p.n, counted_product(p.batch, p.nrhs), false, false, plan);
}

template <class T>
xbatchStatus_t gtsv_once(Context &context, const GtsvProblem &p, bool is_periodic, const SweepPlan *sweep,
                         void *workspace) {
    const bool flat = p.b_at.layout == XBATCH_LAYOUT_FLAT;
    OncePlan plan;
    plan_once<T>(context, p.n, p.batch * p.nrhs, flat, is_periodic, plan);
    plan.is_wide = !flat && has_wide_rows<T>(p, 16 / int64_t(sizeof(T)));
    Carver carver(workspace);
    const OnceFactors<T> factors(carver, plan);
    XBATCH_TRY(clear_info(context, p.info, p.batch, p.nrhs > 1));
    if (sweep) {
        SweepFactors<T> *const of_rows = reinterpret_cast<SweepFactors<T> *>(factors.down);
        Launch factor(context, 1, 128, 3 * size_t(p.n) * sizeof(T));
        XBATCH_TRY(factor(sweep_factor<T>, "sweep_factor", p, of_rows, factors.bad));
        return solve_sweep<T>(context, p, *sweep, of_rows, factors.bad);
    }
    const size_t rows = 3 * size_t(p.n) * sizeof(T), runs = size_t(plan.chunks) * sizeof(InterfaceEquations<T>);
    Launch factor(context, 1, (plan.chunks + 31) / 32 * 32, std::max(rows, runs));
    XBATCH_TRY(factor(once_factor<T>, "once_factor", p, plan, factors));
    Launch solve(context, (plan.sides - 1) / plan.block_sides() + 1, plan.threads(), once_bytes<T>(plan));
    return solve.rows(p.planes[0], p.planes[1])
        .dependent()(flat ? once_solve<T, true> : once_solve<T, false>, "once_solve", p, plan, factors);
}

template <class T>
size_t gtsv_once_workspace(const Context &context, const GtsvProblem &p) {
    OncePlan plan;
    if (!plan_once<T>(context, p.n, counted_product(p.batch, p.nrhs), false, false, plan)) return 0;
    Carver carver(nullptr);
    OnceFactors<T>(carver, plan);
    return carver.bytes();
}

template <class T>
xbatchStatus_t solve_sweep(Context &context, const GtsvProblem &p, const SweepPlan &plan,
                           const SweepFactors<T> *factors, const int32_t *bad) {
    const bool flat = p.b_at.layout == XBATCH_LAYOUT_FLAT;
    Launch solve(context, plan.blocks, 32 * plan.warps, plan.factor_bytes + plan.warps * plan.tile_bytes);
    return solve.rows(p.planes[0], p.planes[1])
        .dependent()(flat ? sweep_solve<T, true> : sweep_solve<T, false>, "sweep_solve", p, plan, factors, bad);
}

XBATCH_INSTANTIATE_TYPES(is_solved_once);
XBATCH_INSTANTIATE_TYPES(gtsv_once);
XBATCH_INSTANTIATE_TYPES(gtsv_once_workspace);
XBATCH_INSTANTIATE_TYPES(solve_sweep);

}  // namespace xbatch::tridiagonal
