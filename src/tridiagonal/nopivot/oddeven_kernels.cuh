// oddeven_kernels.cuh: odd-even reduction in registers, and the kernel of one block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cyclic_reduction.cuh"
#include "nopivot_tuning.hpp"

namespace xbatch::tridiagonal {

// Odd-even reduction of a thread's rows (Lin and Chen Wu; oddeven_host.cpp). Level s = 1, 2, 4, …, R/2 eliminates rows
// i = s-1, 3s-1, 5s-1, … by x_i = d_i - a_i x_{i-s} - c_i x_{i+s} from rows i-s and i+s. The last row remains,
//   z = d - a z' - c x_behind,
// with z' the last unknown of the chunk before and x_behind the first of the chunk behind: elimination there involves z
// and rows of that chunk only, so it is independent of this one. Returns the first row with a bad pivot, or no_row.
template <int S, class T, int R>
__device__ inline void reduce_level(RowChunk<T, R> &v, unsigned &bad) {
#pragma unroll
    for (int i = S - 1; i < R - 1; i += 2 * S) {
        const T inverse = fast_reciprocal(v.b[i]);
        if (!has_reciprocal(v.b[i])) bad |= 1u << i;
        v.a[i] = v.a[i] * inverse;
        v.c[i] = v.c[i] * inverse;
        v.d[i] = v.d[i] * inverse;
    }
#pragma unroll
    for (int i = 2 * S - 1; i < R; i += 2 * S) {
        const int p = i - S, n = i + S < R ? i + S : p;
        v.b[i] = fnma(v.a[i], v.c[p], v.b[i]);
        v.d[i] = fnma(v.a[i], v.d[p], v.d[i]);
        v.a[i] = -(v.a[i] * v.a[p]);
        if (i == R - 1) continue;
        v.b[i] = fnma(v.c[i], v.a[n], v.b[i]);
        v.d[i] = fnma(v.c[i], v.d[n], v.d[i]);
        v.c[i] = -(v.c[i] * v.c[n]);
    }
    if constexpr (2 * S < R) reduce_level<2 * S>(v, bad);
}

template <class T, int R>
__device__ inline int reduce(RowChunk<T, R> &v) {
    unsigned bad = 0;  // one bit per row
    reduce_level<1>(v, bad);
    const T inverse = fast_reciprocal(v.b[R - 1]);
    if (!has_reciprocal(v.b[R - 1])) bad |= 1u << (R - 1);
    v.a[R - 1] = v.a[R - 1] * inverse;
    v.c[R - 1] = v.c[R - 1] * inverse;
    v.d[R - 1] = v.d[R - 1] * inverse;
    return bad ? __ffs(bad) - 1 : no_row;
}

// The ends of a reduced chunk: x_first depends on x_1, which depends on x_3, x_7, …, and the last of these on z.
template <int I, class T, int R>
__device__ inline void follow(const RowChunk<T, R> &v, Edges<T> &e) {
    e.fd = fnma(e.fc, v.d[I], e.fd);
    e.fa = fnma(e.fc, v.a[I], e.fa);
    e.fc = -(e.fc * v.c[I]);
    if constexpr (2 * I + 1 < R - 1) follow<2 * I + 1>(v, e);
}

template <class T, int R>
__device__ inline Edges<T> reduced_edges(const RowChunk<T, R> &v) {
    Edges<T> e{v.a[0], v.c[0], v.d[0], v.a[R - 1], v.c[R - 1], v.d[R - 1]};
    follow<1>(v, e);
    return e;
}

// Back substitution by levels, from the longest step to the shortest; x replaces d.
template <int S, class T, int R>
__device__ inline void substitute_level(RowChunk<T, R> &v, T z_before) {
#pragma unroll
    for (int i = S - 1; i < R - 1; i += 2 * S)
        v.d[i] = fnma(v.c[i], v.d[i + S], fnma(v.a[i], i >= S ? v.d[i >= S ? i - S : 0] : z_before, v.d[i]));
    if constexpr (S > 1) substitute_level<S / 2>(v, z_before);
}

template <class T, int R>
__device__ inline void substitute(RowChunk<T, R> &v, T z_before, T z) {
    v.d[R - 1] = z;
    substitute_level<R / 2>(v, z_before);
}

// Every thread reduces its rows to one; the reduction continues among threads.
template <class T, int R, bool FLAT>
__global__ void __launch_bounds__(PschemeTuning<T>::most_threads(R), 1) oddeven_block(GtsvProblem p, BlockShape shape) {
    solve_in_block<T, R, FLAT>(p, shape, [&](RowChunk<T, R> &v, ThreadChunk chunk, ChunkRows<T> rows) {
        int bad = reduce(v);
        ChunkEnds<T> ends;
        if (!find_chunk_ends<AnyPivot>(reduced_edges(v), chunk, shape, rows, ends)) bad = min(bad, R - 1);
        substitute(v, ends.z_before, ends.z);
        return bad;
    });
}

// The reduction as a method of block_launch.cuh and segment_launch.cuh
struct OddEven {
    static constexpr bool halves_rows = true;  // of a thread, whose number must be a power of two
    static constexpr const char *block_name = "oddeven_block", *cluster_name = "oddeven_cluster";

    template <class T, int R, bool FLAT, class>
    static auto block_kernel() {
        return oddeven_block<T, R, FLAT>;
    }
    template <class T, int R>
    __device__ static int eliminate(RowChunk<T, R> &v) {
        return reduce(v);
    }
    template <class T, int R>
    __device__ static Edges<T> edges(const RowChunk<T, R> &v) {
        return reduced_edges(v);
    }
    template <class T, int R>
    __device__ static void solve(RowChunk<T, R> &v, T z_before, T z) {
        substitute(v, z_before, z);
    }
};

}  // namespace xbatch::tridiagonal
