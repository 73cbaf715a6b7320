// hines_tuning.hpp: how many Hines systems a block of a GPU takes, and with how many threads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/context.hpp"
#include "hines_shapes.hpp"

namespace xbatch {

struct HinesTuning {
    // Flat systems: a block that holds several has no more than this, so that four share a multiprocessor.
    static constexpr int flat_bytes = 56 * 1024;
    // Systems side by side: as many as make a row of 128 bytes, or half of it so that two blocks share a
    // multiprocessor, since memory is read by lines; and threads for the copies.
    static constexpr int row_bytes = 128, half_bytes = 113 * 1024, copy_threads = 192;
    static constexpr int most_threads = 1024, most_systems = 32;
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
        const int64_t threads = std::max<int64_t>(systems * tree.workers, is_flat ? 0 : HinesTuning::copy_threads);
        return HinesChoice{int(systems), int((threads + 31) / 32 * 32),
                           TileShape::of<T>(tree, is_flat, is_symmetric, int(systems)).bytes, is_flat};
    };
    const auto fits = [&](int64_t systems, int bytes) {
        return choice(systems).bytes <= std::min(bytes, context.shared_per_block) &&
               choice(systems).threads <= HinesTuning::most_threads;
    };
    if (int64_t(tree.n) * 3 * int64_t(sizeof(T)) > context.shared_per_block || !fits(1, context.shared_per_block))
        return {};
    // Few systems are spread over all multiprocessors.
    const int64_t share = std::clamp<int64_t>(batch / (2 * context.multiprocessors), 1, HinesTuning::most_systems);
    int64_t systems = 1;
    if (!is_flat) {
        constexpr int64_t row = HinesTuning::row_bytes / int64_t(sizeof(T));
        while (2 * systems <= std::min(share, row) &&
               fits(2 * systems, systems < row / 2 ? context.shared_per_block : HinesTuning::half_bytes))
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
