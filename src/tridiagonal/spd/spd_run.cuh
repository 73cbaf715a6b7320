// spd_run.cuh: runs of rows of a positive definite matrix that join, to find determinants and where a matrix fails.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scaled_product.hpp"
#include "spd_chunk.cuh"

namespace xbatch::tridiagonal {

// By a pivot, whose reciprocal makes the product NaN where it is not good
template <class R>
__device__ inline void multiply_pivot(ScaledProduct<R> &product, R pivot) {
    const int e = exponent_field(pivot) - BitsOf<R>::type::bias;
    const bool is_good = PositivePivot::is_good(pivot);
    multiply_normalised(product,
                        {is_good ? pivot * power_of_two<R>(-e) : std::numeric_limits<R>::quiet_NaN(), is_good ? e : 0});
}

// A run of neighbouring rows as a matrix M of its own. Only the moduli of e matter: a diagonal unitary scaling takes
// the phases away.
template <class R>
struct Run {
    R ff, ll, fl;  // entries of M^-1 for its first row, its last one, and between them
    R behind;      // |e| below the last row
    ScaledProduct<R> determinant;
};

// Take up the row below a run, of diagonal d and |e| below it: D_i = d_i - |e_{i-1}|^2 / D_{i-1}; with w_i = |e_0 …
// e_{i-1}| / (D_0 … D_{i-1}), ff is the sum of w_i^2 / D_i, ll = 1 / D_last, fl = w_last / D_last.
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

// Two neighbouring runs as one. What is eliminated between them has the pivot 1 - |e|^2 ll ff'; beside it there are
// only sums of positive terms.
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

// As first_bad_row, by all threads of a block, for a long matrix: a piece of rows each; where the pieces from the first
// on join to what is not positive definite is the piece to look into. runs [threads]. The row is thread 0's.
template <class T, int THREADS, class Problem>
__device__ inline int64_t first_bad_row_by_block(const Problem &p, int64_t j, int64_t met, Run<Real<T>> *runs) {
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
    return first_bad_row<T>(p, j, met, begin(q), before.behind * before.ll * before.behind);
}

}  // namespace xbatch::tridiagonal
