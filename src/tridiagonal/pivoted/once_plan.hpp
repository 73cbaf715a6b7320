// once_plan.hpp: how right-hand sides of one matrix, which is eliminated once, are divided among threads and blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/context.hpp"
#include "core/workspace.hpp"
#include "flat_plan.hpp"
#include "interface_plan.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// The matrix is cut into `chunks` chunks of `rows` rows, the last one of fewer. A thread follows the elimination of a
// chunk for `of_thread` right-hand sides. Thread t has chunk t >> lanes_log and, of the block's right-hand sides, those
// of numbers t mod 2^lanes_log + v 2^lanes_log. So threads of a warp read the same factors, or those of a few chunks.
struct OncePlan {
    static constexpr int most_threads = 512;
    static constexpr int64_t least_sides = 64;  // below, eliminating each is faster than another launch; not measured

    int64_t n, sides;      // rows of a system; systems times right-hand sides
    int rows, chunks;      // of a chunk; of the matrix
    int of_thread;         // right-hand sides
    int lanes_log;         // right-hand sides of a block, divided by of_thread
    int tree_log;          // lanes of a right-hand side in the tree over the chunks
    int slots;             // of a right-hand side in the table of cuts
    int stride;            // FLAT: elements of a right-hand side in a warp's stage; otherwise 0
    SmallDivisor by_warp;  // FLAT: division by the rows of a warp's chunks,
    SmallDivisor by_last;  // and by those of the last warp of a right-hand side
    bool is_periodic;
    bool is_wide;  // not FLAT: 16 bytes of a row are copied at once

    XBATCH_HD int lanes() const { return 1 << lanes_log; }
    XBATCH_HD int block_sides() const { return of_thread << lanes_log; }
    XBATCH_HD int threads() const { return ((chunks << lanes_log) + 31) / 32 * 32; }
    // Of a warp, for one of its threads' right-hand sides: right-hand sides and rows, and elements of the stage
    XBATCH_HD int warp_sides() const { return lanes_log < 5 ? 1 << lanes_log : 32; }
    XBATCH_HD int warp_rows() const { return (32 >> (lanes_log < 5 ? lanes_log : 5)) * rows; }
    XBATCH_HD int warp_stage() const { return stride > 0 ? warp_sides() * stride : 32 * rows; }
};

// Rows of 128 bytes. Chunks have at most twice as many, but not more than there are bits in OnceFactors::order.
template <class T>
constexpr int once_rows = 128 / int(sizeof(T));

// Right-hand sides of a thread: two share the instructions that read factors, of which float has the least time.
template <class T>
constexpr int once_sides = sizeof(T) == 4 ? 2 : 1;

// The most lanes of a phase that share a bank when each accesses a row of its own in the stage
template <class T>
int stage_conflicts(const OncePlan &plan, int stride) {
    return most_on_a_bank<T>(
        32, [&](int lane) { return (lane & plan.warp_sides() - 1) * stride + lane / plan.warp_sides() * plan.rows; });
}

// Shared memory of a block: the table of cuts, and, FLAT, the warps' stages
template <class T>
size_t once_bytes(const OncePlan &plan) {
    const int table = plan.chunks > 1 ? 2 * plan.slots * plan.block_sides() : 0;
    return sizeof(T) * (size_t(table) + size_t(plan.of_thread) * (plan.threads() / 32) * plan.warp_stage());
}

// Whether `count` right-hand sides, the first one's number being a multiple of `count`, are adjacent in each row and
// can be copied by 16 bytes
template <class T>
bool has_wide_rows(const GtsvProblem &p, int64_t count) {
    const bool has_lines =
        p.b_at.layout == XBATCH_LAYOUT_INTERLEAVED
            ? p.nrhs == 1 || p.batch % count == 0
            : p.b_at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && p.nrhs == 1 && p.b_at.ld % count == 0;
    return has_lines &&
           (reinterpret_cast<uintptr_t>(p.b) | uint64_t(p.b_at.origin | p.b_at.step) * sizeof(T)) % 16 == 0;
}

// What a block has of real right-hand sides of n rows: memory lines of each row, times two; threads that suffice; and
// the fewest rows of a chunk. Measured with interleaved ones: more and shorter chunks are more warps, with 32 lanes a
// warp reads the factors of one chunk only, and the first-level cache should keep all factors.
struct OnceShare {
    int half_lines, threads, least_rows;
};
template <class T>
OnceShare once_share(int n) {
    if (n <= 64) return {8, 448, 16};
    if (n <= (sizeof(T) == 4 ? 480 : 352)) return {4, 448, 16};
    const int least_rows = n <= 480 ? 30 : n <= 560 ? 27 : 22;
    if (n <= (sizeof(T) == 4 ? 800 : 1024)) return {2, OncePlan::most_threads, least_rows};
    return {1, OncePlan::most_threads, 24};
}

// False where a matrix has too many rows, or too few right-hand sides. The chunks follow from n alone.
template <class T>
bool plan_once(const Context &context, int64_t n, int64_t sides, bool flat, bool is_periodic, OncePlan &plan) {
    constexpr int line = 128 / int(sizeof(T));  // elements
    constexpr int most_rows = std::min(32, 2 * once_rows<T>), most_threads = OncePlan::most_threads;
    const size_t most_bytes = size_t(context.shared_per_block) - 2048;
    if (n > 2048 || sides < OncePlan::least_sides) return false;
    plan = {};
    plan.n = n, plan.sides = sides, plan.is_periodic = is_periodic, plan.of_thread = once_sides<T>;
    const int all = int(n);
    // Into chunks of at most this number of rows, and at most `lanes` lanes of `enough` threads; but a memory line of a
    // row, if that fits a block
    const auto cut = [&](int most, int lanes, int enough) {
        plan.rows = (all - 1) / ((all - 1) / most + 1) + 1;
        plan.chunks = (all - 1) / plan.rows + 1;
        plan.slots = (plan.chunks + 1) | 1;
        const auto is_too_many = [&] {
            return plan.chunks << plan.lanes_log > (plan.block_sides() <= line ? most_threads : enough) ||
                   once_bytes<T>(plan) > most_bytes;
        };
        for (plan.lanes_log = 7; plan.lanes_log > 0 && (plan.lanes() > lanes || is_too_many());) --plan.lanes_log;
    };
    if (sizeof(T) == sizeof(Real<T>)) {
        const OnceShare share = once_share<T>(all);
        const int lanes = share.half_lines * line / 2 / plan.of_thread, chunks = share.threads / lanes;
        cut(std::clamp((all - 1) / chunks + 1, share.least_rows, most_rows), lanes, most_threads);
    } else {
        constexpr int enough = 384, few_rows = 20 * once_rows<T>, any = 128;
        cut(all > few_rows ? most_rows : once_rows<T>, any, enough);
        // An odd number of rows avoids bank conflicts of several chunks, in the stage of FLAT.
        if (plan.lanes() < once_rows<T> && plan.rows % 2 == 0) cut(plan.rows - 1, any, enough);
    }
    while (plan.block_sides() > line / 2 && plan.sides < int64_t(plan.block_sides()) * context.multiprocessors)
        --plan.lanes_log;
    // A lane for each join of the lowest level; where there are few, two joins: more lanes would cost issue slots.
    while (plan.tree_log < 5 && (plan.chunks > 16 ? 2 : 4) << plan.tree_log <= plan.chunks) ++plan.tree_log;
    if (flat) {
        const int whole = plan.warp_rows(), last = (all - 1) % whole + 1;
        plan.by_warp = SmallDivisor::of(whole), plan.by_last = SmallDivisor::of(last);
        plan.stride = whole;
        for (int stride = whole + 1; stride < whole + once_rows<T>; ++stride)
            if (stage_conflicts<T>(plan, stride) < stage_conflicts<T>(plan, plan.stride)) plan.stride = stride;
    }
    return true;
}

// Factors of the matrix: what a right-hand side needs to follow the elimination. Records are four elements.
template <class T>
struct OnceFactors {
    // Of row i, at number i*chunks + k for row i of chunk k: its scale and, from row 2 on, the PivotStep of x_{i-1}
    // without its choices; then s, l1, q of that Pivot.
    T *down, *up;
    // Of the join of chunks at the cut before chunk k, two records at number k: the JoinStep, without its choices, and
    // the Middle, without g and h. Number 0 has the closing step.
    T *join_down, *join_up;
    unsigned *order;       // [2][chunks]: bit i of chunk k is `second`, then `is_new`, of row i
    unsigned *join_order;  // [chunks]: s, w, t, is_y, is_z as bits 0 … 4; number 0: of the closing step, s
    int32_t *bad;          // the first row with a bad pivot, counted from 1, or 0

    OnceFactors(Carver &carver, const OncePlan &plan) {
        const int chunks = plan.chunks;
        down = carver.take<T>(4 * chunks, plan.rows), up = carver.take<T>(4 * chunks, plan.rows);
        join_down = carver.take<T>(8 * chunks), join_up = carver.take<T>(8 * chunks);
        order = carver.take<unsigned>(2 * chunks), join_order = carver.take<unsigned>(chunks);
        bad = carver.take<int32_t>(1);
    }
};

}  // namespace xbatch::tridiagonal
