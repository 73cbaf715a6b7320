// geqrf_persistent_cuda.cu: launches the factorisation of large batches of small matrices, by persistent blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_persistent.cuh"
#include "qr_batch_launch.cuh"
#include "qr_cyclic_tuning.hpp"

namespace xbatch::qr {
namespace {

// Whether other kernels take all matrices of this kind: for few lanes, or for panels (geqrf_batch_cuda.cu)
template <class T, QrKind KIND, bool FLAT>
constexpr bool has_faster_kernels() {
    if (KIND == QrKind::rows_64) return FLAT && sizeof(T) < 16;
    // Of interleaved floats with the most rows a block may have too few contiguous bytes (is_cyclic).
    if (!FLAT && sizeof(T) == 4 && KIND == QrKind::thirty_two) return false;
    return outruns_persistent_blocks<T>(FLAT ? CyclicOrder::flat : CyclicOrder::interleaved, persistent_columns(KIND));
}

template <class T, QrKind KIND, bool FLAT, bool EACH = false>
xbatchStatus_t of_kind(Context &context, const FactorBatchArguments<T> &p) {
    if constexpr (has_faster_kernels<T, KIND, FLAT>()) {
        return XBATCH_STATUS_INTERNAL_ERROR;
    } else {
        constexpr bool is_real = sizeof(T) == sizeof(Real<T>), is_small = KIND < QrKind::rows_64;
        constexpr PersistentNumbers s = persistent_numbers(KIND, sizeof(T));
        constexpr TileNumbers n = s.tile;
        using K = TileKind<n.down, n.across, n.columns, n.rows, s.warps_across, false,
                           is_real && (is_small || sizeof(T) == 8)>;
        using Slots = TileSlots<T, K, n.threads, FLAT, EACH>;
        const auto kernel = factor_persistent<T, K, n.threads, n.blocks, FLAT, EACH>;
        const TileLayout layout{s.warps_across, 1, s.matrices};
        const int64_t needed = (p.batch - 1) / s.matrices + 1;
        const int64_t blocks = std::min(needed, int64_t(context.multiprocessors) * n.blocks);
        const size_t bytes = Slots::bytes + TileOfBatch<T, K>::bytes(layout);
        return Launch(context, blocks, n.threads, bytes)(kernel, "factor_persistent", layout, p);
    }
}
template <class T, bool FLAT>
xbatchStatus_t of_layout(Context &context, QrKind kind, const FactorBatchArguments<T> &p) {
    if constexpr (FLAT)
        if (kind == QrKind::eight) return of_kind<T, QrKind::eight, FLAT>(context, p);
    switch (kind) {
        case QrKind::sixteen: return of_kind<T, QrKind::sixteen, FLAT>(context, p);
        case QrKind::thirty_two: return of_kind<T, QrKind::thirty_two, FLAT>(context, p);
        default: return of_kind<T, QrKind::rows_64, FLAT>(context, p);
    }
}

}  // namespace

template <class T>
xbatchStatus_t factor_persistent_cuda(Context &context, QrKind kind, bool is_flat, const FactorBatchArguments<T> &p) {
    if (p.a.each)
        return kind == QrKind::sixteen ? of_kind<T, QrKind::sixteen, true, true>(context, p)
                                       : of_kind<T, QrKind::thirty_two, true, true>(context, p);
    return is_flat ? of_layout<T, true>(context, kind, p) : of_layout<T, false>(context, kind, p);
}

XBATCH_INSTANTIATE_TYPES(factor_persistent_cuda);

}  // namespace xbatch::qr
