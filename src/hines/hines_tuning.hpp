// hines_tuning.hpp: which kernel solves a batch of Hines systems on a GPU, and with how many warps and lanes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/context.hpp"
#include "hines/kernels/condensed_shape.hpp"
#include "hines/kernels/hines_shapes.hpp"

namespace xbatch::hines {

struct HinesTuning {
    static constexpr int most_nodes = 3072;             // of a tree that warps may solve
    static constexpr int most_spilled_nodes = 100'000;  // of a tree whose c and g warps may spill
    static constexpr int most_idle = 4;                 // workers for each that is not idle, averaged over a tree
    static constexpr int latency = 2;                   // steps until a contribution that another worker wrote is read
    static constexpr int least_depth = 4, most_depth = 16;  // of the ring
    static constexpr int most_spill_depth = 12;             // the same; a slot always has the same producer
    static constexpr int most_resident_warps = 12;          // of a block
    static constexpr int most_pipeline_blocks = 2;          // per multiprocessor, for their registers
    static constexpr int64_t most_rounds = 8;               // of a block of a mixed batch
    static constexpr int mixed_wide = 32;                   // of its systems are adjacent in memory, as a rule
    static constexpr int line_bytes = 128;                  // of memory
    static constexpr double short_rows = 1.7;               // slower steps where rows are shorter than that
    static constexpr int64_t few_launches = 16;             // of a mixed batch
    static constexpr int64_t few_morphologies = 256;        // with schedules for every number of workers
    static constexpr int64_t grid_workers = 1 << 19;        // of a window that is solved level by level

    // Of trees that are condensed
    static constexpr SubtreeCut condensed_cut = {16, 8, true};
    static constexpr int most_condensed_threads = 384;                       // of a block
    static constexpr int streamed_registers = 168, resident_registers = 80;  // of a thread
    static constexpr int most_condensed_blocks = 16;                         // per multiprocessor
    // Clock cycles of a tile that is condensed: of each step of the first level, up and down, alone and for each warp
    // on the multiprocessor; of each step of the upper levels; of each level
    struct CondensedCycles {
        double step, step_of_warp, upper_step, level;
    };
    // What a multiprocessor loads and stores in a cycle, in rows of that many bytes that are adjacent
    static constexpr double bytes_per_cycle(int row_bytes) { return 13 * std::min(1., row_bytes / 96.); }
    static constexpr double condensed_margin = 1.3;  // by which condensing must be faster than a schedule
    static constexpr CondensedCycles streamed_cycles = {500, 105, 1200, 1500}, resident_cycles = {1000, 80, 260, 2900};

    // Of trees in pieces
    static constexpr int most_condensed_nodes = 2000;  // of a tree that is condensed as a whole
    static constexpr int piece_nodes = 256;
    static constexpr double piece_cycles = 11;                 // of a multiprocessor, for a node of a system in double
    static constexpr int least_nodes_of_port = 6;              // averaged over a tree
    static constexpr int64_t window_bytes = int64_t(1) << 29;  // of the coefficients of a window of systems
    static constexpr int64_t most_tiles = 8, least_turns = 8;  // of a block; of a multiprocessor's blocks

    static constexpr double launch_cycles = 5000;

    // Clock cycles of a step, up and down, for this number of consumer warps on a multiprocessor
    static constexpr int cycles(int warps) { return 250 + 45 * warps; }
};

enum class HinesKernel { pipelined, resident, spilled, streamed, resident_tree };

// How a kernel solves a tree; systems = 0 if it cannot
struct HinesChoice {
    HinesKernel kernel = HinesKernel::pipelined;
    int log_lanes = 0;                        // resident
    int lanes = 0, warps = 0, depth = 0;      // pipelined, spilled
    int systems = 0, threads = 0, bytes = 0;  // of a block
    int rows = 0;                             // of c and g on chip, for each warp that spills
    int blocks = 0;                           // that share a multiprocessor
    double cycles = 0;                        // estimated, of the batch
};

// Resident shapes by lanes, pipelined shapes by LANES and WARPS: from those for few systems to those for many.
template <class T, class F>
void for_resident_shapes(F f) {
    for (int log_lanes = 0; log_lanes <= ResidentShape<T>::most_log_lanes; ++log_lanes) f(ResidentShape<T>{log_lanes});
}
template <class T, class F>
void for_pipeline_shapes(F f) {
    f(PipelineShape<T, 1, 2>()), f(PipelineShape<T, 2, 4>()), f(PipelineShape<T, 4, 4>()), f(PipelineShape<T, 8, 4>());
    if constexpr (sizeof(T) < 16) f(PipelineShape<T, 16, 4>());
}

template <class T, class F>
void for_spill_shapes(F f) {
    f(SpillShape<T, 2>()), f(SpillShape<T, 4>()), f(SpillShape<T, 8>());
    if constexpr (sizeof(T) < 16) f(SpillShape<T, 16>());
}

// Systems of one tree in a batch
struct HinesShare {
    const DeviceTree *tree;
    int64_t systems;
};

// The best shape into which all trees of a batch fit.
class HinesChooser {
public:
    HinesChooser(const Context &context, const std::vector<HinesShare> &shares, bool has_shared)
        : context_(context), shares_(shares), has_shared_(has_shared) {}
    HinesChoice best;

    template <class T>
    void try_resident(ResidentShape<T> shape) {
        int table = 0, each = 0;
        int64_t tiles = 0;
        for (const HinesShare &share : shares_) {
            const DeviceSchedule &schedule = share.tree->schedule(PartPlace::children, shape.workers());
            if (schedule.steps == 0) return;
            table = std::max(table, shape.table_bytes(schedule, share.tree->n, has_shared_));
            each = std::max(each, shape.warp_bytes(share.tree->n));
            tiles += (share.systems - 1) / shape.systems() + 1;
        }
        HinesChoice c;
        c.kernel = HinesKernel::resident, c.log_lanes = shape.log_lanes, c.blocks = 1;
        c.warps =
            int(std::min<int64_t>({(context_.shared_per_block - table) / each,
                                   (tiles - 1) / context_.multiprocessors + 1, HinesTuning::most_resident_warps}));
        if (c.warps < 1) return;
        c.systems = c.warps * shape.systems(), c.threads = c.warps * 32, c.bytes = table + c.warps * each;
        consider(c, PartPlace::children, shape.workers(), 1);
    }

    // `wide`: number of systems that are adjacent in memory
    template <class T, int LANES, int WARPS>
    void try_pipeline(PipelineShape<T, LANES, WARPS>, int64_t wide) {
        using Shape = PipelineShape<T, LANES, WARPS>;
        constexpr int reserved = 1024;  // of each block, by CUDA
        if (Shape::systems > wide) return;
        for (const HinesShare &share : shares_)
            if (share.tree->schedule(PartPlace::rows, Shape::workers).steps == 0) return;
        const auto bytes = [&](int depth) {
            int most = 0;
            for (const HinesShare &share : shares_)
                most = std::max(most, Shape::bytes(share.tree->schedule(PartPlace::rows, Shape::workers), depth));
            return most;
        };
        const auto blocks = [&](int depth) {
            const int own = bytes(depth);
            return own > context_.shared_per_block ? 0
                                                   : std::min((context_.shared_per_block + reserved) / (own + reserved),
                                                              HinesTuning::most_pipeline_blocks);
        };
        HinesChoice c;
        c.lanes = LANES, c.warps = WARPS, c.depth = HinesTuning::least_depth;
        c.blocks = blocks(c.depth);
        if (c.blocks < 1) return;
        while (c.depth < HinesTuning::most_depth && blocks(c.depth + 1) == c.blocks) ++c.depth;
        c.systems = Shape::systems, c.threads = Shape::threads, c.bytes = bytes(c.depth);
        consider(c, PartPlace::rows, Shape::workers,
                 Shape::operand_bytes < HinesTuning::line_bytes ? HinesTuning::short_rows : 1);
    }

private:
    // `slow`: how much slower a step is if multiprocessors have more than one tile each
    void consider(HinesChoice c, PartPlace place, int workers, double slow) {
        double steps = 0, tiles = 0;
        for (const HinesShare &share : shares_) {
            const double own = double((share.systems - 1) / c.systems + 1);
            tiles += own, steps += own * share.tree->schedule(place, workers).steps;
        }
        const double at_once = double(context_.multiprocessors) * c.blocks, rounds = std::ceil(tiles / at_once);
        const int blocks = int(std::min(double(c.blocks), std::ceil(tiles / context_.multiprocessors)));
        c.cycles = rounds * (steps / tiles) * HinesTuning::cycles(c.warps * blocks) * (rounds > 1 ? slow : 1);
        if (best.systems == 0 || c.cycles < best.cycles) best = c;
    }

    const Context &context_;
    const std::vector<HinesShare> &shares_;
    bool has_shared_;
};

template <class T>
HinesChoice choose_warps(const Context &context, const std::vector<HinesShare> &shares, bool is_flat, bool has_shared,
                         int64_t wide) {
    HinesChooser chooser(context, shares, has_shared);
    if (is_flat) for_resident_shapes<T>([&](auto shape) { chooser.try_resident(shape); });
    if (chooser.best.systems == 0) for_pipeline_shapes<T>([&](auto shape) { chooser.try_pipeline(shape, wide); });
    if (chooser.best.systems == 0) for_pipeline_shapes<T>([&](auto shape) { chooser.try_pipeline(shape, INT64_MAX); });
    return chooser.best;
}

// The shape with which all trees of a batch are condensed
class CondensedChooser {
public:
    CondensedChooser(const Context &context, const std::vector<HinesShare> &shares)
        : context_(context), shares_(shares) {}
    HinesChoice best;

    // Shape: StreamedShape or ResidentTreeShape; of: the tables that its kernel reads
    template <class Shape>
    void consider(Shape shape, HinesKernel kernel, DeviceCondensed DeviceTree::*of) {
        constexpr int reserved = 1024;  // of each block, by CUDA
        HinesChoice c;
        c.kernel = kernel, c.systems = shape.systems;
        double tiles = 0;
        for (const HinesShare &share : shares_) {
            if ((share.tree->*of).steps == 0) return;
            c.threads = std::max(c.threads, shape.threads(share.tree->*of));
            tiles += tiles_of(share, c);
        }
        for (const HinesShare &share : shares_) c.bytes = std::max(c.bytes, shape.bytes(share.tree->*of, c.threads));
        if (c.threads > HinesTuning::most_condensed_threads || c.bytes > context_.shared_per_block) return;
        const int registers =
            kernel == HinesKernel::streamed ? HinesTuning::streamed_registers : HinesTuning::resident_registers;
        c.blocks = std::min({(context_.shared_per_block + reserved) / (c.bytes + reserved),
                             (1 << 16) / (registers * c.threads), HinesTuning::most_condensed_blocks});
        const int blocks = int(std::min(double(c.blocks), std::ceil(tiles / context_.multiprocessors)));
        double cycles = 0;
        for (const HinesShare &share : shares_) {
            const double transfers = blocks * 5. * (share.tree->*of).nodes * c.systems * Shape::element_bytes /
                                     HinesTuning::bytes_per_cycle(shape.row_bytes());
            cycles +=
                tiles_of(share, c) * std::max(transfers, tile_cycles(share.tree->*of, kernel, blocks * c.threads / 32));
        }
        const double at_once = double(context_.multiprocessors) * c.blocks;
        c.cycles = std::ceil(tiles / at_once) * cycles / tiles;
        if (best.systems == 0 || c.cycles < best.cycles) best = c;
    }

private:
    static double tiles_of(const HinesShare &share, const HinesChoice &c) {
        return double((share.systems - 1) / c.systems + 1) * share.tree->pieces.count;
    }
    static double tile_cycles(const DeviceCondensed &of, HinesKernel kernel, int warps) {
        const auto &cycles =
            kernel == HinesKernel::streamed ? HinesTuning::streamed_cycles : HinesTuning::resident_cycles;
        return of.steps * (cycles.step + cycles.step_of_warp * warps) + of.all_upper_steps * cycles.upper_step +
               of.levels * cycles.level;
    }

    const Context &context_;
    const std::vector<HinesShare> &shares_;
};

// A shape of a kernel that streams, of StreamedShape<T, …>, or of one for flat systems
template <class T, bool IS_KEPT = true>
HinesChoice choose_condensed(const Context &context, const std::vector<HinesShare> &shares, bool is_flat,
                             int64_t wide) {
    CondensedChooser chooser(context, shares);
    int64_t most = 0;
    for (const HinesShare &share : shares) most = std::max(most, share.systems);
    for (const int units : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
        const int systems = units * StreamedShape<T>::across;
        const bool is_in_line = most <= wide ? systems <= wide : wide % systems == 0;  // so are the tiles of a batch
        if (is_flat)
            chooser.consider(ResidentTreeShape<T>{units}, HinesKernel::resident_tree, &DeviceTree::resident);
        else if (units == 1 || is_in_line)
            chooser.consider(StreamedShape<T, IS_KEPT>{systems}, HinesKernel::streamed, &DeviceTree::streamed);
    }
    return chooser.best;
}

// How `systems` of one tree, right-hand sides counted, are solved by spilling; `wide` of them are adjacent in memory
template <class T>
HinesChoice choose_spilled(const Context &context, const DeviceTree &tree, int64_t systems, int64_t wide) {
    HinesChoice best;
    for_spill_shapes<T>([&](auto shape) {
        using Shape = decltype(shape);
        HinesChoice c;
        c.kernel = HinesKernel::spilled, c.blocks = 1;
        c.warps = Shape::warps, c.systems = Shape::systems, c.threads = Shape::threads;
        const auto bytes = [&] { return Shape::bytes(tree.spilled, c.depth, c.rows); };
        for (c.depth = HinesTuning::most_spill_depth; bytes() > context.shared_per_block;) {
            c.depth -= Shape::producers;
            if (c.depth < HinesTuning::least_depth) return;
        }
        const int free = context.shared_per_block - bytes();
        c.rows = std::min(free / (Shape::warps * Shape::row_bytes), int(tree.stored_rows));
        c.bytes = bytes();
        const double rounds = std::ceil(double((systems - 1) / c.systems + 1) / double(context.multiprocessors));
        c.cycles = rounds * tree.spilled.steps * HinesTuning::cycles(c.warps);
        const bool is_short = c.systems > wide && wide >= best.systems;
        if (best.systems == 0 || (c.cycles < best.cycles && !is_short)) best = c;
    });
    return best;
}

// Whether warps can solve a tree, in all types and layouts, and are not mostly idle.
inline bool fits_spilled(const Context &context, const DeviceTree &tree) {
    return choose_spilled<Complex<double>>(context, tree, 1, 1).systems > 0 &&
           tree.spilled.rows <= int(SpilledStep::most_rows) &&
           int64_t(tree.spilled.steps) * SpilledSteps::workers <= int64_t(tree.n) * HinesTuning::most_idle;
}

// Whether a tree can be condensed on chip, in all types and layouts
inline bool fits_condensed(const Context &context, const DeviceTree &tree) {
    for (const bool is_flat : {false, true})
        if (choose_condensed<Complex<double>>(context, {{&tree, 1}}, is_flat, 1).systems == 0) return false;
    return true;
}

// Whether condensing a tree is faster than a schedule of its nodes, judged by many systems in double, interleaved and
// flat.
inline bool is_condensed_faster(const Context &context, const DeviceTree &tree) {
    constexpr int64_t many = 100'000;
    const std::vector<HinesShare> share = {{&tree, many}};
    double condensed = 0, scheduled = 0;
    for (const bool is_flat : {false, true}) {
        condensed += choose_condensed<double>(context, share, is_flat, many).cycles;
        scheduled += choose_warps<double>(context, share, is_flat, false, many).cycles;
    }
    return condensed * HinesTuning::condensed_margin < scheduled;
}

// Whether a large tree is solved faster in pieces than by a schedule of its nodes, judged by many systems in double,
// interleaved
inline bool are_pieces_faster(const Context &context, const DeviceTree &tree) {
    constexpr int64_t many = 100'000;
    const double scheduled = choose_warps<double>(context, {{&tree, many}}, false, false, many).cycles;
    return scheduled * context.multiprocessors > HinesTuning::piece_cycles * double(many) * tree.n;
}

// The same on chip
inline bool fits_warps(const Context &context, const DeviceTree &tree) {
    return choose_warps<Complex<double>>(context, {{&tree, 1}}, false, false, INT64_MAX).systems > 0;
}

}  // namespace xbatch::hines
