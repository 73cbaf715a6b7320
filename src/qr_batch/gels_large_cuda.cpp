// gels_large_cuda.cpp: least squares with matrices larger than the kernels of batched QR take: each by tiled QR, one
// after the other on the stream.
// SPDX-License-Identifier: BSD-3-Clause
#include "gels_large_cuda.hpp"

#include "core/cuda.hpp"
#include "core/dispatch.hpp"
#include "core/workspace.hpp"
#include "qr/qr.hpp"

namespace xbatch {
namespace {

template <class T>
LeastSquaresProblem one_of(const Context &context, const GelsBatch &p, int64_t j, T *a, int64_t lda) {
    const Tiling tiling = tiling_of(p.rows, p.columns, default_config(context, type_of<T>, p.rows, p.columns));
    return {tiling,
            p.is_turned,
            p.is_least_norm,
            p.nrhs,
            a,
            lda,
            static_cast<T *>(p.b) + p.b_at.base(j),
            p.b_at.column,
            p.info ? p.info + j : nullptr};
}

// Memory for one matrix, which tiled QR overwrites where it is tall, and for what it needs beside it
template <class T>
struct LargePlan {
    T *copy;
    char *rest;
    size_t bytes;

    LargePlan(const Context &context, const GelsBatch &p, void *workspace) {
        Carver carver(workspace);
        copy = carver.take<T>(p.is_turned ? 0 : p.rows * p.columns);
        rest = carver.take<char>(int64_t(gels_cuda_workspace<T>(context, one_of<T>(context, p, 0, copy, p.rows))));
        bytes = carver.bytes();
    }
};

}  // namespace

template <class T>
xbatchStatus_t gels_large_cuda(Context &context, const GelsBatch &p, void *workspace) {
    if (p.g_at.layout != XBATCH_LAYOUT_FLAT || p.b_at.layout != XBATCH_LAYOUT_FLAT)
        return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "%lld rows are supported in flat batches only",
                    (long long)p.rows);
    const LargePlan<T> plan(context, p, workspace);
    for (int64_t j = 0; j < p.batch; ++j) {
        T *const a = static_cast<T *>(const_cast<void *>(p.a)) + p.g_at.base(j);
        if (!p.is_turned)
            XBATCH_CUDA(context, cudaMemcpy2DAsync(plan.copy, size_t(p.rows) * sizeof(T), a,
                                                   size_t(p.g_at.column) * sizeof(T), size_t(p.rows) * sizeof(T),
                                                   size_t(p.columns), cudaMemcpyDeviceToDevice, stream_of(context)));
        const LeastSquaresProblem one =
            one_of<T>(context, p, j, p.is_turned ? a : plan.copy, p.is_turned ? p.g_at.row : p.rows);
        const xbatchStatus_t status = gels_cuda<T>(context, one, plan.rest);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gels_large_cuda_workspace(const Context &context, const GelsBatch &p) {
    return LargePlan<T>(context, p, nullptr).bytes;
}

#define XBATCH_INSTANTIATE(T)                                                         \
    template xbatchStatus_t gels_large_cuda<T>(Context &, const GelsBatch &, void *); \
    template size_t gels_large_cuda_workspace<T>(const Context &, const GelsBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
