// qless_batch_cuda.cu: launches QR without Q: in one kernel if shared memory holds several matrices and their
// right-hand sides, otherwise with the factors in the workspace.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "qless_batch.hpp"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {
namespace {

// Copies matrices [rows x columns], or their upper triangles with zeros below: a thread for each element, adjacent
// threads along columns if these are contiguous in `to`, otherwise along the batch.
template <class T>
struct CopyArguments {
    DeviceMatrices<T> from, to;
    int64_t rows, columns, batch;
    bool is_upper;
};
constexpr int copy_threads = 256;
template <class T>
__global__ void __launch_bounds__(copy_threads) copy_batch(CopyArguments<T> p) {
    const int64_t thread = int64_t(blockIdx.x) * copy_threads + threadIdx.x, elements = p.rows * p.columns;
    if (thread >= elements * p.batch) return;
    const bool is_flat = p.to.at.layout == XBATCH_LAYOUT_FLAT;
    const int64_t quotient = divided(thread, is_flat ? elements : p.batch);
    const int64_t rest = thread - quotient * (is_flat ? elements : p.batch);
    const int64_t j = is_flat ? quotient : rest, e = is_flat ? rest : quotient, c = divided(e, p.rows);
    const int64_t i = e - c * p.rows;
    T *const to = p.to.data + p.to.at.base(j) + i * p.to.at.row + c * p.to.at.column;
    *to = p.is_upper && i > c ? T(0) : p.from.data[p.from.at.base(j) + i * p.from.at.row + c * p.from.at.column];
}
template <class T>
xbatchStatus_t launch_copy(Context &context, const CopyArguments<T> &p) {
    const int64_t blocks = (p.rows * p.columns * p.batch - 1) / copy_threads + 1;
    return Launch(context, blocks, copy_threads)(copy_batch<T>, "copy_batch", p);
}

// The factors in the workspace, flat or interleaved as A, and the calls that compute and apply them
template <class T>
struct FactorsPlan {
    GeqrfBatch factor{};
    UnmqrBatch apply{};
    void *memory;  // of the calls
    size_t bytes;

    FactorsPlan(const Context &context, const QlessBatch &p, void *workspace) {
        const bool is_flat = p.layout == XBATCH_LAYOUT_FLAT;
        const xbatchLayout_t layout = is_flat ? XBATCH_LAYOUT_FLAT : XBATCH_LAYOUT_INTERLEAVED;
        Carver carver(workspace);
        T *const a = carver.take<T>(p.m, p.n, p.batch), *const tau = carver.take<T>(p.k(), p.batch);
        const int64_t stride = is_flat ? counted_product(p.m, p.n) : p.batch;
        const Placement tau_at = placement(layout, p.k(), 1, p.batch, is_flat ? p.k() : p.batch);
        factor = {layout, p.m,   p.n, p.batch, a, tau, matrix_placement(layout, p.n, p.batch, p.m, stride),
                  tau_at, p.info};
        apply.rows = p.m, apply.columns = p.nrhs, apply.k = p.k(), apply.batch = p.batch, apply.is_adjoint = true;
        apply.v = a, apply.tau = tau, apply.v_at = factor.a_at, apply.tau_at = tau_at;
        apply.c = p.b, apply.c_at = p.b_at;
        const size_t own = geqrf_batch_cuda_workspace<T>(context, factor);
        const size_t product = p.nrhs > 0 ? unmqr_batch_cuda_workspace<T>(context, apply) : 0;
        memory = carver.take<char>(int64_t(std::max(own, product)));
        bytes = carver.bytes();
    }
};

}  // namespace

template <class T>
xbatchStatus_t qless_batch_cuda(Context &context, const QlessBatch &p, void *workspace) {
    const DeviceMatrices<T> a = device_matrices<T>(p.a, p.a_at, false), r = device_matrices<T>(p.r, p.r_at, false);
    if (is_resident<T>(context, p.m, p.n, p.nrhs)) {
        const DeviceMatrices<T> b = device_matrices<T>(p.b, p.b_at, false);
        return factor_resident_cuda<T>(context,
                                       {a, b, {}, int(p.m), int(p.n), int(p.nrhs), false, p.batch, p.info, {}, r});
    }
    const FactorsPlan<T> plan(context, p, workspace);
    const DeviceMatrices<T> factors = device_matrices<T>(plan.factor.a, plan.factor.a_at, false);
    XBATCH_TRY(launch_copy<T>(context, {a, factors, p.m, p.n, p.batch, false}));
    XBATCH_TRY(geqrf_batch_cuda<T>(context, plan.factor, plan.memory));
    XBATCH_TRY(launch_copy<T>(context, {factors, r, p.k(), p.n, p.batch, true}));
    return p.nrhs > 0 ? unmqr_batch_cuda<T>(context, plan.apply, plan.memory) : XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t qless_batch_cuda_workspace(const Context &context, const QlessBatch &p) {
    return is_resident<T>(context, p.m, p.n, p.nrhs) ? 0 : FactorsPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(qless_batch_cuda);

}  // namespace xbatch::qr
