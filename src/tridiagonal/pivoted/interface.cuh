// interface.cuh: elimination with pivoting of a run of rows to its two interface equations, and the composition of the
// interface equations of adjacent runs (partition method, SPIKE).
//
// The interface equations of a run couple two pairs of unknowns: the one on the boundary to the run before, (x_before,
// x_first), and the one on the boundary to the run behind, (x_last, x_behind). Rows are scaled by powers of two. Within
// a run this is Gaussian elimination of a matrix whose first two columns are last in elimination order: partial
// pivoting ignores them and lets them grow as 1.6^rows, so pivots are chosen by pivot_weight. To join runs, partial
// pivoting suffices. A zero pivot proves that the matrix is singular, wherever runs begin.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "tridiagonal/sides.cuh"

namespace xbatch::tridiagonal {

// l0 x_before + l1 x_first + p x_last + q x_behind = g; x_first and x_last are the first and last unknown of the run.
// G are right-hand sides, or unknowns, of one system or of several with the same matrix (sides.cuh).
template <class T, class G = T>
struct InterfaceRow {
    T l0, l1, p, q;
    G g;
};
template <class T, class G = T>
struct InterfaceEquations {
    InterfaceRow<T, G> a, b;
};

// What a right-hand side needs in order to follow the elimination of one unknown of a run: which of three rows is the
// pivot row, its inverse pivot, and the coefficients of the unknown in the other two, by which these are multiplied.
template <class T>
struct PivotStep {
    T inverse, f1, f2;
    bool second, is_new;
};

// A pivot row of a run, divided by its pivot, which is the coefficient of x_i:
// x_i = g - l1 x_first - q x_{i+1} - s (from_behind ? x_{i+2} : x_before). If s is of x_{i+2}, l1 = 0.
template <class T, class G = T>
struct Pivot {
    T s, l1, q;
    G g;
    bool from_behind, is_fine;
    T pivot;
    bool is_odd;  // the determinant is -pivot times that of the remaining rows, else pivot times it
    PivotStep<T> step;
};

// The same for the join of two runs, which eliminates both unknowns between them (compose)
template <class T>
struct JoinStep {
    T fl, fr, fo, inverse, fa, fb, inverse2;
    bool s, w, t, is_y, is_z;
};

// The pair (u, v) between two joined runs, in terms of the pairs outside both: with left = (x_before, x_first) of the
// left run and right = (x_last, x_behind) of the right one,
//   v = h - f . left - k . right,  u = g - q v - e . (from_right ? right : left).
template <class T, class G = T>
struct Middle {
    T e0, e1, q, f0, f1, k0, k1;
    G g, h;
    bool from_right, is_fine;
    T pivots[2];
    bool is_odd;  // as in Pivot
    JoinStep<T> step;
};

template <class T, class G>
__device__ inline InterfaceRow<T, G> pick(bool first, const InterfaceRow<T, G> &a, const InterfaceRow<T, G> &b) {
    return {pick(first, a.l0, b.l0), pick(first, a.l1, b.l1), pick(first, a.p, b.p), pick(first, a.q, b.q),
            pick(first, a.g, b.g)};
}

// The modulus by which pivots are compared. Of a double the upper half suffices, read as a float, which has the same
// order.
__device__ inline float weight(float a) { return fabsf(a); }
__device__ inline float weight(double a) { return fabsf(__int_as_float(__double2hiint(a))); }
template <class R>
__device__ inline float weight(Complex<R> a) {
    return fmaxf(weight(a.re), weight(a.im));
}
template <class T>
__device__ inline bool heavier(T a, T b) {
    return weight(a) > weight(b);
}

// Whether a has a reciprocal: it is finite and not below the normal numbers. The upper half of a double is a NaN, read
// as a float, for Inf, NaN and numbers beyond what scaled rows reach.
__device__ inline bool is_finite_weight(float a) { return weight(a) <= 3.402823466e38f; }
__device__ inline bool is_finite_weight(double a) { return weight(a) >= 0; }
__device__ inline bool is_normal_weight(float a) { return weight(a) >= __int_as_float(1 << 23); }
__device__ inline bool is_normal_weight(double a) { return weight(a) >= __int_as_float(1 << 20); }
template <class R>
__device__ inline bool is_pivot(R a) {
    return is_normal_weight(a) && is_finite_weight(a);
}
template <class R>
__device__ inline bool is_pivot(Complex<R> a) {
    return (is_normal_weight(a.re) || is_normal_weight(a.im)) && is_finite_weight(a.re) && is_finite_weight(a.im);
}

// Sign, exponent and the leading bits of the fraction, in 32 bits
__device__ inline int upper(float a) { return __float_as_int(a); }
__device__ inline int upper(double a) { return __double2hiint(a); }
template <class R>
__device__ inline int upper_magnitude(R a) {
    return upper(a) & 0x7fffffff;
}
template <class R>
__device__ inline int upper_magnitude(Complex<R> a) {
    return max(upper_magnitude(a.re), upper_magnitude(a.im));
}
__device__ inline float with_upper(float, int bits) { return __int_as_float(bits); }
__device__ inline double with_upper(double, int bits) { return __hiloint2double(bits, 0); }

template <class R>
__device__ inline R conjugated(R a, bool) {
    return a;
}
template <class R>
__device__ inline Complex<R> conjugated(Complex<R> a, bool is_conjugated) {
    return {a.re, is_conjugated ? -a.im : a.im};
}

// The power of two that scales a row's largest coefficient into [1, 2), limited to normal numbers
template <class T>
__device__ inline Real<T> row_scale(T a, T b, T c) {
    using R = Real<T>;
    constexpr int fraction = sizeof(R) == 4 ? 23 : 20, least = 1 << fraction;
    constexpr int exponents = 0x7fffffff & ~(least - 1), most = exponents - least;
    const int largest = max(max(upper_magnitude(a), upper_magnitude(b)), upper_magnitude(c)) & exponents;
    return with_upper(R(0), max(most - largest, least));
}
template <class T, class G>
__device__ inline Real<T> equilibrate(T &a, T &b, T &c, G &d, bool is_conjugated) {
    const Real<T> s = row_scale(a, b, c);
    a = scaled(conjugated(a, is_conjugated), s), b = scaled(conjugated(b, is_conjugated), s);
    c = scaled(conjugated(c, is_conjugated), s), d = scaled(d, s);
    return s;
}

// Upper halves of the largest coefficients of x_before and x_first in the first two rows of a run
struct LeftSizes {
    int before, first;
};
template <class T, class G>
__device__ inline LeftSizes left_sizes(const InterfaceEquations<T, G> &two) {
    return {upper_magnitude(two.a.l0), max(upper_magnitude(two.a.l1), upper_magnitude(two.b.l1))};
}

// One power of two in the upper 32 bits
template <class T>
constexpr int binade = sizeof(Real<T>) == 4 ? 1 << 23 : 1 << 20;

// has_reciprocal() by integers alone
template <class T>
__device__ inline bool is_good_pivot(T a) {
    constexpr int least = binade<T>, beyond = (2 * BitsOf<Real<T>>::type::bias - 1) * least;
    return unsigned(upper_magnitude(a) - least) < unsigned(beyond - least);
}

// The same for a pivot that is positive, too
template <class R>
__device__ inline bool is_good_positive(R a) {
    constexpr int least = binade<R>, beyond = (2 * BitsOf<R>::type::bias - 1) * least;
    return unsigned(upper(a) - least) < unsigned(beyond - least);
}

// The weight of a pivot candidate in a run: |p| / sqrt(m), where m >= 1 is the growth of the coefficients l0, l1 of the
// candidate's row relative to those sizes. As approximate logarithms to base 2, in units of binade<T>.
//
// The candidate of largest weight is the pivot; m of a new row is 1. A remaining row, s - f pivot, then has m of at
// most m_s + sqrt(m_s m_pivot): rows that have grown become pivots early, and add little to others. With the weight
// |p|, left coefficients grow as 1.6^rows; with |p| / m in proportion to the rows of a run, for some matrices
// exponentially too. docs/pivoting.md has what was measured. Without growth it is partial pivoting, hence independent
// of the units of the unknowns.
template <class T, class G>
__device__ inline int pivot_weight(const InterfaceRow<T, G> &row, LeftSizes left) {
    const int growth = max(max(upper_magnitude(row.l0) - left.before, upper_magnitude(row.l1) - left.first), 0);
    return upper_magnitude(row.p) - (growth >> 1);
}

// The interface equations of two rows (a, b, c | d): x_first and x_last are their diagonal unknowns.
template <class T, class G>
__device__ inline InterfaceEquations<T, G> two_rows(T a0, T b0, T c0, G d0, T a1, T b1, T c1, G d1) {
    return {{a0, b0, c0, T(0), d0}, {T(0), a1, b1, c1, d1}};
}

// The right-hand sides a, b of a run follow its extension by a row with right-hand side d; returns g of the pivot row.
template <class T, class G>
__device__ inline G follow(const PivotStep<T> &step, G &a, G &b, const G &d) {
    const G lead = pick(step.second, b, a), rest = pick(step.second, a, b);
    const G g = pick(step.is_new, d, lead) * step.inverse, other = pick(step.is_new, lead, d);
    a = fnma(step.f1, g, rest), b = fnma(step.f2, g, other);
    return g;
}

// Extends a run by the scaled row (a, b, c | d) behind it, and eliminates its last unknown by the pivot row, which is
// divided first: rounded multipliers add errors to waiting rows. `left` is left_sizes of the run's first two rows.
template <class T, class G>
__device__ inline Pivot<T, G> absorb(InterfaceEquations<T, G> &run, LeftSizes left, T a, T b, T c, const G &d) {
    const int weight_a = pivot_weight(run.a, left), weight_b = pivot_weight(run.b, left);
    const bool second = weight_b > weight_a, is_new = upper_magnitude(a) > max(weight_a, weight_b);
    const InterfaceRow<T, G> lead = pick(second, run.b, run.a), rest = pick(second, run.a, run.b);
    const T pivot = pick(is_new, a, lead.p), f1 = rest.p, f2 = pick(is_new, lead.p, a);
    const T inverse = fast_reciprocal(pivot);
    const T s = pick(is_new, c, lead.l0) * inverse, l1 = pick(is_new, T(0), lead.l1) * inverse;
    const T q = pick(is_new, b, lead.q) * inverse, other_q = pick(is_new, lead.q, b);
    const PivotStep<T> step = {inverse, f1, f2, second, is_new};
    G g_a = run.a.g, g_b = run.b.g;
    const G g = follow(step, g_a, g_b, d);
    // s is of x_before or, if is_new, of x_{i+2}.
    const T s_of_1 = fnma(f1, s, pick(is_new, T(0), rest.l0)), s_of_2 = -(f2 * s);
    run.a = {pick(is_new, rest.l0, s_of_1), fnma(f1, l1, rest.l1), fnma(f1, q, rest.q), pick(is_new, s_of_1, T(0)),
             g_a};
    run.b = {pick(is_new, lead.l0, s_of_2), pick(is_new, lead.l1, -(f2 * l1)), fnma(f2, q, other_q),
             pick(is_new, s_of_2, c), g_b};
    return {s, l1, q, g, is_new, is_pivot(pivot), pivot, second == is_new, step};
}

// A row of a composition, in the left pair, v of the middle pair, and the right pair
template <class T>
struct SpanRow {
    T f0, f1, v, k0, k1;
};
template <class T>
__device__ inline SpanRow<T> pick(bool first, const SpanRow<T> &a, const SpanRow<T> &b) {
    return {pick(first, a.f0, b.f0), pick(first, a.f1, b.f1), pick(first, a.v, b.v), pick(first, a.k0, b.k0),
            pick(first, a.k1, b.k1)};
}
template <class T, class G>
__device__ inline InterfaceRow<T, G> without(const SpanRow<T> &pivot, T factor, const SpanRow<T> &row, const G &g) {
    return {fnma(factor, pivot.f0, row.f0), fnma(factor, pivot.f1, row.f1), fnma(factor, pivot.k0, row.k0),
            fnma(factor, pivot.k1, row.k1), g};
}

// Right-hand sides of two equations each, or g and h of a middle pair
template <class G>
struct RightSides {
    G a, b;
};

// The right-hand sides of two runs follow their join: `left` becomes those of both. Returns g and h of the middle pair.
template <class T, class G>
__device__ inline RightSides<G> follow(const JoinStep<T> &step, RightSides<G> &left, const RightSides<G> &right) {
    const G l1 = pick(step.s, left.b, left.a), l2 = pick(step.s, left.a, left.b);
    const G r1 = pick(step.w, right.b, right.a), r2 = pick(step.w, right.a, right.b);
    const G g = pick(step.t, r1, l1), other = pick(step.t, l1, r1);
    const G x = fnma(step.fl, g, l2), y = fnma(step.fr, g, r2), z = fnma(step.fo, g, other);
    const G second = pick(step.is_z, z, pick(step.is_y, y, x));
    const G a = pick(!step.is_z && !step.is_y, z, x), b = pick(!step.is_z && step.is_y, z, y);
    left = {fnma(step.fa, second, a), fnma(step.fb, second, b)};
    return {g * step.inverse, second * step.inverse2};
}

// Joins two adjacent runs; `left` becomes both. u is eliminated by the row of largest weight of four, v of the
// remaining three.
template <class T, class G>
__device__ inline Middle<T, G> compose(InterfaceEquations<T, G> &left, const InterfaceEquations<T, G> &right) {
    const bool s = heavier(left.b.p, left.a.p), w = heavier(right.b.l0, right.a.l0);
    const InterfaceRow<T, G> l1 = pick(s, left.b, left.a), l2 = pick(s, left.a, left.b);
    const InterfaceRow<T, G> r1 = pick(w, right.b, right.a), r2 = pick(w, right.a, right.b);
    const bool t = heavier(r1.l0, l1.p);
    const T pivot = pick(t, r1.l0, l1.p), other = pick(t, l1.p, r1.l0);
    const T q = pick(t, r1.l1, l1.q), other_q = pick(t, l1.q, r1.l1);
    const T inverse = fast_reciprocal(pivot), fl = l2.p * inverse, fr = r2.l0 * inverse, fo = other * inverse;
    const T ll = pick(t, T(0), fl), lr = pick(t, -fl, T(0)), rl = pick(t, T(0), -fr), rr = pick(t, fr, T(0));
    const T ol = pick(t, T(1), -fo), orr = pick(t, -fo, T(1));
    const SpanRow<T> x = {fnma(ll, l1.l0, l2.l0), fnma(ll, l1.l1, l2.l1), fnma(fl, q, l2.q), lr * r1.p, lr * r1.q};
    const SpanRow<T> y = {rl * l1.l0, rl * l1.l1, fnma(fr, q, r2.l1), fnma(rr, r1.p, r2.p), fnma(rr, r1.q, r2.q)};
    const SpanRow<T> z = {ol * l1.l0, ol * l1.l1, fnma(fo, q, other_q), orr * r1.p, orr * r1.q};
    const bool is_y = heavier(y.v, x.v), is_z = heavier(z.v, pick(is_y, y.v, x.v));
    const SpanRow<T> second = pick(is_z, z, pick(is_y, y, x));
    const SpanRow<T> a = pick(!is_z && !is_y, z, x), b = pick(!is_z && is_y, z, y);
    const T inverse2 = fast_reciprocal(second.v), fa = a.v * inverse2, fb = b.v * inverse2;
    const JoinStep<T> step = {fl, fr, fo, inverse, fa, fb, inverse2, s, w, t, is_y, is_z};
    RightSides<G> both = {left.a.g, left.b.g};
    const RightSides<G> gh = follow(step, both, {right.a.g, right.b.g});
    const Middle<T, G> middle = {pick(t, r1.p, l1.l0) * inverse,
                                 pick(t, r1.q, l1.l1) * inverse,
                                 q * inverse,
                                 second.f0 * inverse2,
                                 second.f1 * inverse2,
                                 second.k0 * inverse2,
                                 second.k1 * inverse2,
                                 gh.a,
                                 gh.b,
                                 t,
                                 is_pivot(pivot) && is_pivot(second.v),
                                 {pivot, second.v},
                                 ((s == w) == t) != is_z,
                                 step};
    left.a = without(second, fa, a, both.a);
    left.b = without(second, fb, b, both.b);
    return middle;
}

// The unknowns at the two ends of a run: left = (x_before, x_first), right = (x_last, x_behind).
template <class G>
struct Known {
    G left0, left1, right0, right1;
};

// Computes the middle pair from the outer ones; `known` becomes the ends of the half that the thread belongs to.
template <class T, class G>
__device__ inline void narrow(Known<G> &known, const Middle<T, G> &m, bool to_right_half) {
    const G v = fnma(m.f1, known.left1, fnma(m.f0, known.left0, m.h)) - fma_(m.k0, known.right0, m.k1 * known.right1);
    const G y0 = pick(m.from_right, known.right0, known.left0), y1 = pick(m.from_right, known.right1, known.left1);
    const G u = fnma(m.q, v, fnma(m.e1, y1, fnma(m.e0, y0, m.g)));
    if (to_right_half)
        known.left0 = u, known.left1 = v;
    else
        known.right0 = u, known.right1 = v;
}

// The elimination of a whole system's interface equations; is_fine: both pivots are good
template <class T>
struct ClosingStep {
    T inverse, b, f, inverse2;
    bool s, is_fine;
};
// No unknowns are outside, or, if periodic, the two ends are adjacent.
template <class T, class G>
__device__ inline ClosingStep<T> closing_step(const InterfaceEquations<T, G> &all, bool is_periodic) {
    const auto first_of = [&](const auto &row) { return is_periodic ? row.l1 + row.q : row.l1; };
    const auto last_of = [&](const auto &row) { return is_periodic ? row.l0 + row.p : row.p; };
    const bool s = heavier(first_of(all.b), first_of(all.a));
    const T a = pick(s, first_of(all.b), first_of(all.a)), c = pick(s, first_of(all.a), first_of(all.b));
    const T b = pick(s, last_of(all.b), last_of(all.a)), d = pick(s, last_of(all.a), last_of(all.b));
    const T inverse = fast_reciprocal(a), f = c * inverse, rest = fnma(f, b, d);
    return {inverse, b, f, fast_reciprocal(rest), s, is_pivot(a) && is_pivot(rest)};
}
// x_first and x_last, and those outside
template <class T, class G>
__device__ inline Known<G> follow(const ClosingStep<T> &step, const RightSides<G> &all, bool is_periodic) {
    const G g = pick(step.s, all.b, all.a), h = pick(step.s, all.a, all.b), none(T(0));
    const G last = fnma(step.f, g, h) * step.inverse2, first = fnma(step.b, last, g) * step.inverse;
    return {is_periodic ? last : none, first, last, is_periodic ? first : none};
}
// Solves the interface equations of a whole system for x_first and x_last. Returns false where a pivot is bad.
template <class T, class G>
__device__ inline bool close(const InterfaceEquations<T, G> &all, bool is_periodic, Known<G> &known) {
    const ClosingStep<T> step = closing_step(all, is_periodic);
    known = follow(step, RightSides<G>{all.a.g, all.b.g}, is_periodic);
    return step.is_fine;
}

// The same for a run with known outer unknowns
template <class T>
__device__ inline bool close_between(const InterfaceEquations<T> &run, Known<T> &known) {
    const auto without_outer = [&](const InterfaceRow<T> &row) {
        return InterfaceRow<T>{T(0), row.l1, row.p, T(0), fnma(row.q, known.right1, fnma(row.l0, known.left0, row.g))};
    };
    Known<T> inner;
    const InterfaceEquations<T> ends = {without_outer(run.a), without_outer(run.b)};
    const bool is_fine = close(ends, false, inner);
    known.left1 = inner.left1, known.right0 = inner.right0;
    return is_fine;
}

template <class T, class G>
__device__ inline InterfaceRow<T, G> from_lane(const InterfaceRow<T, G> &row, int lane) {
    return {from_lane(row.l0, lane), from_lane(row.l1, lane), from_lane(row.p, lane), from_lane(row.q, lane),
            from_lane(row.g, lane)};
}
template <class T, class G>
__device__ inline InterfaceEquations<T, G> from_lane(const InterfaceEquations<T, G> &run, int lane) {
    return {from_lane(run.a, lane), from_lane(run.b, lane)};
}
template <class G>
__device__ inline Known<G> from_lane(const Known<G> &k, int lane) {
    return {from_lane(k.left0, lane), from_lane(k.left1, lane), from_lane(k.right0, lane), from_lane(k.right1, lane)};
}

}  // namespace xbatch::tridiagonal
