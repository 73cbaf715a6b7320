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

    T *exchange;                 // for propagate()
    T *before, *behind, *value;  // [threads], and K for each thread: the last unknown of each chunk as an EndEquation
    int *first_bad;              // [systems]
    unsigned *bad_columns;       // [systems]
    ClusterShared<T> shared;

    __device__ ClusterSides(unsigned char *bytes, int threads, int systems, int parts)
        : exchange(reinterpret_cast<T *>(bytes)),
          before(reinterpret_cast<T *>(bytes + propagate_bytes<T, D>(threads))),
          behind(before + threads),
          value(behind + threads),
          first_bad(reinterpret_cast<int *>(value + K * threads)),
          bad_columns(reinterpret_cast<unsigned *>(first_bad + threads)),
          shared(reinterpret_cast<unsigned char *>(bad_columns + threads), 0, parts, systems * K) {}
    static constexpr size_t bytes(int threads, int systems, int parts) {
        return propagate_bytes<T, D>(threads) + threads * (sizeof(EndEquation<T, D>) + 2 * sizeof(int)) +
               ClusterShared<T>::bytes(0, parts, systems * K);
    }
    // As ClusterShared::put_ends
    __device__ void put_ends(ThreadChunk chunk, BlockShape shape, const Edges<T, D> &edges,
                             const EndEquation<T, D> &z) const {
        before[threadIdx.x] = z.before, behind[threadIdx.x] = z.behind;
        put_value(value + threadIdx.x, blockDim.x, z.value);
        if (!chunk.is_used) return;
#pragma unroll
        for (int k = 0; k < K; ++k) {
            EndEquations<T> &mine = shared.mine[k * shape.systems + chunk.system];
            if (chunk.k == 0)
                mine.f = {fnma(edges.fc, z.value.of[k], edges.fd.of[k]), fnma(edges.fc, z.before, edges.fa),
                          -(edges.fc * z.behind)};
            if (chunk.k == shape.chunks - 1) mine.l = {z.value.of[k], z.before, z.behind};
        }
    }
    // z of the thread's chunk, and that of the chunk before, from the unknowns outside the part
    __device__ void close(ThreadChunk chunk, BlockShape shape, const EndEquation<T, D> &mine, D &z_before, D &z) const {
        const int t = int(threadIdx.x) - (chunk.k > 0 ? chunk.stride : 0);
#pragma unroll
        for (int k = 0; k < K; ++k) {
            const auto found = shared.known_of(k * shape.systems + chunk.system, K * shape.systems);
            z.of[k] = found({mine.value.of[k], mine.before, mine.behind});
            z_before.of[k] = chunk.k > 0 ? found({value[k * int(blockDim.x) + t], before[t], behind[t]}) : found.before;
        }
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
    EndEquation<T, D> z;
    if (!propagate<Pivot>(edges, chunk, shape, memory.exchange, z)) bad = min(bad, R - 1);
    if (bad != no_row && access.own > 0) report_pivot(chunk.system, chunk.k, bad);
    memory.put_ends(chunk, shape, edges, z);
    __syncthreads();
    cluster_wait();  // all blocks have begun
    exchange_parts<Pivot>(
        memory.shared, 0, shape.systems * K, parts, rank, [] {},
        [&](int system) { report_pivot(system % shape.systems, shape.chunks - 1, R - 1); });
    if (chunk.is_used) {
        D z_before, z_mine;
        memory.close(chunk, shape, z, z_before, z_mine);
        determine(v, z_before, z_mine);
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
