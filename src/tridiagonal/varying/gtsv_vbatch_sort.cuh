// gtsv_vbatch_sort.cuh: determines on the device which systems of different lengths share a block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

#include "gtsv_vbatch_plan.hpp"

namespace xbatch::tridiagonal {

// The sort key of a system of `pairs` pairs of rows: its kind, then the pairs per thread.
template <class T>
__device__ inline unsigned vbatch_key(int64_t pairs) {
    constexpr int log = VBatchPairs<T>::of_thread_log;
    if (pairs > VBatchPairs<T>::of_segment) return VBatchGroup::longer << log;
    const int others = int(pairs) - 1, lanes_log = 32 - __clz(others >> log);
    return unsigned(lanes_log << log | others >> lanes_log);
}

// Lists the thread's systems that are longer than a block, and assigns numbers to their segments.
template <class T>
__device__ inline void list_longer(const VBatchProblem &p, const VBatchLists<T> &lists, int64_t j0,
                                   const unsigned (&entries)[VBatchGroup::items]) {
    using Counts = unsigned long long;
    using Scan = cub::BlockScan<Counts, VBatchGroup::threads>;
    constexpr int log = VBatchGroup::systems_log, key_log = log + VBatchPairs<T>::of_thread_log;
    constexpr Counts one = Counts(1) << VBatchLists<T>::segment_bits;
    __shared__ typename Scan::TempStorage storage;
    __shared__ Counts base;
    const auto each = [&](auto act) {
#pragma unroll
        for (int q = 0; q < VBatchGroup::items; ++q) {
            if (entries[q] >> key_log != VBatchGroup::longer) continue;
            const int64_t j = j0 + (entries[q] & VBatchGroup::systems - 1), begin = p.offsets[j];
            act(j, VBatchPairs<T>::segments(VBatchPairs<T>::of(begin, p.offsets[j + 1] - begin)));
        }
    };
    Counts mine = 0, before, all;
    each([&](int64_t, int64_t segments) { mine += one + Counts(segments); });
    Scan(storage).ExclusiveSum(mine, before, all);
    if (threadIdx.x == 0) base = all == 0 ? 0 : atomicAdd(lists.counted, all);
    __syncthreads();
    before += base;
    each([&](int64_t j, int64_t segments) {
        lists.longer[before / one] = {int64_t(before % one), j};
        before += one + Counts(segments);
    });
}

// Lists the units of the group; class c has the sorted systems starts[c] … starts[c+1]-1.
template <class T>
__device__ inline void list_units(const VBatchLists<T> &lists, const int *starts) {
    using Group = VBatchGroup;
    int before = 0;  // units of classes of more threads
    for (int c = Group::classes - 1; c >= 0; --c) {
        const int most = InterfacePlan::threads >> c, all = starts[c + 1] - starts[c], many = (all + most - 1) / most;
        for (int u = int(threadIdx.x); u < many; u += Group::threads)
            lists.units[int64_t(blockIdx.x) * Group::most_units + before + u] = {
                static_cast<uint16_t>(starts[c] + u * most), static_cast<uint8_t>(min(most, all - u * most)),
                static_cast<uint8_t>(c)};
        before += many;
    }
    if (threadIdx.x == 0) lists.unit_counts[blockIdx.x] = before;
}

// One group per block. Sets info to 0, or to -1 where offsets are wrong.
template <class T>
__global__ void __launch_bounds__(VBatchGroup::threads) vbatch_sort(VBatchProblem p, VBatchLists<T> lists) {
    using Group = VBatchGroup;
    using Sort = cub::BlockRadixSort<unsigned, Group::threads, Group::items>;
    constexpr int log = Group::systems_log, pairs_log = VBatchPairs<T>::of_thread_log, kind_bits = 4;
    __shared__ typename Sort::TempStorage storage;
    __shared__ unsigned char kinds[Group::systems];
    const int64_t j0 = int64_t(blockIdx.x) * Group::systems;
    unsigned entries[Group::items];
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {
        const int local = int(threadIdx.x) * Group::items + q;
        const int64_t j = j0 + local;
        unsigned key = Group::none << pairs_log;
        if (j < p.batch) {
            const int64_t begin = p.offsets[j], end = p.offsets[j + 1];
            const bool is_wrong = begin < 0 || end < begin || end - begin > p.maxn;
            if (p.info) p.info[j] = is_wrong ? -1 : 0;
            if (!is_wrong && end > begin) key = vbatch_key<T>(VBatchPairs<T>::of(begin, end - begin));
        }
        entries[q] = key << log | unsigned(local);
    }
    Sort(storage).SortBlockedToStriped(entries, log, log + pairs_log + kind_bits);
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {
        const int at = q * Group::threads + int(threadIdx.x), local = int(entries[q]) & Group::systems - 1;
        const int kind = int(entries[q] >> (log + pairs_log));
        kinds[at] = static_cast<unsigned char>(kind);
        if (kind >= Group::classes) continue;
        const int64_t begin = p.offsets[j0 + local];
        lists.systems[j0 + at] = {begin, int32_t(p.offsets[j0 + local + 1] - begin), local};
    }
    __syncthreads();
    __shared__ int starts[Group::kinds];
#pragma unroll
    for (int q = 0; q < Group::items; ++q) {
        const int at = q * Group::threads + int(threadIdx.x);
        for (int kind = at == 0 ? 0 : kinds[at - 1] + 1; kind <= kinds[at]; ++kind) starts[kind] = at;
        if (at == Group::systems - 1)
            for (int kind = kinds[at] + 1; kind < Group::kinds; ++kind) starts[kind] = Group::systems;
    }
    __syncthreads();
    list_units(lists, starts);
    if (lists.longer) list_longer(p, lists, j0, entries);
}

}  // namespace xbatch::tridiagonal
