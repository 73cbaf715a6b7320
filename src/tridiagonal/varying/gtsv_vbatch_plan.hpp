// gtsv_vbatch_plan.hpp: how systems of different lengths are divided among the blocks of a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gtsv_vbatch.hpp"
#include "tridiagonal/pivoted/interface_plan.hpp"

namespace xbatch::tridiagonal {

// Groups of consecutive systems are sorted by the number of threads of a system, then by rows per thread: a block gets
// similar systems that are close in memory. The order is the same in every run.
struct VBatchGroup {
    static constexpr int threads = 256, items = 8, systems_log = 11;  // of the kernel that sorts
    static constexpr int systems = threads * items;
    static constexpr int classes = 8;                           // systems of 2^c threads, c = 0 … 7
    static constexpr int longer = classes, none = classes + 1;  // than a block; of no rows, or wrong
    static constexpr int kinds = classes + 2;
    static constexpr int most_units = systems + classes;
};
static_assert(VBatchGroup::systems == 1 << VBatchGroup::systems_log, "");

// Rows are processed in pairs, which begin at even offsets where a pair can be copied at once: then a system that
// begins at an odd offset gets a row of padding, x = 0, in front.
template <class T>
struct VBatchPairs {
    static constexpr int of_thread_log = InterfaceTile<T>::line_log - 1, of_thread = 1 << of_thread_log;
    static constexpr int64_t of_segment = of_thread * InterfacePlan::threads;
    static constexpr int blocks = 3;  // per multiprocessor, by shared memory

    XBATCH_HD static bool is_padded(int64_t begin) { return sizeof(T) < 16 && begin % 2 == 1; }
    XBATCH_HD static int64_t of(int64_t begin, int64_t rows) { return (rows + is_padded(begin) + 1) / 2; }
    // Segments of a system that is longer than a block
    XBATCH_HD static int64_t segments(int64_t pairs) { return (pairs - 1) / of_segment + 1; }
};

struct alignas(16) VBatchSystem {
    int64_t begin;         // offset of its first row
    int32_t rows, number;  // number within the group
};
// The work of a block at a time: `count` sorted systems from number `first` on, with 2^lanes_log threads each
struct alignas(4) VBatchUnit {
    uint16_t first;
    uint8_t count, lanes_log;
};
// A system longer than a block; its segments are numbered from segment0 on.
struct VBatchLonger {
    int64_t segment0, system;
};

// The results of the sorting kernel
template <class T>
struct VBatchLists {
    VBatchSystem *systems;  // [groups][VBatchGroup::systems], as sorted
    VBatchUnit *units;      // [groups][VBatchGroup::most_units], those of most threads a system first
    int32_t *unit_counts;   // [groups]
    // Where systems can be longer than a block
    VBatchLonger *longer;         // [batch], in any order
    unsigned long long *counted;  // of longer: number of systems << segment_bits | of segments
    T *equations;                 // [capacity][10], of a window of segments and right-hand sides
    int64_t capacity;

    static constexpr int segment_bits = 33;
};

}  // namespace xbatch::tridiagonal
