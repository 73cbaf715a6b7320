// geqrf_streamed_cuda.cu: launches QR of flat matrices whose panels go through registers.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_streamed.cuh"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

template <class T, int SHAPE>
xbatchStatus_t of_shape(Context &context, int shape, const StreamedArguments<T> &p, int64_t batch) {
    if constexpr (SHAPE + 1 < int(streamed_shapes<T>.size()))
        if (shape > SHAPE) return of_shape<T, SHAPE + 1>(context, shape, p, batch);
    constexpr StreamedShape s = streamed_shapes<T>[SHAPE];
    return Launch(context, batch, 32 * s.warps, streamed_bytes<T>(s, std::min(p.m, p.n)))(factor_streamed<T, SHAPE>,
                                                                                          "factor_streamed", p);
}

}  // namespace

template <class T>
bool is_streamed(const Context &context, int64_t m, int64_t n) {
    const size_t which = size_t(streamed_shape_for<T>(m, n)), resident = size_t(resident_shape_for<T>(m, n));
    if (m <= least_streamed_rows || which == streamed_shapes<T>.size()) return false;
    const bool is_narrow = resident < resident_shapes<T>.size() && resident_shapes<T>[resident].most < any;
    return !is_narrow &&
           streamed_bytes<T>(streamed_shapes<T>[which], std::min(m, n)) <= size_t(context.shared_per_block);
}
template <class T>
xbatchStatus_t factor_streamed_cuda(Context &context, const StreamedArguments<T> &p, int64_t batch) {
    return of_shape<T, 0>(context, streamed_shape_for<T>(p.m, p.n), p, batch);
}

XBATCH_INSTANTIATE_TYPES(is_streamed);
XBATCH_INSTANTIATE_TYPES(factor_streamed_cuda);

}  // namespace xbatch::qr
