// geqrf_cyclic_cuda.cu: launches QR of small matrices that registers hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_cyclic.cuh"
#include "qr_batch_launch.cuh"
#include "shape_choice.hpp"

namespace xbatch::qr {
namespace {

// Bytes from what is loaded to what is loaded to the second-level cache
constexpr int64_t bytes_ahead = 4 << 20;

template <class T>
CyclicArguments<T> arguments(CyclicShape s, const PackedArguments<T> &p, int64_t batch) {
    const MatrixPlacement &of = p.a.at;
    const int k = std::min(p.m, p.n), unit = s.of_warp() * most_cyclic_warps;
    const int64_t all = int64_t(p.m) * p.n, ahead = bytes_ahead / (all * unit * int64_t(sizeof(T))) * unit;
    const bool is_flat = of.layout == XBATCH_LAYOUT_FLAT && of.row == 1,
               has_gaps = p.a.each || of.column != p.m || of.stride != all,
               is_aligned = reinterpret_cast<uintptr_t>(p.a.data) % 16 == 0,
               has_tau = !p.tau.each && p.tau.at.layout == XBATCH_LAYOUT_FLAT && p.tau.at.ld == k;
    const CyclicPlaces at = cyclic_places<T>(s, p.m, p.n, is_flat, has_gaps, is_aligned);
    return {{p.a, p.tau, p.m, p.n, p.info}, batch, at, has_tau, at.is_contiguous ? ahead : batch};
}

template <class T, int SHAPE = 0>
xbatchStatus_t of_shape(Context &context, int shape, const PackedArguments<T> &p, int64_t batch) {
    if constexpr (SHAPE < int(cyclic_shapes<T>.size())) {
        if (shape > SHAPE) return of_shape<T, SHAPE + 1>(context, shape, p, batch);
        constexpr CyclicShape s = cyclic_shapes<T>[SHAPE];
        const CyclicArguments<T> a = arguments<T>(s, p, batch);
        const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT;
        const int warps = cyclic_warps<T>(s, a.at, is_flat, context.shared_per_block);
        const int64_t blocks = (batch - 1) / (warps * s.of_warp()) + 1;
        return Launch(context, blocks, 32 * warps, cyclic_bytes<T>(s, a.at, warps))(factor_cyclic<T, SHAPE>,
                                                                                    "factor_cyclic", a);
    }
    return XBATCH_STATUS_INTERNAL_ERROR;
}

}  // namespace

// Not one row, of which no norm is formed; of matrices that are not flat, those of which a block has at least 128
// contiguous bytes of each row. Persistent blocks keep doubles that are not flat or have more than 16 rows.
template <class T>
bool is_cyclic(int64_t m, int64_t n, bool is_flat, bool may_persist) {
    const size_t which = size_t(shape_for(cyclic_shapes<T>, m, n));
    if (which == cyclic_shapes<T>.size() || m == 1) return false;
    if (may_persist && sizeof(T) > 4 && (m > 16 || !is_flat)) return false;
    return is_flat || cyclic_shapes<T>[which].of_warp() * most_cyclic_warps * int(sizeof(T)) >= 128;
}
template <class T>
xbatchStatus_t factor_cyclic_cuda(Context &context, const PackedArguments<T> &p, int64_t batch) {
    return of_shape<T>(context, shape_for(cyclic_shapes<T>, p.m, p.n), p, batch);
}

XBATCH_INSTANTIATE_TYPES(is_cyclic);
XBATCH_INSTANTIATE_TYPES(factor_cyclic_cuda);

}  // namespace xbatch::qr
