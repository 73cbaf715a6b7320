// qr_vbatch.cpp: the calls of qr_vbatch.h: their checks of what the host knows, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_vbatch.hpp"

#include "api/entries.hpp"
#include "qr/common/checks.hpp"

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

}  // namespace

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

}  // namespace xbatch::qr
