// qr_batch_kernels.cuh: a batch of QRs on the GPU: groups of threads take a matrix each, columns in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "batch_move.cuh"
#include "qr_batch.hpp"

namespace xbatch {

// What a block keeps in shared memory: its matrices, what warps of one matrix exchange, tau, and a word for each
template <class T, class K>
struct TileShared {
    static constexpr size_t exchange_elements(TileLayout at) {
        const int warps = at.groups * K::G / 32;
        return K::ALONE ? 0 : size_t(2 * at.groups * TileArea<T, K>::pitch + 2 * (warps + 1) * K::columns);
    }
    static size_t bytes(TileLayout at) {
        return (size_t(at.per_block) * size_t(TileArea<T, K>::size(at) + K::columns) + exchange_elements(at)) *
                   sizeof(T) +
               size_t(at.per_block) * sizeof(int);
    }

    T *area, *exchange, *tau;
    int *wrong;

    __device__ TileShared(TileLayout at, unsigned char *memory) {
        area = reinterpret_cast<T *>(memory);
        exchange = area + at.per_block * TileArea<T, K>::size(at);
        tau = exchange + exchange_elements(at);
        wrong = reinterpret_cast<int *>(tau + at.per_block * K::columns);
    }
};

// The block's matrices, and the one that this thread works on. Where there are fewer than places, the others do the
// same with what is not written.
template <class T, class K>
struct BlockOfTiles {
    using Area = TileArea<T, K>;
    TileShared<T, K> shared;
    TileLayout layout;
    int own;     // matrix of the block
    Team team;   // that works on it
    int64_t j0;  // first matrix of the block
    int count;   // of them
    RegisterTile<T, K> tile;

    __device__ __forceinline__ BlockOfTiles(TileLayout at, unsigned char *memory, int64_t batch)
        : shared(at, memory),
          layout(at),
          own(int(threadIdx.x) / (at.groups * K::G)),
          team{int(threadIdx.x) % (at.groups * K::G), at.groups * K::G},
          j0(int64_t(blockIdx.x) * at.per_block),
          count(int(min(int64_t(at.per_block), batch - j0))),
          tile(at, shared.area + own * Area::size(at), shared.exchange) {}
    __device__ BlockArea<T, K> all() const {
        return {layout, shared.area, j0, count, {int(threadIdx.x), int(blockDim.x)}};
    }
    __device__ BlockArea<T, K> alone() const { return {layout, area(), matrix(), exists() ? 1 : 0, team}; }
    __device__ T *area() const { return shared.area + own * Area::size(layout); }
    __device__ bool exists() const { return own < count; }
    __device__ int64_t matrix() const { return j0 + own; }
    __device__ T *at(int row, int column) const { return area() + Area::place(layout, row, column); }
    __device__ T *tau() const { return shared.tau + own * K::columns; }
    __device__ int &wrong() const { return shared.wrong[own]; }
    // Lanes of the matrix, where it has no more than a warp
    __device__ unsigned lanes() const {
        if constexpr (K::ALONE && K::G < 32) return ((1u << K::G) - 1) << (int(threadIdx.x) % 32 & ~(K::G - 1));
        return ~0u;
    }
    __device__ void sync() const {
        if (team.size > 32)
            __syncthreads();
        else
            __syncwarp(lanes());
    }
    // Whether it is so for any thread of the matrix
    __device__ bool any(bool is_so) const {
        if constexpr (K::ALONE)
            return (__ballot_sync(~0u, is_so) & lanes()) != 0;
        else
            return __syncthreads_or(is_so);
    }
};

template <class T>
struct DeviceTau {
    T *data;
    Placement at;
};

// The first diagonal entry of R that is not finite, or where wanted zero
template <class T, class K>
__device__ __forceinline__ void judge(const BlockOfTiles<T, K> &b, int first, int count, bool zero_is_wrong) {
    for (int k = b.team.rank; k < count; k += b.team.size) {
        const T x = *b.at(first + k, k);
        if (!is_finite(x) || (zero_is_wrong && magnitude(x) == 0)) atomicMin(&b.wrong(), first + k + 1);
    }
}

// Reflectors that end with a row below them; a real one without has nothing to do.
template <class T>
__device__ int steps_of(int m, int k) {
    return sizeof(T) == sizeof(Real<T>) ? min(k, m - 1) : k;
}

// The columns first … first+count-1 of the matrix, the area's first, become reflectors, whatever their size: norms of
// scaled columns, and a thread for each of the columns that a reflector meets. What is left is as from the tile.
template <class T, class K>
__device__ __noinline__ void factor_carefully(TileLayout layout, Team team, unsigned lanes, T *area, T *tau, int m,
                                              int first, int count, int width) {
    using R = Real<T>;
    const auto at = [&](int i, int c) -> T & { return area[TileArea<T, K>::place(layout, i, c)]; };
    const auto sync = [&] {
        if (team.size > 32)
            __syncthreads();
        else
            __syncwarp(lanes);
    };
    for (int k = 0; k < count; ++k) {
        const int pivot = first + k;
        sync();
        R largest = 0, squares = 0;
        for (int i = pivot + 1; i < m; ++i) {
            const R size = larger(fabs(real_part(at(i, k))), fabs(imaginary_of(at(i, k))));
            largest = larger(largest, size);
        }
        const T alpha = at(pivot, k);
        const auto scaling = ColumnScaling<T>::of(largest, alpha);
        for (int i = pivot + 1; i < m; ++i) {
            const T x = scaling.scaled(at(i, k));
            squares += inner(x, x);
        }
        DeviceReflector<T> h = device_reflector(scaling.scaled(alpha), squares);
        h.beta = h.beta * scaling.undo_second * scaling.undo_first;
        if (scaling.is_nothing) h = {real_part(alpha), R(0), T(0), T(0)};
        for (int c = k + 1 + team.rank; c < width && !scaling.is_nothing; c += team.size) {
            T sum = at(pivot, c);
            for (int i = pivot + 1; i < m; ++i)
                sum = fma_(conjugate(h.sigma * scaling.scaled(at(i, k))), at(i, c), sum);
            sum = conjugate(h.tau) * sum;
            at(pivot, c) = at(pivot, c) - sum;
            for (int i = pivot + 1; i < m; ++i) at(i, c) = fnma(h.sigma * scaling.scaled(at(i, k)), sum, at(i, c));
        }
        sync();
        for (int i = pivot + 1 + team.rank; i < m; i += team.size) at(i, k) = h.sigma * scaling.scaled(at(i, k));
        if (team.rank == 0) at(pivot, k) = T(h.beta), tau[k] = h.tau;
    }
    sync();
}

// Vectors from .. end-1, in this order or the other, meet the tile.
template <class T, class K>
__device__ __forceinline__ void meet(BlockOfTiles<T, K> &b, const DeviceMatrices<T> &v, const DeviceTau<T> &tau,
                                     int rows, int begin, int end, bool is_adjoint) {
    const int parts = (end - begin + K::columns - 1) / K::columns;
    for (int n = 0; n < parts; ++n) {
        const int first = begin + (is_adjoint ? n : parts - 1 - n) * K::columns, count = min(K::columns, end - first);
        __syncthreads();
        b.all().bring_vectors(v, rows, first, count);
        for (int k = b.team.rank; k < count && b.exists(); k += b.team.size)
            b.tau()[k] = tau.data[tau.at.offset(first + k, b.matrix(), 0)];
        __syncthreads();
        for (int s = 0; s < count; ++s) {
            const int k = is_adjoint ? s : count - 1 - s;
            const T factor = b.tau()[k];
            b.tile.reflect(k, first + k, is_adjoint ? conjugate(factor) : factor);
        }
    }
    __syncthreads();
}

// A = Q R, from where A lies to where its factors are to be. Panels of columns meet the vectors before them, then
// become vectors themselves.
template <class T>
struct FactorArguments {
    DeviceMatrices<T> from, a;
    DeviceTau<T> tau;
    int m, n;
    int64_t batch;
    int32_t *info;
};
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) factor_batch(TileLayout layout, FactorArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    BlockOfTiles<T, K> b(layout, memory, p.batch);
    const int k = min(p.m, p.n);
    if (b.team.rank == 0) b.wrong() = INT32_MAX;
    for (int first = 0; first < p.n; first += K::columns) {
        const int width = min(K::columns, p.n - first), own = max(0, min(width, k - first));
        const int steps = min(own, steps_of<T>(p.m, k) - first);
        bool is_careful = false;
        for (;;) {
            b.all().bring(p.from, p.m, first, width, 0);
            wait_for_copies();
            __syncthreads();
            b.tile.load(p.m, width);
            if (first > 0) meet(b, p.a, p.tau, p.m, 0, min(first, k), true);
            if (is_careful || (K::ALONE && first > 0)) {
                b.tile.store(0);
                break;
            }
            is_careful = b.any(!b.tile.factor(p.m, first, steps));
            b.tile.each_tau([&](int column, T tau) { b.tau()[column] = tau; });
            if (K::ALONE || !is_careful) break;
        }
        if (is_careful) {
            if (K::ALONE) b.alone().bring(p.from, p.m, first, width, 0), wait_for_copies();
            factor_carefully<T, K>(b.layout, b.team, b.lanes(), b.area(), b.tau(), p.m, first, own, width);
        }
        __syncthreads();
        judge(b, first, own, false);
        for (int c = b.team.rank; c < own && b.exists(); c += b.team.size)
            p.tau.data[p.tau.at.offset(first + c, b.matrix(), 0)] = b.tau()[c];
        b.all().take(p.a, p.m, first, width, 0);
        __syncthreads();
    }
    if (p.info && b.team.rank == 0 && b.exists()) p.info[b.matrix()] = b.wrong() == INT32_MAX ? 0 : b.wrong();
}

// C := Q C or Q^H C by panels of columns; an identity's become Q from the last to the first, since a panel's vectors
// lie where it will be.
template <class T>
struct ApplyArguments {
    DeviceMatrices<T> v, c;
    DeviceTau<T> tau;
    int rows, columns, k;
    bool is_adjoint, forms_q;
    int64_t batch;
};
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) apply_batch(TileLayout layout, ApplyArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    BlockOfTiles<T, K> b(layout, memory, p.batch);
    const int panels = (p.columns + K::columns - 1) / K::columns;
    for (int n = 0; n < panels; ++n) {
        const int first = (p.forms_q ? panels - 1 - n : n) * K::columns, width = min(K::columns, p.columns - first);
        if (p.forms_q) {
            b.tile.set_identity(first);
        } else {
            b.all().bring(p.c, p.rows, first, width, 0);
            wait_for_copies();
            __syncthreads();
            b.tile.load(p.rows, width);
        }
        meet(b, p.v, p.tau, p.rows, 0, p.forms_q ? min(p.k, first + width) : p.k, p.is_adjoint);
        b.tile.store(0);
        __syncthreads();
        b.all().take(p.c, p.rows, first, width, 0);
        __syncthreads();
    }
}

// Least squares: the right-hand sides ride behind the columns of G = Q R; or least norm: R^H y = b, x = Q y.
template <class T>
struct SolveArguments {
    DeviceMatrices<T> g, b;
    int m, n, nrhs;
    bool is_least_norm;
    int64_t batch;
    int32_t *info;
};
// R x = y in columns n … of the area, or R^H x = y, by the threads of each matrix; the diagonal of R is real.
template <class T, class K>
__device__ __forceinline__ void solve_triangle(const BlockOfTiles<T, K> &b, int n, int nrhs, bool is_adjoint) {
    for (int s = 0; s < n; ++s) {
        const int k = is_adjoint ? s : n - 1 - s, begin = is_adjoint ? k + 1 : 0, count = is_adjoint ? n - begin : k;
        const Real<T> inverse = Real<T>(1) / real_part(*b.at(k, k));
        for (int r = 0; r < nrhs; ++r) {
            const T x = *b.at(k, n + r) * inverse;
            for (int t = b.team.rank; t < count; t += b.team.size) {
                const int i = begin + t;
                const T entry = is_adjoint ? conjugate(*b.at(k, i)) : *b.at(i, k);
                *b.at(i, n + r) = fnma(entry, x, *b.at(i, n + r));
            }
        }
        b.sync();
        for (int r = b.team.rank; r < nrhs; r += b.team.size) *b.at(k, n + r) = *b.at(k, n + r) * inverse;
    }
    b.sync();
}
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) solve_batch(TileLayout layout, SolveArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    BlockOfTiles<T, K> b(layout, memory, p.batch);
    if (b.team.rank == 0) b.wrong() = INT32_MAX;
    const int riding = p.is_least_norm ? 0 : p.nrhs;
    b.all().bring(p.g, p.m, 0, p.n, 0);
    b.all().bring(p.b, p.m, 0, riding, p.n);
    wait_for_copies();
    __syncthreads();
    b.tile.load(p.m, p.n + riding);
    const bool is_careful = b.any(!b.tile.factor(p.m, 0, steps_of<T>(p.m, p.n)));
    b.tile.each_tau([&](int column, T tau) { b.tau()[column] = tau; });
    if (is_careful) {
        b.alone().bring(p.g, p.m, 0, p.n, 0);
        b.alone().bring(p.b, p.m, 0, riding, p.n);
        wait_for_copies();
        factor_carefully<T, K>(b.layout, b.team, b.lanes(), b.area(), b.tau(), p.m, 0, p.n, p.n + riding);
    }
    if (p.is_least_norm) {
        __syncthreads();
        b.all().bring(p.b, p.n, 0, p.nrhs, p.n);
        wait_for_copies();
    }
    __syncthreads();
    judge(b, 0, p.n, true);
    solve_triangle(b, p.n, p.nrhs, p.is_least_norm);
    if (p.is_least_norm) {
        const int rows = K::R * layout.groups;  // to the area's last, which the vectors meet
        for (int t = b.team.rank; t < rows * (p.n + p.nrhs); t += b.team.size) {
            const int c = t / rows, i = t - c * rows;
            if (i >= p.m || (c < p.n ? i <= c : i >= p.n)) *b.at(i, c) = T(Real<T>(i == c && c < p.n ? 1 : 0));
        }
        __syncthreads();
        b.tile.load(p.m, p.n + p.nrhs);
        for (int k = p.n - 1; k >= 0; --k) b.tile.reflect(k, k, b.tau()[k]);
        b.tile.store(p.n);
    }
    __syncthreads();
    b.all().take(p.b, p.m, 0, p.nrhs, p.n);
    if (p.info && b.team.rank == 0 && b.exists()) p.info[b.matrix()] = b.wrong() == INT32_MAX ? 0 : b.wrong();
}

// R x = b, or R^H y = b and zeros below, for factors in memory: a block a matrix, its threads along the rows.
template <class T>
struct TriangleArguments {
    DeviceMatrices<T> r, b;
    int m, n, nrhs;
    bool is_adjoint;
    int32_t *info;
};
constexpr int triangle_threads = 128;
template <class T>
__global__ void __launch_bounds__(triangle_threads) solve_triangles(TriangleArguments<T> p) {
    __shared__ int wrong;
    const int64_t j = blockIdx.x;
    const T *const r_at = p.r.data + p.r.at.base(j);
    T *const b_at = p.b.data + p.b.at.base(j);
    const auto r = [&](int i, int c) { return r_at[i * p.r.at.row + c * p.r.at.column]; };
    const auto b = [&](int i, int c) -> T & { return b_at[i * p.b.at.row + c * p.b.at.column]; };
    if (threadIdx.x == 0) wrong = INT32_MAX;
    __syncthreads();
    for (int i = int(threadIdx.x); i < p.n; i += triangle_threads)
        if (const T x = r(i, i); !is_finite(x) || magnitude(x) == 0) atomicMin(&wrong, i + 1);
    for (int s = 0; s < p.n; ++s) {
        const int k = p.is_adjoint ? s : p.n - 1 - s, begin = p.is_adjoint ? k + 1 : 0, end = p.is_adjoint ? p.n : k;
        const Real<T> inverse = Real<T>(1) / real_part(r(k, k));
        __syncthreads();
        for (int i = begin + int(threadIdx.x); i < end; i += triangle_threads) {
            const T entry = p.is_adjoint ? conjugate(r(k, i)) : r(i, k);
            for (int c = 0; c < p.nrhs; ++c) b(i, c) = fnma(entry, b(k, c) * inverse, b(i, c));
        }
        __syncthreads();
        for (int c = int(threadIdx.x); c < p.nrhs; c += triangle_threads) b(k, c) = b(k, c) * inverse;
    }
    if (p.is_adjoint)
        for (int c = 0; c < p.nrhs; ++c)
            for (int i = p.n + int(threadIdx.x); i < p.m; i += triangle_threads) b(i, c) = T(0);
    if (p.info && threadIdx.x == 0) p.info[j] = wrong == INT32_MAX ? 0 : wrong;
}

}  // namespace xbatch
