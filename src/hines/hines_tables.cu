// hines_tables.cu: makes a plan's tables and brings them to the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_tables.hpp"

#include <cstring>
#include <map>

#include "core/cuda.hpp"
#include "core/device.hpp"

namespace xbatch {
namespace {

// Tables side by side, as they will lie in device memory: each begins, and all of them end, at a multiple of 16 bytes.
class Image {
public:
    template <class Item>
    size_t add(const std::vector<Item> &items) {
        constexpr size_t alignment = 16;
        const size_t at = bytes_.size(), size = items.size() * sizeof(Item);
        bytes_.resize(at + (size + alignment - 1) / alignment * alignment);
        if (size > 0) std::memcpy(bytes_.data() + at, items.data(), size);
        return at;
    }
    const std::vector<char> &bytes() const { return bytes_; }

private:
    std::vector<char> bytes_;
};

template <class Item>
void point(const Item *&pointer, const char *memory, size_t at) {
    pointer = reinterpret_cast<const Item *>(memory + at);
}

DeviceTree tree_of(const HinesPlan &plan, int64_t m, const TreePieces &pieces, Image &image) {
    DeviceTree tree{};
    tree.n = int32_t(plan.trees[size_t(m)].n()), tree.slots = int32_t(pieces.slots());
    tree.levels = int32_t(pieces.levels.size());
    for (const PieceLevel &level : pieces.levels) tree.workers = std::max(tree.workers, level.workers);
    tree.first = plan.trees[size_t(m)].first;
    if (plan.is_mixed)
        tree.first_member = plan.first_member[size_t(m)],
        tree.members = plan.first_member[size_t(m) + 1] - plan.first_member[size_t(m)];
    image.add(pieces.levels);
    tree.steps = int32_t(image.add(pieces.steps)), tree.joints = int32_t(image.add(pieces.joints));
    tree.worker_slots = int32_t(image.add(pieces.worker_slots));
    tree.contributors = int32_t(image.add(pieces.contributors)), tree.ends = int32_t(image.add(pieces.ends));
    tree.bytes = int32_t(image.bytes().size());
    tree.root_count = int32_t(pieces.roots.size());
    return tree;
}

// The tiles of a mixed batch that are alike in what they ask of a multiprocessor go into one launch, those that take
// longest first.
template <class T>
void list_tiles(const Context &context, DevicePlan &tables, bool flat, std::vector<HinesTile> &tiles) {
    constexpr xbatchDataType_t type = type_of<T>;
    std::vector<bool> &on_chip = tables.on_chip_of[flat][type];
    int64_t batch = 0;
    for (const DeviceTree &tree : tables.trees) batch += tree.members;
    struct Kind {
        HinesChoice choice;
        std::vector<HinesTile> tiles;
    };
    std::map<std::pair<int, int>, Kind> kinds;  // by systems of a tile, and blocks that share a multiprocessor
    for (size_t m = 0; m < tables.trees.size(); ++m) {
        const DeviceTree &tree = tables.trees[m];
        const HinesChoice choice = choose_tile<T>(context, tree, flat, false, batch);
        on_chip.push_back(choice.systems > 0);
        if (choice.systems == 0) continue;
        Kind &kind = kinds[{choice.systems, std::min(context.shared_per_block / choice.bytes, 8)}];
        kind.choice.systems = choice.systems, kind.choice.is_flat = flat;
        kind.choice.threads = std::max(kind.choice.threads, choice.threads);
        kind.choice.bytes = std::max(kind.choice.bytes, choice.bytes);
        for (int64_t k0 = 0; k0 < tree.members; k0 += choice.systems)
            kind.tiles.push_back({int32_t(m), int32_t(std::min<int64_t>(choice.systems, tree.members - k0)), k0});
    }
    for (const auto &[key, kind] : kinds) {
        if (kind.tiles.empty()) continue;
        tables.launches_of[flat][type].push_back({int64_t(tiles.size()), int64_t(kind.tiles.size()), kind.choice});
        tiles.insert(tiles.end(), kind.tiles.begin(), kind.tiles.end());
    }
}

std::vector<HinesTile> list_tiles(const Context &context, DevicePlan &tables) {
    std::vector<HinesTile> tiles;
    for (const bool flat : {false, true}) {
        tables.on_chip_of[flat].resize(4);
        list_tiles<float>(context, tables, flat, tiles), list_tiles<double>(context, tables, flat, tiles);
        list_tiles<Complex<float>>(context, tables, flat, tiles);
        list_tiles<Complex<double>>(context, tables, flat, tiles);
    }
    return tiles;
}

std::vector<int64_t> elements_before(const std::vector<DeviceTree> &trees) {
    std::vector<int64_t> before;
    int64_t sum = 0;
    for (const DeviceTree &tree : trees) before.push_back(sum), sum += tree.members * tree.n;
    return before;
}

}  // namespace

DevicePlan::~DevicePlan() {
    int previous = -1;
    if (!memory || cudaGetDevice(&previous) != cudaSuccess || cudaSetDevice(device) != cudaSuccess) return;
    cudaFree(memory);
    cudaSetDevice(previous);
}

xbatchStatus_t make_device_plan(Context &context, HinesPlan &plan) {
    auto tables = std::make_shared<DevicePlan>();
    tables->device = context.device;
    Image image;
    std::vector<size_t> tables_at, roots_at;
    std::vector<int32_t> parents;
    for (int64_t m = 0; m < plan.groups(); ++m) {
        Image of_tree;
        const TreePieces pieces = cut_tree(plan.trees[size_t(m)]);
        tables->trees.push_back(tree_of(plan, m, pieces, of_tree));
        tables->levels.push_back(pieces.levels);
        if (pieces.slots() + plan.trees[size_t(m)].n() > max_piece_rows)
            return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "xhinesCreatePlan: morphology %lld has too many nodes",
                        (long long)m);
        tables_at.push_back(image.add(of_tree.bytes()));
        roots_at.push_back(image.add(pieces.roots));
        parents.insert(parents.end(), plan.trees[size_t(m)].parent.begin(), plan.trees[size_t(m)].parent.end());
    }
    const size_t trees_at = image.add(tables->trees), parents_at = image.add(parents);
    const size_t members_at = image.add(plan.members), first_node_at = image.add(plan.first_node);
    const size_t before_at = image.add(elements_before(tables->trees));
    const size_t tiles_at = image.add(list_tiles(context, *tables));
    XBATCH_CUDA(context, cudaMalloc(&tables->memory, image.bytes().size()));
    for (size_t m = 0; m < tables->trees.size(); ++m) {
        DeviceTree &tree = tables->trees[m];
        tree.tables = tables->memory + tables_at[m];
        point(tree.roots, tables->memory, roots_at[m]);
    }
    std::vector<char> bytes = image.bytes();
    std::memcpy(bytes.data() + trees_at, tables->trees.data(), tables->trees.size() * sizeof(DeviceTree));
    XBATCH_CUDA(context, cudaMemcpy(tables->memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    point(tables->on_device.trees, tables->memory, trees_at);
    point(tables->parent, tables->memory, parents_at);
    point(tables->group_first, tables->memory, before_at), point(tables->tiles, tables->memory, tiles_at);
    if (plan.is_mixed) {
        point(tables->on_device.members, tables->memory, members_at);
        point(tables->on_device.first_node, tables->memory, first_node_at);
    }
    plan.tables = tables;
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch
