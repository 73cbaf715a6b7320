// expert_drivers.hpp: condition numbers, refinement and expert drivers (LAPACK's con, rfs and svx) for any tridiagonal
// factorisation.
//
// A Factorisation is a matrix A, its factors and an operation op. It provides
//   order(), is_singular()             of A; whether a pivot excludes a solve
//   norm()                             the 1-norm of op(A)
//   inverse_norm(work)                 that of its inverse, or an estimate of it
//   solve(x, ldx, nrhs)                op(A) X = B in place
//   residual(b, x, r, sizes)           r = b - op(A) x and sizes = |b| + |op(A)| |x|
//   forward_error(x, work)             a bound for the error of x, from the weights that refine() computes
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "refine.hpp"

namespace xbatch::lapack {

// The counterpart of solve_on_device(); Factors is LuFactors or LdlFactors.
template <class Factors>
void solve_on_host(typename Factors::Op op, const Factors &factors, typename Factors::Element *b, int64_t ldb,
                   int64_t nrhs) {
    factors.solve(op, b, ldb, nrhs);
}

// The caller's workspace; a routine that does not use an array leaves it NULL.
template <class T>
struct Workspace {
    T *r, *signs;
    Real<T> *weights;
};

// The right-hand sides, solutions and error bounds of a call
template <class T>
struct Solutions {
    int64_t count;
    const T *b;
    int64_t ldb;
    T *x;
    int64_t ldx;
    Real<T> *forward_error, *backward_error;
};

// The largest absolute column sum, where column i has the entries before[i-1], d[i] and after[i]; NaN if any sum is NaN
template <class D, class T>
Real<T> tridiagonal_norm(int64_t n, const T *before, const D *d, const T *after) {
    Real<T> largest = 0;
    for (int64_t i = 0; i < n; ++i) {
        Real<T> sum = size_of(d[i]);
        if (i > 0) sum += size_of(before[i - 1]);
        if (i + 1 < n) sum += size_of(after[i]);
        if (largest < sum || sum != sum) largest = sum;
    }
    return largest;
}

// The reciprocal condition number of op(A), whose 1-norm is `norm`
template <class Factorisation, class T>
Real<T> reciprocal_condition(const Factorisation &a, Real<T> norm, const Workspace<T> &work) {
    if (a.order() == 0) return 1;
    if (norm == 0 || a.is_singular()) return 0;
    const Real<T> inverse_norm = a.inverse_norm(work);
    return inverse_norm != 0 ? Real<T>(1) / inverse_norm / norm : Real<T>(0);
}

template <class Factorisation, class T>
void refine_columns(const Factorisation &a, const Solutions<T> &columns, const Workspace<T> &work) {
    for (int64_t k = 0; k < columns.count; ++k) {
        if (a.order() == 0) {
            columns.forward_error[k] = columns.backward_error[k] = 0;
            continue;
        }
        const T *const b = columns.b + k * columns.ldb;
        T *const x = columns.x + k * columns.ldx;
        columns.backward_error[k] = refine(
            a.order(), x, work.r, work.weights, [&](const T *at, T *r, Real<T> *sizes) { a.residual(b, at, r, sizes); },
            [&](T *r) { a.solve(r, 0, 1); });
        columns.forward_error[k] = a.forward_error(x, work);
    }
}

// factor() factors a copy of A and returns INFO, factorised() returns the Factorisation. The return value is INFO.
template <class Factor, class Factorised, class T>
int64_t expert_driver(bool is_factored, Factor factor, Factorised factorised, const Solutions<T> &columns,
                      Real<T> *rcond, const Workspace<T> &work) {
    if (!is_factored) {
        const int64_t zero_pivot = factor();
        if (zero_pivot > 0) {
            *rcond = 0;
            return zero_pivot;
        }
    }
    const auto a = factorised();
    *rcond = reciprocal_condition(a, a.norm(), work);
    for (int64_t k = 0; k < columns.count; ++k)
        std::copy_n(columns.b + k * columns.ldb, a.order(), columns.x + k * columns.ldx);
    a.solve(columns.x, columns.ldx, columns.count);
    refine_columns(a, columns, work);
    return *rcond < roundoff<Real<T>> ? a.order() + 1 : 0;
}

}  // namespace xbatch::lapack
