// spd_sweep.cuh: L D L^H of a matrix that many right-hand sides share, by rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dependent_launch.cuh"
#include "spd_chunk.cuh"
#include "tridiagonal/pivoted/once_sweep.hpp"

namespace xbatch::tridiagonal {

// One block; one of its threads factors the rows that all load into shared memory. Info as first_bad_row().
template <class T>
__global__ void __launch_bounds__(256) sweep_factor_spd(PtsvProblem p, SweepFactors<T> *factors, int32_t *first_bad) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    trigger_dependents();
    const int n = int(p.n);
    T *const e = reinterpret_cast<T *>(shared_bytes);
    Real<T> *const d = reinterpret_cast<Real<T> *>(e + n);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int64_t at = p.a_at.offset(i, 0, 0);
        d[i] = static_cast<const Real<T> *>(p.d)[at];
        e[i] = i + 1 < n ? static_cast<const T *>(p.e)[at] : T(0);
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    int bad = 0;
    Real<T> taken(0);
    T l(0);
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        const Real<T> pivot = d[i] - taken, inverse = fast_reciprocal(pivot);
        if (bad == 0 && !PositivePivot::is_good(pivot)) bad = i + 1;
        factors[i] = {T(1), l, T(inverse), conjugate(e[i]) * inverse, T(0)};
        l = e[i] * inverse, taken = inner(l, e[i]);
    }
    *first_bad = bad;
}

}  // namespace xbatch::tridiagonal
