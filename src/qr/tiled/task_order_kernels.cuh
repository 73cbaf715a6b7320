// task_order_kernels.cuh: sorts the tasks of tiled QR by their levels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cub/block/block_scan.cuh>

#include "task_order.hpp"

namespace xbatch::qr {

constexpr int order_threads = 256;

// f(step, column) for the tasks of panel blockIdx.x, in parts of blockIdx.y
template <class F>
__device__ void each_task_of_panel(const TiledTaskOrder &order, F f) {
    const int32_t panel = int32_t(blockIdx.x);
    const PanelOrder panel_order(order.job.tiling, panel);
    const int32_t each = order.tasks_of_step(panel);
    const int64_t count = int64_t(panel_order.steps()) * each;
    for (int64_t k = int64_t(blockIdx.y) * order_threads + threadIdx.x; k < count; k += gridDim.y * order_threads) {
        const int32_t number = int32_t(k / each), column = order.column(panel, int32_t(k - int64_t(number) * each));
        const OrderedStep step(panel_order, number, order.reach);
        if (order.length(panel, step, column) > 0) f(step, column);
    }
}

// The changes of each tile before each panel, and in total
__global__ void __launch_bounds__(order_threads) count_changes(TiledTaskOrder order, int32_t *changes) {
    const int32_t tile = int32_t(blockIdx.x * order_threads + threadIdx.x);
    if (tile >= order.tiles) return;
    int32_t sum = 0;
    for (int32_t panel = 0; panel <= order.panels; ++panel) {
        changes[int64_t(panel) * order.tiles + tile] = sum;
        if (panel < order.panels) sum += PanelOrder(order.job.tiling, panel).changes(tile);
    }
}

__global__ void __launch_bounds__(order_threads) count_tasks(TiledTaskOrder order, int32_t *in_level) {
    const int32_t panel = int32_t(blockIdx.x);
    each_task_of_panel(order, [&](const OrderedStep &step, int32_t column) {
        atomicAdd(in_level + order.level(panel, step, column), 1);
    });
}

// Exclusive sums, in place, by one block
constexpr int sum_threads = 1024;
__global__ void __launch_bounds__(sum_threads) sum_levels(int32_t *in_level, int32_t levels) {
    using Scan = cub::BlockScan<int32_t, sum_threads>;
    __shared__ typename Scan::TempStorage storage;
    int32_t before = 0;
    for (int32_t first = 0; first < levels; first += sum_threads) {
        const int32_t level = first + int32_t(threadIdx.x);
        int32_t sum = level < levels ? in_level[level] : 0, all;
        Scan(storage).ExclusiveSum(sum, sum, all);
        if (level < levels) in_level[level] = before + sum;
        before += all;
        __syncthreads();
    }
}

// Each task takes the next place of its level; the order within a level does not affect the result.
__global__ void __launch_bounds__(order_threads)
    place_tasks(TiledTaskOrder order, int32_t *next_of_level, const int32_t *changes, TileTask *tasks) {
    const int32_t panel = int32_t(blockIdx.x);
    each_task_of_panel(order, [&](const OrderedStep &step, int32_t column) {
        const int32_t place = atomicAdd(next_of_level + order.level(panel, step, column), 1);
        tasks[place] = order.task(changes, panel, step, column);
    });
}

}  // namespace xbatch::qr
