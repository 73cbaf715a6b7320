// chunk.cuh: which rows a thread of a block owns, and how they are loaded into its registers and stored.
//
// A tile is chunks*R consecutive rows of each of the block's `systems` systems; chunk k of a system is R of these rows,
// in the registers of one thread. Threads t of a block, with 2 systems of 3 chunks each:
//
//     FLAT (rows contiguous)         system 0: t = 0 1 2     system 1: t = 3 4 5     stride 1
//     otherwise (systems contiguous) system 0: t = 0 2 4     system 1: t = 1 3 5     stride 2
//
// FLAT with chunks <= 32: no system crosses a warp; the lanes left over are not used. A warp loads whole memory lines,
// in the order of memory, and transposes them in its stage in shared memory. Otherwise a thread loads its own rows.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <climits>

#include "info.cuh"
#include "scalar.hpp"

namespace xbatch {

struct BlockShape {
    static constexpr int divisor_bits = 20;

    int systems, chunks;  // of the block, and threads of each system
    int per_warp;         // FLAT with chunks <= 32: systems of a warp; otherwise 0
    int divisor;          // t / chunks = t * divisor >> divisor_bits, for thread numbers below 1024
};

inline BlockShape block_shape(int systems, int chunks, bool flat) {
    return {systems, chunks, flat && chunks <= 32 ? 32 / chunks : 0, (1 << BlockShape::divisor_bits) / chunks + 1};
}

// Whether all chunks of a system are in one warp, so that a warp barrier suffices.
__device__ inline bool is_in_warp(BlockShape shape) { return shape.per_warp > 0; }

// The chunk that a thread owns
struct ThreadChunk {
    int system, k;  // system within the block, chunk within the system
    int stride;     // distance in threads to the owner of chunk k+1
    bool is_used;
};

template <bool FLAT>
__device__ inline ThreadChunk chunk_of_thread(BlockShape shape) {
    const int t = threadIdx.x;
    if (!FLAT) return {t % shape.systems, t / shape.systems, shape.systems, t < shape.systems * shape.chunks};
    if (is_in_warp(shape)) {
        const int lane = t % 32, local = lane / shape.chunks;
        return {t / 32 * shape.per_warp + local, lane - local * shape.chunks, 1, local < shape.per_warp};
    }
    const int system = t / shape.chunks;
    return {system, t - system * shape.chunks, 1, system < shape.systems};
}

// Barrier among the threads of a system
__device__ inline void sync_chunks(bool in_warp) {
    if (in_warp)
        __syncwarp();
    else
        __syncthreads();
}

// One batched array, from a block's tile on. FLAT: `at` is the offset of row 0 of the tile in the block's first system,
// `stride` the distance to its next system; otherwise `at` is the offset of the thread's first row. `step` is the
// distance between rows.
struct TileArray {
    int64_t at, stride, step;
};

// The tile begins at row0 of system j0, right-hand side r.
template <int R, bool FLAT>
__device__ inline TileArray tile_array(const Placement &p, ThreadChunk chunk, int64_t batch, int64_t j0, int64_t r,
                                       int64_t row0) {
    if (FLAT) return {p.origin + (j0 * p.nrhs + r) * p.ld + row0 * p.step, p.ld * p.nrhs, p.step};
    return {p.offset(row0 + int64_t(chunk.k) * R, min(j0 + chunk.system, batch - 1), r), p.ld * p.nrhs, p.step};
}

// Which rows of the tile exist, and in which order a thread accesses memory. FLAT: the rows of a warp's chunks form one
// sequence, system by system; in step r a thread accesses its element r*32 + lane, so that a warp accesses whole memory
// lines. Otherwise: row r of its own chunk.
template <int R, bool FLAT>
struct TileAccess {
    int rows;  // of the tile that exist, in every system
    int own;   // of the thread's own chunk that exist
    // FLAT: the warp's sequence has `count` elements, from row `row0` of the block's system `system0` on; the thread's
    // chunk begins at element `start`.
    int count, system0, row0, start;
    bool is_one_system;

    // j0: first system of the block; tile0: first row of the tile
    __device__ TileAccess(BlockShape shape, ThreadChunk chunk, int64_t j0, int64_t batch, int64_t tile0, int64_t n) {
        rows = int(min(int64_t(shape.chunks) * R, n - tile0));
        const bool exists = chunk.is_used && j0 + chunk.system < batch;
        own = exists ? max(0, min(R, rows - chunk.k * R)) : 0;
        if (!FLAT) return;
        const int warp = threadIdx.x / 32, systems = int(min(int64_t(shape.systems), batch - j0));
        int end, system1;  // of the warp's rows, with all systems counted as one sequence; its last system
        if (is_in_warp(shape)) {
            system0 = warp * shape.per_warp, row0 = 0;
            system1 = min(system0 + shape.per_warp, systems) - 1;
            end = (system1 + 1) * rows;
        } else {
            system0 = divide(warp * 32, shape.divisor), row0 = min((warp * 32 - system0 * shape.chunks) * R, rows);
            system1 = min(divide(warp * 32 + 31, shape.divisor), systems - 1);
            end = system1 * rows + min((warp * 32 + 32 - system1 * shape.chunks) * R, rows);
        }
        is_one_system = system0 == system1;
        count = max(0, end - (system0 * rows + row0));
        start = (chunk.system - system0) * rows + chunk.k * R - row0;
    }

    // FLAT: whether element k*R + i of the warp is row i of the chunk of lane k. Otherwise: whether the chunk is whole.
    __device__ bool is_full() const { return FLAT ? count == 32 * R : own == R; }
    // Whether consecutive steps are equally far apart in each of these arrays.
    template <class... Arrays>
    __device__ bool is_run(const Arrays &...arrays) const {
        return FLAT ? is_one_system || (... && (arrays.stride == rows * arrays.step)) : own == R;
    }
    // act(r) for every step r with an element, where is_run
    template <class Do>
    __device__ void each(Do act) const {
        if (is_full()) {
#pragma unroll
            for (int r = 0; r < R; ++r) act(r);
        } else {
#pragma unroll
            for (int r = 0; r < R; ++r)
                if (element(r) < count) act(r);
        }
    }
    // Offset of step r where is_run
    __device__ int64_t run_offset(const TileArray &array, int r) const {
        return FLAT ? array.at + system0 * array.stride + (row0 + element(r)) * array.step : array.at + r * array.step;
    }
    // The element of step r, in any case; false if there is none.
    __device__ bool find(int r, int &system, int &row) const {
        if (!FLAT) {
            row = r;
            return r < own;
        }
        const int beyond = row0 + element(r), further = beyond / rows;
        system = system0 + further, row = beyond - further * rows;
        return element(r) < count;
    }
    __device__ static int64_t offset(const TileArray &array, int system, int row) {
        return array.at + (FLAT ? system * array.stride : 0) + row * array.step;
    }
    // Where an array's steps begin: the offset of step 0 and, unless is_run, its row within its system
    struct Start {
        int64_t offset;
        int row;
        bool is_run;
    };
    __device__ Start start_of(const TileArray &array) const {
        if (!FLAT || is_run(array)) return {run_offset(array, 0), 0, is_run(array)};
        const int beyond = row0 + element(0), further = beyond / rows, row = beyond - further * rows;
        return {offset(array, system0 + further, row), row, false};
    }
    // act(r, offset) for every step r with an element
    template <class Act>
    __device__ void each_offset(const TileArray &array, const Start &from, Act act) const {
        if (from.is_run) {
            const int64_t step = FLAT ? 32 : array.step;
            each([&](int r) { act(r, from.offset + r * step); });
            return;
        }
        if (!FLAT) {
#pragma unroll
            for (int r = 0; r < R; ++r)
                if (r < own) act(r, from.offset + r * array.step);
            return;
        }
        // As find(), without a division: every step is 32 rows further.
        const int whole = 32 / rows, rest = 32 - whole * rows;
        const int64_t next = whole * array.stride + rest * array.step, wrap = array.stride - rows * array.step;
        int64_t at = from.offset;
        int row = from.row;
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (element(r) < count) act(r, at);
            at += next, row += rest;
            if (row >= rows) row -= rows, at += wrap;
        }
    }

private:
    __device__ static int element(int r) { return r * 32 + int(threadIdx.x % 32); }
    __device__ static int divide(int thread, int divisor) {
        return int(unsigned(thread) * unsigned(divisor) >> BlockShape::divisor_bits);
    }
};

// Index of an element in the stage. Lanes read their chunks' rows, R apart, without bank conflicts: for an even R, each
// 128-byte line is padded by one element.
template <class T, int R>
XBATCH_HD constexpr int staged(int e) {
    return R % 2 == 1 ? e : e + e / int(128 / sizeof(T));
}

// Elements of a warp's stage
template <class T, int R>
XBATCH_HD constexpr int stage_size() {
    return staged<T, R>(32 * R - 1) + 1;
}

template <class T, int R, bool FLAT>
XBATCH_HD constexpr size_t stages_bytes(int threads) {
    return FLAT ? (size_t(threads / 32) * stage_size<T, R>() * sizeof(T) + 15) / 16 * 16 : 0;
}

// From the order of memory to the thread's own rows, through the stage; rows that do not exist become `otherwise`.
template <class T, int R, bool FLAT>
__device__ inline void to_chunk(T *stage, const TileAccess<R, FLAT> &access, T otherwise, T (&v)[R]) {
    const int lane = threadIdx.x % 32;
    if (FLAT) {
        __syncwarp();
#pragma unroll
        for (int r = 0; r < R; ++r) stage[staged<T, R>(r * 32 + lane)] = v[r];
        __syncwarp();
    }
    if (access.is_full()) {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (FLAT) v[r] = stage[staged<T, R>(lane * R + r)];
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (r >= access.own)
                v[r] = otherwise;
            else if (FLAT)
                v[r] = stage[staged<T, R>(access.start + r)];
        }
    }
}
// The inverse
template <class T, int R, bool FLAT>
__device__ inline void to_memory_order(T *stage, const TileAccess<R, FLAT> &access, T (&v)[R]) {
    if (!FLAT) return;
    const int lane = threadIdx.x % 32;
    __syncwarp();
    if (access.is_full()) {
#pragma unroll
        for (int r = 0; r < R; ++r) stage[staged<T, R>(lane * R + r)] = v[r];
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r < access.own) stage[staged<T, R>(access.start + r)] = v[r];
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < R; ++r) v[r] = stage[staged<T, R>(r * 32 + lane)];
}

// 1 / a by the hardware's approximation and one cubic step: as accurate as a division, without its slow path. Valid
// where 1/a is a normal number.
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

// Data accessed once: evict it from the caches before data that is read again.
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
__device__ inline void store_once(float4 *p, float4 v) { __stcs(p, v); }
__device__ inline void store_once(Complex<float> *p, Complex<float> v) {
    __stcs(reinterpret_cast<float2 *>(p), make_float2(v.re, v.im));
}
__device__ inline void store_once(Complex<double> *p, Complex<double> v) {
    __stcs(reinterpret_cast<double2 *>(p), make_double2(v.re, v.im));
}

}  // namespace xbatch
