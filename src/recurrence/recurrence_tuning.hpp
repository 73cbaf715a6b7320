// recurrence_tuning.hpp: the block shapes by which a GPU evaluates a batch of recurrences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::recurrence {

template <class T>
struct FolrTuning {
    static constexpr int most_rows = sizeof(T) == 16 ? 8 : 16;  // of a thread, in registers, two values each
    static constexpr int threads = 256;                         // of a block
    static constexpr int line_systems = 128 / sizeof(T);        // interleaved sequences that fill a memory line
    static constexpr int segment_blocks = 2;  // per multiprocessor, where several blocks share a sequence
};

}  // namespace xbatch::recurrence
