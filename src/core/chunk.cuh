// chunk.cuh: which rows a thread of a block owns, and how they move between memory and its registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <climits>

#include "core/scalar.hpp"

namespace xbatch {

// A block works on `systems` systems, `chunks` threads each, R consecutive rows a thread. Where the rows of a system
// are side by side in memory (FLAT) the chunks of a system lie along the lanes of a warp and rows pass through shared
// memory; otherwise systems lie along the lanes and a thread reads its rows directly.
struct BlockShape {
    static constexpr int divisor_bits = 20;

    int systems, chunks;
    int per_warp;  // FLAT with chunks <= 32: systems a warp holds; otherwise 0
    int divisor;   // seat / chunks = seat * divisor >> divisor_bits, for seats below 1024
};

inline BlockShape block_shape(int systems, int chunks, bool flat) {
    return {systems, chunks, flat && chunks <= 32 ? 32 / chunks : 0, (1 << BlockShape::divisor_bits) / chunks + 1};
}

// Whether all chunks of a system are in one warp, so that a warp barrier is enough between them.
__device__ inline bool is_in_warp(BlockShape shape) { return shape.per_warp > 0; }

struct Seat {
    int sub, k;  // system within the block, chunk within the system
    int beside;  // distance in threads to the seat of chunk k+1
    bool is_used;
};

template <bool FLAT>
__device__ inline Seat seat_of(BlockShape shape) {
    const int t = threadIdx.x;
    if (!FLAT) return {t % shape.systems, t / shape.systems, shape.systems, t < shape.systems * shape.chunks};
    if (is_in_warp(shape)) {
        const int lane = t % 32, local = lane / shape.chunks;
        return {t / 32 * shape.per_warp + local, lane - local * shape.chunks, 1, local < shape.per_warp};
    }
    const int sub = t / shape.chunks;
    return {sub, t - sub * shape.chunks, 1, sub < shape.systems};
}

// Barrier among the threads that share a system.
__device__ inline void sync_chunks(bool in_warp) {
    if (in_warp)
        __syncwarp();
    else
        __syncthreads();
}

// One batched array as a block meets it. FLAT: `at` is the offset of row 0 of the tile in the block's first system and
// `stride` leads to its next system; otherwise `at` is the offset of the thread's own first row. `step` leads to the
// next row.
struct Track {
    int64_t at, stride, step;
};

// Of the tile that begins at row0 of system j0, for right-hand side r.
template <int R, bool FLAT>
__device__ inline Track track_of(const Placement &p, Seat seat, int64_t batch, int64_t j0, int64_t r, int64_t row0) {
    const int64_t j = FLAT ? j0 : min(j0 + seat.sub, batch - 1), row = FLAT ? row0 : row0 + int64_t(seat.k) * R;
    return {p.offset(row, j, r), p.ld * p.nrhs, p.step};
}

// Which rows of the tile exist, and in which order a thread meets them in memory. FLAT: in step r a thread touches slot
// e = r*32 + lane of its warp's 32*R slots, that is row e%R of the chunk of seat e/R, so that a warp reads whole lines;
// otherwise row r of its own chunk.
template <int R, bool FLAT>
struct Reach {
    int rows;  // of the tile that exist, in every system
    int own;   // of the thread's own chunk that exist
    // FLAT: the warp's first slot belongs to seat seat0, counted from the first chunk of system system0 of the block,
    // from which on `systems` systems exist; chunks and divisor as in BlockShape.
    int systems, chunks, divisor, seat0, system0;

    // j0: first system of the block; row0: first row of the tile
    __device__ Reach(BlockShape shape, Seat seat, int64_t j0, int64_t batch, int64_t row0, int64_t n) {
        rows = int(min(int64_t(shape.chunks) * R, n - row0));
        const bool exists = seat.is_used && j0 + seat.sub < batch;
        own = exists ? max(0, min(R, rows - seat.k * R)) : 0;
        if (!FLAT) return;
        const int warp = threadIdx.x / 32;
        systems = int(min(int64_t(shape.systems), batch - j0));
        chunks = shape.chunks, divisor = shape.divisor;
        seat0 = is_in_warp(shape) ? 0 : warp * 32;
        system0 = is_in_warp(shape) ? warp * shape.per_warp : 0;
        systems = min(systems - system0, is_in_warp(shape) ? shape.per_warp : shape.systems);
    }

    // FLAT: whether the warp's slots all exist and follow each other in memory in each of these arrays.
    template <class... Tracks>
    __device__ bool is_run(const Tracks &...tracks) const {
        if (!FLAT) return own == R;
        const int first = divide(seat0), last = divide(seat0 + 31);
        if (last >= systems || (seat0 + 32 - last * chunks) * R > rows) return false;
        return first == last || (chunks * R == rows && (... && (tracks.stride == rows * tracks.step)));
    }
    // Offset met in step r where is_run.
    __device__ int64_t run_offset(const Track &track, int r) const {
        if (!FLAT) return track.at + r * track.step;
        const int first = divide(seat0);
        return track.at + (system0 + first) * track.stride +
               ((seat0 - first * chunks) * R + r * 32 + int(threadIdx.x % 32)) * track.step;
    }
    // Offset met in step r, anywhere; false where nothing exists there.
    __device__ bool find(int r, int &system, int &row) const {
        if (!FLAT) {
            row = r;
            return r < own;
        }
        const int e = r * 32 + int(threadIdx.x % 32), seat = seat0 + e / R, local = divide(seat);
        system = system0 + local;
        row = (seat - local * chunks) * R + e % R;
        return local < systems && row < rows;
    }
    __device__ static int64_t offset(const Track &track, int system, int row) {
        return track.at + (FLAT ? system * track.stride : 0) + row * track.step;
    }

private:
    __device__ int divide(int seat) const {
        return int(unsigned(seat) * unsigned(divisor) >> BlockShape::divisor_bits);
    }
};

// Shared memory index of a slot: one element of padding a 128-byte line keeps both ways free of bank conflicts.
template <class T>
XBATCH_HD constexpr int staged(int e) {
    return e + e / int(128 / sizeof(T));
}

// Elements of staging a warp needs.
template <class T, int R>
XBATCH_HD constexpr int stage_size() {
    return staged<T>(32 * R - 1) + 1;
}

template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t stages_bytes(int threads) {
    return FLAT ? size_t(threads / 32) * stage_size<T, R>() * sizeof(T) : 0;
}

// From slot order to the thread's own rows, and back, through its warp's stage.
template <class T, int R, bool FLAT>
__device__ inline void to_chunk(T *stage, T (&v)[R]) {
    if (!FLAT) return;
    const int lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) stage[staged<T>(r * 32 + lane)] = v[r];
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = stage[staged<T>(lane * R + r)];
}
template <class T, int R, bool FLAT>
__device__ inline void to_slots(T *stage, T (&v)[R]) {
    if (!FLAT) return;
    const int lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) stage[staged<T>(lane * R + r)] = v[r];
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = stage[staged<T>(r * 32 + lane)];
}

// 1 / a by the hardware's approximation and one cubic step: as good as a division, no slow path. Right where
// is_normal(1/a).
__device__ inline double fast_reciprocal(double a) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    double e = fma(-a, y, 1.0);
    e = fma(e, e, e);
    return fma(y, e, y);
}
__device__ inline float fast_reciprocal(float a) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a));
    return fmaf(y, fmaf(-a, y, 1.0f), y);
}
template <class R>
__device__ inline Complex<R> fast_reciprocal(Complex<R> a) {
    using B = typename BitsOf<R>::type;
    const R f =
        power_of_two<R>(max(1 - B::bias, B::bias - exponent_field(magnitude(a))));  // the larger part into [1, 2)
    const R x = a.re * f, y = a.im * f, s = f * fast_reciprocal(x * x + y * y);
    return {x * s, -y * s};
}

// Whether a is a normal number, and so neither zero nor non-finite, and its reciprocal is normal too.
template <class T>
__device__ inline bool has_reciprocal(T a) {
    using B = typename BitsOf<Real<T>>::type;
    return unsigned(exponent_field(magnitude(a)) - 1) < unsigned(2 * B::bias - 2);
}

// Data met once: keep it out of the way of what is met again.
__device__ inline float load_once(const float *p) { return __ldcs(p); }
__device__ inline double load_once(const double *p) { return __ldcs(p); }
__device__ inline Complex<float> load_once(const Complex<float> *p) {
    const float2 v = __ldcs(reinterpret_cast<const float2 *>(p));
    return {v.x, v.y};
}
__device__ inline Complex<double> load_once(const Complex<double> *p) {
    const double2 v = __ldcs(reinterpret_cast<const double2 *>(p));
    return {v.x, v.y};
}
__device__ inline void store_once(float *p, float v) { __stcs(p, v); }
__device__ inline void store_once(double *p, double v) { __stcs(p, v); }
__device__ inline void store_once(Complex<float> *p, Complex<float> v) {
    __stcs(reinterpret_cast<float2 *>(p), make_float2(v.re, v.im));
}
__device__ inline void store_once(Complex<double> *p, Complex<double> v) {
    __stcs(reinterpret_cast<double2 *>(p), make_double2(v.re, v.im));
}

}  // namespace xbatch
