// gttrf_kernels.cuh: determinants, norms and bad pivots of a batch of matrices, from pieces of rows joined in a tree.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "determinant.cuh"
#include "stored_matrices.hpp"
#include "tridiagonal/nopivot/row_info.cuh"

namespace xbatch::tridiagonal {

constexpr int gttrf_threads = 128;

// The levels of the tree of one matrix: pieces of its rows, groups of these, …, each level divided evenly among the
// items of the next; the last level has at most one group. `spans` of a level is [batch][counts].
template <class T>
struct SpanLevels {
    static constexpr int most = 8, group = 8;
    Span<T> *spans[most];
    int64_t counts[most];
    int count;

    __device__ const Span<T> *of(int level, int64_t j) const { return spans[level] + j * counts[level]; }
    // The first span of the level below that belongs to span q of a level
    __device__ int64_t below(int level, int64_t q) const { return counts[level - 1] * q / counts[level]; }
};

template <class T>
struct GttrfResults {
    Real<T> *logdet;
    T *sign;
    int32_t *info;
    Real<T> *norms[2];
};

// The arguments of all kernels
template <class T>
struct GttrfJob {
    const T *dl, *d, *du;
    Placement at;
    int64_t n, batch;
    SpanLevels<T> levels;
    GttrfResults<T> results;

    __device__ MatrixRows<T> rows(int64_t j) const {
        const int64_t base = at.base(j, 0);
        return {dl + base, d + base, du + base, at.step, n};
    }
    // First row of piece q
    __device__ int64_t row_of(int64_t q) const { return n * q / levels.counts[0]; }
};

// LAPACK's first bad pivot: searches down the levels for the first piece after which elimination is not sound, then row
// by row. If by rounding only one of the two eliminations fails, a row nearby.
template <class T>
__device__ BadPivot find_bad_pivot(const GttrfJob<T> &job, int64_t j) {
    const SpanLevels<T> &levels = job.levels;
    const MatrixRows<T> rows = job.rows(j);
    Span<T> before;  // all spans that were sound
    bool is_empty = true;
    int64_t q = 0, end = levels.counts[levels.count - 1];
    for (int level = levels.count - 1; levels.counts[0] > 1; --level) {
        for (; q < end; ++q) {
            Span<T> all = is_empty ? levels.of(level, j)[q] : before;
            if (!is_empty) join(all, levels.of(level, j)[q]);
            if (!is_sound(all)) break;
            before = all, is_empty = false;
        }
        if (level == 0) break;
        end = levels.below(level, q < end ? q + 1 : q), q = levels.below(level, q);
    }
    // A NaN may appear up to two rows later.
    const int64_t row = job.row_of(q), last = min(job.row_of(q < end ? q + 1 : q) + 2, rows.n);
    if (!is_empty) return first_bad_pivot(rows, held_of(before.run), row, last);
    MatrixRow<T> first = rows[0];
    equilibrate(first);
    return first_bad_pivot(rows, {T(0), first.b, first.c, false}, 1, last);
}

__device__ inline float unit_of(float a) { return copysignf(1.0f, a); }
__device__ inline double unit_of(double a) { return copysign(1.0, a); }
template <class R>
__device__ inline Complex<R> unit_of(Complex<R> a) {
    const R size = size_of(a);
    return {a.re / size, a.im / size};
}

// Writes the results of matrix j, all of whose rows are in the span.
template <class T>
__device__ inline void report_matrix(const GttrfJob<T> &job, int64_t j, Span<T> all) {
    using R = Real<T>;
    constexpr R nan = std::numeric_limits<R>::quiet_NaN(), infinity = std::numeric_limits<R>::infinity();
    const GttrfResults<T> &to = job.results;
    finish(all);
    BadPivot bad = {-1, true};
    if (!all.is_fine) bad = find_bad_pivot(job, j);
    const T mantissa = all.product.mantissa;
    const R log = log_of(size_of(mantissa), all.product.exponent);
    for (int norm = 0; norm < 2; ++norm) to.norms[norm][j] = all.is_fine ? all.norms[norm] : nan;
    if (to.info) to.info[j] = all.is_fine ? 0 : info_of(bad.row);
    if (to.logdet) to.logdet[j] = all.is_fine ? log : bad.is_finite ? -infinity : nan;
    if (to.sign) to.sign[j] = all.is_fine ? unit_of(mantissa) : T(bad.is_finite ? R(0) : nan);
}

// One piece per thread. Adjacent lanes have adjacent pieces if FLAT, else adjacent matrices.
template <class T>
__global__ void __launch_bounds__(gttrf_threads) gttrf_pieces(GttrfJob<T> job) {
    const int64_t id = int64_t(blockIdx.x) * gttrf_threads + threadIdx.x, pieces = job.levels.counts[0];
    if (id >= job.batch * pieces) return;
    const bool flat = job.at.layout == XBATCH_LAYOUT_FLAT;
    const int64_t j = flat ? id / pieces : id % job.batch, q = flat ? id % pieces : id / job.batch;
    const Span<T> span = span_of(job.rows(j), job.row_of(q), job.row_of(q + 1));
    if (pieces == 1)
        report_matrix(job, j, span);
    else
        job.levels.spans[0][j * pieces + q] = span;
}

// One group of spans per thread, which gives a span of the next level or, at the top, the results of the matrix.
template <class T>
__global__ void __launch_bounds__(gttrf_threads) gttrf_join(GttrfJob<T> job, int level) {
    const SpanLevels<T> &levels = job.levels;
    const bool is_top = level + 1 == levels.count;
    const int64_t id = int64_t(blockIdx.x) * gttrf_threads + threadIdx.x;
    const int64_t groups = is_top ? 1 : levels.counts[level + 1];
    if (id >= job.batch * groups) return;
    const int64_t j = id / groups, g = id % groups;
    const int64_t begin = is_top ? 0 : levels.below(level + 1, g);
    const int64_t end = is_top ? levels.counts[level] : levels.below(level + 1, g + 1);
    Span<T> all = levels.of(level, j)[begin];
    for (int64_t q = begin + 1; q < end; ++q) join(all, levels.of(level, j)[q]);
    if (is_top)
        report_matrix(job, j, all);
    else
        levels.spans[level + 1][id] = all;
}

}  // namespace xbatch::tridiagonal
