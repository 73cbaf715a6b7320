// geqrf_cyclic_cuda.cu: launches QR of small matrices that registers hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf_cyclic_launch.cuh"

namespace xbatch::qr {
namespace {

// Bytes from what is loaded to what is loaded to the second-level cache
constexpr int64_t bytes_ahead = 4 << 20;

// Interleaved matrices that are copied as boxes
template <class T>
BoxSizes box_sizes(CyclicShape s, int64_t m, int64_t n, int64_t batch) {
    return {m, n, batch, int(sizeof(T)), cyclic_box_warps<T>(s) * s.of_warp(), int(n)};
}
template <class T>
bool has_boxes(const Context &context, CyclicShape s, const DeviceMatrices<T> &a, int64_t m, int64_t n, int64_t batch) {
    const BoxSizes sizes = box_sizes<T>(s, m, n, batch);
    const CyclicPlaces at = boxed_places<T>(s, int(m), int(n), sizes.matrices);
    return !a.each && a.at.layout != XBATCH_LAYOUT_FLAT &&
           cyclic_bytes<T>(s, at, cyclic_box_warps<T>(s)) <= size_t(context.shared_per_block) &&
           have_boxes(context, a.data, a.at, sizes);
}

template <class T>
FlatPlaces flat_places(const PackedArguments<T> &p) {
    const MatrixPlacement &of = p.a.at;
    if (of.layout != XBATCH_LAYOUT_FLAT || of.row != 1) return FlatPlaces::none;
    if (of.column != p.m || p.a.ld) return FlatPlaces::with_gaps;
    if (p.a.each) return FlatPlaces::apart;
    return of.stride == int64_t(p.m) * p.n ? FlatPlaces::contiguous : FlatPlaces::with_gaps;
}

template <class T>
CyclicArguments<T> arguments(const Context &context, CyclicShape s, const PackedArguments<T> &p, int64_t batch) {
    const MatrixPlacement &of = p.a.at;
    const int k = std::min(p.m, p.n), unit = s.of_warp() * interleaved_cyclic_warps;
    const int64_t size = int64_t(p.m) * p.n, ahead = bytes_ahead / (size * unit * int64_t(sizeof(T))) * unit;
    const bool is_aligned = reinterpret_cast<uintptr_t>(p.a.data) % 16 == 0,
               has_tau = !p.tau.each && p.tau.at.layout == XBATCH_LAYOUT_FLAT && p.tau.at.ld == k;
    CyclicArguments<T> all{{p.a, p.tau, p.m, p.n, p.info},
                           batch,
                           cyclic_places<T>(s, p.m, p.n, flat_places(p), is_aligned),
                           has_tau,
                           batch,
                           {}};
    if (all.at.is_contiguous || all.at.by_bulk) all.ahead = ahead;
    if (has_boxes<T>(context, s, p.a, p.m, p.n, batch)) {
        const BoxSizes sizes = box_sizes<T>(s, p.m, p.n, batch);
        all.boxes = matrix_boxes(p.a.data, of, sizes);
        if (all.boxes.exist()) all.at = boxed_places<T>(s, p.m, p.n, sizes.matrices);
    }
    return all;
}

}  // namespace

// Not one row, of which no norm is formed. Interleaved matrices that are no boxes: real ones of which a block has at
// least 128 contiguous bytes of each row, and complex ones.
template <class T>
bool is_cyclic(const Context &context, const DeviceMatrices<T> &a, int64_t m, int64_t n, int64_t batch,
               bool may_persist) {
    constexpr bool is_complex = sizeof(T) > sizeof(Real<T>);
    const size_t which = size_t(shape_for(cyclic_shapes<T>, m, n));
    if (which == cyclic_shapes<T>.size() || m == 1) return false;
    const CyclicShape s = cyclic_shapes<T>[which];
    const CyclicOrder order = a.at.layout == XBATCH_LAYOUT_FLAT          ? CyclicOrder::flat
                              : has_boxes<T>(context, s, a, m, n, batch) ? CyclicOrder::boxes
                                                                         : CyclicOrder::interleaved;
    if (may_persist && !outruns_persistent_blocks<T>(order, m)) return false;
    return order != CyclicOrder::interleaved || is_complex ||
           s.of_warp() * interleaved_cyclic_warps * int(sizeof(T)) >= 128;
}
template <class T>
xbatchStatus_t factor_cyclic_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    constexpr int count = int(cyclic_shapes<T>.size());
    return with_shape<count>(shape_for(cyclic_shapes<T>, p.m, p.n), [&](auto shape) {
        constexpr CyclicShape s = cyclic_shapes<T>[shape];
        constexpr bool is_apart = has_kernel_for_boxes<T>(s);
        const CyclicArguments<T> a = arguments<T>(context, s, p, batch);
        if (is_apart && a.at.by_boxes) return factor_cyclic_boxes_cuda<T>(context, shape, a);
        constexpr CyclicCopies copies = is_apart ? CyclicCopies::others : CyclicCopies::any;
        return launch_cyclic<T, shape, copies>(context, a);
    });
}

XBATCH_INSTANTIATE_TYPES(is_cyclic);
XBATCH_INSTANTIATE_TYPES(factor_cyclic_cuda);

}  // namespace xbatch::qr
