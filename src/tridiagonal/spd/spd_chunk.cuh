// spd_chunk.cuh: the rows of a positive definite system in a thread's registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/nopivot/row_chunk.cuh"
#include "tridiagonal/pivoted/first_bad_row.cuh"

namespace xbatch::tridiagonal {

// Loads a chunk. e_i is in two rows, right of the diagonal of row i and left of that of row i+1. The e before a chunk
// is in the chunk before; if that is in another warp, e is loaded again. Rows that do not exist become x = 0.
template <class T, int R, bool FLAT, class Arrays, class D>
__device__ inline void load(const PtsvProblem &p, const TileAccess<R, FLAT> &access, const Arrays &at,
                            ThreadChunk chunk, int64_t row0, T *stage, RowChunk<T, R, D> &v) {
    const T *const e = static_cast<const T *>(p.e);
    const bool continues = access.own > 0 && row0 + chunk.k > 0, alone = !FLAT || threadIdx.x % 32 == 0;
    Real<T> d[R];
    fetch(static_cast<const Real<T> *>(p.d), at.a, access, d);
    fetch(e, at.a, access, v.c);
    fetch_sides(static_cast<const T *>(p.b), at, access, v.d);
    T before = T(0);
    if (continues && alone) before = e[TileAccess<R, FLAT>::offset(at.a, chunk.system, (FLAT ? chunk.k * R : 0) - 1)];
    to_chunk(reinterpret_cast<Real<T> *>(stage), access, Real<T>(1), d);
    to_chunk(stage, access, T(0), v.c);
    sides_to_chunk(stage, access, at, v.d);
    if (FLAT) {
        const T shuffled = shuffled_up(v.c[R - 1]);
        if (continues && !alone) before = shuffled;
    }
    const int last =
        int(min(p.n - 1 - row0, int64_t(INT_MAX))) - chunk.k * R;  // n-1 counted from the chunk's first row
#pragma unroll
    for (int r = 0; r < R; ++r) {
        v.a[r] = r > 0 ? v.c[r > 0 ? r - 1 : 0] : before;
        v.b[r] = T(d[r]);
    }
#pragma unroll
    for (int r = 0; r < R; ++r) v.c[r] = r < last ? conjugate(v.c[r]) : T(0);
    if (last < R - 1) {
#pragma unroll
        for (int r = 1; r < R; ++r)
            if (r > last) v.a[r] = T(0);
    }
}

template <class T>
__device__ inline int64_t row_to_report(const PtsvProblem &p, int64_t j, int64_t found) {
    return first_bad_row<T>(p.d, p.e, p.a_at, p.n, j, found);
}

}  // namespace xbatch::tridiagonal
