// pscheme_interface.cuh: runs of rows as relations between their ends, by which blocks work on one system together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pscheme_kernels.cuh"

namespace xbatch::tridiagonal {

// What a run of rows, from its first unknown x_f to its last x_l, says about the unknowns before and behind it:
// x_f by f, x_l by l. For dominant rows no entry of before and behind exceeds 1: chaining relations can underflow,
// never overflow.
template <class T>
struct Relation {
    EndEquation<T> f, l;
};

// Chain two neighbouring runs. The pair between them, x_l of the left and x_f of the right, is eliminated; `between` is
// what x_l of the left becomes over the unknowns outside both. Returns false where the pivot is bad.
template <class Pivot = AnyPivot, class T>
__device__ inline bool chain(const Relation<T> &left, const Relation<T> &right, Relation<T> &both,
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

// The relation of a thread's chunk after precompute: z is replaced by what it says itself.
template <class T, int R>
__device__ inline Relation<T> relation_of(const RowChunk<T, R> &v) {
    const EndEquation<T> l{v.d[R - 1], v.a[R - 1], v.c[R - 1]};
    return {{fnma(v.c[0], l.value, v.d[0]), fnma(v.c[0], l.before, v.a[0]), -(v.c[0] * l.behind)}, l};
}

// The unknowns before and behind a run, from what stands left and right of it (all zero: nothing): x_before is the
// left's x_l, x_behind the right's x_f, each over the end of the run that it touches.
template <class T>
__device__ inline bool close_run(const Relation<T> &left, const Relation<T> &mine, const Relation<T> &right, T &before,
                                 T &behind) {
    Relation<T> both;
    EndEquation<T> between;
    const bool is_joined = chain({left.l, left.l}, mine, both, between);
    const T pivot = fnma(right.f.before, both.l.behind, T(1));
    behind = fnma(right.f.before, both.l.value, right.f.value) * fast_reciprocal(pivot);
    before = fnma(between.behind, behind, between.value);
    return is_joined && has_reciprocal(pivot);
}

}  // namespace xbatch::tridiagonal
