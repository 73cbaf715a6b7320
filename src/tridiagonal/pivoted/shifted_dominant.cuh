// shifted_dominant.cuh: shifted systems that are diagonally dominant, solved without pivoting in registers.
//
// A thread eliminates the rows of its chunk by the Thomas algorithm, as if the unknowns of the adjacent chunks were
// given, and keeps of each row the right-hand side and the inverse pivot alone: the coefficients are shared by all
// systems and are read again from the first-level cache when the unknowns are known on both sides of the chunk
// (cyclic_reduction.cuh).
//
// A right-hand side is solved here only if in every row |d_i + sigma_j w_i| >= |dl_i| + |du_i|, after reduction up to
// a factor of 1.5, all pivots are good, and all unknowns finite. Otherwise it is left as it is, and marked as
// open for the pivoting kernel. This depends on no other system. Right-hand sides whose real shift lies between those
// for which rows are dominant are left without being loaded (shifted_image.cuh: find_dominant_shifts).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interface.cuh"
#include "shifted_image.cuh"
#include "shifted_sides.cuh"
#include "tridiagonal/nopivot/cyclic_reduction.cuh"

namespace xbatch::tridiagonal {

// A bound of |a| from above, as magnitude() is one from below
template <class R>
__device__ inline R sum_of_parts(R a) {
    return magnitude(a);
}
template <class R>
__device__ inline R sum_of_parts(Complex<R> a) {
    return magnitude(a.re) + magnitude(a.im);
}

// Where the rows of a reduction no longer dominate by rounding, as in matrices that are nearly singular, elimination
// without interchanges is not stable.
struct DominantPivot : AnyPivot {
    template <class T>
    __device__ static bool is_stable(T before, T behind) {
        return sum_of_parts(before) + sum_of_parts(behind) <= Real<T>(1.5);
    }
};

// What the elimination of a chunk leaves for the substitution
template <class T>
struct ShiftedChunk {
    static constexpr int most = ShiftedImage<T>::most_rows;
    T inverse[most], d[most];  // of a row: 1 / pivot; right-hand side, later the unknown
};

// Where a thread reads its coefficients
template <class T>
struct ShiftedColumn {
    using Image = ShiftedImage<T>;
    const T *first;
    T sigma;
    bool has_w;
    int shifted;  // rows that are shifted: not those beyond the last one

    __device__ T dl(int i) const { return first[Image::at(i, Image::dl)]; }
    __device__ T du(int i) const { return first[Image::at(i, Image::du)]; }
    __device__ T d(int i) const {
        const T factor = has_w ? first[Image::at(i, Image::w)] : T(i < shifted ? 1 : 0);
        return fma_(sigma, factor, first[Image::at(i, Image::d)]);
    }
};

// Eliminates a chunk to its ends; `last` becomes the equation of row `last_row`. Returns whether all rows are dominant
// and all pivots good.
template <class T>
__device__ __forceinline__ bool condense(const ShiftedColumn<T> &column, int rows, int last_row, ShiftedChunk<T> &v,
                                         Edges<T> &edges, EndEquation<T> &last) {
    // x_i = y - l z' - g x_{i+1} in the row before, and x_first = first - first_l z' + product x_i
    T y(0), l(-1), g(0), first(0), first_l(0), product(1);
    bool is_fine = true;
    each_row<ShiftedChunk<T>::most>(rows, [&](int i) {
        if (i > 0) {
            first = fma_(product, y, first), first_l = fma_(product, l, first_l);
            product = fnma(g, product, T(0));
        }
        const T below = column.dl(i), d = column.d(i), above = column.du(i);
        is_fine &= magnitude(d) >= sum_of_parts(below) + sum_of_parts(above);
        const T pivot = fnma(below, g, d), inverse = fast_reciprocal(pivot), f = below * inverse;
        is_fine &= is_good_pivot(pivot);
        v.inverse[i] = inverse;
        y = fnma(f, y, v.d[i] * inverse), l = fnma(f, l, T(0)), g = above * inverse;
        if (i == last_row) last = {y, l, g};
    });
    edges = {first_l, -product, first, l, g, y};
    return is_fine && DominantPivot::is_stable(first_l, product) && DominantPivot::is_stable(l, g);
}

// The unknowns of a chunk from its last one and the last one of the chunk before. Multipliers may exceed 1, so that
// rounding errors of y are large; y and l must be the very numbers that led to the equations of the ends, for these to
// agree with what follows here.
template <class T>
__device__ __forceinline__ void substitute(const ShiftedColumn<T> &column, int rows, T before, T z,
                                           ShiftedChunk<T> &v) {
    T y(0), l(-1);
    each_row<ShiftedChunk<T>::most>(rows - 1, [&](int i) {
        const T inverse = v.inverse[i], f = column.dl(i) * inverse;
        y = fnma(f, y, v.d[i] * inverse), l = fnma(f, l, T(0));
        v.d[i] = fnma(l, before, y);
    });
    T x = z;
#pragma unroll
    for (int i = ShiftedChunk<T>::most - 1; i >= 0; --i) {
        if (i + 1 < rows) x = fnma(column.du(i) * v.inverse[i], x, v.d[i]);
        v.d[i] = x;  // also z behind the last row
    }
}

// Shared memory of a block: the stages of FLAT, the rows of the chunks, five values of each system's ring, and a mark.
template <class T, bool FLAT, bool PERIODIC>
struct ShiftedShared {
    static constexpr int of_thread = 6, of_system = PERIODIC ? 5 : 0;
    T *stages;
    ChunkRows<T> rows;
    T *rings;
    int *open;

    __device__ ShiftedShared(unsigned char *bytes, const ShiftedPlan &plan)
        : stages(reinterpret_cast<T *>(bytes)),
          rows{stages + stage_elements(plan)},
          rings(rows.shared + of_thread * plan.threads),
          open(reinterpret_cast<int *>(rings + of_system * plan.shape.systems)) {}
    XBATCH_HD static int stage_elements(const ShiftedPlan &plan) {
        return FLAT ? plan.threads / 32 * ShiftedSides<T, true>::stage_size(plan) : 0;
    }
    static size_t bytes(const ShiftedPlan &plan) {
        const size_t systems = size_t(plan.shape.systems);
        return (size_t(stage_elements(plan)) + size_t(of_thread * plan.threads) + of_system * systems) * sizeof(T) +
               systems * sizeof(int);
    }
};

// The two unknowns where a ring is closed: x_{n-1}, before the first row, and x_0, behind the last one. `last` is the
// equation of row n-1 in terms of the last unknown of the chunk before its own, which is `before_last`.
template <class T>
__device__ inline bool close_ring(const Edges<T> &first, const EndEquation<T> &of_first,
                                  const EndEquation<T> &before_last, const EndEquation<T> &last, T &before, T &behind) {
    T a = fnma(last.before, before_last.before, T(1)), b = fnma(last.before, before_last.behind, last.behind);
    T r = fnma(last.before, before_last.value, last.value);
    T c = fnma(first.fc, of_first.before, first.fa), d = fnma(first.fc, of_first.behind, T(1));
    T s = fnma(first.fc, of_first.value, first.fd);
    if (magnitude(c) > magnitude(a)) {
        T t = a;
        a = c, c = t, t = b, b = d, d = t, t = r, r = s, s = t;
    }
    const T inverse = fast_reciprocal(a), f = c * inverse, rest = fnma(f, b, d);
    behind = fnma(f, r, s) * fast_reciprocal(rest);
    before = fnma(b, behind, r) * inverse;
    return has_reciprocal(a) && has_reciprocal(rest);
}

// The unknowns at the ends of a chunk. Returns whether all pivots are good.
template <class T, bool FLAT>
__device__ __forceinline__ bool find_ends(const ShiftedPlan &plan, const ShiftedShared<T, FLAT, false> &shared,
                                          ThreadChunk chunk, const Edges<T> &edges, const EndEquation<T> &,
                                          ChunkEnds<T> &ends) {
    return find_chunk_ends<DominantPivot>(edges, chunk, plan.shape, shared.rows, ends);
}
// The last unknown of the last chunk but one, in terms of x_{n-1} before the first row and x_0 behind the last one
template <class T>
__device__ inline EndEquation<T> before_last_chunk(ThreadChunk chunk, int chunks, const EndEquation<T> &last,
                                                   ChunkRows<T> rows) {
    if (chunks == 1) return outside_left<T, T>();
    EndEquation<T> e = rows.row(chunk, chunks, 1);
#pragma unroll 1
    for (int q = 2; q < chunks; q *= 2) {
        const EndEquation<T> before = rows.row(chunk, chunks, q);
        e = {fnma(e.before, before.value, e.value), -(e.before * before.before),
             fnma(e.before, before.behind, e.behind)};
    }
    return {fnma(e.behind, last.value, e.value), fnma(e.behind, last.before, e.before), -(e.behind * last.behind)};
}
template <class T, bool FLAT>
__device__ __forceinline__ bool find_ends(const ShiftedPlan &plan, const ShiftedShared<T, FLAT, true> &shared,
                                          ThreadChunk chunk, const Edges<T> &edges, const EndEquation<T> &last,
                                          ChunkEnds<T> &ends) {
    const bool in_warp = is_in_warp(plan.shape);
    T *const ring = shared.rings + 5 * chunk.system;
    if (chunk.is_used && chunk.k == plan.chunks - 1) ring[0] = last.value, ring[1] = last.before, ring[2] = last.behind;
    EndEquation<T> last_row;
    bool is_fine = reduce_chunks<DominantPivot>(edges, chunk, plan.shape, shared.rows, last_row);
    if (chunk.is_used && chunk.k == 0) {
        const Edges<T> run = edges_of_run(edges, last_row, chunk, plan.shape, shared.rows);
        const EndEquation<T> before_last = before_last_chunk(chunk, plan.chunks, last_row, shared.rows);
        T outer, inner;
        is_fine = close_ring(run, last_row, before_last, {ring[0], ring[1], ring[2]}, outer, inner) && is_fine;
        ring[3] = outer, ring[4] = fnma(run.lc, inner, fnma(run.la, outer, run.ld));
    }
    sync_chunks(in_warp);
    if (!chunk.is_used) return true;
    ends = {ring[3], ring[4]};
    descend(chunk, plan.shape, shared.rows, ends);
    return is_fine;
}

// Whether a chunk of the thread's system is open. FLAT systems of a warp: also which of its lanes have such systems.
template <bool FLAT>
__device__ inline bool is_any_open(const ShiftedPlan &plan, ThreadChunk chunk, bool exists, bool is_open, int *marks,
                                   unsigned &open_chunks) {
    if (FLAT && is_in_warp(plan.shape)) {
        const unsigned of_system = plan.chunks == 32 ? ~0u : (1u << plan.chunks) - 1;
        const unsigned open_lanes = __ballot_sync(~0u, is_open);
        const int first_lane = int(threadIdx.x % 32) - chunk.k;
        const bool is_any = (open_lanes >> first_lane & of_system) != 0;
        open_chunks = __ballot_sync(~0u, exists && is_any);
        return is_any;
    }
    if (is_open) atomicOr(&marks[chunk.system], 1);
    __syncthreads();
    return exists && marks[chunk.system] != 0;
}

// Blocks are (group of systems, right-hand side), the latter fastest.
template <class T, bool FLAT, bool PERIODIC>
__global__ void __launch_bounds__(ShiftedPlan::most_threads)
    shifted_dominant(GtsvProblem p, ShiftedPlan plan, ShiftsOf<T> shifts, ShiftedMemory<T> memory,
                     int pivoting_systems_log) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const ShiftedShared<T, FLAT, PERIODIC> shared(shared_bytes, plan);
    const ThreadChunk chunk = shifted_chunk<FLAT>(plan);
    const bool in_warp = is_in_warp(plan.shape);
    const int64_t group = p.nrhs == 1 ? blockIdx.x : blockIdx.x / unsigned(p.nrhs), r = blockIdx.x - group * p.nrhs;
    const int64_t j0 = group * plan.shape.systems, j = j0 + chunk.system;
    const ShiftedSides<T, FLAT> sides(p, plan, chunk, j0, r, shared.stages);
    const bool exists = sides.own > 0, is_reporter = exists && chunk.k == 0;
    trigger_dependents();
    const T sigma = exists ? shifts.of(j) : T(0);
    if (is_reporter && !in_warp) shared.open[chunk.system] = 0;
    const auto put_open = [&](bool open) {
        if (!is_reporter) return;
        memory.open[j + r * p.batch] = open;
        if (open)
            memory.open_units[(j >> pivoting_systems_log) * p.nrhs + r] = 1;
        else if (p.info && shifts.sides == 1 && p.nrhs == 1)
            p.info[j] = 0;
    };
    wait_for_prerequisites();
    bool may_be_fine = true;
    if constexpr (sizeof(T) == sizeof(Real<T>)) {
        may_be_fine = exists && !(sigma > memory.dominant_shifts[0] && sigma < memory.dominant_shifts[1]);
        if (!(FLAT && in_warp ? __any_sync(~0u, may_be_fine) : __syncthreads_or(may_be_fine))) return put_open(true);
    }
    ShiftedChunk<T> v;
    sides.fetch(v.d);
    const bool is_last = chunk.k == plan.chunks - 1, is_pinned = is_last && shifts.pins(sigma);
    sides.to_own(v.d, is_pinned);

    const int column = chunk.is_used ? is_pinned ? plan.chunks : chunk.k : 0;
    const ShiftedColumn<T> coefficients{memory.dominant.first + column, sigma, shifts.has_w,
                                        is_last ? plan.last_row + 1 : plan.rows};
    Edges<T> edges;
    EndEquation<T> last{T(0), T(0), T(0)};
    bool is_fine = condense(coefficients, plan.rows, plan.last_row, v, edges, last) && may_be_fine;
    if (PERIODIC && plan.n == 1) is_fine = false;  // the sum of its entries is the pivot
    // Where no chunk is fine, as in random matrices, the rest is in vain.
    const bool any_is_fine = FLAT && in_warp ? __any_sync(~0u, exists && is_fine) : __syncthreads_or(exists && is_fine);
    if (any_is_fine) {
        ChunkEnds<T> ends{};
        is_fine = find_ends(plan, shared, chunk, edges, last, ends) && is_fine;
        substitute(coefficients, plan.rows, ends.z_before, ends.z, v);
        // Each unknown is computed from a product with the next one, and is not finite if that is not.
        is_fine = is_fine && is_finite(v.d[0]) && is_finite(ends.z);
    }

    unsigned open_chunks = 0;
    const bool open = is_any_open<FLAT>(plan, chunk, exists, exists && !is_fine, shared.open, open_chunks);
    sides.store(v.d, open, open_chunks);
    put_open(open);
}

}  // namespace xbatch::tridiagonal
