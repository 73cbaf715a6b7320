// shifted_sides.cuh: how the threads of shifted systems load their rows of right-hand sides into registers, and store
// the unknowns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "shifted_plan.cuh"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// The chunk of a thread; no system of FLAT ends within a warp that another one needs for its chunks.
template <bool FLAT>
__device__ inline ThreadChunk shifted_chunk(const ShiftedPlan &plan) {
    if (!FLAT || is_in_warp(plan.shape)) return chunk_of_thread<FLAT>(plan.shape);
    const int t = threadIdx.x, system = t / plan.lanes, k = t - system * plan.lanes;
    return {system, k, 1, k < plan.chunks && system < plan.shape.systems};
}

// act(i) for the rows of a chunk. Their number is the same for all threads.
template <int MOST, class Act>
__device__ __forceinline__ void each_row(int rows, Act act) {
#pragma unroll
    for (int i = 0; i < MOST; ++i)
        if (i < rows) act(i);
}

template <class T, bool FLAT>
struct ShiftedSides;

// A thread accesses its own rows.
template <class T>
struct ShiftedSides<T, false> {
    static constexpr int most = ShiftedImage<T>::most_rows;
    T *first;
    int64_t step;
    int rows, own;  // of a chunk; of this one

    __device__ ShiftedSides(const GtsvProblem &p, const ShiftedPlan &plan, ThreadChunk chunk, int64_t j0, int64_t r,
                            T *)
        : step(p.b_at.step), rows(plan.rows) {
        const int64_t j = j0 + chunk.system;
        own = chunk.is_used && j < p.batch ? int(min(plan.n - int64_t(chunk.k) * rows, int64_t(rows))) : 0;
        first = static_cast<T *>(p.b) + (own > 0 ? p.b_at.offset(int64_t(chunk.k) * rows, j, r) : 0);
    }
    __device__ __forceinline__ void fetch(T (&v)[most]) const {
        const T *from = first;
#pragma unroll
        for (int i = 0; i < most; ++i, from += step) {
            v[i] = T(0);
            if (i < own) v[i] = load_once(from);
        }
    }
    // The right-hand side of row n-1 becomes 0 where it is pinned, which is in the last chunk.
    __device__ __forceinline__ void to_own(T (&v)[most], bool is_pinned) const {
        if (__any_sync(~0u, is_pinned))
            each_row<most>(rows, [&](int i) {
                if (is_pinned && i + 1 == own) v[i] = T(0);
            });
    }
    // `open` is that of the thread's system.
    __device__ __forceinline__ void store(const T (&x)[most], bool open, unsigned) const {
        if (open) return;
        T *to = first;
#pragma unroll
        for (int i = 0; i < most; ++i) {
            if (i < own) store_once(to, x[i]);
            to = advanced(to);
        }
    }

private:
    // To the next row. Left to the compiler, it becomes i additions for row i, where that exists.
    __device__ T *advanced(T *at) const {
        uint64_t next;
        asm volatile("add.s64 %0, %1, %2;"
                     : "=l"(next)
                     : "l"(reinterpret_cast<uint64_t>(at)), "l"(step * int64_t(sizeof(T))));
        return reinterpret_cast<T *>(next);
    }
};

// A warp accesses the rows of its systems, or of its part of one, in the order of memory; they pass through the stage.
template <class T>
struct ShiftedSides<T, true> {
    static constexpr int most = ShiftedImage<T>::most_rows, line = most;
    T *first;           // the lane's first element
    T *stage, *staged;  // its place, and that of the thread's rows
    int64_t beyond;     // from the end of a system to the next one, in elements
    int stage_step, rows, own, lane, chunks;
    int left;  // elements of the warp from the lane's first one on
    bool in_warp;
    SmallDivisor by_n;

    __device__ ShiftedSides(const GtsvProblem &p, const ShiftedPlan &plan, ThreadChunk chunk, int64_t j0, int64_t,
                            T *stages)
        : rows(plan.rows), chunks(plan.chunks), by_n(plan.by_n) {
        const int warp = threadIdx.x / 32, n = int(plan.n);
        lane = threadIdx.x % 32, in_warp = is_in_warp(plan.shape);
        const bool exists = chunk.is_used && j0 + chunk.system < p.batch;
        own = exists ? min(n - chunk.k * rows, rows) : 0;
        int64_t j = j0, row0 = 0;
        int start, count;
        if (in_warp) {
            const int system0 = warp * plan.shape.per_warp;
            j += system0;
            count = int(max(int64_t(0), min(int64_t(plan.shape.per_warp), p.batch - j))) * n;
            start = (chunk.system - system0) * n + chunk.k * rows;
        } else {
            j += chunk.system, row0 = int64_t(chunk.k - lane) * rows;
            count = chunk.system < plan.shape.systems && j < p.batch
                        ? int(max(int64_t(0), min(n - row0, int64_t(32) * rows)))
                        : 0;
            start = lane * rows;
        }
        beyond = count > n ? p.b_at.ld - n : 0, left = count - lane;
        first = static_cast<T *>(p.b) + (count > 0 ? p.b_at.base(j, 0) + row0 + lane : 0);
        const int gap = plan.is_padded ? 1 : 0;
        stages += warp * stage_size(plan);
        stage = stages + lane + gap * (lane / line), stage_step = 32 + gap * (32 / line);
        staged = stages + start + gap * (start / line);
    }
    XBATCH_HD static int stage_size(const ShiftedPlan &plan) { return 32 * (plan.rows + int(plan.is_padded)); }

    __device__ __forceinline__ void fetch(T (&v)[most]) const {
        const auto fetch_from = [&](auto distance) {
#pragma unroll
            for (int t = 0; t < most; ++t) {
                v[t] = T(0);
                if (t * 32 < left) v[t] = load_once(first + distance(t));
            }
        };
        if (beyond == 0)
            fetch_from([](int t) { return t * 32; });
        else
            fetch_from([&](int t) { return distance(t); });
    }
    __device__ __forceinline__ void to_own(T (&v)[most], bool is_pinned) const {
        const int read = is_pinned ? own - 1 : own;
        T *to = stage;
        each_row<most>(rows, [&](int t) { *to = v[t], to += stage_step; });
        __syncwarp();
#pragma unroll
        for (int i = 0; i < most; ++i) {
            v[i] = T(0);
            if (i < read) v[i] = staged[i];
        }
        __syncwarp();
    }
    // Bits of `open_chunks`: the chunks of systems that are not stored, of a warp with whole systems; otherwise `open`.
    __device__ __forceinline__ void store(const T (&x)[most], bool open, unsigned open_chunks) const {
        if (!in_warp && open) return;
#pragma unroll
        for (int i = 0; i < most; ++i)
            if (i < own) staged[i] = x[i];
        __syncwarp();
        const T *from = stage;
        if (beyond == 0 && open_chunks == 0) {
#pragma unroll
            for (int t = 0; t < most; ++t, from += stage_step)
                if (t * 32 < left) store_once(first + t * 32, *from);
            return;
        }
        each_row<most>(rows, [&](int t) {
            const int side = in_warp ? by_n.quotient(t * 32 + lane) : 0;
            const bool is_open = open_chunks >> (side * chunks & 31) & 1;
            if (t * 32 < left && !is_open) store_once(first + distance(t), *from);
            from += stage_step;
        });
    }

private:
    __device__ int64_t distance(int t) const {
        return t * 32 + (beyond == 0 ? 0 : by_n.quotient(t * 32 + lane) * beyond);
    }
};

}  // namespace xbatch::tridiagonal
