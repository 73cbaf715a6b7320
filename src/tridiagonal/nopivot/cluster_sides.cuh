// cluster_sides.cuh: interleaved systems that fit a cluster of blocks, for several right-hand sides of each matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cluster_kernel.cuh"
#include "pscheme_sides.cuh"

namespace xbatch::tridiagonal {

// The shared memory of a block. Parts exchange an equation for each column, systems*K of them, so that they are joined
// as if each column were a system of its own.
template <class T, int K>
struct ClusterSides {
    using D = SideValues<T, K>;

    ChunkRows<T, D> chunk_rows;
    int *first_bad;         // [systems]
    unsigned *bad_columns;  // [systems]
    ClusterShared<T> shared;

    __device__ ClusterSides(unsigned char *bytes, int threads, int systems, int parts)
        : chunk_rows{reinterpret_cast<T *>(bytes)},
          first_bad(reinterpret_cast<int *>(bytes + ChunkRows<T, D>::bytes(threads))),
          bad_columns(reinterpret_cast<unsigned *>(first_bad + threads)),
          shared(reinterpret_cast<unsigned char *>(bad_columns + threads), parts, systems * K) {}
    static constexpr size_t bytes(int threads, int systems, int parts) {
        return ChunkRows<T, D>::bytes(threads) + threads * 2 * sizeof(int) +
               ClusterShared<T>::bytes(parts, systems * K);
    }
    __device__ void put_mine(int system, int systems, const Edges<T, D> &e) const {
#pragma unroll
        for (int k = 0; k < K; ++k)
            shared.mine[k * systems + system] = {e.fa, e.fc, e.fd.of[k], e.la, e.lc, e.ld.of[k]};
    }
    __device__ ChunkEnds<D> ends_of(int system, int systems) const {
        ChunkEnds<D> ends;
#pragma unroll
        for (int k = 0; k < K; ++k) {
            const ChunkEnds<T> of_column = shared.ends_of(k * systems + system, K * systems);
            ends.z_before.of[k] = of_column.z_before, ends.z.of[k] = of_column.z;
        }
        return ends;
    }
};

// As gtsv_cluster, for up to K right-hand sides that follow the elimination of one matrix, and without units in
// sequence: cluster = (group of systems, group of columns). The caller has set info to 0.
template <class T, int R, int K, class Problem>
__global__ void __launch_bounds__(SidesTuning<T>::cluster_threads, SidesTuning<T>::cluster_blocks)
    cluster_sides(Problem p, BlockShape shape, SidesPlan plan, int parts) {
    if constexpr (!architecture_has_clusters) return;
    using Pivot = PivotOf<Problem>;
    using D = SideValues<T, K>;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const ClusterSides<T, K> memory(shared_bytes, blockDim.x, shape.systems, parts);
    const ThreadChunk chunk = chunk_of_thread<false>(shape);
    const int cluster = blockIdx.x / unsigned(parts), rank = int(blockIdx.x) - cluster * parts;
    const int64_t row0 = int64_t(rank) * shape.chunks * R;
    const ColumnUnit unit = column_unit(p, plan, cluster, shape.systems);
    const TileAccess<R, false> access(shape, chunk, unit.j0, unit.end, row0, p.n);
    const TileArrays tile = tile_arrays<R, false>(p, chunk, unit.j0, unit.r0, row0);
    const SidesArrays<R, false> at{tile.a, tile.b, access.start_of(tile.b), plan.stride, unit.count};
    const auto report_pivot = [&](int system, int chunk_in_part, int row) {
        atomicMin(&memory.first_bad[system], int(row0) + chunk_in_part * R + row);
    };
    const bool is_reporter = chunk.k == 0 && chunk.is_used;
    if (threadIdx.x == 0)
        for (int k = 0; k < 3; ++k) TransferBarrier{memory.shared.barriers + k}.begin();
    if (is_reporter) memory.first_bad[chunk.system] = no_row, memory.bad_columns[chunk.system] = 0;
    __syncthreads();
    cluster_arrive();

    RowChunk<T, R, D> v;
    load(p, access, at, chunk, row0, static_cast<T *>(nullptr), v);
    int bad = precompute<Pivot>(v);
    const Edges<T, D> edges = edges_of(v);
    EndEquation<T, D> last;
    if (!reduce_chunks<Pivot>(edges, chunk, shape, memory.chunk_rows, last)) bad = min(bad, R - 1);
    if (bad != no_row && access.own > 0) report_pivot(chunk.system, chunk.k, bad);
    if (is_reporter)
        memory.put_mine(chunk.system, shape.systems, edges_of_run(edges, last, chunk, shape, memory.chunk_rows));
    __syncthreads();
    cluster_wait();  // all blocks have begun
    exchange_parts<Pivot>(
        memory.shared, 0, shape.systems * K, parts, rank, [] {},
        [&](int system, int place, const ChunkEnds<T> &found) {
            if (place == 0) memory.shared.put_ends(system, K * shape.systems, found);
        },
        [&](int system) { report_pivot(system % shape.systems, shape.chunks - 1, R - 1); });
    __syncthreads();
    if (chunk.is_used) {
        ChunkEnds<D> ends = memory.ends_of(chunk.system, shape.systems);
        descend(chunk, shape, memory.chunk_rows, ends);
        determine(v, ends.z_before, ends.z);
    }
    if (p.info && access.own > 0) {
        const unsigned columns = not_finite_sides(v.d);
        if (columns) atomicOr(&memory.bad_columns[chunk.system], columns);
    }
    store_sides(static_cast<T *>(p.b), at, access, static_cast<T *>(nullptr), v.d);
    if (!p.info) return;
    __syncthreads();
    if (is_reporter && access.own > 0)
        put_column_info<T>(p, plan, unit, unit.j0 + chunk.system, memory.first_bad[chunk.system],
                           memory.bad_columns[chunk.system], parts);
}

}  // namespace xbatch::tridiagonal
