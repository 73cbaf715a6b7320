// pscheme_kernels.cuh: the P-scheme's three phases in registers and shared memory, and the kernel of one block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclic_reduction.cuh"
#include "nopivot_tuning.hpp"

namespace xbatch::tridiagonal {

// Pre-computation (Wakatani 2012, phase 1): eliminates the chunk to its ends. Afterwards, with z' = z of the chunk
// before,
//   x_i = d_i - a_i z' - c_i z          (i < R-1)
//   z   = d   - a   z' - c   x_first    (i = R-1, x_first of the chunk behind).
// Returns the first row with a bad pivot, or no_row.
template <class Pivot = AnyPivot, class T, int R, class D>
__device__ inline int precompute(RowChunk<T, R, D> &v) {
    unsigned bad = 0;  // one bit per row
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const auto pivot = Pivot::part(i == 0 ? v.b[0] : fnma(v.a[i], v.c[i > 0 ? i - 1 : 0], v.b[i]));
        const auto inverse = fast_reciprocal(pivot);
        if (!Pivot::is_good(pivot)) bad |= 1u << i;
        if (i == 0) {
            v.a[0] = v.a[0] * inverse;
            v.d[0] = v.d[0] * inverse;
        } else {
            v.d[i] = fnma(v.a[i], v.d[i - 1], v.d[i]) * inverse;
            v.a[i] = -(v.a[i] * v.a[i - 1] * inverse);
        }
        v.c[i] = v.c[i] * inverse;
    }
#pragma unroll
    for (int i = R - 3; i >= 0; --i) {
        v.d[i] = fnma(v.c[i], v.d[i + 1], v.d[i]);
        v.a[i] = fnma(v.c[i], v.a[i + 1], v.a[i]);
        v.c[i] = -(v.c[i] * v.c[i + 1]);
    }
    return bad ? __ffs(bad) - 1 : no_row;
}

// The ends of a chunk after precompute
template <class T, int R, class D>
__device__ inline Edges<T, D> edges_of(const RowChunk<T, R, D> &v) {
    return {v.a[0], v.c[0], v.d[0], v.a[R - 1], v.c[R - 1], v.d[R - 1]};
}

// Determination (phase 3): the unknowns of the chunk from z' and z; x replaces d.
template <class T, int R, class D>
__device__ inline void determine(RowChunk<T, R, D> &v, D z_before, D z) {
#pragma unroll
    for (int i = 0; i < R - 1; ++i) v.d[i] = fnma(v.c[i], z, fnma(v.a[i], z_before, v.d[i]));
    v.d[R - 1] = z;
}

// Phases 2 and 3 for whole systems. Returns false where a pivot is bad.
template <class Pivot, class T, int R, class D>
__device__ inline bool solve_chunks(RowChunk<T, R, D> &v, ThreadChunk chunk, BlockShape shape, ChunkRows<T, D> memory) {
    ChunkEnds<D> ends;
    const bool is_fine = find_chunk_ends<Pivot>(edges_of(v), chunk, shape, memory, ends);
    determine(v, ends.z_before, ends.z);
    return is_fine;
}

template <class T, int R, bool FLAT, class Problem>
__global__ void __launch_bounds__(PschemeTuning<T>::most_threads(R))
    __maxnreg__(PschemeTuning<T>::most_registers(R, PivotOf<Problem>::is_definite))
        pscheme_block(Problem p, BlockShape shape) {
    using Pivot = PivotOf<Problem>;
    solve_in_block<T, R, FLAT>(p, shape, [&](RowChunk<T, R> &v, ThreadChunk chunk, ChunkRows<T> rows) {
        const int bad = precompute<Pivot>(v);
        return solve_chunks<Pivot>(v, chunk, shape, rows) ? bad : min(bad, R - 1);
    });
}

// The scheme as a method of block_launch.cuh and segment_launch.cuh
struct Pscheme {
    static constexpr bool halves_rows = false;  // of a thread, whose number must be a power of two
    static constexpr const char *block_name = "pscheme_block", *cluster_name = "pscheme_cluster";

    template <class T, int R, bool FLAT, class Problem>
    static auto block_kernel() {
        return pscheme_block<T, R, FLAT, Problem>;
    }
    template <class T, int R>
    __device__ static int eliminate(RowChunk<T, R> &v) {
        return precompute(v);
    }
    template <class T, int R>
    __device__ static Edges<T> edges(const RowChunk<T, R> &v) {
        return edges_of(v);
    }
    template <class T, int R>
    __device__ static void solve(RowChunk<T, R> &v, T z_before, T z) {
        determine(v, z_before, z);
    }
};

}  // namespace xbatch::tridiagonal
