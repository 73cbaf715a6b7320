// geqrf_copied_cuda.cpp: copies parts of a batch to the workspace, factors them there, and copies them back.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf_copied.hpp"

#include <algorithm>

#include "core/cuda.hpp"
#include "core/workspace.hpp"
#include "rearrange/rearrange.hpp"

namespace xbatch::qr {
namespace {

// The workspace: flat matrices, a multiple of the number of multiprocessors, which factor one each at a time
template <class T>
struct CopiedPlan {
    T *a;
    int64_t most;  // matrices
    size_t bytes;

    CopiedPlan(const Context &context, const GeqrfBatch &p, void *workspace) {
        constexpr int64_t wanted = int64_t(64) << 20;  // bytes
        const int64_t together = context.multiprocessors, own = p.m * p.n * int64_t(sizeof(T));
        most = std::min(std::max(wanted / (together * own), int64_t(1)) * together, p.batch);
        Carver carver(workspace);
        a = carver.take<T>(p.m, p.n, most);
        bytes = carver.bytes();
    }
};

// `count` matrices from `first` on, which lie in one block of the layout or fill several
template <class T>
xbatchStatus_t factor_part(Context &context, const GeqrfBatch &p, const CopiedPlan<T> &plan, int64_t first,
                           int64_t count) {
    const int64_t size = p.m * p.n, width = p.a_at.stride;
    T *const data = static_cast<T *>(p.a) + p.a_at.base(first);
    const bool is_one_block = p.a_at.layout == XBATCH_LAYOUT_INTERLEAVED || count <= width - first % width;
    const auto layout = is_one_block ? XBATCH_LAYOUT_INTERLEAVED : XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    const Placement own{layout, size, 1, width, width, 0}, flat{XBATCH_LAYOUT_FLAT, size, 1, size, 1, 0};
    GeqrfBatch part = p;
    part.layout = XBATCH_LAYOUT_FLAT, part.batch = count, part.a = plan.a;
    part.a_at = matrix_placement(XBATCH_LAYOUT_FLAT, p.n, count, p.m, size);
    part.tau = static_cast<T *>(p.tau) + p.tau_at.base(first, 0);
    if (is_one_block) part.tau_at.layout = XBATCH_LAYOUT_INTERLEAVED;
    if (p.info) part.info = p.info + first;
    XBATCH_TRY(rearrange::rearrange_cuda<T>(context, {size, count, own, flat, data, plan.a}, nullptr));
    XBATCH_TRY(geqrf_batch_cuda<T>(context, part, nullptr));
    return rearrange::rearrange_cuda<T>(context, {size, count, flat, own, plan.a, data}, nullptr);
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_copied_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    const CopiedPlan<T> plan(context, p, workspace);
    const int64_t width = p.a_at.layout == XBATCH_LAYOUT_INTERLEAVED ? p.batch : p.a_at.stride;
    for (int64_t first = 0, count = 0; first < p.batch; first += count) {
        const int64_t in_blocks = plan.most / width * width;
        count = std::min(in_blocks > 0 ? in_blocks : std::min(plan.most, width - first % width), p.batch - first);
        XBATCH_TRY(factor_part<T>(context, p, plan, first, count));
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t geqrf_copied_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    return CopiedPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(geqrf_copied_cuda);

}  // namespace xbatch::qr
