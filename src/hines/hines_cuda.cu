// hines_cuda.cu: Hines systems on the GPU: picks the kernel for layout and shape, and launches it.
// SPDX-License-Identifier: BSD-3-Clause
#include <cub/warp/warp_scan.cuh>

#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "hines/kernels/grid_kernels.cuh"
#include "hines/kernels/spill_kernels.cuh"
#include "hines/kernels/thread_cuda.hpp"
#include "hines_pieces.cuh"

namespace xbatch::hines {
namespace {

// Computes the number of elements of one right-hand side before each morphology, in blocks of ld systems; one warp.
__global__ void first_of_groups(const DeviceTree *trees, int groups, int64_t ld, int64_t *first) {
    using Scan = cub::WarpScan<int64_t>;
    __shared__ typename Scan::TempStorage storage;
    int64_t before = 0;
    for (int m0 = 0; m0 < groups; m0 += 32) {
        const int m = m0 + int(threadIdx.x);
        int64_t sum = m < groups ? (trees[m].members + ld - 1) / ld * ld * trees[m].n : 0, all;
        Scan(storage).ExclusiveSum(sum, sum, all);
        if (m < groups) first[m] = before + sum;
        before += all;
        __syncwarp();
    }
}

bool is_by_threads(const HinesPlan &plan) {
    return plan.algorithm == XBATCH_HINES_THREAD || plan.algorithm == XBATCH_HINES_THREAD_SHARED;
}

// The number of systems that are adjacent in memory
int64_t wide(const HinesProblem &p, int64_t count) {
    return p.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED ? std::max({p.ldul, p.ldd, p.ldb}) : count;
}

// The systems of one tree whose c and g are spilled: `sides` right-hand sides in a launch, each in `blocks` blocks.
template <class T>
struct SpillLaunch {
    const DeviceTree &tree;
    HinesChoice choice;
    int64_t sides, blocks;

    SpillLaunch(const Context &context, const HinesProblem &p, const DeviceTree &tree, int64_t count, int64_t wide)
        : tree(tree), choice(choose_spilled<T>(context, tree, count * p.nrhs, wide)) {
        const int64_t most = context.multiprocessors;
        sides = std::min(p.nrhs, most), blocks = std::min((count - 1) / choice.systems + 1, most / sides);
    }
    int64_t stored_bytes() const {
        int64_t bytes = 0;
        for_shape([&](auto shape) { bytes = choice.warps * decltype(shape)::row_bytes; });
        return blocks * sides * bytes * (tree.stored_rows - choice.rows);
    }
    template <class F>
    void for_shape(F f) const {
        for_spill_shapes<T>([&](auto shape) {
            if (decltype(shape)::warps == choice.warps) f(shape);
        });
    }
};

// Enough for any number of systems side by side, which depends on leading dimensions, and the size query has none. The
// choice changes only where that number reaches the systems of a shape.
template <class T>
int64_t most_stored_bytes(const Context &context, const HinesProblem &p, const DeviceTree &tree, int64_t count) {
    int64_t most = SpillLaunch<T>(context, p, tree, count, 1).stored_bytes();
    for_spill_shapes<T>([&](auto shape) {
        most = std::max(most, SpillLaunch<T>(context, p, tree, count, decltype(shape)::systems).stored_bytes());
    });
    return most;
}

template <class T>
struct Plan {
    int64_t *first[3] = {};  // of u and l, d, b, for mixed batches in blocks
    int64_t grid_elements = 0;
    T *grid = nullptr;      // of a window that is solved level by level
    char *kept = nullptr;   // c and g that are spilled
    char *ports = nullptr;  // of trees in pieces
    bool has_pieces = false;
    size_t bytes;

    Plan(const Context &context, const HinesProblem &p, void *workspace) {
        const DevicePlan &tables = *p.plan->tables;
        Carver carver(workspace);
        if (p.plan->is_mixed && p.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED)
            for (auto &one : first) one = carver.take<int64_t>(int64_t(tables.trees.size()));
        int64_t stored_bytes = 0, port_bytes = 0;
        for (int64_t m = 0; m < p.plan->groups(); ++m) {
            const int64_t count = p.plan->group(m, p.batch).count;
            const DeviceTree &tree = tables.trees[size_t(m)];
            const HinesWay way = tree.way_of(p.plan->algorithm);
            if (count > 0 && way == HinesWay::by_levels)
                grid_elements = std::max(grid_elements, window_elements(tree, p.nrhs, count));
            if (count > 0 && way == HinesWay::spilled)
                stored_bytes = std::max(stored_bytes, most_stored_bytes<T>(context, p, tree, count));
            if (count > 0 && way == HinesWay::in_pieces)
                has_pieces = true, port_bytes = std::max(port_bytes, PieceSolve<T>::bytes(tables, tree, count));
        }
        grid = carver.take<T>(grid_elements), kept = carver.take<char>(stored_bytes);
        ports = carver.take<char>(port_bytes);
        bytes = carver.bytes();
    }

    static int64_t window_systems(const DeviceTree &tree, int64_t nrhs, int64_t count) {
        return std::clamp<int64_t>(HinesTuning::grid_workers / (tree.workers * nrhs), 1, count);
    }
    static int64_t window_elements(const DeviceTree &tree, int64_t nrhs, int64_t count) {
        return window_systems(tree, nrhs, count) * nrhs * (4 * int64_t(tree.n) + 2 * tree.slots);
    }
};

HinesArray array_of(const HinesProblem &p, int64_t nrhs, int64_t ld, const int64_t *first) {
    HinesArray array{HinesArray::plain, {}, ld, nrhs, nullptr};
    if (ld == 0) {
        array.kind = HinesArray::shared;
    } else if (!p.plan->is_mixed) {
        array.at = placement(p.layout, p.plan->trees[0].n(), nrhs, p.batch, ld);
    } else if (p.layout == XBATCH_LAYOUT_FLAT) {
        array.kind = HinesArray::mixed_flat;
    } else if (p.layout == XBATCH_LAYOUT_INTERLEAVED) {
        array.kind = HinesArray::mixed_interleaved, array.group_first = p.plan->tables->group_first;
    } else {
        array.kind = HinesArray::mixed_block, array.group_first = first;
    }
    return array;
}

// Whether the nodes of a system are contiguous.
bool is_flat(const HinesArray &array) {
    switch (array.kind) {
        case HinesArray::plain: return array.at.step == 1;
        case HinesArray::mixed_block: return array.ld == 1;
        default: return array.kind != HinesArray::mixed_interleaved;
    }
}
template <class T>
bool is_flat(const HinesCall<T> &call) {
    return is_flat(call.ul_at) && is_flat(call.d_at) && is_flat(call.b_at);
}

// A window of systems, level by level
template <class T>
class GridRun {
public:
    GridRun(Context &context, const HinesCall<T> &call, const GridWindow<T> &window, const DeviceTree &tree)
        : context_(context), call_(call), window_(window), tree_(tree) {}

    xbatchStatus_t run(const std::vector<SubtreeLevel> &levels) {
        move<false>(4);
        step<GridJob::clear>(0, std::max(tree_.slots, tree_.root_count));
        for (int level = 0; level < int(levels.size()); ++level) {
            if (level > 0) step<GridJob::join>(level, levels[level].joints);
            step<GridJob::eliminate>(level, levels[level].workers);
        }
        for (int level = int(levels.size()) - 1; level >= 0; --level)
            step<GridJob::substitute>(level, levels[level].workers);
        move<true>(1);
        return status_;
    }

private:
    template <bool IS_BACK>
    void move(int arrays) {
        if (status_ != XBATCH_STATUS_SUCCESS) return;
        const int64_t blocks = ((tree_.n + 31) / 32) * ((window_.wide + 31) / 32);
        status_ = Launch(context_, blocks, grid_move_threads)
                      .rows(arrays)(hines_grid_move<T, IS_BACK>, "hines_grid_move", call_, window_);
    }
    template <GridJob JOB>
    void step(int level, int64_t workers) {
        if (status_ != XBATCH_STATUS_SUCCESS) return;
        constexpr int threads = 128;
        const int64_t blocks = (workers * window_.wide + threads - 1) / threads;
        status_ = Launch(context_, blocks, threads)(hines_grid<T, JOB>, "hines_grid", call_, window_, level);
    }

    Context &context_;
    const HinesCall<T> &call_;
    const GridWindow<T> &window_;
    const DeviceTree &tree_;
    xbatchStatus_t status_ = XBATCH_STATUS_SUCCESS;
};

// All systems of morphology m, window by window
template <class T>
xbatchStatus_t solve_on_grid(Context &context, const HinesCall<T> &call, const DevicePlan &tables, int32_t m,
                             int64_t count, T *memory) {
    const DeviceTree &tree = tables.trees[size_t(m)];
    const int64_t most = Plan<T>::window_systems(tree, call.nrhs, count);
    for (int64_t k0 = 0; k0 < count; k0 += most) {
        const int64_t systems = std::min(most, count - k0), wide = systems * call.nrhs;
        T *const l = memory + wide * tree.n, *const d = l + wide * tree.n, *const b = d + wide * (tree.n + tree.slots);
        const GridWindow<T> window{m, k0, systems, wide, memory, l, d, b};
        XBATCH_TRY(GridRun<T>(context, call, window, tree).run(tables.levels[size_t(m)]));
    }
    return XBATCH_STATUS_SUCCESS;
}

// All systems of morphology m, c and g in global memory
template <class T>
xbatchStatus_t solve_spilled(Context &context, const HinesCall<T> &call, const HinesProblem &p, int32_t m,
                             int64_t count, char *kept) {
    const SpillLaunch<T> launch(context, p, p.plan->tables->trees[size_t(m)], count, wide(p, count));
    void (*kernel)(HinesCall<T>, int32_t, int64_t, int64_t, int, int, int, char *) = nullptr;
    launch.for_shape([&](auto shape) { kernel = hines_spill<T, decltype(shape)::warps>; });
    const HinesChoice &choice = launch.choice;
    for (int64_t r = 0; r < p.nrhs; r += launch.sides) {
        const int sides = int(std::min(launch.sides, p.nrhs - r));
        XBATCH_TRY(Launch(context, launch.blocks * sides, choice.threads, choice.bytes)(
            kernel, "hines_spill", call, m, count, r, sides, choice.depth, choice.rows, kept));
    }
    return XBATCH_STATUS_SUCCESS;
}

// All systems of morphology m, which are too large for the memory of warps on chip
template <class T>
xbatchStatus_t solve_large(Context &context, const HinesCall<T> &call, const HinesProblem &p, int32_t m, int64_t count,
                           bool flat, const Plan<T> &plan) {
    const DevicePlan &tables = *p.plan->tables;
    const HinesWay way = tables.trees[size_t(m)].way_of(p.plan->algorithm);
    if (way == HinesWay::in_pieces)
        return PieceSolve<T>(context, tables)
            .run(call, tables.trees[size_t(m)], m, count, flat, wide(p, count), plan.ports);
    return way == HinesWay::spilled ? solve_spilled(context, call, p, m, count, plan.kept)
                                    : solve_on_grid(context, call, tables, m, count, plan.grid);
}

// Whether all that is computed for a system remains on chip
bool is_on_chip(HinesWay way) { return way == HinesWay::on_chip || way == HinesWay::condensed; }

template <class T>
xbatchStatus_t solve_mixed(Context &context, HinesCall<T> call, const HinesProblem &p, bool flat, const Plan<T> &plan) {
    const DevicePlan &tables = *p.plan->tables;
    call.ranges = tables.ranges;
    for (const auto &launch : tables.launches<T>(p.plan->algorithm, flat, p.ldul == 0))
        XBATCH_TRY(launch_ranges(context, call, launch.choice, launch.first, launch.blocks));
    for (int64_t m = 0; m < p.plan->groups(); ++m) {
        const DeviceTree &tree = tables.trees[size_t(m)];
        if (tree.members == 0 || is_on_chip(tree.way_of(p.plan->algorithm))) continue;
        XBATCH_TRY(solve_large(context, call, p, int32_t(m), tree.members, flat, plan));
    }
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t hines_cuda(Context &context, const HinesProblem &p, void *workspace) {
    const DevicePlan &tables = *p.plan->tables;
    if (is_by_threads(*p.plan))
        return hines_thread_cuda<T>(context, p, {tables.parent, tables.on_device.members, tables.on_device.first_node},
                                    workspace);
    const Plan<T> plan(context, p, workspace);
    const int64_t lds[] = {p.ldul, p.ldd, p.ldb};
    for (int a = 0; a < 3; ++a)
        if (plan.first[a] && lds[a] > 0)
            XBATCH_TRY(Launch(context, 1, 32)(first_of_groups, "first_of_groups", tables.on_device.trees,
                                              int(tables.trees.size()), lds[a], plan.first[a]));
    HinesCall<T> call{};
    call.plan = tables.on_device;
    call.u = static_cast<const T *>(p.upper), call.l = static_cast<const T *>(p.lower);
    call.d = static_cast<const T *>(p.d), call.b = static_cast<T *>(p.b);
    call.ul_at = array_of(p, 1, p.ldul, plan.first[0]), call.d_at = array_of(p, 1, p.ldd, plan.first[1]);
    call.b_at = array_of(p, p.nrhs, p.ldb, plan.first[2]);
    call.batch = p.batch, call.nrhs = p.nrhs, call.is_conjugated = p.is_conjugated, call.info = p.info;
    XBATCH_TRY(clear_info(context, p.info, p.batch, plan.grid_elements > 0 || plan.has_pieces || p.nrhs > 1));
    const bool flat = is_flat(call);
    if (p.plan->is_mixed) return solve_mixed(context, call, p, flat, plan);
    const DeviceTree &tree = tables.trees[0];
    const HinesWay way = tree.way_of(p.plan->algorithm);
    if (!is_on_chip(way)) return solve_large(context, call, p, 0, p.batch, flat, plan);
    const std::vector<HinesShare> share = {{&tree, p.batch}};
    const HinesChoice choice = way == HinesWay::condensed
                                   ? choose_condensed<T>(context, share, flat, wide(p, p.batch))
                                   : choose_warps<T>(context, share, flat, p.ldul == 0, wide(p, p.batch));
    const int64_t most = int64_t(context.multiprocessors) * choice.blocks;
    return launch_ranges(context, call, choice, 0, std::min((p.batch - 1) / choice.systems + 1, most));
}

template <class T>
size_t hines_cuda_workspace(const Context &context, const HinesProblem &p) {
    return is_by_threads(*p.plan) ? hines_thread_workspace<T>(p) : Plan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(hines_cuda);

}  // namespace xbatch::hines
