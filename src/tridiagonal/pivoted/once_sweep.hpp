// once_sweep.hpp: many right-hand sides of one matrix, short enough that each is solved by one thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/context.hpp"
#include "core/workspace.hpp"
#include "flat_plan.hpp"
#include "once_plan.hpp"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// A row of LU factors, of scaled rows. Row i has a waiting sum t_i, t_0 =
// scale_0 b_0, and the next row scale_{i+1} b_{i+1}; y_i and o_i are these in this order or, if the rows were
// interchanged, in the other. Then t_{i+1} = o_i - l_{i+1} y_i, and
// x_i = inverse_i y_i - u1_i x_{i+1} - u2_i x_{i+2}.
template <class T>
struct SweepFactors {
    T scale, l;  // scale < 0 if the row was interchanged with the one before
    T inverse, u1, u2;
};

// How right-hand sides are solved with LU factors, each by one lane: the warps of a multiprocessor take groups of 32
struct SweepPlan {
    static constexpr int most_warps = 16;
    static constexpr int64_t longest = 1024, enough = 16 * 1024;  // rows; right-hand sides

    int64_t n, sides;
    int warps, blocks;
    int stride;                       // FLAT: from one right-hand side to the next in shared memory
    bool is_run;                      // FLAT: they are loaded together, with what is between them
    bool is_wide;                     // not FLAT: those of a group are adjacent, and copied by 16 bytes
    size_t factor_bytes, tile_bytes;  // of shared memory: of the block, and of each warp
};

// False where a matrix is periodic, or has too many rows, or too few right-hand sides to make up for its elimination by
// one thread.
template <class T>
bool plan_sweep(const Context &context, const GtsvProblem &p, bool is_periodic, SweepPlan &plan) {
    constexpr int line = FlatTile<T>::line, banks = FlatTile<T>::banks;
    const bool flat = p.b_at.layout == XBATCH_LAYOUT_FLAT;
    plan = {};
    plan.n = p.n, plan.sides = p.batch * p.nrhs;
    if (is_periodic || !context.has_clusters || p.n > plan.longest || all_systems(p) * p.nrhs < plan.enough)
        return false;
    const int n = int(p.n), rest = int(p.b_at.ld % line);
    plan.stride = n + ((rest - n) & line - 1);
    // A stride that is a multiple of a power of two makes lanes share banks.
    const auto conflicts = [&](int stride) { return std::gcd(stride, banks); };
    for (int s = plan.stride + line; s < plan.stride + 4 * line && conflicts(plan.stride) > line; s += line)
        if (conflicts(s) < conflicts(plan.stride)) plan.stride = s;
    plan.is_run = p.b_at.ld == n && conflicts(n) <= line;
    if (plan.is_run) plan.stride = n;
    plan.is_wide = has_wide_rows<T>(p, 32);
    plan.factor_bytes = (5 * sizeof(T) * size_t(n) + 15) / 16 * 16;
    plan.tile_bytes = (sizeof(T) * size_t(32 * (flat ? plan.stride : n) + line) + 15) / 16 * 16;
    const size_t most = size_t(context.shared_per_block) - 2048;
    if (plan.factor_bytes + 2 * plan.tile_bytes > most) return false;
    const int64_t groups = (plan.sides - 1) / 32 + 1;  // of a plane
    const int64_t share = (groups * (all_systems(p) / p.batch) - 1) / context.multiprocessors + 1;
    const int64_t fit = int64_t((most - plan.factor_bytes) / plan.tile_bytes);
    plan.warps = int(std::min({int64_t(plan.most_warps), fit, share, groups}));
    const int resident = int(std::min<size_t>(2, most / (plan.factor_bytes + plan.warps * plan.tile_bytes + 1024)));
    plan.blocks =
        int(std::min<int64_t>(int64_t(context.multiprocessors) * std::max(1, resident), (groups - 1) / plan.warps + 1));
    return true;
}

// The same, and false where chunks of the matrix are faster: sweeps have the fewest instructions, chunks the most
// right-hand sides in flight.
template <class T>
bool is_swept(const Context &context, const GtsvProblem &p, bool is_periodic, SweepPlan &plan) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    constexpr int64_t chunk_rows = 64;
    const bool has_chunks = is_real && p.b_at.layout != XBATCH_LAYOUT_FLAT && p.n >= chunk_rows;
    return !has_chunks && plan_sweep<T>(context, p, is_periodic, plan);
}

// Solves for B of `p` with factors whose first bad row is `bad`, counted from 1, or 0. The kernel that writes both is
// the call before, and triggers dependent launches.
template <class T>
xbatchStatus_t solve_sweep(Context &context, const GtsvProblem &p, const SweepPlan &plan,
                           const SweepFactors<T> *factors, const int32_t *bad);

}  // namespace xbatch::tridiagonal
