// hines_shapes.hpp: layouts of shared memory for the warps that solve Hines systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/plan/device_plan.hpp"

namespace xbatch::hines {

// Two numbers of a node and system: c and g, or the node's contribution, which is subtracted from d and b of its
// parent.
template <class T>
struct alignas(sizeof(T) < 8 ? 8 : 16) NodePair {
    T first, second;
};

// The steps of a schedule with idle ones around them, since steps are read ahead.
struct StepTableShape {
    static constexpr int front = 2, behind = 2;
    XBATCH_HD static int bytes(const DeviceSchedule &schedule, int workers) {
        return (front + schedule.steps + behind) * workers * int(sizeof(PackedStep));
    }
};

// Pipelined: systems that are adjacent in memory. A block has WARPS consumer warps, whose workers are LANES lanes with
// `across` systems each, and producer warps that load coefficients. Shared memory has a ring for those of `depth` steps
// and its barriers, the origins of the systems' arrays, the steps, and the rows of c and g of each consumer warp.
template <class T, int LANES, int WARPS>
struct PipelineShape {
    using Element = T;
    static constexpr int across = sizeof(T) < 8 ? 2 : 1, lanes = LANES, workers = 32 / LANES;
    static constexpr int warps = WARPS, producers = 4, threads = (WARPS + producers) * 32;
    static constexpr int warp_systems = LANES * across, systems = WARPS * warp_systems;
    static constexpr int row_bytes = warp_systems * int(sizeof(NodePair<T>));
    // In an array of a step each worker has a row for all warps, in the order of memory but rotated by one warp's part
    // more than the row before, if that keeps 16 bytes together: so the workers of a warp access different banks.
    static constexpr int part_bytes = warp_systems * int(sizeof(T)), operand_bytes = WARPS * part_bytes;
    static constexpr int turn = part_bytes % 16 == 0 ? 1 : 0;
    static constexpr int array_bytes = workers * operand_bytes;  // of a step

    XBATCH_HD static constexpr int place(int worker, int system) {
        return worker * operand_bytes + (system / warp_systems + worker * turn) % WARPS * part_bytes +
               system % warp_systems * int(sizeof(T));
    }
    // If all systems have the same u and l, these replace their ring, for all rows.
    XBATCH_HD static bool has_room_for_shared(const DeviceSchedule &schedule, int depth) {
        return schedule.rows * int(sizeof(NodePair<T>)) <= 2 * depth * array_bytes;
    }
    XBATCH_HD static int barriers(int depth) { return 4 * depth * array_bytes; }
    XBATCH_HD static int origins(int depth) { return barriers(depth) + depth * 16; }
    XBATCH_HD static int steps(int depth) { return origins(depth) + producers * 4 * systems * 8; }
    XBATCH_HD static int rows(const DeviceSchedule &schedule, int depth) {
        return steps(depth) + StepTableShape::bytes(schedule, workers);
    }
    XBATCH_HD static int bytes(const DeviceSchedule &schedule, int depth) {
        return rows(schedule, depth) + WARPS * schedule.rows * row_bytes;
    }
};

// Spilled: systems that are adjacent in memory, whose c and g are spilled to global memory. A block has WARPS consumer
// warps, each with all its lanes for `across` systems, and producer warps that load what a step needs. Shared memory
// has a ring for `depth` steps and its barriers, the origins of the systems' arrays, and for each consumer warp the
// rows of contributions and some of c and g. A slot has the four arrays of a step, or in their place c, g and the
// unknowns.
template <class T, int WARPS>
struct SpillShape {
    using Element = T;
    static constexpr int across = sizeof(T) < 8 ? 2 : 1, workers = SpilledSteps::workers, warps = WARPS, producers = 4;
    static constexpr int threads = (WARPS + producers) * 32, systems = WARPS * across;
    static constexpr int row_bytes = across * int(sizeof(NodePair<T>));
    static constexpr int operand_bytes = systems * int(sizeof(T)), array_bytes = workers * operand_bytes;
    static constexpr int unknowns_at = 2 * array_bytes, slot_bytes = 4 * array_bytes;

    // In an array of a step each worker has a row of all systems, rotated by units of 16 bytes, so that the workers of
    // a warp access different banks as far as possible.
    XBATCH_HD static constexpr int place(int worker, int system) {
        constexpr int words = operand_bytes / 16, rows = operand_bytes < 128 ? 128 / operand_bytes : 1;
        const int at = system * int(sizeof(T));
        return worker * operand_bytes + (at / 16 + worker / rows) % words * 16 + at % 16;
    }
    static constexpr int kept_at(int warp, int worker) { return (warp * workers + worker) * row_bytes; }

    XBATCH_HD static int steps(int depth) { return depth * slot_bytes; }
    XBATCH_HD static int barriers(int depth) { return steps(depth) + 2 * depth * int(sizeof(SpilledSteps)); }
    XBATCH_HD static int origins(int depth) { return barriers(depth) + (3 * depth + 1) * 8 + 8; }
    XBATCH_HD static int parts(int depth) { return origins(depth) + producers * 4 * systems * 8; }
    // `rows` of c and g: there is room for those of the last steps.
    XBATCH_HD static int kept(const SpillSchedule &schedule, int depth) {
        return parts(depth) + WARPS * schedule.rows * row_bytes;
    }
    XBATCH_HD static int bytes(const SpillSchedule &schedule, int depth, int rows) {
        return kept(schedule, depth) + WARPS * rows * row_bytes;
    }
};

// Resident: flat systems; a worker has one lane for each. Shared memory has the steps, and u and l if all systems have
// the same; for each system its four arrays, with the same offset from a multiple of 16 bytes as in global memory; for
// each warp a barrier. The number of lanes is a power of two, of which the kernel gets the exponent.
template <class T>
struct ResidentShape {
    static constexpr int most_log_lanes = 4;
    int log_lanes;

    XBATCH_HD int systems() const { return 1 << log_lanes; }
    XBATCH_HD int workers() const { return 32 >> log_lanes; }
    XBATCH_HD int table_bytes(const DeviceSchedule &schedule, int n, bool has_shared) const {
        return StepTableShape::bytes(schedule, workers()) +
               (has_shared ? ((n + int(HinesStep::first_row)) * int(sizeof(NodePair<T>)) + 15) / 16 * 16 : 0);
    }
    static constexpr int before = 2 * 16;  // of an array: for rows 0 and 1, of no node
    XBATCH_HD static int array_bytes(int n) { return before + (n * int(sizeof(T)) + 31) / 16 * 16; }
    // Systems begin in different banks.
    XBATCH_HD int system_bytes(int n) const {
        return (4 * array_bytes(n) + 127) / 128 * 128 + (log_lanes < 3 ? 128 >> log_lanes : 16);
    }
    XBATCH_HD int barrier(int n) const { return systems() * system_bytes(n); }
    XBATCH_HD int warp_bytes(int n) const { return barrier(n) + 16; }
};

}  // namespace xbatch::hines
