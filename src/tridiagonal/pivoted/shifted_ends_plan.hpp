// shifted_ends_plan.hpp: how shifted systems that are eliminated from both ends are divided among warps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "core/context.hpp"
#include "gtsv_tuning.hpp"

namespace xbatch::tridiagonal {

// The warps of a multiprocessor take groups of 2^systems_log systems, of one right-hand side. Two lanes have a system,
// one from each end. A warp's right-hand sides are in shared memory, and as many inverse pivots.
struct EndsPlan {
    static constexpr int most_warps = 16;

    int64_t n, groups, units;  // groups of systems; of all right-hand sides
    int half;                  // rows of a lane
    int systems, warps, blocks;
    int step, stride;              // in shared memory: from a row to the next, and from a system to the next
    int array;                     // elements of each of the two arrays
    bool is_run;                   // FLAT: systems are loaded together, with what is between them
    bool prefetches;               // not FLAT: the systems of the next unit, into the second-level cache
    bool is_wide;                  // not FLAT: those of a group are adjacent, and copied by 16 bytes
    size_t row_bytes, tile_bytes;  // of shared memory: the rows of T and W; what each warp has
};

template <class T>
EndsPlan divide_ends(const Context &context, const GtsvProblem &p, bool flat, int systems) {
    constexpr int line = FlatTile<T>::line, banks = FlatTile<T>::banks;
    EndsPlan plan{};
    const int n = int(p.n);
    plan.n = n, plan.half = (n + 1) / 2, plan.systems = systems;
    if (flat) {
        plan.step = 1, plan.stride = n + (int(p.b_at.ld % line) - n & line - 1);
        // A stride that is a multiple of a power of two makes lanes share banks.
        const auto conflicts = [&](int stride) { return std::gcd(stride, banks); };
        for (int s = plan.stride + line; s < plan.stride + 4 * line && conflicts(plan.stride) > line; s += line)
            if (conflicts(s) < conflicts(plan.stride)) plan.stride = s;
        plan.is_run = p.b_at.ld == n && conflicts(n) <= line;
        if (plan.is_run) plan.stride = n;
        plan.array = (systems * plan.stride + 2 * line - 1) / line * line;
    } else {
        plan.step = systems, plan.stride = 1, plan.array = n * systems;
        plan.is_wide = has_wide_systems<T>(p.b, p.b_at, systems);
    }
    plan.groups = (p.batch - 1) / systems + 1, plan.units = plan.groups * p.nrhs;
    plan.row_bytes = ((4 * sizeof(T) + sizeof(Real<T>)) * size_t(n) + 15) / 16 * 16;
    plan.tile_bytes = (2 * sizeof(T) * size_t(plan.array) + 128 * size_t(plan.half / 32 + 1) + 15) / 16 * 16;
    const size_t most = size_t(context.shared_per_block) - 2048;
    if (plan.row_bytes + plan.tile_bytes > most) return plan;  // without warps
    const int64_t share = (plan.units - 1) / context.multiprocessors + 1;
    const int64_t fit = int64_t((most - plan.row_bytes) / plan.tile_bytes);
    plan.warps = int(std::min({int64_t(plan.most_warps), fit, share}));
    const int resident = int(std::min<size_t>(2, most / (plan.row_bytes + plan.warps * plan.tile_bytes + 1024)));
    // Where few warps load at a time, or parts of memory lines
    plan.prefetches = !flat && (plan.warps < 8 || !plan.is_wide || systems * sizeof(T) < 128);
    plan.blocks = int(
        std::min<int64_t>(int64_t(context.multiprocessors) * std::max(1, resident), (plan.units - 1) / plan.warps + 1));
    return plan;
}

// Most rows of systems that are eliminated from both ends. With more rows most lanes of a multiprocessor are idle: then
// dominant systems are solved faster without pivoting, and still longer ones faster by chunks.
template <class T>
constexpr int64_t most_rows_from_ends = sizeof(T) > sizeof(Real<T>) ? 208
                                        : sizeof(T) == 4            ? 340
                                                                    : 280;
template <class T>
int64_t most_open_rows_from_ends(bool flat) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>);
    return most_rows_from_ends<T> * (flat ? is_real ? 2 : 1 : 4);
}

// False where a system does not fit.
template <class T>
bool plan_ends(const Context &context, const GtsvProblem &p, bool flat, EndsPlan &plan) {
    constexpr int64_t most = most_rows_from_ends<T>;
    if (flat && !context.has_clusters) return false;
    plan = divide_ends<T>(context, p, flat, p.n <= most ? 16 : p.n <= 2 * most ? 8 : std::max(4, 32 / int(sizeof(T))));
    return plan.warps > 0;
}

}  // namespace xbatch::tridiagonal
