// gtsv_vbatch_sort.cuh: determines on the device which systems of different lengths are solved together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <climits>

#include "core/dependent_launch.cuh"
#include "gtsv_vbatch_plan.hpp"

namespace xbatch::tridiagonal {

// Lists a longer system. One addition gives both its place and its first segment, so that these have the same order.
template <class T>
__device__ inline void list_longer(const VBatchLists<T> &lists, int64_t j, int64_t pairs) {
    constexpr unsigned long long one = 1ull << VBatchLists<T>::segment_bits;
    const auto segments = static_cast<unsigned long long>(VBatchPairs<T>::segments(pairs));
    const unsigned long long before = atomicAdd(lists.counted + VBatchLists<T>::longer_list, one + segments);
    lists.longer[before / one] = {int64_t(before % one), j};
}

// A number for each system of the key and phase; one addition for all lanes that have it.
__device__ inline int number_of_key(int *counts, int key) {
    const unsigned lane = threadIdx.x % 32, same = __match_any_sync(~0u, key), leader = __ffs(same) - 1;
    int first = 0;
    if (lane == leader && key >= 0) first = atomicAdd(counts + key, __popc(same));
    return __shfl_sync(~0u, first, leader) + __popc(same & (1u << lane) - 1);
}

// The sum of the values of this lane of a warp and of those before it
__device__ inline int sum_of_lanes(int value) {
    const int lane = threadIdx.x % 32;
    for (int s = 1; s < 32; s *= 2) {
        const int before = __shfl_up_sync(~0u, value, s);
        value += lane >= s ? before : 0;
    }
    return value;
}

// Where the systems of each key, and the units of each class, begin
template <class Division>
struct VBatchStarts {
    static constexpr int all_keys = Division::classes << Division::parts_log;
    int keys[all_keys + 1];
    int64_t units[Division::classes];
};

// The place of a system among those of its key, of which counts[phase] have each phase: phases follow each other by
// `step`, as long as there are systems of all, so that they have no gaps in shared memory, and no bank conflicts.
template <int phases>
__device__ inline int place_in_key(const int *counts, int step, int phase, int number) {
    const int length = step % 2 != 0 ? phases : step != 0 ? phases / 2 : 1;  // of the cycle of phases
    const int cycles = phases / length, mine = phase % cycles;
    int before = 0, least = INT_MAX, turn = 0;
    for (int other = 0; other < phases; ++other) {
        if (other % cycles < mine) before += counts[other];
        if (other % cycles == mine) least = min(least, counts[other]);
    }
    int further = 0;
    for (int other = mine; other != phase; other = other + step & phases - 1) ++turn, further += counts[other] - least;
    return before + (number < least ? number * length + turn : length * least + further + number - least);
}

// By one warp: starts.keys has the number of systems of each key.
template <class T, class Division>
__device__ inline void find_starts(const VBatchLists<T> &lists, VBatchStarts<Division> &starts) {
    constexpr int of_lane = VBatchStarts<Division>::all_keys / 32;
    const int lane = threadIdx.x;
    int mine = 0;
    for (int key = lane * of_lane; key < (lane + 1) * of_lane; ++key) mine += starts.keys[key];
    int before = sum_of_lanes(mine);
    if (lane == 31) starts.keys[32 * of_lane] = before;
    before -= mine;
    for (int key = lane * of_lane; key < (lane + 1) * of_lane; ++key) {
        const int here = starts.keys[key];
        starts.keys[key] = before, before += here;
    }
    __syncwarp();
    // The units of a group follow each other in a list, so that systems that share a memory line are solved at about
    // the same time.
    const bool is_class = lane < Division::classes;
    const int kind = is_class ? lane : Division::classes - 1, list = is_class ? Division::list(kind) : -1;
    const int all = starts.keys[kind + 1 << Division::parts_log] - starts.keys[kind << Division::parts_log];
    const int of_unit = Division::systems(kind), units = is_class ? (all + of_unit - 1) / of_unit : 0;
    const int behind = sum_of_lanes(units);
    const unsigned same = __match_any_sync(~0u, list);
    const int first = __ffs(same) - 1, last = 31 - __clz(same);
    const int others = behind - units - __shfl_sync(~0u, behind - units, first);
    const int of_list = __shfl_sync(~0u, others + units, last);
    unsigned long long place = 0;
    if (lane == first && is_class && of_list > 0) place = atomicAdd(lists.counted + list, of_list);
    place = __shfl_sync(~0u, place, first) + others;
    if (is_class) starts.units[kind] = int64_t(place);
}

template <class T, class Division>
__device__ inline void list_units(const VBatchLists<T> &lists, const VBatchStarts<Division> &starts) {
    for (int kind = 0; kind < Division::classes; ++kind) {
        const int first = starts.keys[kind << Division::parts_log], of_unit = Division::systems(kind);
        const int all = starts.keys[kind + 1 << Division::parts_log] - first;
        VBatchUnit *const units = lists.units + Division::list(kind) * lists.all_systems + starts.units[kind];
        for (int u = threadIdx.x; u * of_unit < all; u += VBatchGroup::threads)
            units[u] = {blockIdx.x, static_cast<uint16_t>(first + u * of_unit),
                        static_cast<uint8_t>(min(of_unit, all - u * of_unit)), static_cast<uint8_t>(kind)};
    }
}

// One group per block. Sets info to 0, or to -1 where offsets are wrong. The order of systems of the same key, and that
// of units, may change from run to run; no result depends on it.
template <class T, class Division>
__global__ void __launch_bounds__(VBatchGroup::threads) vbatch_sort(VBatchProblem p, VBatchLists<T> lists) {
    using Group = VBatchGroup;
    constexpr int all_keys = VBatchStarts<Division>::all_keys, phases = Division::phases;
    __shared__ int counts[all_keys * phases];
    __shared__ VBatchStarts<Division> starts;
    trigger_dependents();
    const int t = threadIdx.x;
    const int64_t j0 = int64_t(blockIdx.x) << Group::systems_log;
    for (int q = t; q < all_keys * phases; q += Group::threads) counts[q] = 0;
    __syncthreads();
    int64_t begins[Group::items], ends[Group::items];
    int rows[Group::items], keys[Group::items], numbers[Group::items];
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {  // all loads at once
        const int64_t j = min(j0 + q * Group::threads + t, p.batch - 1);
        begins[q] = p.offsets[j], ends[q] = p.offsets[j + 1];
    }
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {
        const int64_t j = j0 + q * Group::threads + t, begin = begins[q], end = ends[q];
        keys[q] = -1, rows[q] = 0;
        if (j >= p.batch) continue;
        const bool is_wrong = begin < 0 || end < begin || end - begin > p.maxn;
        if (p.info) p.info[j] = is_wrong ? -1 : 0;
        if (is_wrong || end == begin) continue;
        if (Division::fits(begin, end - begin, lists.teams_log))
            rows[q] = int(end - begin), keys[q] = Division::key(begin, rows[q]);
        else
            list_longer(lists, j, VBatchPairs<T>::of(begin, end - begin));
    }
#pragma unroll
    for (int q = 0; q < Group::items; ++q)
        numbers[q] = number_of_key(counts, keys[q] < 0 ? -1 : keys[q] * phases + Division::phase(begins[q]));
    __syncthreads();
    for (int key = t; key < all_keys; key += Group::threads) {
        int all = 0;
        for (int phase = 0; phase < phases; ++phase) all += counts[key * phases + phase];
        starts.keys[key] = all;
    }
    __syncthreads();
    if (t < 32) find_starts(lists, starts);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {
        if (keys[q] < 0) continue;
        const int place = place_in_key<phases>(counts + keys[q] * phases, Division::phase_step(keys[q]),
                                               Division::phase(begins[q]), numbers[q]);
        lists.systems[j0 + starts.keys[keys[q]] + place] = Division::system(begins[q], rows[q], q * Group::threads + t);
    }
    list_units(lists, starts);
}

}  // namespace xbatch::tridiagonal
