// conjugate_cuda.cu: the complex conjugate of an array, on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "conjugate.hpp"
#include "core/launch.cuh"

namespace xbatch::distributed {
namespace {

constexpr int threads = 256;

// A thread has an element; consecutive ones are adjacent.
template <class T>
__global__ void __launch_bounds__(threads) conjugate_each(ConjugateProblem p) {
    const int64_t k = int64_t(blockIdx.x) * threads + threadIdx.x;
    if (k >= p.n * p.batch) return;
    const bool by_rows = p.at.layout == XBATCH_LAYOUT_FLAT;
    const int64_t inner = by_rows ? p.n : p.batch, outer = k / inner, within = k - outer * inner;
    T &x = static_cast<T *>(p.array)[p.at.offset(by_rows ? within : outer, by_rows ? outer : within, 0)];
    x = conjugate(x);
}

}  // namespace

template <class T>
xbatchStatus_t conjugate_cuda(Context &context, const ConjugateProblem &p, void *) {
    return Launch(context, (p.n * p.batch - 1) / threads + 1, threads)(conjugate_each<T>, "conjugate_each", p);
}
template <class T>
size_t conjugate_cuda_workspace(const Context &, const ConjugateProblem &) {
    return 0;
}

XBATCH_INSTANTIATE_BACKEND(conjugate_cuda);

}  // namespace xbatch::distributed
