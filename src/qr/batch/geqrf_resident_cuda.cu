// geqrf_resident_cuda.cu: launches QR and least squares of matrices that shared memory holds.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_resident.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
namespace {

template <class T>
bool fits(const Context &context, int64_t m, int64_t n, int64_t nrhs, bool is_varying) {
    const size_t which = size_t(shape_for(resident_shapes<T>, m, n, nrhs));
    constexpr int64_t most_columns = 1024;
    if (which == resident_shapes<T>.size() || n + nrhs > most_columns) return false;
    const size_t bytes = resident_bytes<T>(resident_shapes<T>[which], n, nrhs, 1, is_varying);
    return (nrhs > 0 ? 2 : 1) * bytes <= size_t(context.shared_per_block);
}

}  // namespace

template <class T>
bool is_resident(const Context &context, int64_t m, int64_t n, int64_t nrhs) {
    return fits<T>(context, m, n, nrhs, false);
}
template <class T>
int resident_classes_with(const Context &context, int64_t nrhs) {
    const auto has_room = [&](int which) {
        return fits<T>(context, resident_order(which), resident_order(which), nrhs, true);
    };
    int count = 0;
    while (count < resident_classes && has_room(count)) ++count;
    return count;
}
template <class T>
xbatchStatus_t factor_resident_cuda(Context &context, const ResidentArguments<T> &p) {
    constexpr int count = int(resident_shapes<T>.size());
    return with_shape<count>(shape_for(resident_shapes<T>, p.m, p.n, int64_t(p.nrhs)), [&](auto shape) {
        using K = ResidentKind<T, shape>;
        const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT, is_varying = p.sizes.which != nullptr;
        const int groups = resident_groups<T>(K::shape, is_flat, p.n, p.nrhs, context.shared_per_block);
        const int64_t blocks = (p.batch - 1) / (groups * K::of_warp) + 1;
        const size_t bytes = resident_bytes<T>(K::shape, p.n, p.nrhs, groups, is_varying);
        return Launch(context, blocks, 32 * K::warps * groups, bytes)(factor_resident<T, shape>, "factor_resident", p);
    });
}

XBATCH_INSTANTIATE_TYPES(is_resident);
XBATCH_INSTANTIATE_TYPES(resident_classes_with);
XBATCH_INSTANTIATE_TYPES(factor_resident_cuda);

}  // namespace xbatch::qr
