// geqrf_adjacent_cuda.cu: launches QR of interleaved matrices, of which a block copies panels of several together.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_adjacent.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {

template <class T>
bool is_adjacent(const Context &context, int64_t m, int64_t n) {
    const size_t which = size_t(shape_for(adjacent_shapes<T>, m, n));
    if (which == adjacent_shapes<T>.size() || !is_size_for_adjacent<T>(m, n)) return false;
    const size_t bytes = size_t(adjacent_matrices * adjacent_apart<T>(adjacent_shapes<T>[which].panels, m, n, 2));
    return bytes <= size_t(context.shared_per_block);
}
template <class T>
xbatchStatus_t factor_adjacent_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    const int which = shape_for(adjacent_shapes<T>, p.m, p.n);
    return with_shape<int(adjacent_shapes<T>.size())>(which, [&](auto shape) {
        constexpr PackedShape s = adjacent_shapes<T>[shape].panels;
        const int at_once = exchanged_registers<T>(s, p.m, p.n, context.shared_per_block),
                  panels = s.panels(std::min(p.m, p.n));
        const AdjacentPlaces at{adjacent_apart<T>(s, p.m, p.n, at_once),
                                ends_at_first(s, p.m, p.n) ? panels - 1 : panels, exchange_room(at_once)};
        return Launch(context, (batch - 1) / adjacent_matrices + 1, 32 * s.warps * adjacent_matrices,
                      size_t(adjacent_matrices * at.apart))(factor_adjacent<T, shape>, "factor_adjacent", p, at, batch);
    });
}

XBATCH_INSTANTIATE_TYPES(is_adjacent);
XBATCH_INSTANTIATE_TYPES(factor_adjacent_cuda);

}  // namespace xbatch::qr
