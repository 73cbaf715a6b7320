// pscheme_sides.cuh: the P-scheme of one block for several right-hand sides of each matrix, eliminated once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pscheme_kernels.cuh"
#include "sides_plan.hpp"

namespace xbatch::tridiagonal {

// Shared memory of pscheme_sides: stages, the rows of the chunks, and two ints per thread
template <class T, int R, int K, bool FLAT>
constexpr size_t sides_kernel_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + ChunkRows<T, SideValues<T, K>>::bytes(threads) +
           size_t(threads) * 2 * sizeof(int);
}

// What block or cluster number `block` solves: columns r0 … r0+count-1 of systems j0 … end-1, or as many of these as it
// has threads for
struct ColumnUnit {
    int64_t j0, end, r0;
    int count;
};
template <class Problem>
__device__ inline ColumnUnit column_unit(const Problem &p, const SidesPlan &plan, int64_t block, int systems) {
    if (block >= plan.blocks) return {plan.columns * plan.systems + (block - plan.blocks) * systems, p.batch, 0, 1};
    const int64_t first = divided(block, plan.groups), group = block - first * plan.groups;
    return {first * systems, plan.systems, group * plan.of_group + min(group, plan.larger),
            plan.of_group + int(group < plan.larger)};
}

// info of system j, or of the systems whose right-hand sides are its columns, from its first bad pivot and one bit for
// each column that is not finite. `writers`: whether several report to the same entry, as the nrhs of put_info.
template <class T, class Problem>
__device__ inline void put_column_info(const Problem &p, const SidesPlan &plan, const ColumnUnit &unit, int64_t j,
                                       int first_bad, unsigned bad_columns, int64_t writers) {
    const bool has_bad_pivot = first_bad != no_row;
    if (has_bad_pivot && unit.r0 > 0) return;
    const int64_t row = has_bad_pivot ? row_to_report<T>(p, j, first_bad) : p.n;
    if (plan.apart == 0) return put_info(p.info + j, writers, has_bad_pivot || bad_columns, row);
#pragma unroll 1
    for (int k = 0; k < unit.count; ++k)
        put_info(p.info + divided(j + k * plan.apart, plan.of_system), writers, has_bad_pivot || bad_columns >> k & 1,
                 row);
}

// As pscheme_block, for up to K right-hand sides that follow the elimination of one matrix. Block = (group of systems,
// group of columns); the latter varies fastest, so that coefficients are read from the cache for later groups.
template <class T, int R, int K, bool FLAT, class Problem>
__global__ void __launch_bounds__(SidesTuning<T>::most_threads, 1)
    pscheme_sides(Problem p, BlockShape shape, SidesPlan plan) {
    using Pivot = PivotOf<Problem>;
    using D = SideValues<T, K>;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const int t = threadIdx.x, threads = blockDim.x;
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? t / 32 * stage_size<T, R>() : 0);
    constexpr size_t of_thread = ChunkRows<T, D>::bytes(1) / sizeof(T);
    const ChunkRows<T, D> rows{reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(threads))};
    int *const first_bad = reinterpret_cast<int *>(rows.shared + of_thread * threads);  // [systems]
    unsigned *const bad_columns = reinterpret_cast<unsigned *>(first_bad + threads);    // [systems]

    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const ColumnUnit unit = column_unit(p, plan, blockIdx.x, shape.systems);
    const TileAccess<R, FLAT> access(shape, chunk, unit.j0, unit.end, 0, p.n);
    const TileArrays tile = tile_arrays<R, FLAT>(p, chunk, unit.j0, unit.r0, 0);
    const SidesArrays<R, FLAT> at{tile.a, tile.b, access.start_of(tile.b), plan.stride, unit.count};
    const bool in_warp = is_in_warp(shape);
    const bool is_reporter = chunk.k == 0 && chunk.is_used;
    RowChunk<T, R, D> v;
    load(p, access, at, chunk, 0, stage, v);
    if (is_reporter) first_bad[chunk.system] = no_row, bad_columns[chunk.system] = 0;
    int bad = precompute<Pivot>(v);
    if (!solve_chunks<Pivot>(v, chunk, shape, rows)) bad = min(bad, R - 1);
    if (bad != no_row && chunk.is_used) atomicMin(&first_bad[chunk.system], chunk.k * R + bad);
    if (p.info && access.own > 0) {
        const unsigned columns = not_finite_sides(v.d);
        if (columns) atomicOr(&bad_columns[chunk.system], columns);
    }
    store_sides(static_cast<T *>(p.b), at, access, stage, v.d);
    if (!p.info) return;
    sync_chunks(in_warp);
    const int64_t j = unit.j0 + chunk.system;
    if (is_reporter && access.own > 0)
        put_column_info<T>(p, plan, unit, j, first_bad[chunk.system], bad_columns[chunk.system], plan.writers);
}

}  // namespace xbatch::tridiagonal
