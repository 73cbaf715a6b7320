// gtsv_vbatch_kernels.cuh: systems of different lengths, eliminated with pivoting by blocks: on devices without
// clusters sorted ones that fit a block, with a number of threads for each length; longer ones in segments.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "gtsv_vbatch_block.cuh"

namespace xbatch::tridiagonal {

template <class T>
constexpr int vbatch_tiles = InterfacePlan::threads * 4 * 2 * VBatchPairs<T>::of_thread;  // elements
template <class T>
constexpr size_t vbatch_bytes() {
    return (vbatch_tiles<T> + InterfacePlan::threads + 10 * InterfacePlan::columns) * sizeof(T);
}

// The system of a thread in a unit
struct VBatchTurn {
    int lanes_log;        // -1: no unit
    VBatchSystem system;  // rows = 0: none
    int64_t j0;           // first system of the group
};

// Systems that fit a block, on devices without clusters. The units are divided cyclically among the blocks.
template <class T>
__global__ void __launch_bounds__(InterfacePlan::threads, VBatchPairs<T>::blocks)
    vbatch_solve(VBatchProblem p, VBatchLists<T> lists) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tiles = reinterpret_cast<T *>(shared_bytes), *const strip = tiles + vbatch_tiles<T>;
    const int64_t items = int64_t(lists.counted[0]) * p.nrhs;
    const auto take = [&](int64_t item) {
        VBatchTurn turn{-1, {0, 0, 0, 0, 0}, 0};
        if (item >= items) return turn;
        const VBatchUnit unit = lists.units[p.nrhs == 1 ? item : item / p.nrhs];
        turn.lanes_log = unit.kind, turn.j0 = int64_t(unit.group) << VBatchGroup::systems_log;
        const int local = int(threadIdx.x) >> unit.kind;
        if (local < unit.count) turn.system = lists.systems[turn.j0 + unit.first + local];
        return turn;
    };
    int64_t item = blockIdx.x;
    for (VBatchTurn next = take(item); next.lanes_log >= 0;) {
        const VBatchTurn turn = next;
        const VBatchPart part = whole_system<T>(turn.system);
        const VBatchBlock<T, InterfaceJob::BLOCK> w(p, part, turn.lanes_log, p.nrhs == 1 ? 0 : item % p.nrhs, tiles);
        item += gridDim.x;
        work(
            w, p.info && part.rows > 0 ? p.info + turn.j0 + turn.system.number : nullptr, turn.system.rows, strip,
            [](const InterfaceEquations<T> &run, Known<T> &known) { return close(run, false, known); },
            [&] { next = take(item); });
    }
}

// The last of lo … hi for which holds(), which is true from lo up to it and false after it; by all lanes of a warp.
template <class Holds>
__device__ inline int64_t last_that(int64_t lo, int64_t hi, Holds holds) {
    while (lo < hi) {
        const int64_t step = (hi - lo + 31) / 32;
        const int many = __popc(__ballot_sync(0xffffffffu, holds(min(lo + (threadIdx.x % 32 + 1) * step, hi))));
        const int64_t begin = lo;
        lo = min(begin + many * step, hi);
        if (many < 32) hi = min(begin + (many + 1) * step, hi) - 1;
    }
    return lo;
}

// Composes the equations of a system's segments, by one block; the known unknowns at the ends of every segment replace
// them. Returns false if the thread has a bad pivot.
template <class T>
__device__ inline bool chain_segments(const VBatchProblem &p, T *equations, int64_t many, T *tiles, T *strip) {
    constexpr int values = InterfaceSegments<T>::values;
    const int lanes_log = min(7, 63 - __clzll(many)), t = int(threadIdx.x);
    const bool works = t < 1 << lanes_log;
    const int64_t begin = works ? many * t >> lanes_log : 0, end = works ? many * (t + 1) >> lanes_log : 0;
    bool is_fine = true;
    InterfaceEquations<T> run{};
    for (int64_t q = begin; q < end; ++q) {
        T *const at = equations + q * values;
        const InterfaceEquations<T> next = get_run<1>(at, 0);
        if (q == begin) {
            run = next;
            continue;
        }
        const Middle<T> middle = compose(run, next);
        put<1>(at, 0, middle);
        at[values - 1] = T(middle.from_right ? 1 : 0);
        is_fine = is_fine && middle.is_fine;
    }
    const VBatchPart part = {0, 0, works ? 2 << lanes_log : 0, true};
    const VBatchBlock<T, InterfaceJob::BLOCK> w(p, part, lanes_log, 0, tiles);
    Known<T> known;
    const int bad = solve_tree(
        w, run, known, strip, [](const InterfaceEquations<T> &all, Known<T> &ends) { return close(all, false, ends); });
    for (int64_t q = end - 1; q >= begin; --q) {
        T *const at = equations + q * values;
        Known<T> mine = known;
        if (q > begin) {
            narrow(mine, get_middle<1>(at, 0, weight(at[values - 1]) > 0), true);
            known.right0 = mine.left0, known.right1 = mine.left1;
        }
        put<1>(at, 0, mine);
    }
    return !works || (is_fine && bad == no_row);
}

// One segment of a window, for one right-hand side
template <class T>
struct VBatchSegment {
    VBatchPart part;
    int64_t system, n, r;
    T *equations;
};

// Systems longer than a block, in windows: systems q0 … q1-1 of the list, for whose segments' equations there is
// memory. All blocks do each step together: condense segments, compose equations, solve segments.
template <class T>
__global__ void __launch_bounds__(InterfacePlan::threads, VBatchPairs<T>::blocks)
    vbatch_longer(VBatchProblem p, VBatchLists<T> lists) {
    constexpr int values = InterfaceSegments<T>::values;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tiles = reinterpret_cast<T *>(shared_bytes), *const strip = tiles + vbatch_tiles<T>;
    const auto grid = cooperative_groups::this_grid();
    constexpr unsigned long long one = 1ull << VBatchLists<T>::segment_bits;
    const unsigned long long counted = lists.counted[VBatchLists<T>::longer_list];
    const int64_t count = counted / one, all_segments = counted % one;
    const auto segment0 = [&](int64_t q) { return q < count ? lists.longer[q].segment0 : all_segments; };
    for (int64_t q0 = 0, q1; q0 < count; q0 = q1) {
        const int64_t first = segment0(q0), room = lists.capacity / p.nrhs;
        q1 = last_that(q0 + 1, count, [&](int64_t q) { return segment0(q) - first <= room; });
        const int64_t width = segment0(q1) - first, items = width * p.nrhs;
        const auto take = [&](int64_t item) {
            const int64_t r = p.nrhs == 1 ? 0 : item / width, segment = first + item - r * width;
            const int64_t q = last_that(q0, q1 - 1, [&](int64_t at) { return segment0(at) <= segment; });
            const VBatchLonger system = lists.longer[q];
            const int64_t begin = p.offsets[system.system], end = p.offsets[system.system + 1];
            return VBatchSegment<T>{
                segment_of_system<T>(begin, end - begin, segment - system.segment0, segment0(q + 1) - system.segment0),
                system.system, end - begin, r, lists.equations + item * values};
        };
        const auto each_segment = [&](auto job, int64_t begin, int64_t step) {
            constexpr InterfaceJob JOB = decltype(job)::value;
            if (begin < 0 || begin >= items) return;
            VBatchSegment<T> next = take(begin);
            for (int64_t item = begin; item >= 0 && item < items; item += step) {
                const VBatchSegment<T> segment = next;
                const VBatchBlock<T, JOB> w(p, segment.part, 7, segment.r, tiles);
                work(
                    w, p.info ? p.info + segment.system : nullptr, segment.n, strip,
                    [&](const InterfaceEquations<T> &run, Known<T> &known) {
                        if (JOB == InterfaceJob::CONDENSE)
                            put<1>(segment.equations, 0, run);
                        else
                            known = get_known<1>(segment.equations, 0);
                        return true;
                    },
                    [&] {
                        if (item + step >= 0 && item + step < items) next = take(item + step);
                    });
            }
        };
        if (q0 > 0) grid.sync();  // before the equations of the previous window are overwritten
        each_segment(std::integral_constant<InterfaceJob, InterfaceJob::CONDENSE>(), blockIdx.x, gridDim.x);
        grid.sync();
        for (int64_t unit = blockIdx.x; unit < (q1 - q0) * p.nrhs; unit += gridDim.x) {
            const int64_t q = q0 + unit / p.nrhs, r = unit % p.nrhs, j = lists.longer[q].system;
            T *const equations = lists.equations + (r * width + segment0(q) - first) * values;
            const bool is_fine = chain_segments(p, equations, segment0(q + 1) - segment0(q), tiles, strip);
            if (!is_fine && p.info && r == 0) report(p.info + j, p.offsets[j + 1] - p.offsets[j] - 1);
        }
        grid.sync();
        // In reverse order: the last ones are still in the cache.
        each_segment(std::integral_constant<InterfaceJob, InterfaceJob::SOLVE>(), items - 1 - int64_t(blockIdx.x),
                     -int64_t(gridDim.x));
    }
}

}  // namespace xbatch::tridiagonal
