// tile_algebra.hpp: dense operations on tiles by the threads of a task: products, triangular solves, Cholesky factors.
// Products are computed on a GPU by blocks of C in shared memory, several elements a thread; on the host by columns.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "core/scalar.hpp"
#include "xbatch/task_tickets.cuh"

// For loops over registers; the host compiler does not know the pragma.
#ifdef __CUDA_ARCH__
#define XBATCH_UNROLL _Pragma("unroll")
#else
#define XBATCH_UNROLL
#endif

namespace xbatch::task_graph::tile {

constexpr int threads = 256, side = 16;  // of a task; threads per side of a block of C
constexpr int depth = 16;                // columns of A and rows of B in shared memory at a time

// Number of columns solved or factored at a time
template <class T>
constexpr int block = std::is_floating_point_v<T> ? 32 : 16;

// Elements of C per thread in each direction, in a large product
template <class T>
constexpr int most = std::is_floating_point_v<T> ? 8 : 4;

// Two slices of a product; or a block of columns and the reciprocals of its diagonal. No bank conflicts.
template <class T>
constexpr size_t scratch = 2 * depth *(side *most<T> + 1) * sizeof(T);
static_assert(block<double> * (block<double> + 1) <= 2 * depth * (4 * side + 1), "a block must fit");

// A strided matrix: element (i, j) is at i*rs + j*cs, conjugated if is_conjugate
template <class T>
struct View {
    T *a;
    int64_t rs, cs;
    bool is_conjugate;

    XBATCH_HD T get(int i, int j) const {
        const T value = a[i * rs + j * cs];
        return is_conjugate ? conjugate(value) : value;
    }
    XBATCH_HD void set(int i, int j, T value) const { a[i * rs + j * cs] = is_conjugate ? conjugate(value) : value; }
    XBATCH_HD View from(int i, int j) const { return {a + i * rs + j * cs, rs, cs, is_conjugate}; }
    XBATCH_HD View transpose() const { return {a, cs, rs, is_conjugate}; }
    XBATCH_HD View adjoint() const { return {a, cs, rs, !is_conjugate}; }
    // The same with its n columns in reverse order
    XBATCH_HD View columns_reversed(int n) const { return {a + (n - 1) * cs, rs, -cs, is_conjugate}; }
    XBATCH_HD bool has_near_rows() const { return rs == 1 || rs == -1; }
};

// The elements of C that a product computes. The diagonal of a triangle is real.
enum class Part { all, lower, upper };

template <class T>
XBATCH_HD T with_real_part(T value) {
    return T(real_part(value));
}

// C = alpha (A B)_ij + beta C at one element
template <class T>
XBATCH_HD void store(const View<T> &C, int i, int j, Part part, Real<T> alpha, T product, Real<T> beta) {
    if ((part == Part::lower && i < j) || (part == Part::upper && i > j)) return;
    T value = product * alpha;
    if (beta != 0) value = fma_(C.get(i, j), T(beta), value);
    C.set(i, j, part != Part::all && i == j ? with_real_part(value) : value);
}

#ifdef __CUDA_ARCH__

// A slice of an m x k matrix, `Rows` rows and `depth` columns, zeros beyond it, loaded for shared memory
template <class T, int Rows>
struct Slice {
    static constexpr int each = (Rows * depth + threads - 1) / threads, stride = Rows + 1;
    T values[each];

    // Adjacent threads load adjacent elements.
    static __device__ void place(int e, bool near_rows, int &i, int &p) {
        i = near_rows ? e % Rows : e / depth;
        p = near_rows ? e / Rows : e % depth;
    }
    __device__ void load(const View<T> &A, int rank, int i0, int k0, int m, int k) {
        const bool near_rows = A.has_near_rows();
#pragma unroll
        for (int q = 0; q < each; ++q) {
            int i, p;
            place(rank + q * threads, near_rows, i, p);
            const bool is_there = i < Rows && p < depth && i0 + i < m && k0 + p < k;
            values[q] = is_there ? A.get(i0 + i, k0 + p) : T(0);
        }
    }
    __device__ void store(const View<T> &A, int rank, T *shared) const {
        const bool near_rows = A.has_near_rows();
#pragma unroll
        for (int q = 0; q < each; ++q) {
            int i, p;
            place(rank + q * threads, near_rows, i, p);
            if (i < Rows && p < depth) shared[p * stride + i] = values[q];
        }
    }
};

// The block of C at (i0, j0), of 16 R rows and 16 S columns: thread (x, y) of 16 x 16 has rows x, x + 16 … and columns
// y, y + 16 …. The next slices are loaded while the current ones are multiplied.
template <class T, int R, int S>
__device__ void multiply_block(const TaskContext &context, int i0, int j0, int m, int n, int k, Real<T> alpha,
                               const View<T> &A, const View<T> &B, Real<T> beta, const View<T> &C, Part part) {
    Slice<T, side * R> left;
    Slice<T, side * S> right;
    T *a = static_cast<T *>(context.scratch()), *b = a + depth * left.stride;
    const int rank = context.rank(), x = rank % side, y = rank / side;
    const View<T> Bt = B.transpose();
    T sum[R][S] = {};
    left.load(A, rank, i0, 0, m, k);
    right.load(Bt, rank, j0, 0, n, k);
    for (int k0 = 0; k0 < k; k0 += depth) {
        left.store(A, rank, a);
        right.store(Bt, rank, b);
        context.sync();
        left.load(A, rank, i0, k0 + depth, m, k);
        right.load(Bt, rank, j0, k0 + depth, n, k);
#pragma unroll 4
        for (int p = 0; p < depth; ++p) {
            T row[R], column[S];
            for (int r = 0; r < R; ++r) row[r] = a[p * left.stride + x + side * r];
            for (int c = 0; c < S; ++c) column[c] = b[p * right.stride + y + side * c];
            for (int r = 0; r < R; ++r)
                for (int c = 0; c < S; ++c) sum[r][c] = fma_(row[r], column[c], sum[r][c]);
        }
        context.sync();
    }
#pragma unroll
    for (int c = 0; c < S; ++c)
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const int i = i0 + x + side * r, j = j0 + y + side * c;
            if (i < m && j < n) store(C, i, j, part, alpha, sum[r][c], beta);
        }
}

template <class T, int R, int S>
__device__ void multiply_blocks(const TaskContext &context, int m, int n, int k, Real<T> alpha, const View<T> &A,
                                const View<T> &B, Real<T> beta, const View<T> &C, Part part) {
    constexpr int rows = side * R, columns = side * S;
    for (int j0 = 0; j0 < n; j0 += columns)
        for (int i0 = 0; i0 < m; i0 += rows) {
            if ((part == Part::lower && i0 + rows <= j0) || (part == Part::upper && j0 + columns <= i0)) continue;
            multiply_block<T, R, S>(context, i0, j0, m, n, k, alpha, A, B, beta, C, part);
        }
}

#endif

// C = alpha A B + beta C, C m x n, A m x k. Ends without a barrier; all writes to what it reads must be complete.
template <class T>
XBATCH_HD void multiply(const TaskContext &context, int m, int n, int k, Real<T> alpha, const View<T> &A,
                        const View<T> &B, Real<T> beta, const View<T> &C, Part part) {
#ifdef __CUDA_ARCH__
    if (n <= block<T>)
        multiply_blocks<T, most<T>, block<T> / side>(context, m, n, k, alpha, A, B, beta, C, part);
    else if (most<T> > 4 && m > 4 * side)
        multiply_blocks<T, most<T>, most<T>>(context, m, n, k, alpha, A, B, beta, C, part);
    else
        multiply_blocks<T, 4, 4>(context, m, n, k, alpha, A, B, beta, C, part);
#else
    (void)context;
    constexpr int height = 64;
    for (int j = 0; j < n; ++j)
        for (int i0 = 0; i0 < m; i0 += height) {
            const int rows = m - i0 < height ? m - i0 : height;
            T sum[height] = {};
            for (int p = 0; p < k; ++p) {
                const T right = B.get(p, j);
                for (int i = 0; i < rows; ++i) sum[i] = fma_(A.get(i0 + i, p), right, sum[i]);
            }
            for (int i = 0; i < rows; ++i) store(C, i0 + i, j, part, alpha, sum[i], beta);
        }
#endif
}

// X U = X for m rows of X, U an upper triangle of n <= block columns in scratch memory: U_kc is at [k*block + c],
// followed by 1 / U_cc of each column. One row per thread.
template <class T>
XBATCH_HD void solve_rows(const TaskContext &context, int m, int n, const T *U, const View<T> &X) {
    const T *reciprocals = U + block<T> * block<T>;
    for (int i = context.rank(); i < m; i += context.size()) {
        T x[block<T>];
        XBATCH_UNROLL
        for (int c = 0; c < block<T>; ++c) x[c] = c < n ? X.get(i, c) : T(0);
        XBATCH_UNROLL
        for (int c = 0; c < block<T>; ++c) {
            if (c >= n) break;
            x[c] = x[c] * reciprocals[c];
            XBATCH_UNROLL
            for (int j = c + 1; j < block<T>; ++j)
                if (j < n) x[j] = fnma(x[c], U[c * block<T> + j], x[j]);
        }
        XBATCH_UNROLL
        for (int c = 0; c < block<T>; ++c)
            if (c < n) X.set(i, c, x[c]);
    }
}

// X U = X, X m x n, U an upper triangle
template <class T>
XBATCH_HD void solve_right(const TaskContext &context, int m, int n, const View<T> &U, bool is_unit, const View<T> &X) {
    T *diagonal = static_cast<T *>(context.scratch());
    for (int j = 0; j < n; j += block<T>) {
        const int columns = n - j < block<T> ? n - j : block<T>;
        if (j > 0) multiply<T>(context, m, columns, j, -1, X, U.from(0, j), 1, X.from(0, j), Part::all);
        for (int e = context.rank(); e < block<T> * block<T>; e += context.size()) {
            const int k = e / block<T>, c = e % block<T>;
            if (k < c && c < columns) diagonal[e] = U.get(j + k, j + c);
            if (k == c && c < columns)
                diagonal[block<T> * block<T> + c] = is_unit ? T(1) : reciprocal(U.get(j + c, j + c));
        }
        context.sync();
        solve_rows(context, m, columns, diagonal, X.from(0, j));
        context.sync();
    }
}

// L L^H of the n <= block columns in scratch memory, stored as U = L^H with reciprocals as for solve_rows. Elimination
// gives A = U'^H D U' and leaves D U'; its rows are divided by the roots of D at the end, so a column costs one
// barrier. Returns false, and the task has failed, where a pivot is not positive.
template <class T>
XBATCH_HD bool factor_block(const TaskContext &context, int n, int first_column, T *U) {
    for (int c = 0; c < n; ++c) {
        const Real<T> pivot = real_part(U[c * block<T> + c]);
        if (!(pivot > 0)) {
            if (context.rank() == 0) context.fail(first_column + c + 1);
            return false;
        }
        const Real<T> scale = 1 / pivot;
        for (int e = context.rank(); e < block<T> * block<T>; e += context.size()) {
            const int k = e / block<T>, j = e % block<T>;
            if (c < k && k <= j && j < n)
                U[e] = fnma(conjugate(U[c * block<T> + k]) * scale, U[c * block<T> + j], U[e]);
        }
        context.sync();
    }
    for (int c = context.rank(); c < n; c += context.size())
        U[block<T> * block<T> + c] = T(1 / sqrt(real_part(U[c * block<T> + c])));
    context.sync();
    for (int e = context.rank(); e < block<T> * block<T>; e += context.size()) {
        const int k = e / block<T>, j = e % block<T>;
        if (k <= j && j < n) U[e] = with_real_part(U[block<T> * block<T> + k]) * U[e];
    }
    context.sync();
    return true;
}

// A = L L^H in the lower triangle of A
template <class T>
XBATCH_HD void factor(const TaskContext &context, int n, const View<T> &A) {
    T *U = static_cast<T *>(context.scratch());
    for (int j = 0; j < n; j += block<T>) {
        const int columns = n - j < block<T> ? n - j : block<T>, below = n - j - columns;
        const View<T> panel = A.from(j, j), before = A.from(j, 0);
        if (j > 0) multiply<T>(context, n - j, columns, j, -1, before, before.adjoint(), 1, panel, Part::lower);
        context.sync();
        for (int e = context.rank(); e < block<T> * block<T>; e += context.size()) {
            const int k = e / block<T>, c = e % block<T>;
            if (k <= c && c < columns) U[e] = conjugate(panel.get(c, k));
        }
        context.sync();
        if (!factor_block(context, columns, j, U)) return;
        for (int e = context.rank(); e < block<T> * block<T>; e += context.size()) {
            const int k = e / block<T>, c = e % block<T>;
            if (k <= c && c < columns) panel.set(c, k, k == c ? with_real_part(U[e]) : conjugate(U[e]));
        }
        solve_rows(context, below, columns, U, panel.from(columns, 0));
        context.sync();
    }
}

}  // namespace xbatch::task_graph::tile
