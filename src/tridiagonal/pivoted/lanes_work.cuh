// lanes_work.cuh: the work of threads that solve systems with pivoting by any number of lanes of a warp each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "flat_plan.hpp"
#include "interface_joins.cuh"
#include "interface_kernels.cuh"

namespace xbatch::tridiagonal {

// info of the thread's system, or NULL
template <class W>
__device__ inline int32_t *info_of(const W &w) {
    return w.p.info && w.exists() ? info_of_plane(w.p) + w.j0 + w.sub : nullptr;
}
template <class W>
__device__ inline void clear_info(const W &w) {
    int32_t *const info = info_of(w);
    if (info && w.p.nrhs == 1 && w.k == 0 && w.rank == 0) *info = 0;
}

// Solves the equations of a system that the lanes of one warp share; lane number 0 has them.
template <class W, class T>
__device__ inline bool close_in_lanes(const W &w, const InterfaceEquations<T> &run, Known<T> &known) {
    const bool is_fine = w.number > 0 || close(run, w.plan.is_periodic, known);
    known = from_lane(known, w.lane - w.number & 31);
    return is_fine;
}

// From the rows in shared memory to the stored unknowns: each thread eliminates its rows to interface equations, and
// the lanes of a system join them. join(equations, known) finds the unknowns at the ends of the run of these lanes; it
// returns whether its pivots are good.
template <class W, class T, class Join>
__device__ inline void solve_in_lanes(const W &w, T *strip, Join join) {
    InterfaceEquations<T> run;
    std::conditional_t<FlatTile<T>::most_rows <= 33, unsigned, unsigned long long> bits;
    unsigned right_bits;
    const bool dominant = is_dominant(w);
    int bad = dominant ? eliminate_dominant(w, run) : eliminate(w, run, bits);
    const int first = w.lane - w.number, most = min(32, w.plan.lanes);
    T *const values = strip + w.warp * 32 + first;
    const auto keep = [&](int right, const Middle<T> &m) {
        w.write_rows(w.spare_of(first + right), {{m.e0, m.e1}, {m.q, m.g}, {m.f0, m.f1}, {m.k0, m.k1}});
        values[right] = m.h;
    };
    const auto kept = [&](int right, bool from_right) {
        const Rows<T> m = w.read_rows(w.spare_of(first + right));
        return Middle<T>{m.a.x, m.a.y, m.b.x, m.b.y, m.c.x, m.c.y, m.d.x, m.d.y, values[right], from_right, true};
    };
    __syncwarp();
    if (!join_lanes(run, dominant, w.number, w.count, most, right_bits, keep)) bad = min(bad, w.rows() - 1);
    Known<T> known;
    const bool is_fine = join(run, known);
    __syncwarp();
    part_lanes(known, w.number, w.count, most, right_bits, kept);
    __syncwarp();
    const bool solved = dominant ? substitute_dominant(w, known) : substitute(w, known, bits);
    w.sync();
    store_solution(w);
    int32_t *const info = info_of(w);
    if (!info) return;
    if (bad != no_row)
        report(info, min(w.part0 + w.begin + bad, w.p.n - 1));
    else if (!is_fine)
        report(info, w.p.n - 1);
    else if (!solved)
        report(info, w.p.n);
}

}  // namespace xbatch::tridiagonal
