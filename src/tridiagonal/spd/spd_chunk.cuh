// spd_chunk.cuh: the rows of a positive definite system in a thread's registers, and the row that info tells of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/nopivot/row_chunk.cuh"

namespace xbatch::tridiagonal {

// How an element is read: one that may be met again, by another right-hand side or system, and one that is not.
struct ReadAgain {
    template <class T>
    __device__ T operator()(const T *a) const {
        return *a;
    }
};
struct ReadOnce {
    template <class T>
    __device__ T operator()(const T *a) const {
        return load_once(a);
    }
};

// One array of the tile into registers, in the order of memory.
template <class T, class V, int R, bool FLAT, class Read>
__device__ inline void fetch(const T *array, const Track &at, const Reach<R, FLAT> &reach, Read read, V (&v)[R]) {
    if (reach.is_run(at)) {
        const int64_t first = reach.run_offset(at, 0), step = FLAT ? 32 : at.step;
        reach.each([&](int r) { v[r] = read(array + first + r * step); });
        return;
    }
    if (!FLAT) {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r < reach.own) v[r] = read(array + at.at + r * at.step);
        return;
    }
    // As Reach::find, with one division in place of R: a step leads 32 rows on.
    const int lane = threadIdx.x % 32, beyond = reach.row0 + lane, rows = reach.rows, whole = 32 / rows;
    int system = reach.system0 + beyond / rows, row = beyond % rows;
#pragma unroll
    for (int r = 0; r < R; ++r) {
        if (r * 32 + lane < reach.count) v[r] = read(array + reach.offset(at, system, row));
        system += whole, row += 32 - whole * rows;
        if (row >= rows) row -= rows, ++system;
    }
}

// Read a chunk: e_i lies in two rows, above the diagonal of row i and below that of row i+1. The e before a chunk is
// that of the chunk before; where another warp has that, it is read once more. Rows that do not exist become x = 0.
template <class T, int R, bool FLAT>
__device__ inline void load(const PtsvProblem &p, const Reach<R, FLAT> &reach, const Tracks &at, Seat seat,
                            int64_t row0, T *stage, RowChunk<T, R> &v) {
    using D = Real<T>;
    const T *const e = static_cast<const T *>(p.e);
    const bool continues = reach.own > 0 && row0 + seat.k > 0, alone = !FLAT || threadIdx.x % 32 == 0;
    D d[R];
    fetch(static_cast<const D *>(p.d), at.a, reach, ReadAgain(), d);
    fetch(e, at.a, reach, ReadAgain(), v.c);
    fetch(static_cast<const T *>(p.b), at.b, reach, ReadOnce(), v.d);
    T before = T(0);
    if (continues && alone) before = e[Reach<R, FLAT>::offset(at.a, seat.sub, (FLAT ? seat.k * R : 0) - 1)];
    to_chunk(reinterpret_cast<D *>(stage), reach, D(1), d);
    to_chunk(stage, reach, T(0), v.c);
    to_chunk(stage, reach, T(0), v.d);
    if (FLAT) {
        const T beside = shuffled_up(v.c[R - 1]);
        if (continues && !alone) before = beside;
    }
    const int last = int(min(p.n - 1 - row0, int64_t(INT_MAX))) - seat.k * R;  // n-1 counted from the chunk's first row
#pragma unroll
    for (int r = 0; r < R; ++r) {
        v.a[r] = r > 0 ? v.c[r > 0 ? r - 1 : 0] : before;
        v.b[r] = T(d[r]);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) v.c[r] = r < last ? conjugate(v.c[r]) : T(0);
    if (last < R - 1) {
#pragma unroll
        for (int r = 1; r < R; ++r)
            if (r > last) v.a[r] = T(0);
    }
}

// The first row whose pivot is bad when matrix j is eliminated from row 0 on, as LAPACK does; where only another order
// of elimination met a bad pivot, and rounding decides, the row `met`. By one thread, for the few matrices that are not
// positive definite. The search may begin at row `from`, with what the rows before take from that one's diagonal.
template <class T, class Problem>
__device__ inline int64_t first_bad_row(const Problem &p, int64_t j, int64_t met, int64_t from = 0, Real<T> taken = 0) {
    constexpr int ahead = 8;  // rows that are read together
    const int64_t first = p.a_at.base(j, 0), step = p.a_at.step, n = p.n;
    const Real<T> *const d = static_cast<const Real<T> *>(p.d) + first;
    const T *const e = static_cast<const T *>(p.e) + first;
    for (int64_t i = from; i < n; i += ahead) {
        Real<T> on[ahead];
        T below[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const int64_t row = min(i + k, n - 1) * step;
            on[k] = d[row], below[k] = e[row];
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const Real<T> pivot = on[k] - taken;
            if (i + k < n && !PositivePivot::is_good(pivot)) return i + k;
            taken = inner(below[k] * fast_reciprocal(pivot), below[k]);
        }
    }
    return min(met, n - 1);
}

template <class T>
__device__ inline int64_t row_to_tell(const PtsvProblem &p, int64_t j, int64_t met) {
    return first_bad_row<T>(p, j, met);
}

}  // namespace xbatch::tridiagonal
