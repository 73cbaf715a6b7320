// refine.hpp: norm estimation, iterative refinement and error bounds as in LAPACK's expert drivers, for any solver.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "core/condition.hpp"
#include "row_rules.hpp"

namespace xbatch::lapack {

// LAPACK's machine parameters: the unit roundoff, and the smallest number whose inverse does not overflow
template <class R>
constexpr R roundoff = std::numeric_limits<R>::epsilon() / 2;
template <class R>
constexpr R safe_minimum = std::numeric_limits<R>::min();

template <class T>
int64_t largest_entry(int64_t n, const T *x) {
    int64_t at = 0;
    Real<T> largest = size_of(x[0]);
    for (int64_t i = 1; i < n; ++i)
        if (size_of(x[i]) > largest) at = i, largest = size_of(x[i]);
    return at;
}

// Estimates the 1-norm of a matrix from products: apply(x) and adjoint(x) multiply x in place. For a real matrix the
// estimate cannot increase once the signs repeat; `signs` then has n entries.
template <class T, class Apply, class Adjoint>
Real<T> estimate_norm(int64_t n, T *x, T *signs, Apply apply, Adjoint adjoint) {
    using R = Real<T>;
    const auto sum = [&] {
        R total = 0;
        for (int64_t i = 0; i < n; ++i) total += size_of(x[i]);
        return total;
    };
    const auto signs_repeat = [&] {
        if constexpr (std::is_floating_point_v<T>)
            return std::equal(x, x + n, signs, [](T a, T b) { return sign_of(a) == b; });
        return false;
    };
    std::fill_n(x, n, T(first_entry<R>(n)));
    apply(x);
    Estimate<R> estimate = first_estimate(sum());
    if (n == 1) return estimate.value;
    for (int turn = 0; turn < estimate_turns && !estimate.frozen; ++turn) {
        for (int64_t i = 0; i < n; ++i) x[i] = sign_of(x[i]);
        if constexpr (std::is_floating_point_v<T>) std::copy_n(x, n, signs);
        adjoint(x);
        const int64_t at = largest_entry(n, x);
        turn_to(estimate, size_of(x[at]), at, estimate.at >= 0 ? size_of(x[estimate.at]) : R(0));
        if (estimate.frozen) break;
        std::fill_n(x, n, T(0));
        x[at] = T(1);
        apply(x);
        raise(estimate, sum());
        if (signs_repeat()) break;
    }
    for (int64_t i = 0; i < n; ++i) x[i] = T(guard_entry<R>(i, n));
    apply(x);
    return final_estimate(estimate, sum(), n);
}

// Refines x, the solution for b; returns its componentwise backward error. On return `weights` bounds the entries of
// the residual including rounding, as in LAPACK.
//   residual(x, r, weights)   r = b - A x and weights = |b| + |A| |x|
//   solve(r)                  r becomes A^-1 r
template <class T, class Residual, class Solve>
Real<T> refine(int64_t n, T *x, T *r, Real<T> *weights, Residual residual, Solve solve) {
    using R = Real<T>;
    constexpr int most_steps = 5;
    constexpr R nonzeros = 4, safe1 = nonzeros * safe_minimum<R>, safe2 = safe1 / roundoff<R>;
    R error, last = 3;
    for (int step = 1;; ++step) {
        residual(x, r, weights);
        error = 0;
        for (int64_t i = 0; i < n; ++i) {
            const R guard = weights[i] > safe2 ? R(0) : safe1;
            error = std::max(error, (size_1(r[i]) + guard) / (weights[i] + guard));
        }
        if (!(error > roundoff<R> && 2 * error <= last && step <= most_steps)) break;
        solve(r);
        for (int64_t i = 0; i < n; ++i) x[i] = x[i] + r[i];
        last = error;
    }
    for (int64_t i = 0; i < n; ++i)
        weights[i] = size_1(r[i]) + nonzeros * roundoff<R> * weights[i] + (weights[i] > safe2 ? R(0) : safe1);
    return error;
}

// The error relative to the largest entry of x
template <class T>
Real<T> relative_to(int64_t n, const T *x, Real<T> error) {
    Real<T> largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, size_1(x[i]));
    return largest != 0 ? error / largest : error;
}

// Bounds the forward error: the norm of A^-1 times the weights that refine() computed
template <class T, class Solve, class Adjoint>
Real<T> forward_error(int64_t n, const T *x, T *r, T *signs, const Real<T> *weights, Solve solve, Adjoint adjoint) {
    const auto scale = [&](T *v) {
        for (int64_t i = 0; i < n; ++i) v[i] = v[i] * weights[i];
    };
    return relative_to(n, x,
                       estimate_norm(
                           n, r, signs, [&](T *v) { adjoint(v), scale(v); }, [&](T *v) { scale(v), solve(v); }));
}

// r = b - A x and weights = |b| + |A| |x| for a tridiagonal A with the entries below(i), on(i), above(i) in row i
template <class T, class Below, class On, class Above>
void tridiagonal_residual(int64_t n, const T *b, const T *x, T *r, Real<T> *weights, Below below, On on, Above above) {
    const auto row = [&](int64_t i, bool has_left, bool has_right) {
        T sum = b[i];
        Real<T> size = size_1(b[i]);
        if (has_left) sum = sum - below(i) * x[i - 1], size += size_1(below(i)) * size_1(x[i - 1]);
        sum = sum - on(i) * x[i], size += size_1(on(i)) * size_1(x[i]);
        if (has_right) sum = sum - above(i) * x[i + 1], size += size_1(above(i)) * size_1(x[i + 1]);
        r[i] = sum, weights[i] = size;
    };
    row(0, false, n > 1);
    for (int64_t i = 1; i < n - 1; ++i) row(i, true, true);
    if (n > 1) row(n - 1, true, false);
}

}  // namespace xbatch::lapack
