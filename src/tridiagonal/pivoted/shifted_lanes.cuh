// shifted_lanes.cuh: shifted systems that are left open, solved with pivoting by any number of lanes each, on devices
// with clusters.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "columns_block.cuh"
#include "core/block_barrier.cuh"
#include "flat_block.cuh"

namespace xbatch::tridiagonal {

// What open[] has a byte for: right-hand side r of system j. That of FLAT systems was numbered as a system.
template <bool FLAT>
__device__ inline int64_t place_of_open(const GtsvProblem &p, int64_t j, int64_t r) {
    return FLAT ? j * p.nrhs + r : j + r * p.batch;
}

// Solves the open right-hand sides of a unit, and the others for no result.
template <class ELEMENT, bool FLAT>
using LanesBlock = std::conditional_t<FLAT, FlatBlock<ELEMENT, InterfaceJob::BLOCK, 1>,
                                      ColumnsBlock<ELEMENT, InterfaceJob::CLUSTER, 1, 0>>;
template <class ELEMENT, bool FLAT>
struct ShiftedLanes : LanesBlock<ELEMENT, FLAT> {
    using Base = LanesBlock<ELEMENT, FLAT>;
    static constexpr bool may_be_definite = false;
    const uint8_t *open_sides;
    bool is_open, all_open;  // the thread's right-hand side; all of the block

    template <class... Arguments>
    __device__ explicit ShiftedLanes(const uint8_t *open, const Arguments &...arguments)
        : Base(arguments...), open_sides(open) {
        is_open = Base::exists() && reports(this->sub);
        all_open = __syncthreads_and(is_open || !Base::exists()) != 0;
    }
    __device__ bool exists() const { return is_open; }
    __device__ bool reports(int system) const {
        const int64_t j = this->j0 + system;
        return j < this->p.batch && open_sides[place_of_open<FLAT>(this->p, j, this->r)] != 0;
    }
};
template <class T, bool FLAT>
__device__ inline void begin_load(const ShiftedLanes<T, FLAT> &w) {
    begin_load(static_cast<const LanesBlock<T, FLAT> &>(w));
}
// Where not all are open, each thread stores its own rows.
template <class T, bool FLAT>
__device__ inline void store_solution(const ShiftedLanes<T, FLAT> &w) {
    if (w.all_open) return store_solution(static_cast<const LanesBlock<T, FLAT> &>(w));
    if (!w.is_open) return;
    T *const x = static_cast<T *>(w.p.b) + w.p.b_at.offset(w.part0 + w.begin, w.j0 + w.sub, w.r);
    for (int i = 0; i < w.own; ++i) x[i * w.p.b_at.step] = *w.row_of(w.pair(i / 2) + w.array_at(3), i % 2 == 1);
}

// Whether a unit, (group of systems, right-hand side), has an open one
template <bool FLAT>
__device__ inline bool has_open(const GtsvProblem &p, const LanesPlan<FLAT> &plan, const uint8_t *open, int64_t unit) {
    const int64_t group = divided(unit, plan.side_groups), r = unit - group * plan.side_groups;
    const int64_t j0 = group * plan.systems(), j1 = min(p.batch, j0 + plan.systems());
    bool found = false;
    for (int64_t j = j0; j < j1 && !found; ++j) found = open[place_of_open<FLAT>(p, j, r)] != 0;
    return found;
}

// Blocks or clusters look for units with open right-hand sides, of which there may be none.
template <class T, bool FLAT>
__global__ void __launch_bounds__(32 * LanesPlan<FLAT>::most_warps) __maxnreg__(FlatTile<T>::registers(1))
    shifted_lanes(GtsvProblem p, LanesPlan<FLAT> plan, const uint8_t *open, int64_t units) {
    if constexpr (!architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ uint64_t barrier_words[FlatPlan::most_warps];
    uint64_t *const barriers = barrier_words;
    T *const tile = reinterpret_cast<T *>(shared_bytes), *const strip = tile + 4 * plan.array;
    T *const table = strip + plan.threads();
    const unsigned clusters = gridDim.x >> plan.parts_log, rank = blockIdx.x & unsigned(plan.parts - 1);
    const int lane = threadIdx.x % 32;
    const auto solve = [&](const ShiftedLanes<T, FLAT> &w) {
        begin_load(w);
        clear_info(w);
        if (!FLAT && plan.parts > 1) cluster_arrive();
        const T sigma = shift_of(w);
        finish_load(w);
        add_shift(w, sigma);
        solve_in_lanes(w, strip, T(0), [&](const auto &run, auto &known) {
            if (FLAT ? plan.per_warp > 0 : plan.parts == 1) return close_in_lanes(w, run, known);
            if constexpr (FLAT)
                return join_warps(w, run, table, known);
            else
                return join_parts(w, run, table, known);
        });
        async_fence();  // before the next load
        __syncthreads();
    };
    wait_for_prerequisites();
    for (int64_t first = blockIdx.x >> plan.parts_log; first < units; first += int64_t(clusters) * 32) {
        const int64_t mine = first + int64_t(lane) * clusters;
        unsigned found = __ballot_sync(~0u, mine < units && has_open<FLAT>(p, plan, open, mine));
        for (; found != 0; found &= found - 1) {
            const unsigned unit = unsigned(first) + unsigned(__ffs(found) - 1) * clusters;
            if constexpr (FLAT) {
                const ShiftedLanes<T, FLAT> w(open, p, plan, tile, barriers, unit);
                solve(w);
                if (lane == 0) BlockBarriers(w.barrier).end(0);  // so that the next load may begin with a new one
            } else {
                solve(ShiftedLanes<T, FLAT>(open, p, plan, tile, (unit << plan.parts_log) + rank));
            }
        }
    }
}

}  // namespace xbatch::tridiagonal
