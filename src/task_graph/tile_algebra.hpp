// tile_algebra.hpp: dense operations on tiles by the threads of a task: products, triangular systems, Cholesky factors.
// On a GPU a product goes by squares of 64 through shared memory, 4 x 4 elements a thread; on the host by columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"
#include "xbatch/task_tickets.cuh"

// For loops over registers; the host's compiler knows no such pragma.
#ifdef __CUDA_ARCH__
#define XBATCH_UNROLL _Pragma("unroll")
#else
#define XBATCH_UNROLL
#endif

namespace xbatch::tile {

constexpr int threads = 256;
constexpr int square = 64, depth = 16, stride = square + 1;  // of a product; the stride leaves no bank idle
constexpr int block = 16;                                    // columns that are solved or factored at a time

// Two slices of a product, or one block
template <class T>
constexpr size_t scratch = 2 * depth *stride * sizeof(T);
static_assert(block * block <= 2 * depth * stride, "a block must fit");

// A matrix however it lies: element (i, j) at i*rs + j*cs, conjugated where it says so
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
    // Of n columns the last first
    XBATCH_HD View columns_reversed(int n) const { return {a + (n - 1) * cs, rs, -cs, is_conjugate}; }
    XBATCH_HD bool has_near_rows() const { return rs == 1 || rs == -1; }
};

// Elements of C that a product is wanted of. On the diagonal of a triangle it is real.
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

// Columns k0 … k0 + depth-1 of rows i0 … i0 + square-1 to shared memory, zeros where the matrix, m x k, ends
template <class T>
__device__ void load_slice(const TaskContext &context, const View<T> &A, int i0, int k0, int m, int k, T *slice) {
    const bool near_rows = A.has_near_rows();  // threads side by side read elements side by side
    for (int e = context.rank(); e < square * depth; e += context.size()) {
        const int i = near_rows ? e % square : e / depth, p = near_rows ? e / square : e % depth;
        slice[p * stride + i] = i0 + i < m && k0 + p < k ? A.get(i0 + i, k0 + p) : T(0);
    }
}

template <class T>
__device__ void multiply_square(const TaskContext &context, int i0, int j0, int m, int n, int k, Real<T> alpha,
                                const View<T> &A, const View<T> &B, Real<T> beta, const View<T> &C, Part part) {
    T *a = static_cast<T *>(context.scratch()), *b = a + depth * stride;
    const int row = context.rank() % 16, column = context.rank() / 16;  // and 16, 32, 48 behind them
    T sum[4][4] = {};
    for (int k0 = 0; k0 < k; k0 += depth) {
        load_slice(context, A, i0, k0, m, k, a);
        load_slice(context, B.transpose(), j0, k0, n, k, b);
        context.sync();
#pragma unroll 4
        for (int p = 0; p < depth; ++p) {
            T left[4], right[4];
            for (int r = 0; r < 4; ++r)
                left[r] = a[p * stride + row + 16 * r], right[r] = b[p * stride + column + 16 * r];
            for (int r = 0; r < 4; ++r)
                for (int c = 0; c < 4; ++c) sum[r][c] = fma_(left[r], right[c], sum[r][c]);
        }
        context.sync();
    }
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r) {
            const int i = i0 + row + 16 * r, j = j0 + column + 16 * c;
            if (i < m && j < n) store(C, i, j, part, alpha, sum[r][c], beta);
        }
}

#endif

// C = alpha A B + beta C, C m x n, A m x k. Ends without a barrier; what it reads must not be written any more.
template <class T>
XBATCH_HD void multiply(const TaskContext &context, int m, int n, int k, Real<T> alpha, const View<T> &A,
                        const View<T> &B, Real<T> beta, const View<T> &C, Part part) {
#ifdef __CUDA_ARCH__
    for (int j0 = 0; j0 < n; j0 += square)
        for (int i0 = 0; i0 < m; i0 += square) {
            if ((part == Part::lower && i0 + square <= j0) || (part == Part::upper && j0 + square <= i0)) continue;
            multiply_square(context, i0, j0, m, n, k, alpha, A, B, beta, C, part);
        }
#else
    (void)context;
    for (int j = 0; j < n; ++j)
        for (int i0 = 0; i0 < m; i0 += square) {
            const int rows = m - i0 < square ? m - i0 : square;
            T sum[square] = {};
            for (int p = 0; p < k; ++p) {
                const T right = B.get(p, j);
                for (int i = 0; i < rows; ++i) sum[i] = fma_(A.get(i0 + i, p), right, sum[i]);
            }
            for (int i = 0; i < rows; ++i) store(C, i0 + i, j, part, alpha, sum[i], beta);
        }
#endif
}

XBATCH_HD inline float quotient(float a, float b) { return a / b; }
XBATCH_HD inline double quotient(double a, double b) { return a / b; }
template <class R>
XBATCH_HD inline Complex<R> quotient(Complex<R> a, Complex<R> b) {
    return a * reciprocal(b);
}

// X U = X for m rows of X, U an upper triangle of n <= block columns in scratch memory, U_kc at [k*block + c]. A thread
// has a row.
template <class T>
XBATCH_HD void solve_rows(const TaskContext &context, int m, int n, const T *U, bool is_unit, const View<T> &X) {
    for (int i = context.rank(); i < m; i += context.size()) {
        T x[block];
        XBATCH_UNROLL
        for (int c = 0; c < block; ++c) {
            x[c] = c < n ? X.get(i, c) : T(0);
            XBATCH_UNROLL
            for (int k = 0; k < c; ++k)
                if (c < n) x[c] = fnma(x[k], U[k * block + c], x[c]);
            if (c < n && !is_unit) x[c] = quotient(x[c], U[c * block + c]);
            if (c < n) X.set(i, c, x[c]);
        }
    }
}

// X U = X, X m x n, U an upper triangle
template <class T>
XBATCH_HD void solve_right(const TaskContext &context, int m, int n, const View<T> &U, bool is_unit, const View<T> &X) {
    T *diagonal = static_cast<T *>(context.scratch());
    for (int j = 0; j < n; j += block) {
        const int columns = n - j < block ? n - j : block;
        if (j > 0) multiply<T>(context, m, columns, j, -1, X, U.from(0, j), 1, X.from(0, j), Part::all);
        for (int e = context.rank(); e < block * block; e += context.size()) {
            const int k = e / block, c = e % block;
            if (k <= c && c < columns && !(is_unit && k == c)) diagonal[e] = U.get(j + k, j + c);
        }
        context.sync();
        solve_rows(context, m, columns, diagonal, is_unit, X.from(0, j));
        context.sync();
    }
}

// L L^H of the n <= block columns in scratch memory, as U = L^H: U_kc at [k*block + c]. False, and the task has failed,
// where there is none.
template <class T>
XBATCH_HD bool factor_block(const TaskContext &context, int n, int first_column, T *U) {
    for (int c = 0; c < n; ++c) {
        const Real<T> pivot = real_part(U[c * block + c]);
        if (context.rank() == 0 && !(pivot > 0)) context.fail(first_column + c + 1);
        context.sync();
        if (context.has_failed()) return false;
        const Real<T> root = sqrt(pivot);
        for (int j = c + context.rank(); j < n; j += context.size())
            U[c * block + j] = j == c ? T(root) : U[c * block + j] * (1 / root);
        context.sync();
        for (int e = context.rank(); e < block * block; e += context.size()) {
            const int k = e / block, j = e % block;
            if (c < k && k <= j && j < n)
                U[k * block + j] = fnma(conjugate(U[c * block + k]), U[c * block + j], U[k * block + j]);
        }
        context.sync();
    }
    return true;
}

// A = L L^H in the lower triangle of A
template <class T>
XBATCH_HD void factor(const TaskContext &context, int n, const View<T> &A) {
    T *U = static_cast<T *>(context.scratch());
    for (int j = 0; j < n; j += block) {
        const int columns = n - j < block ? n - j : block, below = n - j - columns;
        const View<T> panel = A.from(j, j);
        if (j > 0)
            multiply<T>(context, n - j, columns, j, -1, A.from(j, 0), A.from(j, 0).adjoint(), 1, panel, Part::lower);
        context.sync();
        for (int e = context.rank(); e < block * block; e += context.size()) {
            const int k = e / block, c = e % block;
            if (k <= c && c < columns) U[e] = conjugate(panel.get(c, k));
        }
        context.sync();
        if (!factor_block(context, columns, j, U)) return;
        for (int e = context.rank(); e < block * block; e += context.size()) {
            const int k = e / block, c = e % block;
            if (k <= c && c < columns) panel.set(c, k, conjugate(U[e]));
        }
        solve_rows(context, below, columns, U, false, panel.from(columns, 0));
        context.sync();
    }
}

}  // namespace xbatch::tile
