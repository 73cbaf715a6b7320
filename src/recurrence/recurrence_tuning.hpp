// recurrence_tuning.hpp: which block shape runs a batch of recurrences on a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::recurrence {

template <class T>
struct FolrTuning {
    static constexpr int most_rows =
        sizeof(T) == 16 ? 8 : 16;                         // a thread holds this many rows in registers, two values each
    static constexpr int threads = 256;                   // of a block
    static constexpr int line_systems = 128 / sizeof(T);  // sequences side by side that fill a memory line
    static constexpr int segment_blocks = 2;              // a multiprocessor, where sequences are cut among blocks
};

}  // namespace xbatch::recurrence
