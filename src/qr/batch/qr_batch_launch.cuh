// qr_batch_launch.cuh: launches the kernel for a kind of tile, with the blocks and the shared memory that it needs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "core/workspace.hpp"
#include "qr_batch.hpp"
#include "qr_batch_kernels.cuh"
#include "qr_batch_tuning.hpp"
#include "resident_arguments.cuh"

namespace xbatch::qr {

template <class T, QrKind KIND>
struct KindOf {
    static constexpr QrKind kind = KIND;
    static constexpr TileNumbers numbers = numbers_of(kind, sizeof(T) == 16);
    static constexpr bool is_one_warp = kind < QrKind::rows_64, is_tall = kind == QrKind::tall;
    using Tile = TileKind<numbers.down, numbers.across, numbers.columns, numbers.rows, is_one_warp ? 1 : 0, is_tall>;
    static_assert(!is_tall || Tile::C * most_warps <= Tile::D * int(16 / sizeof(T)));  // RegisterTile::most_stages
    static constexpr int threads = numbers.threads, blocks = numbers.blocks;
};

// For m rows, and n columns or as many as warps can hold
template <class Kind>
TileLayout layout_for(int64_t m, int64_t n) {
    using K = typename Kind::Tile;
    if (K::ONE_WARP) return {1, 1, Kind::threads / 32 * K::matrices};
    constexpr int columns = K::A * K::C;
    const int warps_down = Kind::numbers.warps_down(Kind::kind, m);
    return {int(std::min<int64_t>((n - 1) / columns + 1, Kind::numbers.most_warps_across(warps_down))), warps_down, 1};
}

template <class T, class Kind, class Arguments>
xbatchStatus_t launch(Context &context, void (*kernel)(TileLayout, Arguments), const char *name, int64_t m, int64_t n,
                      int64_t batch, const Arguments &arguments) {
    using K = typename Kind::Tile;
    const TileLayout layout = layout_for<Kind>(m, n);
    const int64_t blocks = (batch - 1) / layout.per_block + 1;
    const int threads = K::ONE_WARP ? Kind::threads : 32 * layout.warps_across * layout.warps_down;
    return Launch(context, blocks, threads, TileOfBatch<T, K>::bytes(layout))(kernel, name, layout, arguments);
}

template <class T>
xbatchStatus_t too_many_rows(Context &context, int64_t rows) {
    return fail(context, XBATCH_STATUS_NOT_SUPPORTED, "batched QR on CUDA takes at most %lld rows, not %lld",
                (long long)most_rows, (long long)rows);
}

// The kernels, each in its own source
template <class T>
xbatchStatus_t factor_cuda(Context &context, QrKind kind, const FactorBatchArguments<T> &p);
template <class T>
xbatchStatus_t factor_persistent_cuda(Context &context, QrKind kind, bool is_flat, const FactorBatchArguments<T> &p);
template <class T>
xbatchStatus_t factor_resident_cuda(Context &context, const ResidentArguments<T> &p);
// Matrices of one size, each by a warp or by a block, in the kernel for this size
template <class T>
xbatchStatus_t factor_each_cuda(Context &context, const FactorBatchArguments<T> &p);
// Whether the kernels for matrices in shared memory take these. With right-hand sides: if there is room for two blocks.
template <class T>
bool is_resident(const Context &context, int64_t m, int64_t n, int64_t nrhs);
// The classes of a batch of different sizes that they take with right-hand sides
template <class T>
int resident_classes_with(const Context &context, int64_t nrhs);
// Whether the device has clusters, and the shared memory that a block needs
template <class T>
bool cluster_fits(const Context &context, QrKind kind, int64_t m, int64_t n);
template <class T>
xbatchStatus_t factor_cluster_cuda(Context &context, QrKind kind, const FactorBatchArguments<T> &p);
template <class T>
xbatchStatus_t apply_cuda(Context &context, QrKind kind, const ApplyArguments<T> &p);
template <class T>
xbatchStatus_t solve_cuda(Context &context, QrKind kind, const SolveArguments<T> &p);
// Matrices of one size, in the kernel for this size, if one holds a matrix and its right-hand sides; else false
template <class T>
bool solve_each_cuda(Context &context, const SolveArguments<T> &p, xbatchStatus_t &status);

// Workspace of least squares if no tile holds a matrix and its right-hand sides
template <class T>
struct SolveFactors {
    T *g = nullptr, *tau = nullptr;
    LeastSquaresScaling *scaling = nullptr;

    SolveFactors() = default;
    SolveFactors(Carver &carver, int64_t rows, int64_t columns, int64_t batch)
        : g(carver.take<T>(rows * columns * batch)),
          tau(carver.take<T>(columns * batch)),
          scaling(carver.take<LeastSquaresScaling>(batch)) {}
};
// factoring, applying: the kernels that factor and that apply Q
template <class T>
xbatchStatus_t solve_by_factors_cuda(Context &context, QrKind factoring, QrKind applying, const SolveArguments<T> &p,
                                     const SolveFactors<T> &factors);

}  // namespace xbatch::qr

// Calls launch for the kind: f<T, Tile, threads, blocks> is the kernel.
#define XBATCH_LAUNCH_KIND(f, T, kind)                                                                             \
    case QrKind::kind: {                                                                                           \
        using Kind = KindOf<T, QrKind::kind>;                                                                      \
        return launch<T, Kind>(context, f<T, typename Kind::Tile, Kind::threads, Kind::blocks>, #f, rows, columns, \
                               p.batch, p);                                                                        \
    }
// A matrix has a block.
#define XBATCH_LAUNCH_BLOCK_KINDS(f, T) \
    XBATCH_LAUNCH_KIND(f, T, rows_64)   \
    XBATCH_LAUNCH_KIND(f, T, rows_128)  \
    XBATCH_LAUNCH_KIND(f, T, rows_256)  \
    XBATCH_LAUNCH_KIND(f, T, rows_512)  \
    XBATCH_LAUNCH_KIND(f, T, tall)      \
    default: return too_many_rows<T>(context, rows)
// Or a warp has one or more matrices.
#define XBATCH_LAUNCH_KINDS(f, T)        \
    XBATCH_LAUNCH_KIND(f, T, eight)      \
    XBATCH_LAUNCH_KIND(f, T, sixteen)    \
    XBATCH_LAUNCH_KIND(f, T, thirty_two) \
    XBATCH_LAUNCH_BLOCK_KINDS(f, T)
