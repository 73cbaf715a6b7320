// short_systems.cuh: few systems of few rows, whose time is latency: two lanes eliminate each with pivoting, one from
// each end, with their rows in registers.
//
// All rows are loaded before the first is used, so that they are waited for once, and no lane waits for another before
// both are in the middle.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/info.cuh"
#include "interface.cuh"
#include "tridiagonal/nopivot/row_info.cuh"

namespace xbatch::tridiagonal {

// The fewest arguments: a launch waits for them.
template <class T>
struct ShortSystems {
    static constexpr int most_rows = 16, systems = 16, threads = 2 * systems;  // of a block, which is a warp

    const T *dl, *d, *du;
    T *b;
    int32_t *info;                             // may be NULL
    int64_t a_system, a_row, b_system, b_row;  // distances between systems, and between rows
    int n, batch;
    bool is_conjugated;
};

// Row t of a lane: a is the coefficient of the unknown towards the end, c of that towards the middle. Pivot rows
// x_t = d - b x_{t+1} - c x_{t+2} replace them; t counts towards the middle.
template <class T>
struct ShortRow {
    T a, b, c, d;
};

// p x_t + q x_{t+1} = g waits for its pivot.
template <class T>
struct ShortWait {
    T p, q, g;
};

// Row t of a lane is row t of the system or, from the end on, 2 half - 1 - t, half = (n + 1) / 2; if n is odd, the
// second lane has x_0 = 0 for t = 0.
__device__ inline int row_from_end(int half, bool is_last, int t) { return is_last ? 2 * half - 1 - t : t; }

// Loads and scales the rows of a lane.
template <class T, int MOST>
__device__ __forceinline__ void load_rows(const ShortSystems<T> &p, bool is_last, int j, const T *b,
                                          ShortRow<T> (&rows)[MOST]) {
    const int n = p.n, half = (n + 1) / 2;
    const int64_t a_at = j * p.a_system;
    const T *const outer = (is_last ? p.du : p.dl) + a_at, *const d = p.d + a_at;
    const T *const inner = (is_last ? p.dl : p.du) + a_at;
#pragma unroll
    for (int t = 0; t < MOST; ++t) {
        const int i = row_from_end(half, is_last, t);
        rows[t] = {T(0), T(1), T(0), T(0)};
        if (t >= half || i >= n) continue;
        const int64_t at = i * p.a_row;
        rows[t] = {outer[at], d[at], inner[at], b[i * p.b_row]};
    }
    // The outer coefficient of the first row that exists leads beyond the system's end.
    rows[0].a = T(0);
    if (is_last && n % 2 == 1) rows[1].a = T(0);
    if (n == 1) rows[0].c = T(0);
#pragma unroll
    for (int t = 0; t < MOST; ++t) equilibrate(rows[t].a, rows[t].b, rows[t].c, rows[t].d, p.is_conjugated);
}

// The unknowns in the middle, u of the first lane and v of the second one, from p u + q v = g and q u + p v = g.
// Returns whether the pivots are good.
template <class T>
__device__ __forceinline__ bool solve_middle(const ShortWait<T> &wait, bool is_last, T &u, T &v) {
    const auto theirs = [](T x) { return exchanged(x, ShortSystems<T>::systems); };
    const T their_p = theirs(wait.p), their_q = theirs(wait.q), their_g = theirs(wait.g);
    const T upper_p = pick(is_last, their_p, wait.p), upper_q = pick(is_last, their_q, wait.q);
    const T lower_p = pick(is_last, wait.p, their_p), lower_q = pick(is_last, wait.q, their_q);
    const T upper_g = pick(is_last, their_g, wait.g), lower_g = pick(is_last, wait.g, their_g);
    const bool swap = upper_magnitude(lower_q) > upper_magnitude(upper_p);
    const T pivot = pick(swap, lower_q, upper_p), other = pick(swap, upper_p, lower_q);
    const T q = pick(swap, lower_p, upper_q), g = pick(swap, lower_g, upper_g);
    const T inverse = fast_reciprocal(pivot), f = other * inverse;
    const T rest = fnma(f, q, pick(swap, upper_q, lower_p));
    v = fnma(f, g, pick(swap, upper_g, lower_g)) * fast_reciprocal(rest), u = fnma(q, v, g) * inverse;
    return is_good_pivot(pivot) && is_good_pivot(rest);
}

// Lane s begins with the first row of system s of the block, lane s + systems with the last one. Instructions for
// n <= 2 MOST: fewer are fetched in less time.
template <class T, int MOST>
__global__ void __launch_bounds__(ShortSystems<T>::threads) short_systems(const __grid_constant__ ShortSystems<T> p) {
    constexpr int systems = ShortSystems<T>::systems;
    const int n = p.n, half = (n + 1) / 2, lane = threadIdx.x;
    const bool is_last = lane >= systems;
    const int j = int(blockIdx.x) * systems + lane % systems, loaded = min(j, p.batch - 1);
    const bool exists = j < p.batch;
    const auto row_of = [&](int t) { return row_from_end(half, is_last, t); };
    T *const b = p.b + loaded * p.b_system;

    ShortRow<T> rows[MOST];
    load_rows(p, is_last, loaded, b, rows);
    ShortWait<T> wait = {rows[0].b, rows[0].c, rows[0].d};
    int bad = no_row;
#pragma unroll
    for (int t = 0; t + 1 < MOST; ++t) {
        if (t + 1 >= half) break;
        const ShortRow<T> next = rows[t + 1];
        const bool swap = upper_magnitude(next.a) > upper_magnitude(wait.p);
        const T pivot = pick(swap, next.a, wait.p), other = pick(swap, wait.p, next.a);
        const T other_q = pick(swap, wait.q, next.b), other_g = pick(swap, wait.g, next.d);
        const T inverse = fast_reciprocal(pivot);
        const T q = pick(swap, next.b, wait.q) * inverse, c = pick(swap, next.c, T(0)) * inverse;
        const T g = pick(swap, next.d, wait.g) * inverse;
        if (!is_good_pivot(pivot)) bad = min(bad, row_of(t));
        rows[t] = {T(0), q, c, g};
        wait = {fnma(other, q, other_q), pick(swap, -(other * c), next.c), fnma(other, g, other_g)};
    }
    T u, v;
    if (!solve_middle(wait, is_last, u, v)) bad = min(bad, n - 1);

    T x = pick(is_last, v, u), further = pick(is_last, u, v);
#pragma unroll
    for (int t = MOST - 1; t >= 0; --t) {
        if (t >= half) continue;
        const int i = row_of(t);
        if (t + 1 < half) {
            const T here = fnma(rows[t].b, x, fnma(rows[t].c, further, rows[t].d));
            further = x, x = here;
        }
        if (exists && i < n) b[i * p.b_row] = x;
    }
    // Each unknown is computed from a product with the one before.
    if (!is_finite(x)) bad = min(bad, n);
    bad = min(bad, __shfl_xor_sync(~0u, bad, systems));
    if (p.info && exists && !is_last) p.info[j] = bad == no_row ? 0 : info_of(bad);
}

}  // namespace xbatch::tridiagonal
