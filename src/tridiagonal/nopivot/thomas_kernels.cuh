// thomas_kernels.cuh: the Thomas algorithm on a GPU, one thread per system and right-hand side.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "row_chunk.cuh"

namespace xbatch::tridiagonal {

// One warp solves 32 systems, R rows at a time: contiguous rows (FLAT) are loaded by the whole warp and transposed in
// its stage, so that each thread holds R rows of its own system.
//   u_0 = d_0, u_i = d_i - dl_i q_{i-1}, q_i = du_i / u_i, y_i = (b_i - dl_i y_{i-1}) / u_i, x_i = y_i - q_i x_{i+1}
// IN_SHARED: q and y are stored in shared memory; otherwise q in the workspace and y in B.
template <class T, int R, bool FLAT, bool IN_SHARED>
__global__ void __launch_bounds__(32) thomas_warp(GtsvProblem p, T *workspace) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes);
    const BlockShape shape{32, 1, FLAT ? 32 : 0, 1 << BlockShape::divisor_bits};
    const ThreadChunk chunk = chunk_of_thread<FLAT>(shape);
    const int64_t group = blockIdx.x / p.nrhs, r = blockIdx.x - group * p.nrhs, j0 = group * 32, j = j0 + threadIdx.x;
    T *const shared_rows = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(32)) + threadIdx.x;
    T *const quotient = IN_SHARED ? shared_rows : workspace + int64_t(blockIdx.x) * 32 * p.n + threadIdx.x;
    T *const value = shared_rows + (IN_SHARED ? 32 * p.n : 0);
    T *const b = static_cast<T *>(p.b);

    int64_t bad = INT64_MAX;
    T q = T(0), y = T(0);
    const int64_t tiles = (p.n - 1) / R + 1;
    for (int64_t tile = 0; tile < tiles; ++tile) {
        const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, tile * R, p.n);
        const TileArrays at = tile_arrays<R, FLAT>(p, chunk, j0, r, tile * R);
        RowChunk<T, R> v;
        load(p, access, at, chunk, tile * R, stage, v);
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const int64_t row = tile * R + i;
            const T pivot = fnma(v.a[i], q, v.b[i]), inverse = fast_reciprocal(pivot);
            if (!has_reciprocal(pivot)) bad = min(bad, row);
            q = v.c[i] * inverse;
            y = fnma(v.a[i], y, v.d[i]) * inverse;
            v.d[i] = y;
            if (row < p.n) {
                quotient[row * 32] = q;
                if (IN_SHARED) value[row * 32] = y;
            }
        }
        if (!IN_SHARED) store(p, access, at, stage, v);
    }
    T x = T(0);
    for (int64_t tile = tiles - 1; tile >= 0; --tile) {
        const TileAccess<R, FLAT> access(shape, chunk, j0, p.batch, tile * R, p.n);
        const TileArrays at = tile_arrays<R, FLAT>(p, chunk, j0, r, tile * R);
        RowChunk<T, R> v;
        if (!IN_SHARED) {
#pragma unroll
            for (int i = 0; i < R; ++i) {
                int system = 0, row = 0;
                if (access.find(i, system, row)) v.d[i] = b[access.offset(at.b, system, row)];
            }
            to_chunk(stage, access, T(0), v.d);
        }
#pragma unroll
        for (int i = R - 1; i >= 0; --i) {
            const int64_t row = tile * R + i;
            if (row < p.n) x = fnma(quotient[row * 32], x, IN_SHARED ? value[row * 32] : v.d[i]);
            v.d[i] = x;
        }
        store(p, access, at, stage, v);
    }
    // x_0 is not finite if any unknown is not: each is computed from a product with the next one, even if that is by 0.
    if (p.info && j < p.batch) put_info(p.info + j, p.nrhs, bad < p.n || !is_finite(x), min(bad, p.n));
}

}  // namespace xbatch::tridiagonal
