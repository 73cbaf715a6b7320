// hines_tables.hpp: a plan's part on the GPU: its tables there, and what the host needs of them for launches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/dispatch.hpp"
#include "hines/hines_tuning.hpp"

namespace xbatch::hines {

// Ranges of a mixed batch that one launch processes
struct RangeLaunch {
    int64_t first, blocks;
    HinesChoice choice;
};

struct DevicePlan {
    int device = -1;
    char *memory = nullptr;                         // all tables
    std::vector<DeviceTree> trees;                  // pointers refer to device memory
    std::vector<std::vector<SubtreeLevel>> levels;  // of each tree
    // Of the trees in pieces: the trees of their ports, and all pieces
    std::vector<DeviceTree> port_trees;
    std::vector<DevicePiece> pieces;
    const DeviceTree *port_trees_on_device = nullptr;
    TreeTables on_device{};
    const int32_t *parent = nullptr;  // all trees in sequence, each numbered from 0; -1 for roots

    // Of mixed batches
    const int64_t *group_first = nullptr;  // INTERLEAVED: elements of one right-hand side before each morphology
    const HinesRange *ranges = nullptr;
    std::vector<RangeLaunch> launches_of[2][2][2][4];  // [FROM_TIPS][flat][u and l shared][type]

    DevicePlan() = default;
    DevicePlan(const DevicePlan &) = delete;
    DevicePlan &operator=(const DevicePlan &) = delete;
    ~DevicePlan();

    template <class T>
    const std::vector<RangeLaunch> &launches(xbatchHinesAlgorithm_t algorithm, bool flat, bool has_shared) const {
        return launches_of[algorithm == XBATCH_HINES_FROM_TIPS][flat][has_shared][type_of<T>];
    }
};

}  // namespace xbatch::hines
