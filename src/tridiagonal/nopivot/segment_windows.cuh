// segment_windows.cuh: the unknowns on both sides of a cut through a long system, from a window of rows around the cut,
// and a certificate that the window suffices.
//
// A window of H rows on each side is eliminated to the two unknowns at the cut, which then depend on the unknowns
// outside the window through coefficients that decay with H. The window suffices if
//   (1) its rows are dominant by a margin, |dl_i| + |du_i| <= 15/16 |d_i|, and
//   (2) both coefficients are at most eps, the unit roundoff.
// (1) bounds all multipliers of the elimination, and the inverse of the window: rounding errors affect the two unknowns
// at most 16-fold. By (2) the omitted terms are at most 2 eps max |x|. Segments solved between such ends satisfy all
// rows except those at the cuts to working precision, and these to a few eps max |x| (|dl| + |d| + |du|): a small
// normwise backward error. Without pivoting the last unknowns of all segments are given, and max |x| is that of the
// solution if no unknown of a segment grows by more than its ends do, as in dominant systems. With pivoting only the
// unknowns outside a segment are given and its own ends are solved for, so that max |x| is that of the result itself,
// whatever the rows inside. The certificate depends on the matrix alone, not on the right-hand side.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/condition.hpp"
#include "core/launch.cuh"
#include "pscheme_kernels.cuh"
#include "segment_kernels.cuh"

namespace xbatch::tridiagonal {

// The unknowns before and behind a cut
template <class T>
struct AtCut {
    T last, first;
    bool is_dominant, is_enough;
};

// The contiguous rows of system j and right-hand side r; rows that do not exist become x = 0.
template <class T>
struct FlatRows {
    const T *dl, *d, *du, *b;
    int64_t n;

    __device__ FlatRows(const GtsvProblem &p, int64_t j, int64_t r) : n(p.n) {
        const int64_t a_at = p.a_at.base(j, 0), b_at = p.b_at.base(j, r);
        dl = static_cast<const T *>(p.dl) + a_at, d = static_cast<const T *>(p.d) + a_at;
        du = static_cast<const T *>(p.du) + a_at, b = static_cast<const T *>(p.b) + b_at;
    }
    template <int R>
    __device__ void get(int64_t row0, RowChunk<T, R> &v) const {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const int64_t row = row0 + i;
            const bool exists = row >= 0 && row < n;
            v.a[i] = exists && row > 0 ? dl[row] : T(0);
            v.b[i] = exists ? d[row] : T(1);
            v.c[i] = exists && row < n - 1 ? du[row] : T(0);
            v.d[i] = exists ? b[row] : T(0);
        }
    }
};

// Joins two adjacent runs of rows: eliminates the left's z from the equations of its x_first and the right's z. Returns
// false where a pivot is bad.
template <class T>
__device__ inline bool join(const Edges<T> &left, const Edges<T> &right, Edges<T> &both) {
    const T pivot = fnma(left.lc, right.fa, T(1)), inverse = fast_reciprocal(pivot);
    const T a = left.la * inverse, c = -(left.lc * right.fc * inverse), d = fnma(left.lc, right.fd, left.ld) * inverse;
    const T last_pivot = fnma(right.la, c, T(1)), last_inverse = fast_reciprocal(last_pivot);
    both = {fnma(left.fc, a, left.fa),      -(left.fc * c),          fnma(left.fc, d, left.fd),
            -(right.la * a * last_inverse), right.lc * last_inverse, fnma(right.la, d, right.ld) * last_inverse};
    return has_reciprocal(pivot) && has_reciprocal(last_pivot);
}

using xbatch::shuffled_down;
template <class T>
__device__ inline Edges<T> shuffled_down(const Edges<T> &e, int by) {
    return {shuffled_down(e.fa, by), shuffled_down(e.fc, by), shuffled_down(e.fd, by),
            shuffled_down(e.la, by), shuffled_down(e.lc, by), shuffled_down(e.ld, by)};
}

// By one warp, 16 lanes on each side of the cut before row `cut`, each with `pieces` consecutive groups of R rows; the
// result is in lane 0.
template <class T>
__device__ inline AtCut<T> solve_window(const FlatRows<T> &rows, int64_t cut, int pieces) {
    constexpr int R = 2;
    constexpr Real<T> room = Real<T>(15) / 16, eps = std::numeric_limits<Real<T>>::epsilon() / 2;
    const int lane = threadIdx.x % 32;
    bool is_fine = true;
    Edges<T> mine{};
#pragma unroll 1
    for (int q = 0; q < pieces; ++q) {
        RowChunk<T, R> v;
        rows.get(cut + int64_t((lane - 16) * pieces + q) * R, v);
#pragma unroll
        for (int i = 0; i < R; ++i) is_fine = is_fine && size_of(v.a[i]) + size_of(v.c[i]) <= room * size_of(v.b[i]);
        is_fine = precompute(v) == no_row && is_fine;
        const Edges<T> left = mine, right = edges_of(v);
        if (q == 0)
            mine = right;
        else
            is_fine = join(left, right, mine) && is_fine;
    }
#pragma unroll 1
    for (int s = 1; s < 16; s *= 2) {
        const Edges<T> left = mine, right = shuffled_down(mine, s);
        if (lane % (2 * s) == 0) is_fine = join(left, right, mine) && is_fine;
    }
    const Edges<T> behind = shuffled_down(mine, 16);
    const T pivot = fnma(mine.lc, behind.fa, T(1)), inverse = fast_reciprocal(pivot);
    const T last = fnma(mine.lc, behind.fd, mine.ld) * inverse, first = fnma(behind.fa, last, behind.fd);
    const bool decays = size_of(mine.la * inverse) <= eps && size_of(behind.fc * inverse) <= eps;  // in lane 0
    is_fine = __all_sync(0xffffffffu, is_fine);
    return {last, first, is_fine, is_fine && decays};
}

constexpr int window_threads = 128;

// One warp per cut of a system and right-hand side. Cuts has the number of a system's cuts and their rows, and stores
// the unknowns. `unresolved` of a system, initially 0, becomes 1 if any window does not suffice; its others are then
// skipped.
template <class T, class Cuts>
__global__ void __launch_bounds__(window_threads)
    solve_windows(GtsvProblem p, Cuts cuts, unsigned count, int32_t *unresolved) {
    const int near = 1, far = 4;  // 32 and 128 rows on each side
    const unsigned index = blockIdx.x * (window_threads / 32) + threadIdx.x / 32;
    trigger_dependents();
    if (index >= count) return;
    const unsigned unit = index / cuts.of_system, m = index - unit * cuts.of_system, nrhs = unsigned(p.nrhs);
    const int64_t j = unit / nrhs, r = unit - unit / nrhs * nrhs;
    const volatile int32_t *const seen = unresolved + j;
    if (__any_sync(0xffffffffu, *seen != 0)) return;
    const FlatRows<T> rows(p, j, r);
    AtCut<T> found = solve_window(rows, cuts.row(m), near);
    if (__any_sync(0xffffffffu, threadIdx.x % 32 == 0 && found.is_dominant && !found.is_enough))
        found = solve_window(rows, cuts.row(m), far);
    if (threadIdx.x % 32 != 0) return;
    if (found.is_enough)
        cuts.store(j, r, m, found);
    else if (*seen == 0)  // stores to one address are serialised
        unresolved[j] = 1;
}

// Windows are tried only where a second pass over the rows takes longer than a few launches.
inline bool has_windows(const GtsvProblem &p) { return p.n * p.batch * p.nrhs >= int64_t(1) << 19; }

template <class T, class Cuts>
xbatchStatus_t launch_windows(Context &context, const GtsvProblem &p, const Cuts &cuts, int32_t *unresolved) {
    const int64_t count = p.batch * p.nrhs * cuts.of_system;
    XBATCH_TRY(check_blocks(context, count));
    XBATCH_CUDA(context, cudaMemsetAsync(unresolved, 0, size_t(p.batch) * sizeof(int32_t), stream_of(context)));
    return Launch(context, (count - 1) / (window_threads / 32) + 1, window_threads)(
        solve_windows<T, Cuts>, "solve_windows", p, cuts, unsigned(count), unresolved);
}

}  // namespace xbatch::tridiagonal
