// gtsv_vbatch_block.cuh: how a block solves systems of different lengths, or segments of them: their rows in shared
// memory, and the tree over their threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "gtsv_vbatch_plan.hpp"
#include "tridiagonal/pivoted/interface_kernels.cuh"

namespace xbatch::tridiagonal {

// Copies two adjacent elements, at once if that is allowed; only those that exist are read.
template <class T, int offset>
__device__ inline void copy_pair(bool as_one, bool first, bool second, unsigned shared, const T *global) {
    constexpr int size = int(sizeof(T));
    if constexpr (size < 16) {
        if (as_one) {
            if constexpr (size == 8)
                asm volatile("cp.async.cg.shared.global [%0 + %1], [%2], 16, %3;" ::"r"(shared), "n"(offset),
                             "l"(global), "r"(second ? 2 * size : size)
                             : "memory");
            else
                asm volatile("cp.async.ca.shared.global [%0 + %1], [%2], 8, %3;" ::"r"(shared), "n"(offset),
                             "l"(global), "r"(second ? 2 * size : size)
                             : "memory");
            return;
        }
    }
    copy_async<T, 1, offset>(first, shared, global);
    copy_async<T, 1, offset + size>(second, shared, global + 1);
}

// Consecutive rows of a system: all of them, or a segment. Row -1 is the row of padding in front (VBatchPairs).
struct VBatchPart {
    int64_t begin, row0;  // offset and number of the first row
    int rows;             // 0: no system
    bool is_last;         // the system ends here
};
template <class T>
__device__ inline VBatchPart whole_system(const VBatchSystem &system) {
    const int before = VBatchPairs<T>::is_padded(system.begin);
    return {system.begin - before, -before, system.rows + before, true};
}
// One of at least two segments of a system with n rows: full ones, except that the last two share the remaining rows.
template <class T>
__device__ inline VBatchPart segment_of_system(int64_t begin, int64_t n, int64_t segment, int64_t segments) {
    constexpr int64_t of_segment = VBatchPairs<T>::of_segment;
    const int64_t before = VBatchPairs<T>::is_padded(begin),
                  rest = VBatchPairs<T>::of(begin, n) - (segments - 2) * of_segment;
    const auto first_pair = [&](int64_t t) {
        return t < segments - 1 ? t * of_segment : (segments - 2) * of_segment + rest / 2;
    };
    const int64_t row0 = 2 * first_pair(segment) - before;
    const int64_t end = segment + 1 == segments ? n : 2 * first_pair(segment + 1) - before;
    return {begin + row0, row0, int(end - row0), end == n};
}

// A block that solves several systems, or a segment, by 2^lanes_log threads each, as one thread sees it.
template <class ELEMENT, InterfaceJob JOB>
struct VBatchBlock : RowsInTile<VBatchBlock<ELEMENT, JOB>, ELEMENT> {
    using T = ELEMENT;
    static constexpr InterfaceJob job = JOB;
    static constexpr int of_thread = VBatchPairs<T>::of_thread;

    const VBatchProblem &p;
    T *b;                          // of the right-hand side
    T *tile;                       // the warp's
    int lane, warp, lanes_log, k;  // k: thread within the system
    VBatchPart part;               // of the thread's system
    int begin, own;                // rows of the thread: first, counted from the part's, and number

    __device__ VBatchBlock(const VBatchProblem &problem, const VBatchPart &rows_of_system, int log, int64_t r, T *tiles)
        : p(problem), lanes_log(log), part(rows_of_system) {
        b = static_cast<T *>(p.b) + r * p.ldb;
        lane = threadIdx.x % 32, warp = threadIdx.x / 32, k = int(threadIdx.x) & (1 << log) - 1;
        tile = tiles + warp * 4 * array();
        begin = 2 * piece_begin(pairs(), k, log);
        own = min(2 * piece_begin(pairs(), k + 1, log), part.rows) - begin;
    }
    __device__ static constexpr int array() { return 32 * 2 * of_thread; }  // elements, of a warp
    __device__ static constexpr int array_at(int q) { return q * array(); }
    __device__ int pairs() const { return (part.rows + 1) / 2; }
    __device__ int rows() const { return own; }
    __device__ bool exists() const { return part.rows > 0; }

    // Lanes access their pairs without bank conflicts.
    __device__ static int place(int lane, int v) { return 2 * (lane * of_thread + (v ^ (lane & of_thread - 1))); }
    __device__ T *pair(int v) const { return tile + place(lane, v); }
    __device__ T *spare_of(int owner) const { return tile + place(owner, of_thread - 1); }
    __device__ int depth() const { return lanes_log; }
    __device__ static bool is_conjugated() { return false; }
    __device__ void write(T *row, const Pair<T> &pair) const { *reinterpret_cast<Pair<T> *>(row) = pair; }
    __device__ Pair<T> read(const T *row) const { return *reinterpret_cast<const Pair<T> *>(row); }

    // act(whether the first row exists, the second, place in the tile, offset) for the pairs of the warp's lanes.
    // Adjacent lanes have adjacent pairs of a system, at least four lanes together.
    template <class Act>
    __device__ void each(Act act) const {
        const int group_log = max(2, min(lanes_log, 5)), rank = lane & (1 << group_log) - 1, k0 = k & ~31;
        const unsigned inverse = 0xffffffffu / unsigned(max(pairs(), 1)) + 1;
        const int shape = part.rows << 1 | int(part.row0 < 0);
#pragma unroll 1
        for (int from = lane - rank; from < lane - rank + (1 << group_log); from += 1 << lanes_log) {
            const int64_t theirs = from_lane(part.begin, from);
            const int their_shape = from_lane(shape, from), rows = their_shape >> 1, all = (rows + 1) / 2;
            const unsigned divisor = from_lane(inverse, from);
            const int end = lanes_log > 5 ? piece_begin(all, k0 + 32, lanes_log) : all;
#pragma unroll 2
            for (int u = piece_begin(all, k0, lanes_log) + rank; u < end; u += 1 << group_log) {
                const int owner = int(__umulhi((unsigned(u + 1) << lanes_log) - 1, divisor));
                act(u > 0 || their_shape % 2 == 0, 2 * u + 1 < rows,
                    place(from + (owner & 31), u - piece_begin(all, owner, lanes_log)), theirs + 2 * u);
            }
        }
    }
    __device__ static bool is_even(const void *array) {
        return reinterpret_cast<uintptr_t>(array) % alignof(Pair<T>) == 0;
    }

    template <bool EVEN>
    __device__ void copy() const {
        constexpr int bytes = array() * int(sizeof(T));
        const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
        const T *const du = static_cast<const T *>(p.du);
        const unsigned shared = shared_address(tile);
        each([&](bool first, bool second, int place, int64_t offset) {
            const unsigned to = shared + place * unsigned(sizeof(T));
            copy_pair<T, 0>(EVEN || is_even(dl), first, second, to, dl + offset);
            copy_pair<T, bytes>(EVEN || is_even(d), first, second, to, d + offset);
            copy_pair<T, 2 * bytes>(EVEN || is_even(du), first, second, to, du + offset);
            copy_pair<T, 3 * bytes>(EVEN || is_even(b), first, second, to, b + offset);
        });
    }
    __device__ bool are_even() const { return is_even(p.dl) && is_even(p.d) && is_even(p.du) && is_even(b); }
    // Loads the rows; coefficients that lead beyond the system's ends become 0. meanwhile() overlaps with the copies.
    template <class Do>
    __device__ void load(Do meanwhile) const {
        if (are_even())
            copy<true>();
        else
            copy<false>();
        meanwhile();
        wait_for_copies();
        __syncwarp();
        if (own == 0) return;
        if (part.row0 + begin < 0) {
            const Rows<T> rows = read_rows(pair(0));
            write_rows(pair(0), {{T(0), T(0)}, {T(1), rows.b.y}, {T(0), rows.c.y}, {T(0), rows.d.y}});
        } else if (part.row0 + begin == 0) {
            *pair(0) = T(0);
        }
        if (part.is_last && begin + own == part.rows) pair((own - 1) / 2)[2 * array() + (own % 2 == 0)] = T(0);
    }
    __device__ void store() const {
        constexpr int size = int(sizeof(T));
        const bool b_is_even = is_even(b);
        const T *const solution = tile + 3 * array();
        each([&](bool first, bool second, int place, int64_t offset) {
            if (b_is_even && first && second) {
                store_bytes<2 * size>(b + offset, solution + place);
                return;
            }
            if (first) store_bytes<size>(b + offset, solution + place);
            if (second) store_bytes<size>(b + offset + 1, solution + place + 1);
        });
    }
};

// The tree over a system's threads: composes their equations, gets the unknowns at the ends of the whole from root(),
// and computes those at each thread's ends. Two levels by shuffles, the others by one warp of the block, one lane per
// column of four threads. Returns the row, counted from the thread's first, for which a bad pivot is reported.
template <class W, class T, class Root>
__device__ inline int solve_tree(const W &w, InterfaceEquations<T> &run, Known<T> &known, T *strip, Root root) {
    __shared__ unsigned bad_columns;
    T *const table = strip + InterfacePlan::threads;
    const int lane = w.lane, further = w.lanes_log - InterfacePlan::shuffled_levels;
    unsigned right_lanes[InterfacePlan::shuffled_levels];
    int bad = ascend(w, run, strip, right_lanes) ? no_row : w.rows() - 1;
    bool is_fine = true;  // the levels above
    if (further <= 0) {
        if (w.k == 0) is_fine = root(run, known);
        known = from_lane(known, lane >> w.lanes_log << w.lanes_log);
        __syncwarp();
    } else {
        const int leader = int(blockIdx.x * 0x9E3779B9u >> 30);  // spread over the quarters of a multiprocessor
        const int columns = 1 << further, column = int(threadIdx.x) / 4;
        if (lane % 4 == 0) put(table, column, run);
        __syncthreads();
        if (w.warp == leader) {
            unsigned bits;
            run = get_run(table, lane);
            is_fine = compose_columns(run, table, further, bits);
            if (lane % columns == 0) is_fine = root(run, known) && is_fine;
            const unsigned bad_lanes = __ballot_sync(0xffffffffu, !is_fine);
            if (lane == 0) bad_columns = bad_lanes;
            known = from_lane(known, lane >> further << further);
            narrow_columns(known, table, further, bits);
            put(table, lane, known);
        }
        __syncthreads();
        known = get_known(table, column);
        is_fine = (bad_columns >> (column >> further << further) & 0xffffffffu >> (32 - columns)) == 0;
    }
    if (w.k == 0 && !is_fine) bad = min(bad, w.part.rows - 1 - w.begin);
    if (W::job != InterfaceJob::CONDENSE) descend(w, known, strip, right_lanes);
    return bad;
}

// Solves, or condenses, the systems or the segment of a block for one right-hand side. info: of the thread's system of
// n rows, may be NULL. meanwhile() overlaps with the loads.
template <class W, class T, class Root, class Do>
__device__ inline void work(const W &w, int32_t *info, int64_t n, T *strip, Root root, Do meanwhile) {
    w.load(meanwhile);
    InterfaceEquations<T> run;
    Known<T> known;
    unsigned bits;
    const bool dominant = is_dominant(w);
    int bad = dominant ? eliminate_dominant(w, run) : eliminate(w, run, bits);
    bad = min(bad, solve_tree(w, run, known, strip, root));
    if constexpr (W::job != InterfaceJob::CONDENSE) {
        const bool solved = dominant ? substitute_dominant(w, known) : substitute(w, known, bits);
        __syncwarp();
        w.store();
        if (info && w.exists() && bad != no_row) report(info, max(w.part.row0 + w.begin + bad, int64_t(0)));
        if (info && w.exists() && !solved) report(info, n);
    }
    __syncwarp();  // before the next rows replace these
}

}  // namespace xbatch::tridiagonal
