// waiting_row.cuh: choice of pivots where one row at a time waits for its pivot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface.cuh"

namespace xbatch::tridiagonal {

// Whether the next row becomes the pivot row instead of the waiting one, by their coefficients. `waited` is the sum of
// the multipliers of the waiting row so far, which has gathered a rounding error with each. The ratio of the
// coefficients must be above max(2, waited), by their approximate logarithms; docs/pivoting.md has why.
template <class T>
__device__ inline bool is_pivot_next(T next, T waiting, Real<T> waited) {
    using R = Real<T>;
    const int ratio = max(upper_magnitude(waited), upper_magnitude(R(2))) - upper_magnitude(R(1));
    return unsigned(upper_magnitude(next)) > unsigned(upper_magnitude(waiting)) + unsigned(ratio);
}

}  // namespace xbatch::tridiagonal
