// pscheme_interface.cuh: interface equations of runs of rows without pivoting, by which blocks solve a system together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pscheme_kernels.cuh"

namespace xbatch::tridiagonal {

// The interface equations of a run of rows: its first unknown x_f (f) and its last x_l (l) in terms of the unknowns
// before and behind the run. For dominant rows no entry of before and behind exceeds 1: chaining runs can underflow,
// but not overflow.
template <class T>
struct EndEquations {
    EndEquation<T> f, l;
};

// Joins two adjacent runs: eliminates the pair between them, x_l of the left and x_f of the right. `between` is x_l of
// the left in terms of the unknowns outside both. Returns false where the pivot is bad.
template <class Pivot = AnyPivot, class T>
__device__ inline bool chain(const EndEquations<T> &left, const EndEquations<T> &right, EndEquations<T> &both,
                             EndEquation<T> &between) {
    const auto pivot = Pivot::part(fnma(left.l.behind, right.f.before, T(1))), inverse = fast_reciprocal(pivot);
    between = {fnma(left.l.behind, right.f.value, left.l.value) * inverse, left.l.before * inverse,
               -(left.l.behind * right.f.behind * inverse)};
    const EndEquation<T> joint = {fnma(right.f.before, between.value, right.f.value),
                                  -(right.f.before * between.before),
                                  fnma(right.f.before, between.behind, right.f.behind)};
    both = {{fnma(left.f.behind, joint.value, left.f.value), fnma(left.f.behind, joint.before, left.f.before),
             -(left.f.behind * joint.behind)},
            {fnma(right.l.before, between.value, right.l.value), -(right.l.before * between.before),
             fnma(right.l.before, between.behind, right.l.behind)}};
    return Pivot::is_good(pivot);
}

using xbatch::shuffled_down;
template <class T>
__device__ inline EndEquation<T> shuffled_down(const EndEquation<T> &e, int by) {
    return {shuffled_down(e.value, by), shuffled_down(e.before, by), shuffled_down(e.behind, by)};
}

// The equations of a thread's chunk after precompute: z in x_f is replaced by its own equation.
template <class T, int R>
__device__ inline EndEquations<T> end_equations(const RowChunk<T, R> &v) {
    const EndEquation<T> l{v.d[R - 1], v.a[R - 1], v.c[R - 1]};
    return {{fnma(v.c[0], l.value, v.d[0]), fnma(v.c[0], l.before, v.a[0]), -(v.c[0] * l.behind)}, l};
}

// The unknowns before and behind a run, from the equations of all rows left and right of it (zero if there are none):
// x_before is the left's x_l, x_behind the right's x_f, each in terms of the adjacent end of the run.
template <class Pivot = AnyPivot, class T>
__device__ inline bool close_run(const EndEquations<T> &left, const EndEquations<T> &mine, const EndEquations<T> &right,
                                 T &before, T &behind) {
    EndEquations<T> both;
    EndEquation<T> between;
    const bool is_joined = chain<Pivot>({left.l, left.l}, mine, both, between);
    const auto pivot = Pivot::part(fnma(right.f.before, both.l.behind, T(1)));
    behind = fnma(right.f.before, both.l.value, right.f.value) * fast_reciprocal(pivot);
    before = fnma(between.behind, behind, between.value);
    return is_joined && Pivot::is_good(pivot);
}

}  // namespace xbatch::tridiagonal
