// gtsv_vbatch_kernels.cuh: systems of different lengths, eliminated with pivoting: those that fit a block, sorted, each
// by its own number of threads; longer ones tile by tile.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "gtsv_vbatch_block.cuh"

namespace xbatch::tridiagonal {

template <class T>
constexpr int vbatch_tiles = TwoPortPlan::threads * 4 * 2 * VBatchPairs<T>::of_thread;  // elements
template <class T>
constexpr size_t vbatch_bytes() {
    return (vbatch_tiles<T> + TwoPortPlan::threads + 10 * TwoPortPlan::columns) * sizeof(T);
}

// A thread's own of a unit
struct VBatchTurn {
    int lanes_log;        // -1: no unit
    VBatchSystem system;  // rows = 0: none
};

// Systems that a block holds. The blocks of a chunk take its units in turn.
template <class T>
__global__ void __launch_bounds__(TwoPortPlan::threads, VBatchPairs<T>::blocks)
    vbatch_solve(VBatchProblem p, VBatchLists<T> lists, int blocks_of_chunk) {
    using Chunk = VBatchChunk;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tiles = reinterpret_cast<T *>(shared_bytes), *const strip = tiles + vbatch_tiles<T>;
    const unsigned chunk = blockIdx.x / unsigned(blocks_of_chunk);
    const int64_t j0 = int64_t(chunk) << Chunk::systems_log;
    const VBatchUnit *const units = lists.units + int64_t(chunk) * Chunk::most_units;
    const int count = lists.unit_counts[chunk];
    const auto take = [&](int index) {
        VBatchTurn turn{-1, {0, 0, 0}};
        if (index >= count) return turn;
        const VBatchUnit unit = units[index];
        turn.lanes_log = unit.lanes_log;
        const int sub = int(threadIdx.x) >> unit.lanes_log;
        if (sub < unit.count) turn.system = lists.systems[j0 + unit.first + sub];
        return turn;
    };
    int index = int(blockIdx.x - chunk * unsigned(blocks_of_chunk));
    for (VBatchTurn next = take(index); next.lanes_log >= 0;) {
        const VBatchTurn turn = next;
        const VBatchPart part = whole_system<T>(turn.system);
        index += blocks_of_chunk;
        for (int64_t r = blockIdx.y; r < p.nrhs; r += gridDim.y) {
            const VBatchBlock<T, TwoPortJob::BLOCK> w(p, part, turn.lanes_log, r, tiles);
            work(
                w, p.info && part.rows > 0 ? p.info + j0 + turn.system.number : nullptr, turn.system.rows, strip,
                [](const TwoPort<T> &run, Known<T> &known) { return close(run, false, known); },
                [&] { next = take(index); });
        }
    }
}

// The last of lo … hi for which `holds`, as it does for lo and from there up to it; by all lanes of a warp.
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

// The relations of a system's tiles, by one block: what is known of the ends of every tile takes their place. Returns
// whether the thread met no bad pivot.
template <class T>
__device__ inline bool chain_tiles(const VBatchProblem &p, T *relations, int64_t many, T *tiles, T *strip) {
    constexpr int values = TwoPortTiles<T>::values;
    const int lanes_log = min(7, 63 - __clzll(many)), t = int(threadIdx.x);
    const bool works = t < 1 << lanes_log;
    const int64_t begin = works ? many * t >> lanes_log : 0, end = works ? many * (t + 1) >> lanes_log : 0;
    bool is_fine = true;
    TwoPort<T> run{};
    for (int64_t q = begin; q < end; ++q) {
        T *const at = relations + q * values;
        const TwoPort<T> next = get_run<1>(at, 0);
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
    const VBatchBlock<T, TwoPortJob::BLOCK> w(p, part, lanes_log, 0, tiles);
    Known<T> known;
    const int bad =
        solve_tree(w, run, known, strip, [](const TwoPort<T> &all, Known<T> &ends) { return close(all, false, ends); });
    for (int64_t q = end - 1; q >= begin; --q) {
        T *const at = relations + q * values;
        Known<T> mine = known;
        if (q > begin) {
            narrow(mine, get_middle<1>(at, 0, weight(at[values - 1]) > 0), true);
            known.right0 = mine.left0, known.right1 = mine.left1;
        }
        put<1>(at, 0, mine);
    }
    return !works || (is_fine && bad == no_row);
}

// One tile of a window, for one right-hand side
template <class T>
struct VBatchTile {
    VBatchPart part;
    int64_t system, n, r;
    T *relation;
};

// Systems longer than a block, as many at a time as there is room for the relations of their tiles: a window, systems
// q0 … q1-1 as listed. The blocks do each step together.
template <class T>
__global__ void __launch_bounds__(TwoPortPlan::threads, VBatchPairs<T>::blocks)
    vbatch_longer(VBatchProblem p, VBatchLists<T> lists) {
    constexpr int values = TwoPortTiles<T>::values;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const tiles = reinterpret_cast<T *>(shared_bytes), *const strip = tiles + vbatch_tiles<T>;
    const auto grid = cooperative_groups::this_grid();
    constexpr unsigned long long one = 1ull << VBatchLists<T>::tile_bits;
    const int64_t count = *lists.counted / one, all_tiles = *lists.counted % one;
    const auto tile0 = [&](int64_t q) { return q < count ? lists.longer[q].tile0 : all_tiles; };
    for (int64_t q0 = 0, q1; q0 < count; q0 = q1) {
        const int64_t first = tile0(q0), room = lists.capacity / p.nrhs;
        q1 = last_that(q0 + 1, count, [&](int64_t q) { return tile0(q) - first <= room; });
        const int64_t width = tile0(q1) - first, items = width * p.nrhs;
        const auto take = [&](int64_t item) {
            const int64_t r = p.nrhs == 1 ? 0 : item / width, tile = first + item - r * width;
            const int64_t q = last_that(q0, q1 - 1, [&](int64_t at) { return tile0(at) <= tile; });
            const VBatchLonger system = lists.longer[q];
            const int64_t begin = p.offsets[system.system], end = p.offsets[system.system + 1];
            return VBatchTile<T>{
                tile_of_system<T>(begin, end - begin, tile - system.tile0, tile0(q + 1) - system.tile0), system.system,
                end - begin, r, lists.relations + item * values};
        };
        const auto each_tile = [&](auto job, int64_t begin, int64_t step) {
            constexpr TwoPortJob JOB = decltype(job)::value;
            if (begin < 0 || begin >= items) return;
            VBatchTile<T> next = take(begin);
            for (int64_t item = begin; item >= 0 && item < items; item += step) {
                const VBatchTile<T> tile = next;
                const VBatchBlock<T, JOB> w(p, tile.part, 7, tile.r, tiles);
                work(
                    w, p.info ? p.info + tile.system : nullptr, tile.n, strip,
                    [&](const TwoPort<T> &run, Known<T> &known) {
                        if (JOB == TwoPortJob::CONDENSE)
                            put<1>(tile.relation, 0, run);
                        else
                            known = get_known<1>(tile.relation, 0);
                        return true;
                    },
                    [&] {
                        if (item + step >= 0 && item + step < items) next = take(item + step);
                    });
            }
        };
        if (q0 > 0) grid.sync();  // the relations of the window before are not needed any more
        each_tile(std::integral_constant<TwoPortJob, TwoPortJob::CONDENSE>(), blockIdx.x, gridDim.x);
        grid.sync();
        for (int64_t unit = blockIdx.x; unit < (q1 - q0) * p.nrhs; unit += gridDim.x) {
            const int64_t q = q0 + unit / p.nrhs, r = unit % p.nrhs, j = lists.longer[q].system;
            T *const relations = lists.relations + (r * width + tile0(q) - first) * values;
            const bool is_fine = chain_tiles(p, relations, tile0(q + 1) - tile0(q), tiles, strip);
            if (!is_fine && p.info && r == 0) report(p.info + j, p.offsets[j + 1] - p.offsets[j] - 1);
        }
        grid.sync();
        // The opposite order: the last ones are still in the cache.
        each_tile(std::integral_constant<TwoPortJob, TwoPortJob::SOLVE>(), items - 1 - int64_t(blockIdx.x),
                  -int64_t(gridDim.x));
    }
}

}  // namespace xbatch::tridiagonal
