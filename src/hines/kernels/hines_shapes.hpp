// hines_shapes.hpp: what a warp that solves Hines systems keeps in shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hines/plan/device_plan.hpp"

namespace xbatch::hines {

// Two numbers of a node and system: c and g, or what the node takes off d and b of its parent.
template <class T>
struct alignas(sizeof(T) < 8 ? 8 : 16) NodePair {
    T first, second;
};

// The steps of a schedule with idle ones around them, for those who look ahead.
struct StepTableShape {
    static constexpr int front = 2, behind = 2;
    XBATCH_HD static int bytes(const DeviceSchedule &schedule, int workers) {
        return (front + schedule.steps + behind) * workers * int(sizeof(PackedStep));
    }
};

// Systems side by side. A block has WARPS warps that solve, whose workers are LANES lanes with `across` systems each,
// and some that bring the coefficients: a ring for those of `depth` steps and its barriers, where the arrays of the
// systems begin, the steps, and for each solving warp the rows of c and g.
template <class T, int LANES, int WARPS>
struct PipelineShape {
    using Element = T;
    static constexpr int across = sizeof(T) < 8 ? 2 : 1, lanes = LANES, workers = 32 / LANES;
    static constexpr int warps = WARPS, producers = 4, threads = (WARPS + producers) * 32;
    static constexpr int warp_systems = LANES * across, systems = WARPS * warp_systems;
    static constexpr int row_bytes = warp_systems * int(sizeof(NodePair<T>));
    // In an array of a step each worker has a row for all warps, as it is in memory but turned by one warp's part more
    // than the row before, if that keeps 16 bytes together: so the workers of a warp meet in different banks.
    static constexpr int part_bytes = warp_systems * int(sizeof(T)), operand_bytes = WARPS * part_bytes;
    static constexpr int turn = part_bytes % 16 == 0 ? 1 : 0;
    static constexpr int array_bytes = workers * operand_bytes;  // of a step

    XBATCH_HD static constexpr int place(int worker, int system) {
        return worker * operand_bytes + (system / warp_systems + worker * turn) % WARPS * part_bytes +
               system % warp_systems * int(sizeof(T));
    }
    // u and l of all rows, where all systems have the same, lie in place of their ring.
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

// Systems side by side whose c and g go through global memory. A block has WARPS warps that solve, each with all its
// lanes for `across` systems, and some that bring what a step needs: a ring for `depth` steps and its barriers, where
// the arrays of the systems begin, and for each solving warp the rows of parts and some of c and g. A slot has the four
// arrays of a step, or in their place c and g and the unknowns.
template <class T, int WARPS>
struct SpillShape {
    using Element = T;
    static constexpr int across = sizeof(T) < 8 ? 2 : 1, workers = SpilledSteps::workers, warps = WARPS, producers = 4;
    static constexpr int threads = (WARPS + producers) * 32, systems = WARPS * across;
    static constexpr int row_bytes = across * int(sizeof(NodePair<T>));
    static constexpr int operand_bytes = systems * int(sizeof(T)), array_bytes = workers * operand_bytes;
    static constexpr int unknowns_at = 2 * array_bytes, slot_bytes = 4 * array_bytes;

    // In an array of a step each worker has a row of all systems, turned by pieces of 16 bytes, so that the workers of
    // a warp meet in different banks as far as may be.
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

// Flat systems: a worker is a lane for each of them. A block has the steps, and u and l where all systems have the
// same; each system its four arrays, as far behind a multiple of 16 bytes as they are in global memory; each warp a
// barrier.
template <class T, int LANES>
struct ResidentShape {
    static constexpr int systems = LANES, workers = 32 / LANES;

    XBATCH_HD static int table_bytes(const DeviceSchedule &schedule, int n, bool has_shared) {
        return StepTableShape::bytes(schedule, workers) +
               (has_shared ? ((n + int(HinesStep::first_row)) * int(sizeof(NodePair<T>)) + 15) / 16 * 16 : 0);
    }
    static constexpr int before = 2 * 16;  // of an array: room for the rows of no node
    XBATCH_HD static int array_bytes(int n) { return before + (n * int(sizeof(T)) + 31) / 16 * 16; }
    // So that the systems begin in different banks
    XBATCH_HD static int system_bytes(int n) {
        return (4 * array_bytes(n) + 127) / 128 * 128 + (LANES < 8 ? 128 / LANES : 16);
    }
    XBATCH_HD static int barrier(int n) { return systems * system_bytes(n); }
    XBATCH_HD static int warp_bytes(int n) { return barrier(n) + 16; }
};

}  // namespace xbatch::hines
