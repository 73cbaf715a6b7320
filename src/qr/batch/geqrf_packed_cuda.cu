// geqrf_packed_cuda.cu: launches QR of matrices whose panels go through registers.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_packed.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
template <class T>
bool is_packed(const Context &context, int64_t m, int64_t n, bool is_flat) {
    const size_t which = size_t(shape_for(packed_shapes<T>, m, n, is_flat)),
                 resident = size_t(shape_for(resident_shapes<T>, m, n));
    if (which == packed_shapes<T>.size() || std::min(m, n) <= least_packed_reflectors<T>) return false;
    const PackedShape s = packed_shapes<T>[which];
    const bool is_narrow = resident < resident_shapes<T>.size() && resident_shapes<T>[resident].most < any;
    return m > least_packed_rows(s) && (is_flat || !is_for_flat_only(s)) &&
           (s.stages() == 1 || (s.by_mma && is_flat) || !is_narrow) &&
           packed_bytes<T>(s, std::min(m, n)) <= size_t(context.shared_per_block);
}
template <class T>
int packed_at_once(const Context &context, int64_t m, int64_t n) {
    constexpr int reserved = 1024;  // bytes of each block
    if (!is_packed<T>(context, m, n, true)) return 1;
    const PackedShape s = packed_shapes<T>[size_t(shape_for(packed_shapes<T>, m, n, true))];
    const int bytes = int(packed_bytes<T>(s, std::min(m, n)));
    return std::min(s.blocks, (context.shared_per_block + reserved) / (bytes + reserved));
}
template <class T>
xbatchStatus_t factor_packed_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT;
    constexpr int count = int(packed_shapes<T>.size());
    return with_shape<count>(shape_for(packed_shapes<T>, p.m, p.n, is_flat), [&](auto shape) {
        constexpr PackedShape s = packed_shapes<T>[shape];
        const size_t bytes = packed_bytes<T>(s, std::min(p.m, p.n));
        return Launch(context, batch, 32 * s.warps, bytes)(factor_packed<T, shape>, "factor_packed", p);
    });
}

XBATCH_INSTANTIATE_TYPES(is_packed);
XBATCH_INSTANTIATE_TYPES(packed_at_once);
XBATCH_INSTANTIATE_TYPES(factor_packed_cuda);

}  // namespace xbatch::qr
