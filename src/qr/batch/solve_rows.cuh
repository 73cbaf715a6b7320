// solve_rows.cuh: batched least squares with one right-hand side, of small matrices in registers, several per warp.
//
// D lanes hold a matrix A and a right-hand side b: lane p has rows p, p + D, … of all columns. Each reflector
// I - f v v^H, f = 2 / v^H v, is applied when it is found, and is not stored. Columns move one place left when they are
// updated, so that the next one to be eliminated is always the first, and all indices of registers are constants in a
// loop over the D rows of a stage. R goes to shared memory as its columns and rows are finished.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/lanes.cuh"
#include "qr/common/householder.cuh"
#include "qr_rows_tuning.hpp"
#include "resident_arguments.cuh"
#include "solve_alone.cuh"
#include "solve_side.cuh"

namespace xbatch::qr {

template <class T, int SHAPE>
struct RowsKind {
    static constexpr RowsShape shape = std::get<SHAPE>(rows_shapes<T>);
    static constexpr int N = shape.columns, D = shape.lanes, R = shape.rows, together = shape.together;
    static constexpr int of_warp = shape.of_warp(), stages = shape.stages(), elements = shape.elements(),
                         ld = shape.ld();
    static constexpr int most_threads = 32 * shape.occupancy;
    static_assert(stages <= R && shape.height() <= ld);
};

template <class T, class K>
class RowsSystem {
public:
    // r: shared memory of the warp
    __device__ RowsSystem(T *r, int m, int n)
        : r_(r + int(threadIdx.x) % 32), part_(int(threadIdx.x) % D), m_(m), n_(n) {}

    __device__ __forceinline__ void read(const MatrixView<T> &a) {
        const T *first[R];
#pragma unroll
        for (int r = 0; r < R; ++r) first[r] = a.at(r * D + part_, 0);
#pragma unroll
        for (int c = 0; c < N; ++c) {
            if (c >= n_) break;
#pragma unroll
            for (int r = 0; r < R; ++r) {
                a_[c][r] = read_if(r * D + part_ < m_, first[r]);
                first[r] += a.column;
            }
        }
    }
    // From shared memory, without gaps
    __device__ __forceinline__ void read(const T *a) {
        a += part_;
#pragma unroll
        for (int c = 0; c < N; ++c) {
            if (c >= n_) break;
#pragma unroll
            for (int r = 0; r < R; ++r) a_[c][r] = r * D + part_ < m_ ? a[r * D] : T(0);
            a += m_;
        }
    }
    __device__ __forceinline__ void read_side(const MatrixView<T> &b) {
#pragma unroll
        for (int r = 0; r < R; ++r) b_[r] = read_if(r * D + part_ < m_, b.at(r * D + part_, 0));
    }
    __device__ __forceinline__ void solve() {
        is_unusual_ = needs_scaling();
        eliminate<0>();
        __syncwarp();
        substitute<0>();
    }
    // Whether norms need scaling or the solution is not finite
    __device__ bool is_unusual() const { return of_matrix(is_unusual_); }
    __device__ __forceinline__ void write(const MatrixView<T> &b) const {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r * D + part_ < m_) *b.at(r * D + part_, 0) = b_[r];
    }

private:
    static constexpr int N = K::N, D = K::D, R = K::R, G = K::together;

    __device__ bool of_matrix(bool is_so) const {
        return (__ballot_sync(~0u, is_so) >> (int(threadIdx.x) % 32 - part_) & (~0u >> (32 - D))) != 0;
    }
    // Whether the right-hand side is near the ends of the range or not finite
    __device__ __forceinline__ bool needs_scaling() const {
        SideRange<T> range;
#pragma unroll
        for (int r = 0; r < R; ++r) range.add(b_[r]);
        return range.needs_scaling((~0u >> (32 - D)) << (int(threadIdx.x) % 32 - part_));
    }
    static __device__ __forceinline__ T of_part(T x, int part) { return __shfl_sync(~0u, x, part, D); }
    // Word of R: row r D + p for lane p, column k
    __device__ T &word(int r, int k) const {
        constexpr RowsShape shape = K::shape;
        return r_[(shape.words_before(r) + k - r * D) * 32];
    }

    // Of each of C values over the lanes of a matrix: lanes halve the values that they sum while they can.
    template <int C>
    __device__ __forceinline__ void sum(T (&g)[C]) const {
#pragma unroll
        for (int h = 1; h < C; h *= 2) {
            const bool has_second = (part_ & h) != 0;
#pragma unroll
            for (int i = 0; i < C / (2 * h); ++i) {
                const T even = g[2 * i], odd = g[2 * i + 1];
                g[i] = chosen(has_second, odd, even) + exchanged(chosen(has_second, even, odd), h);
            }
        }
#pragma unroll
        for (int h = C; h < D; h *= 2) g[0] = g[0] + exchanged(g[0], h);
#pragma unroll
        for (int h = C / 2; h > 0; h /= 2) {
            const bool has_second = (part_ & h) != 0;
#pragma unroll
            for (int i = C / (2 * h) - 1; i >= 0; --i) {
                const T own = g[i], other = exchanged(own, h);
                g[2 * i] = chosen(has_second, other, own), g[2 * i + 1] = chosen(has_second, own, other);
            }
        }
    }
    // v^H x of this lane
    template <int FIRST>
    static __device__ __forceinline__ T product(const T (&v)[R], const T (&x)[R]) {
        T g = v[FIRST] * x[FIRST];
#pragma unroll
        for (int r = FIRST + 1; r < R; ++r) g = fma_(v[r], x[r], g);
        return g;
    }
    // x - v w
    template <int FIRST>
    static __device__ __forceinline__ void update(const T (&v)[R], T w, const T (&x)[R], T (&to)[R]) {
#pragma unroll
        for (int r = FIRST; r < R; ++r) to[r] = fnma(v[r], w, x[r]);
    }
    // v^H x for columns C, C + 1, …
    template <int FIRST, int C>
    __device__ __forceinline__ void products(const T (&v)[R], T (&g)[G]) const {
        constexpr int left = N - FIRST * D - C;
#pragma unroll
        for (int e = 0; e < G; ++e) g[e] = e < left ? product<FIRST>(v, a_[e < left ? C + e : C]) : T(0);
        sum(g);
    }
    // Updates columns C, C + 1, … up to `last` and moves them. g: the products of the first ones, some at a time. Those
    // of the next ones are formed meanwhile.
    template <int FIRST, int C>
    __device__ __forceinline__ void apply(const T (&v)[R], T f, const T (&g)[G], int last) {
        constexpr int left = N - FIRST * D - C;
        T next[G];
        if constexpr (left > G) products<FIRST, C + G>(v, next);
#pragma unroll
        for (int e = 0; e < G && e < left; ++e) update<FIRST>(v, f * g[e], a_[C + e], a_[C + e - 1]);
        if constexpr (left > G)
            if (C + G <= last) apply<FIRST, C + G>(v, f, next, last);
    }
    // Eliminates columns FIRST D, … of which the diagonal entries are in rows FIRST of the lanes.
    template <int FIRST>
    __device__ __forceinline__ void eliminate() {
        const int count = min(D, n_ - FIRST * D);
#pragma unroll 1
        for (int j = 0; j < count; ++j) {
            const int k = FIRST * D + j, last = n_ - 1 - k;
            T v[R], squares[1], of_b[1], g[G];
#pragma unroll
            for (int r = FIRST; r < R; ++r) v[r] = r > FIRST ? a_[0][r] : chosen(part_ > j, a_[0][r], T(0));
            squares[0] = product<FIRST>(v, v);
            sum(squares);
            const T alpha = of_part(a_[0][FIRST], j);
            const HouseholderScalars<T> h = householder(alpha, squares[0]);
            const T all = fma_(alpha, alpha, squares[0]), f = h.ratio * h.sigma;
            is_unusual_ |= !in_safe_range(all, all);
            v[FIRST] = chosen(part_ == j, alpha - h.beta, v[FIRST]);
            word(FIRST, k) = chosen(part_ == j, -h.ratio, a_[0][FIRST]);  // 1 / R_kk
            of_b[0] = product<FIRST>(v, b_);
            sum(of_b);
            if constexpr (N - FIRST * D > 1) products<FIRST, 1>(v, g);
            update<FIRST>(v, f * of_b[0], b_, b_);
            if constexpr (N - FIRST * D > 1)
                if (last > 0) apply<FIRST, 1>(v, f, g, last);
        }
        if constexpr (FIRST + 1 < K::stages) {
#pragma unroll
            for (int c = 0; c < N - (FIRST + 1) * D; ++c) word(FIRST, (FIRST + 1) * D + c) = a_[c][FIRST];
            eliminate<FIRST + 1>();
        }
    }
    // R x = b for the same columns, from the last one on
    template <int FIRST>
    __device__ __forceinline__ void substitute() {
        if constexpr (FIRST + 1 < K::stages) substitute<FIRST + 1>();
        bool all = true;
#pragma unroll 1
        for (int j = min(D, n_ - FIRST * D) - 1; j >= 0; --j) {
            const int k = FIRST * D + j;
            const T own = word(FIRST, k), x = of_part(b_[FIRST] * own, j);
            all = all && is_finite(x);
#pragma unroll
            for (int r = 0; r < FIRST; ++r) b_[r] = fnma(word(r, k), x, b_[r]);
            b_[FIRST] = chosen(part_ == j, x, fnma(chosen(part_ < j, own, T(0)), x, b_[FIRST]));
        }
        is_unusual_ |= !all;
    }

    T *const r_;
    const int part_, m_, n_;
    bool is_unusual_ = false;
    T a_[N][R], b_[R];
};

// Copies contiguous matrices of whole chunks to shared memory, by a warp.
template <class T>
__device__ __forceinline__ void fetch(const T *from, T *to, int matrix, int pitch, int count) {
    constexpr int chunk = Sixteen<T>::size;
#pragma unroll 4
    for (int q = 0; q < count; ++q, from += matrix, to += pitch)
#pragma unroll 1
        for (int e = int(threadIdx.x) % 32 * chunk; e < matrix; e += 32 * chunk)
            copy_async<T, chunk, 0>(true, shared_address(to + e), from + e);
    wait_for_copies();
    __syncwarp();
}

template <class T, int SHAPE>
__global__ void __launch_bounds__(RowsKind<T, SHAPE>::most_threads, 1)
    solve_rows(const __grid_constant__ ResidentArguments<T> p, const RowsMemory at) {
    extern __shared__ __align__(16) unsigned char memory[];
    using K = RowsKind<T, SHAPE>;
    const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
    const int64_t first = (int64_t(blockIdx.x) * (blockDim.x / 32) + warp) * K::of_warp;
    T *const shared = reinterpret_cast<T *>(memory) + warp * at.all;
    const int64_t own = first + lane / K::D;
    const bool is_there = own < p.batch, is_first = is_there && lane % K::D == 0;
    bool is_flagged;
    if (first >= p.batch) return;
    {
        const MatrixView<T> b = p.b.of(min(own, p.batch - 1));
        RowsSystem<T, K> rows(shared, p.m, p.n);
        rows.read_side(b);
        if (at.pitch > 0) {
            const int count = int(min(int64_t(K::of_warp), p.batch - first));
            fetch(p.a.data + first * p.a.at.stride, shared, p.m * p.n, at.pitch, count);
            rows.read(shared + min(lane / K::D, count - 1) * at.pitch);
            __syncwarp();
        } else {
            rows.read(p.a.of(min(own, p.batch - 1)));
        }
        rows.solve();
        is_flagged = rows.is_unusual() && is_there;
        if (is_there && !is_flagged) rows.write(b);
    }
    if (p.info && is_first && !is_flagged) p.info[own] = 0;
    unsigned flagged = __ballot_sync(~0u, is_flagged && is_first);
#pragma unroll 1
    while (flagged != 0) {
        const int64_t j = first + (__ffs(int(flagged)) - 1) / K::D;
        flagged &= flagged - 1;
        __syncwarp();
        const int info = solve_alone<T, K::ld>(p.a.of(j), p.b.of(j), p.m, p.n, shared);
        if (p.info && lane == 0) p.info[j] = info;
    }
}

}  // namespace xbatch::qr
