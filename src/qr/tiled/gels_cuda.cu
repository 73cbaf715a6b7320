// gels_cuda.cu: least squares on the GPU: the right-hand sides are further columns of the factorisation, or Q is
// applied to what the triangle gives.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "qr/common/gels_scaling.hpp"
#include "run_cuda.hpp"

namespace xbatch::qr {
namespace {

constexpr int threads = 256, solve_columns = threads / 32;
constexpr int sweep_blocks = 8;  // of a multiprocessor

template <class T>
struct LeastSquaresPlan {
    T *g;  // m x k, k <= m
    int64_t ldg;
    T *triangles;
    int32_t *wrong;
    SizeBits<Real<T>> *sizes;  // of the largest entries of A and B
    DeviceRun factor, apply;
    size_t bytes;

    LeastSquaresPlan(const LeastSquaresProblem &p, void *workspace) : LeastSquaresPlan(p, Carver(workspace)) {}

private:
    LeastSquaresPlan(const LeastSquaresProblem &p, Carver carver)
        : g(p.copies_adjoint ? carver.take<T>(p.tiling.m * p.tiling.k) : static_cast<T *>(p.a)),
          ldg(p.copies_adjoint ? p.tiling.m : p.lda),
          triangles(carver.take<T>(p.tiling.triangles() * p.tiling.triangle_elements())),
          wrong(carver.take<int32_t>(1)),
          sizes(carver.take<SizeBits<Real<T>>>(2)),
          factor(carver, p.factor_job()),
          apply(carver, p.apply_job()),
          bytes(carver.bytes()) {}
};

// G = A^H, [m x k], by squares of 32
template <class T>
__global__ void __launch_bounds__(threads) copy_adjoint(const T *a, int64_t lda, T *g, int64_t m, int64_t k) {
    __shared__ T square[32][33];
    const int x = int(threadIdx.x) % 32, y = int(threadIdx.x) / 32;
    const int64_t across = (m + 31) / 32, row = blockIdx.x % across * 32, column = blockIdx.x / across * 32;
    for (int j = y; j < 32; j += threads / 32)
        if (row + j < m && column + x < k) square[j][x] = a[(row + j) * lda + column + x];
    __syncthreads();
    for (int j = y; j < 32; j += threads / 32)
        if (row + x < m && column + j < k) g[(column + j) * m + row + x] = conjugate(square[x][j]);
}

// Rows and columns of a matrix
template <class T>
struct Area {
    T *at;
    int64_t ld, rows, columns;
};
// f(entry) for all, by all threads of a launch, adjacent threads down a column
template <class T, class F>
__device__ void for_entries(const Area<T> &area, F f) {
    const int64_t pieces = (area.rows + threads - 1) / threads;
    for (int64_t p = blockIdx.x; p < pieces * area.columns; p += gridDim.x) {
        const int64_t row = p % pieces * threads + threadIdx.x;
        if (row < area.rows) f(area.at[p / pieces * area.ld + row]);
    }
}

__device__ inline void raise(uint32_t *to, uint32_t x) { atomicMax(to, x); }
__device__ inline void raise(uint64_t *to, uint64_t x) { atomicMax(reinterpret_cast<unsigned long long *>(to), x); }

template <class T>
__global__ void __launch_bounds__(threads) find_sizes(Area<T> a, Area<T> b, SizeBits<Real<T>> *sizes) {
    for (int which = 0; which < 2; ++which) {
        SizeBits<Real<T>> most = 0;
        for_entries(which == 0 ? a : b, [&](const T &x) { most = max(most, size_bits(x)); });
        for (int distance = 16; distance > 0; distance /= 2) most = max(most, __shfl_xor_sync(~0u, most, distance));
        if (threadIdx.x % 32 == 0) raise(sizes + which, most);
    }
}
// A and B, or the rows of the result: X and what is below it
template <class T, bool IS_RESULT>
__global__ void __launch_bounds__(threads)
    scale(Area<T> first, Area<T> second, const SizeBits<Real<T>> *sizes, const int32_t *wrong) {
    if (IS_RESULT && *wrong) return;
    const LeastSquaresScaling s{scaling_exponent<Real<T>>(sizes[0]), scaling_exponent<Real<T>>(sizes[1])};
    const int of_first = IS_RESULT ? s.of_solution() : s.a, of_second = IS_RESULT ? s.of_residual() : s.b;
    if (of_first != 0) for_entries(first, [&](T &x) { x = times_power_of_two(x, of_first); });
    if (of_second != 0) for_entries(second, [&](T &x) { x = times_power_of_two(x, of_second); });
}

// The first bad column, by one block: its norm is not finite, or R has no good pivot there
template <class T>
__global__ void __launch_bounds__(threads)
    find_wrong(const T *g, int64_t ldg, int64_t k, const int32_t *bad, int32_t *wrong, int32_t *info) {
    __shared__ int first;
    if (threadIdx.x == 0) first = *bad == 0 ? INT32_MAX : INT32_MAX - *bad;
    __syncthreads();
    for (int64_t c = threadIdx.x; c < k; c += threads)
        if (!has_reciprocal(g[c * ldg + c])) atomicMin(&first, int(c));
    __syncthreads();
    if (threadIdx.x != 0) return;
    *wrong = first != INT32_MAX;
    if (info) *info = first == INT32_MAX ? 0 : first + 1;
}

// Reports unknowns that are not finite, if no column was wrong
template <class T>
__global__ void __launch_bounds__(threads)
    find_infinite(Area<T> x, const int32_t *wrong, int32_t *info, int32_t found) {
    if (*wrong) return;
    for_entries(x, [&](const T &entry) {
        if (!is_finite(entry)) *info = found;
    });
}

// Unknowns at a time; each warp of a block has one right-hand side
template <class T>
constexpr int solve_rows = sizeof(T) == 16 ? 32 : 64;

// R X = B, or R^H X = B, R [rows x rows]
template <class T, bool IS_ADJOINT>
__global__ void __launch_bounds__(threads)
    solve_square(const T *r, int64_t ldr, int rows, T *b, int64_t ldb, int64_t nrhs, const int32_t *wrong) {
    if (*wrong) return;
    __shared__ T square[solve_rows<T>][solve_rows<T> + 1], inverse[solve_rows<T>], x[solve_columns][solve_rows<T>];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int64_t column = int64_t(blockIdx.x) * solve_columns + warp;
    for (int c = warp; c < rows; c += solve_columns)
        for (int i = lane; i <= c; i += 32) {
            const T entry = r[c * ldr + i];
            square[c][i] = IS_ADJOINT ? conjugate(entry) : entry;  // [column][row]
            if (i == c) inverse[c] = reciprocal(square[c][c]);
        }
    __syncthreads();
    if (column >= nrhs) return;
    T *const own = x[warp];
    for (int i = lane; i < rows; i += 32) own[i] = b[column * ldb + i];
    __syncwarp();
    for (int s = 0; s < rows; ++s) {
        const int c = IS_ADJOINT ? s : rows - 1 - s;
        const T found = own[c] * inverse[c];
        __syncwarp();  // all have read it
        if (lane == 0) own[c] = found;
        for (int i = IS_ADJOINT ? c + 1 + lane : lane; i < (IS_ADJOINT ? rows : c); i += 32)
            own[i] = fnma(IS_ADJOINT ? square[i][c] : square[c][i], found, own[i]);
        __syncwarp();
    }
    for (int i = lane; i < rows; i += 32) b[column * ldb + i] = own[i];
}

// B -= R X, or R^H X, for `count` rows of B and `rows` unknowns: 32 rows a block
template <class T, bool IS_ADJOINT>
__global__ void __launch_bounds__(threads) subtract(const T *r, int64_t ldr, int rows, const T *x, T *b, int64_t ldb,
                                                    int64_t count, int64_t nrhs, const int32_t *wrong) {
    if (*wrong) return;
    __shared__ T part[solve_rows<T>][33], known[solve_columns][solve_rows<T>];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int64_t across = (count + 31) / 32, first = blockIdx.x % across * 32, here = min(int64_t(32), count - first);
    const int64_t column = blockIdx.x / across * solve_columns + warp;
    if (IS_ADJOINT) {
        for (int i = warp; i < here; i += solve_columns)
            for (int c = lane; c < rows; c += 32) part[c][i] = conjugate(r[(first + i) * ldr + c]);
    } else {
        for (int c = warp; c < rows; c += solve_columns)
            if (lane < here) part[c][lane] = r[c * ldr + first + lane];
    }
    for (int c = lane; c < rows && column < nrhs; c += 32) known[warp][c] = x[column * ldb + c];
    __syncthreads();
    if (lane >= here || column >= nrhs) return;
    T sum = b[column * ldb + first + lane];
    for (int c = 0; c < rows; ++c) sum = fnma(part[c][lane], known[warp][c], sum);
    b[column * ldb + first + lane] = sum;
}

// R X = B, or R^H X = B, R [k x k]: one launch solves a diagonal block, the next subtracts its unknowns from all later
// rows; from the last block on, or from the first.
template <class T, bool IS_ADJOINT>
xbatchStatus_t solve_triangle(Context &context, const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t nrhs,
                              const int32_t *wrong) {
    const int64_t groups = (nrhs + solve_columns - 1) / solve_columns, steps = (k + solve_rows<T> - 1) / solve_rows<T>;
    XBATCH_TRY(check_blocks(context, groups * ((k + 31) / 32)));
    for (int64_t n = 0; n < steps; ++n) {
        const int64_t first = (IS_ADJOINT ? n : steps - 1 - n) * solve_rows<T>;
        const int rows = int(std::min<int64_t>(solve_rows<T>, k - first));
        T *const x = b + first;
        XBATCH_TRY(Launch(context, groups, threads)(solve_square<T, IS_ADJOINT>, "solve_square",
                                                    r + first * ldr + first, ldr, rows, x, ldb, nrhs, wrong));
        const int64_t count = IS_ADJOINT ? k - first - rows : first;
        if (count == 0) continue;
        XBATCH_TRY(Launch(context, groups * ((count + 31) / 32), threads)(
            subtract<T, IS_ADJOINT>, "subtract", IS_ADJOINT ? r + (first + rows) * ldr + first : r + first * ldr, ldr,
            rows, x, IS_ADJOINT ? x + rows : b, ldb, count, nrhs, wrong));
    }
    return XBATCH_STATUS_SUCCESS;
}

// Rows k … m-1 of B
template <class T>
__global__ void __launch_bounds__(threads)
    clear_rows(T *b, int64_t ldb, int64_t k, int64_t m, int64_t nrhs, const int32_t *wrong) {
    if (*wrong) return;
    const int64_t rows = m - k, step = int64_t(gridDim.x) * threads;
    for (int64_t e = int64_t(blockIdx.x) * threads + threadIdx.x; e < rows * nrhs; e += step)
        b[e / rows * ldb + k + e % rows] = T(0);
}

template <class T>
xbatchStatus_t solve_and_apply(Context &context, const LeastSquaresPlan<T> &s, const LeastSquaresProblem &p) {
    const int64_t k = p.tiling.k;
    T *b = static_cast<T *>(p.b);
    const auto solve = p.is_least_norm ? solve_triangle<T, true> : solve_triangle<T, false>;
    XBATCH_TRY(solve(context, s.g, s.ldg, k, b, p.ldb, p.nrhs, s.wrong));
    if (!p.is_least_norm) return XBATCH_STATUS_SUCCESS;
    XBATCH_TRY(Launch(context, context.multiprocessors, threads)(clear_rows<T>, "clear_rows", b, p.ldb, k, p.tiling.m,
                                                                 p.nrhs, s.wrong));
    return run_on_device<T>(context, s.apply, {s.g, s.ldg, s.triangles, {b, p.ldb}, p.nrhs, false}, s.wrong);
}

template <bool IS_RESULT, class T>
xbatchStatus_t scale_both(Context &context, const Area<T> &first, const Area<T> &second, const LeastSquaresPlan<T> &s) {
    Launch launch(context, sweep_blocks * context.multiprocessors, threads);
    if (!IS_RESULT) {
        XBATCH_CUDA(context, cudaMemsetAsync(s.sizes, 0, 2 * sizeof *s.sizes, stream_of(context)));
        XBATCH_TRY(launch(find_sizes<T>, "find_sizes", first, second, s.sizes));
    }
    return launch(scale<T, IS_RESULT>, "scale", first, second, s.sizes, s.wrong);
}

}  // namespace

template <class T>
xbatchStatus_t gels_cuda(Context &context, const LeastSquaresProblem &p, void *workspace) {
    const LeastSquaresPlan<T> s(p, workspace);
    const int64_t m = p.tiling.m, k = p.tiling.k;
    T *b = static_cast<T *>(p.b);
    if (p.copies_adjoint) {
        const int64_t blocks = ((m + 31) / 32) * ((k + 31) / 32);
        XBATCH_TRY(Launch(context, blocks, threads)(copy_adjoint<T>, "copy_adjoint", static_cast<const T *>(p.a), p.lda,
                                                    s.g, m, k));
    }
    const int64_t given = p.is_least_norm ? k : m, found = p.is_least_norm ? m : k;  // rows of B and X
    XBATCH_TRY(scale_both<false, T>(context, {s.g, s.ldg, m, k}, {b, p.ldb, given, p.nrhs}, s));
    const int64_t factored = p.is_least_norm ? 0 : p.nrhs;
    XBATCH_TRY(run_on_device<T>(context, s.factor, {s.g, s.ldg, s.triangles, {b, p.ldb}, factored, true}, nullptr));
    XBATCH_TRY(Launch(context, 1, threads)(find_wrong<T>, "find_wrong", s.g, s.ldg, k, s.factor.bad, s.wrong, p.info));
    XBATCH_TRY(solve_and_apply(context, s, p));
    const Area<T> x{b, p.ldb, found, p.nrhs};
    XBATCH_TRY(scale_both<true, T>(context, x, {b + found, p.ldb, m - found, p.nrhs}, s));
    if (!p.info) return XBATCH_STATUS_SUCCESS;
    return Launch(context, sweep_blocks * context.multiprocessors, threads)(
        find_infinite<T>, "find_infinite", x, s.wrong, p.info, int32_t(std::min<int64_t>(k + 1, INT32_MAX)));
}
template <class T>
size_t gels_cuda_workspace(const Context &, const LeastSquaresProblem &p) {
    return LeastSquaresPlan<T>(p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gels_cuda);

}  // namespace xbatch::qr
