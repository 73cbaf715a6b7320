// pttrf_kernels.cuh: determinants and definiteness of matrices, from runs of rows joined in a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "spd_run.cuh"

namespace xbatch::tridiagonal {

// Joins the runs of all chunks of a system, in the thread of chunk 0.
template <class T>
__device__ inline void join_chunks(Run<T> &run, ThreadChunk chunk, int chunks, bool in_warp, Run<T> *shared) {
    for (int s = 1; s < chunks; s *= 2) {
        sync_chunks(in_warp);
        shared[threadIdx.x] = run;
        sync_chunks(in_warp);
        if (chunk.is_used && chunk.k % (2 * s) == 0 && chunk.k + s < chunks)
            run = joined(run, shared[threadIdx.x + s * chunk.stride]);
    }
}

// Matrices, each of which belongs to `systems` adjacent entries of info. Those of definite matrices become 0, or remain
// as they are.
struct RunProblem {
    int64_t n, batch, systems;
    const void *d, *e;
    void *logdet;  // may be NULL, as may info
    int32_t *info;
    Placement a_at;
    bool keeps_info;
};

// Writes the results of matrix j; find_row() is called if it is not positive definite.
template <class T, class Find>
__device__ inline void report_matrix(const RunProblem &p, int64_t j, const Run<Real<T>> &run, Find find_row) {
    const bool is_definite = run.determinant.mantissa > 0;
    if (p.info && !(is_definite && p.keeps_info)) {
        const int32_t row = is_definite ? 0 : info_of(find_row());
        for (int64_t k = 0; k < p.systems; ++k) p.info[j * p.systems + k] = row;
    }
    if (p.logdet) static_cast<Real<T> *>(p.logdet)[j] = log_of(run.determinant.mantissa, run.determinant.exponent);
}

// The division of the batch: groups of shape.systems matrices, cut into `segments` segments of tiles of chunks*R rows
struct RunPlan {
    BlockShape shape;
    int64_t groups, tiles;
    int segments;
};

// One segment of a group of matrices per block, which writes the results or, if there are several segments, one run per
// matrix.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS) pttrf_runs(RunProblem p, RunPlan plan, Run<Real<T>> *runs) {
    using D = Real<T>;
    __shared__ Run<D> exchange[THREADS];
    __shared__ D stages[FLAT ? THREADS / 32 * stage_size<D, R>() : 1];
    D *const stage = stages + (FLAT ? threadIdx.x / 32 * stage_size<D, R>() : 0);
    const BlockShape shape = plan.shape;
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const int64_t group = blockIdx.x / plan.segments, segment = blockIdx.x - group * plan.segments;
    const int64_t j0 = group * shape.systems, j = j0 + chunk.system, tile_rows = int64_t(shape.chunks) * R;
    const int64_t begin = plan.tiles * segment / plan.segments, end = plan.tiles * (segment + 1) / plan.segments;
    Run<D> mine{};
    for (int64_t m = begin; m < end; ++m) {
        const int64_t row0 = m * tile_rows;
        const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, row0, p.n);
        const TileArray at = tile_array<R, FLAT>(p.a_at, chunk, p.batch, j0, 0, row0);
        D d[R], e[R];
        fetch(static_cast<const D *>(p.d), at, access, d);
        access.each_offset(at, access.start_of(at),
                           [&](int r, int64_t offset) { e[r] = modulus(static_cast<const T *>(p.e)[offset]); });
        to_chunk(stage, access, D(1), d);
        to_chunk(stage, access, D(0), e);
        const int64_t last = p.n - 1 - row0 - chunk.k * R;  // n-1 counted from the chunk's first row
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r >= last) e[r] = D(0);
        Run<D> tile = empty_run<D>();
#pragma unroll
        for (int r = 0; r < R; ++r) absorb(tile, r == 0, d[r], e[r]);
        join_chunks(tile, chunk, shape.chunks, is_in_warp(shape), exchange);
        mine = m == begin ? tile : joined(mine, tile);
    }
    if (!chunk.is_used || chunk.k != 0 || j >= p.batch) return;
    if (plan.segments > 1)
        runs[j * plan.segments + segment] = mine;
    else
        report_matrix<T>(p, j, mine, [&] { return first_bad_row<T>(p.d, p.e, p.a_at, p.n, j, p.n - 1); });
}

// One matrix per block, which joins the runs of its segments.
template <class T, int THREADS>
__global__ void __launch_bounds__(THREADS) pttrf_join(RunProblem p, int segments, const Run<Real<T>> *runs) {
    __shared__ Run<Real<T>> exchange[THREADS];
    __shared__ bool is_definite;
    const int64_t j = blockIdx.x;
    const int k = threadIdx.x, pieces = min(segments, THREADS);
    const int begin = int(int64_t(segments) * k / pieces), end = int(int64_t(segments) * (k + 1) / pieces);
    Run<Real<T>> mine{};
    if (k < pieces) {
        mine = runs[j * segments + begin];
        for (int q = begin + 1; q < end; ++q) mine = joined(mine, runs[j * segments + q]);
    }
    join_chunks(mine, {0, k, 1, k < pieces}, pieces, false, exchange);
    if (k == 0) is_definite = mine.determinant.mantissa > 0;
    __syncthreads();
    const int64_t row = is_definite || !p.info ? 0 : first_bad_row_by_block<T, THREADS>(p, j, p.n - 1, exchange);
    if (k == 0) report_matrix<T>(p, j, mine, [=] { return row; });
}

}  // namespace xbatch::tridiagonal
