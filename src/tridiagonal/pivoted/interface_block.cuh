// interface_block.cuh: the work of a block of the pivoting solver, and how it loads and stores rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/cluster.cuh"
#include "core/info.cuh"
#include "interface.cuh"
#include "interface_plan.hpp"
#include "planes.cuh"

namespace xbatch::tridiagonal {

// The first row of piece k, of n rows in 2^pieces_log pieces
__device__ inline int piece_begin(int n, int k, int pieces_log) { return n * k >> pieces_log; }

// Two adjacent rows of an array
template <class T>
struct alignas(2 * sizeof(T) < 16 ? 2 * sizeof(T) : 16) Pair {
    T x, y;
};
// Two rows a x_{i-1} + b x_i + c x_{i+1} = d, or two pivot rows in their place.
template <class T, class G = T>
struct Rows {
    Pair<T> a, b, c;
    Pair<G> d;
};
// Access of a block W to the rows of its threads in shared memory, from its read() and write() of a pair in one array,
// and array_at(q), the distance from the first array to array q. A block with several right-hand sides has read_side()
// and write_side() of its own.
template <class W, class T, class G = T>
struct RowsInTile {
    __device__ Pair<G> read_side(const T *row) const { return own().read(row + own().array_at(3)); }
    __device__ void write_side(T *row, const Pair<G> &pair) const { own().write(row + own().array_at(3), pair); }
    __device__ Rows<T, G> read_rows(const T *row) const {
        return {own().read(row), own().read(row + own().array_at(1)), own().read(row + own().array_at(2)),
                own().read_side(row)};
    }
    __device__ Rows<T, G> rows_at(int v) const { return read_rows(own().pair(v)); }  // before elimination
    __device__ void write_rows(T *row, const Rows<T, G> &rows) const {
        own().write(row, rows.a), own().write(row + own().array_at(1), rows.b);
        own().write(row + own().array_at(2), rows.c), own().write_side(row, rows.d);
    }
    __device__ void write_dominant(T *row, const Pair<T> &s, const Pair<T> &q, const Pair<G> &g) const {
        own().write(row, s), own().write(row + own().array_at(2), q), own().write_side(row, g);
    }

private:
    __device__ const W &own() const { return static_cast<const W &>(*this); }
};
template <class T, class G>
__device__ inline void equilibrate(Rows<T, G> &rows, bool is_conjugated) {
    equilibrate(rows.a.x, rows.b.x, rows.c.x, rows.d.x, is_conjugated);
    equilibrate(rows.a.y, rows.b.y, rows.c.y, rows.d.y, is_conjugated);
}
template <int n>
using Count = std::integral_constant<int, n>;

// Stores `bytes` contiguous bytes that are not accessed again.
template <int bytes>
__device__ inline void store_bytes(void *to, const void *from) {
    if constexpr (bytes == 4)
        __stcs(static_cast<float *>(to), *static_cast<const float *>(from));
    else if constexpr (bytes == 8)
        __stcs(static_cast<float2 *>(to), *static_cast<const float2 *>(from));
    else
#pragma unroll
        for (int k = 0; k < bytes / 16; ++k)
            __stcs(static_cast<float4 *>(to) + k, static_cast<const float4 *>(from)[k]);
}

// The job of a block: to solve whole systems; to solve systems with the other blocks of a cluster; or, for longer
// systems, to condense a segment to its interface equations, and to solve a segment whose ends are known.
enum class InterfaceJob { BLOCK, CLUSTER, CONDENSE, SOLVE };
constexpr bool is_of_segments(InterfaceJob job) { return job == InterfaceJob::CONDENSE || job == InterfaceJob::SOLVE; }

// Leaves of distributed systems: stretches of rows of whole systems, each cut into segments as if it were a system.
struct InterfaceLeaves {
    const int64_t *row = nullptr;   // [leaves + 1] the first row of each; NULL: segments are those of whole systems
    unsigned segments = 1;          // of each; the last one may be empty
    bool is_wide = true;            // rows that are contiguous may be copied by 16 bytes
    int32_t *bad = nullptr;         // CONDENSE: [batch][leaves] as info, of each leaf
    const int32_t *stop = nullptr;  // SOLVE: unless it is 0, B remains as it is
};

// The segments of long systems. The interface equations of segment m of system j and right-hand side r are ten values
// at number (j*nrhs + r)*segments + m; the known unknowns of the segment's ends replace them.
template <class T>
struct InterfaceSegments {
    static constexpr int values = 10;
    unsigned segments;
    T *equations;
    const int32_t *unresolved;  // [batch] whether windows did not suffice for a system, so that equations are needed;
                                // NULL: all systems need them. Only where a block has one system.
    InterfaceLeaves leaves = {};

    __device__ bool is_unresolved(int64_t j) const { return !unresolved || unresolved[j] != 0; }
};

// The systems and rows of a block, and the thread's place in it
template <class T>
struct InterfacePlace {
    const GtsvProblem &p;
    const InterfacePlan &plan;
    const InterfaceSegments<T> &segments;
    int lane, warp, sub, k, rank;  // system within the block, thread within the system, block within the cluster
    unsigned index;                // of the segment
    int64_t j0, r, part0;          // first system, right-hand side, first row of the part
    int part_rows;

    __device__ bool all_there() const { return j0 + plan.systems() <= p.batch; }
    // Whether all systems exist and all threads have the most rows. FLAT: the last threads of an open system that ends
    // here may have fewer.
    __device__ bool can_be_even(bool flat) const {
        constexpr int most_rows = InterfaceTile<T>::most_rows, together = InterfaceTile<T>::together;
        const bool is_full = part_rows == plan.lanes() * most_rows, ends_here = part0 + part_rows == plan.n;
        return plan.is_wide && plan.pairs == most_rows / 2 && all_there() &&
               (is_full ||
                (flat && !plan.is_periodic && ends_here && !segments.leaves.row && part_rows % max(together, 2) == 0));
    }
    // Finds the rows of the segment, if it is one of a leaf.
    __device__ void enter_leaf() {
        const InterfaceLeaves &leaves = segments.leaves;
        if (!leaves.row) return;
        const unsigned leaf = index / leaves.segments;
        part0 = leaves.row[leaf] + int64_t(index - leaf * leaves.segments) * plan.part_rows;
        part_rows = int(max(int64_t(0), min(leaves.row[leaf + 1] - part0, int64_t(plan.part_rows))));
    }
    // A bad pivot in a row of the part
    __device__ void report_of_leaf(int system, int row) const {
        const InterfaceLeaves &leaves = segments.leaves;
        if (!leaves.bad || j0 + system >= p.batch) return;
        const int64_t of_system = segments.segments / leaves.segments;
        report(leaves.bad + (j0 + system) * of_system + index / leaves.segments, min(part0 + row, p.n - 1));
    }
    __device__ bool is_stopped() const { return segments.leaves.stop && *segments.leaves.stop != 0; }
};

// How rows are loaded and stored. EVEN: can_be_even(), and 16 bytes of every array are copied at once; missing rows
// become x = 0.
template <class ELEMENT, bool FLAT, InterfaceJob JOB, bool EVEN>
struct InterfaceBlock : InterfacePlace<ELEMENT>, RowsInTile<InterfaceBlock<ELEMENT, FLAT, JOB, EVEN>, ELEMENT> {
    using T = ELEMENT;
    using Place = InterfacePlace<T>;
    using Tile = InterfaceTile<T>;
    using Place::p, Place::plan, Place::segments, Place::lane, Place::warp, Place::sub, Place::k, Place::j0, Place::r,
        Place::part0, Place::part_rows, Place::index;
    static constexpr InterfaceJob job = JOB;
    static constexpr bool is_even = EVEN;
    static constexpr bool reads_ahead = FLAT && EVEN && (JOB == InterfaceJob::BLOCK || JOB == InterfaceJob::CLUSTER);
    static constexpr int most_array = (FLAT ? 32 : InterfacePlan::threads) * Tile::most_rows;

    int begin, own;  // the thread's rows: the first, counted from the part's, and their number
    T *tile;         // FLAT: the warp's
    T *first;        // not FLAT: the thread's first row

    __device__ InterfaceBlock(const Place &place, T *shared) : Place(place) {
        begin = 2 * k * pairs_of_thread();
        own = exists() ? max(0, min(part_rows - begin, 2 * pairs_of_thread())) : 0;
        tile = shared + (FLAT ? warp * 4 * array() : 0);
        first = tile + (begin << plan.systems_log) + (sub ^ aside(k));
    }
    __device__ int pairs_of_thread() const { return EVEN ? Tile::most_rows / 2 : plan.pairs; }
    // The number of the thread's rows, including missing ones, and whether its system exists
    __device__ int rows() const { return EVEN ? Tile::most_rows : own; }
    __device__ bool exists() const { return EVEN || j0 + sub < p.batch; }

    __device__ int depth() const { return plan.lanes_log; }  // of the tree over a system's threads
    __device__ bool is_conjugated() const { return p.is_conjugated; }

    // Elements of each of the tile's four arrays
    __device__ int array() const { return EVEN ? most_array : (FLAT ? 32 : InterfacePlan::threads) * 2 * plan.pairs; }
    // Distance from the first one to array q
    __device__ int array_at(int q) const { return q * array(); }
    // Copies n elements to a place of the first array, or to that of another one.
    template <int n, int number>
    __device__ void copy(bool exists, unsigned to, const T *from) const {
        if constexpr (EVEN)
            copy_async<T, n, number * most_array *int(sizeof(T))>(exists, to, from);
        else
            copy_async<T, n, 0>(exists, to + unsigned(number * array()) * unsigned(sizeof(T)), from);
    }
    // Row 2v of the thread in the first array of the tile
    __device__ T *pair(int v) const { return FLAT ? tile + place_of(lane, v) : first + (2 * v << plan.systems_log); }
    // FLAT: lanes access their rows without bank conflicts.
    __device__ int place_of(int owner, int v) const {
        const int aside = EVEN ? owner & Tile::swizzle : owner >> plan.swizzle_shift & plan.swizzle;
        return 2 * (owner * pairs_of_thread() + (v ^ aside));
    }
    // The last pair of the thread in lane `owner` of the warp, which is free after elimination.
    __device__ T *spare_of(int owner) const {
        if (FLAT) return tile + place_of(owner, pairs_of_thread() - 1);
        const int thread = warp * 32 + owner, s = thread >> plan.lanes_log, chunk = thread & plan.lanes() - 1;
        return tile + (2 * ((chunk + 1) * pairs_of_thread() - 1) << plan.systems_log) + (s ^ aside(chunk));
    }
    // Not FLAT: the swizzle of the systems of a row, by the thread that owns the row.
    __device__ int aside(int owner) const { return owner << max(0, Tile::line_log - plan.lanes_log) & plan.swizzle; }
    __device__ Pair<T> read(const T *row) const {
        if (FLAT) return *reinterpret_cast<const Pair<T> *>(row);
        return {row[0], row[plan.systems()]};
    }
    __device__ void write(T *row, const Pair<T> &pair) const {
        if (FLAT)
            *reinterpret_cast<Pair<T> *>(row) = pair;
        else
            row[0] = pair.x, row[plan.systems()] = pair.y;
    }
    // The first or second row of a pair in one array
    __device__ T *row_of(T *pair, bool second) const { return pair + (second ? FLAT ? 1 : plan.systems() : 0); }

    // act(Count<n>, whether they exist, place in the tile, offset in the coefficients, offset in B) for n elements at a
    // time of those that the thread copies, which are not its own rows.
    template <class Act>
    __device__ void each(Act act) const {
        if (FLAT && EVEN)
            each_of_even_warp(act);
        else if (FLAT)
            each_of_warp(act);
        else if (EVEN)
            each_of_systems<Tile::together>(act);
        else
            each_of_system(act);
    }
    // FLAT and EVEN: the first of the warp's elements in an array, which are contiguous.
    __device__ int64_t warp_offset(const Placement &at, int64_t right_side) const {
        const int sub0 = warp * 32 >> plan.lanes_log, row0 = (warp * 32 & plan.lanes() - 1) << Tile::line_log;
        return origin_of_plane(at) + ((j0 + sub0) * at.nrhs + right_side) * at.ld + part0 + row0;
    }
    template <class Act>
    __device__ void each_of_even_warp(Act act) const {
        constexpr int at_once = Tile::together > 2 ? Tile::together : 2, of_thread = Tile::most_rows / at_once;
        const int64_t a = warp_offset(p.a_at, 0) + lane * at_once, b = warp_offset(p.b_at, r) + lane * at_once;
        const auto move = [&](int q, int u, bool exists) {
            const int owner = u / of_thread, place = place_of(owner, (u - owner * of_thread) * (at_once / 2));
            act(Count<at_once>(), exists, place, a + q * 32 * at_once, b + q * 32 * at_once);
        };
        if (part_rows == plan.lanes() * Tile::most_rows) {
#pragma unroll
            for (int q = 0; q < of_thread; ++q) move(q, lane + 32 * q, true);
            return;
        }
        const int of_system = part_rows / at_once, in_warp = plan.lanes_log < 5 ? 32 >> plan.lanes_log : 1;
        const int before = in_warp == 1 ? (warp * 32 & plan.lanes() - 1) * of_thread : 0;
        const int lacking = in_warp == 1 ? 0 : plan.lanes() * of_thread - of_system;
#pragma unroll
        for (int q = 0; q < of_thread; ++q) {
            const int v = lane + 32 * q, system = lacking ? plan.by_system.quotient(v * (at_once / 2)) : 0;
            move(q, v + system * lacking, v < of_system * in_warp - before);
        }
    }
    // FLAT and EVEN: prefetches the rows of the block `ahead` groups further into the second-level cache.
    __device__ void read_ahead() const {
        const int64_t further = int64_t(plan.ahead) << plan.systems_log;
        if (further == 0 || lane >= 4 || j0 + further + plan.systems() >= p.batch) return;
        const T *const a = static_cast<const T *>(lane == 0 ? p.dl : lane == 1 ? p.d : p.du);
        const T *const from = lane == 3 ? static_cast<const T *>(p.b) + warp_offset(p.b_at, r) + further * p.b_at.ld
                                        : a + warp_offset(p.a_at, 0) + further * p.a_at.ld;
        prefetch_bytes(from, 32 * Tile::most_rows * unsigned(sizeof(T)));
    }
    // FLAT: lanes along the rows of the warp's systems, or of its part of a system
    template <class Act>
    __device__ void each_of_warp(Act act) const {
        constexpr int at_once = 4;
        const bool whole = plan.lanes_log < 5;  // systems
        const int in_warp = whole ? 32 >> plan.lanes_log : 1, sub0 = warp * 32 >> plan.lanes_log;
        const int row0 = 2 * (warp * 32 & plan.lanes() - 1) * plan.pairs;
        const int there = int(max(int64_t(0), min(int64_t(in_warp), p.batch - j0 - sub0)));
        const int rows = whole ? part_rows : max(0, min(64 * plan.pairs, part_rows - row0));
        const int64_t a_stride = p.a_at.ld, b_stride = p.b_at.ld * p.nrhs, row = part0 + row0;
        int64_t a = origin_of_plane(p.a_at) + (j0 + sub0) * a_stride + row;
        int64_t b = origin_of_plane(p.b_at) + (j0 + sub0) * b_stride + r * p.b_at.ld + row;
        const bool is_run = in_warp == 1 || (a_stride == part_rows && b_stride == part_rows);
        const auto in_pairs = [&](const void *array, int64_t offset) {
            return (reinterpret_cast<uintptr_t>(array) + uintptr_t(offset) * sizeof(T)) % alignof(Pair<T>) == 0;
        };
        const auto system_of = [&](int v, int of_system) {
            if (in_warp == 1) return 0;
            return is_of_segments(JOB) && segments.leaves.row ? v / of_system : plan.by_system.quotient(v);
        };
        const auto place = [&](int system, int v) {
            const int owner = plan.by_pairs.quotient(v);
            return place_of((system << plan.lanes_log) + owner, v - owner * plan.pairs);
        };
        if (is_run && rows % 2 == 0 && in_pairs(p.dl, a) && in_pairs(p.d, a) && in_pairs(p.du, a) && in_pairs(p.b, b)) {
            const int count = there * rows / 2;
            a += 2 * lane, b += 2 * lane;
            for (int u = lane; u < count; u += 32 * at_once, a += 64 * at_once, b += 64 * at_once) {
#pragma unroll
                for (int q = 0; q < at_once; ++q) {
                    const int v = u + 32 * q, system = system_of(v, rows / 2);
                    act(Count<2>(), v < count, place(system, v - system * (rows / 2)), a + 64 * q, b + 64 * q);
                }
            }
        } else {
            const int count = there * rows;
            for (int e = lane; e < count; e += 32) {
                const int system = rows % 2 == 0 ? system_of(e / 2, rows / 2) : system_of(e, rows);
                const int i = e - system * rows;
                act(Count<1>(), true, place(system, i / 2) + i % 2, a + system * a_stride + i,
                    b + system * b_stride + i);
            }
        }
    }
    // Otherwise: lanes along the systems, several per copy if 16 bytes of them can be copied at once
    template <class Act>
    __device__ void each_of_system(Act act) const {
        if (plan.is_wide && Place::all_there())
            each_of_systems<Tile::together>(act);
        else
            each_of_systems<1>(act);
    }
    template <int together, class Act>
    __device__ void each_of_systems(Act act) const {
        const int t = int(threadIdx.x) * together, s = t & plan.systems() - 1;
        if (j0 + s >= p.batch) return;
        int row = t >> plan.systems_log;
        int64_t a = p.a_at.offset(part0 + row, j0 + s, 0), b = p.b_at.offset(part0 + row, j0 + s, r);
        const int step = plan.lanes() * together;
        const int64_t a_step = p.a_at.step * step, b_step = p.b_at.step * step;
        if constexpr (EVEN) {
#pragma unroll
            for (int q = 0; q < Tile::most_rows / together; ++q, row += step, a += a_step, b += b_step)
                act(Count<together>(), true, (row << plan.systems_log) + (s ^ aside(row >> Tile::line_log)), a, b);
        } else {
#pragma unroll 4
            for (; row < part_rows; row += step, a += a_step, b += b_step)
                act(Count<together>(), true, (row << plan.systems_log) + (s ^ aside(plan.by_pairs.quotient(row / 2))),
                    a, b);
        }
    }
    __device__ T *equations(int system) const {
        return segments.equations +
               (((j0 + system) * p.nrhs + r) * segments.segments + index) * InterfaceSegments<T>::values;
    }
    __device__ void sync() const {
        if (FLAT)
            __syncwarp();
        else
            __syncthreads();
    }
};

template <class T, InterfaceJob JOB>
__device__ inline InterfacePlace<T> interface_place(const GtsvProblem &p, const InterfacePlan &plan,
                                                    const InterfaceSegments<T> &segments) {
    // The second pass loads the segments in reverse order: the last ones are still in the cache.
    const unsigned block = JOB == InterfaceJob::SOLVE ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    unsigned unit = block;
    InterfacePlace<T> w{p, plan, segments};
    w.rank = 0, w.index = 0;
    if (JOB == InterfaceJob::CLUSTER)
        unit = block >> plan.parts_log, w.rank = int(block) & plan.parts - 1;
    else if (JOB != InterfaceJob::BLOCK)
        unit = block / segments.segments, w.index = block - unit * segments.segments;
    const unsigned group = p.nrhs == 1 ? unit : unit / unsigned(p.nrhs);
    w.lane = threadIdx.x % 32, w.warp = threadIdx.x / 32;
    w.sub = int(threadIdx.x) >> plan.lanes_log, w.k = int(threadIdx.x) & plan.lanes() - 1;
    w.j0 = int64_t(group) << plan.systems_log, w.r = unit - group * unsigned(p.nrhs);
    w.part0 = int64_t(JOB == InterfaceJob::CLUSTER ? unsigned(w.rank) : w.index) * plan.part_rows;
    w.part_rows = int(min(plan.n - w.part0, int64_t(plan.part_rows)));
    if (is_of_segments(JOB)) w.enter_leaf();
    return w;
}

}  // namespace xbatch::tridiagonal
