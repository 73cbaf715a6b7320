// path_tables.cu: copies the paths of a plan's trees to the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/device.hpp"
#include "device_image.hpp"
#include "device_paths.hpp"

namespace xbatch::hines {

DevicePaths::~DevicePaths() {
    int previous = -1;
    if (!memory || cudaGetDevice(&previous) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
    cudaFree(memory);
    cudaSetDevice(previous);
}

xbatchStatus_t make_device_paths(Context &context, HinesPlan &plan) {
    auto tables = std::make_shared<DevicePaths>();
    tables->device = context.device;
    Image image;
    const auto add = [&](auto &pointer, const auto &items) {
        pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(image.add(items));
    };
    for (const Tree &tree : plan.trees) {
        const TreePaths paths = find_paths(tree);
        PathTree one{};
        add(one.node, paths.node), add(one.paths, paths.paths), add(one.joins, paths.joins);
        add(one.levels, paths.levels);
        one.n = int32_t(tree.n()), one.level_count = int32_t(paths.levels.size()) - 1, one.first = tree.first;
        tables->trees.push_back(one);
    }
    add(tables->members, plan.members), add(tables->first_node, plan.first_node);
    add(tables->on_device, tables->trees);
    const size_t trees_at = reinterpret_cast<size_t>(tables->on_device);
    XBATCH_CUDA(context, cudaMalloc(&tables->memory, image.bytes().size()));
    const char *const memory = tables->memory;
    for (PathTree &tree : tables->trees)
        move_to(memory, tree.node), move_to(memory, tree.paths), move_to(memory, tree.joins),
            move_to(memory, tree.levels);
    move_to(memory, tables->members), move_to(memory, tables->first_node), move_to(memory, tables->on_device);
    std::vector<char> bytes = image.bytes();
    std::memcpy(bytes.data() + trees_at, tables->trees.data(), tables->trees.size() * sizeof(PathTree));
    XBATCH_CUDA(context, cudaMemcpy(tables->memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    plan.paths = tables;
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::hines
