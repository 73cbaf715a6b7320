// qr_vbatch.cpp: C entries of qr_vbatch.h: checks of what the host knows, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_vbatch.hpp"

#include "qr_batch_checks.hpp"
#include "xbatch/qr_vbatch.h"

namespace xbatch::qr {
namespace {

constexpr Table<GeqrfVBatch> geqrf_table{{XBATCH_ROW(geqrf_vbatch_host), XBATCH_CUDA_ROW(geqrf_vbatch_cuda)}};
constexpr Table<UnmqrVBatch> unmqr_table{{XBATCH_ROW(unmqr_vbatch_host), XBATCH_CUDA_ROW(unmqr_vbatch_cuda)}};
constexpr Table<GelsVBatch> gels_table{{XBATCH_ROW(gels_vbatch_host), XBATCH_CUDA_ROW(gels_vbatch_cuda)}};

// The largest leading dimension, of matrices of so many rows and columns at most
void check_ld(Call &call, int position, const char *name, int64_t ld, const char *rows_name, int64_t rows,
              int64_t columns, xbatchDataType_t type) {
    call.at_least(position, name, ld, rows_name, rows);
    call.at_least(position, name, ld, nullptr, 1);
    call.extent(position, name, ld, columns > 0 ? columns : 1, 1, element_size(type));
}

// The end of each routine: what is left to check, and the work
template <class Problem>
xbatchStatus_t finish(Context &context, Call &call, const Table<Problem> &table, xbatchDataType_t type, Caller caller,
                      const Problem &p, int position, void *workspace, size_t workspaceBytes) {
    if (!call.failed()) call.workspace(position, workspace, workspaceBytes, table.workspace(context, type, p));
    if (call.failed()) return call.status();
    log_line(LOG_CALLS, "%s: mMax = %lld, nMax = %lld, batch = %lld", caller.name, (long long)p.m.largest,
             (long long)p.n.largest, (long long)p.batch);
    return table.run(context, type, p, workspace);
}
template <class Problem>
xbatchStatus_t size_of_buffer(Context &context, Call &call, const Table<Problem> &table, xbatchDataType_t type,
                              const Problem &p, bool is_empty, int position, size_t *workspaceBytes) {
    call.not_null(position, "workspaceBytes", workspaceBytes);
    if (call.failed()) return call.status();
    return call.answer(position, "workspaceBytes", workspaceBytes, is_empty ? 0 : table.workspace(context, type, p));
}

void check_shape(Call &call, xbatchDataType_t type, const GeqrfVBatch &p) {
    call.type(type);
    check_size(call, 1, "mMax", p.m.largest);
    check_size(call, 2, "nMax", p.n.largest);
    check_size(call, 3, "batch", p.batch);
    check_product(call, 1, "mMax", p.m.largest, p.n.largest, p.batch, type);
}
bool is_empty(const GeqrfVBatch &p) { return p.m.largest == 0 || p.n.largest == 0 || p.batch == 0; }

xbatchStatus_t geqrf(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, const GeqrfVBatch &p, void *workspace,
                     size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, p);
        if (!call.failed()) check_ld(call, 7, "ldaMax", p.a.ld.largest, "mMax", p.m.largest, p.n.largest, type);
        if (call.failed() || is_empty(p)) return call.status();
        call.not_null(6, "A", p.a.addresses);
        call.not_null(9, "tau", p.tau.addresses);
        return finish(context, call, geqrf_table, type, caller, p, 11, workspace, workspaceBytes);
    });
}
xbatchStatus_t geqrf_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, const GeqrfVBatch &p,
                                 size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, p);
        return size_of_buffer(context, call, geqrf_table, type, p, is_empty(p), 4, workspaceBytes);
    });
}

void check_shape(Call &call, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op, const UnmqrVBatch &p) {
    const bool is_right = side == XBATCH_SIDE_RIGHT;
    const int64_t order = is_right ? p.n.largest : p.m.largest;
    call.type(type);
    call.one_of(1, "side", side, XBATCH_SIDE_RIGHT);
    check_op(call, 2, type, op);
    check_size(call, 3, "mMax", p.m.largest);
    check_size(call, 4, "nMax", p.n.largest);
    check_size(call, 5, "kMax", p.k.largest);
    call.at_most(5, "kMax", p.k.largest, order, is_right ? "as nMax" : "as mMax");
    check_size(call, 6, "batch", p.batch);
    check_product(call, 3, "mMax", p.m.largest, p.n.largest, p.batch, type);
    check_product(call, 5, "kMax", p.k.largest, order, p.batch, type);
}
bool is_empty(const UnmqrVBatch &p) {
    return p.m.largest == 0 || p.n.largest == 0 || p.batch == 0 || (p.k.largest == 0 && !p.forms_q);
}
UnmqrVBatch of_side(UnmqrVBatch p, xbatchSide_t side, xbatchOperation_t op) {
    p.is_right = side == XBATCH_SIDE_RIGHT, p.is_transposed = op != XBATCH_OP_N;
    return p;
}

xbatchStatus_t unmqr(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                     xbatchOperation_t op, const UnmqrVBatch &arguments, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const UnmqrVBatch p = of_side(arguments, side, op);
        check_shape(call, type, side, op, p);
        if (call.failed()) return call.status();
        const Each &order = p.is_right ? p.n : p.m;
        check_ld(call, 11, "ldaMax", p.v.ld.largest, p.is_right ? "nMax" : "mMax", order.largest, p.k.largest, type);
        check_ld(call, 15, "ldcMax", p.c.ld.largest, "mMax", p.m.largest, p.n.largest, type);
        if (call.failed() || is_empty(p)) return call.status();
        call.not_null(10, "A", p.v.addresses);
        call.not_null(13, "tau", p.tau.addresses);
        call.not_null(14, "C", p.c.addresses);
        return finish(context, call, unmqr_table, type, caller, p, 18, workspace, workspaceBytes);
    });
}
xbatchStatus_t unmqr_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                                 xbatchOperation_t op, const UnmqrVBatch &arguments, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const UnmqrVBatch p = of_side(arguments, side, op);
        check_shape(call, type, side, op, p);
        return size_of_buffer(context, call, unmqr_table, type, p, is_empty(p), 7, workspaceBytes);
    });
}

// Of Q alone
void check_shape(Call &call, xbatchDataType_t type, const UnmqrVBatch &p) {
    call.type(type);
    check_size(call, 1, "mMax", p.m.largest);
    check_size(call, 2, "nMax", p.n.largest);
    call.at_most(2, "nMax", p.n.largest, p.m.largest, "as mMax");
    check_size(call, 3, "kMax", p.k.largest);
    call.at_most(3, "kMax", p.k.largest, p.n.largest, "as nMax");
    check_size(call, 4, "batch", p.batch);
    check_product(call, 1, "mMax", p.m.largest, p.n.largest, p.batch, type);
}
UnmqrVBatch of_identity(UnmqrVBatch p) {
    p.forms_q = true;
    return p;
}

xbatchStatus_t ungqr(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, const UnmqrVBatch &arguments,
                     void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const UnmqrVBatch p = of_identity(arguments);
        check_shape(call, type, p);
        if (!call.failed()) check_ld(call, 9, "ldaMax", p.c.ld.largest, "mMax", p.m.largest, p.n.largest, type);
        if (call.failed() || is_empty(p)) return call.status();
        call.not_null(8, "A", p.c.addresses);
        if (p.k.largest > 0) call.not_null(11, "tau", p.tau.addresses);
        return finish(context, call, unmqr_table, type, caller, p, 13, workspace, workspaceBytes);
    });
}
xbatchStatus_t ungqr_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type,
                                 const UnmqrVBatch &arguments, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const UnmqrVBatch p = of_identity(arguments);
        check_shape(call, type, p);
        return size_of_buffer(context, call, unmqr_table, type, p, is_empty(p), 5, workspaceBytes);
    });
}

void check_shape(Call &call, xbatchDataType_t type, xbatchOperation_t op, const GelsVBatch &p) {
    call.type(type);
    check_op(call, 1, type, op);
    check_size(call, 2, "mMax", p.m.largest);
    check_size(call, 3, "nMax", p.n.largest);
    check_size(call, 4, "nrhsMax", p.nrhs.largest);
    check_size(call, 5, "batch", p.batch);
    check_product(call, 2, "mMax", p.m.largest, p.n.largest, p.batch, type);
    check_product(call, 4, "nrhsMax", p.nrhs.largest, p.rows(), p.batch, type);
}
bool is_empty(const GelsVBatch &p) {
    return p.m.largest == 0 || p.n.largest == 0 || p.nrhs.largest == 0 || p.batch == 0;
}
GelsVBatch of_op(GelsVBatch p, xbatchOperation_t op) {
    p.is_transposed = op != XBATCH_OP_N;
    return p;
}

xbatchStatus_t gels(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchOperation_t op,
                    const GelsVBatch &arguments, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const GelsVBatch p = of_op(arguments, op);
        check_shape(call, type, op, p);
        if (call.failed()) return call.status();
        check_ld(call, 10, "ldaMax", p.a.ld.largest, "mMax", p.m.largest, p.n.largest, type);
        check_ld(call, 13, "ldbMax", p.b.ld.largest, "max(mMax, nMax)", p.rows(), p.nrhs.largest, type);
        if (call.failed() || is_empty(p)) return call.status();
        call.not_null(9, "A", p.a.addresses);
        call.not_null(12, "B", p.b.addresses);
        return finish(context, call, gels_table, type, caller, p, 16, workspace, workspaceBytes);
    });
}
xbatchStatus_t gels_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchOperation_t op,
                                const GelsVBatch &arguments, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        const GelsVBatch p = of_op(arguments, op);
        check_shape(call, type, op, p);
        return size_of_buffer(context, call, gels_table, type, p, is_empty(p), 6, workspaceBytes);
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

xbatchStatus_t xgeqrfVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t batch,
                            const int64_t *m, const int64_t *n, void *const *A, int64_t ldaMax, const int64_t *lda,
                            void *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"xgeqrfVBatch", 1}, type, {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t sgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, float *const *A, int64_t ldaMax, const int64_t *lda, float *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"sgeqrfVBatch", 0}, XBATCH_R_32F,
                 {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info}, workspace, workspaceBytes);
}
xbatchStatus_t dgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, double *const *A, int64_t ldaMax, const int64_t *lda, double *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"dgeqrfVBatch", 0}, XBATCH_R_64F,
                 {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info}, workspace, workspaceBytes);
}
xbatchStatus_t cgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexFloat_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"cgeqrfVBatch", 0}, XBATCH_C_32F,
                 {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info}, workspace, workspaceBytes);
}
xbatchStatus_t zgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexDouble_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrf(handle, {"zgeqrfVBatch", 0}, XBATCH_C_64F,
                 {batch, {m, mMax}, {n, nMax}, {A, {lda, ldaMax}}, {tau, {}}, info}, workspace, workspaceBytes);
}

xbatchStatus_t xgeqrfVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t batch, size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"xgeqrfVBatch_bufferSize", 1}, type, {batch, {nullptr, mMax}, {nullptr, nMax}},
                             workspaceBytes);
}
xbatchStatus_t sgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"sgeqrfVBatch_bufferSize", 0}, XBATCH_R_32F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}}, workspaceBytes);
}
xbatchStatus_t dgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"dgeqrfVBatch_bufferSize", 0}, XBATCH_R_64F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}}, workspaceBytes);
}
xbatchStatus_t cgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"cgeqrfVBatch_bufferSize", 0}, XBATCH_C_32F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}}, workspaceBytes);
}
xbatchStatus_t zgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return geqrf_buffer_size(handle, {"zgeqrfVBatch_bufferSize", 0}, XBATCH_C_64F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}}, workspaceBytes);
}

xbatchStatus_t xunmqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n,
                            const int64_t *k, const void *const *A, int64_t ldaMax, const int64_t *lda,
                            const void *const *tau, void *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"xunmqrVBatch", 1}, type, side, op,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {C, {ldc, ldcMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t sormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const float *const *A, int64_t ldaMax, const int64_t *lda, const float *const *tau,
                            float *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return unmqr(handle, {"sormqrVBatch", 0}, XBATCH_R_32F, side, op,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {C, {ldc, ldcMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t dormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const double *const *A, int64_t ldaMax, const int64_t *lda, const double *const *tau,
                            double *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return unmqr(handle, {"dormqrVBatch", 0}, XBATCH_R_64F, side, op,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {C, {ldc, ldcMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t cunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexFloat_t *const *tau, xbatchComplexFloat_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"cunmqrVBatch", 0}, XBATCH_C_32F, side, op,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {C, {ldc, ldcMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t zunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexDouble_t *const *tau, xbatchComplexDouble_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return unmqr(handle, {"zunmqrVBatch", 0}, XBATCH_C_64F, side, op,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {C, {ldc, ldcMax}}, info},
                 workspace, workspaceBytes);
}

xbatchStatus_t xunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"xunmqrVBatch_bufferSize", 1}, type, side, op,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t sormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"sormqrVBatch_bufferSize", 0}, XBATCH_R_32F, side, op,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t dormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"dormqrVBatch_bufferSize", 0}, XBATCH_R_64F, side, op,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t cunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"cunmqrVBatch_bufferSize", 0}, XBATCH_C_32F, side, op,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t zunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return unmqr_buffer_size(handle, {"zunmqrVBatch_bufferSize", 0}, XBATCH_C_64F, side, op,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}

xbatchStatus_t xungqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t kMax,
                            int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k, void *const *A,
                            int64_t ldaMax, const int64_t *lda, const void *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr(handle, {"xungqrVBatch", 1}, type,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {A, {lda, ldaMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t sorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, float *const *A, int64_t ldaMax,
                            const int64_t *lda, const float *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr(handle, {"sorgqrVBatch", 0}, XBATCH_R_32F,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {A, {lda, ldaMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t dorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, double *const *A, int64_t ldaMax,
                            const int64_t *lda, const double *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return ungqr(handle, {"dorgqrVBatch", 0}, XBATCH_R_64F,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {A, {lda, ldaMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t cungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexFloat_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexFloat_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqr(handle, {"cungqrVBatch", 0}, XBATCH_C_32F,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {A, {lda, ldaMax}}, info},
                 workspace, workspaceBytes);
}
xbatchStatus_t zungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexDouble_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexDouble_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqr(handle, {"zungqrVBatch", 0}, XBATCH_C_64F,
                 {batch, {m, mMax}, {n, nMax}, {k, kMax}, {A, {lda, ldaMax}}, {tau, {}}, {A, {lda, ldaMax}}, info},
                 workspace, workspaceBytes);
}

xbatchStatus_t xungqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t kMax, int64_t batch, size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"xungqrVBatch_bufferSize", 1}, type,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t sorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"sorgqrVBatch_bufferSize", 0}, XBATCH_R_32F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t dorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"dorgqrVBatch_bufferSize", 0}, XBATCH_R_64F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t cungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"cungqrVBatch_bufferSize", 0}, XBATCH_C_32F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}
xbatchStatus_t zungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes) {
    return ungqr_buffer_size(handle, {"zungqrVBatch_bufferSize", 0}, XBATCH_C_64F,
                             {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, kMax}}, workspaceBytes);
}

xbatchStatus_t xgelsVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                           int64_t nMax, int64_t nrhsMax, int64_t batch, const int64_t *m, const int64_t *n,
                           const int64_t *nrhs, const void *const *A, int64_t ldaMax, const int64_t *lda,
                           void *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return gels(handle, {"xgelsVBatch", 1}, type, op,
                {batch, {m, mMax}, {n, nMax}, {nrhs, nrhsMax}, {A, {lda, ldaMax}}, {B, {ldb, ldbMax}}, info}, workspace,
                workspaceBytes);
}
xbatchStatus_t sgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const float *const *A, int64_t ldaMax, const int64_t *lda, float *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"sgelsVBatch", 0}, XBATCH_R_32F, op,
                {batch, {m, mMax}, {n, nMax}, {nrhs, nrhsMax}, {A, {lda, ldaMax}}, {B, {ldb, ldbMax}}, info}, workspace,
                workspaceBytes);
}
xbatchStatus_t dgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const double *const *A, int64_t ldaMax, const int64_t *lda, double *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"dgelsVBatch", 0}, XBATCH_R_64F, op,
                {batch, {m, mMax}, {n, nMax}, {nrhs, nrhsMax}, {A, {lda, ldaMax}}, {B, {ldb, ldbMax}}, info}, workspace,
                workspaceBytes);
}
xbatchStatus_t cgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexFloat_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gels(handle, {"cgelsVBatch", 0}, XBATCH_C_32F, op,
                {batch, {m, mMax}, {n, nMax}, {nrhs, nrhsMax}, {A, {lda, ldaMax}}, {B, {ldb, ldbMax}}, info}, workspace,
                workspaceBytes);
}
xbatchStatus_t zgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexDouble_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return gels(handle, {"zgelsVBatch", 0}, XBATCH_C_64F, op,
                {batch, {m, mMax}, {n, nMax}, {nrhs, nrhsMax}, {A, {lda, ldaMax}}, {B, {ldb, ldbMax}}, info}, workspace,
                workspaceBytes);
}

xbatchStatus_t xgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                                      int64_t nMax, int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"xgelsVBatch_bufferSize", 1}, type, op,
                            {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, nrhsMax}}, workspaceBytes);
}
xbatchStatus_t sgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"sgelsVBatch_bufferSize", 0}, XBATCH_R_32F, op,
                            {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, nrhsMax}}, workspaceBytes);
}
xbatchStatus_t dgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"dgelsVBatch_bufferSize", 0}, XBATCH_R_64F, op,
                            {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, nrhsMax}}, workspaceBytes);
}
xbatchStatus_t cgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"cgelsVBatch_bufferSize", 0}, XBATCH_C_32F, op,
                            {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, nrhsMax}}, workspaceBytes);
}
xbatchStatus_t zgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"zgelsVBatch_bufferSize", 0}, XBATCH_C_64F, op,
                            {batch, {nullptr, mMax}, {nullptr, nMax}, {nullptr, nrhsMax}}, workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
