// device_plan.hpp: the tables of a plan on the GPU, and the layout of a solve's arrays for kernels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "condensed.hpp"
#include "core/scalar.hpp"
#include "schedule.hpp"
#include "subtrees.hpp"

namespace xbatch::hines {

// The tables of a tree cut into subtrees, as a worker reads them.
struct DeviceSubtrees {
    const SubtreeLevel *levels;
    const SubtreeStep *steps;
    const SubtreeJoint *joints;
    const int32_t *worker_slots, *contributors;
    const SubtreeEnds *ends;
    int32_t nodes;
};

// A schedule padded with idle steps: StepTableShape
template <class Step>
struct DeviceScheduleOf {
    const Step *table;
    const MoreParts *more;
    const uint32_t *list;
    int32_t steps, rows, more_count;
};
using DeviceSchedule = DeviceScheduleOf<PackedStep>;
using SpillSchedule = DeviceScheduleOf<SpilledSteps>;

// A tree, or a piece of one, that is condensed on chip: nodes first … first + nodes - 1, numbered from 0 in the tables:
// the steps of the first level, and the tables of all levels, contiguous at offsets in bytes that are multiples of 16;
// the levels are first.
struct DeviceCondensed {
    int32_t first, nodes;
    const CondensedStep *table;  // [step][worker]
    const CondensedStart *starts;
    const int32_t *nodes_of_ports;
    int32_t workers, steps, ports, paths, pending, slots, levels;
    int32_t all_upper_steps;  // of all levels above the first
    const char *tables;
    int32_t table_bytes, upper_steps, joints, worker_slots, contributors, ends;

    XBATCH_HD DeviceSubtrees at(const char *memory) const {
        return {reinterpret_cast<const SubtreeLevel *>(memory),
                reinterpret_cast<const SubtreeStep *>(memory + upper_steps),
                reinterpret_cast<const SubtreeJoint *>(memory + joints),
                reinterpret_cast<const int32_t *>(memory + worker_slots),
                reinterpret_cast<const int32_t *>(memory + contributors),
                reinterpret_cast<const SubtreeEnds *>(memory + ends),
                nodes};
    }
};

// A piece of a tree, and its first port and first slot among those of all pieces
struct DevicePiece {
    DeviceCondensed streamed, resident;
    int32_t port, slot, path;  // path: the first among the nodes above ports
};

// A tree in pieces: the tables of PieceTables
struct DevicePieces {
    const DevicePiece *piece;
    const int32_t *nodes_of_ports, *ports_above, *begin, *slots_below;
    int32_t count, ports, slots, paths;
    int32_t tree;  // of the ports
};

// Which kernels solve a tree. It depends on the tree alone, since the by_levels kernels round differently.
enum class HinesWay {
    on_chip,    // a warp holds all of a system on chip
    condensed,  // a block condenses subtrees to their ports on chip
    in_pieces,  // many blocks condense them; then the tree of their ports is solved
    spilled,    // c and g are spilled to global memory
    by_levels   // the whole device, level by level
};

// One morphology.
struct DeviceTree {
    int32_t n;
    int64_t first;                  // its node 0 in shared coefficients
    int64_t first_member, members;  // of mixed plans: its systems
    HinesWay way, way_from_tips;    // AUTO, FROM_TIPS

    // On chip: by PartPlace, and for 2, 4, 8, 16 and 32 workers
    static constexpr int least_workers = 2, worker_counts = 5;
    DeviceSchedule schedules[2][worker_counts];

    DeviceCondensed streamed, resident;  // on chip: by CondensedRows; in pieces: the largest sizes
    DevicePieces pieces;                 // count = 1 for others

    SpillSchedule spilled;
    int32_t stored_rows;  // of c and g

    // By levels: contiguous tables, starting at `tables`, at offsets in bytes; all are multiples of 16. The levels are
    // first.
    int32_t slots, levels, workers, root_count;  // workers: of the level with most
    const char *tables;
    int32_t steps, joints, worker_slots, contributors, ends;
    const int32_t *roots;

    HinesWay way_of(xbatchHinesAlgorithm_t algorithm) const {
        return algorithm == XBATCH_HINES_FROM_TIPS ? way_from_tips : way;
    }

    XBATCH_HD const DeviceSchedule &schedule(PartPlace place, int workers) const {
        int at = 0;
        while (least_workers << at < workers) ++at;
        return schedules[int(place)][at];
    }

    XBATCH_HD DeviceSubtrees at(const char *memory) const {
        return {reinterpret_cast<const SubtreeLevel *>(memory),
                reinterpret_cast<const SubtreeStep *>(memory + steps),
                reinterpret_cast<const SubtreeJoint *>(memory + joints),
                reinterpret_cast<const int32_t *>(memory + worker_slots),
                reinterpret_cast<const int32_t *>(memory + contributors),
                reinterpret_cast<const SubtreeEnds *>(memory + ends),
                n};
    }
};

// Systems of one morphology that the warps of a block solve: from first to end - 1, at intervals of `stride`.
struct HinesRange {
    int32_t tree;
    int64_t first, end, stride;
};

// A plan as kernels see it.
struct TreeTables {
    const DeviceTree *trees;
    const int64_t *members;     // [batch], of mixed plans; NULL where system k of the only morphology is system k
    const int64_t *first_node;  // [batch], of mixed plans
};

// Layout of an array: element i, right-hand side r of system k of a tree, which is system j of the batch, is at
// base(...) + i*step(...).
struct HinesArray {
    enum Kind : int32_t { plain, shared, mixed_flat, mixed_interleaved, mixed_block };

    Kind kind;
    Placement at;                // plain
    int64_t ld, nrhs;            // mixed
    const int64_t *group_first;  // mixed_interleaved, mixed_block: elements of a right-hand side before each tree

    XBATCH_HD int64_t base(const DeviceTree &tree, int m, const TreeTables &plan, int64_t k, int64_t r) const {
        switch (kind) {
            case plain: return at.base(k, r);
            case shared: return tree.first;
            case mixed_flat: return nrhs * plan.first_node[plan.members[tree.first_member + k]] + r * tree.n;
            default: {
                const int64_t wide = kind == mixed_block ? ld : tree.members, block = k / wide;
                return nrhs * group_first[m] + (block * nrhs + r) * tree.n * wide + (k - block * wide);
            }
        }
    }
    XBATCH_HD int64_t step(const DeviceTree &tree) const {
        switch (kind) {
            case plain: return at.step;
            case mixed_interleaved: return tree.members;
            case mixed_block: return ld;
            default: return 1;
        }
    }
};

// A solve as kernels see it. u and l are one pointer where the matrix is symmetric.
template <class T>
struct HinesCall {
    TreeTables plan;
    const T *u, *l, *d;
    T *b;
    HinesArray ul_at, d_at, b_at;
    int64_t batch, nrhs;
    const HinesRange *ranges;  // [blocks]; NULL where all blocks loop over the only morphology
    bool is_conjugated;
    int32_t *info;

    // The arrays by number: u, l, d, b
    static constexpr int arrays = 4, b_array = 3;
    XBATCH_HD const HinesArray &place(int a) const { return a < 2 ? ul_at : a == 2 ? d_at : b_at; }
    XBATCH_HD const T *data(int a) const { return a == 0 ? u : a == 1 ? l : a == 2 ? d : b; }

    XBATCH_HD int64_t system(const DeviceTree &tree, int64_t k) const {
        return plan.members ? plan.members[tree.first_member + k] : k;
    }
};

}  // namespace xbatch::hines
