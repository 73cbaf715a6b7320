// pscheme_kernels.cuh: the P-scheme's three phases in registers and shared memory, and the kernels made of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cooperative_groups.h>

#include "core/chunk.cuh"
#include "info.cuh"
#include "tridiagonal.hpp"

namespace xbatch {

// The rows of one thread: a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i, i = 0 … R-1. z is the unknown of a chunk's last
// row.
template <class T, int R>
struct Chunk {
    T a[R], b[R], c[R], d[R];
};

// Pre-computation (Wakatani 2012, phase 1): eliminate the chunk to its ends. Afterwards, with z' = z of the chunk
// before,
//   x_i = d_i - a_i z' - c_i z          (i < R-1)
//   z   = d   - a   z' - c   x_first    (i = R-1, x_first of the chunk behind).
// Returns the first row with a bad pivot, or no_row.
template <class T, int R>
__device__ inline int precompute(Chunk<T, R> &v) {
    unsigned bad = 0;  // a bit a row
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const T pivot = i == 0 ? v.b[0] : fnma(v.a[i], v.c[i > 0 ? i - 1 : 0], v.b[i]);
        const T inverse = fast_reciprocal(pivot);
        if (!has_reciprocal(pivot)) bad |= 1u << i;
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

// Shared memory of propagate: two buffers of three values a thread.
template <class T>
XBATCH_HD constexpr size_t propagate_bytes(int threads) {
    return size_t(threads) * 6 * sizeof(T);
}

// Propagation (phase 2) within a block: the equations of the chunks' last unknowns,
//   ra z_{k-1} + z_k + rc z_{k+1} = rd,
// by parallel cyclic reduction over the chunks of a system, beyond whose ends nothing stands. Returns false where a
// pivot of this phase is bad.
template <class T, int R>
__device__ inline bool propagate(const Chunk<T, R> &v, Seat seat, BlockShape shape, T *shared, T &z) {
    const int t = threadIdx.x, threads = blockDim.x, chunks = shape.chunks;
    const bool in_warp = is_in_warp(shape);
    bool is_fine = true;
    T ra = v.a[R - 1], rc = v.c[R - 1], rd = v.d[R - 1];
    if (chunks > 1) {
        shared[t] = v.a[0], shared[threads + t] = v.c[0], shared[2 * threads + t] = v.d[0];
        sync_chunks(in_warp);
        if (seat.k < chunks - 1 &&
            seat.is_used) {  // z and the first unknown of the chunk behind, which z and its z give
            const int next = t + seat.beside;
            const T first = rc, pivot = fnma(first, shared[next], T(1)), inverse = fast_reciprocal(pivot);
            is_fine = has_reciprocal(pivot);
            rd = fnma(first, shared[2 * threads + next], rd) * inverse;
            rc = -(first * shared[threads + next] * inverse);
            ra = ra * inverse;
        }
    }
    int buffer = 1;
    for (int s = 1; s < chunks; s *= 2, buffer ^= 1) {
        T *const sa = shared + buffer * 3 * threads, *const sc = sa + threads, *const sd = sc + threads;
        sa[t] = ra, sc[t] = rc, sd[t] = rd;
        sync_chunks(in_warp);
        if (!seat.is_used) continue;
        T pa = T(0), pc = T(0), pd = T(0), na = T(0), nc = T(0), nd = T(0);
        if (seat.k >= s) {
            const int p = t - s * seat.beside;
            pa = sa[p], pc = sc[p], pd = sd[p];
        }
        if (seat.k + s < chunks) {
            const int q = t + s * seat.beside;
            na = sa[q], nc = sc[q], nd = sd[q];
        }
        const T pivot = fnma(rc, na, fnma(ra, pc, T(1))), inverse = fast_reciprocal(pivot);
        is_fine = is_fine && has_reciprocal(pivot);
        rd = fnma(rc, nd, fnma(ra, pd, rd)) * inverse;
        ra = -(ra * pa * inverse);
        rc = -(rc * nc * inverse);
    }
    z = rd;
    return is_fine;
}

// Determination (phase 3): the rows of the chunk from z' and z; x replaces d.
template <class T, int R>
__device__ inline void determine(Chunk<T, R> &v, T z_before, T z) {
#pragma unroll
    for (int i = 0; i < R - 1; ++i) v.d[i] = fnma(v.c[i], z, fnma(v.a[i], z_before, v.d[i]));
    v.d[R - 1] = z;
}

// The arrays of a problem as a block meets them; row0 is the first row of the tile.
struct Tracks {
    Track a, b;
};

template <int R, bool FLAT>
__device__ inline Tracks tracks_of(const GtsvProblem &p, Seat seat, int64_t j0, int64_t r, int64_t row0) {
    return {track_of<R, FLAT>(p.a_at, seat, p.batch, j0, 0, row0),
            track_of<R, FLAT>(p.b_at, seat, p.batch, j0, r, row0)};
}

// Read a chunk; rows that do not exist become x = 0, and the couplings out of the system are cut. Coefficients may be
// met again, by another right-hand side or system; b is not.
template <class T, int R, bool FLAT>
__device__ inline void load(const GtsvProblem &p, const Reach<R, FLAT> &reach, const Tracks &at, Seat seat,
                            int64_t row0, T *stage, Chunk<T, R> &v) {
    const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
    const T *const du = static_cast<const T *>(p.du), *const b = static_cast<const T *>(p.b);
    if (reach.is_run(at.a, at.b)) {
        const int64_t a0 = reach.run_offset(at.a, 0), b0 = reach.run_offset(at.b, 0);
        const int64_t a_step = FLAT ? 32 : at.a.step, b_step = FLAT ? 32 : at.b.step;
        reach.each([&](int r) {
            v.a[r] = dl[a0 + r * a_step];
            v.b[r] = d[a0 + r * a_step];
            v.c[r] = du[a0 + r * a_step];
            v.d[r] = load_once(b + b0 + r * b_step);
        });
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            int system = 0, row = 0;
            if (!reach.find(r, system, row)) continue;
            const int64_t a = reach.offset(at.a, system, row);
            v.a[r] = dl[a];
            v.b[r] = d[a];
            v.c[r] = du[a];
            v.d[r] = load_once(b + reach.offset(at.b, system, row));
        }
    }
    to_chunk(stage, reach, T(0), v.a);
    to_chunk(stage, reach, T(1), v.b);
    to_chunk(stage, reach, T(0), v.c);
    to_chunk(stage, reach, T(0), v.d);
    if (row0 + seat.k == 0) v.a[0] = T(0);
    const int last = int(min(p.n - 1 - row0, int64_t(INT_MAX))) - seat.k * R;  // n-1 counted from the chunk's first row
    if (last < R) {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r >= last) v.c[r] = T(0);
    }
}

template <class T, int R, bool FLAT>
__device__ inline void store(const GtsvProblem &p, const Reach<R, FLAT> &reach, const Tracks &at, T *stage,
                             Chunk<T, R> &v) {
    T *const b = static_cast<T *>(p.b);
    to_memory_order(stage, reach, v.d);
    if (reach.is_run(at.b)) {
        const int64_t b0 = reach.run_offset(at.b, 0), b_step = FLAT ? 32 : at.b.step;
        reach.each([&](int r) { store_once(b + b0 + r * b_step, v.d[r]); });
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            int system = 0, row = 0;
            if (reach.find(r, system, row)) store_once(b + reach.offset(at.b, system, row), v.d[r]);
        }
    }
}

// Shared memory of the kernel below: the stages of all warps (FLAT), then propagate's, then one z and one int a thread.
template <class T, int R, bool FLAT>
constexpr size_t block_kernel_bytes(int threads) {
    return stages_bytes<T, R, FLAT>(threads) + propagate_bytes<T>(threads) +
           size_t(threads) * (sizeof(T) + sizeof(int));
}

// Systems that fit a block: read once, solved on the chip, written once. Blocks run over (group of systems, r), r
// fastest so that the right-hand sides of a group find its coefficients in the cache.
template <class T, int R, bool FLAT, int THREADS>
__global__ void __launch_bounds__(THREADS, THREADS == 128 ? 3 : 1) pscheme_block(GtsvProblem p, BlockShape shape) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const stage = reinterpret_cast<T *>(shared_bytes) + (FLAT ? threadIdx.x / 32 * stage_size<T, R>() : 0);
    T *const exchange = reinterpret_cast<T *>(shared_bytes + stages_bytes<T, R, FLAT>(blockDim.x));
    T *const ends = exchange + 6 * blockDim.x;
    int *const first_bad = reinterpret_cast<int *>(ends + blockDim.x);  // [systems]

    const Seat seat = seat_of<FLAT>(shape);
    const int64_t group = p.nrhs == 1 ? blockIdx.x : blockIdx.x / p.nrhs, r = blockIdx.x - group * p.nrhs;
    const int64_t j0 = group * shape.systems, j = j0 + seat.sub;
    const Reach<R, FLAT> reach(shape, seat, j0, p.batch, 0, p.n);
    const Tracks at = tracks_of<R, FLAT>(p, seat, j0, r, 0);
    const bool in_warp = is_in_warp(shape);
    const bool is_reporter = seat.k == 0 && seat.is_used;
    Chunk<T, R> v;
    load(p, reach, at, seat, 0, stage, v);
    if (is_reporter) first_bad[seat.sub] = no_row;
    int bad = precompute(v);
    T z;
    if (!propagate(v, seat, shape, exchange, z)) bad = min(bad, R - 1);
    ends[threadIdx.x] = z;
    sync_chunks(in_warp);
    if (bad != no_row && seat.is_used) atomicMin(&first_bad[seat.sub], seat.k * R + bad);
    determine(v, seat.k > 0 && seat.is_used ? ends[threadIdx.x - seat.beside] : T(0), z);
    store(p, reach, at, stage, v);
    if (!p.info || r != 0) return;
    sync_chunks(in_warp);
    if (is_reporter && j < p.batch) p.info[j] = first_bad[seat.sub] == no_row ? 0 : info_of(first_bad[seat.sub]);
}

}  // namespace xbatch
