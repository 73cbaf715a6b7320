// baselines_hines_cuda.cu: the paper's kernel as published, one thread a system in 128 threads a block; and one that
// solves the branches of a cell in parallel.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <thrust/complex.h>

#include "baselines_hines.hpp"
#include "baselines_hines_branches.cuh"
#include "cuda_check.hpp"

namespace bench {
namespace {

constexpr unsigned threads = 128;

// At least 72 bytes a node in double, if the d that a child has changed is still in a cache; the paper's p is one
// array a system, here it is one for all.
template <class T>
__global__ void algorithm_1(int64_t n, int64_t batch, xbatchLayout_t layout, int64_t ld, bool shared,
                            const int32_t *__restrict__ p, const T *__restrict__ u, const T *__restrict__ l, T *d,
                            T *rhs) {
    const int64_t j = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (j >= batch) return;
    const Line own = line(layout, n, 1, ld, j, 0), coupling = shared ? Line{0, 1} : own;
    d += own.base, rhs += own.base, u += coupling.base, l += coupling.base;
    for (int64_t i = n - 1; i > 0; --i) {
        const int64_t here = i * own.step, parent = p[i] * own.step;
        const T factor = u[i * coupling.step] / d[here];
        d[parent] -= factor * l[i * coupling.step];
        rhs[parent] -= factor * rhs[here];
    }
    rhs[0] /= d[0];
    for (int64_t i = 1; i < n; ++i) {
        const int64_t here = i * own.step;
        rhs[here] = (rhs[here] - l[i * coupling.step] * rhs[p[i] * own.step]) / d[here];
    }
}

template <class T>
void run(const Hines &p) {
    const int64_t n = p.tree(0).n(), ld = tight(p.layout, n, p.batch, p.width);
    algorithm_1<T><<<unsigned((p.batch + threads - 1) / threads), threads>>>(
        n, p.batch, p.layout, ld, p.couplings == Couplings::shared, p.parent, static_cast<const T *>(p.u),
        static_cast<const T *>(p.l), static_cast<T *>(p.d), static_cast<T *>(p.b));
    BENCH_CUDA(cudaGetLastError());
}

}  // namespace

std::vector<Baseline<Hines>> cuda_baselines(const Hines &p) {
    if (p.trees->size() > 1) return {};  // the paper's future work
    const auto start = [](const Hines &view) -> Call {
        switch (view.type) {
            case XBATCH_R_32F: return {[view] { run<float>(view); }};
            case XBATCH_R_64F: return {[view] { run<double>(view); }};
            case XBATCH_C_32F: return {[view] { run<thrust::complex<float>>(view); }};
            default: return {[view] { run<thrust::complex<double>>(view); }};
        }
    };
    const auto branches = [](const Hines &view) -> Call {
        switch (view.type) {
            case XBATCH_R_32F: return branches_call<float>(view);
            case XBATCH_R_64F: return branches_call<double>(view);
            case XBATCH_C_32F: return branches_call<thrust::complex<float>>(view);
            default: return branches_call<thrust::complex<double>>(view);
        }
    };
    std::vector<Baseline<Hines>> all = {{"the paper's kernel", p, true, start}};
    if (p.couplings == Couplings::general) all.push_back({"branches in parallel", p, true, branches});
    return all;
}

}  // namespace bench
