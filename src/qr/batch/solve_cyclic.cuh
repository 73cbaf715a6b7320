// solve_cyclic.cuh: batched least squares with one right-hand side in registers, one or more matrices per warp.
//
// A few lanes hold [A b] cyclically by rows and columns, as in cyclic_columns.cuh. Reflectors I - f v v^T, f = 2 / v^T
// v, are applied when they are found, and are not stored. R and Q^T b go to shared memory, where lane l of L then has
// rows l, l + L, … of R x = Q^T b.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/async_copy.cuh"
#include "core/cluster.cuh"
#include "cyclic_columns.cuh"
#include "qr_solve_tuning.hpp"
#include "resident_arguments.cuh"
#include "solve_alone.cuh"
#include "solve_side.cuh"

namespace xbatch::qr {

template <class T, int SHAPE>
struct CyclicSolveKind {
    static constexpr CyclicShape shape = std::get<SHAPE>(solve_shapes<T>).lanes;
    static constexpr int D = shape.down, A = shape.across, R = shape.rows, C = shape.columns;
    static constexpr int lanes = shape.lanes(), of_warp = shape.of_warp(), apart = shape.apart(), warps = shape.warps;
    static constexpr int most_columns = shape.most_columns(), alone = alone_ld(shape.most_rows());
    static_assert(32 % lanes == 0);

    // The lanes of the q-th matrix
    static __device__ unsigned mask(int q) {
        constexpr unsigned first = [] {
            unsigned bits = 0;
            for (int l = 0; l < lanes; ++l) bits |= 1u << l * apart;
            return bits;
        }();
        return first << (apart > 1 ? q : q * lanes);
    }
};

template <class T, class K>
class CyclicSystem : CyclicColumns<T, K> {
public:
    __device__ CyclicSystem(const SolvePlaces &at, int m, int n, int own) : Base(own), at_(at), m_(m), n_(n) {}

    // From shared memory: the columns of A and b
    __device__ __forceinline__ void read(const T *from, bool is_there) {
#pragma unroll
        for (int t = 0; t < C; ++t) {
            const int column = t * A + column_ - at_.across, row = row_ - at_.down;
            const T *const at = from + column * at_.ld + row;
            const bool is_in = is_there && unsigned(column) <= unsigned(n_);
#pragma unroll
            for (int i = 0; i < R; ++i) {
                a_[t][i] = T(0);
                if (is_in && unsigned(row + i * D) < unsigned(m_)) a_[t][i] = at[i * D];
            }
        }
    }
    // R above its diagonal, and Q^T b
    __device__ __forceinline__ void write(T *to) const {
#pragma unroll
        for (int t = 0; t < C; ++t) {
            const int column = t * A + column_ - at_.across, row = row_ - at_.down;
            T *const at = to + column * at_.ld + row;
            const int end = column < n_ ? column : m_;
            const bool is_in = unsigned(column) <= unsigned(n_);
#pragma unroll
            for (int i = 0; i < R; ++i)
                if (is_in && row + i * D >= 0 && row + i * D < end) at[i * D] = a_[t][i];
        }
    }
    // inverses: 1 / R_kk, in shared memory. Returns whether a norm is near the ends of the range.
    __device__ __forceinline__ bool eliminate(T *inverses) {
        stage<0>(inverses - at_.across);
        return is_unusual_;
    }

private:
    using Base = CyclicColumns<T, K>;
    using Base::A, Base::C, Base::D, Base::R, Base::a_, Base::column_, Base::row_;

    // Eliminates the j-th column of stage S.
    template <int S>
    __device__ __forceinline__ void step(int j, T *inverses) {
        const auto scalars = [&](T alpha, T squares) {
            const T all = fma_(alpha, alpha, squares);
            is_unusual_ |= !in_safe_range(all, all);
            return short_householder(alpha, squares);
        };
        const int k = S * A + j - at_.across + at_.down;
        const HouseholderScalars<T> h = this->template reflect<S>(j, k, scalars);
        if (row_ == 0 && column_ == 0) inverses[S * A + j] = -h.ratio;
    }
    template <int S>
    __device__ __forceinline__ void stage(T *inverses) {
        if (at_.end <= S * A) return;
        if (at_.across < (S + 1) * A) {
#pragma unroll 1
            for (int j = max(0, at_.across - S * A); j < min(A, at_.end - S * A); ++j) step<S>(j, inverses);
        }
        if constexpr (S + 1 < C && (S + 1) * A < D * R) stage<S + 1>(inverses);
    }

    const SolvePlaces &at_;
    const int m_, n_;
    bool is_unusual_ = false;
};

// R x = b in shared memory, by the lanes of a matrix
template <class T, class K>
class CyclicTriangle {
public:
    __device__ CyclicTriangle(const T *r, const T *inverses, int ld, int n, int own)
        : r_(r + own), inverses_(inverses), ld_(ld), n_(n), own_(own) {}
    // Returns whether an entry of x of this lane is not finite.
    __device__ __forceinline__ bool solve() {
#pragma unroll
        for (int s = 0; s < Y; ++s) {
            const bool is_in = own_ + s * L < n_;
            y_[s] = is_in ? r_[n_ * ld_ + s * L] : T(0);
            inverse_[s] = is_in ? inverses_[own_ + s * L] : T(0);
        }
        substitute<Y - 1>();
        bool is_wrong = false;
#pragma unroll
        for (int s = 0; s < Y; ++s) is_wrong |= is_nonfinite(y_[s]);
        return is_wrong;
    }
    // x, and what is left of b
    __device__ __forceinline__ void write(const MatrixView<T> &b, int m) const {
#pragma unroll
        for (int s = 0; s < Y; ++s)
            if (own_ + s * L < n_) *b.at(own_ + s * L, 0) = y_[s];
#pragma unroll 1
        for (int i = n_ + (own_ + L - n_ % L) % L; i < m; i += L) *b.at(i, 0) = r_[n_ * ld_ + i - own_];
    }

private:
    static constexpr int L = K::lanes, most = K::A * K::C < K::D * K::R ? K::A * K::C : K::D * K::R,
                         Y = (most + L - 1) / L;

    template <int S>
    __device__ __forceinline__ void substitute() {
        const int count = min(L, n_ - S * L), lane = int(threadIdx.x) % 32;
#pragma unroll 4
        for (int u = count - 1; u >= 0; --u) {
            const int k = S * L + u;
            T column[Y];
#pragma unroll
            for (int t = 0; t <= S; ++t) column[t] = own_ + t * L < k ? r_[k * ld_ + t * L] : T(0);
            const T x = from_lane(y_[S] * inverse_[S], lane + (u - own_) * K::apart);
#pragma unroll
            for (int t = 0; t <= S; ++t) y_[t] = fnma(column[t], x, y_[t]);
        }
        y_[S] = y_[S] * inverse_[S];
        if constexpr (S > 0) substitute<S - 1>();
    }

    const T *const r_, *const inverses_;
    const int ld_, n_, own_;
    T y_[Y], inverse_[Y];
};

// Loads the matrices of a warp, which are flat, and their right-hand sides.
template <class T, class K>
class SystemCopies {
public:
    __device__ SystemCopies(const ResidentArguments<T> &p, const SolvePlaces &at, T *data, int64_t first, int count)
        : p_(p), at_(at), data_(data), first_(first), count_(count) {}

    // barrier: for bulk copies
    __device__ __forceinline__ void load(TransferBarrier barrier) const {
        bool has_chunks = at_.has_chunks;
        if (p_.a.each)
            for (int q = 0; q < count_; ++q) has_chunks = has_chunks && begins_chunk(a(q)) && begins_chunk(b(q));
        const bool is_by_bulk = has_chunks && at_.is_contiguous && architecture_has_clusters;
        if (is_by_bulk)
            fetch(barrier);
        else if (has_chunks)
            copy<chunk>();
        else
            copy<1>();
        prefetch();
        __syncwarp();  // lanes that wait are not to keep others from copying
        if (is_by_bulk) barrier.wait(0);
        wait_for_copies();
        __syncwarp();
    }

private:
    static constexpr int chunk = Sixteen<T>::size;

    __device__ static int lane() { return int(threadIdx.x) % 32; }
    __device__ static bool begins_chunk(const T *at) { return reinterpret_cast<uintptr_t>(at) % 16 == 0; }
    __device__ const T *a(int64_t q) const {
        return p_.a.each ? p_.a.each[first_ + q] : p_.a.data + (first_ + q) * p_.a.at.stride;
    }
    __device__ const T *b(int64_t q) const {
        return p_.b.each ? p_.b.each[first_ + q] : p_.b.data + (first_ + q) * p_.b.at.stride;
    }
    // Each matrix at once, by a lane
    __device__ __forceinline__ void fetch(TransferBarrier barrier) const {
        const unsigned bytes = unsigned(p_.m * int(sizeof(T)));
        if (lane() == 0) barrier.begin(), barrier.expect(unsigned(count_ * (p_.n + 1)) * bytes);
        __syncwarp();
        if (lane() >= count_) return;
        T *const to = data_ + lane() * at_.matrix;
        fetch_bytes(to, a(lane()), unsigned(p_.n) * bytes, barrier);
        fetch_bytes(to + p_.n * at_.ld, b(lane()), bytes, barrier);
    }
    // In units of U elements; some lanes share a column.
    template <int U>
    __device__ __forceinline__ void copy() const {
        const int lanes = at_.copy_lanes, step = 32 / lanes, own = lane() / lanes;
        const int64_t further = step * p_.a.at.column;
#pragma unroll 1
        for (int q = 0; q < count_; ++q) {
            const T *const matrix = a(q) + own * p_.a.at.column, *const side = b(q);
            T *const to = data_ + q * at_.matrix;
#pragma unroll 1
            for (int i = lane() % lanes * U; i < p_.m; i += lanes * U) {
                const T *from = matrix + i;
#pragma unroll 4
                for (int c = own; c <= p_.n; c += step, from += further)
                    copy_async<T, U, 0>(true, shared_address(to + c * at_.ld + i), c < p_.n ? from : side + i);
            }
        }
    }
    // What a warp long after this one loads, to the second-level cache
    __device__ void prefetch() const {
#if __CUDA_ARCH__ >= 900
        if (at_.ahead > 0 && lane() == 0 && first_ + at_.ahead < p_.batch - K::of_warp)
            asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(a(at_.ahead)),
                         "r"(unsigned(K::of_warp * p_.m * p_.n) / chunk * 16)
                         : "memory");
#endif
    }

    const ResidentArguments<T> &p_;
    const SolvePlaces &at_;
    T *const data_;
    const int64_t first_;
    const int count_;
};

template <class T, class K>
__device__ __forceinline__ void solve_cyclic_warp(const ResidentArguments<T> &p, const SolvePlaces &at,
                                                  unsigned char *shared) {
    T *const data = reinterpret_cast<T *>(shared + 16);
    const int64_t first = int64_t(blockIdx.x) * K::of_warp;
    const int count = int(min(int64_t(K::of_warp), p.batch - first)), lane = int(threadIdx.x);
    const int q = matrix_of_lane(lane, K::lanes, K::apart), own = lane_of_matrix(lane, K::lanes, K::apart);
    const bool is_there = q < count;
    const unsigned mask = K::mask(q);
    SystemCopies<T, K>(p, at, data, first, count).load({reinterpret_cast<uint64_t *>(shared)});
    T *const matrix = data + min(q, count - 1) * at.matrix, *const inverses =
                                                                data + K::of_warp * at.matrix + q * K::most_columns;
    SideRange<T> range;
#pragma unroll 2
    for (int i = own; i < p.m; i += K::lanes) range.add(matrix[p.n * at.ld + i]);
    bool is_unusual = range.needs_scaling(mask);
    {
        CyclicSystem<T, K> system(at, p.m, p.n, own);
        system.read(matrix, is_there);
        __syncwarp();
        is_unusual |= system.eliminate(inverses);
        if (is_there) system.write(matrix);
    }
    __syncwarp();
    CyclicTriangle<T, K> triangle(matrix, inverses, at.ld, p.n, own);
    is_unusual |= triangle.solve();
    const unsigned unusual = __ballot_sync(~0u, is_unusual);  // by all lanes
    const bool is_flagged = is_there && (unusual & mask) != 0;
    if (is_there && !is_flagged) triangle.write(p.b.of(first + q), p.m);
    if (p.info && is_there && own == 0 && !is_flagged) p.info[first + q] = 0;
    unsigned flagged = __ballot_sync(~0u, is_flagged && own == 0);
#pragma unroll 1
    while (flagged != 0) {
        const int64_t j = first + matrix_of_lane(__ffs(int(flagged)) - 1, K::lanes, K::apart);
        flagged &= flagged - 1;
        __syncwarp();
        const int info = solve_alone<T, K::alone>(p.a.of(j), p.b.of(j), p.m, p.n, data);
        if (p.info && lane == 0) p.info[j] = info;
    }
}

template <class T, int SHAPE>
__global__ void __launch_bounds__(32, CyclicSolveKind<T, SHAPE>::warps)
    solve_cyclic(const __grid_constant__ ResidentArguments<T> p, const __grid_constant__ SolvePlaces at) {
    extern __shared__ __align__(16) unsigned char shared[];
    solve_cyclic_warp<T, CyclicSolveKind<T, SHAPE>>(p, at, shared);
}

}  // namespace xbatch::qr
