// shifted_plan.cuh: how shifted systems T + sigma_j W are divided among threads, and the memory that their kernels
// share.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "columns_tuning.hpp"
#include "core/chunk.cuh"
#include "core/workspace.hpp"

namespace xbatch::tridiagonal {

// T and W, cut into `chunks` chunks of `rows` rows, in the order in which a warp reads them: row i of all chunks is
// contiguous, a chunk a column. Rows beyond the last one are x = 0, of a ring x_i = x_{i+1}. Column `chunks` is the
// chunk with row n-1 where that row is x_{n-1} = 0; it must not be shifted.
template <class T>
struct ShiftedImage {
    static constexpr int most_rows = 128 / int(sizeof(T)), most_chunks = 128;
    static constexpr int planes = 4, dl = 0, d = 1, du = 2, w = 3;
    // Fixed distances are part of load instructions. That of planes is no power of two, so that they share the cache.
    static constexpr int columns = most_chunks + 16;
    static constexpr int64_t elements = most_rows * planes * columns;

    T *first;
    int rows, chunks;

    XBATCH_HD static constexpr int at(int row, int plane) { return (row * planes + plane) * columns; }
};

// The shifts; `sides` systems in sequence have the same one.
template <class T>
struct ShiftsOf {
    const T *sigma;
    int64_t sides;
    bool has_w, pins_zero;

    __device__ T of(int64_t j) const { return sigma[sides == 1 ? j : divided(j, sides)]; }
    __device__ bool pins(T shift) const { return pins_zero && magnitude(shift) == 0; }
};

// The workspace. Right-hand side r of system j has number j + r*batch.
template <class T>
struct ShiftedMemory {
    ShiftedImage<T> dominant, pivoting;
    Real<T> *dominant_shifts;  // [2], of real types: no shift between these makes every row dominant
    int32_t *found;            // info of those that pivot
    uint8_t *open;             // whether a right-hand side is left to pivoting
    uint8_t *open_units;       // whether any of those in a block of the pivoting kernel is

    ShiftedMemory(Carver &carver, int64_t sides) {
        dominant.first = carver.take<T>(ShiftedImage<T>::elements);
        pivoting.first = carver.take<T>(ShiftedImage<T>::elements);
        dominant_shifts = carver.take<Real<T>>(2);
        found = carver.take<int32_t>(sides);
        open = carver.take<uint8_t>(sides), open_units = carver.take<uint8_t>(sides);
    }
};

// The division of systems that are solved without pivoting. A thread has a chunk.
struct ShiftedPlan {
    static constexpr int most_threads = 512, usual_threads = 128;

    int64_t n;
    int rows, chunks;   // of a chunk; of a system
    int last_row;       // the place of row n-1 in the last chunk
    int lanes;          // FLAT: threads of a system that has whole warps
    int threads;        // of a block
    BlockShape shape;   // of the block
    SmallDivisor by_n;  // FLAT, where a warp has several systems
    bool is_padded;     // FLAT: the stage has a gap behind every 128 bytes
};

inline void set_chunks(ShiftedPlan &plan, int rows) {
    plan.rows = rows, plan.chunks = int((plan.n - 1) / rows) + 1;
    plan.last_row = int(plan.n - 1 - int64_t(plan.chunks - 1) * rows);
}

// FLAT: the rows of neighbouring threads are `rows` apart in the stage, where accesses of 128 bytes share banks by the
// greatest common divisor; gaps avoid this where chunks begin at multiples of 128 bytes.
template <class T>
void plan_shifted_flat(ShiftedPlan &plan) {
    constexpr int most = ShiftedImage<T>::most_rows, warp = 32, usual_warps = ShiftedPlan::usual_threads / warp;
    const int n = int(plan.n);
    double best = 0;
    int best_rows = 0;
    for (int chunks = (n - 1) / most + 1; chunks <= warp; ++chunks) {
        const int rows = (n - 1) / chunks + 1, systems = warp / chunks;
        if ((n - 1) / rows + 1 != chunks) continue;
        const bool is_padded = rows == most && (n % most == 0 || systems == 1);
        const double conflicts = is_padded ? 0 : std::gcd(rows, most) - 1;
        const double cost = rows * (1 + conflicts / 8) + 1.5 + log2_up(chunks);
        const double worth = systems / cost;
        if (worth > best) best = worth, best_rows = rows, plan.is_padded = is_padded;
    }
    if (best_rows > 0) {
        set_chunks(plan, best_rows);
        plan.threads = ShiftedPlan::usual_threads, plan.lanes = plan.chunks;
        plan.shape = block_shape(warp / plan.chunks * usual_warps, plan.chunks, true);
        plan.by_n = SmallDivisor::of(n);
        return;
    }
    plan.lanes = ((n - 1) / (most * warp) + 1) * warp;
    int rows = (n - 1) / plan.lanes + 1;
    while (rows < most && std::gcd(rows, most) > 2) ++rows;
    plan.is_padded = rows == most;
    set_chunks(plan, rows);
    const int systems = std::max(1, ShiftedPlan::usual_threads / plan.lanes);
    plan.threads = systems * plan.lanes;
    plan.shape = {systems, plan.chunks, 0, 0};
}

// Otherwise a block has a memory line of systems, if they fit, or half of one and less.
template <class T>
void plan_shifted_lanes(ShiftedPlan &plan, int64_t batch) {
    constexpr int most = ShiftedImage<T>::most_rows, line = 128 / int(sizeof(T));
    constexpr int whole_line_threads = 320;  // so that several blocks fit a multiprocessor
    const int chunks = int((plan.n - 1) / most) + 1;
    set_chunks(plan, int((plan.n - 1) / chunks) + 1);
    int systems = 1;
    while (systems < line && systems < batch) systems *= 2;
    while (systems * plan.chunks > (2 * systems > line ? whole_line_threads : ShiftedPlan::most_threads)) systems /= 2;
    while (systems * plan.chunks < ShiftedPlan::usual_threads && systems < batch) systems *= 2;
    plan.threads = (systems * plan.chunks + 31) / 32 * 32;
    plan.shape = block_shape(systems, plan.chunks, false);
}

template <class T>
ShiftedPlan plan_shifted(int64_t n, int64_t batch, bool flat) {
    ShiftedPlan plan{};
    plan.n = n;
    if (flat)
        plan_shifted_flat<T>(plan);
    else
        plan_shifted_lanes<T>(plan, batch);
    return plan;
}

// The division of systems that pivot: a block has whole ones. False where they are too long.
template <class T>
bool plan_shifted_pivoting(const Context &context, int64_t n, int64_t batch, bool flat, bool is_periodic,
                           InterfacePlan &plan) {
    const int most_rows = most_rows_of_thread<T>(context);
    for (int64_t systems = InterfaceTile<T>::line; systems > 0; systems /= 2)
        if (plan_interface<T>(n, std::min(batch, systems), flat, 0, most_rows, is_periodic, plan)) return true;
    return false;
}

}  // namespace xbatch::tridiagonal
