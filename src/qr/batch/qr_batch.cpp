// qr_batch.cpp: C entries of qr_batch.h: checks, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch.hpp"

#include <algorithm>

#include "qr_batch_checks.hpp"
#include "xbatch/qr_batch.h"

namespace xbatch::qr {
namespace {

constexpr Table<GeqrfBatch> geqrf_table{{XBATCH_ROW(geqrf_batch_host), XBATCH_CUDA_ROW(geqrf_batch_cuda)}};
constexpr Table<UnmqrBatch> unmqr_table{{XBATCH_ROW(unmqr_batch_host), XBATCH_CUDA_ROW(unmqr_batch_cuda)}};
constexpr Table<GelsBatch> gels_table{{XBATCH_ROW(gels_batch_host), XBATCH_CUDA_ROW(gels_batch_cuda)}};

// An array of the caller's: where its leading dimension is among the arguments, and its stride after that
struct MatrixArgument {
    int position;
    const char *ld_name, *stride_name, *stride_bound;
};
void check_matrix(Call &call, MatrixArgument at, xbatchLayout_t layout, const char *rows_name, int64_t rows,
                  int64_t columns, int64_t batch, int64_t ld, int64_t stride, int64_t element_size) {
    call.at_least(at.position, at.ld_name, ld, rows_name, rows);
    call.at_least(at.position, at.ld_name, ld, nullptr, 1);
    const int64_t some = columns > 0 ? columns : 1;
    call.extent(at.position, at.ld_name, ld, some, 1, element_size);
    if (call.failed()) return;
    switch (layout) {
        case XBATCH_LAYOUT_FLAT:
            call.at_least(at.position + 1, at.stride_name, stride, at.stride_bound, ld * columns);
            return call.extent(at.position + 1, at.stride_name, stride, batch, 1, element_size);
        case XBATCH_LAYOUT_INTERLEAVED:
            call.at_least(at.position + 1, at.stride_name, stride, "batch", batch);
            return call.extent(at.position + 1, at.stride_name, stride, ld, some, element_size);
        default: {
            call.at_least(at.position + 1, at.stride_name, stride, nullptr, 1);
            if (call.failed() || batch == 0) return;
            int64_t padded = 0;
            if (__builtin_mul_overflow((batch - 1) / stride + 1, stride, &padded)) padded = INT64_MAX;
            return call.extent(at.position + 1, at.stride_name, padded, ld, some, element_size);
        }
    }
}
void check_tau(Call &call, int position, xbatchLayout_t layout, int64_t k, int64_t batch, int64_t ldtau,
               int64_t element_size) {
    if (call.failed()) return;
    if (layout == XBATCH_LAYOUT_FLAT)
        call.at_least(position, "ldtau", ldtau, "k", k);
    else
        call.leading_dimension(position, "ldtau", layout, ldtau, k, batch, false);
    call.batched_extent(position, "ldtau", layout, k, 1, batch, ldtau, element_size);
}
struct GeqrfShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t m, n, batch;

    int64_t k() const { return m < n ? m : n; }
    bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
    GeqrfBatch problem(void *a, int64_t lda, int64_t stride, void *tau, int64_t ldtau, int32_t *info) const {
        return {m,
                n,
                batch,
                a,
                tau,
                matrix_placement(layout, n, batch, lda, stride),
                placement(layout, k(), 1, batch, ldtau),
                info};
    }
};

void check_shape(Call &call, const GeqrfShape &s) {
    call.type(s.type);
    call.one_of(1, "layout", s.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    check_size(call, 2, "m", s.m);
    check_size(call, 3, "n", s.n);
    check_size(call, 4, "batch", s.batch);
    check_product(call, 2, "m", s.m, s.n, s.batch, s.type);
}

xbatchStatus_t geqrf(xbatchHandle_t handle, Caller caller, const GeqrfShape &s, void *a, int64_t lda, int64_t strideA,
                     void *tau, int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        if (call.failed()) return call.status();
        const int64_t size = element_size(s.type);
        check_matrix(call, {6, "lda", "strideA", "lda*n"}, s.layout, "m", s.m, s.n, s.batch, lda, strideA, size);
        check_tau(call, 9, s.layout, s.k(), s.batch, ldtau, size);
        if (call.failed() || s.is_empty()) return call.status();
        call.not_null(5, "A", a);
        call.not_null(8, "tau", tau);
        const GeqrfBatch p = s.problem(a, lda, strideA, tau, ldtau, info);
        if (!call.failed()) call.workspace(11, workspace, workspaceBytes, geqrf_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, m = %lld, n = %lld, batch = %lld", caller.name, int(s.layout),
                 (long long)s.m, (long long)s.n, (long long)s.batch);
        return geqrf_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t geqrf_buffer_size(xbatchHandle_t handle, Caller caller, const GeqrfShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        call.not_null(5, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const GeqrfBatch p = s.problem(nullptr, s.m, s.m * s.n, nullptr, s.k(), nullptr);
        return call.answer(5, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : geqrf_table.workspace(context, s.type, p));
    });
}

struct UnmqrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchSide_t side;
    xbatchOperation_t op;
    int64_t m, n, k, batch;

    bool is_right() const { return side == XBATCH_SIDE_RIGHT; }
    int64_t order() const { return is_right() ? n : m; }  // of Q
    bool is_empty() const { return m == 0 || n == 0 || k == 0 || batch == 0; }
    // C Q = (Q^H C^H)^H
    UnmqrBatch problem(const void *a, int64_t lda, int64_t strideA, const void *tau, int64_t ldtau, void *c,
                       int64_t ldc, int64_t strideC) const {
        const MatrixPlacement c_at = matrix_placement(layout, n, batch, ldc, strideC);
        return {order(),
                is_right() ? m : n,
                k,
                batch,
                (op != XBATCH_OP_N) != is_right(),
                is_right(),
                false,
                a,
                tau,
                matrix_placement(layout, k, batch, lda, strideA),
                placement(layout, k, 1, batch, ldtau),
                c,
                is_right() ? transposed(c_at) : c_at};
    }
};

void check_shape(Call &call, const UnmqrShape &s) {
    call.type(s.type);
    call.one_of(1, "layout", s.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.one_of(2, "side", s.side, XBATCH_SIDE_RIGHT);
    check_op(call, 3, s.type, s.op);
    check_size(call, 4, "m", s.m);
    check_size(call, 5, "n", s.n);
    check_size(call, 6, "k", s.k);
    call.at_most(6, "k", s.k, s.order(), s.is_right() ? "as n" : "as m");
    check_size(call, 7, "batch", s.batch);
    check_product(call, 4, "m", s.m, s.n, s.batch, s.type);
    check_product(call, 6, "k", s.k, s.order(), s.batch, s.type);
}

xbatchStatus_t unmqr(xbatchHandle_t handle, Caller caller, const UnmqrShape &s, const void *a, int64_t lda,
                     int64_t strideA, const void *tau, int64_t ldtau, void *c, int64_t ldc, int64_t strideC,
                     void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        if (call.failed()) return call.status();
        const int64_t size = element_size(s.type);
        check_matrix(call, {9, "lda", "strideA", "lda*k"}, s.layout, s.is_right() ? "n" : "m", s.order(), s.k, s.batch,
                     lda, strideA, size);
        check_tau(call, 12, s.layout, s.k, s.batch, ldtau, size);
        check_matrix(call, {14, "ldc", "strideC", "ldc*n"}, s.layout, "m", s.m, s.n, s.batch, ldc, strideC, size);
        if (call.failed() || s.is_empty()) return call.status();
        call.not_null(8, "A", a);
        call.not_null(11, "tau", tau);
        call.not_null(13, "C", c);
        const UnmqrBatch p = s.problem(a, lda, strideA, tau, ldtau, c, ldc, strideC);
        if (!call.failed()) call.workspace(16, workspace, workspaceBytes, unmqr_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, side = %d, op = %d, m = %lld, n = %lld, k = %lld, batch = %lld",
                 caller.name, int(s.layout), int(s.side), int(s.op), (long long)s.m, (long long)s.n, (long long)s.k,
                 (long long)s.batch);
        return unmqr_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t unmqr_buffer_size(xbatchHandle_t handle, Caller caller, const UnmqrShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        call.not_null(8, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const UnmqrBatch p = s.problem(nullptr, s.order(), s.order() * s.k, nullptr, s.k, nullptr, s.m, s.m * s.n);
        return call.answer(8, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : unmqr_table.workspace(context, s.type, p));
    });
}

struct UngqrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t m, n, k, batch;

    bool is_empty() const { return n == 0 || batch == 0; }
    UnmqrBatch problem(void *a, int64_t lda, int64_t strideA, const void *tau, int64_t ldtau) const {
        const MatrixPlacement at = matrix_placement(layout, n, batch, lda, strideA);
        return {m, n, k, batch, false, false, true, a, tau, at, placement(layout, k, 1, batch, ldtau), a, at};
    }
};

void check_shape(Call &call, const UngqrShape &s) {
    call.type(s.type);
    call.one_of(1, "layout", s.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    check_size(call, 2, "m", s.m);
    check_size(call, 3, "n", s.n);
    call.at_most(3, "n", s.n, s.m, "as m");
    check_size(call, 4, "k", s.k);
    call.at_most(4, "k", s.k, s.n, "as n");
    check_size(call, 5, "batch", s.batch);
    check_product(call, 2, "m", s.m, s.n, s.batch, s.type);
}

xbatchStatus_t ungqr(xbatchHandle_t handle, Caller caller, const UngqrShape &s, void *a, int64_t lda, int64_t strideA,
                     const void *tau, int64_t ldtau, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        if (call.failed()) return call.status();
        const int64_t size = element_size(s.type);
        check_matrix(call, {7, "lda", "strideA", "lda*n"}, s.layout, "m", s.m, s.n, s.batch, lda, strideA, size);
        check_tau(call, 10, s.layout, s.k, s.batch, ldtau, size);
        if (call.failed() || s.is_empty()) return call.status();
        call.not_null(6, "A", a);
        if (s.k > 0) call.not_null(9, "tau", tau);
        const UnmqrBatch p = s.problem(a, lda, strideA, tau, ldtau);
        if (!call.failed()) call.workspace(11, workspace, workspaceBytes, unmqr_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, m = %lld, n = %lld, k = %lld, batch = %lld", caller.name, int(s.layout),
                 (long long)s.m, (long long)s.n, (long long)s.k, (long long)s.batch);
        return unmqr_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t ungqr_buffer_size(xbatchHandle_t handle, Caller caller, const UngqrShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const UnmqrBatch p = s.problem(nullptr, s.m, s.m * s.n, nullptr, std::max<int64_t>(s.k, 1));
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : unmqr_table.workspace(context, s.type, p));
    });
}

struct GelsShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    int64_t m, n, nrhs, batch;

    bool is_wide() const { return m < n; }
    int64_t rows() const { return is_wide() ? n : m; }  // of B
    bool is_empty() const { return m == 0 || n == 0 || nrhs == 0 || batch == 0; }
    GelsBatch problem(const void *a, int64_t lda, int64_t strideA, void *b, int64_t ldb, int64_t strideB,
                      int32_t *info) const {
        const MatrixPlacement a_at = matrix_placement(layout, n, batch, lda, strideA);
        return {rows(),    is_wide() ? m : n,
                nrhs,      batch,
                is_wide(), is_wide() == (op == XBATCH_OP_N),
                a,         is_wide() ? transposed(a_at) : a_at,
                b,         matrix_placement(layout, nrhs, batch, ldb, strideB),
                info};
    }
};

void check_shape(Call &call, const GelsShape &s) {
    call.type(s.type);
    call.one_of(1, "layout", s.layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    check_op(call, 2, s.type, s.op);
    check_size(call, 3, "m", s.m);
    check_size(call, 4, "n", s.n);
    check_size(call, 5, "nrhs", s.nrhs);
    check_size(call, 6, "batch", s.batch);
    check_product(call, 3, "m", s.m, s.n, s.batch, s.type);
    check_product(call, 5, "nrhs", s.nrhs, s.rows(), s.batch, s.type);
}

xbatchStatus_t gels(xbatchHandle_t handle, Caller caller, const GelsShape &s, const void *a, int64_t lda,
                    int64_t strideA, void *b, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                    size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        if (call.failed()) return call.status();
        const int64_t size = element_size(s.type);
        check_matrix(call, {8, "lda", "strideA", "lda*n"}, s.layout, "m", s.m, s.n, s.batch, lda, strideA, size);
        check_matrix(call, {11, "ldb", "strideB", "ldb*nrhs"}, s.layout, s.is_wide() ? "n" : "m", s.rows(), s.nrhs,
                     s.batch, ldb, strideB, size);
        if (call.failed() || s.is_empty()) return call.status();
        call.not_null(7, "A", a);
        call.not_null(10, "B", b);
        const GelsBatch p = s.problem(a, lda, strideA, b, ldb, strideB, info);
        if (!call.failed()) call.workspace(14, workspace, workspaceBytes, gels_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, op = %d, m = %lld, n = %lld, nrhs = %lld, batch = %lld", caller.name,
                 int(s.layout), int(s.op), (long long)s.m, (long long)s.n, (long long)s.nrhs, (long long)s.batch);
        return gels_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t gels_buffer_size(xbatchHandle_t handle, Caller caller, const GelsShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, s);
        call.not_null(7, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const GelsBatch p = s.problem(nullptr, s.m, s.m * s.n, nullptr, s.rows(), s.rows() * s.nrhs, nullptr);
        return call.answer(7, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : gels_table.workspace(context, s.type, p));
    });
}

}  // namespace
}  // namespace xbatch::qr

using xbatch::qr::gels;
using xbatch::qr::gels_buffer_size;
using xbatch::qr::geqrf;
using xbatch::qr::geqrf_buffer_size;
using xbatch::qr::ungqr;
using xbatch::qr::ungqr_buffer_size;
using xbatch::qr::unmqr;
using xbatch::qr::unmqr_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgeqrfBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t batch, void *A, int64_t lda, int64_t strideA, void *tau, int64_t ldtau,
                           int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"xgeqrfBatch", 1}, {type, layout, m, n, batch}, A, lda, strideA, tau, ldtau, info, workspace,
                 workspaceBytes);
}
xbatchStatus_t sgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch, float *A,
                           int64_t lda, int64_t strideA, float *tau, int64_t ldtau, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return geqrf(handle, {"sgeqrfBatch", 0}, {XBATCH_R_32F, layout, m, n, batch}, A, lda, strideA, tau, ldtau, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t dgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch, double *A,
                           int64_t lda, int64_t strideA, double *tau, int64_t ldtau, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return geqrf(handle, {"dgeqrfBatch", 0}, {XBATCH_R_64F, layout, m, n, batch}, A, lda, strideA, tau, ldtau, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t cgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                           xbatchComplexFloat_t *A, int64_t lda, int64_t strideA, xbatchComplexFloat_t *tau,
                           int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"cgeqrfBatch", 0}, {XBATCH_C_32F, layout, m, n, batch}, A, lda, strideA, tau, ldtau, info,
                 workspace, workspaceBytes);
}
xbatchStatus_t zgeqrfBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                           xbatchComplexDouble_t *A, int64_t lda, int64_t strideA, xbatchComplexDouble_t *tau,
                           int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"zgeqrfBatch", 0}, {XBATCH_C_64F, layout, m, n, batch}, A, lda, strideA, tau, ldtau, info,
                 workspace, workspaceBytes);
}

xbatchStatus_t xgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t batch, size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"xgeqrfBatch_bufferSize", 1}, {type, layout, m, n, batch}, workspaceBytes);
}
xbatchStatus_t sgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"sgeqrfBatch_bufferSize", 0}, {XBATCH_R_32F, layout, m, n, batch},
                             workspaceBytes);
}
xbatchStatus_t dgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"dgeqrfBatch_bufferSize", 0}, {XBATCH_R_64F, layout, m, n, batch},
                             workspaceBytes);
}
xbatchStatus_t cgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"cgeqrfBatch_bufferSize", 0}, {XBATCH_C_32F, layout, m, n, batch},
                             workspaceBytes);
}
xbatchStatus_t zgeqrfBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                      size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"zgeqrfBatch_bufferSize", 0}, {XBATCH_C_64F, layout, m, n, batch},
                             workspaceBytes);
}

xbatchStatus_t xunmqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchSide_t side,
                           xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch, const void *A,
                           int64_t lda, int64_t strideA, const void *tau, int64_t ldtau, void *C, int64_t ldc,
                           int64_t strideC, void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"xunmqrBatch", 1}, {type, layout, side, op, m, n, k, batch}, A, lda, strideA, tau, ldtau, C,
                 ldc, strideC, workspace, workspaceBytes);
}
xbatchStatus_t sormqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const float *A, int64_t lda, int64_t strideA,
                           const float *tau, int64_t ldtau, float *C, int64_t ldc, int64_t strideC, void *workspace,
                           size_t workspaceBytes) {
    return unmqr(handle, {"sormqrBatch", 0}, {XBATCH_R_32F, layout, side, op, m, n, k, batch}, A, lda, strideA, tau,
                 ldtau, C, ldc, strideC, workspace, workspaceBytes);
}
xbatchStatus_t dormqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const double *A, int64_t lda,
                           int64_t strideA, const double *tau, int64_t ldtau, double *C, int64_t ldc, int64_t strideC,
                           void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"dormqrBatch", 0}, {XBATCH_R_64F, layout, side, op, m, n, k, batch}, A, lda, strideA, tau,
                 ldtau, C, ldc, strideC, workspace, workspaceBytes);
}
xbatchStatus_t cunmqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const xbatchComplexFloat_t *A, int64_t lda,
                           int64_t strideA, const xbatchComplexFloat_t *tau, int64_t ldtau, xbatchComplexFloat_t *C,
                           int64_t ldc, int64_t strideC, void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"cunmqrBatch", 0}, {XBATCH_C_32F, layout, side, op, m, n, k, batch}, A, lda, strideA, tau,
                 ldtau, C, ldc, strideC, workspace, workspaceBytes);
}
xbatchStatus_t zunmqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op,
                           int64_t m, int64_t n, int64_t k, int64_t batch, const xbatchComplexDouble_t *A, int64_t lda,
                           int64_t strideA, const xbatchComplexDouble_t *tau, int64_t ldtau, xbatchComplexDouble_t *C,
                           int64_t ldc, int64_t strideC, void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"zunmqrBatch", 0}, {XBATCH_C_64F, layout, side, op, m, n, k, batch}, A, lda, strideA, tau,
                 ldtau, C, ldc, strideC, workspace, workspaceBytes);
}

xbatchStatus_t xunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                      xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"xunmqrBatch_bufferSize", 1}, {type, layout, side, op, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t sormqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"sormqrBatch_bufferSize", 0}, {XBATCH_R_32F, layout, side, op, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t dormqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"dormqrBatch_bufferSize", 0}, {XBATCH_R_64F, layout, side, op, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t cunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"cunmqrBatch_bufferSize", 0}, {XBATCH_C_32F, layout, side, op, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t zunmqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchSide_t side,
                                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                                      size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"zunmqrBatch_bufferSize", 0}, {XBATCH_C_64F, layout, side, op, m, n, k, batch},
                             workspaceBytes);
}

xbatchStatus_t xungqrBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m, int64_t n,
                           int64_t k, int64_t batch, void *A, int64_t lda, int64_t strideA, const void *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes) {
    return ungqr(handle, {"xungqrBatch", 1}, {type, layout, m, n, k, batch}, A, lda, strideA, tau, ldtau, workspace,
                 workspaceBytes);
}
xbatchStatus_t sorgqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           float *A, int64_t lda, int64_t strideA, const float *tau, int64_t ldtau, void *workspace,
                           size_t workspaceBytes) {
    return ungqr(handle, {"sorgqrBatch", 0}, {XBATCH_R_32F, layout, m, n, k, batch}, A, lda, strideA, tau, ldtau,
                 workspace, workspaceBytes);
}
xbatchStatus_t dorgqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           double *A, int64_t lda, int64_t strideA, const double *tau, int64_t ldtau, void *workspace,
                           size_t workspaceBytes) {
    return ungqr(handle, {"dorgqrBatch", 0}, {XBATCH_R_64F, layout, m, n, k, batch}, A, lda, strideA, tau, ldtau,
                 workspace, workspaceBytes);
}
xbatchStatus_t cungqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           xbatchComplexFloat_t *A, int64_t lda, int64_t strideA, const xbatchComplexFloat_t *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes) {
    return ungqr(handle, {"cungqrBatch", 0}, {XBATCH_C_32F, layout, m, n, k, batch}, A, lda, strideA, tau, ldtau,
                 workspace, workspaceBytes);
}
xbatchStatus_t zungqrBatch(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                           xbatchComplexDouble_t *A, int64_t lda, int64_t strideA, const xbatchComplexDouble_t *tau,
                           int64_t ldtau, void *workspace, size_t workspaceBytes) {
    return ungqr(handle, {"zungqrBatch", 0}, {XBATCH_C_64F, layout, m, n, k, batch}, A, lda, strideA, tau, ldtau,
                 workspace, workspaceBytes);
}

xbatchStatus_t xungqrBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, int64_t m,
                                      int64_t n, int64_t k, int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"xungqrBatch_bufferSize", 1}, {type, layout, m, n, k, batch}, workspaceBytes);
}
xbatchStatus_t sorgqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"sorgqrBatch_bufferSize", 0}, {XBATCH_R_32F, layout, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t dorgqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"dorgqrBatch_bufferSize", 0}, {XBATCH_R_64F, layout, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t cungqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"cungqrBatch_bufferSize", 0}, {XBATCH_C_32F, layout, m, n, k, batch},
                             workspaceBytes);
}
xbatchStatus_t zungqrBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, int64_t m, int64_t n, int64_t k,
                                      int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"zungqrBatch_bufferSize", 0}, {XBATCH_C_64F, layout, m, n, k, batch},
                             workspaceBytes);
}

xbatchStatus_t xgelsBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout, xbatchOperation_t op,
                          int64_t m, int64_t n, int64_t nrhs, int64_t batch, const void *A, int64_t lda,
                          int64_t strideA, void *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes) {
    return gels(handle, {"xgelsBatch", 1}, {type, layout, op, m, n, nrhs, batch}, A, lda, strideA, B, ldb, strideB,
                info, workspace, workspaceBytes);
}
xbatchStatus_t sgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const float *A, int64_t lda, int64_t strideA, float *B,
                          int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"sgelsBatch", 0}, {XBATCH_R_32F, layout, op, m, n, nrhs, batch}, A, lda, strideA, B, ldb,
                strideB, info, workspace, workspaceBytes);
}
xbatchStatus_t dgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const double *A, int64_t lda, int64_t strideA, double *B,
                          int64_t ldb, int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"dgelsBatch", 0}, {XBATCH_R_64F, layout, op, m, n, nrhs, batch}, A, lda, strideA, B, ldb,
                strideB, info, workspace, workspaceBytes);
}
xbatchStatus_t cgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *A, int64_t lda, int64_t strideA,
                          xbatchComplexFloat_t *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes) {
    return gels(handle, {"cgelsBatch", 0}, {XBATCH_C_32F, layout, op, m, n, nrhs, batch}, A, lda, strideA, B, ldb,
                strideB, info, workspace, workspaceBytes);
}
xbatchStatus_t zgelsBatch(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *A, int64_t lda, int64_t strideA,
                          xbatchComplexDouble_t *B, int64_t ldb, int64_t strideB, int32_t *info, void *workspace,
                          size_t workspaceBytes) {
    return gels(handle, {"zgelsBatch", 0}, {XBATCH_C_64F, layout, op, m, n, nrhs, batch}, A, lda, strideA, B, ldb,
                strideB, info, workspace, workspaceBytes);
}

xbatchStatus_t xgelsBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                     xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                                     size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"xgelsBatch_bufferSize", 1}, {type, layout, op, m, n, nrhs, batch},
                            workspaceBytes);
}
xbatchStatus_t sgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"sgelsBatch_bufferSize", 0}, {XBATCH_R_32F, layout, op, m, n, nrhs, batch},
                            workspaceBytes);
}
xbatchStatus_t dgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"dgelsBatch_bufferSize", 0}, {XBATCH_R_64F, layout, op, m, n, nrhs, batch},
                            workspaceBytes);
}
xbatchStatus_t cgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"cgelsBatch_bufferSize", 0}, {XBATCH_C_32F, layout, op, m, n, nrhs, batch},
                            workspaceBytes);
}
xbatchStatus_t zgelsBatch_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"zgelsBatch_bufferSize", 0}, {XBATCH_C_64F, layout, op, m, n, nrhs, batch},
                            workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
