// gels_large_cuda.cpp: least squares too large for the kernels of batched QR: tiled QR of one matrix at a time on the
// stream; matrices that are not flat are copied.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "gels_large_cuda.hpp"

#include "core/cuda.hpp"
#include "core/dispatch.hpp"
#include "core/workspace.hpp"
#include "qr/tiled/qr.hpp"
#include "qr_large.hpp"

namespace xbatch::qr {
namespace {

bool is_flat(const GelsBatch &p) { return p.g_at.layout == XBATCH_LAYOUT_FLAT && p.b_at.layout == XBATCH_LAYOUT_FLAT; }
// Of A in memory
int64_t rows_of_a(const GelsBatch &p) { return p.is_turned ? p.columns : p.rows; }

template <class T>
LeastSquaresProblem one_of(const Context &context, const GelsBatch &p, T *a, int64_t lda, T *b, int64_t ldb,
                           int32_t *info) {
    const Tiling tiling = tiling_of(p.rows, p.columns, default_config(context, type_of<T>, p.rows, p.columns));
    return {tiling, p.is_turned, p.is_least_norm, p.nrhs, a, lda, b, ldb, info};
}

// Memory for one matrix, which tiled QR overwrites if it is tall, for its right-hand sides if these are not flat, and
// for tiled QR's workspace
template <class T>
struct LargePlan {
    T *a, *b;
    char *rest;
    size_t bytes;

    LargePlan(const Context &context, const GelsBatch &p, bool moves, void *workspace) {
        Carver carver(workspace);
        a = carver.take<T>(p.is_turned && !moves ? 0 : p.rows * p.columns);
        b = carver.take<T>(moves ? p.rows * p.nrhs : 0);
        const LeastSquaresProblem one = one_of<T>(context, p, a, rows_of_a(p), b, p.rows, nullptr);
        rest = carver.take<char>(int64_t(gels_cuda_workspace<T>(context, one)));
        bytes = carver.bytes();
    }
};

}  // namespace

template <class T>
xbatchStatus_t gels_large_cuda(Context &context, const GelsBatch &p, void *workspace) {
    const bool moves = !is_flat(p);
    const LargePlan<T> plan(context, p, moves, workspace);
    const int64_t lda = rows_of_a(p);
    const StridedMatrix<T> own_a{plan.a, p.is_turned ? lda : 1, p.is_turned ? 1 : lda}, own_b{plan.b, 1, p.rows};
    for (int64_t j = 0; j < p.batch; ++j) {
        T *const a = static_cast<T *>(const_cast<void *>(p.a)) + p.g_at.base(j);
        T *const b = static_cast<T *>(p.b) + p.b_at.base(j);
        int32_t *const info = p.info ? p.info + j : nullptr;
        const StridedMatrix<T> at{b, p.b_at.row, p.b_at.column};
        xbatchStatus_t status = XBATCH_STATUS_SUCCESS;
        if (moves || !p.is_turned)
            status = copy_matrix<T>(context, p.rows, p.columns, {a, p.g_at.row, p.g_at.column}, own_a);
        if (moves && status == XBATCH_STATUS_SUCCESS)
            status = copy_matrix<T>(context, p.rows, p.nrhs, {b, at.row, at.column}, own_b);
        if (status == XBATCH_STATUS_SUCCESS)
            status = gels_cuda<T>(
                context,
                one_of<T>(context, p, moves || !p.is_turned ? plan.a : a, moves || !p.is_turned ? lda : p.g_at.row,
                          moves ? plan.b : b, moves ? p.rows : p.b_at.column, info),
                plan.rest);
        if (moves && status == XBATCH_STATUS_SUCCESS)
            status = copy_matrix<T>(context, p.rows, p.nrhs, {plan.b, own_b.row, own_b.column}, at);
        if (status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}
template <class T>
size_t gels_large_cuda_workspace(const Context &context, const GelsBatch &p) {
    // A size query lacks the stride by which another layout may be flat.
    return LargePlan<T>(context, p, true, nullptr).bytes;
}

XBATCH_INSTANTIATE_BACKEND(gels_large_cuda);

}  // namespace xbatch::qr
