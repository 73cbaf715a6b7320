// paper_pscheme_cuda.cu: A. Wakatani's kernels of "Implementation and Evaluation of Recurrence Equation Solvers on
// GPGPU systems using Rearrangement of Array Configurations", FUTURE COMPUTING 2012: no shared memory, a kernel a
// phase.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "paper_pscheme.hpp"
#include "peers/cuda_check.hpp"

namespace bench {
namespace {

template <class T>
struct Arrays {
    T first, scale, offset;
    T *a, *b, *before, *w;
    int64_t part, parts, part_stride, step;

    explicit Arrays(const PaperRecurrence &p)
        : first(T(p.first)),
          scale(T(p.scale)),
          offset(T(p.offset)),
          a(static_cast<T *>(p.a)),
          b(static_cast<T *>(p.b)),
          before(static_cast<T *>(p.before)),
          w(static_cast<T *>(p.w)),
          part(p.part()),
          parts(p.parts()),
          part_stride(p.rearranged ? 1 : p.part()),
          step(p.rearranged ? p.parts() : 1) {}
    __device__ int64_t at(int64_t thread, int64_t i) const { return thread * part_stride + i * step; }
};

// w_i = a_i w_before + b_i with a_0 = scale, b_0 = offset, computed sequentially. The very first
// element is given: a = 0, b = first.
template <class T>
__global__ void pre_computation_kernel(Arrays<T> x) {
    const int64_t thread = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    T a = thread == 0 ? T(0) : x.scale, b = thread == 0 ? x.first : x.offset;
    for (int64_t i = 0; i < x.part; ++i) {
        x.a[x.at(thread, i)] = a;
        x.b[x.at(thread, i)] = b;
        a *= x.scale;
        b = x.scale * b + x.offset;
    }
}

template <class T>
__global__ void propagation_kernel(Arrays<T> x) {
    T w = T(0);
    for (int64_t thread = 0; thread < x.parts; ++thread) {
        x.before[thread] = w;
        const int64_t last = x.at(thread, x.part - 1);
        w = x.a[last] * w + x.b[last];
    }
}

template <class T>
__global__ void determination_kernel(Arrays<T> x) {
    const int64_t thread = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    const T before = x.before[thread];
    for (int64_t i = 0; i < x.part; ++i) {
        const int64_t at = x.at(thread, i);
        x.w[at] = x.a[at] * before + x.b[at];
    }
}

// Pair i maps w_{i-s} to w_i; two of them compose to the pair that maps w_{i-2s} to w_i. `from` is null before the
// first.
template <class T>
__global__ void doubling_kernel(Arrays<T> x, const T *a, const T *b, T *to_a, T *to_b, int64_t n, int64_t s) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    const auto pair_a = [&](int64_t k) { return a ? a[k] : k == 0 ? T(0) : x.scale; };
    const auto pair_b = [&](int64_t k) { return b ? b[k] : k == 0 ? x.first : x.offset; };
    const T mine = pair_a(i), rest = pair_b(i);
    const bool reaches = i >= s;
    const T next = reaches ? mine * pair_b(i - s) + rest : rest;
    if (2 * s < n) {
        to_a[i] = reaches ? mine * pair_a(i - s) : mine;
        to_b[i] = next;
    } else
        x.w[i] = next;
}

template <class T>
void doubling(const PaperRecurrence &p, T *a2, T *b2) {
    constexpr int64_t threads = 256;
    const Arrays<T> x(p);
    const T *a = nullptr, *b = nullptr;
    T *to_a = x.a, *to_b = x.b;
    for (int64_t s = 1; s < p.n; s *= 2) {
        doubling_kernel<<<unsigned((p.n + threads - 1) / threads), unsigned(threads)>>>(x, a, b, to_a, to_b, p.n, s);
        a = to_a, b = to_b;
        to_a = a == x.a ? a2 : x.a, to_b = b == x.b ? b2 : x.b;
    }
}

}  // namespace

void pre_computation(const PaperRecurrence &p) {
    const unsigned blocks = unsigned(p.blocks), threads = unsigned(p.threads);
    if (is_double(p.type))
        pre_computation_kernel<<<blocks, threads>>>(Arrays<double>(p));
    else
        pre_computation_kernel<<<blocks, threads>>>(Arrays<float>(p));
    BENCH_CUDA(cudaGetLastError());
}

void propagation(const PaperRecurrence &p) {
    if (is_double(p.type))
        propagation_kernel<<<1, 1>>>(Arrays<double>(p));
    else
        propagation_kernel<<<1, 1>>>(Arrays<float>(p));
    BENCH_CUDA(cudaGetLastError());
}

void determination(const PaperRecurrence &p) {
    const unsigned blocks = unsigned(p.blocks), threads = unsigned(p.threads);
    if (is_double(p.type))
        determination_kernel<<<blocks, threads>>>(Arrays<double>(p));
    else
        determination_kernel<<<blocks, threads>>>(Arrays<float>(p));
    BENCH_CUDA(cudaGetLastError());
}

void doubling_sweeps(const PaperRecurrence &p, void *a2, void *b2) {
    if (is_double(p.type))
        doubling(p, static_cast<double *>(a2), static_cast<double *>(b2));
    else
        doubling(p, static_cast<float *>(a2), static_cast<float *>(b2));
    BENCH_CUDA(cudaGetLastError());
}

}  // namespace bench
