// geqrf_resident_cuda.cu: launches the factorisation of matrices that shared memory holds.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_resident.cuh"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

template <class T, int SHAPE>
xbatchStatus_t of_shape(Context &context, int shape, const FactorBatchArguments<T> &p) {
    if constexpr (SHAPE + 1 < int(resident_shapes<T>.size()))
        if (shape > SHAPE) return of_shape<T, SHAPE + 1>(context, shape, p);
    using K = ResidentKind<T, SHAPE>;
    const int64_t blocks = (p.batch - 1) / K::matrices + 1;
    return Launch(context, blocks, K::threads, resident_bytes<T>(K::shape, p.n))(factor_resident<T, SHAPE>,
                                                                                 "factor_resident", p);
}

}  // namespace

template <class T>
xbatchStatus_t factor_resident_cuda(Context &context, const FactorBatchArguments<T> &p) {
    return of_shape<T, 0>(context, resident_shape_for<T>(p.m, p.n), p);
}

XBATCH_INSTANTIATE_TYPES(factor_resident_cuda);

}  // namespace xbatch::qr
