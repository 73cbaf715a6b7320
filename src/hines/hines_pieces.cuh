// hines_pieces.cuh: solves systems of a large tree: its pieces, then the tree of their ports, then its pieces again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/workspace.hpp"
#include "hines/kernels/piece_resident_kernels.cuh"
#include "hines/kernels/piece_streamed_kernels.cuh"
#include "hines_launch.cuh"

namespace xbatch::hines {

template <class T>
class PieceSolve {
public:
    PieceSolve(Context &context, const DevicePlan &tables) : context_(context), tables_(tables) {}

    // Of the workspace for systems of a tree
    static int64_t bytes(const DevicePlan &tables, const DeviceTree &tree, int64_t systems) {
        const int64_t window = window_systems(tree, systems);
        Carver carver(nullptr);
        take(carver, tree, window);
        const DeviceTree &ports = tables.port_trees[size_t(tree.pieces.tree)];
        return int64_t(carver.bytes()) +
               (ports.way == HinesWay::in_pieces ? padding + bytes(tables, ports, window) : 0);
    }

    // All systems of tree m of the call, window by window
    xbatchStatus_t run(const HinesCall<T> &call, const DeviceTree &tree, int32_t m, int64_t systems, bool is_flat,
                       int64_t wide, char *memory) {
        const int64_t window = window_systems(tree, systems);
        Carver carver(memory);
        const PortSystems<T> ports = take(carver, tree, window);
        char *const rest = memory + (carver.bytes() + padding - 1) / padding * padding;
        for (int64_t first = 0; first < systems; first += window)
            for (int64_t r = 0; r < call.nrhs; ++r) {
                PieceRun<T> one{m, 0, first, std::min(first + window, systems), 0, r, ports};
                one.ports.wide = one.end - one.first;
                XBATCH_TRY(solve(call, tree, one, is_flat, wide, rest));
            }
        return XBATCH_STATUS_SUCCESS;
    }

private:
    static constexpr int64_t padding = 16, line = 32;

    static int64_t window_systems(const DeviceTree &tree, int64_t systems) {
        const int64_t most = HinesTuning::window_bytes / (4 * int64_t(sizeof(T)) * tree.n);
        return std::min(systems, most > line ? most / line * line : std::max<int64_t>(most, 1));
    }
    static PortSystems<T> take(Carver &carver, const DeviceTree &tree, int64_t wide) {
        constexpr int64_t across = StreamedShape<T>::across, widest = 32 * across;  // of a tile
        const int64_t packed = (wide + across - 1) / across * across;
        const DevicePieces &pieces = tree.pieces;
        PortSystems<T> all{};
        for (T **const rows : {&all.u, &all.l, &all.d, &all.b}) *rows = carver.take<T>(pieces.ports, wide);
        for (T **const rows : {&all.slot_d, &all.slot_b}) *rows = carver.take<T>(pieces.slots, wide);
        all.info = carver.take<int32_t>(wide);
        all.columns = packed + std::min(packed, widest) - across;
        all.piece_bytes = (int64_t(sizeof(T)) * HinesTuning::piece_nodes + 2 * padding - 1) / padding * padding;
        const int64_t rows = (tree.n - pieces.ports) * all.columns * int64_t(sizeof(T));
        const int64_t of_flat = pieces.count * wide * all.piece_bytes;
        all.c = carver.take<char>(std::max(rows, of_flat));
        all.e = carver.take<char>(std::max(pieces.paths * all.columns * int64_t(sizeof(T)), of_flat));
        all.g = carver.take<char>(rows);
        return all;
    }

    xbatchStatus_t solve(const HinesCall<T> &call, const DeviceTree &tree, PieceRun<T> one, bool is_flat, int64_t wide,
                         char *rest) {
        constexpr int threads = 256;
        const HinesChoice choice =
            choose_condensed<T, false>(context_, {{&tree, one.ports.wide}}, is_flat, std::min(wide, one.ports.wide));
        const int64_t tiles = (one.ports.wide - 1) / choice.systems + 1;
        const int64_t at_once = int64_t(context_.multiprocessors) * choice.blocks;
        const int64_t each = std::clamp(tiles * tree.pieces.count / (HinesTuning::least_turns * at_once), int64_t(1),
                                        HinesTuning::most_tiles);
        one.group = each * choice.systems, one.groups = int32_t((tiles - 1) / each + 1);
        const int64_t blocks = int64_t(one.groups) * tree.pieces.count;
        XBATCH_TRY(Launch(context_, blocks, choice.threads, choice.bytes)(
            is_flat ? hines_condense_resident<T> : hines_condense_streamed<T>, "hines_condense", call, one,
            choice.systems));
        const int64_t rows = tree.pieces.ports * one.ports.wide;
        XBATCH_TRY(Launch(context_, (rows + threads - 1) / threads, threads)(hines_join_pieces<T>, "hines_join_pieces",
                                                                             tree.pieces, one.ports));
        XBATCH_TRY(solve_ports(tree.pieces, one.ports, call.info != nullptr, rest));
        if (call.info)
            XBATCH_TRY(Launch(context_, (one.ports.wide + threads - 1) / threads, threads)(
                hines_report_ports<T>, "hines_report_ports", call, one));
        if (is_flat)
            return Launch(context_, blocks, choice.threads, choice.bytes)(hines_expand_resident<T>, "hines_expand",
                                                                          call, one, choice.systems);
        const ExpandShape<T> shape{choice.systems};
        const int own_threads = shape.threads(tree.streamed);
        return Launch(context_, blocks, own_threads, shape.bytes(tree.streamed, own_threads))(
            hines_expand_streamed<T>, "hines_expand", call, one, choice.systems);
    }

    // The systems of the ports, as a batch
    xbatchStatus_t solve_ports(const DevicePieces &pieces, const PortSystems<T> &ports, bool has_info, char *rest) {
        const DeviceTree &tree = tables_.port_trees[size_t(pieces.tree)];
        HinesCall<T> call{};
        call.plan.trees = tables_.port_trees_on_device + pieces.tree;
        call.u = ports.u, call.l = ports.l, call.d = ports.d, call.b = ports.b;
        HinesArray array{HinesArray::plain, {}, ports.wide, 1, nullptr};
        array.at = placement(XBATCH_LAYOUT_INTERLEAVED, tree.n, 1, ports.wide, ports.wide);
        call.ul_at = call.d_at = call.b_at = array;
        call.batch = ports.wide, call.nrhs = 1, call.info = has_info ? ports.info : nullptr;
        if (tree.way == HinesWay::in_pieces) {
            XBATCH_TRY(clear_info(context_, call.info, call.batch));
            return run(call, tree, 0, ports.wide, false, ports.wide, rest);
        }
        const std::vector<HinesShare> share = {{&tree, ports.wide}};
        const HinesChoice choice = tree.way == HinesWay::condensed
                                       ? choose_condensed<T>(context_, share, false, ports.wide)
                                       : choose_warps<T>(context_, share, false, false, ports.wide);
        const int64_t most = int64_t(context_.multiprocessors) * choice.blocks;
        return launch_ranges(context_, call, choice, 0, std::min((ports.wide - 1) / choice.systems + 1, most));
    }

    Context &context_;
    const DevicePlan &tables_;
};

}  // namespace xbatch::hines
