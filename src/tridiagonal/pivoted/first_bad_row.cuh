// first_bad_row.cuh: the row that info reports of a matrix that is not positive definite.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/layout.hpp"
#include "tridiagonal/nopivot/pivot.cuh"

namespace xbatch::tridiagonal {

// The first row with a bad pivot when matrix j, of n rows, is eliminated from row 0 on, as by LAPACK. If by rounding
// only another order of elimination has a bad pivot, the row `found` there. By one thread, for the few matrices that
// are not positive definite. The search may begin at row `from`, from whose diagonal the rows before subtract `taken`.
template <class T>
__device__ inline int64_t first_bad_row(const void *diagonal, const void *below_it, const Placement &at, int64_t n,
                                        int64_t j, int64_t found, int64_t from = 0, Real<T> taken = 0) {
    constexpr int ahead = 8;  // rows that are loaded at once
    const int64_t first = at.base(j, 0), step = at.step;
    const Real<T> *const d = static_cast<const Real<T> *>(diagonal) + first;
    const T *const e = static_cast<const T *>(below_it) + first;
#pragma unroll 1
    for (int64_t i = from; i < n; i += ahead) {
        Real<T> on[ahead];
        T below[ahead];
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const int64_t row = min(i + k, n - 1) * step;
            on[k] = d[row], below[k] = e[row];
        }
#pragma unroll
        for (int k = 0; k < ahead; ++k) {
            const Real<T> pivot = on[k] - taken;
            if (i + k < n && !PositivePivot::is_good(pivot)) return i + k;
            taken = inner(below[k] * fast_reciprocal(pivot), below[k]);
        }
    }
    return min(found, n - 1);
}

}  // namespace xbatch::tridiagonal
