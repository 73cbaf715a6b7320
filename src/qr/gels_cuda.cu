// gels_cuda.cu: least squares on the GPU: the right-hand sides are further columns of the factorisation, or Q is
// applied to what the triangle gives.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/cuda.hpp"
#include "core/dispatch.hpp"
#include "gels_scaling.hpp"
#include "run_cuda.hpp"

namespace xbatch {
namespace {

constexpr int threads = 256, solve_rows = 32, solve_columns = 8;  // of R, of B, at a time
constexpr int sweep_blocks = 8;                                   // of a multiprocessor

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
// f(entry) for all, by all threads of a launch, neighbours down a column
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

// The first column that has no answer, for one block: its norm is not finite, or R has a zero there
template <class T>
__global__ void __launch_bounds__(threads)
    find_wrong(const T *g, int64_t ldg, int64_t k, const int32_t *bad, int32_t *wrong, int32_t *info) {
    __shared__ int first;
    if (threadIdx.x == 0) first = *bad == 0 ? INT32_MAX : INT32_MAX - *bad;
    __syncthreads();
    for (int64_t c = threadIdx.x; c < k; c += threads)
        if (magnitude(g[c * ldg + c]) == 0) atomicMin(&first, int(c));
    __syncthreads();
    if (threadIdx.x != 0) return;
    *wrong = first != INT32_MAX;
    if (info) *info = first == INT32_MAX ? 0 : first + 1;
}

__device__ inline float quotient(float a, float b) { return a / b; }
__device__ inline double quotient(double a, double b) { return a / b; }
template <class R>
__device__ Complex<R> quotient(Complex<R> a, Complex<R> b) {
    return a * reciprocal(b);
}

// R X = B, or R^H X = B, for solve_columns right-hand sides a block, R [k x k]. Blocks of 32 unknowns, the last first,
// or the first: each is found by a warp for each right-hand side, lane = row, and then taken from all that come after.
template <class T, bool IS_ADJOINT>
__global__ void __launch_bounds__(threads)
    solve_triangle(const T *r, int64_t ldr, int64_t k, T *b, int64_t ldb, int64_t nrhs, const int32_t *wrong) {
    if (*wrong) return;
    __shared__ T square[solve_rows][solve_rows + 1], x[solve_columns][solve_rows];
    const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
    const int64_t column = int64_t(blockIdx.x) * solve_columns, blocks = (k + solve_rows - 1) / solve_rows;
    const int columns = int(min(int64_t(solve_columns), nrhs - column));
    b += column * ldb;
    for (int64_t n = 0; n < blocks; ++n) {
        const int64_t first = (IS_ADJOINT ? n : blocks - 1 - n) * solve_rows;
        const int rows = int(min(int64_t(solve_rows), k - first));
        for (int c = warp; c < rows; c += threads / 32)
            if (lane <= c) square[c][lane] = r[(first + c) * ldr + first + lane];  // [column][row]
        __syncthreads();
        if (warp < columns) {
            if (lane < rows) x[warp][lane] = b[warp * ldb + first + lane];
            __syncwarp();
            for (int s = 0; s < rows; ++s) {
                const int c = IS_ADJOINT ? s : rows - 1 - s;
                const T pivot = IS_ADJOINT ? conjugate(square[c][c]) : square[c][c];
                if (lane == c) x[warp][c] = quotient(x[warp][c], pivot);
                __syncwarp();
                if (IS_ADJOINT ? lane > c && lane < rows : lane < c) {
                    const T entry = IS_ADJOINT ? conjugate(square[lane][c]) : square[c][lane];
                    x[warp][lane] = fnma(entry, x[warp][c], x[warp][lane]);
                }
                __syncwarp();
            }
            if (lane < rows) b[warp * ldb + first + lane] = x[warp][lane];
        }
        __syncthreads();
        const int64_t begin = IS_ADJOINT ? first + rows : 0, end = IS_ADJOINT ? k : first;
        for (int64_t i = begin + threadIdx.x; i < end; i += threads) {
            T sum[solve_columns] = {};
            for (int c = 0; c < rows; ++c) {
                const T entry = IS_ADJOINT ? conjugate(r[i * ldr + first + c]) : r[(first + c) * ldr + i];
#pragma unroll
                for (int j = 0; j < solve_columns; ++j)
                    if (j < columns) sum[j] = fma_(entry, x[j][c], sum[j]);
            }
#pragma unroll
            for (int j = 0; j < solve_columns; ++j)
                if (j < columns) b[j * ldb + i] = b[j * ldb + i] - sum[j];
        }
        __syncthreads();
    }
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
xbatchStatus_t solve(Context &context, const LeastSquaresPlan<T> &s, const LeastSquaresProblem &p) {
    const int64_t k = p.tiling.k, blocks = (p.nrhs + solve_columns - 1) / solve_columns;
    const xbatchStatus_t status = check_blocks(context, blocks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const auto kernel = p.is_least_norm ? solve_triangle<T, true> : solve_triangle<T, false>;
    T *b = static_cast<T *>(p.b);
    kernel<<<unsigned(blocks), threads, 0, stream_of(context)>>>(s.g, s.ldg, k, b, p.ldb, p.nrhs, s.wrong);
    XBATCH_CUDA_LAUNCHED(context, "solve_triangle");
    if (!p.is_least_norm) return XBATCH_STATUS_SUCCESS;
    clear_rows<T><<<unsigned(context.multiprocessors), threads, 0, stream_of(context)>>>(b, p.ldb, k, p.tiling.m,
                                                                                         p.nrhs, s.wrong);
    XBATCH_CUDA_LAUNCHED(context, "clear_rows");
    return run_on_device<T>(context, s.apply, {s.g, s.ldg, s.triangles, b, p.ldb, p.nrhs, false, false}, s.wrong);
}

template <bool IS_RESULT, class T>
xbatchStatus_t scale_both(Context &context, const Area<T> &first, const Area<T> &second, const LeastSquaresPlan<T> &s) {
    const unsigned blocks = unsigned(sweep_blocks * context.multiprocessors);
    if (!IS_RESULT) {
        XBATCH_CUDA(context, cudaMemsetAsync(s.sizes, 0, 2 * sizeof *s.sizes, stream_of(context)));
        find_sizes<T><<<blocks, threads, 0, stream_of(context)>>>(first, second, s.sizes);
        XBATCH_CUDA_LAUNCHED(context, "find_sizes");
    }
    scale<T, IS_RESULT><<<blocks, threads, 0, stream_of(context)>>>(first, second, s.sizes, s.wrong);
    XBATCH_CUDA_LAUNCHED(context, "scale");
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t gels_cuda(Context &context, const LeastSquaresProblem &p, void *workspace) {
    const LeastSquaresPlan<T> s(p, workspace);
    const int64_t m = p.tiling.m, k = p.tiling.k;
    T *b = static_cast<T *>(p.b);
    if (p.copies_adjoint) {
        const int64_t blocks = ((m + 31) / 32) * ((k + 31) / 32);
        const xbatchStatus_t status = check_blocks(context, blocks);
        if (status != XBATCH_STATUS_SUCCESS) return status;
        copy_adjoint<T>
            <<<unsigned(blocks), threads, 0, stream_of(context)>>>(static_cast<const T *>(p.a), p.lda, s.g, m, k);
        XBATCH_CUDA_LAUNCHED(context, "copy_adjoint");
    }
    const int64_t given = p.is_least_norm ? k : m, found = p.is_least_norm ? m : k;  // rows of B and X
    xbatchStatus_t status = scale_both<false, T>(context, {s.g, s.ldg, m, k}, {b, p.ldb, given, p.nrhs}, s);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const int64_t factored = p.is_least_norm ? 0 : p.nrhs;
    status = run_on_device<T>(context, s.factor, {s.g, s.ldg, s.triangles, b, p.ldb, factored, false, true}, nullptr);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    find_wrong<T><<<1, threads, 0, stream_of(context)>>>(s.g, s.ldg, k, s.factor.bad, s.wrong, p.info);
    XBATCH_CUDA_LAUNCHED(context, "find_wrong");
    status = solve(context, s, p);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    return scale_both<true, T>(context, {b, p.ldb, found, p.nrhs}, {b + found, p.ldb, m - found, p.nrhs}, s);
}
template <class T>
size_t gels_cuda_workspace(const Context &, const LeastSquaresProblem &p) {
    return LeastSquaresPlan<T>(p, nullptr).bytes;
}

#define XBATCH_INSTANTIATE(T)                                                             \
    template xbatchStatus_t gels_cuda<T>(Context &, const LeastSquaresProblem &, void *); \
    template size_t gels_cuda_workspace<T>(const Context &, const LeastSquaresProblem &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
