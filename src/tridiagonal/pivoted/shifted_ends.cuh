// shifted_ends.cuh: shifted systems that two lanes eliminate with pivoting, one from each end.
//
// The lane from the first row eliminates x_0, x_1, …, the other one x_{n-1}, x_{n-2}, …, until two equations for the
// two unknowns in the middle are left. So no unknown but the next ones enters a row, and of a pivot row only one number
// is stored besides its right-hand side: the row of T + sigma W is read again, from shared memory.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "interface_block.cuh"
#include "shifted_ends_plan.hpp"
#include "shifted_image.cuh"
#include "tridiagonal/nopivot/row_info.cuh"
#include "waiting_row.cuh"
#include "whole_lines.cuh"

namespace xbatch::tridiagonal {

// A row of T and W: a is the coefficient of the unknown towards the end, c of that towards the middle.
template <class T>
struct alignas(16) EndsRow {
    T a, b, c, w;
};

// The rows of T and W in shared memory. If any has coefficients far from 1, all are scaled by powers of two, which
// scales [n] then has.
template <class T>
__device__ inline Real<T> *put_rows(const ShiftedMatrix<T> &matrix, int half, EndsRow<T> *rows, Real<T> *scales) {
    using R = Real<T>;
    constexpr int bias = BitsOf<R>::type::bias, margin = bias / 5;
    constexpr unsigned least = unsigned(bias - margin) * binade<T>, most = unsigned(bias + margin) * binade<T>;
    bool is_far = false;
    for (int i = threadIdx.x; i < int(matrix.n); i += blockDim.x) {
        const ShiftedRow<T> e = matrix.row(i);
        const int largest = max(max(upper_magnitude(e.dl), upper_magnitude(e.du)), upper_magnitude(e.d));
        const bool is_number = largest > 0 && largest < (2 * bias + 1) * binade<T>;
        is_far |= is_number && (unsigned(largest) < least || unsigned(largest) > most);
        R scale = is_number ? row_scale(e.dl, e.d, e.du) : R(1);
        if (!is_finite(scaled(e.w, scale))) scale = row_scale(e.w, e.w, e.w);
        scales[i] = scale;
        rows[i] = i < half ? EndsRow<T>{e.dl, e.d, e.du, e.w} : EndsRow<T>{e.du, e.d, e.dl, e.w};
    }
    if (!__syncthreads_or(is_far)) return nullptr;
    for (int i = threadIdx.x; i < int(matrix.n); i += blockDim.x) {
        EndsRow<T> &e = rows[i];
        const R s = scales[i];
        e = {scaled(e.a, s), scaled(e.b, s), scaled(e.c, s), scaled(e.w, s)};
    }
    __syncthreads();
    return scales;
}

// The right-hand sides of a warp's systems in shared memory, and what a lane has of them
template <class T, bool FLAT>
struct EndsTile {
    static constexpr int line = FlatTile<T>::line;

    const GtsvProblem &p;
    const EndsPlan &plan;
    int lane, sub, there;  // system of the warp, and how many exist
    int64_t j0, r;
    bool is_last, exists;     // whether the lane begins with the last row, and has a right-hand side to be solved
    bool all_open, any_open;  // which of the warp's are to be solved
    int aside;                // FLAT: elements from a 16-byte line to the first system
    T *tile, *first;          // the system's first row
    T *memory;                // FLAT: of the warp's first system; otherwise of the lane's

    // `open` may be NULL: right-hand side r of system j is to be solved if open[j + r*batch].
    __device__ EndsTile(const GtsvProblem &problem, const EndsPlan &division, T *shared, int64_t unit,
                        const uint8_t *open)
        : p(problem), plan(division), lane(int(threadIdx.x) % 32), aside(0), tile(shared) {
        const int64_t group = p.nrhs == 1 ? unit : divided(unit, p.nrhs);
        j0 = group * plan.systems, r = unit - group * p.nrhs;
        there = int(min(int64_t(plan.systems), p.batch - j0));
        is_last = lane & plan.systems, sub = lane & plan.systems - 1;
        const bool is_open = sub < there && (!open || open[j0 + sub + r * p.batch] != 0);
        exists = is_open && lane < 2 * plan.systems;
        all_open = __all_sync(~0u, is_open || sub >= there), any_open = __any_sync(~0u, is_open);
        T *const x = static_cast<T *>(p.b);
        memory = x + p.b_at.offset(0, j0 + (FLAT ? 0 : min(sub, there - 1)), r);
        if (FLAT) aside = int(reinterpret_cast<uintptr_t>(memory) / sizeof(T)) & line - 1;
        first = tile + aside + sub * plan.stride;
    }
    // FLAT: act(place, element, elements from a 16-byte line, rows) for the lane's rows, or for all
    template <class Act>
    __device__ void each_run(Act act) const {
        const bool as_run = plan.is_run && all_open;
        if (as_run ? lane > 0 : !exists || is_last) return;
        const int rows = as_run ? there * int(plan.n) : int(plan.n);
        T *const element = memory + (as_run ? 0 : sub * p.b_at.ld);
        act(first, element, int(first - tile), rows);
    }
    template <int together>
    __device__ void load_rows() const {
        const int t = lane * together, s = t & plan.systems - 1, at_once = 32 * together / plan.systems;
        if (s >= there) return;
        int row = t / plan.systems;
        const T *from = static_cast<const T *>(p.b) + p.b_at.offset(row, j0 + s, r);
        unsigned to = shared_address(tile + t);
        const int64_t step = at_once * p.b_at.step;
#pragma unroll 4
        for (; row < int(plan.n); row += at_once, from += step, to += 32 * together * unsigned(sizeof(T)))
            copy_async<T, together, 0>(true, to, from);
    }
    __device__ void load(uint64_t *barrier) const {
        if constexpr (FLAT) {
            const TransferBarrier arrival{barrier};
            unsigned bytes = 0;
            each_run([&](T *place, const T *element, int from_line, int rows) {
                bytes = fetch_lines<line>(place, element, from_line, rows, arrival);
            });
            bytes = __reduce_add_sync(~0u, bytes);
            if (lane == 0) arrival.expect(bytes);
        } else if (plan.is_wide && there == plan.systems) {
            load_rows<line>();
        } else {
            load_rows<1>();
        }
    }
    __device__ void finish_load(uint64_t *barrier, unsigned parity) const {
        wait_for_copies();
        if (FLAT) TransferBarrier{barrier}.wait(parity);
        __syncwarp();
    }
    // Not FLAT: begins to load the systems of a later unit into the second-level cache.
    __device__ void prefetch(int64_t unit) const {
        const int64_t group = p.nrhs == 1 ? unit : divided(unit, p.nrhs);
        const T *from = static_cast<const T *>(p.b);
        from += p.b_at.offset(lane, group * plan.systems, unit - group * p.nrhs);
        for (int i = lane; i < int(plan.n); i += 32, from += 32 * p.b_at.step)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(from) : "memory");
    }
    __device__ void store() const {
        if constexpr (FLAT) {
            async_fence();
            __syncwarp();
            each_run(put_lines<line, T>);
            wait_for_puts();
            async_fence();  // before the next load
        }
        __syncwarp();
    }
};

// An equation p x_i + q x_{i+1} = g of the last unknown that is not eliminated and the next one, towards the middle
template <class T>
struct WaitingRow {
    T p, q, g;
};

// A lane's half of a system in shared memory. Row t of the lane is row t of the system, or 2 half - 1 - t, which does
// not exist for t = 0 if n is odd. Idle lanes have no rows.
template <class T, bool FLAT>
struct EndsHalf {
    const EndsTile<T, FLAT> &w;
    const T sigma;
    unsigned *const words;  // [half / 32 + 1][32], of the lane: bits of rows, whether they were interchanged with the
                            // waiting one, the last one first
    const int half, dir, row0, t0, step;  // t0: the first row; step: between rows in shared memory
    const EndsRow<T> *row;
    T *at, *stored;  // right-hand side of a row, later the unknown; what else is stored of it
    WaitingRow<T> wait{T(1), T(0), T(0)};
    unsigned interchanges = 0;  // not 0 if there is one
    int bad = no_row;           // the first row with a bad pivot

    __device__ __forceinline__ EndsHalf(const EndsTile<T, FLAT> &tile, const EndsRow<T> *rows, const Real<T> *scales,
                                        unsigned *bits, T shift, bool is_pinned)
        : w(tile),
          sigma(shift),
          words(bits),
          half(w.plan.half),
          dir(w.is_last ? -1 : 1),
          row0(w.is_last ? 2 * half - 1 : 0),
          t0(w.lane >= 2 * w.plan.systems ? half
             : w.is_last                  ? 2 * half - int(w.plan.n)
                                          : 0),
          step(dir * w.plan.step),
          row(rows + row0 + t0 * dir),
          at(w.first + (row0 + t0 * dir) * w.plan.step),
          stored(at + w.plan.array) {
        for (int t = t0; scales && t < half; ++t)
            at[(t - t0) * step] = scaled(at[(t - t0) * step], scales[row0 + t * dir]);
        if (t0 < half && !is_pinned) wait = {diagonal(*row), row->c, *at};
    }
    __device__ __forceinline__ T diagonal(const EndsRow<T> &e) const { return fma_(sigma, e.w, e.b); }

    // To the waiting row of the last unknown. Rows are read two steps ahead; behind the last one, that again.
    __device__ __forceinline__ void eliminate() {
        T *ahead = at;
        int fetched = t0;
        const auto fetch = [&](EndsRow<T> &e, T &d) {
            const bool exists = ++fetched < half;
            row += exists ? dir : 0, ahead += exists ? step : 0;
            e = *row, d = *ahead;
        };
        EndsRow<T> next, behind;
        T next_d, behind_d;
        Real<T> waited = 0;  // sum of the multipliers of the waiting row
        fetch(next, next_d), fetch(behind, behind_d);
        int unknown = row0 + t0 * dir;  // to be eliminated
#pragma unroll 1
        for (int t = t0 + 1; t < half;) {
            unsigned *const word = words + t / 32 * 32;
            const int end = min((t | 31) + 1, half);
            unsigned bits = 0;
#pragma unroll 2
            for (; t < end; ++t) {
                const EndsRow<T> e = next;
                const T d = next_d, b = diagonal(e);
                next = behind, next_d = behind_d;
                fetch(behind, behind_d);
                const bool swap = is_pivot_next(e.a, wait.p, waited);
                const T pivot = pick(swap, e.a, wait.p), other = pick(swap, wait.p, e.a);
                const T q = pick(swap, b, wait.q), other_q = pick(swap, wait.q, b);
                const T g = pick(swap, d, wait.g), other_g = pick(swap, wait.g, d);
                const T inverse = fast_reciprocal(pivot), f = other * inverse;
                if (!is_good_pivot(pivot)) bad = min(bad, unknown);
                *at = g * inverse, *stored = pick(swap, inverse, q * inverse);
                at += step, stored += step, unknown += dir;
                wait = {fnma(f, q, other_q), pick(swap, fnma(f, e.c, T(0)), e.c), fnma(f, g, other_g)};
                waited = swap ? waited + magnitude(f) : Real<T>(0);
                bits = 2 * bits + unsigned(swap);
            }
            *word = bits, interchanges |= bits;
        }
    }
    // The lane's last unknown, and the one behind it, from the two waiting rows p u + q v = g; in that of the lane from
    // the last row u and v are interchanged.
    __device__ __forceinline__ void close(T &x, T &further) {
        const int systems = w.plan.systems;
        const WaitingRow<T> theirs = {exchanged(wait.p, systems), exchanged(wait.q, systems),
                                      exchanged(wait.g, systems)};
        const WaitingRow<T> upper = w.is_last ? theirs : wait, lower = w.is_last ? wait : theirs;
        const bool swap = upper_magnitude(lower.q) > upper_magnitude(upper.p);
        const T pivot = pick(swap, lower.q, upper.p), other = pick(swap, upper.p, lower.q);
        const T q = pick(swap, lower.p, upper.q), other_q = pick(swap, upper.q, lower.p);
        const T g = pick(swap, lower.g, upper.g), other_g = pick(swap, upper.g, lower.g);
        const T inverse = fast_reciprocal(pivot), f = other * inverse, rest = fnma(f, q, other_q);
        if (!is_good_pivot(pivot) || !is_good_pivot(rest)) bad = min(bad, int(w.plan.n) - 1);
        const T v = fnma(f, g, other_g) * fast_reciprocal(rest), u = fnma(q, v, g) * inverse;
        x = pick(w.is_last, v, u), further = pick(w.is_last, u, v);
    }
    // Computes and stores the unknowns from the last one on. Returns whether they are finite: each is computed from a
    // product with the one before.
    __device__ __forceinline__ bool substitute(T x, T further) {
        const int64_t memory_step = FLAT ? 0 : dir * w.p.b_at.step;
        T *to = FLAT ? w.memory : w.memory + (row0 + (half - 1) * dir) * w.p.b_at.step;
        const auto put = [&](T x) {
            if (FLAT)
                *at = x;
            else if (w.exists)
                store_once(to, x);
            to -= memory_step;
        };
        if (t0 < half) put(x);
        if (!__any_sync(~0u, interchanges != 0)) {
#pragma unroll 4
            for (int t = half - 1; t > t0; --t) {
                at -= step, stored -= step;
                x = fnma(*stored, x, *at);
                put(x);
            }
            return is_finite(x);
        }
#pragma unroll 1
        for (int t = half - 1; t > t0;) {
            unsigned bits = words[t / 32 * 32];
            const int end = max(t & ~31, t0 + 1);
#pragma unroll 4
            for (; t >= end; --t, bits >>= 1) {
                at -= step, stored -= step;
                const EndsRow<T> e = *row;
                row -= dir;
                const bool swapped = bits & 1;
                const T of_row = *stored, y = *at, u1 = pick(swapped, diagonal(e) * of_row, of_row);
                const T here = fnma(u1, x, pick(swapped, fnma(e.c * of_row, further, y), y));
                further = x, x = here;
                put(x);
            }
        }
        return is_finite(x);
    }
};

// Each warp takes groups of systems in sequence, by itself. `open` as in EndsTile.
template <class T, bool FLAT>
__global__ void __launch_bounds__(32 * EndsPlan::most_warps)
    shifted_ends(GtsvProblem p, EndsPlan plan, ShiftedMatrix<T> matrix, ShiftsOf<T> shifts, const uint8_t *open) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ uint64_t barriers[EndsPlan::most_warps];
    const int n = int(plan.n), lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    EndsRow<T> *const rows = reinterpret_cast<EndsRow<T> *>(shared_bytes);
    T *const tile = reinterpret_cast<T *>(shared_bytes + plan.row_bytes + warp * plan.tile_bytes);
    unsigned *const words = reinterpret_cast<unsigned *>(tile + 2 * plan.array) + lane;
    uint64_t *const barrier = barriers + warp;
    if (FLAT && lane == 0) TransferBarrier{barrier}.begin();
    const Real<T> *const scales = put_rows(matrix, plan.half, rows, reinterpret_cast<Real<T> *>(rows + n));
    wait_for_prerequisites();
    const int64_t step = int64_t(gridDim.x) * (blockDim.x / 32);
    unsigned parity = 0;
    for (int64_t unit = int64_t(blockIdx.x) * (blockDim.x / 32) + warp; unit < plan.units; unit += step) {
        const EndsTile<T, FLAT> w(p, plan, tile, unit, open);
        if (!w.any_open) continue;
        w.load(barrier);
        if (!FLAT && plan.prefetches && unit + step < plan.units) w.prefetch(unit + step);
        const int64_t j = w.j0 + w.sub;
        const T sigma = w.sub < w.there ? shifts.of(j) : T(0);
        w.finish_load(barrier, parity);
        parity ^= 1;
        EndsHalf<T, FLAT> mine(w, rows, scales, words, sigma, shifts.pins(sigma) && (w.is_last || n == 1));
        T x, further;
        mine.eliminate();
        mine.close(x, further);
        if (!mine.substitute(x, further)) mine.bad = min(mine.bad, not_finite);
        const int bad = min(mine.bad, __shfl_xor_sync(~0u, mine.bad, plan.systems));
        w.store();
        if (!p.info || !w.exists || w.is_last) continue;
        const int64_t row = bad == not_finite ? p.n : bad;
        if (shifts.sides == 1 && p.nrhs == 1)
            p.info[j] = bad == no_row ? 0 : info_of(row);
        else if (bad != no_row)
            report(p.info + divided(j, shifts.sides), row);
    }
}

}  // namespace xbatch::tridiagonal
