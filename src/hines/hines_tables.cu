// hines_tables.cu: makes a plan's tables and brings them to the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_tables.hpp"

#include <algorithm>
#include <cstring>

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

DeviceTree tree_of(const HinesPlan &plan, int64_t m) {
    DeviceTree tree{};
    tree.n = int32_t(plan.trees[size_t(m)].n()), tree.first = plan.trees[size_t(m)].first;
    if (plan.is_mixed)
        tree.first_member = plan.first_member[size_t(m)],
        tree.members = plan.first_member[size_t(m) + 1] - plan.first_member[size_t(m)];
    return tree;
}

// Puts the tables of a tree that is solved level by level into the image; until that is in device memory, their
// pointers are offsets in it.
void add_pieces(const TreePieces &pieces, DeviceTree &tree, Image &image) {
    tree.slots = int32_t(pieces.slots()), tree.levels = int32_t(pieces.levels.size());
    for (const PieceLevel &level : pieces.levels) tree.workers = std::max(tree.workers, level.workers);
    Image tables;
    tables.add(pieces.levels);
    tree.steps = int32_t(tables.add(pieces.steps)), tree.joints = int32_t(tables.add(pieces.joints));
    tree.worker_slots = int32_t(tables.add(pieces.worker_slots));
    tree.contributors = int32_t(tables.add(pieces.contributors)), tree.ends = int32_t(tables.add(pieces.ends));
    tree.root_count = int32_t(pieces.roots.size());
    tree.tables = reinterpret_cast<const char *>(image.add(tables.bytes()));
    tree.roots = reinterpret_cast<const int32_t *>(image.add(pieces.roots));
}

std::vector<HinesStep> with_idle_steps(const Schedule &schedule) {
    const size_t steps = size_t(StepTableShape::front + schedule.steps + StepTableShape::behind);
    std::vector<HinesStep> table(steps * size_t(schedule.workers), HinesStep::idle(schedule.place));
    std::copy(schedule.table.begin(), schedule.table.end(), table.begin() + StepTableShape::front * schedule.workers);
    return table;
}

// The same of a tree that warps can solve. Where there are many trees, for some numbers of workers alone.
void add_schedules(const Context &context, const Tree &tree, bool is_one_of_many, DeviceTree &to, Image &image) {
    std::vector<std::pair<Schedule, DeviceSchedule *>> all;
    for (const PartPlace place : {PartPlace::rows, PartPlace::children})
        for (int at = 0; at < DeviceTree::worker_counts; ++at) {
            const int workers = DeviceTree::least_workers << at;
            if (is_one_of_many && workers != 8 && workers != 32) continue;
            DeviceSchedule &one = to.schedules[int(place)][at];
            all.emplace_back(make_schedule(tree, workers, HinesTuning::latency, place), &one);
            const Schedule &schedule = all.back().first;
            one.steps = schedule.steps, one.rows = schedule.rows, one.more_count = int32_t(schedule.more.size());
        }
    to.is_for_warps = fits_warps(context, to);
    if (!to.is_for_warps) return;
    for (const auto &[schedule, one] : all) {
        one->table = reinterpret_cast<const HinesStep *>(image.add(with_idle_steps(schedule)));
        one->more = reinterpret_cast<const MoreParts *>(image.add(schedule.more));
        one->list = reinterpret_cast<const uint32_t *>(image.add(schedule.list));
    }
}

// Pointers that are offsets become pointers into `memory`.
template <class Item>
void move_to(const char *memory, const Item *&pointer) {
    pointer = reinterpret_cast<const Item *>(memory + reinterpret_cast<size_t>(pointer));
}
void move_to(const char *memory, DeviceTree &tree) {
    move_to(memory, tree.tables), move_to(memory, tree.roots);
    for (auto &places : tree.schedules)
        for (DeviceSchedule &one : places)
            move_to(memory, one.table), move_to(memory, one.more), move_to(memory, one.list);
}

// The ranges of a mixed batch, those that take longest first: one launch for all trees if there is a shape for all and
// that is quicker, otherwise one each.
template <class T>
void list_ranges(const Context &context, DevicePlan &tables, bool flat, bool has_shared,
                 std::vector<HinesRange> &ranges) {
    const auto launch = [&](std::vector<HinesShare> shares, const HinesChoice &choice) {
        std::sort(shares.begin(), shares.end(),
                  [](const HinesShare &a, const HinesShare &b) { return a.tree->n > b.tree->n; });
        int64_t tiles = 0;
        for (const HinesShare &share : shares) tiles += (share.systems - 1) / choice.systems + 1;
        const int64_t at_once = int64_t(context.multiprocessors) * choice.blocks;
        const int64_t rounds = std::clamp<int64_t>(tiles / (4 * at_once), 1, HinesTuning::most_rounds);
        const int64_t first = int64_t(ranges.size()), most = rounds * choice.systems;
        for (const HinesShare &share : shares)
            for (int64_t k0 = 0; k0 < share.systems; k0 += most)
                ranges.push_back({int32_t(share.tree - tables.trees.data()), k0, std::min(k0 + most, share.systems),
                                  choice.systems});
        tables.launches_of[flat][has_shared][type_of<T>].push_back({first, int64_t(ranges.size()) - first, choice});
    };
    std::vector<HinesShare> shares;
    for (const DeviceTree &tree : tables.trees)
        if (tree.is_for_warps && tree.members > 0) shares.push_back({&tree, tree.members});
    if (shares.empty()) return;
    const auto choose = [&](const std::vector<HinesShare> &some) {
        return choose_warps<T>(context, some, flat, has_shared, HinesTuning::mixed_wide);
    };
    const HinesChoice together = choose(shares);
    if (together.systems > 0 && int64_t(shares.size()) > HinesTuning::few_launches) return launch(shares, together);
    double apart = 0;
    for (const HinesShare &share : shares) apart += choose({share}).cycles + HinesTuning::launch_cycles;
    if (together.systems > 0 && together.cycles < apart) return launch(shares, together);
    for (const HinesShare &share : shares) launch({share}, choose({share}));
}

std::vector<HinesRange> list_ranges(const Context &context, DevicePlan &tables) {
    std::vector<HinesRange> ranges;
    for (const bool flat : {false, true})
        for (const bool has_shared : {false, true}) {
            list_ranges<float>(context, tables, flat, has_shared, ranges);
            list_ranges<double>(context, tables, flat, has_shared, ranges);
            list_ranges<Complex<float>>(context, tables, flat, has_shared, ranges);
            list_ranges<Complex<double>>(context, tables, flat, has_shared, ranges);
        }
    return ranges;
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
    std::vector<int32_t> parents;
    for (int64_t m = 0; m < plan.groups(); ++m) {
        const Tree &from = plan.trees[size_t(m)];
        DeviceTree tree = tree_of(plan, m);
        if (tree.n <= HinesTuning::most_nodes)
            add_schedules(context, from, plan.groups() > HinesTuning::few_morphologies, tree, image);
        tables->levels.emplace_back();
        if (!tree.is_for_warps) {
            const TreePieces pieces = cut_tree(from);
            if (pieces.slots() + from.n() > max_piece_rows)
                return fail(context, XBATCH_STATUS_NOT_SUPPORTED,
                            "xhinesCreatePlan: morphology %lld has too many nodes", (long long)m);
            add_pieces(pieces, tree, image);
            tables->levels.back() = pieces.levels;
        }
        tables->trees.push_back(tree);
        parents.insert(parents.end(), from.parent.begin(), from.parent.end());
    }
    const size_t trees_at = image.add(tables->trees), parents_at = image.add(parents);
    const size_t members_at = image.add(plan.members), first_node_at = image.add(plan.first_node);
    const size_t before_at = image.add(elements_before(tables->trees));
    const size_t ranges_at = image.add(list_ranges(context, *tables));
    XBATCH_CUDA(context, cudaMalloc(&tables->memory, image.bytes().size()));
    for (DeviceTree &tree : tables->trees) move_to(tables->memory, tree);
    std::vector<char> bytes = image.bytes();
    std::memcpy(bytes.data() + trees_at, tables->trees.data(), tables->trees.size() * sizeof(DeviceTree));
    XBATCH_CUDA(context, cudaMemcpy(tables->memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    point(tables->on_device.trees, tables->memory, trees_at);
    point(tables->parent, tables->memory, parents_at);
    point(tables->group_first, tables->memory, before_at), point(tables->ranges, tables->memory, ranges_at);
    if (plan.is_mixed) {
        point(tables->on_device.members, tables->memory, members_at);
        point(tables->on_device.first_node, tables->memory, first_node_at);
    }
    plan.tables = tables;
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch
