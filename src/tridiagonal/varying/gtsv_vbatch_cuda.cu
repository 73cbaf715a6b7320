// gtsv_vbatch_cuda.cu: launches the pivoting solver for systems of different lengths.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "gtsv_vbatch_kernels.cuh"
#include "gtsv_vbatch_sort.cuh"
#include "gtsv_vbatch_warps.cuh"

namespace xbatch::tridiagonal {
namespace {

// Most segments of a window: they have more rows than a device processes at a time.
constexpr int64_t window_segments = 1 << 15;
constexpr int64_t waves = 16;  // of blocks that are not persistent, for load balance

template <class T>
struct Plan {
    using Lanes = VBatchLanes<T>;
    int64_t groups, blocks;
    bool by_lanes;
    int warps = Lanes::warps;  // of a block, by lanes
    int64_t segments;          // of the longest possible system; 0 if it needs none
    VBatchLists<T> lists{};
    size_t bytes;

    Plan(const Context &context, const VBatchProblem &p, void *workspace) {
        groups = (p.batch - 1) / VBatchGroup::systems + 1;
        const int64_t pairs = VBatchPairs<T>::of(1, p.maxn);
        int64_t longest = 2 * VBatchPairs<T>::of_segment - int64_t(VBatchPairs<T>::is_padded(1));
        lists.teams_log = Lanes::teams_log, by_lanes = context.has_clusters && p.maxn > Lanes::short_rows;
        if (by_lanes) {
            for (; warps > 1 && VBatchShared<T>::bytes(warps) > size_t(context.shared_per_block); warps /= 2)
                --lists.teams_log;
            longest = Lanes::reach(lists.teams_log);
            while (lists.teams_log > 0 && p.maxn <= Lanes::reach(lists.teams_log - 1)) --lists.teams_log;
            const int64_t units = counted_product(p.batch, p.nrhs), of_block = warps >> lists.teams_log;
            blocks = std::min<int64_t>(Lanes::blocks * context.multiprocessors, (units - 1) / of_block + 1);
        } else {
            lists.teams_log = 0;
            blocks = std::min<int64_t>(waves * VBatchPairs<T>::blocks * context.multiprocessors,
                                       counted_product(p.batch, p.nrhs));
        }
        segments = p.maxn > longest ? VBatchPairs<T>::segments(pairs) : 0;
        lists.all_systems = groups * VBatchGroup::systems;
        Carver carver(workspace);
        lists.systems = carver.take<VBatchSystem>(lists.all_systems);
        lists.units = carver.take<VBatchUnit>(lists.all_systems, int64_t(lists.teams_log + 1));
        lists.counted = carver.take<unsigned long long>(VBatchLists<T>::lists + 1);
        if (segments > 0) {
            lists.capacity = std::max(segments, std::min(segments * p.batch, window_segments)) * p.nrhs;
            lists.longer = carver.take<VBatchLonger>(p.batch);
            lists.equations = carver.take<T>(lists.capacity * InterfaceSegments<T>::values);
        }
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t solve_longer(Context &context, const VBatchProblem &p, const Plan<T> &plan) {
    const auto kernel = vbatch_longer<T>;
    constexpr size_t bytes = vbatch_bytes<T>();
    int resident = 0;  // blocks per multiprocessor
    {
        std::unique_lock<std::mutex> lock;
        XBATCH_TRY(allow_shared(context, kernel, bytes, lock));
        XBATCH_CUDA(context,
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, InterfacePlan::threads, bytes));
    }
    const int64_t blocks = std::min(int64_t(resident) * context.multiprocessors, plan.lists.capacity);
    return Launch(context, blocks, InterfacePlan::threads, bytes).cooperative()(kernel, "vbatch_longer", p, plan.lists);
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_vbatch_cuda(Context &context, const VBatchProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
    const VBatchLists<T> &lists = plan.lists;
    constexpr size_t counted_bytes = (VBatchLists<T>::lists + 1) * sizeof *lists.counted;
    XBATCH_CUDA(context, cudaMemsetAsync(lists.counted, 0, counted_bytes, stream_of(context)));
    const auto sort = plan.by_lanes ? vbatch_sort<T, VBatchLanes<T>> : vbatch_sort<T, VBatchPairs<T>>;
    XBATCH_TRY(Launch(context, plan.groups, VBatchGroup::threads)(sort, "vbatch_sort", p, lists));
    if (plan.by_lanes)
        XBATCH_TRY(Launch(context, plan.blocks, 32 * plan.warps, VBatchShared<T>::bytes(plan.warps))
                       .dependent()(vbatch_warps<T>, "vbatch_warps", p, lists));
    else
        XBATCH_TRY(Launch(context, plan.blocks, InterfacePlan::threads, vbatch_bytes<T>())(vbatch_solve<T>,
                                                                                           "vbatch_solve", p, lists));
    return plan.segments > 0 ? solve_longer(context, p, plan) : XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gtsv_vbatch_cuda_workspace(const Context &context, const VBatchProblem &p) {
    return Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gtsv_vbatch_cuda);

}  // namespace xbatch::tridiagonal
