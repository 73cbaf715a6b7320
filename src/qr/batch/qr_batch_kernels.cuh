// qr_batch_kernels.cuh: batched QR on the GPU: a few lanes, a warp or a block per matrix, its columns in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/common/gels_scaling.hpp"
#include "register_apply.cuh"
#include "register_factor.cuh"
#include "register_triangle.cuh"

namespace xbatch::qr {

// The largest `own` of the threads that any() covers, bit by bit
template <class Word, class Any>
__device__ Word largest_of(Word own, Any any) {
    Word found = 0;
#pragma unroll 1
    for (Word bit = Word(1) << (8 * sizeof(Word) - 2); bit != 0; bit >>= 1)
        if (any(own >= (found | bit))) found |= bit;
    return found;
}

// The matrix that this thread works on. Lanes without one run along with an empty matrix.
template <class T, class K>
struct TileOfBatch {
    bool exists;
    int64_t matrix;
    RegisterTile<T, K> tile;

    static __host__ __device__ size_t bytes(TileLayout at) {
        return size_t(at.per_block) * size_t(RegisterTile<T, K>::exchange_elements(at)) * sizeof(T);
    }
    __device__ __forceinline__ TileOfBatch(TileLayout at, int64_t batch, const DeviceSizes &sizes,
                                           unsigned char *memory)
        : exists(sizes.has(place(at), batch)),
          matrix(exists ? sizes.matrix(place(at)) : 0),
          tile(at, reinterpret_cast<T *>(memory) + own() * RegisterTile<T, K>::exchange_elements(at)) {}
    // Its number, or one that exists. Hidden from the compiler, which would keep the addresses of matrices in registers
    // that the columns need.
    __device__ int64_t number() const {
        int64_t j = exists ? matrix : 0;
        asm volatile("" : "+l"(j));
        return j;
    }
    __device__ MatrixSize size(const DeviceSizes &sizes, int m, int n, int k) const {
        return exists ? size_of(sizes, matrix, m, n, k) : MatrixSize{};
    }
    __device__ bool is_first() const { return exists && (K::ONE_WARP ? threadIdx.x % lanes : threadIdx.x) == 0; }
    // Whether is_so holds in any thread of the matrix
    __device__ bool any(bool is_so) const { return tile.any(is_so); }
    // The largest of the threads that take branches together
    __device__ int largest(int x) const {
        if constexpr (K::ONE_WARP && K::matrices > 1)
            return __reduce_max_sync(~0u, x);
        else
            return x;
    }
    // Scales columns before column n, or those from it on, as for least squares. Returns the exponent.
    __device__ __forceinline__ int scale(int n, bool from_n) {
        SizeBits<Real<T>> own = 0;
        tile.each_entry(0, [&](int, int c, const T &x) {
            if (from_n == (c >= n)) own = max(own, size_bits(x));
        });
        const int e = scaling_exponent<Real<T>>(largest_of(own, [&](bool is_so) { return any(is_so); }));
        tile.each_entry(0, [&](int, int c, T &x) {
            if (from_n == (c >= n)) x = times_power_of_two(x, e);
        });
        return e;
    }
    // Whether this lane's entries of columns from n on need no scaling
    __device__ __forceinline__ bool in_safe_range(int n) {
        SizeBits<Real<T>> own = 0;
        tile.each_entry(n, [&](int, int, const T &x) { own = max(own, size_bits(x)); });
        return scaling_exponent<Real<T>>(own) == 0;
    }
    // Whether this lane's entries of columns from n on are finite in rows 0 … rows-1
    __device__ __forceinline__ bool is_finite_to(int rows, int n) {
        bool all = true;
        tile.each_entry(n, [&](int row, int, const T &x) { all = all && (row >= rows || is_finite(x)); });
        return all;
    }

private:
    static __device__ int64_t place(TileLayout at) { return int64_t(blockIdx.x) * at.per_block + own(); }
    static constexpr unsigned lanes = K::D * K::A;
    static __device__ unsigned own() { return K::ONE_WARP ? threadIdx.x / lanes : 0; }
};

// Applies reflectors 0 … count-1 of a matrix to the tile, in this order or in reverse; those from `own` on have tau =
// 0.
template <class T, class K>
__device__ __forceinline__ void apply_vectors(TileOfBatch<T, K> &b, const MatrixView<T> &v, const MatrixView<T> &tau,
                                              int rows, int count, int own, bool is_adjoint) {
#pragma unroll 1
    for (int s = 0; s < count; ++s) {
        const int k = is_adjoint ? s : count - 1 - s;
        const T factor = k < own ? *tau.at(k, 0) : T(0);
        b.tile.apply_reflector(v, k < own ? rows : 0, k, k, is_adjoint ? conjugate(factor) : factor);
    }
}

// A = Q R, A in `from`, the factors in `a`, by a block for each matrix and by panels of columns, left-looking: the
// reflectors of the panels before are applied to a panel, which is then factored below its first row.
template <class T>
struct FactorBatchArguments {
    DeviceMatrices<T> from, a;
    DeviceTau<T> tau;
    int m, n;
    int64_t batch;
    int32_t *info;
    DeviceSizes sizes;
    const LeastSquaresScaling *scaling = nullptr;  // of each matrix, if they are scaled first
};
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    factor_batch(TileLayout layout, const __grid_constant__ FactorBatchArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    TileOfBatch<T, K> b(layout, p.batch, p.sizes, memory);
    const MatrixSize size = b.size(p.sizes, p.m, p.n, 0);
    const int m = size.m, n = size.n, k = min(m, n), columns = b.tile.columns();
    int wrong = 0;
    for (int first = 0; first < n; first += columns) {
        const int width = min(columns, n - first), steps = max(0, min(width, k - first));
        bool needs_scaling = false;
        // One loop, so that there is one copy of the code that loads and stores: apply the reflectors of the panels
        // before, factor, and again with scaled norms if they are needed.
        enum Turn { apply, factor, factor_again };
#pragma unroll 1
        for (int turn = first > 0 ? apply : factor;; ++turn) {
            const bool applies = turn == apply, again = turn == factor_again;
            if (!applies && steps == 0) break;
            const int above = applies ? 0 : first;
            const DeviceMatrices<T> &source = applies || first == 0 ? p.from : p.a;
            b.tile.load(source.of(b.number()).below(above), m - above, first, width);
            if (p.scaling && (applies || first == 0)) {
                const int e = p.scaling[b.number()].a;
                if (e != 0) b.tile.each_entry(0, [&](int, int, T &x) { x = times_power_of_two(x, e); });
            }
            if (applies) {
                apply_vectors(b, p.a.of(b.number()), p.tau.of(b.number()), m, min(first, k), k, true);
            } else if (again) {
                const int found = b.tile.factor_scaled(m - first, steps, steps);
                if (wrong == 0 && found > 0) wrong = first + found;
            } else {
                needs_scaling = b.any(!b.tile.factor(m - first, steps, steps));
            }
            if (applies || needs_scaling == again)
                b.tile.store(p.a.of(b.number()).below(above), m - above, first, width);
            if (!applies && needs_scaling == again) {
                const MatrixView<T> tau = p.tau.of(b.number());
                b.tile.each_tau([&](int c, T x) {
                    if (c < steps) *tau.at(first + c, 0) = x;
                });
            }
            if (applies)
                __syncthreads();
            else if (again || !needs_scaling)
                break;
        }
        __syncthreads();  // others load what is stored
    }
    if (p.info && b.is_first()) p.info[b.matrix] = wrong;
}

// C := Q C or Q^H C by panels of columns. Q is formed from the identity's last panel to the first, since a panel of Q
// overwrites its vectors.
template <class T>
struct ApplyArguments {
    DeviceMatrices<T> v, c;
    DeviceTau<T> tau;
    int rows, columns, k;
    bool is_adjoint, forms_q;
    int64_t batch;
    DeviceSizes sizes;
};
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    apply_batch(TileLayout layout, const __grid_constant__ ApplyArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    TileOfBatch<T, K> b(layout, p.batch, p.sizes, memory);
    const MatrixSize size = b.size(p.sizes, p.rows, p.columns, p.k);
    const MatrixView<T> v = p.v.of(b.number()), c = p.c.of(b.number()), tau = p.tau.of(b.number());
    const int wide = b.tile.columns(), panels = (b.largest(size.n) + wide - 1) / wide;
    for (int n = 0; n < panels; ++n) {
        const int first = (p.forms_q ? panels - 1 - n : n) * wide, width = min(wide, size.n - first);
        if (p.forms_q)
            b.tile.set_identity(first);
        else
            b.tile.load(c, size.m, first, width);
        const int own = p.forms_q ? min(size.k, first + width) : size.k;
        apply_vectors(b, v, tau, size.m, b.largest(own), own, p.is_adjoint);
        if (!K::ONE_WARP) __syncthreads();  // all have read the vectors that Q overwrites
        b.tile.store(c, size.m, first, width);
    }
}

// Least squares: the right-hand sides augment the columns of G = Q R. Least norm: R^H y = b, x = Q y. m and n are those
// of A, which is G, or G^H if is_turned. In varying batches, matrices of the other shape are left to another launch.
template <class T>
struct SolveArguments {
    DeviceMatrices<T> g, b;
    int m, n, nrhs;
    bool is_turned, is_least_norm;
    int64_t batch;
    int32_t *info;
    DeviceSizes sizes;
};
template <class T, class K, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    solve_batch(TileLayout layout, const __grid_constant__ SolveArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    TileOfBatch<T, K> b(layout, p.batch, p.sizes, memory);
    const MatrixSize size = b.size(p.sizes, p.m, p.n, p.nrhs);
    const bool is_mine = b.exists && (size.m < size.n) == p.is_turned;
    const int m = is_mine ? max(size.m, size.n) : 0, n = is_mine ? min(size.m, size.n) : 0;
    const int nrhs = is_mine ? size.k : 0;
    const int unknowns = p.is_least_norm ? m : n;
    int wrong = 0;
    bool needs_scaling = false, is_solved = true;  // in this lane
#pragma unroll 1
    for (bool again = false;; again = true) {
        LeastSquaresScaling scaling{};
        bool in_safe_range = m != 1;  // 1 x 1: no entries below the head, so no norm to test
        // G, then the right-hand sides: those of least squares before the elimination, those of least norm after it.
        // One loop, so that there is one copy of the code of each.
#pragma unroll 1
        for (bool has_sides = false;; has_sides = true) {
            if (has_sides)
                b.tile.template load<true>(p.b.of(b.number()), p.is_least_norm ? n : m, 0, nrhs, n);
            else
                b.tile.load(p.g.of(b.number()), m, 0, n);
            if (again)
                (has_sides ? scaling.b : scaling.a) = b.scale(n, has_sides);
            else if (has_sides)
                in_safe_range &= b.in_safe_range(n);
            if (has_sides != p.is_least_norm) {
                if (again)
                    b.tile.factor_scaled(m, n, n);
                else
                    in_safe_range &= b.tile.factor(m, n, n);
            }
            if (has_sides) break;
        }
        int found;
        if (p.is_least_norm) {
            found = b.tile.solve_adjoint(n, n);
            b.tile.multiply(n, n);
        } else {
            found = b.tile.solve(n, n);
        }
        if (again)
            b.tile.each_entry(n, [&](int row, int, T &x) {
                x = times_power_of_two(x, row < unknowns ? scaling.of_solution() : scaling.of_residual());
            });
        else
            needs_scaling = b.any(!in_safe_range);
        if (needs_scaling == again) {
            wrong = found;
            if (p.info) is_solved = b.is_finite_to(unknowns, n);
            b.tile.store(p.b.of(b.number()), m, 0, nrhs, n);
        }
        if (again || !needs_scaling) break;
    }
    if (!p.info) return;
    is_solved = !b.any(!is_solved);
    if (b.is_first() && is_mine) p.info[b.matrix] = wrong > 0 || is_solved ? wrong : n + 1;
}

// R x = b, or R^H y = b and zeros below, for factors in memory: one block per matrix, its threads along the rows.
template <class T>
struct TriangleArguments {
    DeviceMatrices<T> r, b;
    int m, n, nrhs;
    bool is_adjoint;
    int64_t batch;
    int32_t *info;
    DeviceSizes sizes;
};
constexpr int triangle_threads = 128;
template <class T>
__global__ void __launch_bounds__(triangle_threads) solve_triangles(TriangleArguments<T> p) {
    __shared__ int wrong;
    if (!p.sizes.has(blockIdx.x, p.batch)) return;
    const int64_t j = p.sizes.matrix(blockIdx.x);
    const MatrixSize size = size_of(p.sizes, j, p.m, p.n, p.nrhs);
    const int m = size.m, n = size.n, nrhs = size.k;
    const MatrixView<T> r = p.r.of(j), b = p.b.of(j);
    if (threadIdx.x == 0) wrong = INT32_MAX;
    __syncthreads();
    for (int i = int(threadIdx.x); i < n; i += triangle_threads)
        if (!has_reciprocal(*r.at(i, i))) atomicMin(&wrong, i + 1);
    for (int s = 0; s < n; ++s) {
        const int k = p.is_adjoint ? s : n - 1 - s, begin = p.is_adjoint ? k + 1 : 0, end = p.is_adjoint ? n : k;
        const Real<T> inverse = Real<T>(1) / real_part(*r.at(k, k));
        __syncthreads();
        for (int i = begin + int(threadIdx.x); i < end; i += triangle_threads) {
            const T entry = p.is_adjoint ? conjugate(*r.at(k, i)) : *r.at(i, k);
            for (int c = 0; c < nrhs; ++c) *b.at(i, c) = fnma(entry, *b.at(k, c) * inverse, *b.at(i, c));
        }
        __syncthreads();
        for (int c = int(threadIdx.x); c < nrhs; c += triangle_threads) *b.at(k, c) = *b.at(k, c) * inverse;
    }
    if (p.is_adjoint)
        for (int c = 0; c < nrhs; ++c)
            for (int i = n + int(threadIdx.x); i < m; i += triangle_threads) *b.at(i, c) = T(0);
    if (p.info && threadIdx.x == 0) p.info[j] = wrong == INT32_MAX ? 0 : wrong;
}

}  // namespace xbatch::qr
