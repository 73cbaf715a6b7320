// qr_vbatch.cpp: the calls of qr_vbatch.h: their checks of what the host knows, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_vbatch.hpp"

#include "qr/common/checks.hpp"
#include "xbatch/qr_vbatch.h"

namespace xbatch::qr {
namespace {

constexpr Table<GeqrfVBatch> geqrf_table{{XBATCH_ROW(geqrf_vbatch_host), XBATCH_CUDA_ROW(geqrf_vbatch_cuda)}};
constexpr Table<UnmqrVBatch> unmqr_table{{XBATCH_ROW(unmqr_vbatch_host), XBATCH_CUDA_ROW(unmqr_vbatch_cuda)}};
constexpr Table<GelsVBatch> gels_table{{XBATCH_ROW(gels_vbatch_host), XBATCH_CUDA_ROW(gels_vbatch_cuda)}};

// Sizes in a shape are the largest of the batch.
struct GeqrfShape {
    xbatchDataType_t type;
    int64_t m, n, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        call.count(1, "mMax", m);
        call.count(2, "nMax", n);
        call.count(3, "batch", batch);
        check_product(call, 1, "mMax", m, n, batch, type);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
    GeqrfVBatch problem(const Context &) const { return {batch, {nullptr, m}, {nullptr, n}}; }
};

xbatchStatus_t geqrf_vbatch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t mMax,
                                        int64_t nMax, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, geqrf_table, GeqrfShape{type, mMax, nMax, batch}, 4, workspaceBytes);
}

xbatchStatus_t geqrf_vbatch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                            int64_t batch, const int64_t *m, const int64_t *n, const void *A, int64_t ldaMax,
                            const int64_t *lda, const void *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    const auto sizes = [&](Call &call) { check_ld(call, 7, "ldaMax", ldaMax, "mMax", mMax, nMax, type); };
    const auto data = [&](Call &call, const Context &, GeqrfVBatch &p) {
        call.not_null(6, "A", A);
        call.not_null(9, "tau", tau);
        p = {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info};
    };
    return solve(handle, caller, geqrf_table, GeqrfShape{type, mMax, nMax, batch}, {11, workspace, workspaceBytes},
                 sizes, data);
}

struct UnmqrShape {
    xbatchDataType_t type;
    xbatchSide_t side;
    xbatchOperation_t op;
    int64_t m, n, k, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        check_multiply(call, 1, *this, largest_sizes, complex_matrices);
        call.count(6, "batch", batch);
        check_product(call, 3, "mMax", m, n, batch, type);
        check_product(call, 5, "kMax", k, order(), batch, type);
    }
    bool is_right() const { return side == XBATCH_SIDE_RIGHT; }
    int64_t order() const { return is_right() ? n : m; }  // of Q
    bool is_empty() const { return m == 0 || n == 0 || k == 0 || batch == 0; }
    UnmqrVBatch problem(const Context &) const {
        UnmqrVBatch p{batch, {nullptr, m}, {nullptr, n}, {nullptr, k}};
        p.is_right = is_right(), p.is_transposed = op != XBATCH_OP_N;
        return p;
    }
};

xbatchStatus_t unmqr_vbatch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                                        xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                        size_t *workspaceBytes) {
    return query(handle, caller, unmqr_table, UnmqrShape{type, side, op, mMax, nMax, kMax, batch}, 7, workspaceBytes);
}

xbatchStatus_t unmqr_vbatch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                            xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, const void *A, int64_t ldaMax,
                            const int64_t *lda, const void *tau, const void *C, int64_t ldcMax, const int64_t *ldc,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    const UnmqrShape shape{type, side, op, mMax, nMax, kMax, batch};
    const auto sizes = [&](Call &call) {
        check_ld(call, 11, "ldaMax", ldaMax, shape.is_right() ? "nMax" : "mMax", shape.order(), kMax, type);
        check_ld(call, 15, "ldcMax", ldcMax, "mMax", mMax, nMax, type);
    };
    const auto data = [&](Call &call, const Context &, UnmqrVBatch &p) {
        call.not_null(10, "A", A);
        call.not_null(13, "tau", tau);
        call.not_null(14, "C", C);
        p.m.own = m, p.n.own = n, p.k.own = k, p.info = info;
        p.v = {A, {lda, ldaMax}}, p.tau = {tau, {}}, p.c = {C, {ldc, ldcMax}};
    };
    return solve(handle, caller, unmqr_table, shape, {18, workspace, workspaceBytes}, sizes, data);
}

struct UngqrShape {
    xbatchDataType_t type;
    int64_t m, n, k, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        check_form(call, 1, *this, largest_sizes);
        call.count(4, "batch", batch);
        check_product(call, 1, "mMax", m, n, batch, type);
    }
    bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
    UnmqrVBatch problem(const Context &) const {
        UnmqrVBatch p{batch, {nullptr, m}, {nullptr, n}, {nullptr, k}};
        p.forms_q = true;
        return p;
    }
};

xbatchStatus_t ungqr_vbatch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t mMax,
                                        int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return query(handle, caller, unmqr_table, UngqrShape{type, mMax, nMax, kMax, batch}, 5, workspaceBytes);
}

xbatchStatus_t ungqr_vbatch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const void *A, int64_t ldaMax, const int64_t *lda, const void *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) { check_ld(call, 9, "ldaMax", ldaMax, "mMax", mMax, nMax, type); };
    const auto data = [&](Call &call, const Context &, UnmqrVBatch &p) {
        call.not_null(8, "A", A);
        if (kMax > 0) call.not_null(11, "tau", tau);
        p.m.own = m, p.n.own = n, p.k.own = k, p.info = info;
        p.v = p.c = {A, {lda, ldaMax}}, p.tau = {tau, {}};
    };
    return solve(handle, caller, unmqr_table, UngqrShape{type, mMax, nMax, kMax, batch},
                 {13, workspace, workspaceBytes}, sizes, data);
}

struct GelsShape {
    xbatchDataType_t type;
    xbatchOperation_t op;
    int64_t m, n, nrhs, batch;

    void check(Call &call, const Context &) const {
        call.type(type);
        check_op(call, 1, type, op, complex_matrices);
        call.count(2, "mMax", m);
        call.count(3, "nMax", n);
        call.count(4, "nrhsMax", nrhs);
        call.count(5, "batch", batch);
        check_product(call, 2, "mMax", m, n, batch, type);
        check_product(call, 4, "nrhsMax", nrhs, rows(), batch, type);
    }
    int64_t rows() const { return m > n ? m : n; }  // of B
    bool is_empty() const { return m == 0 || n == 0 || nrhs == 0 || batch == 0; }
    GelsVBatch problem(const Context &) const {
        GelsVBatch p{batch, {nullptr, m}, {nullptr, n}, {nullptr, nrhs}};
        p.is_transposed = op != XBATCH_OP_N;
        return p;
    }
};

xbatchStatus_t gels_vbatch_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                       xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return query(handle, caller, gels_table, GelsShape{type, op, mMax, nMax, nrhsMax, batch}, 6, workspaceBytes);
}

xbatchStatus_t gels_vbatch(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchOperation_t op,
                           int64_t mMax, int64_t nMax, int64_t nrhsMax, int64_t batch, const int64_t *m,
                           const int64_t *n, const int64_t *nrhs, const void *A, int64_t ldaMax, const int64_t *lda,
                           const void *B, int64_t ldbMax, const int64_t *ldb, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    const GelsShape shape{type, op, mMax, nMax, nrhsMax, batch};
    const auto sizes = [&](Call &call) {
        check_ld(call, 10, "ldaMax", ldaMax, "mMax", mMax, nMax, type);
        check_ld(call, 13, "ldbMax", ldbMax, "max(mMax, nMax)", shape.rows(), nrhsMax, type);
    };
    const auto data = [&](Call &call, const Context &, GelsVBatch &p) {
        call.not_null(9, "A", A);
        call.not_null(12, "B", B);
        p.m.own = m, p.n.own = n, p.nrhs.own = nrhs, p.info = info;
        p.a = {A, {lda, ldaMax}}, p.b = {B, {ldb, ldbMax}};
    };
    return solve(handle, caller, gels_table, shape, {16, workspace, workspaceBytes}, sizes, data);
}

}  // namespace
}  // namespace xbatch::qr

using xbatch::qr::gels_vbatch;
using xbatch::qr::gels_vbatch_buffer_size;
using xbatch::qr::geqrf_vbatch;
using xbatch::qr::geqrf_vbatch_buffer_size;
using xbatch::qr::ungqr_vbatch;
using xbatch::qr::ungqr_vbatch_buffer_size;
using xbatch::qr::unmqr_vbatch;
using xbatch::qr::unmqr_vbatch_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgeqrfVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t batch,
                            const int64_t *m, const int64_t *n, void *const *A, int64_t ldaMax, const int64_t *lda,
                            void *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf_vbatch(handle, {"xgeqrfVBatch", 1}, type, mMax, nMax, batch, m, n, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}
xbatchStatus_t sgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, float *const *A, int64_t ldaMax, const int64_t *lda, float *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf_vbatch(handle, {"sgeqrfVBatch", 0}, XBATCH_R_32F, mMax, nMax, batch, m, n, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}
xbatchStatus_t dgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, double *const *A, int64_t ldaMax, const int64_t *lda, double *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf_vbatch(handle, {"dgeqrfVBatch", 0}, XBATCH_R_64F, mMax, nMax, batch, m, n, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}
xbatchStatus_t cgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexFloat_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf_vbatch(handle, {"cgeqrfVBatch", 0}, XBATCH_C_32F, mMax, nMax, batch, m, n, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}
xbatchStatus_t zgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexDouble_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf_vbatch(handle, {"zgeqrfVBatch", 0}, XBATCH_C_64F, mMax, nMax, batch, m, n, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}

xbatchStatus_t xgeqrfVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t batch, size_t *workspaceBytes) {
    return geqrf_vbatch_buffer_size(handle, {"xgeqrfVBatch_bufferSize", 1}, type, mMax, nMax, batch, workspaceBytes);
}
xbatchStatus_t sgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_vbatch_buffer_size(handle, {"sgeqrfVBatch_bufferSize", 0}, XBATCH_R_32F, mMax, nMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t dgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_vbatch_buffer_size(handle, {"dgeqrfVBatch_bufferSize", 0}, XBATCH_R_64F, mMax, nMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t cgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_vbatch_buffer_size(handle, {"cgeqrfVBatch_bufferSize", 0}, XBATCH_C_32F, mMax, nMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t zgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_vbatch_buffer_size(handle, {"zgeqrfVBatch_bufferSize", 0}, XBATCH_C_64F, mMax, nMax, batch,
                                    workspaceBytes);
}

xbatchStatus_t xunmqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n,
                            const int64_t *k, const void *const *A, int64_t ldaMax, const int64_t *lda,
                            const void *const *tau, void *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return unmqr_vbatch(handle, {"xunmqrVBatch", 1}, type, side, op, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda,
                        tau, C, ldcMax, ldc, info, workspace, workspaceBytes);
}
xbatchStatus_t sormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const float *const *A, int64_t ldaMax, const int64_t *lda, const float *const *tau,
                            float *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return unmqr_vbatch(handle, {"sormqrVBatch", 0}, XBATCH_R_32F, side, op, mMax, nMax, kMax, batch, m, n, k, A,
                        ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes);
}
xbatchStatus_t dormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const double *const *A, int64_t ldaMax, const int64_t *lda, const double *const *tau,
                            double *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return unmqr_vbatch(handle, {"dormqrVBatch", 0}, XBATCH_R_64F, side, op, mMax, nMax, kMax, batch, m, n, k, A,
                        ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes);
}
xbatchStatus_t cunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexFloat_t *const *tau, xbatchComplexFloat_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return unmqr_vbatch(handle, {"cunmqrVBatch", 0}, XBATCH_C_32F, side, op, mMax, nMax, kMax, batch, m, n, k, A,
                        ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes);
}
xbatchStatus_t zunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexDouble_t *const *tau, xbatchComplexDouble_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return unmqr_vbatch(handle, {"zunmqrVBatch", 0}, XBATCH_C_64F, side, op, mMax, nMax, kMax, batch, m, n, k, A,
                        ldaMax, lda, tau, C, ldcMax, ldc, info, workspace, workspaceBytes);
}

xbatchStatus_t xunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return unmqr_vbatch_buffer_size(handle, {"xunmqrVBatch_bufferSize", 1}, type, side, op, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t sormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_vbatch_buffer_size(handle, {"sormqrVBatch_bufferSize", 0}, XBATCH_R_32F, side, op, mMax, nMax, kMax,
                                    batch, workspaceBytes);
}
xbatchStatus_t dormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_vbatch_buffer_size(handle, {"dormqrVBatch_bufferSize", 0}, XBATCH_R_64F, side, op, mMax, nMax, kMax,
                                    batch, workspaceBytes);
}
xbatchStatus_t cunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_vbatch_buffer_size(handle, {"cunmqrVBatch_bufferSize", 0}, XBATCH_C_32F, side, op, mMax, nMax, kMax,
                                    batch, workspaceBytes);
}
xbatchStatus_t zunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_vbatch_buffer_size(handle, {"zunmqrVBatch_bufferSize", 0}, XBATCH_C_64F, side, op, mMax, nMax, kMax,
                                    batch, workspaceBytes);
}

xbatchStatus_t xungqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t kMax,
                            int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k, void *const *A,
                            int64_t ldaMax, const int64_t *lda, const void *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr_vbatch(handle, {"xungqrVBatch", 1}, type, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda, tau, info,
                        workspace, workspaceBytes);
}
xbatchStatus_t sorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, float *const *A, int64_t ldaMax,
                            const int64_t *lda, const float *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr_vbatch(handle, {"sorgqrVBatch", 0}, XBATCH_R_32F, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda,
                        tau, info, workspace, workspaceBytes);
}
xbatchStatus_t dorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, double *const *A, int64_t ldaMax,
                            const int64_t *lda, const double *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr_vbatch(handle, {"dorgqrVBatch", 0}, XBATCH_R_64F, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda,
                        tau, info, workspace, workspaceBytes);
}
xbatchStatus_t cungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexFloat_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexFloat_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqr_vbatch(handle, {"cungqrVBatch", 0}, XBATCH_C_32F, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda,
                        tau, info, workspace, workspaceBytes);
}
xbatchStatus_t zungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexDouble_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexDouble_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqr_vbatch(handle, {"zungqrVBatch", 0}, XBATCH_C_64F, mMax, nMax, kMax, batch, m, n, k, A, ldaMax, lda,
                        tau, info, workspace, workspaceBytes);
}

xbatchStatus_t xungqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return ungqr_vbatch_buffer_size(handle, {"xungqrVBatch_bufferSize", 1}, type, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t sorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_vbatch_buffer_size(handle, {"sorgqrVBatch_bufferSize", 0}, XBATCH_R_32F, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t dorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_vbatch_buffer_size(handle, {"dorgqrVBatch_bufferSize", 0}, XBATCH_R_64F, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t cungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_vbatch_buffer_size(handle, {"cungqrVBatch_bufferSize", 0}, XBATCH_C_32F, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}
xbatchStatus_t zungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_vbatch_buffer_size(handle, {"zungqrVBatch_bufferSize", 0}, XBATCH_C_64F, mMax, nMax, kMax, batch,
                                    workspaceBytes);
}

xbatchStatus_t xgelsVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                           int64_t nMax, int64_t nrhsMax, int64_t batch, const int64_t *m, const int64_t *n,
                           const int64_t *nrhs, const void *const *A, int64_t ldaMax, const int64_t *lda,
                           void *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return gels_vbatch(handle, {"xgelsVBatch", 1}, type, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, A, ldaMax, lda, B,
                       ldbMax, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t sgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const float *const *A, int64_t ldaMax, const int64_t *lda, float *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels_vbatch(handle, {"sgelsVBatch", 0}, XBATCH_R_32F, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, A, ldaMax,
                       lda, B, ldbMax, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t dgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const double *const *A, int64_t ldaMax, const int64_t *lda, double *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels_vbatch(handle, {"dgelsVBatch", 0}, XBATCH_R_64F, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, A, ldaMax,
                       lda, B, ldbMax, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t cgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexFloat_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gels_vbatch(handle, {"cgelsVBatch", 0}, XBATCH_C_32F, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, A, ldaMax,
                       lda, B, ldbMax, ldb, info, workspace, workspaceBytes);
}
xbatchStatus_t zgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexDouble_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gels_vbatch(handle, {"zgelsVBatch", 0}, XBATCH_C_64F, op, mMax, nMax, nrhsMax, batch, m, n, nrhs, A, ldaMax,
                       lda, B, ldbMax, ldb, info, workspace, workspaceBytes);
}

xbatchStatus_t xgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                                      int64_t nMax, int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_vbatch_buffer_size(handle, {"xgelsVBatch_bufferSize", 1}, type, op, mMax, nMax, nrhsMax, batch,
                                   workspaceBytes);
}
xbatchStatus_t sgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_vbatch_buffer_size(handle, {"sgelsVBatch_bufferSize", 0}, XBATCH_R_32F, op, mMax, nMax, nrhsMax, batch,
                                   workspaceBytes);
}
xbatchStatus_t dgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_vbatch_buffer_size(handle, {"dgelsVBatch_bufferSize", 0}, XBATCH_R_64F, op, mMax, nMax, nrhsMax, batch,
                                   workspaceBytes);
}
xbatchStatus_t cgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_vbatch_buffer_size(handle, {"cgelsVBatch_bufferSize", 0}, XBATCH_C_32F, op, mMax, nMax, nrhsMax, batch,
                                   workspaceBytes);
}
xbatchStatus_t zgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_vbatch_buffer_size(handle, {"zgelsVBatch_bufferSize", 0}, XBATCH_C_64F, op, mMax, nMax, nrhsMax, batch,
                                   workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
