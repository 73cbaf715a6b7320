// device_paths.hpp: the paths of a plan's trees on the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "paths.hpp"

namespace xbatch::hines {

// One morphology; all pointers refer to device memory.
struct PathTree {
    const int32_t *node;
    const TreePath *paths;
    const PathJoin *joins;
    const int32_t *levels;
    int32_t n, level_count;
    int64_t first;  // its row 0 in arrays with a row of each node of all morphologies
};

struct DevicePaths {
    int device = -1;
    char *memory = nullptr;
    std::vector<PathTree> trees;                              // on the host
    const PathTree *on_device = nullptr;                      // the same
    const int64_t *members = nullptr, *first_node = nullptr;  // of mixed plans: HinesPlan's

    DevicePaths() = default;
    DevicePaths(const DevicePaths &) = delete;
    DevicePaths &operator=(const DevicePaths &) = delete;
    ~DevicePaths();
};

}  // namespace xbatch::hines
