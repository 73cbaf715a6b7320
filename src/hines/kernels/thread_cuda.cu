// thread_cuda.cu: launches the paper's kernels, once for each morphology.
// SPDX-License-Identifier: BSD-3-Clause
#include "thread_cuda.hpp"

#include <algorithm>

#include "core/launch.cuh"
#include "thread_kernels.cuh"

namespace xbatch::hines {
namespace {

constexpr int64_t threads_of_block = 128, most_threads = 1024;

// The pivots are laid out as the paper's d, but in blocks of 32 systems, which are whole cache lines, for any width of
// the caller's.
struct Pivots {
    xbatchLayout_t layout;
    int64_t ld;
    explicit Pivots(const HinesProblem &p)
        : layout(p.layout == XBATCH_LAYOUT_FLAT ? p.layout : XBATCH_LAYOUT_BLOCK_INTERLEAVED),
          ld(p.layout != XBATCH_LAYOUT_FLAT ? 32 : p.plan->trees[0].n()) {}
};

// The placements of all groups.
struct Places {
    std::vector<GroupPlacement> upper, d, b, pivots;
    explicit Places(const HinesProblem &p)
        : upper(hines_placement(*p.plan, p.layout, 1, p.batch, p.ldul)),
          d(hines_placement(*p.plan, p.layout, 1, p.batch, p.ldd)),
          b(hines_placement(*p.plan, p.layout, p.nrhs, p.batch, p.ldb)),
          pivots(hines_placement(*p.plan, Pivots(p).layout, 1, p.batch, Pivots(p).ld)) {}
};

// With pointers for the device
GroupPlacement on_device(GroupPlacement at, const DeviceTrees &trees) {
    if (at.first_node) at.first_node = trees.first_node;
    return at;
}

template <class T>
HinesThreads<T> group_threads(const HinesProblem &p, const Places &places, const DeviceTrees &trees, int64_t m,
                              void *workspace) {
    const HinesPlan &plan = *p.plan;
    const size_t g = size_t(m);
    HinesThreads<T> threads{};
    threads.upper = static_cast<const T *>(p.upper), threads.lower = static_cast<const T *>(p.lower);
    threads.d = static_cast<const T *>(p.d);
    threads.b = static_cast<T *>(p.b), threads.pivots = static_cast<T *>(workspace);
    threads.upper_at = on_device(places.upper[g], trees), threads.d_at = on_device(places.d[g], trees);
    threads.b_at = on_device(places.b[g], trees);
    threads.pivots_at = on_device(places.pivots[g], trees);
    threads.parent = trees.parent + plan.trees[g].first;
    threads.members = plan.is_mixed ? trees.members + plan.first_member[g] : nullptr;
    threads.n = plan.trees[g].n(), threads.count = plan.group(m, p.batch).count, threads.nrhs = p.nrhs;
    threads.is_conjugated = p.is_conjugated;
    threads.info = p.info;
    return threads;
}

template <class T, bool IN_SHARED>
xbatchStatus_t launch(Context &context, const HinesThreads<T> &threads, int64_t width) {
    const int64_t blocks = (threads.count - 1) / width + 1;
    const size_t bytes = IN_SHARED ? size_t(width * threads.n) * sizeof(T) : 0;
    return Launch(context, blocks, width, bytes)(hines_thread<T, IN_SHARED>, "hines_thread", threads);
}

// Before anything is written.
template <class T>
xbatchStatus_t check_shared(Context &context, const HinesProblem &p) {
    if (p.layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED)
        return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "XBATCH_HINES_THREAD_SHARED is for BLOCK_INTERLEAVED alone");
    const int64_t most = context.shared_per_block / int64_t(sizeof(T));
    for (int64_t m = 0; m < p.plan->groups(); ++m) {
        const int64_t n = p.plan->trees[size_t(m)].n(), width = std::min(p.ldb, p.plan->group(m, p.batch).count);
        if (width > 0 && n > most / width)
            return fail(context, XBATCH_STATUS_NOT_SUPPORTED,
                        "blocks of %lld systems of %lld nodes do not fit shared memory", (long long)width,
                        (long long)n);
    }
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t hines_thread_cuda(Context &context, const HinesProblem &p, const DeviceTrees &trees, void *workspace) {
    const bool in_shared = p.plan->algorithm == XBATCH_HINES_THREAD_SHARED;
    xbatchStatus_t status = in_shared ? check_shared<T>(context, p) : XBATCH_STATUS_SUCCESS;
    const Places places(p);
    for (int64_t m = 0; m < p.plan->groups() && status == XBATCH_STATUS_SUCCESS; ++m) {
        const HinesThreads<T> threads = group_threads<T>(p, places, trees, m, workspace);
        if (threads.count == 0) continue;
        status = in_shared ? launch<T, true>(context, threads, std::min({p.ldb, threads.count, most_threads}))
                           : launch<T, false>(context, threads, threads_of_block);
    }
    return status;
}

template <class T>
size_t hines_thread_workspace(const HinesProblem &p) {
    const Pivots pivots(p);
    return size_t(hines_extent(*p.plan, pivots.layout, 1, p.batch, pivots.ld)) * sizeof(T);
}

XBATCH_INSTANTIATE_TYPES(hines_thread_cuda);
XBATCH_INSTANTIATE_TYPES(hines_thread_workspace);

}  // namespace xbatch::hines
