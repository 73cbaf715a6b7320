// row_chunk.cuh: the rows of a tridiagonal system in a thread's registers, and how they are loaded and stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/chunk.cuh"
#include "core/lanes.cuh"
#include "pivot.cuh"
#include "row_info.cuh"
#include "sides_access.cuh"
#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// The rows of one thread: a_i x_{i-1} + b_i x_i + c_i x_{i+1} = d_i, i = 0 … R-1. z is the unknown of a chunk's last
// row. D is T or, if several right-hand sides follow the elimination, Columns of T.
template <class T, int R, class D = T>
struct RowChunk {
    T a[R], b[R], c[R];
    D d[R];
};

// The equations of the ends of a chunk, or of a run of chunks, with x_first and z its first and last unknown, z' the
// last of the chunk before and x_behind the first of the chunk behind:
//   x_first = fd - fa z' - fc z,   z = ld - la z' - lc x_behind.
template <class T, class D = T>
struct Edges {
    T fa, fc;
    D fd;
    T la, lc;
    D ld;
};

// An unknown in terms of the unknowns adjacent to a run of rows: value - before x_before - behind x_behind.
template <class T, class D = T>
struct EndEquation {
    D value;
    T before, behind;
};

// The arrays of a problem from a block's tile on; row0 is the first row of the tile.
struct TileArrays {
    TileArray a, b;
};

template <int R, bool FLAT, class Problem>
__device__ inline TileArrays tile_arrays(const Problem &p, ThreadChunk chunk, int64_t j0, int64_t r, int64_t row0) {
    return {tile_array<R, FLAT>(p.a_at, chunk, p.batch, j0, 0, row0),
            tile_array<R, FLAT>(p.b_at, chunk, p.batch, j0, r, row0)};
}

// Loads one array of coefficients of the tile, in the order of memory. They may be read again for another right-hand
// side or system.
template <class V, int R, bool FLAT>
__device__ inline void fetch(const V *array, const TileArray &at, const TileAccess<R, FLAT> &access, V (&v)[R]) {
    access.each_offset(at, access.start_of(at), [&](int r, int64_t offset) { v[r] = array[offset]; });
}

// The same for b, which is read once, and its rows from the order of memory to the thread's own. sides_access.cuh has
// both for several right-hand sides.
template <class T, int R, bool FLAT>
__device__ inline void fetch_sides(const T *b, const TileArrays &at, const TileAccess<R, FLAT> &access, T (&d)[R]) {
    access.each_offset(at.b, access.start_of(at.b), [&](int r, int64_t offset) { d[r] = load_once(b + offset); });
}
template <class T, int R, bool FLAT>
__device__ inline void sides_to_chunk(T *stage, const TileAccess<R, FLAT> &access, const TileArrays &, T (&d)[R]) {
    to_chunk(stage, access, T(0), d);
}

// Sets the coefficients that lead out of the system to 0, in the chunk that begins at `row`.
template <class T, int R, class D>
__device__ inline void cut_ends(const GtsvProblem &p, int64_t row, RowChunk<T, R, D> &v) {
    if (row == 0) v.a[0] = T(0);
    const int last = int(min(p.n - 1 - row, int64_t(INT_MAX)));  // n-1 counted from the chunk's first row
    if (last < R) {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r >= last) v.c[r] = T(0);
    }
}

// Loads a chunk; rows that do not exist become x = 0, and coefficients that lead out of the system 0. Coefficients may
// be read again for another right-hand side or system; b is read once.
template <class T, int R, bool FLAT>
__device__ inline void load(const GtsvProblem &p, const TileAccess<R, FLAT> &access, const TileArrays &at,
                            ThreadChunk chunk, int64_t row0, T *stage, RowChunk<T, R> &v) {
    const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
    const T *const du = static_cast<const T *>(p.du), *const b = static_cast<const T *>(p.b);
    if (access.is_run(at.a, at.b)) {
        const int64_t a0 = access.run_offset(at.a, 0), b0 = access.run_offset(at.b, 0);
        const int64_t a_step = FLAT ? 32 : at.a.step, b_step = FLAT ? 32 : at.b.step;
        access.each([&](int r) {
            v.a[r] = dl[a0 + r * a_step];
            v.b[r] = d[a0 + r * a_step];
            v.c[r] = du[a0 + r * a_step];
            v.d[r] = load_once(b + b0 + r * b_step);
        });
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            int system = 0, row = 0;
            if (!access.find(r, system, row)) continue;
            const int64_t a = access.offset(at.a, system, row);
            v.a[r] = dl[a];
            v.b[r] = d[a];
            v.c[r] = du[a];
            v.d[r] = load_once(b + access.offset(at.b, system, row));
        }
    }
    to_chunk(stage, access, T(0), v.a);
    to_chunk(stage, access, T(1), v.b);
    to_chunk(stage, access, T(0), v.c);
    to_chunk(stage, access, T(0), v.d);
    cut_ends(p, row0 + chunk.k * R, v);
}

// The same with several right-hand sides
template <class T, int R, bool FLAT, int K>
__device__ inline void load(const GtsvProblem &p, const TileAccess<R, FLAT> &access, const SidesArrays<R, FLAT> &at,
                            ThreadChunk chunk, int64_t row0, T *stage, RowChunk<T, R, SideValues<T, K>> &v) {
    const T *const dl = static_cast<const T *>(p.dl), *const d = static_cast<const T *>(p.d);
    const T *const du = static_cast<const T *>(p.du);
    access.each_offset(at.a, access.start_of(at.a), [&](int r, int64_t offset) {
        v.a[r] = dl[offset];
        v.b[r] = d[offset];
        v.c[r] = du[offset];
    });
    fetch_sides(static_cast<const T *>(p.b), at, access, v.d);
    to_chunk(stage, access, T(0), v.a);
    to_chunk(stage, access, T(1), v.b);
    to_chunk(stage, access, T(0), v.c);
    sides_to_chunk(stage, access, at, v.d);
    cut_ends(p, row0 + chunk.k * R, v);
}

template <class T, int R, bool FLAT, class Problem>
__device__ inline void store(const Problem &p, const TileAccess<R, FLAT> &access, const TileArrays &at, T *stage,
                             RowChunk<T, R> &v) {
    T *const b = static_cast<T *>(p.b);
    to_memory_order(stage, access, v.d);
    if (access.is_run(at.b)) {
        const int64_t b0 = access.run_offset(at.b, 0), b_step = FLAT ? 32 : at.b.step;
        access.each([&](int r) { store_once(b + b0 + r * b_step, v.d[r]); });
    } else {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            int system = 0, row = 0;
            if (access.find(r, system, row)) store_once(b + access.offset(at.b, system, row), v.d[r]);
        }
    }
}

// The row that info reports if the first bad pivot is in row `found`; the last chunk may have rows beyond the system.
template <class T>
__device__ inline int64_t row_to_report(const GtsvProblem &p, int64_t, int64_t found) {
    return min(found, p.n - 1);
}

// info of system j, by the block with all its rows and right-hand side r. Pivots are the same for all r.
template <class T, class Problem>
__device__ inline void put_row_info(const Problem &p, int64_t j, int64_t r, int first_bad) {
    const bool has_bad_pivot = first_bad < not_finite;
    if (has_bad_pivot && r > 0) return;
    put_info(p.info + j, p.nrhs, first_bad != no_row, has_bad_pivot ? row_to_report<T>(p, j, first_bad) : p.n);
}

}  // namespace xbatch::tridiagonal
