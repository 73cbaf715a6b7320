// once_factor.cuh: the elimination of a matrix that many right-hand sides follow, by one block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "interface.cuh"
#include "once_plan.hpp"

namespace xbatch::tridiagonal {

// Four elements, read and written by 16 bytes
template <class T>
struct alignas(16) Record {
    T x, y, z, w;
};
template <class T>
__device__ inline void put(T *records, int64_t number, const Record<T> &record) {
    reinterpret_cast<Record<T> *>(records)[number] = record;
}

template <class T>
__device__ inline Record<T> get(const T *records, int number) {
    return reinterpret_cast<const Record<T> *>(records)[number];
}

// Eliminates chunk k of the rows in shared memory, arrays of n elements, to its interface equations. Returns the first
// row with a bad pivot, counted from 1, or INT_MAX.
template <class T>
__device__ inline int eliminate_chunk(const OncePlan &plan, const OnceFactors<T> &factors, const T *rows_of_matrix,
                                      bool is_conjugated, int k, InterfaceEquations<T> &run) {
    const int n = int(plan.n), begin = k * plan.rows, rows = min(plan.rows, n - begin);
    const T *const first = rows_of_matrix + begin;
    T a, b, c, none(0);
    const auto load = [&](int i) {
        a = first[i], b = first[n + i], c = first[2 * n + i];
        return T(equilibrate(a, b, c, none, is_conjugated));
    };
    const auto number = [&](int i) { return i * plan.chunks + k; };
    put(factors.down, number(0), {load(0), none, none, none});
    if (rows == 1) {  // x_first is x_last
        run = {{a, b, none, c, none}, {none, T(1), T(-1), none, none}};
    } else {
        const T a0 = a, b0 = b, c0 = c;
        put(factors.down, number(1), {load(1), none, none, none});
        run = two_rows(a0, b0, c0, none, a, b, c, none);
    }
    const LeftSizes left = left_sizes(run);
    unsigned second = 0, is_new = 0;
    int bad = INT_MAX;
#pragma unroll 1
    for (int i = 2; i < rows; ++i) {
        const T scale = load(i);
        const Pivot<T> pivot = absorb(run, left, a, b, c, none);
        put(factors.down, number(i), {scale, pivot.step.inverse, pivot.step.f1, pivot.step.f2});
        put(factors.up, number(i), {pivot.s, pivot.l1, pivot.q, none});
        second |= unsigned(pivot.step.second) << i, is_new |= unsigned(pivot.step.is_new) << i;
        if (!pivot.is_fine) bad = min(bad, begin + i);
    }
    factors.order[k] = second, factors.order[plan.chunks + k] = is_new;
    return bad;
}

// Joins the runs on both sides of the cut before chunk m.
template <class T>
__device__ inline bool join_at(const OnceFactors<T> &factors, InterfaceEquations<T> &left,
                               const InterfaceEquations<T> &right, int m) {
    const Middle<T> middle = compose(left, right);
    const JoinStep<T> &step = middle.step;
    put(factors.join_down, 2 * m, {step.fl, step.fr, step.fo, step.inverse});
    put(factors.join_down, 2 * m + 1, {step.fa, step.fb, step.inverse2, T(0)});
    put(factors.join_up, 2 * m, {middle.e0, middle.e1, middle.q, T(0)});
    put(factors.join_up, 2 * m + 1, {middle.f0, middle.f1, middle.k0, middle.k1});
    factors.join_order[m] = unsigned(step.s) | unsigned(step.w) << 1 | unsigned(step.t) << 2 |
                            unsigned(step.is_y) << 3 | unsigned(step.is_z) << 4;
    return middle.is_fine;
}

// One thread per chunk. Shared memory has the three diagonals, and later the interface equations.
template <class T>
__global__ void __launch_bounds__(256) once_factor(GtsvProblem p, OncePlan plan, OnceFactors<T> factors) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ int bad;
    T *const rows = reinterpret_cast<T *>(shared_bytes);
    trigger_dependents();
    const int n = int(plan.n), k = threadIdx.x, threads = blockDim.x;
    if (k == 0) bad = INT_MAX;
    for (int i = k; i < n; i += threads) {
        const int64_t at = p.a_at.offset(i, 0, 0);
        const int64_t below = p.is_definite ? at - p.a_at.step : at;
        rows[i] = plan.is_periodic || i > 0 ? static_cast<const T *>(p.dl)[below] : T(0);
        rows[n + i] = p.is_definite ? T(static_cast<const Real<T> *>(p.d)[at]) : static_cast<const T *>(p.d)[at];
        const T above = plan.is_periodic || i + 1 < n ? static_cast<const T *>(p.du)[at] : T(0);
        rows[2 * n + i] = p.is_definite ? conjugate(above) : above;
    }
    __syncthreads();
    InterfaceEquations<T> run;
    int first_bad = INT_MAX;
    if (k < plan.chunks) first_bad = eliminate_chunk(plan, factors, rows, p.is_conjugated, k, run);
    __syncthreads();
    InterfaceEquations<T> *const runs = reinterpret_cast<InterfaceEquations<T> *>(shared_bytes);
    if (k < plan.chunks) runs[k] = run;
    __syncthreads();
    for (int s = 1; s < plan.chunks; s *= 2) {
        const int m = s * (2 * k + 1);
        if (m < plan.chunks && !join_at(factors, runs[m - s], runs[m], m)) first_bad = min(first_bad, m * plan.rows);
        __syncthreads();
    }
    if (k == 0) {
        const ClosingStep<T> step = closing_step(runs[0], plan.is_periodic);
        put(factors.join_down, 0, {step.inverse, step.b, step.f, step.inverse2});
        factors.join_order[0] = step.s;
        if (!step.is_fine) first_bad = min(first_bad, n);
    }
    if (first_bad != INT_MAX) atomicMin(&bad, first_bad);
    __syncthreads();
    if (k == 0) *factors.bad = bad == INT_MAX ? 0 : bad;
}

}  // namespace xbatch::tridiagonal
