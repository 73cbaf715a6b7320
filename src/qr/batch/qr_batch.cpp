// qr_batch.cpp: the calls of qr_batch.h: their checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch.hpp"

#include <algorithm>

#include "api/entries.hpp"
#include "qless_batch.hpp"
#include "qr/common/checks.hpp"

namespace xbatch::qr {
namespace {

constexpr Table<GeqrfBatch> geqrf_table{{XBATCH_ROW(geqrf_batch_host), XBATCH_CUDA_ROW(geqrf_batch_cuda)}};
constexpr Table<UnmqrBatch> unmqr_table{{XBATCH_ROW(unmqr_batch_host), XBATCH_CUDA_ROW(unmqr_batch_cuda)}};
constexpr Table<GelsBatch> gels_table{{XBATCH_ROW(gels_batch_host), XBATCH_CUDA_ROW(gels_batch_cuda)}};
constexpr Table<QlessBatch> qless_table{{XBATCH_ROW(qless_batch_host), XBATCH_CUDA_ROW(qless_batch_cuda)}};

// The caller's matrices: the position of their leading dimension among the arguments; their stride follows
struct MatrixArgument {
    int position;
    const char *ld_name, *stride_name, *stride_bound;
    const char *rows_name;
    int64_t rows, columns, ld, stride;

    void check(Call &call, xbatchDataType_t type, xbatchLayout_t layout, int64_t batch) const {
        check_ld(call, position, ld_name, ld, rows_name, rows, columns, type);
        if (call.failed()) return;
        const int64_t some = columns > 0 ? columns : 1, size = element_size(type);
        switch (layout) {
            case XBATCH_LAYOUT_FLAT:
                call.at_least(position + 1, stride_name, stride, stride_bound, ld * columns);
                return call.extent(position + 1, stride_name, stride, batch, 1, size);
            case XBATCH_LAYOUT_INTERLEAVED:
                call.at_least(position + 1, stride_name, stride, "batch", batch);
                return call.extent(position + 1, stride_name, stride, ld, some, size);
            default: {
                call.at_least(position + 1, stride_name, stride, nullptr, 1);
                if (call.failed() || batch == 0) return;
                int64_t padded = 0;
                if (__builtin_mul_overflow((batch - 1) / stride + 1, stride, &padded)) padded = INT64_MAX;
                return call.extent(position + 1, stride_name, padded, ld, some, size);
            }
        }
    }
};
void check_tau(Call &call, int position, xbatchDataType_t type, xbatchLayout_t layout, int64_t k, int64_t batch,
               int64_t ldtau) {
    if (call.failed()) return;
    if (layout == XBATCH_LAYOUT_FLAT)
        call.at_least(position, "ldtau", ldtau, "k", k);
    else
        call.leading_dimension(position, "ldtau", layout, ldtau, k, batch, false);
    call.batched_extent(position, "ldtau", layout, k, 1, batch, ldtau, element_size(type));
}

// In a size query leading dimensions and strides are the smallest of a flat batch: problem() has them.
struct GeqrfShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t m, n, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.count(2, "m", m);
        call.count(3, "n", n);
        call.count(4, "batch", batch);
        check_product(call, 2, "m", m, n, batch, type);
    }
    int64_t k() const { return m < n ? m : n; }
    bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
    GeqrfBatch problem(const Context &) const {
        const MatrixPlacement at = matrix_placement(layout, n, batch, m, m * n);
        return {layout, m, n, batch, nullptr, nullptr, at, tau_at(k()), nullptr};
    }
    Placement tau_at(int64_t ldtau) const { return placement(layout, k(), 1, batch, ldtau); }
};

struct UnmqrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchSide_t side;
    xbatchOperation_t op;
    int64_t m, n, k, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        check_multiply(call, 2, *this, own_sizes, complex_matrices);
        call.count(7, "batch", batch);
        check_product(call, 4, "m", m, n, batch, type);
        check_product(call, 6, "k", k, order(), batch, type);
    }
    bool is_right() const { return side == XBATCH_SIDE_RIGHT; }
    int64_t order() const { return is_right() ? n : m; }  // of Q
    bool is_empty() const { return m == 0 || n == 0 || k == 0 || batch == 0; }
    UnmqrBatch problem(const Context &) const {
        UnmqrBatch p{};
        p.rows = order(), p.columns = is_right() ? m : n, p.k = k, p.batch = batch;
        p.is_adjoint = (op != XBATCH_OP_N) != is_right(), p.is_turned = is_right();  // C Q = (Q^H C^H)^H
        p.v_at = matrix_placement(layout, k, batch, order(), order() * k);
        p.tau_at = placement(layout, k, 1, batch, k);
        p.c_at = c_at(m, m * n);
        return p;
    }
    MatrixPlacement c_at(int64_t ldc, int64_t strideC) const {
        const MatrixPlacement at = matrix_placement(layout, n, batch, ldc, strideC);
        return is_right() ? transposed(at) : at;
    }
};

struct UngqrShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t m, n, k, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        check_form(call, 2, *this, own_sizes);
        call.count(5, "batch", batch);
        check_product(call, 2, "m", m, n, batch, type);
    }
    bool is_empty() const { return n == 0 || batch == 0; }
    UnmqrBatch problem(const Context &) const {
        const MatrixPlacement at = matrix_placement(layout, n, batch, m, m * n);
        UnmqrBatch p{};
        p.rows = m, p.columns = n, p.k = k, p.batch = batch, p.forms_q = true;
        p.v_at = p.c_at = at, p.tau_at = placement(layout, k, 1, batch, std::max<int64_t>(k, 1));
        return p;
    }
};

struct GelsShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchOperation_t op;
    int64_t m, n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        check_op(call, 2, type, op, complex_matrices);
        call.count(3, "m", m);
        call.count(4, "n", n);
        call.count(5, "nrhs", nrhs);
        call.count(6, "batch", batch);
        check_product(call, 3, "m", m, n, batch, type);
        check_product(call, 5, "nrhs", nrhs, rows(), batch, type);
    }
    bool is_wide() const { return m < n; }
    int64_t rows() const { return is_wide() ? n : m; }  // of B
    bool is_empty() const { return m == 0 || n == 0 || nrhs == 0 || batch == 0; }
    GelsBatch problem(const Context &) const {
        GelsBatch p{};
        p.rows = rows(), p.columns = is_wide() ? m : n, p.nrhs = nrhs, p.batch = batch;
        p.is_turned = is_wide(), p.is_least_norm = is_wide() == (op == XBATCH_OP_N);
        p.g_at = g_at(m, m * n);
        p.b_at = matrix_placement(layout, nrhs, batch, rows(), rows() * nrhs);
        return p;
    }
    MatrixPlacement g_at(int64_t lda, int64_t strideA) const {
        const MatrixPlacement at = matrix_placement(layout, n, batch, lda, strideA);
        return is_wide() ? transposed(at) : at;
    }
};

struct QlessShape {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t m, n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
        call.count(2, "m", m);
        call.count(3, "n", n);
        call.count(4, "nrhs", nrhs);
        call.count(5, "batch", batch);
        check_product(call, 2, "m", m, n, batch, type);
        check_product(call, 4, "nrhs", nrhs, m, batch, type);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
    QlessBatch problem(const Context &) const {
        QlessBatch p{};
        p.layout = layout, p.m = m, p.n = n, p.nrhs = nrhs, p.batch = batch;
        p.a_at = matrix_placement(layout, n, batch, m, m * n),
        p.r_at = matrix_placement(layout, n, batch, p.k(), m * n);
        p.b_at = matrix_placement(layout, nrhs, batch, m, m * nrhs);
        return p;
    }
};

}  // namespace

xbatchStatus_t geqrf_batch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch,
                                       size_t *workspaceBytes) {
    return query(handle, caller, geqrf_table, GeqrfShape{type, layout, m, n, batch}, 5, workspaceBytes);
}

xbatchStatus_t geqrf_batch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                           int64_t m, int64_t n, int64_t batch, void *A, int64_t lda, int64_t strideA, void *tau,
                           int64_t ldtau, int32_t *info, void *workspace, size_t workspaceBytes) {
    const GeqrfShape shape{type, layout, m, n, batch};
    const auto sizes = [&](Call &call) {
        MatrixArgument{6, "lda", "strideA", "lda*n", "m", m, n, lda, strideA}.check(call, type, layout, batch);
        check_tau(call, 9, type, layout, shape.k(), batch, ldtau);
    };
    const auto data = [&](Call &call, const Context &, GeqrfBatch &p) {
        call.not_null(5, "A", A);
        call.not_null(8, "tau", tau);
        p.a = A, p.a_at = matrix_placement(layout, n, batch, lda, strideA);
        p.tau = tau, p.tau_at = shape.tau_at(ldtau), p.info = info;
    };
    return solve(handle, caller, geqrf_table, shape, {11, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t unmqr_batch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchLayout_t layout, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, unmqr_table, UnmqrShape{type, layout, side, op, m, n, k, batch}, 8, workspaceBytes);
}

xbatchStatus_t unmqr_batch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                           xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n, int64_t k, int64_t batch,
                           const void *A, int64_t lda, int64_t strideA, const void *tau, int64_t ldtau, void *C,
                           int64_t ldc, int64_t strideC, void *workspace, size_t workspaceBytes) {
    const UnmqrShape shape{type, layout, side, op, m, n, k, batch};
    const MatrixArgument a{9, "lda", "strideA", "lda*k", shape.is_right() ? "n" : "m", shape.order(), k, lda, strideA};
    const MatrixArgument c{14, "ldc", "strideC", "ldc*n", "m", m, n, ldc, strideC};
    const auto sizes = [&](Call &call) {
        a.check(call, type, layout, batch);
        check_tau(call, 12, type, layout, k, batch, ldtau);
        c.check(call, type, layout, batch);
    };
    const auto data = [&](Call &call, const Context &, UnmqrBatch &p) {
        call.not_null(8, "A", A);
        call.not_null(11, "tau", tau);
        call.not_null(13, "C", C);
        p.v = A, p.v_at = matrix_placement(layout, k, batch, lda, strideA);
        p.tau = tau, p.tau_at = placement(layout, k, 1, batch, ldtau);
        p.c = C, p.c_at = shape.c_at(ldc, strideC);
    };
    return solve(handle, caller, unmqr_table, shape, {16, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t ungqr_batch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchLayout_t layout, int64_t m, int64_t n, int64_t k, int64_t batch,
                                       size_t *workspaceBytes) {
    return query(handle, caller, unmqr_table, UngqrShape{type, layout, m, n, k, batch}, 6, workspaceBytes);
}

xbatchStatus_t ungqr_batch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                           int64_t m, int64_t n, int64_t k, int64_t batch, void *A, int64_t lda, int64_t strideA,
                           const void *tau, int64_t ldtau, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        MatrixArgument{7, "lda", "strideA", "lda*n", "m", m, n, lda, strideA}.check(call, type, layout, batch);
        check_tau(call, 10, type, layout, k, batch, ldtau);
    };
    const auto data = [&](Call &call, const Context &, UnmqrBatch &p) {
        call.not_null(6, "A", A);
        if (k > 0) call.not_null(9, "tau", tau);
        p.v = p.c = A, p.v_at = p.c_at = matrix_placement(layout, n, batch, lda, strideA);
        p.tau = tau, p.tau_at = placement(layout, k, 1, batch, ldtau);
    };
    return solve(handle, caller, unmqr_table, UngqrShape{type, layout, m, n, k, batch}, {11, workspace, workspaceBytes},
                 sizes, data);
}

xbatchStatus_t gels_batch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                      xbatchLayout_t layout, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                      int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, gels_table, GelsShape{type, layout, op, m, n, nrhs, batch}, 7, workspaceBytes);
}

xbatchStatus_t gels_batch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                          xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs, int64_t batch, const void *A,
                          int64_t lda, int64_t strideA, void *B, int64_t ldb, int64_t strideB, int32_t *info,
                          void *workspace, size_t workspaceBytes) {
    const GelsShape shape{type, layout, op, m, n, nrhs, batch};
    const MatrixArgument a{8, "lda", "strideA", "lda*n", "m", m, n, lda, strideA};
    const MatrixArgument b{11,           "ldb", "strideB", "ldb*nrhs", shape.is_wide() ? "n" : "m",
                           shape.rows(), nrhs,  ldb,       strideB};
    const auto sizes = [&](Call &call) {
        a.check(call, type, layout, batch);
        b.check(call, type, layout, batch);
    };
    const auto data = [&](Call &call, const Context &, GelsBatch &p) {
        call.not_null(7, "A", A);
        call.not_null(10, "B", B);
        p.a = A, p.g_at = shape.g_at(lda, strideA);
        p.b = B, p.b_at = matrix_placement(layout, nrhs, batch, ldb, strideB), p.info = info;
    };
    return solve(handle, caller, gels_table, shape, {14, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t qless_batch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchLayout_t layout, int64_t m, int64_t n, int64_t nrhs, int64_t batch,
                                       size_t *workspaceBytes) {
    return query(handle, caller, qless_table, QlessShape{type, layout, m, n, nrhs, batch}, 6, workspaceBytes);
}

xbatchStatus_t qless_batch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                           int64_t m, int64_t n, int64_t nrhs, int64_t batch, const void *A, int64_t lda,
                           int64_t strideA, void *R, int64_t ldr, int64_t strideR, void *B, int64_t ldb,
                           int64_t strideB, int32_t *info, void *workspace, size_t workspaceBytes) {
    const MatrixArgument a{7, "lda", "strideA", "lda*n", "m", m, n, lda, strideA};
    const MatrixArgument r{10, "ldr", "strideR", "ldr*n", m < n ? "m" : "n", std::min(m, n), n, ldr, strideR};
    const MatrixArgument b{13, "ldb", "strideB", "ldb*nrhs", "m", m, nrhs, ldb, strideB};
    const auto sizes = [&](Call &call) {
        for (const MatrixArgument &each : {a, r, b}) each.check(call, type, layout, batch);
    };
    const auto data = [&](Call &call, const Context &, QlessBatch &p) {
        call.not_null(6, "A", A);
        call.not_null(9, "R", R);
        if (nrhs > 0) call.not_null(12, "B", B);
        p.a = A, p.a_at = matrix_placement(layout, n, batch, lda, strideA);
        p.r = R, p.r_at = matrix_placement(layout, n, batch, ldr, strideR);
        p.b = B, p.b_at = matrix_placement(layout, nrhs, batch, ldb, strideB), p.info = info;
    };
    return solve(handle, caller, qless_table, QlessShape{type, layout, m, n, nrhs, batch},
                 {16, workspace, workspaceBytes}, sizes, data);
}

}  // namespace xbatch::qr
