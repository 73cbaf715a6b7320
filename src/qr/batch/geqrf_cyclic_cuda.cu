// geqrf_cyclic_cuda.cu: launches QR of small matrices that registers hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_cyclic.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
namespace {

template <class T, int SHAPE = 0>
xbatchStatus_t of_shape(Context &context, int shape, const PackedArguments<T> &p, int64_t batch) {
    if constexpr (SHAPE < int(cyclic_shapes<T>.size())) {
        if (shape > SHAPE) return of_shape<T, SHAPE + 1>(context, shape, p, batch);
        constexpr CyclicShape s = cyclic_shapes<T>[SHAPE];
        const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int warps = cyclic_warps<T>(s, p.m, p.n, is_flat, context.shared_per_block);
        const int64_t blocks = (batch - 1) / (warps * s.of_warp()) + 1;
        return Launch(context, blocks, 32 * warps, cyclic_bytes<T>(s, p.m, p.n, warps, is_flat))(
            factor_cyclic<T, SHAPE>, "factor_cyclic", p, batch);
    }
    return XBATCH_STATUS_INTERNAL_ERROR;
}

}  // namespace

// Not one row, of which no norm is formed; of matrices that are not flat, those of which a block has at least 128
// contiguous bytes of each row; and floats instead of persistent blocks from 17 rows on
template <class T>
bool is_cyclic(int64_t m, int64_t n, bool is_flat, bool may_persist) {
    const size_t which = size_t(shape_for(cyclic_shapes<T>, m, n));
    if (which == cyclic_shapes<T>.size() || m == 1) return false;
    if (may_persist && (sizeof(T) > 4 || m <= 16)) return false;
    return is_flat || cyclic_shapes<T>[which].of_warp() * most_cyclic_warps * int(sizeof(T)) >= 128;
}
template <class T>
xbatchStatus_t factor_cyclic_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    return of_shape<T>(context, shape_for(cyclic_shapes<T>, p.m, p.n), p, batch);
}

XBATCH_INSTANTIATE_TYPES(is_cyclic);
XBATCH_INSTANTIATE_TYPES(factor_cyclic_cuda);

}  // namespace xbatch::qr
