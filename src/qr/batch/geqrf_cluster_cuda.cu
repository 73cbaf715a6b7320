// geqrf_cluster_cuda.cu: launches the factorisation of interleaved matrices by clusters of blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_cluster.cuh"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

template <class T, QrKind KIND>
xbatchStatus_t launch_kind(Context &context, const FactorBatchArguments<T> &p) {
    using Kind = KindOf<T, KIND, false>;
    using K = typename Kind::Tile;
    using Slots = NeighbourSlots<T, K>;
    constexpr int threads = sizeof(T) == 4 ? 320 : Kind::threads;  // two blocks of five warps have their registers
    const auto kernel = factor_neighbours<T, K, threads, Kind::blocks>;
    const TileLayout layout = layout_for<Kind>(p.m, p.n);
    const size_t bytes = size_t(layout.beside) * Slots::warp_bytes + TileOfBatch<T, K>::bytes(layout);
    if (bytes > size_t(context.shared_per_block)) return factor_cuda<T>(context, KIND, p);
    const int64_t clusters = (p.batch - 1) / Slots::blocks + 1;
    Launch launch(context, clusters * Slots::blocks, 32 * layout.beside, bytes);
    XBATCH_TRY(launch.cluster(Slots::blocks).limit_to_resident(kernel));
    return launch(kernel, "factor_neighbours", layout, p);
}

}  // namespace

template <class T>
xbatchStatus_t factor_neighbours_cuda(Context &context, QrKind kind, const FactorBatchArguments<T> &p) {
    switch (kind) {
        case QrKind::rows_128: return launch_kind<T, QrKind::rows_128>(context, p);
        case QrKind::rows_256: return launch_kind<T, QrKind::rows_256>(context, p);
        default: return launch_kind<T, QrKind::rows_512>(context, p);
    }
}

template xbatchStatus_t factor_neighbours_cuda<float>(Context &, QrKind, const FactorBatchArguments<float> &);
template xbatchStatus_t factor_neighbours_cuda<double>(Context &, QrKind, const FactorBatchArguments<double> &);
template xbatchStatus_t factor_neighbours_cuda<Complex<float>>(Context &, QrKind,
                                                               const FactorBatchArguments<Complex<float>> &);

}  // namespace xbatch::qr
