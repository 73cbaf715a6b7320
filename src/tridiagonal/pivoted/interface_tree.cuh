// interface_tree.cuh: the tree over the interface equations of a long system's segments.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface_kernels.cuh"

namespace xbatch::tridiagonal {

// One level of the tree: `count` items in each of `units` systems and right-hand sides, divided evenly into groups of
// at most most_a_group. One warp composes a group to one item of the level above.
template <class T>
struct InterfaceLevel {
    static constexpr int lanes = 32, most_a_group = 4 * lanes;
    static constexpr int values = InterfaceSegments<T>::values;

    int64_t count, groups, units;
    T *equations, *above;       // [units][count][values], [units][groups][values]
    const int32_t *unresolved;  // as InterfaceSegments has it
    int64_t nrhs;
    // Units that are leaves of distributed systems, as InterfaceLeaves has them; NULL for whole systems
    int32_t *bad;             // [units]
    const int64_t *leaf_row;  // [leaves + 1]
    int64_t leaves;           // of a system

    __device__ bool is_unresolved(int64_t unit) const { return !unresolved || unresolved[unit / nrhs] != 0; }
};

// The items of a group that one lane composes
template <class T>
struct InterfacePiece {
    T *first;  // of the group
    T *above;  // the group's own equations, or the known unknowns at its ends
    int lanes_log, begin, end;
    int64_t unit;
};
template <class T>
__device__ inline InterfacePiece<T> piece_of(const InterfaceLevel<T> &level) {
    constexpr int values = InterfaceLevel<T>::values;
    const int64_t unit = blockIdx.x / level.groups, group = blockIdx.x - unit * level.groups;
    const int64_t begin = level.count * group / level.groups;
    const int many = int(level.count * (group + 1) / level.groups - begin);
    InterfacePiece<T> piece;
    piece.unit = unit;
    piece.first = level.equations + (unit * level.count + begin) * values;
    piece.above = level.above + (unit * level.groups + group) * values;
    piece.lanes_log = min(5, 31 - __clz(many));
    const int lane = threadIdx.x;
    const bool works = lane < 1 << piece.lanes_log;
    piece.begin = works ? piece_begin(many, lane, piece.lanes_log) : 0;
    piece.end = works ? piece_begin(many, lane + 1, piece.lanes_log) : 0;
    return piece;
}

// On the way up: the interface equations of each group.
template <class T>
__global__ void __launch_bounds__(32) interface_condense(InterfaceLevel<T> level) {
    constexpr int values = InterfaceLevel<T>::values;
    __shared__ T table[values * InterfaceLevel<T>::lanes];
    const InterfacePiece<T> piece = piece_of(level);
    trigger_dependents();
    wait_for_prerequisites();
    if (!level.is_unresolved(piece.unit)) return;
    bool is_fine = true;
    InterfaceEquations<T> run{};
    for (int q = piece.begin; q < piece.end; ++q) {
        const InterfaceEquations<T> next = get_run<1>(piece.first + q * values, 0);
        if (q == piece.begin)
            run = next;
        else
            is_fine = compose(run, next).is_fine && is_fine;
    }
    unsigned bits;
    is_fine = compose_columns(run, table, piece.lanes_log, bits) && is_fine;
    if (threadIdx.x == 0) put<1>(piece.above, 0, run);
    if (!is_fine && level.bad && threadIdx.x < 1u << piece.lanes_log)
        report(level.bad + piece.unit, level.leaf_row[piece.unit % level.leaves + 1] - 1);
}

// On the way down: the unknowns at the ends of every item of a group replace its equations. Those at the ends of the
// group are known from the level above, or, where IS_TOP, from the whole system, open or periodic. A bad pivot here is
// reported for the last row.
template <class T, bool IS_TOP>
__global__ void __launch_bounds__(32)
    interface_expand(InterfaceLevel<T> level, bool is_periodic, int64_t n, int32_t *info) {
    constexpr int values = InterfaceLevel<T>::values;
    __shared__ T table[values * InterfaceLevel<T>::lanes];
    const InterfacePiece<T> piece = piece_of(level);
    trigger_dependents();
    wait_for_prerequisites();
    if (!level.is_unresolved(piece.unit)) return;
    const int lanes_log = piece.lanes_log;
    bool is_fine = true;
    InterfaceEquations<T> run{};
    for (int q = piece.begin; q < piece.end; ++q) {
        T *const at = piece.first + q * values;
        const InterfaceEquations<T> next = get_run<1>(at, 0);
        if (q == piece.begin) {
            run = next;
        } else {
            const Middle<T> middle = compose(run, next);
            put<1>(at, 0, middle);
            at[values - 1] = T(middle.from_right ? 1 : 0);
            is_fine = is_fine && middle.is_fine;
        }
    }
    unsigned bits;
    is_fine = compose_columns(run, table, lanes_log, bits) && is_fine;
    if (threadIdx.x >= 1u << lanes_log) is_fine = true;  // a lane without items
    Known<T> known;
    if (threadIdx.x == 0) {
        if (IS_TOP)
            is_fine = close(run, is_periodic, known) && is_fine;
        else
            known = get_known<1>(piece.above, 0);
    }
    known = from_lane(known, 0);
    narrow_columns(known, table, lanes_log, bits);
    for (int q = piece.end - 1; q >= piece.begin; --q) {
        T *const at = piece.first + q * values;
        Known<T> mine = known;
        if (q > piece.begin) {
            const Middle<T> middle = get_middle<1>(at, 0, weight(at[values - 1]) > 0);
            narrow(mine, middle, true);
            known.right0 = mine.left0, known.right1 = mine.left1;
        }
        put<1>(at, 0, mine);
    }
    if (!is_fine && info) report(info + piece.unit / level.nrhs, n - 1);
}

}  // namespace xbatch::tridiagonal
