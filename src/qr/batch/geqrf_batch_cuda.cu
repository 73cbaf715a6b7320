// geqrf_batch_cuda.cu: launches the factorisation of a batch of matrices.
// SPDX-License-Identifier: BSD-3-Clause
#include "geqrf_copied.hpp"
#include "packed_arguments.cuh"
#include "qr/batch/panels/qr_large.hpp"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {

template <class T>
xbatchStatus_t factor_cuda(Context &context, QrKind kind, const FactorBatchArguments<T> &p) {
    const int64_t rows = p.m, columns = p.n;
    switch (kind) { XBATCH_LAUNCH_BLOCK_KINDS(factor_batch, T); }
}
namespace {

// Whether persistent blocks take matrices of one size: not flat ones whose columns are no whole chunks; with addresses
// of their own those for a tile of 16 x 16 or 32 x 32
template <class T>
bool is_persistent(const Context &context, const FactorBatchArguments<T> &p) {
    constexpr int chunk = Sixteen<T>::size;
    const MatrixPlacement &at = p.a.at;
    const QrKind kind = kind_for(p.m, p.n);
    const bool is_flat = at.layout == XBATCH_LAYOUT_FLAT,
               is_aligned = p.a.each || (at.stride % chunk == 0 && reinterpret_cast<uintptr_t>(p.a.data) % 16 == 0);
    if (p.a.each && kind != QrKind::sixteen && kind != QrKind::thirty_two) return false;
    if (is_flat && is_packed<T>(context, p.m, p.n, is_flat)) return false;
    return uses_persistent_blocks(kind, is_flat, p.m, p.n, sizeof(T), p.batch, context.multiprocessors,
                                  context.shared_per_block) &&
           (!is_flat || (p.m % chunk == 0 && at.column % chunk == 0 && is_aligned));
}

// Whether a few warps share the rows of flat matrices of this size
template <class T>
bool is_split_flat(const Context &context, int64_t m, int64_t n) {
    return std::is_same_v<T, double> && is_split(context, m, n);
}

// Whether blocks that copy panels of several matrices together take these, unless panels are boxes. Narrow ones are
// faster in shared memory.
template <class T>
bool uses_adjacent(const Context &context, xbatchLayout_t layout, int64_t m, int64_t n) {
    return layout != XBATCH_LAYOUT_FLAT && std::min(m, n) > (m <= 128 ? 20 : 16) && is_adjacent<T>(context, m, n);
}

// Whether flat copies pay: for real matrices of more than 64 rows and wide ones of doubles, of which otherwise entries
// are accessed one by one, each in a sector of 32 bytes, unless they have few reflectors and are resident; where
// kernels take flat matrices only; and where a block factors a matrix of many columns in registers and accesses it
// several times.
template <class T>
bool is_copied(const Context &context, const GeqrfBatch &p) {
    constexpr bool is_real = sizeof(T) == sizeof(Real<T>), is_double = is_real && sizeof(T) == 8;
    const bool is_small = p.m <= 64 && !(is_double && p.n > p.m), has_few = std::min(p.m, p.n) <= 32;
    if (p.layout == XBATCH_LAYOUT_FLAT || uses_adjacent<T>(context, p.layout, p.m, p.n)) return false;
    if ((is_small || has_few || !is_real) && is_resident<T>(context, p.m, p.n, 0)) return false;
    if (is_packed<T>(context, p.m, p.n, true)) return is_real || p.m > 128;
    return is_split_flat<T>(context, p.m, p.n) || (p.m > 128 && std::min(p.m, p.n) > 32);
}

// The kernels for matrices of one size, in the order in which they are tried
enum class FactorKernel { cyclic, boxed, adjacent, persistent, split, packed, resident, cluster, tile };

template <class T>
FactorKernel kernel_for(const Context &context, const FactorBatchArguments<T> &p) {
    const bool is_flat = p.a.at.layout == XBATCH_LAYOUT_FLAT, persists = is_persistent<T>(context, p);
    if (is_cyclic<T>(context, p.a, p.m, p.n, p.batch, persists)) return FactorKernel::cyclic;
    if (has_boxes<T>(context, p.a, p.m, p.n, p.batch)) return FactorKernel::boxed;
    if (!p.a.each && uses_adjacent<T>(context, p.a.at.layout, p.m, p.n)) return FactorKernel::adjacent;
    if (persists) return FactorKernel::persistent;
    if (is_flat && is_split_flat<T>(context, p.m, p.n)) return FactorKernel::split;
    if (is_packed<T>(context, p.m, p.n, is_flat)) return FactorKernel::packed;
    if (is_resident<T>(context, p.m, p.n, 0)) return FactorKernel::resident;
    const QrKind kind = block_kind_for(p.m, p.n);
    const bool in_cluster =
        sizeof(T) < 16 && uses_cluster(kind, p.m, p.n, p.a.at) && cluster_fits<T>(context, kind, p.m, p.n);
    return in_cluster ? FactorKernel::cluster : FactorKernel::tile;
}

template <class T>
xbatchStatus_t factor_by(Context &context, FactorKernel kernel, const FactorBatchArguments<T> &p) {
    const PackedArguments<T> packed{p.a, p.tau, p.m, p.n, p.info};
    switch (kernel) {
        case FactorKernel::cyclic: return factor_cyclic_cuda<T>(context, packed, p.batch);
        case FactorKernel::boxed: return factor_boxed_cuda<T>(context, packed, p.batch);
        case FactorKernel::adjacent: return factor_adjacent_cuda<T>(context, packed, p.batch);
        case FactorKernel::persistent:
            return factor_persistent_cuda<T>(context, kind_for(p.m, p.n), p.a.at.layout == XBATCH_LAYOUT_FLAT, p);
        case FactorKernel::split:
            if constexpr (std::is_same_v<T, double>) return factor_split_cuda(context, packed, p.batch);
            break;
        case FactorKernel::packed: return factor_packed_cuda<T>(context, packed, p.batch);
        case FactorKernel::resident:
            return factor_resident_cuda<T>(context, {p.a, {}, p.tau, p.m, p.n, 0, false, p.batch, p.info, {}});
        case FactorKernel::cluster:
            if constexpr (sizeof(T) < 16) return factor_cluster_cuda<T>(context, block_kind_for(p.m, p.n), p);
            break;
        case FactorKernel::tile: return factor_cuda<T>(context, block_kind_for(p.m, p.n), p);
    }
    return XBATCH_STATUS_INTERNAL_ERROR;
}

}  // namespace

template <class T>
xbatchStatus_t factor_each_cuda(Context &context, const FactorBatchArguments<T> &p) {
    return factor_by<T>(context, kernel_for<T>(context, p), p);
}

template <class T>
xbatchStatus_t geqrf_batch_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    if (factors_by_panels(p.m, p.n, p.batch, context.multiprocessors))
        return geqrf_large_cuda<T>(context, p, workspace);
    const DeviceMatrices<T> a = device_matrices<T>(p.a, p.a_at, false);
    const DeviceTau<T> tau{static_cast<T *>(p.tau), p.tau_at, nullptr};
    const FactorBatchArguments<T> arguments{a, a, tau, int(p.m), int(p.n), p.batch, p.info, {}};
    const FactorKernel kernel = kernel_for<T>(context, arguments);
    if (kernel > FactorKernel::persistent && is_copied<T>(context, p))
        return geqrf_copied_cuda<T>(context, p, workspace);
    return factor_by<T>(context, kernel, arguments);
}
template <class T>
size_t geqrf_batch_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    if (factors_by_panels(p.m, p.n, p.batch, context.multiprocessors)) return geqrf_large_cuda_workspace<T>(context, p);
    return is_copied<T>(context, p) ? geqrf_copied_cuda_workspace<T>(context, p) : 0;
}

XBATCH_INSTANTIATE_TYPES(factor_cuda);
XBATCH_INSTANTIATE_TYPES(factor_each_cuda);
XBATCH_INSTANTIATE_BACKEND(geqrf_batch_cuda);

}  // namespace xbatch::qr
