// block_systems.cuh: the addresses of the systems that the warps of a block solve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/plan/device_plan.hpp"
#include "warp_step.cuh"

namespace xbatch::hines {

// A slot of the ring, and the parity of the passes over it.
struct RingPlace {
    int slot;
    unsigned parity;

    __device__ void move(int steps, int depth) {
        const bool wraps = slot + steps >= depth;
        slot += wraps ? steps - depth : steps, parity ^= unsigned(wraps);
    }
};

// Some systems and one right-hand side, Shape::systems at a time.
template <class S>
struct BlockSystems {
    using Shape = S;
    using T = typename S::Element;
    static constexpr int arrays = HinesCall<T>::arrays, b_array = HinesCall<T>::b_array;

    const HinesCall<T> &p;
    const HinesRange &range;
    const DeviceTree &tree;
    int64_t r;

    __device__ int64_t origin(int a, int64_t k) const {
        return p.place(a).base(tree, range.tree, p.plan, min(k, range.end - 1), a == b_array ? r : 0);
    }
    __device__ int64_t step(int a) const { return p.place(a).step(tree) * int64_t(sizeof(T)); }
    __device__ const char *row_zero(int a, int64_t origin) const {
        return reinterpret_cast<const char *>(p.data(a) + origin) - HinesStep::first_row * step(a);
    }

    // The rows of a tile: row 0 of each array. They are in line if its systems are adjacent in memory, and packed if
    // rows also consist of aligned units of 16 bytes.
    struct Rows {
        const char *from[arrays];
        bool are_in_line, are_packed;
    };
    // By a whole warp. Shared u and l do not count.
    __device__ Rows find_rows(int64_t k, bool has_shared) const {
        const int lane = int(threadIdx.x) % 32, a = lane / 2 % arrays;
        const int64_t own = origin(a, k + lane % 2 * (Shape::systems - 1));
        const int64_t across = __shfl_down_sync(~0u, own, 1) - own;
        const uintptr_t first = reinterpret_cast<uintptr_t>(p.data(a) + own);
        const bool is_free = (a < 2 && has_shared) || lane % 2 == 1;
        const bool is_in_line = across == Shape::systems - 1 && step(a) <= UINT32_MAX;
        const bool is_packed = (first | uintptr_t(step(a))) % 16 == 0;
        Rows rows;
        rows.are_in_line = __all_sync(~0u, is_free || is_in_line) && k + Shape::systems <= range.end;
        rows.are_packed = __all_sync(~0u, is_free || is_packed);
#pragma unroll
        for (int i = 0; i < arrays; ++i) rows.from[i] = row_zero(i, __shfl_sync(~0u, own, 2 * i));
        return rows;
    }
    // Offsets of the first elements of all systems of a tile, by a whole warp
    __device__ void find_origins(int64_t k, int64_t *origins) const {
        __syncwarp();
        for (int q = int(threadIdx.x) % 32; q < arrays * Shape::systems; q += 32)
            origins[q] = origin(q / Shape::systems, k + q % Shape::systems);
        __syncwarp();
    }
    // Report nodes of system k that a lane found, encoded as for last_of_lanes: the last one with a bad pivot, the same
    // for all right-hand sides, and one whose unknown is not finite.
    template <int LANES>
    __device__ void report_pivots(int64_t k, int bad) const {
        if (!p.info || r > 0) return;
        const int last = last_of_lanes(bad, LANES);
        if (int(threadIdx.x) % 32 < LANES && k < range.end)
            put_info(p.info + p.system(tree, k), p.nrhs, last > 0, last - 1);
    }
    template <int LANES>
    __device__ void report_unknowns(int64_t k, int lost) const {
        if (p.info && last_of_lanes(lost, LANES) > 0 && int(threadIdx.x) % 32 < LANES && k < range.end)
            report(p.info + p.system(tree, k), tree.n);
    }
};

}  // namespace xbatch::hines
