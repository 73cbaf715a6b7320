// gtsv_leaves.cuh: the leaves of distributed systems on CUDA: stretches of rows that are reduced to interface equations
// by themselves, and solved once the unknowns at their ends are known.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/level_tree.hpp"
#include "gtsv_tuning.hpp"
#include "interface_tree.cuh"

namespace xbatch::tridiagonal {

// How a leaf is divided among threads. It depends neither on the number of leaves of a rank nor on the device.
struct LeafDivision {
    InterfacePlan plan;
    int64_t segments;
};
template <class T>
LeafDivision divide_leaf(const Context &context, int64_t longest, int64_t batch, bool flat) {
    const int most_rows = most_rows_of_thread<T>(context);
    const int64_t systems = flat ? 1 : std::min<int64_t>(InterfaceTile<T>::line, int64_t(1) << log2_up(batch));
    const int64_t most = InterfacePlan::threads * most_rows / systems, least = (longest - 1) / most + 1;
    LeafDivision division;
    plan_interface<T>((longest - 1) / least + 1, batch, flat, false, most_rows, false, division.plan);
    division.segments = (longest - 1) / division.plan.part_rows + 1;
    return division;
}

// The leaves of a rank. Units are right-hand sides of systems: number r*batch + j.
template <class T>
struct LeafWork {
    LeafDivision division;
    int64_t leaves, nrhs, batch;
    const int64_t *leaf_row;            // device [leaves + 1], rows of whole systems
    const int32_t *stop;                // unless it is 0, B remains as it is
    bool is_flat, is_wide;              // rows are contiguous; those of every leaf begin at multiples of 16 bytes
    T *slots;                           // [units][leaves] equations of leaves, later the unknowns at their ends
    int32_t *bad;                       // [units][leaves] info of leaves
    LevelTree<InterfaceLevel<T>> tree;  // over the segments of each leaf

    void carve(Carver &carver) {
        bad = carver.take<int32_t>(nrhs, batch, leaves);
        tree.carve(carver, counted_product(nrhs, batch, leaves), division.segments);
        InterfaceLevel<T> &top = tree.level[tree.count - 1];
        slots = top.equations;
        if (division.segments > 1) top.above = slots = carver.take<T>(nrhs, batch, leaves, InterfaceLevel<T>::values);
        for (InterfaceLevel<T> &level : tree.level)
            level.nrhs = 1, level.bad = bad, level.leaf_row = leaf_row, level.leaves = leaves;
    }
};

// p is the problem of the first right-hand side of whole systems, of which only the rows of leaves exist; those of the
// others are side_step elements of b apart.
template <class T>
xbatchStatus_t condense_leaves(Context &context, const GtsvProblem &p, int64_t side_step, const LeafWork<T> &work);
template <class T>
xbatchStatus_t solve_leaves(Context &context, const GtsvProblem &p, int64_t side_step, const LeafWork<T> &work);

}  // namespace xbatch::tridiagonal
