// geqrf_cyclic_boxes_cuda.cu: launches QR of small interleaved matrices that registers hold and TMA copies.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf_cyclic_launch.cuh"

namespace xbatch::qr {

template <class T>
xbatchStatus_t factor_cyclic_boxes_cuda(Context &context, int shape, const CyclicArguments<T> &p) {
    return with_shape<int(cyclic_shapes<T>.size())>(shape, [&](auto which) {
        if constexpr (has_kernel_for_boxes<T>(cyclic_shapes<T>[which]))
            return launch_cyclic<T, which, CyclicCopies::boxes>(context, p);
        return XBATCH_STATUS_INTERNAL_ERROR;
    });
}

XBATCH_INSTANTIATE_TYPES(factor_cyclic_boxes_cuda);

}  // namespace xbatch::qr
