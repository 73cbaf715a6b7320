// pttrf_cuda.cu: stores positive definite matrices for later solves, and launches the kernels for their determinants.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "definite.hpp"
#include "pttrf_kernels.cuh"
#include "rearrange/rearrange.hpp"
#include "spd_factors.cuh"
#include "tridiagonal/nopivot/nopivot_tuning.hpp"

namespace xbatch::tridiagonal {
namespace {

constexpr int run_threads = 128;
constexpr int run_blocks = 8;  // of them on a multiprocessor
template <class T>
constexpr int run_rows = PschemeTuning<Real<T>>::lane_rows;  // per thread

template <class T>
RunPlan plan_runs(const Context &context, const RunProblem &p, bool flat) {
    constexpr int64_t most = run_threads;
    const int64_t wanted = (p.n - 1) / run_rows<T> + 1;  // chunks
    int64_t systems = flat ? 1 : systems_of_line<Real<T>>(p.batch);
    const int64_t chunks = std::min(wanted, most / systems);
    if (flat)
        systems = chunks <= 32 ? 32 / chunks * (most / 32) : most / chunks;
    else
        while (2 * systems * chunks <= most && systems < p.batch) systems *= 2;
    RunPlan plan{};
    plan.shape = block_shape(int(systems), int(chunks), flat);
    plan.groups = (p.batch - 1) / systems + 1;
    plan.tiles = (wanted - 1) / chunks + 1;
    const int64_t resident = int64_t(context.multiprocessors) * run_blocks;
    plan.segments = int(std::min(std::max<int64_t>(resident / plan.groups, 1), plan.tiles));
    return plan;
}

template <class T>
size_t carve(const RunProblem &p, const RunPlan &plan, void *workspace, Run<Real<T>> *&runs) {
    Carver carver(workspace);
    runs = carver.take<Run<Real<T>>>(plan.segments > 1 ? p.batch * plan.segments : 0);
    return carver.bytes();
}

// Copies one array.
template <class T>
xbatchStatus_t store_array(Context &context, const PttrfProblem &p, const Placement &at, const void *from, T *to) {
    const bool is_flat = p.a_at.layout == XBATCH_LAYOUT_FLAT && at.layout == XBATCH_LAYOUT_FLAT;
    if (!is_flat || (p.batch > 1 && p.a_at.ld != p.n))
        return rearrange::rearrange_cuda<T>(context, {p.n, p.batch, p.a_at, at, from, to}, nullptr);
    XBATCH_CUDA(context,
                cudaMemcpyAsync(to, from, size_t(p.n * p.batch) * sizeof(T), cudaMemcpyDefault, stream_of(context)));
    return XBATCH_STATUS_SUCCESS;
}

template <class T, bool FLAT>
xbatchStatus_t find_determinants(Context &context, const RunProblem &p, void *workspace) {
    const RunPlan plan = plan_runs<T>(context, p, FLAT);
    Run<Real<T>> *runs = nullptr;
    carve<T>(p, plan, workspace, runs);
    XBATCH_TRY(Launch(context, plan.groups * plan.segments, run_threads)(pttrf_runs<T, run_rows<T>, FLAT, run_threads>,
                                                                         "pttrf_runs", p, plan, runs));
    if (plan.segments == 1) return XBATCH_STATUS_SUCCESS;
    return Launch(context, p.batch, run_threads)(pttrf_join<T, run_threads>, "pttrf_join", p, plan.segments, runs);
}
template <class T>
xbatchStatus_t find_determinants(Context &context, const RunProblem &p, void *workspace) {
    return p.a_at.layout == XBATCH_LAYOUT_FLAT ? find_determinants<T, true>(context, p, workspace)
                                               : find_determinants<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so the workspace must suffice for both.
template <class T>
size_t workspace_for(const Context &context, const RunProblem &p, xbatchLayout_t layout) {
    Run<Real<T>> *runs;
    const auto bytes = [&](bool flat) { return carve<T>(p, plan_runs<T>(context, p, flat), nullptr, runs); };
    return layout == XBATCH_LAYOUT_FLAT ? bytes(true) : std::max(bytes(true), bytes(false));
}

RunProblem matrices_of(const PttrfProblem &p) { return {p.n, p.batch, 1, p.d, p.e, p.logdet, p.info, p.a_at, false}; }
// One matrix if the systems share it
RunProblem matrices_of(const PtsvProblem &p, bool is_shared) {
    return {p.n, is_shared ? 1 : p.batch, is_shared ? p.batch : 1, p.d, p.e, nullptr, p.info, p.a_at, true};
}

}  // namespace

template <class T>
xbatchStatus_t pttrf_cuda(Context &context, const PttrfProblem &p, void *workspace) {
    const SpdFactors<T> stored(p.layout, p.n, p.batch, p.factors);
    xbatchStatus_t status = store_array(context, p, stored.at, p.d, stored.d);
    if (status == XBATCH_STATUS_SUCCESS) status = store_array(context, p, stored.at, p.e, stored.e);
    if (status != XBATCH_STATUS_SUCCESS || (!p.info && !p.logdet)) return status;
    return find_determinants<T>(context, matrices_of(p), workspace);
}
template <class T>
size_t pttrf_cuda_workspace(const Context &context, const PttrfProblem &p) {
    return workspace_for<T>(context, matrices_of(p), p.layout);
}
template <class T>
xbatchStatus_t report_indefinite(Context &context, const PtsvProblem &p, void *workspace) {
    if (!p.info) return XBATCH_STATUS_SUCCESS;
    return find_determinants<T>(context, matrices_of(p, p.a_at.ld == 0), workspace);
}
template <class T>
size_t report_indefinite_workspace(const Context &context, const PtsvProblem &p) {
    const auto bytes = [&](bool is_shared) { return workspace_for<T>(context, matrices_of(p, is_shared), p.layout); };
    return std::max(bytes(false), bytes(true));
}
template <class T>
size_t pttrf_cuda_factors(const Context &, const PttrfProblem &p) {
    return SpdFactors<T>(p.layout, p.n, p.batch, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(pttrf_cuda);
XBATCH_INSTANTIATE_TYPES(pttrf_cuda_factors);
XBATCH_INSTANTIATE_TYPES(report_indefinite);
XBATCH_INSTANTIATE_TYPES(report_indefinite_workspace);

}  // namespace xbatch::tridiagonal
