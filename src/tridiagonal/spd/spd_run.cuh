// spd_run.cuh: determinant and first bad pivot of a positive definite matrix, from runs of its rows and their join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scaled_product.hpp"
#include "spd_chunk.cuh"

namespace xbatch::tridiagonal {

// By a pivot; a bad one makes the product NaN.
template <class R>
__device__ inline void multiply_pivot(ScaledProduct<R> &product, R pivot) {
    const int e = exponent_field(pivot) - BitsOf<R>::type::bias;
    const bool is_good = PositivePivot::is_good(pivot);
    multiply_normalised(product,
                        {is_good ? pivot * power_of_two<R>(-e) : std::numeric_limits<R>::quiet_NaN(), is_good ? e : 0});
}

// A run of adjacent rows as a matrix M. Only the moduli of e matter: a diagonal unitary scaling removes the phases.
template <class R>
struct Run {
    R ff, ll, fl;  // entries (first, first), (last, last), (first, last) of M^-1
    R behind;      // |e| below the last row
    ScaledProduct<R> determinant;
};

// Extends a run by the row below it, with diagonal d and |e| below that: D_i = d_i - |e_{i-1}|^2 / D_{i-1}; with w_i =
// |e_0 … e_{i-1}| / (D_0 … D_{i-1}), ff is the sum of w_i^2 / D_i, ll = 1 / D_last, fl = w_last / D_last.
template <class T>
__device__ inline void absorb(Run<T> &run, bool is_first, T d, T e) {
    const T before = is_first ? T(0) : run.behind, w = is_first ? T(1) : run.fl * run.behind;
    const T pivot = fnma(before, before * run.ll, d);
    multiply_pivot(run.determinant, pivot);
    run.ll = fast_reciprocal(pivot);
    run.fl = w * run.ll;
    run.ff = fma_(w, run.fl, run.ff);
    run.behind = e;
}
template <class T>
__device__ inline Run<T> empty_run() {
    return {T(0), T(0), T(0), T(0), {T(1), 0}};
}

// Joins two adjacent runs. The pivot between them is 1 - |e|^2 ll ff'; all else are sums of positive terms.
template <class T>
__device__ inline Run<T> joined(const Run<T> &left, const Run<T> &right) {
    const T e = left.behind, t = e * left.fl, u = e * right.fl;
    const T pivot = fnma(e * left.ll, e * right.ff, T(1)), inverse = fast_reciprocal(pivot);
    Run<T> both{fma_(t, t * right.ff * inverse, left.ff), fma_(u, u * left.ll * inverse, right.ll),
                t * right.fl * inverse, right.behind, left.determinant};
    multiply_normalised(both.determinant, right.determinant);
    multiply_pivot(both.determinant, pivot);
    return both;
}

__device__ inline float modulus(float e) { return fabsf(e); }
__device__ inline double modulus(double e) { return fabs(e); }
__device__ inline float modulus(Complex<float> e) { return hypotf(e.re, e.im); }
__device__ inline double modulus(Complex<double> e) { return hypot(e.re, e.im); }

// As first_bad_row, by all threads of a block, for a long matrix: each thread eliminates a piece of rows. The row is in
// the first piece whose join with all before it is not positive definite. runs [threads]. Thread 0 returns the row.
template <class T, int THREADS, class Problem>
__device__ inline int64_t first_bad_row_by_block(const Problem &p, int64_t j, int64_t found, Run<Real<T>> *runs) {
    using D = Real<T>;
    const int k = threadIdx.x, pieces = int(min(p.n, int64_t(THREADS)));
    const auto begin = [&](int q) { return p.n * q / pieces; };
    const int64_t first = p.a_at.base(j, 0), step = p.a_at.step;
    Run<D> run = empty_run<D>();
    if (k < pieces)
        for (int64_t i = begin(k); i < begin(k + 1); ++i) {
            const int64_t at = first + i * step;
            absorb(run, i == begin(k), static_cast<const D *>(p.d)[at], modulus(static_cast<const T *>(p.e)[at]));
        }
    __syncthreads();
    runs[k] = run;
    __syncthreads();
    if (k > 0) return 0;
    Run<D> before = empty_run<D>();
    int q = 0;
    for (; q < pieces; ++q) {
        const Run<D> next = q == 0 ? runs[0] : joined(before, runs[q]);
        if (!(next.determinant.mantissa > 0)) break;
        before = next;
    }
    return first_bad_row<T>(p.d, p.e, p.a_at, p.n, j, found, begin(q), before.behind * before.ll * before.behind);
}

}  // namespace xbatch::tridiagonal
