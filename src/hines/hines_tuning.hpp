// hines_tuning.hpp: how many Hines systems a block of a GPU takes, and with how many threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/context.hpp"
#include "hines_shapes.hpp"

namespace xbatch {

struct HinesTuning {
    // Shared memory of a block that holds more systems than it must: five of them share a multiprocessor, or two.
    static constexpr int bytes = 45 * 1024, most_bytes = 113 * 1024;
    static constexpr int row_bytes = 32;          // of systems side by side: less wastes memory traffic
    static constexpr int flat_bytes = 56 * 1024;  // four of them
    static constexpr int64_t most_systems = 32;
    static constexpr int most_threads = 1024;
    static constexpr int64_t grid_workers = 1 << 19;  // of a window that is solved level by level
};

// A tile's shape; no systems where a block cannot hold one
struct HinesChoice {
    int systems = 0, threads = 0, bytes = 0;
    bool is_flat = false;
};

template <class T>
HinesChoice choose_tile(const Context &context, const DeviceTree &tree, bool is_flat, bool is_symmetric,
                        int64_t batch) {
    const auto choice = [&](int64_t systems) {
        const int threads = int((systems * tree.workers + 31) / 32 * 32);
        return HinesChoice{int(systems), threads, TileShape::of<T>(tree, is_flat, is_symmetric, int(systems)).bytes,
                           is_flat};
    };
    const auto fits = [&](int64_t systems, int bytes) {
        return choice(systems).bytes <= std::min(bytes, context.shared_per_block) &&
               choice(systems).threads <= HinesTuning::most_threads;
    };
    constexpr int64_t row = HinesTuning::row_bytes / int64_t(sizeof(T));
    if (!fits(1, context.shared_per_block)) return {};
    // Few systems are spread over all multiprocessors; of many, as many as possible are to be on each, in threads that
    // fill their warps.
    const int64_t share = std::clamp<int64_t>(batch / (4 * context.multiprocessors), 1, HinesTuning::most_systems);
    int64_t systems = 1;
    if (!is_flat) {
        while (2 * systems <= share && fits(2 * systems, systems < row ? HinesTuning::most_bytes : HinesTuning::bytes))
            systems *= 2;
        return choice(systems);
    }
    double best = 0;
    for (int64_t s = 1; s <= share && fits(s, HinesTuning::flat_bytes); ++s) {
        const HinesChoice c = choice(s);
        const int resident = (context.shared_per_block + 1024) / (c.bytes + 1024);
        const double score = double(resident) * double(s) * double(s * tree.workers) / c.threads;
        if (score > best) best = score, systems = s;
    }
    return choice(systems);
}

}  // namespace xbatch
