// condition.hpp: the steps of Higham's condition estimator between the solves, for one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "scalar.hpp"

namespace xbatch {

// Higham's estimator maximises f(x) = ||A^-1 x||_1 over the vectors ||x||_1 <= 1. It alternates solves with A, which
// give f(x) and the signs of A^-1 x, and with A^H, whose largest entry selects the next unit vector. It has converged
// when f no longer grows; a last vector of alternating signs guards against matrices that mislead it. All matrices of a
// batch take the same number of iterations: a converged estimate is frozen, whatever its vector still holds.
constexpr int estimate_turns = 5;

template <class R>
struct Estimate {
    R value;     // of ||A^-1||_1 so far
    int64_t at;  // the unit vector in use, -1 before there is one
    bool frozen;
};

// Entry i of the first vector
template <class R>
XBATCH_HD inline R first_entry(int64_t n) {
    return R(1) / R(n);
}
// Entry i of the vector of alternating signs
template <class R>
XBATCH_HD inline R guard_entry(int64_t i, int64_t n) {
    const R size = R(1) + (n == 1 ? R(0) : R(i) / R(n - 1));
    return i % 2 == 0 ? size : -size;
}

// |x|
XBATCH_HD inline float size_of(float x) { return fabsf(x); }
XBATCH_HD inline double size_of(double x) { return fabs(x); }
// x is scaled by a power of two before it is squared.
template <class R>
XBATCH_HD inline int scaling_exponent(Complex<R> x) {
    using B = typename BitsOf<R>::type;
    const int field = exponent_field(x.re), other = exponent_field(x.im), larger = field > other ? field : other;
    return larger < 1 ? 1 - B::bias : (larger > 2 * B::bias - 1 ? B::bias - 1 : larger - B::bias);
}
template <class R>
XBATCH_HD inline R size_of(Complex<R> x) {
    const int e = scaling_exponent(x);
    const R f = power_of_two<R>(-e), re = x.re * f, im = x.im * f;
    return std::sqrt(re * re + im * im) * power_of_two<R>(e);
}
// The sign of an entry of A^-1 x; if complex, x / |x|
XBATCH_HD inline float sign_of(float x) { return x < 0 ? -1.0f : 1.0f; }
XBATCH_HD inline double sign_of(double x) { return x < 0 ? -1.0 : 1.0; }
template <class R>
XBATCH_HD inline Complex<R> sign_of(Complex<R> x) {
    const R f = power_of_two<R>(-scaling_exponent(x)), re = x.re * f, im = x.im * f;
    const R size = std::sqrt(re * re + im * im);
    const bool has_sign = size > 0;
    return {has_sign ? re / size : R(1), has_sign ? im / size : R(0)};
}

// After the first solve with A: sum is ||A^-1 x||_1.
template <class R>
XBATCH_HD inline Estimate<R> first_estimate(R sum) {
    return {sum, -1, !(sum <= std::numeric_limits<R>::max())};
}
// After a solve with A^H: the largest modulus of the solution is in row `largest_at`; `size_at` is that of row
// estimate.at.
template <class R>
XBATCH_HD inline void turn_to(Estimate<R> &estimate, R largest, int64_t largest_at, R size_at) {
    if (estimate.frozen) return;
    if (estimate.at >= 0 && !(largest > size_at))
        estimate.frozen = true;
    else
        estimate.at = largest_at;
}
// After a later solve with A
template <class R>
XBATCH_HD inline void raise(Estimate<R> &estimate, R sum) {
    if (estimate.frozen) return;
    if (sum > estimate.value)
        estimate.value = sum;
    else
        estimate.frozen = true;
}
// After the solve for the vector of alternating signs
template <class R>
XBATCH_HD inline R final_estimate(const Estimate<R> &estimate, R sum, int64_t n) {
    const R guard = R(2) * (sum / R(3) / R(n));
    return guard > estimate.value ? guard : estimate.value;
}

// 0 if the factorisation failed (norm NaN), or if the inverse exceeds the range of the type
template <class R>
XBATCH_HD inline R reciprocal_condition(R norm, R inverse_norm) {
    const R rcond = R(1) / inverse_norm / norm;
    return rcond <= std::numeric_limits<R>::max() ? rcond : R(0);
}

}  // namespace xbatch
