// unmqr_large_cuda.cu: products with the Q of large matrices, and its forming, a panel's reflectors at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_reflector.cuh"
#include "core/dispatch.hpp"
#include "core/workspace.hpp"

namespace xbatch {
namespace {

// The reflectors from `first` on, which meet rows of C from there
template <class T>
ReflectorArguments<T> panel_of(const Context &context, const UnmqrBatch &p, int64_t first) {
    const MatrixPlacement &v = p.v_at, &c = p.c_at;
    ReflectorArguments<T> r{};
    r.v = device_matrices<T>(static_cast<const T *>(p.v) + first * (v.row + v.column), v, false);
    r.c =
        device_matrices<T>(static_cast<const T *>(p.c) + first * (c.row + (p.forms_q ? c.column : 0)), c, p.is_turned);
    r.tau = {static_cast<T *>(const_cast<void *>(p.tau)) + first * p.tau_at.step, p.tau_at, nullptr};
    r.rows = p.rows - first, r.columns = p.columns - (p.forms_q ? first : 0), r.batch = p.batch;
    r.vectors = int(std::min<int64_t>(panel_columns, p.k - first));
    r.is_adjoint = p.is_adjoint;
    r.cut(context);
    return r;
}

template <class T>
struct UnmqrPlan {
    T *vectors, *products, *changes;
    size_t bytes;

    UnmqrPlan(const Context &context, const UnmqrBatch &p, void *workspace) {
        int64_t most_products = 0, most_changes = 0;
        for (int64_t first = 0; first < p.k; first += panel_columns) {
            const ReflectorArguments<T> r = panel_of<T>(context, p, first);
            most_products = std::max(most_products, r.product_elements());
            most_changes = std::max(most_changes, r.change_elements());
        }
        Carver carver(workspace);
        vectors = carver.take<T>(p.forms_q ? p.batch * p.rows * std::min<int64_t>(p.k, panel_columns) : 0);
        products = carver.take<T>(most_products), changes = carver.take<T>(most_changes);
        bytes = carver.bytes();
    }
};

// Columns first ... first+columns-1 become those of the identity; what is in them from row `first` on goes to `to`
// where there is one, [rows x columns] for each matrix.
constexpr int identity_threads = 256;
template <class T>
__global__ void __launch_bounds__(identity_threads)
    take_identity(DeviceMatrices<T> a, int64_t rows, int64_t first, int64_t columns, int64_t batch, T *to) {
    const int64_t step = int64_t(gridDim.x) * identity_threads, below = rows - first;
    for (int64_t e = int64_t(blockIdx.x) * identity_threads + threadIdx.x; e < rows * columns * batch; e += step) {
        const int64_t line = divided(e, rows), i = e - line * rows, j = divided(line, columns), c = line - j * columns;
        const MatrixView<T> m = a.of(j);
        T *const at = m.data + i * m.row + (first + c) * m.column;
        if (to && i >= first) to[(j * columns + c) * below + i - first] = *at;
        *at = T(Real<T>(i == first + c ? 1 : 0));
    }
}
template <class T>
xbatchStatus_t take_identity(Context &context, const UnmqrBatch &p, int64_t first, int64_t columns, T *to) {
    const int64_t blocks = (p.rows * columns * p.batch - 1) / identity_threads + 1;
    take_identity<T>
        <<<unsigned(std::min<int64_t>(blocks, 16 * context.multiprocessors)), identity_threads, 0,
           stream_of(context)>>>(device_matrices<T>(p.c, p.c_at, false), p.rows, first, columns, p.batch, to);
    XBATCH_CUDA_LAUNCHED(context, "take_identity");
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t apply_reflectors(Context &context, const ReflectorArguments<T> &p) {
    const auto over = ReflectorArguments<T>::over;
    const int64_t products = over(p.all_columns(), reflector_tile) * p.parts * p.batch;
    const int64_t substitutions = over(p.columns, substitution_columns) * p.batch;
    const int64_t changes = over(p.rows, reflector_tile) * over(p.columns, reflector_tile) * p.batch;
    const xbatchStatus_t status = check_blocks(context, std::max({products, substitutions, changes}));
    if (status != XBATCH_STATUS_SUCCESS) return status;
    form_products<T><<<unsigned(products), product_threads, 0, stream_of(context)>>>(p);
    XBATCH_CUDA_LAUNCHED(context, "form_products");
    XBATCH_CUDA(context, launch_next(context, substitute<T>, unsigned(substitutions), 32 * substitution_columns, 0, p));
    constexpr size_t bytes = 2 * panel_columns * (reflector_tile + Sixteen<T>::size) * sizeof(T);
    XBATCH_ALLOW_SHARED(context, change_columns<T>, bytes);
    XBATCH_CUDA(context, launch_next(context, change_columns<T>, unsigned(changes), change_threads, bytes, p));
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
xbatchStatus_t unmqr_large_cuda(Context &context, const UnmqrBatch &p, void *workspace) {
    const UnmqrPlan<T> plan(context, p, workspace);
    if (p.forms_q && p.columns > p.k) {
        const xbatchStatus_t status = take_identity<T>(context, p, p.k, p.columns - p.k, nullptr);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    const int64_t panels = (p.k + panel_columns - 1) / panel_columns;
    for (int64_t n = 0; n < panels; ++n) {
        const int64_t first = (p.is_adjoint ? n : panels - 1 - n) * panel_columns;
        ReflectorArguments<T> r = panel_of<T>(context, p, first);
        r.products = plan.products, r.changes = plan.changes;
        xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
        if (p.forms_q) {
            status = take_identity<T>(context, p, first, r.vectors, plan.vectors);
            r.v = device_matrices<T>(
                plan.vectors, matrix_placement(XBATCH_LAYOUT_FLAT, r.vectors, p.batch, r.rows, r.rows * r.vectors),
                false);
        }
        if (status == XBATCH_STATUS_SUCCESS) status = apply_reflectors(context, r);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t unmqr_large_cuda_workspace(const Context &context, const UnmqrBatch &p) {
    return UnmqrPlan<T>(context, p, nullptr).bytes;
}

#define XBATCH_INSTANTIATE(T)                                                              \
    template xbatchStatus_t apply_reflectors<T>(Context &, const ReflectorArguments<T> &); \
    template xbatchStatus_t unmqr_large_cuda<T>(Context &, const UnmqrBatch &, void *);    \
    template size_t unmqr_large_cuda_workspace<T>(const Context &, const UnmqrBatch &);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)
#undef XBATCH_INSTANTIATE

}  // namespace xbatch
