// qr_batch_launch.cuh: a kernel for each kind of tile, with the blocks and the shared memory that it takes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/cuda.hpp"
#include "core/dispatch.hpp"
#include "qr_batch_kernels.cuh"
#include "qr_batch_tuning.hpp"

namespace xbatch {

template <class T, QrKind kind, bool RIDES>
struct KindOf {
    static constexpr TileNumbers numbers = numbers_of(kind, RIDES, sizeof(T) == 16);
    static constexpr bool is_alone = kind < QrKind::narrow;
    using Tile = TileKind<numbers.lanes, numbers.columns, numbers.rows, is_alone>;
    static constexpr int threads = numbers.threads, blocks = numbers.blocks;
};

// m rows among groups; a warp at least
template <class K>
TileLayout layout_for(int threads, int64_t m) {
    if (K::ALONE) return {1, threads / K::G, 0};
    TileLayout layout{1, 1, 0};
    while (layout.groups * K::R < m || layout.groups * K::G < 32) layout.groups *= 2, ++layout.log_groups;
    return layout;
}

template <class T, QrKind kind, bool RIDES, class Arguments>
xbatchStatus_t launch(Context &context, void (*kernel)(TileLayout, Arguments), const char *name, int64_t m,
                      int64_t batch, const Arguments &arguments) {
    using K = typename KindOf<T, kind, RIDES>::Tile;
    const TileLayout layout = layout_for<K>(KindOf<T, kind, RIDES>::threads, m);
    const int64_t blocks = (batch - 1) / layout.per_block + 1;
    const xbatchStatus_t status = check_blocks(context, blocks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const size_t bytes = TileShared<T, K>::bytes(layout);
    if (bytes > size_t(context.shared_per_block))
        return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "%lld rows need %zu bytes of a block's shared memory",
                    (long long)m, bytes);
    XBATCH_ALLOW_SHARED(context, kernel, bytes);
    kernel<<<unsigned(blocks), unsigned(layout.groups * layout.per_block * K::G), bytes, stream_of(context)>>>(
        layout, arguments);
    XBATCH_CUDA_LAUNCHED(context, name);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
xbatchStatus_t too_many_rows(Context &context, int64_t rows) {
    return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "batched QR on CUDA holds at most %lld rows, not %lld",
                (long long)largest_rows<sizeof(T)>, (long long)rows);
}

// The kernels, each in a source of its own
template <class T>
xbatchStatus_t factor_cuda(Context &context, const FactorArguments<T> &p);
template <class T>
xbatchStatus_t apply_cuda(Context &context, const ApplyArguments<T> &p);

}  // namespace xbatch

// Calls launch for the kind: f<T, Tile, threads, blocks> is the kernel.
#define XBATCH_LAUNCH_KIND(f, T, rides, kind)                                                                      \
    case QrKind::kind: {                                                                                           \
        using Kind = KindOf<T, QrKind::kind, rides>;                                                               \
        return launch<T, QrKind::kind, rides>(context, f<T, typename Kind::Tile, Kind::threads, Kind::blocks>, #f, \
                                              rows, p.batch, p);                                                   \
    }
#define XBATCH_LAUNCH_KINDS(f, T, rides)        \
    XBATCH_LAUNCH_KIND(f, T, rides, eight)      \
    XBATCH_LAUNCH_KIND(f, T, rides, sixteen)    \
    XBATCH_LAUNCH_KIND(f, T, rides, thirty_two) \
    XBATCH_LAUNCH_KIND(f, T, rides, narrow)     \
    XBATCH_LAUNCH_KIND(f, T, rides, middle)     \
    XBATCH_LAUNCH_KIND(f, T, rides, wide)       \
    default: return too_many_rows<T>(context, rows)
