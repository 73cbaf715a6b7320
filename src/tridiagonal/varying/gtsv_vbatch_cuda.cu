// gtsv_vbatch_cuda.cu: launches the pivoting solver for systems of different lengths.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "gtsv_vbatch_kernels.cuh"
#include "gtsv_vbatch_sort.cuh"

namespace xbatch::tridiagonal {
namespace {

// Most segments of a window: they have more rows than a device processes at a time.
constexpr int64_t window_segments = 1 << 15;
// Fewest blocks of a group, and of all groups per multiprocessor: enough for load balance.
constexpr int64_t least_of_group = 32, waves = 48, most_right_sides = 65535;

template <class T>
struct Plan {
    int64_t groups, blocks_of_group;
    int64_t right_sides;  // at a time
    int64_t segments;     // of the longest possible system; 0 if it fits a block
    VBatchLists<T> lists{};
    size_t bytes;

    Plan(const Context &context, const VBatchProblem &p, void *workspace) {
        using Group = VBatchGroup;
        groups = (p.batch - 1) / Group::systems + 1;
        const int64_t pairs = VBatchPairs<T>::of(1, p.maxn);
        const int64_t systems_of_unit = std::max<int64_t>(1, VBatchPairs<T>::of_segment / pairs / 2);
        const int64_t units = std::min<int64_t>(p.batch, Group::systems) / systems_of_unit + Group::classes;
        const int64_t wanted = std::max(least_of_group, waves * context.multiprocessors / groups);
        blocks_of_group = std::min(units, wanted);
        right_sides = std::min<int64_t>({p.nrhs, most_right_sides, (wanted - 1) / blocks_of_group + 1});
        segments = pairs > VBatchPairs<T>::of_segment ? VBatchPairs<T>::segments(pairs) : 0;
        Carver carver(workspace);
        lists.systems = carver.take<VBatchSystem>(groups * Group::systems);
        lists.units = carver.take<VBatchUnit>(groups * Group::most_units);
        lists.unit_counts = carver.take<int32_t>(groups);
        if (segments > 0) {
            lists.capacity = std::max(segments, std::min(segments * p.batch, window_segments)) * p.nrhs;
            lists.longer = carver.take<VBatchLonger>(p.batch);
            lists.counted = carver.take<unsigned long long>(1);
            lists.equations = carver.take<T>(lists.capacity * InterfaceSegments<T>::values);
        }
        bytes = carver.bytes();
    }
};

template <class T>
xbatchStatus_t solve_longer(Context &context, const VBatchProblem &p, const Plan<T> &plan) {
    const auto kernel = vbatch_longer<T>;
    constexpr size_t bytes = vbatch_bytes<T>();
    XBATCH_TRY(allow_shared(context, kernel, bytes));
    int resident = 0;  // blocks per multiprocessor
    XBATCH_CUDA(context,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, InterfacePlan::threads, bytes));
    const int64_t blocks = std::min(int64_t(resident) * context.multiprocessors, plan.lists.capacity);
    return Launch(context, blocks, InterfacePlan::threads, bytes).cooperative()(kernel, "vbatch_longer", p, plan.lists);
}

}  // namespace

template <class T>
xbatchStatus_t gtsv_vbatch_cuda(Context &context, const VBatchProblem &p, void *workspace) {
    const Plan<T> plan(context, p, workspace);
    const int64_t blocks = plan.groups * plan.blocks_of_group;
    XBATCH_TRY(check_blocks(context, blocks));
    if (plan.segments > 0)
        XBATCH_CUDA(context, cudaMemsetAsync(plan.lists.counted, 0, sizeof *plan.lists.counted, stream_of(context)));
    XBATCH_TRY(Launch(context, plan.groups, VBatchGroup::threads)(vbatch_sort<T>, "vbatch_sort", p, plan.lists));
    XBATCH_TRY(Launch(context, blocks, InterfacePlan::threads, vbatch_bytes<T>())
                   .rows(plan.right_sides)(vbatch_solve<T>, "vbatch_solve", p, plan.lists, int(plan.blocks_of_group)));
    return plan.segments > 0 ? solve_longer(context, p, plan) : XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gtsv_vbatch_cuda_workspace(const Context &context, const VBatchProblem &p) {
    return Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gtsv_vbatch_cuda);

}  // namespace xbatch::tridiagonal
