// hines_tables.cu: builds a plan's tables and copies them to the GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "hines_tables.hpp"

#include <algorithm>
#include <cstring>

#include "core/cuda.hpp"
#include "core/device.hpp"
#include "device_image.hpp"
#include "pieces.hpp"

namespace xbatch::hines {
namespace {

DeviceTree tree_of(const HinesPlan &plan, int64_t m) {
    DeviceTree tree{};
    tree.n = int32_t(plan.trees[size_t(m)].n()), tree.first = plan.trees[size_t(m)].first;
    if (plan.is_mixed)
        tree.first_member = plan.first_member[size_t(m)],
        tree.members = plan.first_member[size_t(m) + 1] - plan.first_member[size_t(m)];
    return tree;
}

// Appends the tables of a tree that is solved by levels to the image. Until the image is in device memory, their
// pointers are offsets in it.
void add_subtrees(const SubtreeTables &subtrees, DeviceTree &tree, Image &image) {
    tree.slots = int32_t(subtrees.slots()), tree.levels = int32_t(subtrees.levels.size());
    for (const SubtreeLevel &level : subtrees.levels) tree.workers = std::max(tree.workers, level.workers);
    Image tables;
    tables.add(subtrees.levels);
    tree.steps = int32_t(tables.add(subtrees.steps)), tree.joints = int32_t(tables.add(subtrees.joints));
    tree.worker_slots = int32_t(tables.add(subtrees.worker_slots));
    tree.contributors = int32_t(tables.add(subtrees.contributors)), tree.ends = int32_t(tables.add(subtrees.ends));
    tree.root_count = int32_t(subtrees.roots.size());
    tree.tables = reinterpret_cast<const char *>(image.add(tables.bytes()));
    tree.roots = reinterpret_cast<const int32_t *>(image.add(subtrees.roots));
}

std::vector<HinesStep> with_idle_steps(const Schedule &schedule) {
    const size_t steps = size_t(StepTableShape::front + schedule.steps + StepTableShape::behind);
    std::vector<HinesStep> table(steps * size_t(schedule.workers));
    std::copy(schedule.table.begin(), schedule.table.end(), table.begin() + StepTableShape::front * schedule.workers);
    return table;
}
std::vector<PackedStep> packed(const std::vector<HinesStep> &steps, PartPlace place) {
    std::vector<PackedStep> table(steps.size());
    std::transform(steps.begin(), steps.end(), table.begin(),
                   [&](const HinesStep &step) { return PackedStep::of(step, place); });
    return table;
}

std::vector<SpilledSteps> spilled_steps(const Schedule &schedule, int32_t &rows) {
    const std::vector<HinesStep> steps = with_idle_steps(schedule);
    std::vector<SpilledSteps> table(steps.size() / SpilledSteps::workers);
    rows = 0;
    for (size_t t = 0; t < table.size(); ++t) {
        int32_t busy = 0;
        table[t].first_row = rows;
        for (int w = 0; w < SpilledSteps::workers; ++w) {
            const HinesStep &step = steps[t * SpilledSteps::workers + size_t(w)];
            table[t].of[w] = SpilledStep::of(step);
            if (step.node != HinesStep::nowhere) table[t].busy |= 1u << w, ++busy;
        }
        rows += busy + busy % 2;
    }
    return table;
}

template <class Step>
void measure(const Schedule &schedule, DeviceScheduleOf<Step> &to) {
    to.steps = schedule.steps, to.rows = schedule.rows, to.more_count = int32_t(schedule.more.size());
}
template <class Step>
void add(const Schedule &schedule, const std::vector<Step> &table, DeviceScheduleOf<Step> &to, Image &image) {
    to.table = reinterpret_cast<const Step *>(image.add(table));
    to.more = reinterpret_cast<const MoreParts *>(image.add(schedule.more));
    to.list = reinterpret_cast<const uint32_t *>(image.add(schedule.list));
}

// The schedules of a tree that fits on chip; only those for 8 and 32 workers where there are many trees. Returns false,
// and adds nothing, for other trees.
bool add_schedules(const Context &context, const Tree &tree, bool is_one_of_many, DeviceTree &to, Image &image) {
    std::vector<std::pair<Schedule, DeviceSchedule *>> all;
    for (const PartPlace place : {PartPlace::rows, PartPlace::children})
        for (int at = 0; at < DeviceTree::worker_counts; ++at) {
            const int workers = DeviceTree::least_workers << at;
            if (is_one_of_many && workers != 8 && workers != 32) continue;
            DeviceSchedule &one = to.schedules[int(place)][at];
            all.emplace_back(make_schedule(tree, workers, HinesTuning::latency, place), &one);
            measure(all.back().first, one);
        }
    if (!fits_warps(context, to)) return false;
    for (const auto &[schedule, one] : all)
        add(schedule, packed(with_idle_steps(schedule), schedule.place), *one, image);
    return true;
}

// The same for c and g in global memory
bool add_spilled(const Context &context, const Tree &tree, DeviceTree &to, Image &image) {
    const Schedule schedule = make_schedule(tree, SpilledSteps::workers, HinesTuning::latency, PartPlace::apart);
    const std::vector<SpilledSteps> table = spilled_steps(schedule, to.stored_rows);
    measure(schedule, to.spilled);
    if (!fits_spilled(context, to)) return false;
    add(schedule, table, to.spilled, image);
    return true;
}

// The tables of all levels of a tree that is condensed; sets their sizes and offsets.
Image tables_of(const CondensedTables &from, int32_t nodes, DeviceCondensed &to) {
    const SubtreeTables &all = from.subtrees;
    to.nodes = nodes, to.workers = from.workers, to.steps = from.steps_of_worker, to.ports = from.ports,
    to.paths = from.paths;
    to.pending = from.pending;
    to.slots = int32_t(all.slots()), to.levels = int32_t(all.levels.size());
    for (size_t n = 1; n < all.levels.size(); ++n) to.all_upper_steps += all.levels[n].steps;
    Image tables;
    tables.add(all.levels);
    to.upper_steps = int32_t(tables.add(all.steps)), to.joints = int32_t(tables.add(all.joints));
    to.worker_slots = int32_t(tables.add(all.worker_slots)), to.contributors = int32_t(tables.add(all.contributors));
    to.ends = int32_t(tables.add(all.ends)), to.table_bytes = int32_t(tables.bytes().size());
    return tables;
}

void add(const CondensedTables &from, const Image &tables, DeviceCondensed &to, Image &image) {
    to.tables = reinterpret_cast<const char *>(image.add(tables.bytes()));
    to.table = reinterpret_cast<const CondensedStep *>(image.add(from.steps));
    to.starts = reinterpret_cast<const CondensedStart *>(image.add(from.starts));
    to.nodes_of_ports = reinterpret_cast<const int32_t *>(image.add(from.nodes_of_ports));
}

// The same for a tree that is condensed on chip, if it fits and, where it is scheduled, is faster then
bool add_condensed(const Context &context, const Tree &tree, bool is_scheduled, DeviceTree &to, Image &image) {
    DeviceCondensed *const both[] = {&to.streamed, &to.resident};
    std::vector<CondensedTables> from;
    std::vector<Image> tables;
    for (const CondensedRows rows : {CondensedRows::by_worker, CondensedRows::by_node}) {
        from.push_back(condense_tree(tree, HinesTuning::condensed_cut, rows));
        tables.push_back(tables_of(from.back(), to.n, *both[from.size() - 1]));
    }
    const bool is_chosen = fits_condensed(context, to) && (!is_scheduled || is_condensed_faster(context, to));
    for (size_t k = 0; k < from.size(); ++k) {
        DeviceCondensed &one = *both[k];
        if (!is_chosen) {
            one = {};
            continue;
        }
        add(from[k], tables[k], one, image);
    }
    return is_chosen;
}

bool add_pieces(Context &context, const Tree &tree, DevicePlan &plan, DeviceTree &to, Image &image);

void add_tables(Context &context, const Tree &tree, bool is_one_of_many, DevicePlan &plan, DeviceTree &to,
                Image &image) {
    const bool is_small = tree.n() <= HinesTuning::most_nodes;
    if (is_small && add_schedules(context, tree, is_one_of_many, to, image))
        to.way_from_tips = HinesWay::on_chip;
    else if (tree.n() <= HinesTuning::most_spilled_nodes && add_spilled(context, tree, to, image))
        to.way_from_tips = HinesWay::spilled;
    else
        to.way_from_tips = HinesWay::by_levels;
    to.pieces.count = 1;
    const bool is_scheduled = to.way_from_tips == HinesWay::on_chip;
    const bool is_large = tree.n() > HinesTuning::most_condensed_nodes;
    if (!is_large && add_condensed(context, tree, is_scheduled, to, image))
        to.way = HinesWay::condensed;
    else if ((!is_scheduled || (is_large && are_pieces_faster(context, to))) &&
             add_pieces(context, tree, plan, to, image))
        to.way = HinesWay::in_pieces;
    else
        to.way = to.way_from_tips;
}

// Sizes of a launch for any of the pieces
void widen(const DeviceCondensed &piece, DeviceCondensed &all) {
    const auto raise = [](int32_t &to, int32_t value) { to = std::max(to, value); };
    raise(all.nodes, piece.nodes), raise(all.workers, piece.workers), raise(all.steps, piece.steps);
    raise(all.ports, piece.ports), raise(all.paths, piece.paths), raise(all.slots, piece.slots);
    raise(all.pending, piece.pending), raise(all.table_bytes, piece.table_bytes);
    all.levels = 1;
}

// The pieces of a large tree, if it has few ports. Their tree may be in pieces too.
bool add_pieces(Context &context, const Tree &tree, DevicePlan &plan, DeviceTree &to, Image &image) {
    const PieceTables all = cut_into_pieces(tree, HinesTuning::piece_nodes, HinesTuning::condensed_cut.first_steps);
    if (all.ports.n() == 0 || all.ports.n() * HinesTuning::least_nodes_of_port > tree.n()) return false;
    DeviceTree ports{};
    ports.n = int32_t(all.ports.n());
    add_tables(context, all.ports, false, plan, ports, image);
    if (ports.way == HinesWay::spilled || ports.way == HinesWay::by_levels) return false;
    to.pieces = {reinterpret_cast<const DevicePiece *>(plan.pieces.size() * sizeof(DevicePiece)),
                 reinterpret_cast<const int32_t *>(image.add(all.nodes_of_ports)),
                 reinterpret_cast<const int32_t *>(image.add(all.ports_above)),
                 reinterpret_cast<const int32_t *>(image.add(all.begin)),
                 reinterpret_cast<const int32_t *>(image.add(all.slots)),
                 int32_t(all.pieces.size()),
                 ports.n,
                 int32_t(all.ports_above.size()),
                 all.paths,
                 int32_t(plan.port_trees.size())};
    plan.port_trees.push_back(ports);
    for (const TreePiece &from : all.pieces) {
        DevicePiece piece{};
        piece.port = from.first_port, piece.slot = from.first_slot, piece.path = from.first_path;
        piece.streamed.first = piece.resident.first = from.first;
        const auto add_one = [&](const CondensedTables &tables, DeviceCondensed &one, DeviceCondensed &largest) {
            add(tables, tables_of(tables, from.nodes, one), one, image);
            widen(one, largest);
        };
        add_one(from.streamed, piece.streamed, to.streamed), add_one(from.resident, piece.resident, to.resident);
        plan.pieces.push_back(piece);
    }
    return true;
}

void move_condensed_to(const char *memory, DeviceCondensed &one) {
    move_to(memory, one.tables), move_to(memory, one.table), move_to(memory, one.starts);
    move_to(memory, one.nodes_of_ports);
}

// The same for all of a tree
void move_tree_to(const char *memory, const char *pieces, DeviceTree &tree) {
    move_to(memory, tree.tables), move_to(memory, tree.roots);
    const auto move = [&](auto &one) {
        move_to(memory, one.table), move_to(memory, one.more), move_to(memory, one.list);
    };
    for (auto &places : tree.schedules)
        for (DeviceSchedule &one : places) move(one);
    move(tree.spilled);
    move_condensed_to(memory, tree.streamed), move_condensed_to(memory, tree.resident);
    move_to(pieces, tree.pieces.piece), move_to(memory, tree.pieces.nodes_of_ports);
    move_to(memory, tree.pieces.ports_above), move_to(memory, tree.pieces.begin);
    move_to(memory, tree.pieces.slots_below);
}

int64_t tiles_of(const HinesShare &share, const HinesChoice &choice) {
    return (share.systems - 1) / choice.systems + 1;
}

// The ranges of a launch for one tree; blocks take its systems round-robin
std::vector<HinesRange> ranges_in_turns(const HinesShare &share, int32_t number, const HinesChoice &choice,
                                        int64_t at_once) {
    std::vector<HinesRange> ranges(size_t(std::min(tiles_of(share, choice), at_once)));
    for (size_t block = 0; block < ranges.size(); ++block)
        ranges[block] = {number, int64_t(block) * choice.systems, share.systems,
                         int64_t(ranges.size()) * choice.systems};
    return ranges;
}

// The same for several trees, the largest first
std::vector<HinesRange> ranges_in_rounds(std::vector<HinesShare> shares, const DeviceTree *trees,
                                         const HinesChoice &choice, int64_t at_once) {
    std::sort(shares.begin(), shares.end(),
              [](const HinesShare &a, const HinesShare &b) { return a.tree->n > b.tree->n; });
    int64_t tiles = 0;
    for (const HinesShare &share : shares) tiles += tiles_of(share, choice);
    const int64_t rounds = std::min((tiles - 1) / (4 * at_once) + 1, HinesTuning::most_rounds);
    const int64_t most = rounds * choice.systems;
    std::vector<HinesRange> ranges;
    for (const HinesShare &share : shares)
        for (int64_t k0 = 0; k0 < share.systems; k0 += most)
            ranges.push_back({int32_t(share.tree - trees), k0, std::min(k0 + most, share.systems), choice.systems});
    return ranges;
}

// The launches for the trees of a mixed batch that are solved in one way: one for all if a shape fits all and it is
// faster, otherwise one for each tree
template <class T>
void list_ranges(const Context &context, DevicePlan &tables, xbatchHinesAlgorithm_t algorithm, HinesWay way, bool flat,
                 bool has_shared, std::vector<HinesRange> &ranges) {
    const DeviceTree *const trees = tables.trees.data();
    std::vector<HinesShare> shares;
    for (const DeviceTree &tree : tables.trees)
        if (tree.way_of(algorithm) == way && tree.members > 0) shares.push_back({&tree, tree.members});
    if (shares.empty()) return;
    const auto choose = [&](const std::vector<HinesShare> &some) {
        constexpr int64_t wide = HinesTuning::mixed_wide;
        return way == HinesWay::condensed ? choose_condensed<T>(context, some, flat, wide)
                                          : choose_warps<T>(context, some, flat, has_shared, wide);
    };
    const auto add = [&](const HinesChoice &choice, const std::vector<HinesRange> &own) {
        tables.launches_of[algorithm == XBATCH_HINES_FROM_TIPS][flat][has_shared][type_of<T>].push_back(
            {int64_t(ranges.size()), int64_t(own.size()), choice});
        ranges.insert(ranges.end(), own.begin(), own.end());
    };
    const auto at_once = [&](const HinesChoice &choice) { return int64_t(context.multiprocessors) * choice.blocks; };
    const HinesChoice together = choose(shares);
    std::vector<HinesChoice> apart;
    double cycles = 0;
    if (together.systems == 0 || int64_t(shares.size()) <= HinesTuning::few_launches)
        for (const HinesShare &share : shares)
            apart.push_back(choose({share})), cycles += apart.back().cycles + HinesTuning::launch_cycles;
    if (apart.empty() || (together.systems > 0 && together.cycles < cycles))
        return add(together, ranges_in_rounds(shares, trees, together, at_once(together)));
    for (size_t k = 0; k < apart.size(); ++k)
        add(apart[k], ranges_in_turns(shares[k], int32_t(shares[k].tree - trees), apart[k], at_once(apart[k])));
}

std::vector<HinesRange> list_ranges(const Context &context, DevicePlan &tables) {
    std::vector<HinesRange> ranges;
    const auto list = [&](auto zero, auto... shape) { list_ranges<decltype(zero)>(context, tables, shape..., ranges); };
    for (const auto algorithm : {XBATCH_HINES_AUTO, XBATCH_HINES_FROM_TIPS})
        for (const HinesWay way : {HinesWay::on_chip, HinesWay::condensed})
            for (const bool flat : {false, true})
                for (const bool has_shared : {false, true}) {
                    list(float(), algorithm, way, flat, has_shared);
                    list(double(), algorithm, way, flat, has_shared);
                    list(Complex<float>(), algorithm, way, flat, has_shared);
                    list(Complex<double>(), algorithm, way, flat, has_shared);
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
        add_tables(context, from, plan.groups() > HinesTuning::few_morphologies, *tables, tree, image);
        tables->levels.emplace_back();
        if (tree.way_from_tips == HinesWay::by_levels) {
            const SubtreeTables subtrees = cut_tree(from, SubtreeCut::of(from));
            if (subtrees.slots() + from.n() > max_subtree_rows)
                return fail(context, XBATCH_STATUS_NOT_SUPPORTED,
                            "xhinesCreatePlan: argument 2, offsets: morphology %lld has %lld nodes, %lld with the "
                            "subtrees that it is cut into, at most %lld are supported",
                            (long long)m, (long long)from.n(), (long long)(subtrees.slots() + from.n()),
                            (long long)max_subtree_rows);
            add_subtrees(subtrees, tree, image);
            tables->levels.back() = subtrees.levels;
        }
        tables->trees.push_back(tree);
        parents.insert(parents.end(), from.parent.begin(), from.parent.end());
    }
    const size_t trees_at = image.add(tables->trees), parents_at = image.add(parents);
    const size_t port_trees_at = image.add(tables->port_trees), pieces_at = image.add(tables->pieces);
    const size_t members_at = image.add(plan.members), first_node_at = image.add(plan.first_node);
    const size_t before_at = image.add(elements_before(tables->trees));
    const size_t ranges_at = image.add(list_ranges(context, *tables));
    XBATCH_CUDA(context, cudaMalloc(&tables->memory, image.bytes().size()));
    std::vector<char> bytes = image.bytes();
    for (std::vector<DeviceTree> *trees : {&tables->trees, &tables->port_trees})
        for (DeviceTree &tree : *trees) move_tree_to(tables->memory, tables->memory + pieces_at, tree);
    for (DevicePiece &piece : tables->pieces)
        move_condensed_to(tables->memory, piece.streamed), move_condensed_to(tables->memory, piece.resident);
    const auto copy = [&](const auto &items, size_t at) {
        if (!items.empty()) std::memcpy(bytes.data() + at, items.data(), items.size() * sizeof(items[0]));
    };
    copy(tables->trees, trees_at), copy(tables->port_trees, port_trees_at), copy(tables->pieces, pieces_at);
    XBATCH_CUDA(context, cudaMemcpy(tables->memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    const auto point = [&](auto &pointer, size_t at) {
        pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(at);
        move_to(tables->memory, pointer);
    };
    point(tables->on_device.trees, trees_at), point(tables->port_trees_on_device, port_trees_at);
    point(tables->parent, parents_at);
    point(tables->group_first, before_at), point(tables->ranges, ranges_at);
    if (plan.is_mixed) point(tables->on_device.members, members_at), point(tables->on_device.first_node, first_node_at);
    plan.tables = tables;
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace xbatch::hines
