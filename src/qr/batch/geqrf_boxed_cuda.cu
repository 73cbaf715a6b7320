// geqrf_boxed_cuda.cu: launches QR of interleaved matrices whose panels are copied as boxes.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_boxed.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
namespace {

template <class T>
BoxSizes box_sizes(PackedShape s, int64_t m, int64_t n, int64_t batch) {
    return {m, n, batch, int(sizeof(T)), boxed_matrices, boxed_columns(s)};
}

}  // namespace

template <class T>
bool has_boxes(const Context &context, const DeviceMatrices<T> &a, int64_t m, int64_t n, int64_t batch) {
    const size_t which = size_t(shape_for(packed_shapes<T>, m, n, true));
    if (a.each || a.at.layout == XBATCH_LAYOUT_FLAT || which == packed_shapes<T>.size()) return false;
    const PackedShape s = boxed_shape(packed_shapes<T>[which]);
    return is_for_boxes(s) && is_size_for_boxes(m, n) && boxed_bytes<T>(s, m, n) <= size_t(context.shared_per_block) &&
           have_boxes(context, a.data, a.at, box_sizes<T>(s, m, n, batch));
}
template <class T>
xbatchStatus_t factor_boxed_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    const int which = shape_for(packed_shapes<T>, p.m, p.n, true);
    return with_shape<int(packed_shapes<T>.size())>(which, [&](auto shape) {
        constexpr PackedShape s = boxed_shape(packed_shapes<T>[shape]);
        if constexpr (is_for_boxes(s)) {
            const MatrixBoxes boxes = matrix_boxes(p.a.data, p.a.at, box_sizes<T>(s, p.m, p.n, batch));
            if (!boxes.exist()) return factor_packed_cuda<T>(context, p, batch);
            return Launch(context, (batch - 1) / boxed_matrices + 1, 32 * s.warps * boxed_matrices,
                          boxed_bytes<T>(s, p.m, p.n))(factor_boxed<T, shape>, "factor_boxed", p, boxes, batch,
                                                       boxed_apart<T>(s, p.m, p.n));
        }
        return XBATCH_STATUS_INTERNAL_ERROR;
    });
}

XBATCH_INSTANTIATE_TYPES(has_boxes);
XBATCH_INSTANTIATE_TYPES(factor_boxed_cuda);

}  // namespace xbatch::qr
