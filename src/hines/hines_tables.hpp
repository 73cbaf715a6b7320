// hines_tables.hpp: a plan's part on the GPU: its tables there, and what the host must know of them to launch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/dispatch.hpp"
#include "hines_tuning.hpp"

namespace xbatch {

// Tiles of a mixed batch that one launch takes
struct TileLaunch {
    int64_t first, tiles;
    HinesChoice choice;
};

struct DevicePlan {
    int device = -1;
    char *memory = nullptr;                       // all tables
    std::vector<DeviceTree> trees;                // with pointers to the device
    std::vector<std::vector<PieceLevel>> levels;  // of each tree
    TreeTables on_device{};
    const int32_t *parent = nullptr;  // all trees one after the other, each numbered from 0; -1 for roots

    // Of mixed batches
    const int64_t *group_first = nullptr;  // INTERLEAVED: elements of one right-hand side before each morphology
    const HinesTile *tiles = nullptr;
    std::vector<TileLaunch> launches_of[2][4];     // of tiles and of whole systems, by type
    std::vector<std::vector<bool>> on_chip_of[2];  // [type][morphology]: whether a block can hold it

    DevicePlan() = default;
    DevicePlan(const DevicePlan &) = delete;
    DevicePlan &operator=(const DevicePlan &) = delete;
    ~DevicePlan();

    template <class T>
    const std::vector<TileLaunch> &launches(bool flat) const {
        return launches_of[flat][type_of<T>];
    }
    template <class T>
    bool is_on_chip(int64_t m, bool flat) const {
        return on_chip_of[flat][type_of<T>][size_t(m)];
    }
    // However its systems lie
    template <class T>
    bool is_on_chip(int64_t m) const {
        return is_on_chip<T>(m, false) && is_on_chip<T>(m, true);
    }
};

}  // namespace xbatch
