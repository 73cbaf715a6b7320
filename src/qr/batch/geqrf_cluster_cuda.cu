// geqrf_cluster_cuda.cu: launches the factorisation of interleaved matrices by clusters of blocks.
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_cluster.cuh"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

template <class T, QrKind KIND>
struct ClusterLaunch {
    using Kind = KindOf<T, KIND>;
    using K = typename Kind::Tile;
    using Slots = ClusterSlots<T, K>;
    static constexpr int threads =
        sizeof(T) == 4 ? 320 : Kind::threads;  // two blocks of five warps have their registers

    TileLayout layout;
    size_t bytes;

    ClusterLaunch(int64_t m, int64_t n)
        : layout(layout_for<Kind>(m, n)),
          bytes(size_t(layout.warps_across) * Slots::warp_bytes + TileOfBatch<T, K>::bytes(layout)) {}

    xbatchStatus_t operator()(Context &context, const FactorBatchArguments<T> &p) const {
        const auto kernel = factor_cluster<T, K, threads, Kind::blocks>;
        const int64_t clusters = (p.batch - 1) / Slots::blocks + 1;
        Launch launch(context, clusters * Slots::blocks, 32 * layout.warps_across, bytes);
        return launch.cluster(Slots::blocks).limit_to_resident(kernel)(kernel, "factor_cluster", layout, p);
    }
};

// Real matrices of up to 256 rows go elsewhere: their panels go through registers.
template <class T>
bool is_for_clusters(QrKind kind) {
    return kind == QrKind::rows_512 || sizeof(T) > sizeof(Real<T>);
}
// f(launch) for the kind
template <class T, class F>
auto for_kind(QrKind kind, int64_t m, int64_t n, F f) {
    if constexpr (sizeof(T) > sizeof(Real<T>)) {
        if (kind == QrKind::rows_128) return f(ClusterLaunch<T, QrKind::rows_128>(m, n));
        if (kind == QrKind::rows_256) return f(ClusterLaunch<T, QrKind::rows_256>(m, n));
    }
    return f(ClusterLaunch<T, QrKind::rows_512>(m, n));
}

}  // namespace

template <class T>
bool cluster_fits(const Context &context, QrKind kind, int64_t m, int64_t n) {
    return context.has_clusters && is_for_clusters<T>(kind) && for_kind<T>(kind, m, n, [&](const auto &launch) {
               return launch.bytes <= size_t(context.shared_per_block);
           });
}
template <class T>
xbatchStatus_t factor_cluster_cuda(Context &context, QrKind kind, const FactorBatchArguments<T> &p) {
    return for_kind<T>(kind, p.m, p.n, [&](const auto &launch) { return launch(context, p); });
}

// Not for complex double
#define XBATCH_INSTANTIATE(T)                                                 \
    template bool cluster_fits<T>(const Context &, QrKind, int64_t, int64_t); \
    template xbatchStatus_t factor_cluster_cuda<T>(Context &, QrKind, const FactorBatchArguments<T> &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch::qr
