// gtsv_vbatch_warps.cuh: how lanes of a warp, or teams of warps, solve systems of different lengths; on devices with
// clusters.
//
// Warps are persistent. They do not wait for each other unless they share a system. Shared memory has the rows of each
// system at their distances from 16-byte lines in memory, so that whole lines are copied at once, wherever it begins.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv_vbatch_plan.hpp"
#include "tridiagonal/pivoted/flat_block.cuh"

namespace xbatch::tridiagonal {

// What the solver needs of a problem and of its division, for the thread's system (lanes_work.cuh)
struct VBatchInfo {
    int32_t *info;  // of the group
    int64_t n;
};
struct VBatchTeam {
    static constexpr bool is_periodic = false;
    static constexpr int parts = 1;
    int lanes, warps;  // that a system can have
};

// The shared memory of a block
template <class T>
struct alignas(16) VBatchShared {
    using Lanes = VBatchLanes<T>;
    VBatchSystem systems[2][Lanes::warps][32];                     // of this unit and of the next one
    T values[Lanes::warps][32], table[10 * FlatPlan::most_warps];  // the latter of equations, a column per warp
    uint64_t barriers[Lanes::warps];
    int places[Lanes::warps][32];  // of the unit's systems in the first array of the tile
    // Four arrays, and a line: where the number of a thread's rows is odd, the last one is read with what is behind it.
    static constexpr int tile = 4 * Lanes::array + Lanes::line;
    alignas(16) T tiles[Lanes::warps][tile];

    static constexpr size_t bytes(int warps) {
        return sizeof(VBatchShared) - (Lanes::warps - warps) * sizeof(T) * tile;
    }
};
static_assert(VBatchShared<double>::bytes(4) + 1024 <= FlatTile<double>::block_bytes, "of which the system takes 1 KB");
static_assert(VBatchShared<Complex<double>>::bytes(4) + 1024 <= FlatTile<Complex<double>>::block_bytes, "");

// The systems of a unit, for one right-hand side, as one thread sees them
template <class ELEMENT>
struct VBatchRows : RowsInTile<VBatchRows<ELEMENT>, ELEMENT> {
    using T = ELEMENT;
    using G = T;
    using Lanes = VBatchLanes<T>;
    static constexpr InterfaceJob job = InterfaceJob::BLOCK;
    static constexpr bool is_even = false, may_be_definite = false;
    static constexpr int line = Lanes::line, rank = 0;
    static constexpr int64_t j0 = 0, part0 = 0;

    const VBatchProblem &all;
    VBatchInfo p;
    VBatchTeam plan;
    T *b;                        // of the right-hand side
    int lane, warp;              // of the team
    int systems;                 // of the unit
    bool is_there;               // the thread's system
    int sub, k;                  // that within the group, and the thread within it
    int number, count;           // of the lanes of the warp that share a system: the thread's, and how many
    int lanes_rows, begin, own;  // rows of a thread; the thread's: the first, and their number
    T *tile, *first;             // the team's; row 0 of the thread's system in the first array
    int array;                   // elements of each of the tile's arrays
    int aside[4];                // of each array in memory: elements from a 16-byte line to its first
    int at[4];                   // distance from row 0 of the thread's system in the first array to that in each array
    const VBatchSystem *list;    // of the unit
    const int *places;
    uint64_t *barrier;
    unsigned parity;  // of the barrier's phase

    // `turn` counts the units of the warp.
    __device__ VBatchRows(const VBatchProblem &problem, int64_t r, const VBatchUnit &unit, VBatchShared<T> &shared,
                          unsigned turn)
        : all(problem), systems(unit.count), parity(turn & 1) {
        const int here = int(threadIdx.x) / 32, log = Lanes::list(unit.kind), team0 = here >> log << log;
        plan = {Lanes::lanes(unit.kind), 1 << log};
        b = static_cast<T *>(all.b) + r * all.ldb;
        lane = int(threadIdx.x) % 32, warp = here - team0;
        tile = shared.tiles[team0], array = Lanes::array << log;
        list = shared.systems[turn & 1][here], places = shared.places[here], barrier = shared.barriers + here;
        aside[0] = aside_of(all.dl), aside[1] = aside_of(all.d), aside[2] = aside_of(all.du), aside[3] = aside_of(b);
        place_systems(shared.places[here]);

        const int lanes = min(plan.lanes, 32), local = int(unsigned(lane) / unsigned(lanes));
        const VBatchSystem mine = list[local];
        is_there = local < systems;
        number = lane - local * lanes, k = warp * 32 + number;
        count = is_there ? min(32, mine.lanes - warp * 32) : 0;
        lanes_rows = is_there ? mine.lanes_rows : 1, begin = k * lanes_rows;
        own = is_there ? max(0, min(mine.rows - begin, lanes_rows)) : 0;
        sub = is_there ? mine.number : 0;
        p = {is_there && all.info ? all.info + (int64_t(unit.group) << VBatchGroup::systems_log) : nullptr, mine.rows};
        first = tile + aside[0] + (is_there ? places[local] : 0);
        for (int q = 0; q < 4; ++q) at[q] = q * array + aside[q] - aside[0];
    }
    __device__ static int aside_of(const void *base) {
        return int(reinterpret_cast<uintptr_t>(base) / sizeof(T)) & line - 1;
    }
    // Systems follow each other in shared memory with a gap of less than a line, after all rows of their lanes.
    __device__ void place_systems(int *to) const {
        const auto from_line = [&](int64_t elements) { return int(unsigned(elements) & unsigned(line - 1)); };
        const int last = max(systems - 1, 0);
        const VBatchSystem mine = list[min(lane, last)];
        const int64_t next = list[min(lane + 1, last)].begin;
        const int covered = mine.lanes * mine.lanes_rows, step = covered + from_line(next - mine.begin - covered);
        int behind = step;
        for (int s = 1; s < systems; s *= 2) {
            const int before = __shfl_up_sync(~0u, behind, s);
            behind += lane >= s ? before : 0;
        }
        const int place = behind - step + from_line(list[0].begin);
        if (lane < systems) to[lane] = place;
        __syncwarp();
    }

    __device__ int used_lanes() const { return 32 * plan.warps; }
    __device__ int rows() const { return own; }
    __device__ bool exists() const { return is_there; }
    __device__ static constexpr int infos() { return 1; }
    __device__ int32_t *info_at(int) const { return p.info + sub; }
    __device__ static bool is_conjugated() { return false; }
    __device__ int array_at(int q) const { return at[q]; }
    __device__ T *pair(int v) const { return first + begin + 2 * v; }
    // Two rows of the thread in lane `owner` of the warp, of the same system, which are free after elimination
    __device__ T *spare_of(int owner) const { return first + begin + (owner - lane + 1) * lanes_rows - 2; }
    __device__ Pair<T> read(const T *row) const { return {row[0], row[1]}; }
    __device__ void write(T *row, const Pair<T> &pair) const { row[0] = pair.x, row[1] = pair.y; }
    __device__ T *row_of(T *pair, bool second) const { return pair + second; }

    // Short systems, one of each lane: four lanes copy the lines of a system of all arrays; bulk copies would be as
    // many as the rows of a lane or more.
    __device__ bool is_by_lines() const {
        return plan.lanes == 1 && aside[1] == aside[0] && aside[2] == aside[0] && aside[3] == aside[0];
    }
    // whole(place in the first array, offset) for the thread's 16-byte lines of systems, edge(place, offset) for each
    // row of those that are shared with other systems.
    template <class Whole, class Edge>
    __device__ void each_line(Whole whole, Edge edge) const {
        for (int s = lane / 4; s < systems; s += 8) {
            const int64_t offset = list[s].begin;
            const int rows = list[s].rows, row0 = aside[0] + places[s], before = row0 & line - 1;
            for (int e = lane % 4 * line - before; e < rows; e += 4 * line) {
                if (e >= 0 && e + line <= rows)
                    whole(row0 + e, offset + e);
                else
                    for (int x = max(e, 0); x < min(e + line, rows); ++x) edge(row0 + x, offset + x);
            }
        }
    }
    // act(place, element, elements from a 16-byte line, rows) for the warp's rows of system s of the unit in array q
    template <class Act>
    __device__ void each_run(int q, int s, Act act) const {
        const int of_warp = 32 * list[s].lanes_rows, row0 = plan.warps == 1 ? 0 : warp * of_warp;
        const int rows = plan.warps == 1 ? list[s].rows : min(list[s].rows - row0, of_warp);
        const int from = (q == 0 ? aside[0] : q == 1 ? aside[1] : q == 2 ? aside[2] : aside[3]) + places[s] + row0;
        const void *const array_q = q == 0 ? all.dl : q == 1 ? all.d : q == 2 ? all.du : b;
        T *const element = const_cast<T *>(static_cast<const T *>(array_q)) + list[s].begin + row0;
        act(tile + q * array + from, element, from, rows);
    }
    __device__ void load() const {
        const TransferBarrier arrival{barrier};
        unsigned bytes = 0;
        if (is_by_lines()) {
            load_lines();
        } else {
            for (int u = lane; u < 4 * systems; u += 32)
                each_run(u % 4, u / 4, [&](T *place, const T *element, int from_line, int rows) {
                    bytes += fetch_lines<line>(place, element, from_line, rows, arrival);
                });
        }
        bytes = __reduce_add_sync(~0u, bytes);
        if (lane == 0) arrival.expect(bytes);
    }
    __device__ void load_lines() const {
        const T *const dl = static_cast<const T *>(all.dl), *const d = static_cast<const T *>(all.d);
        const T *const du = static_cast<const T *>(all.du);
        const unsigned shared = shared_address(tile);
        const auto copy = [&](auto elements, int place, int64_t offset) {
            constexpr int n = decltype(elements)::value, bytes = Lanes::array * int(sizeof(T));
            const unsigned to = shared + unsigned(place) * unsigned(sizeof(T));
            copy_async<T, n, 0>(true, to, dl + offset);
            copy_async<T, n, bytes>(true, to, d + offset);
            copy_async<T, n, 2 * bytes>(true, to, du + offset);
            copy_async<T, n, 3 * bytes>(true, to, b + offset);
        };
        each_line([&](int place, int64_t offset) { copy(Count<line>(), place, offset); },
                  [&](int place, int64_t offset) { copy(Count<1>(), place, offset); });
    }
    __device__ void sync() const {
        TransferBarrier{barrier}.wait(parity);  // of load()
        __syncwarp();
    }
    // Then the next bulk copies may overwrite the rows, after a barrier of the team.
    __device__ void store() const {
        async_fence();
        __syncwarp();
        const T *const solution = tile + 3 * array;
        if (is_by_lines())
            each_line(
                [&](int place, int64_t offset) { store_bytes<line *int(sizeof(T))>(b + offset, solution + place); },
                [&](int place, int64_t offset) { b[offset] = solution[place]; });
        else
            for (int s = lane; s < systems; s += 32) each_run(3, s, put_lines<line, T>);
        wait_for_puts();
    }
};

template <class T>
__device__ inline void store_solution(const VBatchRows<T> &w) {
    w.store();
}

// Begins the copy of the unit's list of systems, each by one lane.
template <class T>
__device__ inline void fetch_systems(const VBatchLists<T> &lists, const VBatchUnit &unit, VBatchSystem *to) {
    const int lane = threadIdx.x % 32;
    const VBatchSystem *const from = lists.systems + (int64_t(unit.group) << VBatchGroup::systems_log) + unit.first;
    using Bytes = ulonglong2;  // 16
    copy_async<Bytes, 1, 0>(lane < unit.count, shared_address(to + lane),
                            reinterpret_cast<const Bytes *>(from) + (lane < unit.count ? lane : 0));
}

// Prefetches the whole lines of a unit's systems into the second-level cache, while the warp still computes.
template <class T>
__device__ inline void prefetch_rows(const VBatchProblem &p, int64_t r, const VBatchUnit &unit,
                                     const VBatchSystem *list) {
    for (int u = threadIdx.x % 32; u < 4 * unit.count; u += 32) {
        const VBatchSystem system = list[u / 4];
        const void *const array = u % 4 == 0 ? p.dl : u % 4 == 1 ? p.d : u % 4 == 2 ? p.du : p.b;
        const T *const first = static_cast<const T *>(array) + (u % 4 == 3 ? r * p.ldb : 0) + system.begin;
        const uint64_t from = reinterpret_cast<uint64_t>(first) + 15 & ~uint64_t(15);
        const uint64_t end = reinterpret_cast<uint64_t>(first + system.rows) & ~uint64_t(15);
        if (end > from) prefetch_bytes(reinterpret_cast<const void *>(from), unsigned(end - from));
    }
}

// The units of largest teams first. Those of each size are divided cyclically among all teams; of single warps, the
// last blocks begin, since the first ones may have had one unit more before.
template <class T>
__global__ void __launch_bounds__(32 * VBatchLanes<T>::warps, VBatchLanes<T>::blocks)
    vbatch_warps(VBatchProblem p, VBatchLists<T> lists) {
    if constexpr (!architecture_has_clusters) return;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    VBatchShared<T> &shared = *reinterpret_cast<VBatchShared<T> *>(shared_bytes);
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) TransferBarrier{shared.barriers + warp}.begin();
    __syncwarp();
    wait_for_prerequisites();
    unsigned turn = 0;
    for (int log = lists.teams_log; log >= 0; --log) {
        const int64_t items = int64_t(lists.counted[log]) * p.nrhs,
                      teams = int64_t(gridDim.x) * (blockDim.x / 32 >> log);
        const VBatchUnit *const units = lists.units + log * lists.all_systems;
        const uint8_t idle_kind = static_cast<uint8_t>(log == 0 ? 0 : 9 + log);
        const auto take = [&](int64_t item) {
            return item < items ? units[p.nrhs == 1 ? item : item / p.nrhs] : VBatchUnit{0, 0, 0, idle_kind};
        };
        int64_t item = int64_t(warp >> log) * gridDim.x + (log == 0 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
        VBatchUnit unit = take(item);
        fetch_systems(lists, unit, shared.systems[turn & 1][warp]);
        // A team without a unit takes part in the barriers of the block's others.
        for (int64_t begun = 0; begun < items; begun += teams, item += teams, ++turn) {
            if (log == 0 && unit.count == 0) break;
            wait_for_copies();
            __syncwarp();
            const VBatchRows<T> w(p, p.nrhs == 1 ? 0 : item % p.nrhs, unit, shared, turn);
            w.load();
            unit = take(item + teams);
            finish_load(w);
            // A lane that has one row also reads, without using it, the next one, which another lane may have changed.
            __syncwarp();
            VBatchSystem *const next = shared.systems[turn + 1 & 1][warp];
            fetch_systems(lists, unit, next);
            const int team0 = warp - w.warp;
            solve_in_lanes(w, shared.values[team0], T(0), [&](const InterfaceEquations<T> &run, Known<T> &known) {
                wait_for_copies();
                __syncwarp();
                // Bulk copies of many short systems would take longer than they save.
                if (w.warp == 0 && unit.kind > 0)
                    prefetch_rows<T>(p, p.nrhs == 1 ? 0 : (item + teams) % p.nrhs, unit, next);
                return log == 0 ? close_in_lanes(w, run, known) : join_warps(w, run, shared.table + team0, known);
            });
            if (log == 0)
                __syncwarp();
            else
                __syncthreads();
        }
        wait_for_copies();
        __syncthreads();
    }
}

}  // namespace xbatch::tridiagonal
