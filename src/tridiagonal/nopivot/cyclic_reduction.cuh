// cyclic_reduction.cuh: the last unknowns of all chunks of a run of rows, by cyclic reduction among their threads.
//
// Chunks are numbered from the last one, q = chunks-1-k, and have one row each,
//   before z_{k-1} + z_k + behind z_{k+1} = value.
// Level s = 1, 2, 4, … eliminates every second z that is left, q = s, 3s, 5s, …, from the rows at a distance of s,
// until z of the last chunk remains, in terms of the unknowns outside the run. On the way back each thread descends
// from the ends of the run to those of its chunk: level s halves the interval between the two unknowns that it knows.
//
// Parallel cyclic reduction would need no way back, but eliminates for each unknown in an order of its own: the errors
// of adjacent unknowns then differ by rounding errors times the norm of the inverse, and their rows are not satisfied.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "row_chunk.cuh"

namespace xbatch::tridiagonal {

// An equation of each thread of a block, in shared memory; value v of thread t is at [v * blockDim.x + t].
template <class T, class D = T>
struct ThreadEquations {
    T *first;

    XBATCH_HD static constexpr size_t bytes(int threads) { return size_t(threads) * sizeof(EndEquation<T, D>); }
    __device__ void put(int t, const EndEquation<T, D> &e) const {
        const int threads = blockDim.x;
        first[t] = e.before, first[threads + t] = e.behind, put_value(first + 2 * threads + t, threads, e.value);
    }
    __device__ EndEquation<T, D> get(int t) const {
        const int threads = blockDim.x;
        return {get_value<D>(first + 2 * threads + t, threads), first[t], first[threads + t]};
    }
};

// The rows of the chunks, and before them the equations of their first unknowns. A run of chunks is a chunk of a longer
// run: a block of a cluster, or a segment.
template <class T, class D = T>
struct ChunkRows {
    T *shared;

    XBATCH_HD static constexpr size_t bytes(int threads) { return 2 * ThreadEquations<T, D>::bytes(threads); }
    __device__ ThreadEquations<T, D> firsts() const { return {shared}; }
    __device__ ThreadEquations<T, D> rows() const {
        return {shared + ThreadEquations<T, D>::bytes(blockDim.x) / sizeof(T)};
    }
    // Of chunk q of the system of which a thread has `chunk`
    __device__ EndEquation<T, D> row(ThreadChunk chunk, int chunks, int q) const {
        return rows().get(int(threadIdx.x) + (chunks - 1 - q - chunk.k) * chunk.stride);
    }
};

// Shared memory of a kernel whose blocks hold whole systems: the stages of all warps (FLAT), the rows of the chunks,
// and one int per thread
template <class T, int R, bool FLAT>
constexpr size_t block_kernel_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + ChunkRows<T>::bytes(threads) + size_t(threads) * sizeof(int);
}

// The row of a chunk from the equation of z and that of the first unknown behind. Returns false where the pivot is bad.
template <class Pivot, class T, class D>
__device__ inline bool eliminate_first(EndEquation<T, D> &row, const EndEquation<T, D> &first) {
    const auto pivot = Pivot::part(fnma(row.behind, first.before, T(1))), inverse = fast_reciprocal(pivot);
    row = {fnma(row.behind, first.value, row.value) * inverse, row.before * inverse,
           -(row.behind * first.behind * inverse)};
    return Pivot::is_good(pivot) && Pivot::is_stable(row.before, row.behind);
}

// The same for the unknowns on both sides, from their rows
template <class Pivot, class T, class D>
__device__ inline bool eliminate_sides(EndEquation<T, D> &row, const EndEquation<T, D> &left,
                                       const EndEquation<T, D> &right) {
    const auto pivot = Pivot::part(fnma(row.behind, right.before, fnma(row.before, left.behind, T(1))));
    const auto inverse = fast_reciprocal(pivot);
    row = {fnma(row.behind, right.value, fnma(row.before, left.value, row.value)) * inverse,
           -(row.before * left.before * inverse), -(row.behind * right.behind * inverse)};
    return Pivot::is_good(pivot) && Pivot::is_stable(row.before, row.behind);
}
// The unknowns outside a run in terms of themselves
template <class T, class D>
__device__ inline EndEquation<T, D> outside_left() {
    return {D(T(0)), T(-1), T(0)};
}
template <class T, class D>
__device__ inline EndEquation<T, D> outside_right() {
    return {D(T(0)), T(0), T(-1)};
}

// The way down to the last row, which all threads get. Returns false where a pivot of the thread's row is bad.
template <class Pivot, class T, class D>
__device__ inline bool reduce_chunks(const Edges<T, D> &mine, ThreadChunk chunk, BlockShape shape,
                                     ChunkRows<T, D> memory, EndEquation<T, D> &last) {
    const int t = threadIdx.x, chunks = shape.chunks, q = chunks - 1 - chunk.k;
    const bool in_warp = is_in_warp(shape), is_used = chunk.is_used;
    const ThreadEquations<T, D> firsts = memory.firsts(), rows = memory.rows();
    last = {mine.ld, mine.la, mine.lc};
    if (chunks == 1) return true;
    EndEquation<T, D> row = last;
    bool is_fine = true;
    firsts.put(t, {mine.fd, mine.fa, mine.fc});
    sync_chunks(in_warp);
    if (is_used && q > 0) is_fine = eliminate_first<Pivot>(row, firsts.get(t + chunk.stride));
#pragma unroll 1
    for (int s = 1; s < chunks; s *= 2) {
        const int rest = q & (2 * s - 1);
        if (is_used && rest == s) rows.put(t, row);
        sync_chunks(in_warp);
        if (!is_used || rest != 0) continue;
        EndEquation<T, D> left = outside_left<T, D>(), right = outside_right<T, D>();
        if (q + s < chunks) left = rows.get(t - s * chunk.stride);
        if (q > 0) right = rows.get(t + s * chunk.stride);
        is_fine = eliminate_sides<Pivot>(row, left, right) && is_fine;
    }
    if (is_used && q == 0) rows.put(t, row);
    sync_chunks(in_warp);
    if (is_used) last = memory.row(chunk, chunks, 0);
    return is_fine;
}

// The unknowns at the ends of a chunk or of a run of chunks: the last one before it, and its own last one
template <class D>
struct ChunkEnds {
    D z_before, z;
};

// The way back, from the ends of a run to those of its chunk q; row_at(q) is the row of a chunk.
template <class D, class RowAt>
__device__ inline void descend(int q, int chunks, ChunkEnds<D> &ends, RowAt row_at) {
    const auto between = [&](int s) { return (q | s) & ~(s - 1); };
    const auto fetch = [&](int s) { return row_at(min(between(s), chunks - 1)); };
    int s = chunks > 1 ? 1 << (31 - __clz(chunks - 1)) : 0;
    auto row = fetch(max(s, 1));
#pragma unroll 1
    for (; s > 0; s /= 2) {
        const auto next = fetch(max(s / 2, 1));
        const D z = fnma(row.behind, ends.z, fnma(row.before, ends.z_before, row.value));
        if (between(s) < chunks) ends = (q & s) != 0 ? ChunkEnds<D>{ends.z_before, z} : ChunkEnds<D>{z, ends.z};
        row = next;
    }
}
template <class T, class D>
__device__ inline void descend(ThreadChunk chunk, BlockShape shape, ChunkRows<T, D> memory, ChunkEnds<D> &ends) {
    const int chunks = shape.chunks;
    if (chunk.is_used) descend(chunks - 1 - chunk.k, chunks, ends, [&](int q) { return memory.row(chunk, chunks, q); });
}

// The ends of the chunks of whole systems. Returns false where a pivot is bad.
template <class Pivot, class T, class D>
__device__ inline bool find_chunk_ends(const Edges<T, D> &mine, ThreadChunk chunk, BlockShape shape,
                                       ChunkRows<T, D> memory, ChunkEnds<D> &ends) {
    EndEquation<T, D> last;
    const bool is_fine = reduce_chunks<Pivot>(mine, chunk, shape, memory, last);
    ends = {D(T(0)), last.value};
    descend(chunk, shape, memory, ends);
    return is_fine;
}

// The equations of the ends of a run, by the thread of its first chunk, whose own are `first`
template <class T, class D>
__device__ inline Edges<T, D> edges_of_run(const Edges<T, D> &first, const EndEquation<T, D> &last, ThreadChunk chunk,
                                           BlockShape shape, ChunkRows<T, D> memory) {
    Edges<T, D> run{first.fa, first.fc, first.fd, last.before, last.behind, last.value};
    const int chunks = shape.chunks;
    EndEquation<T, D> row{};
    if (chunks > 1) row = memory.row(chunk, chunks, chunks - 1);
#pragma unroll 1
    for (int q = chunks - 1; q > 0;) {
        q &= q - 1;  // the chunk whose z is in the row of the one before
        const EndEquation<T, D> next = memory.row(chunk, chunks, q);
        run.fd = fnma(run.fc, row.value, run.fd);
        run.fa = fnma(run.fc, row.before, run.fa);
        run.fc = -(run.fc * row.behind);
        row = next;
    }
    return run;
}

// Systems that fit a block: loaded once, solved on chip, stored once. solve(v, chunk, rows) leaves x of the thread's
// rows in v.d and returns the first with a bad pivot, or no_row; `rows` is memory for find_chunk_ends(). Block = (group
// of systems, right-hand side r); r varies fastest, so that a group's coefficients are read from the cache for later r.
template <class T, int R, bool FLAT, class Problem, class Solve>
__device__ __forceinline__ void solve_in_block(const Problem &p, const BlockShape &shape, Solve solve) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    const ChunkRows<T> rows{reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(blockDim.x))};
    int *const first_bad = reinterpret_cast<int *>(rows.shared + 6 * blockDim.x);  // [systems]

    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const int64_t group = p.nrhs == 1 ? blockIdx.x : blockIdx.x / p.nrhs, r = blockIdx.x - group * p.nrhs;
    const int64_t j0 = group * shape.systems, j = j0 + chunk.system;
    const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, 0, p.n);
    const TileArrays at = tile_arrays<R, FLAT>(p, chunk, j0, r, 0);
    const bool in_warp = is_in_warp(shape);
    const bool is_reporter = chunk.k == 0 && chunk.is_used;
    RowChunk<T, R> v;
    load(p, access, at, chunk, 0, stage, v);
    if (is_reporter) first_bad[chunk.system] = no_row;
    const int bad = solve(v, chunk, rows);
    if (bad != no_row && access.own > 0) atomicMin(&first_bad[chunk.system], chunk.k * R + bad);
    if (p.info && access.own > 0 && !are_finite(v.d)) atomicMin(&first_bad[chunk.system], not_finite);
    store(p, access, at, stage, v);
    if (!p.info) return;
    sync_chunks(in_warp);
    if (is_reporter && j < p.batch) put_row_info<T>(p, j, r, first_bad[chunk.system]);
}

}  // namespace xbatch::tridiagonal
