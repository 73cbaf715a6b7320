// pscheme_interface.cuh: interface equations of runs of rows without pivoting, by which blocks solve a system together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "pscheme_kernels.cuh"

namespace xbatch::tridiagonal {

using xbatch::shuffled_down;
template <class T>
__device__ inline EndEquation<T> shuffled_down(const EndEquation<T> &e, int by) {
    return {shuffled_down(e.value, by), shuffled_down(e.before, by), shuffled_down(e.behind, by)};
}

// The unknowns before and behind a run, from the equations of all rows left and right of it (zero if there are none):
// x_before is the left's x_l, x_behind the right's x_f, each in terms of the adjacent end of the run.
template <class Pivot = AnyPivot, class T>
__device__ inline bool close_run(const EndEquations<T> &left, const EndEquations<T> &mine, const EndEquations<T> &right,
                                 T &before, T &behind) {
    EndEquations<T> both;
    EndEquation<T> between;
    const EndEquations<T> before_run{left.l, left.l};
    const bool is_joined = chain<Pivot>(before_run, mine, both, between);
    const auto pivot = Pivot::part(fnma(right.f.before, both.l.behind, T(1)));
    behind = fnma(right.f.before, both.l.value, right.f.value) * fast_reciprocal(pivot);
    before = fnma(between.behind, behind, between.value);
    return is_joined && Pivot::is_good(pivot);
}

}  // namespace xbatch::tridiagonal
