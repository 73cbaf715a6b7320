// unmqr_large_cuda.cu: products with the Q of large matrices, and its forming, a panel's reflectors at a time.
// SPDX-License-Identifier: BSD-3-Clause
#include "block_reflector.cuh"
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "core/workspace.hpp"

namespace xbatch::qr {
namespace {

// Rows and columns of C to which the reflectors from `first` on are applied, and their number
struct ReflectorUpdate {
    int64_t rows, columns;
    int vectors;

    ReflectorUpdate(const UnmqrBatch &p, int64_t first)
        : rows(p.rows - first),
          columns(p.columns - (p.forms_q ? first : 0)),
          vectors(int(std::min<int64_t>(most_vectors, p.k - first))) {}
};

template <class T>
struct UnmqrPlan {
    T *vectors, *products, *changes;
    size_t bytes;

    UnmqrPlan(const Context &context, const UnmqrBatch &p, void *workspace) {
        ReflectorRoom room;
        for (int64_t first = 0; first < p.k; first += most_vectors) {
            const ReflectorUpdate update(p, first);
            room.count_in(context, update.rows, update.columns, p.batch);
        }
        Carver carver(workspace);
        vectors = carver.take<T>(p.forms_q ? p.batch * p.rows * std::min<int64_t>(p.k, most_vectors) : 0);
        products = carver.take<T>(room.products), changes = carver.take<T>(room.changes);
        bytes = carver.bytes();
    }
};

// Sets columns first ... first+columns-1 to the identity's. Their rows from `first` on are copied to `to` before,
// unless it is NULL, [rows x columns] for each matrix.
constexpr int copy_threads = 256;
template <class T>
__global__ void __launch_bounds__(copy_threads)
    identity_columns(DeviceMatrices<T> a, int64_t rows, int64_t first, int64_t columns, int64_t batch, T *to) {
    const int64_t step = int64_t(gridDim.x) * copy_threads, below = rows - first;
    for (int64_t e = int64_t(blockIdx.x) * copy_threads + threadIdx.x; e < rows * columns * batch; e += step) {
        const int64_t line = divided(e, rows), i = e - line * rows, j = divided(line, columns), c = line - j * columns;
        const MatrixView<T> m = a.of(j);
        T *const at = m.data + i * m.row + (first + c) * m.column;
        if (to && i >= first) to[(j * columns + c) * below + i - first] = *at;
        *at = T(Real<T>(i == first + c ? 1 : 0));
    }
}
template <class T>
xbatchStatus_t take_identity(Context &context, const UnmqrBatch &p, int64_t first, int64_t columns, T *to) {
    const int64_t blocks = (p.rows * columns * p.batch - 1) / copy_threads + 1;
    return Launch(context, std::min<int64_t>(blocks, 16 * context.multiprocessors), copy_threads)(
        identity_columns<T>, "identity_columns", device_matrices<T>(p.c, p.c_at, false), p.rows, first, columns,
        p.batch, to);
}

template <class T>
__global__ void __launch_bounds__(copy_threads)
    copy_elements(int64_t rows, int64_t columns, StridedMatrix<const T> from, StridedMatrix<T> to) {
    const int64_t step = int64_t(gridDim.x) * copy_threads;
    for (int64_t e = int64_t(blockIdx.x) * copy_threads + threadIdx.x; e < rows * columns; e += step) {
        const int64_t c = divided(e, rows), i = e - c * rows;
        to.data[i * to.row + c * to.column] = from.data[i * from.row + c * from.column];
    }
}

}  // namespace

template <class T>
xbatchStatus_t copy_matrix(Context &context, int64_t rows, int64_t columns, StridedMatrix<const T> from,
                           StridedMatrix<T> to) {
    const int64_t blocks = (rows * columns - 1) / copy_threads + 1;
    return Launch(context, std::min<int64_t>(blocks, 16 * context.multiprocessors), copy_threads)(
        copy_elements<T>, "copy_elements", rows, columns, from, to);
}

template <class T>
xbatchStatus_t launch_products(Context &context, const ReflectorArguments<T> &p) {
    const int64_t blocks = p.tiles_of_products() * p.parts.count * p.batch;
    Launch launch(context, blocks, product_threads, product_bytes<T>);
    if (!p.is_first) launch.dependent();
    return launch(form_products<T>, "form_products", p);
}
template <int COLUMNS, class T>
xbatchStatus_t launch_substitute(Context &context, const ReflectorArguments<T> &p, int64_t begin, int64_t end) {
    constexpr size_t bytes = most_vectors * (most_vectors + 1) * sizeof(T);
    const int64_t blocks = parts_of(end - begin, COLUMNS * substitution_threads / 32);
    return Launch(context, blocks * p.batch, substitution_threads, bytes)
        .dependent()(substitute<T, COLUMNS>, "substitute", p, begin, end);
}
template <class T>
xbatchStatus_t launch_substitution(Context &context, const ReflectorArguments<T> &p) {
    const int64_t end = p.columns + (p.leaves_triangle ? most_vectors : 0);
    if (!p.has_triangle && p.parts.count > 1) {
        XBATCH_TRY(Launch(context, p.all_columns() * most_vectors / sum_elements * p.batch, sum_groups * sum_elements)
                       .dependent()(sum_parts<T>, "sum_parts", p));
        return launch_substitute<1>(context, p, 0, end);
    }
    if (!p.has_triangle && p.columns <= most_vectors) return launch_substitute<4>(context, p, 0, end);
    if (!p.has_triangle) XBATCH_TRY(launch_substitute<4>(context, p, p.columns, p.all_columns()));
    return Launch(context, parts_of(p.columns, product_side) * p.batch, product_threads, product_bytes<T>)
        .dependent()(multiply_triangle<T>, "multiply_triangle", p);
}
template <class T>
xbatchStatus_t launch_changes(Context &context, const ReflectorArguments<T> &p) {
    constexpr int64_t most_blocks = 32;  // a multiprocessor: they have little to do if all matrices are wrong
    const int64_t tiles = parts_of(p.rows, product_side) * parts_of(p.columns, product_side) * p.batch;
    return Launch(context, std::min(tiles, most_blocks * context.multiprocessors), product_threads, product_bytes<T>)
        .dependent()(change_columns<T>, "change_columns", p, tiles);
}
template <class T>
xbatchStatus_t apply_reflectors(Context &context, const ReflectorArguments<T> &p) {
    XBATCH_TRY(launch_products(context, p));
    XBATCH_TRY(launch_substitution(context, p));
    return launch_changes(context, p);
}

template <class T>
xbatchStatus_t unmqr_large_cuda(Context &context, const UnmqrBatch &p, void *workspace) {
    const UnmqrPlan<T> plan(context, p, workspace);
    if (p.forms_q && p.columns > p.k) XBATCH_TRY(take_identity<T>(context, p, p.k, p.columns - p.k, nullptr));
    const MatrixPlacement &v_at = p.v_at, &c_at = p.c_at;
    const int64_t groups = (p.k + most_vectors - 1) / most_vectors;
    for (int64_t n = 0; n < groups; ++n) {
        const int64_t first = (p.is_adjoint ? n : groups - 1 - n) * most_vectors;
        const ReflectorUpdate update(p, first);
        auto v = device_matrices<T>(static_cast<const T *>(p.v) + first * (v_at.row + v_at.column), v_at, false);
        if (p.forms_q) {
            XBATCH_TRY(take_identity<T>(context, p, first, update.vectors, plan.vectors));
            const int64_t rows = update.rows, vectors = update.vectors;
            v = device_matrices<T>(plan.vectors,
                                   matrix_placement(XBATCH_LAYOUT_FLAT, vectors, p.batch, rows, rows * vectors), false);
        }
        const T *const c = static_cast<const T *>(p.c) + first * (c_at.row + (p.forms_q ? c_at.column : 0));
        const DeviceTau<T> tau{static_cast<T *>(const_cast<void *>(p.tau)) + first * p.tau_at.step, p.tau_at, nullptr};
        const ReflectorParts parts(context, update.rows, update.columns, p.batch);
        XBATCH_TRY(apply_reflectors<T>(
            context, {v, device_matrices<T>(c, c_at, p.is_turned), tau, update.rows, update.columns, p.batch,
                      update.vectors, p.is_adjoint, nullptr, parts, plan.products, plan.changes,
                      plan.changes + p.batch * update.columns * most_vectors, n == 0}));
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t unmqr_large_cuda_workspace(const Context &context, const UnmqrBatch &p) {
    return UnmqrPlan<T>(context, p, nullptr).bytes;
}

XBATCH_INSTANTIATE_TYPES(launch_products);
XBATCH_INSTANTIATE_TYPES(launch_substitution);
XBATCH_INSTANTIATE_TYPES(launch_changes);
XBATCH_INSTANTIATE_TYPES(apply_reflectors);
XBATCH_INSTANTIATE_BACKEND(unmqr_large_cuda);
XBATCH_INSTANTIATE_TYPES(copy_matrix);

}  // namespace xbatch::qr
