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

// Whether columns are whole chunks
template <class T>
bool is_by_sixteen(const GeqrfBatch &p) {
    constexpr int chunk = Sixteen<T>::size;
    return p.m % chunk == 0 && p.a_at.column % chunk == 0 && p.a_at.stride % chunk == 0 &&
           reinterpret_cast<uintptr_t>(p.a) % 16 == 0;
}

// Whether flat copies pay: for floats that are not resident, which otherwise are accessed one by one, each in a sector
// of 32 bytes, and where a block factors a matrix of many columns in registers and accesses it several times.
template <class T>
bool is_copied(const Context &context, const GeqrfBatch &p) {
    if (p.layout == XBATCH_LAYOUT_FLAT || is_resident<T>(context, p.m, p.n, 0)) return false;
    return is_packed<T>(context, p.m, p.n, true) ? sizeof(T) == 4 : p.m > 128 && std::min(p.m, p.n) > 32;
}

}  // namespace

template <class T>
xbatchStatus_t geqrf_batch_cuda(Context &context, const GeqrfBatch &p, void *workspace) {
    if (factors_by_panels(p.m, p.n, p.batch, context.multiprocessors))
        return geqrf_large_cuda<T>(context, p, workspace);
    const DeviceMatrices<T> a = device_matrices<T>(p.a, p.a_at, false);
    const DeviceTau<T> tau{static_cast<T *>(p.tau), p.tau_at, nullptr};
    const QrKind kind = kind_for(p.m, p.n);
    const FactorBatchArguments<T> arguments{a, a, tau, int(p.m), int(p.n), p.batch, p.info, {}};
    const bool is_flat = p.a_at.layout == XBATCH_LAYOUT_FLAT;
    const bool packs = is_packed<T>(context, p.m, p.n, is_flat);
    const bool may_persist = !(is_flat && packs) && (!is_flat || is_by_sixteen<T>(p)) &&
                             uses_persistent_blocks(kind, is_flat, p.m, p.n, sizeof(T), p.batch,
                                                    context.multiprocessors, context.shared_per_block);
    if (is_cyclic<T>(p.m, p.n, is_flat, may_persist))
        return factor_cyclic_cuda<T>(context, {a, tau, int(p.m), int(p.n), p.info}, p.batch);
    if (may_persist) return factor_persistent_cuda<T>(context, kind, is_flat, arguments);
    if (is_copied<T>(context, p) && has_parts(p)) return geqrf_copied_cuda<T>(context, p, workspace);
    if (packs) return factor_packed_cuda<T>(context, {a, tau, int(p.m), int(p.n), p.info}, p.batch);
    if (is_resident<T>(context, p.m, p.n, 0))
        return factor_resident_cuda<T>(context, {a, {}, tau, int(p.m), int(p.n), 0, false, p.batch, p.info, {}});
    if constexpr (sizeof(T) < 16)
        if (uses_cluster(kind, p.m, p.n, p.a_at) && cluster_fits<T>(context, kind, p.m, p.n))
            return factor_cluster_cuda<T>(context, kind, arguments);
    return factor_cuda<T>(context, block_kind_for(p.m, p.n), arguments);
}
template <class T>
size_t geqrf_batch_cuda_workspace(const Context &context, const GeqrfBatch &p) {
    if (factors_by_panels(p.m, p.n, p.batch, context.multiprocessors)) return geqrf_large_cuda_workspace<T>(context, p);
    return is_copied<T>(context, p) ? geqrf_copied_cuda_workspace<T>(context, p) : 0;
}

XBATCH_INSTANTIATE_TYPES(factor_cuda);
XBATCH_INSTANTIATE_BACKEND(geqrf_batch_cuda);

}  // namespace xbatch::qr
