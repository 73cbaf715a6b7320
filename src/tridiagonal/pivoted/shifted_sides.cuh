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
        each_row<most>(rows, [&](int i) {
            v[i] = T(0);
            if (i < own) v[i] = load_once(from);
            from += step;
        });
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
        each_row<most>(rows, [&](int i) {
            if (i < own) store_once(to, x[i]);
            to += step;
        });
    }
};

// A warp accesses the rows of its systems, or of its part of one, in the order of memory; they pass through the stage.
template <class T>
struct ShiftedSides<T, true> {
    static constexpr int most = ShiftedImage<T>::most_rows, line = most;
    T *first;           // the lane's first element
    T *stage, *staged;  // its place, and that of the thread's rows
    int64_t beyond;     // from the end of a system to the next one, in elements
    int stage_step, rows, own;
    int count, lane, n, chunks;
    bool in_warp;
    SmallDivisor by_n;

    __device__ ShiftedSides(const GtsvProblem &p, const ShiftedPlan &plan, ThreadChunk chunk, int64_t j0, int64_t,
                            T *stages)
        : rows(plan.rows), n(int(plan.n)), chunks(plan.chunks), by_n(plan.by_n) {
        const int warp = threadIdx.x / 32;
        lane = threadIdx.x % 32, in_warp = is_in_warp(plan.shape);
        const bool exists = chunk.is_used && j0 + chunk.system < p.batch;
        own = exists ? min(n - chunk.k * rows, rows) : 0;
        int64_t j = j0, row0 = 0;
        int start;
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
        beyond = count > n ? p.b_at.ld - n : 0;
        first = static_cast<T *>(p.b) + (count > 0 ? p.b_at.base(j, 0) + row0 + lane : 0);
        const int gap = plan.is_padded ? 1 : 0;
        stages += warp * stage_size(plan);
        stage = stages + lane + gap * (lane / line), stage_step = 32 + gap * (32 / line);
        staged = stages + start + gap * (start / line);
    }
    XBATCH_HD static int stage_size(const ShiftedPlan &plan) { return 32 * (plan.rows + int(plan.is_padded)); }

    __device__ __forceinline__ void fetch(T (&v)[most]) const {
        if (count == 32 * rows && beyond == 0)
            each_row<most>(rows, [&](int t) { v[t] = load_once(first + t * 32); });
        else
            each_row<most>(rows, [&](int t) {
                v[t] = T(0);
                if (t * 32 + lane < count) v[t] = load_once(first + distance(t));
            });
    }
    __device__ __forceinline__ void to_own(T (&v)[most], bool is_pinned) const {
        const int read = is_pinned ? own - 1 : own;
        T *to = stage;
        each_row<most>(rows, [&](int t) { *to = v[t], to += stage_step; });
        __syncwarp();
        each_row<most>(rows, [&](int i) { v[i] = i < read ? staged[i] : T(0); });
        __syncwarp();
    }
    // Bits of `open_chunks`: the chunks of systems that are not stored, of a warp with whole systems; otherwise `open`.
    __device__ __forceinline__ void store(const T (&x)[most], bool open, unsigned open_chunks) const {
        if (!in_warp && open) return;
        each_row<most>(rows, [&](int i) {
            if (i < own) staged[i] = x[i];
        });
        __syncwarp();
        const T *from = stage;
        if (count == 32 * rows && beyond == 0 && open_chunks == 0)
            each_row<most>(rows, [&](int t) { store_once(first + t * 32, *from), from += stage_step; });
        else
            each_row<most>(rows, [&](int t) {
                const int e = t * 32 + lane;
                const bool is_open = in_warp && open_chunks >> (by_n.quotient(e) * chunks & 31) & 1;
                if (e < count && !is_open) store_once(first + distance(t), *from);
                from += stage_step;
            });
    }

private:
    __device__ int64_t distance(int t) const {
        return t * 32 + (beyond == 0 ? 0 : by_n.quotient(t * 32 + lane) * beyond);
    }
};

}  // namespace xbatch::tridiagonal
