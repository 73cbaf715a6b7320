// gtsv_vbatch_plan.hpp: how systems of different lengths are divided among the threads and blocks of a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv_vbatch.hpp"
#include "tridiagonal/pivoted/flat_plan.hpp"

namespace xbatch::tridiagonal {

// Groups of consecutive systems are sorted by key: a class of systems that take equally many threads, and a part of it
// with the same rows per thread. So threads that work together get systems of similar length that are close in memory.
struct VBatchGroup {
    static constexpr int threads = 256, items = 8, systems_log = 11;  // of the kernel that sorts
    static constexpr int systems = threads * items;
};
static_assert(VBatchGroup::systems == 1 << VBatchGroup::systems_log, "");

// A system that lanes solve, or threads of a block. Its division depends on nothing but itself, so that no other system
// changes a bit of its solution.
struct alignas(16) VBatchSystem {
    int64_t begin;  // offset of its first row
    int32_t rows;
    uint16_t number;            // within the group
    uint8_t lanes, lanes_rows;  // VBatchLanes: threads that have rows of it, and rows of each but the last
};
// What is solved at a time: `count` systems of one class, sorted ones from number `first` of the group on
struct alignas(8) VBatchUnit {
    uint32_t group;
    uint16_t first;
    uint8_t count, kind;  // kind: the class
};
// A system that these do not solve; its segments are numbered from segment0 on.
struct VBatchLonger {
    int64_t segment0, system;
};

// Division among blocks of 128 threads, of short systems, on devices without clusters, and of longer systems: a system
// of class c has 2^c threads. Rows are processed in pairs, which begin at even offsets where a pair can be copied at
// once: then a system that begins at an odd offset gets a row of padding, x = 0, in front.
template <class T>
struct VBatchPairs {
    static constexpr int of_thread_log = InterfaceTile<T>::line_log - 1, of_thread = 1 << of_thread_log;
    static constexpr int64_t of_segment = of_thread * InterfacePlan::threads;
    static constexpr int blocks = 3;  // per multiprocessor, by shared memory
    static constexpr int classes = 8, parts_log = of_thread_log, phases = 1;

    XBATCH_HD static bool is_padded(int64_t begin) { return sizeof(T) < 16 && begin % 2 == 1; }
    XBATCH_HD static int64_t of(int64_t begin, int64_t rows) { return (rows + is_padded(begin) + 1) / 2; }
    // Segments of a system that is longer than a block
    XBATCH_HD static int64_t segments(int64_t pairs) {
        return pairs > 2 * of_segment ? (pairs - 1) / of_segment + 1 : 2;
    }

    XBATCH_HD static bool fits(int64_t begin, int64_t rows, int) { return of(begin, rows) <= of_segment; }
    XBATCH_HD static int systems(int kind) { return InterfacePlan::threads >> kind; }
    XBATCH_HD static int list(int) { return 0; }
    XBATCH_HD static int key(int64_t begin, int rows) {
        const int pairs = int(of(begin, rows));
        int log = 0;
        while (pairs > of_thread << log) ++log;
        return log << parts_log | pairs - 1 >> log;
    }
    XBATCH_HD static int phase(int64_t) { return 0; }
    XBATCH_HD static int phase_step(int) { return 0; }
    XBATCH_HD static VBatchSystem system(int64_t begin, int rows, int number) {
        return {begin, rows, static_cast<uint16_t>(number), 0, 0};
    }
};

// Division among lanes, on devices with clusters, unless all systems have at most `short_rows` rows: any number of
// lanes of a warp share a system, and a warp has as many systems as fit; a longer one takes all lanes of a team of two
// or four warps. Thread k of a system has those of rows k*lanes_rows … (k+1)*lanes_rows-1 that exist. lanes_rows is
// odd, which avoids bank conflicts.
template <class T>
struct VBatchLanes {
    static constexpr int warps = 4, teams_log = 2, blocks = 2;  // of a block, and blocks per multiprocessor
    static constexpr int64_t short_rows = 48;
    static constexpr int line = FlatTile<T>::line, most_rows = FlatTile<T>::most_rows;
    // Elements of shared memory of a warp in each of the four arrays: all rows, and what places systems in it at their
    // distances from 16-byte lines
    static constexpr int array = (32 * (most_rows + line - 1) + 3 * (line - 1)) / line * line;
    static constexpr int classes = 12, parts_log = most_rows > 32 ? 5 : most_rows > 16 ? 4 : 3;
    static constexpr int phases = line;

    // Most threads of a system of the class: 1 … 6, 8, 10, 16, 32, and of two or four warps
    XBATCH_HD static int lanes(int kind) { return kind < 6 ? kind + 1 : kind < 8 ? 2 * kind - 4 : 16 << (kind - 8); }
    XBATCH_HD static int64_t reach(int log) { return int64_t(32 * most_rows) << log; }  // rows of 2^log warps
    XBATCH_HD static bool fits(int64_t, int64_t rows, int log) { return rows <= reach(log); }
    XBATCH_HD static int systems(int kind) { return lanes(kind) < 32 ? 32 / lanes(kind) : 1; }
    XBATCH_HD static int list(int kind) { return kind < 10 ? 0 : kind - 9; }  // log of the warps of a team
    XBATCH_HD static int kind(int rows) {
        const int threads = (rows - 1) / most_rows + 1;
        if (threads <= 6) return threads - 1;
        if (threads <= 16) return threads <= 8 ? 6 : threads <= 10 ? 7 : 8;
        return threads <= 32 ? 9 : threads <= 64 ? 10 : 11;
    }
    XBATCH_HD static int rows_of_lane(int rows, int kind) {
        const int most = lanes(kind), even = (rows + most - 1) / most | 1;
        // Not one row for the last lane, which it would have to eliminate with interchanges
        return even + (most > 1 && (rows - 1) % even == 0 && even < most_rows ? 2 : 0);
    }
    XBATCH_HD static int key(int64_t, int rows) { return kind(rows) << parts_log | rows_of_lane(rows, kind(rows)) / 2; }
    // Distance of a system from a 16-byte line, and how much it grows over the rows of the threads of one
    XBATCH_HD static int phase(int64_t begin) { return int(begin & (line - 1)); }
    XBATCH_HD static int phase_step(int key) {
        const int of_lane = (key & ((1 << parts_log) - 1)) * 2 + 1;
        return (lanes(key >> parts_log) * of_lane) & (line - 1);
    }
    XBATCH_HD static VBatchSystem system(int64_t begin, int rows, int number) {
        const int of_lane = rows_of_lane(rows, kind(rows));
        return {begin, rows, static_cast<uint16_t>(number), static_cast<uint8_t>((rows + of_lane - 1) / of_lane),
                static_cast<uint8_t>(of_lane)};
    }
    static_assert(most_rows / 2 < 1 << parts_log, "the parts of a class in a key");
};

// The results of the sorting kernel
template <class T>
struct VBatchLists {
    static constexpr int lists = 3, longer_list = lists, segment_bits = 33;

    VBatchSystem *systems;        // [groups][VBatchGroup::systems], as sorted
    VBatchUnit *units;            // lists of units, in any order; `all_systems` elements each
    unsigned long long *counted;  // [lists + 1] units; of longer: number of systems << segment_bits | of segments
    int64_t all_systems;          // batch, rounded up to whole groups
    int teams_log;                // VBatchLanes: of the largest teams
    // Where systems can be longer than these
    VBatchLonger *longer;  // [batch], in any order
    T *equations;          // [capacity][10], of a window of segments and right-hand sides
    int64_t capacity;
};

}  // namespace xbatch::tridiagonal
