// interface_joins.cuh: joins the runs of any number of adjacent lanes of a warp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include "interface.cuh"

namespace xbatch::tridiagonal {

// Whether nearly all of the pivot between two runs of dominant rows cancels. Its rounding error is then as large, and
// rows divided by it need not dominate: such runs are joined by compose().
template <class T, class G>
__device__ inline bool pivot_cancels(const InterfaceEquations<T, G> &left, const InterfaceEquations<T, G> &right) {
    constexpr Real<T> least = 16 * std::numeric_limits<Real<T>>::epsilon();
    return !(magnitude(fnma(left.b.q, right.a.l0, T(1))) >= least);
}

// compose() for runs of dominant rows, whose equations are x_first = a.g - a.l0 x_before - a.q x_behind and
// x_last = b.g - b.l0 x_before - b.q x_behind; so are those of both. If the matrix should be positive definite, only a
// positive pivot is good.
template <class T, class G>
__device__ inline Middle<T, G> compose_dominant(InterfaceEquations<T, G> &left, const InterfaceEquations<T, G> &right,
                                                bool is_definite) {
    const InterfaceRow<T, G> first = right.a, last = left.b;  // of the pair v, u between
    const T pivot = fnma(last.q, first.l0, T(1)), inverse = fast_reciprocal(pivot);
    // v = h - f x_before - k x_behind, u = last.g - last.l0 x_before - last.q v = g - e x_before - q x_behind
    const G h = fnma(first.l0, last.g, first.g) * inverse, g = fnma(last.q, h, last.g);
    const T f = -(first.l0 * last.l0 * inverse), k = first.q * inverse;
    const T e = fnma(last.q, f, last.l0), q = -(last.q * k);
    left.b = {-(right.b.l0 * e), T(0), T(1), fnma(right.b.l0, q, right.b.q), fnma(right.b.l0, g, right.b.g)};
    left.a = {fnma(left.a.q, f, left.a.l0), T(1), T(0), -(left.a.q * k), fnma(left.a.q, h, left.a.g)};
    const bool is_fine = is_definite ? is_good_positive(real_part(pivot)) : is_good_pivot(pivot);
    return {last.l0, T(0), last.q, f, T(0), T(0), k, last.g, h, false, is_fine};
}

// Each lane has a run; it is number `number` of the `count` runs, at most `most`, that adjacent lanes have of a system.
// The run of number 0 becomes that of all. keep(right, middle) stores the pair of unknowns between two joined runs, of
// which the right one begins with number `right`; `bits` has its from_right. Returns whether the pivots of this lane's
// joins are good. If the matrix should be positive definite, all runs are those of dominant rows.
template <class T, class G, class Keep>
__device__ inline bool join_lanes(InterfaceEquations<T, G> &run, bool is_dominant, bool is_definite, int number,
                                  int count, int most, unsigned &bits, Keep keep) {
    const int lane = threadIdx.x % 32;
    bool is_fine = true;
    bits = 0;
#pragma unroll 1
    for (int l = 0, s = 1; s < most; ++l, s *= 2) {
        const InterfaceEquations<T, G> right = from_lane(run, lane + s & 31);
        bool both = from_lane(int(is_dominant), lane + s & 31) & int(is_dominant);
        if ((number & 2 * s - 1) == 0 && number + s < count) {
            both = both && (is_definite || !pivot_cancels(run, right));
            const Middle<T, G> middle = both ? compose_dominant(run, right, is_definite) : compose(run, right);
            is_dominant = both;
            keep(number + s, middle);
            bits |= unsigned(middle.from_right) << l;
            is_fine = is_fine && middle.is_fine;
        }
    }
    __syncwarp();
    return is_fine;
}
// From the known unknowns at the ends of all runs to those at the ends of each. kept(right, from_right) is the middle.
template <class G, class Kept>
__device__ inline void part_lanes(Known<G> &known, int number, int count, int most, unsigned bits, Kept kept) {
    const int lane = threadIdx.x % 32;
#pragma unroll 1
    for (int l = 31 - __clz(max(1, most - 1)); l >= 0; --l) {
        const int s = 1 << l, first = number & ~(2 * s - 1);
        const bool from_right = from_lane(bits, lane - number + first & 31) >> l & 1;
        if (first + s < count) narrow(known, kept(first + s, from_right), number & s);
    }
}

}  // namespace xbatch::tridiagonal
