// pscheme_cuda.cu: launches the P-scheme for general tridiagonal systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/workspace.hpp"
#include "pscheme_launch.cuh"
#include "pscheme_segments.cuh"

namespace xbatch {
namespace {

// How a batch of long systems is spread over the blocks that the device holds at once.
template <class T>
SegmentPlan plan_segments(const Context &context, const GtsvProblem &p, bool flat) {
    using Tuning = PschemeTuning<T>;
    SegmentPlan plan{};
    const int systems = flat ? 1 : systems_of_line<T>(p.batch);
    plan.threads = Tuning::segment_threads;
    plan.shape = block_shape(systems, plan.threads / systems, flat);
    plan.groups = ((p.batch - 1) / systems + 1) * p.nrhs;
    plan.tiles = (p.n - 1) / (int64_t(plan.shape.chunks) * Tuning::segment_rows) + 1;
    const int64_t resident = int64_t(context.multiprocessors) * Tuning::segment_blocks;
    plan.segments = int(std::max<int64_t>(1, std::min(resident / std::min(plan.groups, resident), plan.tiles)));
    plan.at_once = int(std::min(plan.groups, resident / plan.segments));
    plan.tiles_per_segment = (plan.tiles - 1) / plan.segments + 1;
    return plan;
}

template <class T>
SegmentBuffers<T> carve(Carver &carver, const SegmentPlan &plan) {
    SegmentBuffers<T> buffers;
    buffers.relations = carver.take<Relation<T>>(plan.segments > 1 ? plan.relations() : 0);
    buffers.trail = carver.take<Ends<T>>(plan.trail());
    return buffers;
}

template <class T, bool FLAT>
xbatchStatus_t launch_segments(Context &context, GtsvProblem p, void *workspace) {
    using Tuning = PschemeTuning<T>;
    constexpr int R = Tuning::segment_rows;
    SegmentPlan plan = plan_segments<T>(context, p, FLAT);
    Carver carver(workspace);
    SegmentBuffers<T> buffers = carve<T>(carver, plan);
    const auto kernel = pscheme_segments<T, R, FLAT, Tuning::segment_threads, Tuning::segment_blocks>;
    const size_t bytes = segments_kernel_bytes<T, R, FLAT>(plan.threads, plan.shape.systems, plan.segments);
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    const unsigned blocks = unsigned(plan.segments) * unsigned(plan.at_once);
    if (plan.segments == 1) {
        kernel<<<blocks, plan.threads, bytes, stream_of(context)>>>(p, plan, buffers);
        XBATCH_CUDA_LAUNCHED(context, "pscheme_segments");
    } else {  // blocks wait for each other: the launch must promise that all of them run
        void *arguments[] = {&p, &plan, &buffers};
        XBATCH_CUDA(context, cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3(blocks),
                                                         dim3(plan.threads), arguments, bytes, stream_of(context)));
    }
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t segments_workspace(const Context &context, const GtsvProblem &p, bool flat) {
    Carver carver(nullptr);
    carve<T>(carver, plan_segments<T>(context, p, flat));
    return carver.bytes();
}

}  // namespace

template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &p, void *workspace) {
    const bool flat = is_flat(p);
    const BlockChoice choice = choose<T>(p, flat);
    if (choice.fits)
        return flat ? launch_block<T, true>(context, p, choice) : launch_block<T, false>(context, p, choice);
    return flat ? launch_segments<T, true>(context, p, workspace) : launch_segments<T, false>(context, p, workspace);
}

// The leading dimension may turn another layout into FLAT (layout.hpp), so a workspace serves both.
template <class T>
size_t pscheme_cuda_workspace(const Context &context, const GtsvProblem &p) {
    const size_t flat = choose<T>(p, true).fits ? 0 : segments_workspace<T>(context, p, true);
    if (p.layout == XBATCH_LAYOUT_FLAT) return flat;
    return std::max(flat, choose<T>(p, false).fits ? 0 : segments_workspace<T>(context, p, false));
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
