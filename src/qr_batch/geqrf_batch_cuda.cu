// geqrf_batch_cuda.cu: launches the factorisation of a batch of matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch_launch.cuh"
#include "qr_large.hpp"

namespace xbatch {

template <class T>
xbatchStatus_t factor_cuda(Context &context, QrKind kind, const FactorArguments<T> &p) {
    const int64_t rows = p.m, columns = p.n;
    switch (kind) { XBATCH_LAUNCH_KINDS(factor_batch, T, false); }
}

template <class T>
xbatchStatus_t geqrf_batch_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    if (factors_by_panels(p.m, p.n, p.batch, context.multiprocessors))
        return geqrf_large_cuda<T>(context, p, workspace);
    const DeviceMatrices<T> a = device_matrices<T>(p.a, p.a_at, false);
    return factor_cuda<T>(
        context, kind_for(p.m, p.n),
        {a, a, {static_cast<T *>(p.tau), p.tau_at, nullptr}, int(p.m), int(p.n), p.batch, p.info, {}});
}
template <class T>
size_t geqrf_batch_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    const bool is_large = factors_by_panels(p.m, p.n, p.batch, context.multiprocessors);
    return is_large ? geqrf_large_cuda_workspace<T>(context, p) : 0;
}

#define XBATCH_INSTANTIATE(T)                                                              \
    template xbatchStatus_t factor_cuda<T>(Context &, QrKind, const FactorArguments<T> &); \
    template xbatchStatus_t geqrf_batch_cuda<T>(Context &, const GeqrfBatch &, void *);    \
    template size_t geqrf_batch_cuda_workspace<T>(const Context &, const GeqrfBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
