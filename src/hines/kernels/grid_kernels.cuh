// grid_kernels.cuh: trees of any size, level by level over the whole device, through global memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "subtree_step.cuh"

namespace xbatch::hines {

// Some systems of one morphology, k0 … k0 + systems - 1, with all right-hand sides: q counts both, the systems first.
// Work arrays hold a row of each q: u and l of the tree's nodes, d and b of nodes and slots.
template <class T>
struct GridWindow {
    int32_t tree;
    int64_t k0, systems, wide;
    T *u, *l, *d, *b;
};

// Copies array a of the batch to the work arrays, or b back, 32 nodes of 32 systems at a time. a is blockIdx.y. Lanes
// run along the nodes if these are contiguous in the batch.
constexpr int grid_move_threads = 256;
template <class T, bool IS_BACK>
__global__ void __launch_bounds__(grid_move_threads) hines_grid_move(HinesCall<T> p, GridWindow<T> window) {
    __shared__ T square[32][33];
    const DeviceTree &tree = p.plan.trees[window.tree];
    const int a = IS_BACK ? p.b_array : int(blockIdx.y), lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const HinesArray &place = p.place(a);
    const T *const data = p.data(a);
    T *const rows = a == 0 ? window.u : a == 1 ? window.l : a == 2 ? window.d : window.b;
    const int64_t across = (window.wide + 31) / 32, step = place.step(tree);
    const int64_t v0 = int64_t(blockIdx.x) / across * 32, q0 = int64_t(blockIdx.x) % across * 32;
    const auto outside = [&](int v, int q) {
        const int64_t r = (q0 + q) / window.systems, k = window.k0 + q0 + q - r * window.systems;
        return place.base(tree, window.tree, p.plan, k, a == p.b_array ? r : 0) + (v0 + v) * step;
    };
    const auto inside = [&](int v, int q) { return (v0 + v) * window.wide + q0 + q; };
    const auto for_each = [&](bool nodes_first, auto f) {
        for (int i = warp; i < 32; i += grid_move_threads / 32) {
            const int v = nodes_first ? lane : i, q = nodes_first ? i : lane;
            if (v0 + v < tree.n && q0 + q < window.wide) f(v, q);
        }
    };
    if (IS_BACK) {
        for_each(false, [&](int v, int q) { square[v][q] = rows[inside(v, q)]; });
        __syncthreads();
        for_each(step == 1, [&](int v, int q) { p.b[outside(v, q)] = square[v][q]; });
    } else {
        for_each(step == 1, [&](int v, int q) {
            const T value = data[outside(v, q)];
            square[v][q] = p.is_conjugated && a != p.b_array ? conjugate(value) : value;
        });
        __syncthreads();
        for_each(false, [&](int v, int q) { rows[inside(v, q)] = square[v][q]; });
    }
}

enum class GridJob { clear, join, eliminate, substitute };

// A thread is worker, joint, or root and slot to be cleared, number w, of system q.
template <class T, GridJob JOB>
__global__ void __launch_bounds__(128) hines_grid(HinesCall<T> p, GridWindow<T> window, int level_number) {
    const DeviceTree &tree = p.plan.trees[window.tree];
    const DeviceSubtrees tables = tree.at(tree.tables);
    const SubtreeLevel level = tables.levels[level_number];
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x, q = t % window.wide;
    const int w = int(t / window.wide);
    const auto bytes = [&](T *row) { return reinterpret_cast<char *>(row + q); };
    const TreeRows<T, int64_t> rows{bytes(window.u), bytes(window.l), bytes(window.d), bytes(window.b),
                                    window.wide * int64_t(sizeof(T))};
    if (JOB == GridJob::clear) return clear_rows(tree, w, rows);
    if (w >= (JOB == GridJob::join ? level.joints : level.workers)) return;
    if (JOB == GridJob::join) join(tables, tables.joints[level.first_joint + w], rows);
    if (JOB == GridJob::substitute) {
        const bool is_solved = substitute_level(tables, level, w, rows);
        if (!is_solved && p.info) report(p.info + p.system(tree, window.k0 + q % window.systems), tree.n);
    }
    if (JOB == GridJob::eliminate) {
        const int bad = eliminate_level(tables, level, w, rows, 0);
        if (bad > 0 && p.info && q < window.systems) atomicMax(p.info + p.system(tree, window.k0 + q), bad);
    }
}

}  // namespace xbatch::hines
