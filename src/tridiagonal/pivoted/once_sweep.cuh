// once_sweep.cuh: right-hand sides of a common matrix are solved with its LU factors, each by one thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "interface_block.cuh"
#include "once_factor.cuh"
#include "once_sweep.hpp"
#include "planes.cuh"
#include "waiting_row.cuh"
#include "whole_lines.cuh"

namespace xbatch::tridiagonal {

// Factors of the rows in shared memory, arrays of n elements, with pivoting. Returns the first row with a bad
// pivot, counted from 1, or INT_MAX.
template <class T>
__device__ inline int factor_by_rows(SweepFactors<T> *factors, const T *rows, int n, bool is_conjugated) {
    const T none(0);
    T a, b, c, d = none;
    int bad = INT_MAX;
    const auto load = [&](int i) {
        a = i > 0 ? rows[i] : none, b = rows[n + i], c = i + 1 < n ? rows[2 * n + i] : none;
        return T(equilibrate(a, b, c, d, is_conjugated));
    };
    factors[0].scale = load(0);
    T p = b, q = c;      // of the waiting row
    Real<T> waited = 0;  // sum of its multipliers
#pragma unroll 1
    for (int i = 0; i + 1 < n; ++i) {
        const T scale = load(i + 1);
        const bool swap = is_pivot_next(a, p, waited);
        const T pivot = pick(swap, a, p), inverse = fast_reciprocal(pivot), l = pick(swap, p, a) * inverse;
        const T q0 = pick(swap, b, q), r0 = pick(swap, c, none);  // of the pivot row
        waited = swap ? waited + magnitude(l) : Real<T>(0);
        if (!is_pivot(pivot)) bad = min(bad, i + 1);
        factors[i].inverse = inverse, factors[i].u1 = q0 * inverse, factors[i].u2 = r0 * inverse;
        factors[i + 1].scale = swap ? -scale : scale, factors[i + 1].l = l;
        p = fnma(l, q0, pick(swap, q, b)), q = fnma(l, r0, pick(swap, none, c));
    }
    if (!is_pivot(p)) bad = min(bad, n);
    factors[n - 1].inverse = fast_reciprocal(p), factors[n - 1].u1 = factors[n - 1].u2 = none;
    return bad;
}

// One block; one of its threads factors the rows that all load into shared memory.
template <class T>
__global__ void __launch_bounds__(256) sweep_factor(GtsvProblem p, SweepFactors<T> *factors, int32_t *first_bad) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T *const rows = reinterpret_cast<T *>(shared_bytes);
    trigger_dependents();
    const int n = int(p.n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int64_t at = p.a_at.offset(i, 0, 0);
        rows[i] = static_cast<const T *>(p.dl)[at], rows[n + i] = static_cast<const T *>(p.d)[at];
        rows[2 * n + i] = static_cast<const T *>(p.du)[at];
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    const int bad = factor_by_rows(factors, rows, n, p.is_conjugated);
    *first_bad = bad == INT_MAX ? 0 : bad;
}

// The right-hand sides of a warp's lanes in shared memory. FLAT: as in FlatBlock, at the same distance from 16-byte
// lines as in memory; otherwise row by row.
template <class T, bool FLAT>
struct SweepTile {
    static constexpr int line = FlatTile<T>::line;

    const GtsvProblem &p;
    const SweepPlan &plan;
    int lane, count;  // right-hand sides
    int aside;        // FLAT: elements from a 16-byte line to the first right-hand side
    int64_t at0;      // the first of them
    T *tile, *first;  // the lane's first row
    T *memory;        // the same in memory: the lane's if not FLAT, else that of the first right-hand side
    bool exists;

    __device__ SweepTile(const GtsvProblem &problem, const SweepPlan &division, T *shared, int64_t group)
        : p(problem), plan(division), lane(int(threadIdx.x) % 32), aside(0), at0(group * 32), tile(shared) {
        count = int(min(int64_t(32), plan.sides - at0)), exists = lane < count;
        T *const x = static_cast<T *>(p.b);
        if (FLAT) {
            memory = x + p.b_at.origin + at0 * p.b_at.ld;
            aside = int(reinterpret_cast<uintptr_t>(memory) / sizeof(T)) & line - 1;
            first = tile + aside + lane * plan.stride;
        } else {
            const int64_t at = min(at0 + lane, plan.sides - 1), r = p.nrhs == 1 ? 0 : divided(at, p.batch);
            memory = x + p.b_at.offset(0, at - r * p.batch, r);
            first = tile + lane;
        }
    }
    __device__ int64_t system() const {  // of the lane
        const int64_t at = at0 + lane;
        return p.nrhs == 1 ? at : FLAT ? divided(at, p.nrhs) : at - divided(at, p.batch) * p.batch;
    }
    __device__ static constexpr int step() { return FLAT ? 1 : 32; }

    // FLAT: act(place, element, elements from a 16-byte line, rows) for the lane's rows, or for all
    template <class Act>
    __device__ void each_run(bool as_run, Act act) const {
        if (as_run ? lane > 0 : !exists) return;
        const int rows = as_run ? (count - 1) * plan.stride + int(plan.n) : int(plan.n);
        T *const place = first, *const element = memory + (as_run ? 0 : lane * p.b_at.ld);
        act(place, element, int(place - tile), rows);
    }
    __device__ void load(uint64_t *barrier) const {
        const TransferBarrier arrival{barrier};
        if constexpr (FLAT) {
            unsigned bytes = 0;
            each_run(plan.is_run, [&](T *place, const T *element, int from_line, int rows) {
                bytes = fetch_lines<line>(place, element, from_line, rows, arrival);
            });
            bytes = __reduce_add_sync(~0u, bytes);
            if (lane == 0) arrival.expect(bytes);
        } else if (plan.is_wide && count == 32) {
            constexpr int of_row = 32 / line;  // copies
            const T *from = memory - lane + lane / of_row * p.b_at.step + lane % of_row * line;
            unsigned to = shared_address(tile + lane * line);
            const int64_t step = 32 / of_row * p.b_at.step;
#pragma unroll 4
            for (int row = lane / of_row; row < int(plan.n); row += 32 / of_row, from += step, to += 32 * 16)
                copy_async<T, line, 0>(true, to, from);
        } else {
            const T *from = memory;
            unsigned to = shared_address(first);
#pragma unroll 8
            for (int i = 0; i < int(plan.n); ++i, from += p.b_at.step, to += 32 * unsigned(sizeof(T)))
                copy_async<T, 1, 0>(true, to, from);
        }
    }
    __device__ void finish_load(uint64_t *barrier, unsigned parity) const {
        wait_for_copies();
        if (FLAT) TransferBarrier{barrier}.wait(parity);
        __syncwarp();
    }
    __device__ void put(int i, T x) const {
        if (FLAT)
            first[i] = x;
        else if (exists)
            store_once(memory + i * p.b_at.step, x);
    }
    __device__ void store() const {
        async_fence();
        __syncwarp();
        each_run(plan.is_run, put_lines<line, T>);
        wait_for_puts();
        async_fence();  // before the next load
        __syncwarp();
    }
};

// Solves for the lane's right-hand side in shared memory; returns the first unknown, which is finite only if all are.
template <class T, bool FLAT>
__device__ inline T sweep(const SweepTile<T, FLAT> &w, const SweepFactors<T> *factors, int n) {
    constexpr int step = w.step(), at_once = sizeof(T) < 16 ? 8 : 4;  // rows, whose values are read together
    T t = scaled(*w.first, real_part(factors[0].scale));
    const auto down = [&](auto count, int i0) {
        constexpr int rows = decltype(count)::value;
        T next[rows], l[rows];
        bool swap[rows];
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const auto scale = real_part(factors[i0 + k].scale);
            next[k] = scaled(w.first[(i0 + k) * step], magnitude(scale));
            l[k] = factors[i0 + k].l, swap[k] = scale < 0;
        }
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const T y = pick(swap[k], next[k], t);
            t = fnma(l[k], y, pick(swap[k], t, next[k]));
            w.first[(i0 + k - 1) * step] = y;
        }
    };
    int i = 1;
#pragma unroll 1
    for (; i + at_once <= n; i += at_once) down(Count<at_once>(), i);
#pragma unroll 1
    for (; i < n; ++i) down(Count<1>(), i);
    w.first[(n - 1) * step] = t;
    T x(0), further(0);
    const auto up = [&](auto count, int i0) {
        constexpr int rows = decltype(count)::value;
        T y[rows], u1[rows], u2[rows];
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            y[k] = factors[i0 - k].inverse * w.first[(i0 - k) * step];
            u1[k] = factors[i0 - k].u1, u2[k] = factors[i0 - k].u2;
        }
#pragma unroll
        for (int k = 0; k < rows; ++k) {
            const T here = fnma(u1[k], x, fnma(u2[k], further, y[k]));
            further = x, x = here;
            w.put(i0 - k, x);
        }
    };
    i = n - 1;
#pragma unroll 1
    for (; i + 1 >= at_once; i -= at_once) up(Count<at_once>(), i);
#pragma unroll 1
    for (; i >= 0; --i) up(Count<1>(), i);
    return x;
}

// Each warp takes groups of 32 right-hand sides in sequence, by itself.
template <class T, bool FLAT>
__global__ void __launch_bounds__(32 * SweepPlan::most_warps)
    sweep_solve(GtsvProblem p, SweepPlan plan, const SweepFactors<T> *factors, const int32_t *first_bad) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ uint64_t barriers[SweepPlan::most_warps];
    if (FLAT) enter_plane(p);
    const int n = int(plan.n), lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    SweepFactors<T> *const of_rows = reinterpret_cast<SweepFactors<T> *>(shared_bytes);
    T *const tile = reinterpret_cast<T *>(shared_bytes + plan.factor_bytes + warp * plan.tile_bytes);
    uint64_t *const barrier = barriers + warp;
    if (FLAT && lane == 0) TransferBarrier{barrier}.begin();
    wait_for_prerequisites();
    for (size_t byte = threadIdx.x * 16; byte < plan.factor_bytes; byte += blockDim.x * 16)
        copy_async<char, 16, 0>(true, shared_address(of_rows) + unsigned(byte),
                                reinterpret_cast<const char *>(factors) + byte);
    wait_for_copies();
    __syncthreads();
    const int bad = *first_bad, warps = int(blockDim.x) / 32;
    unsigned parity = 0;
    for (int64_t group = int64_t(blockIdx.x) * warps + warp; group * 32 < plan.sides;
         group += int64_t(gridDim.x) * warps, parity ^= 1) {
        const SweepTile<T, FLAT> w(p, plan, tile, group);
        w.load(barrier);
        int32_t *const info = p.info && w.exists ? p.info + w.system() : nullptr;
        if (info) put_info(info, p.nrhs, bad > 0, bad - 1);
        w.finish_load(barrier, parity);
        const T x = sweep(w, of_rows, n);
        if (info && bad == 0 && !is_finite(x)) report(info, p.n);
        if constexpr (FLAT)
            w.store();
        else
            __syncwarp();
    }
}

}  // namespace xbatch::tridiagonal
