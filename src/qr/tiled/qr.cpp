// qr.cpp: C entries of qr.h: checks, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr.hpp"

#include <cstring>

#include "core/call.hpp"
#include "core/dispatch.hpp"
#include "schedule.hpp"

namespace xbatch::qr {
namespace {

constexpr Table<FactorProblem> factor_table{{XBATCH_ROW(geqrt_host), XBATCH_CUDA_ROW(geqrt_cuda)}};
constexpr Table<ApplyProblem> apply_table{{XBATCH_ROW(gemqrt_host), XBATCH_CUDA_ROW(gemqrt_cuda)}};
constexpr Table<LeastSquaresProblem> least_squares_table{{XBATCH_ROW(gels_host), XBATCH_CUDA_ROW(gels_cuda)}};

bool is_complex_type(xbatchDataType_t type) { return type == XBATCH_C_32F || type == XBATCH_C_64F; }

void check_config(Call &call, int position, const xbatchTiledConfig_t *config) {
    if (!config) return;
    call.at_least(position, "config->nb", config->nb, nullptr, 1);
    call.at_least(position, "config->mb", config->mb, "config->nb", config->nb);
    if (!call.failed())
        call.require(position, "config->mb", config->mb % config->nb == 0, "must be a multiple of config->nb");
    call.at_least(position, "config->ib", config->ib, nullptr, 1);
    call.at_most(position, "config->ib", config->ib, config->nb, "as config->nb");
    call.at_least(position, "config->domain", config->domain, nullptr, 1);
    call.one_of(position, "config->tree", config->tree, XBATCH_TREE_DOMAINS);
}
Tiling tiling_for(const Context &context, xbatchDataType_t type, int64_t m, int64_t k,
                  const xbatchTiledConfig_t *config) {
    return tiling_of(m, k, config ? *config : default_config(context, type, m, k));
}
// The tasks, which are numbered by 32 bits; and the tiles, where they must fit a GPU
void check_tasks(Call &call, const Context &context, int position, xbatchDataType_t type, const QrJob &job) {
    if (call.failed()) return;
    const double panels = double(job.tiling.panels()), columns = panels + double(job.others);
    call.require(position, "config", double(job.tiling.tiles()) * panels * columns < 2147483647.0,
                 "must not cut the matrix into more than 2147483647 tasks");
    if (context.backend != XBATCH_BACKEND_CUDA) return;
    const xbatchTiledConfig_t &config = job.tiling.config;
    call.supported(position, "config->mb", config.mb <= largest_device_tile(context, type),
                   "has more rows than a GPU's shared memory");
    call.supported(position, "config->ib", config.ib <= largest_device_block, "has more than a GPU's 32 columns");
}
// A matrix of the caller's
void check_matrix(Call &call, int position, const char *name, int64_t ld, const char *rows_name, int64_t rows,
                  int64_t columns, xbatchDataType_t type) {
    call.at_least(position, name, ld, rows_name, rows);
    call.at_least(position, name, ld, nullptr, 1);
    call.extent(position, name, ld, std::max<int64_t>(columns, 1), 1, element_size(type));
}
// What T holds is read here on the host alone.
void check_triangles(Call &call, const Context &context, int position, xbatchDataType_t type, const Tiling &tiling,
                     const void *t) {
    call.not_null(position, "T", t);
    call.aligned(position, "T", t, 16);
    if (call.failed() || context.backend == XBATCH_BACKEND_CUDA) return;
    const TriangleHeader expected = TriangleHeader::of(type, tiling);
    call.require(position, "T", std::memcmp(t, &expected, sizeof expected) == 0,
                 "must be what xgeqrtTiled wrote for this shape, type and configuration");
}

struct FactorShape {
    xbatchDataType_t type;
    int64_t m, n;
    const xbatchTiledConfig_t *config;

    FactorProblem problem(const Context &context, void *a, int64_t lda, void *t, int32_t *info) const {
        return {tiling_for(context, type, m, std::min(m, n), config), n, a, lda, t, info};
    }
    bool is_empty() const { return m == 0 || n == 0; }
};

void check_shape(Call &call, const Context &context, const FactorShape &s) {
    call.type(s.type);
    if (call.failed()) return;
    call.at_least(1, "m", s.m, nullptr, 0);
    call.at_least(2, "n", s.n, nullptr, 0);
    check_config(call, 3, s.config);
    call.extent(1, "m", s.m, std::max<int64_t>(s.n, 1), 1, 4 * element_size(s.type));
    if (call.failed() || s.is_empty()) return;
    const FactorProblem p = s.problem(context, nullptr, 0, nullptr, nullptr);
    check_tasks(call, context, 3, s.type, {p.tiling, (s.n - p.tiling.k) / p.tiling.config.nb + 1, true, true, false});
}

xbatchStatus_t geqrt(xbatchHandle_t handle, Caller caller, const FactorShape &s, void *a, int64_t lda, void *t,
                     int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        if (!call.failed()) check_matrix(call, 5, "lda", lda, "m", s.m, s.n, s.type);
        if (call.failed() || s.is_empty()) return call.status();
        const FactorProblem p = s.problem(context, a, lda, t, info);
        call.not_null(4, "A", a);
        call.not_null(6, "T", t);
        call.aligned(6, "T", t, 16);
        if (!call.failed()) call.workspace(8, workspace, workspaceBytes, factor_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: m = %lld, n = %lld, mb = %lld, nb = %lld, ib = %lld, tree = %d", caller.name,
                 (long long)s.m, (long long)s.n, (long long)p.tiling.config.mb, (long long)p.tiling.config.nb,
                 (long long)p.tiling.config.ib, int(p.tiling.config.tree));
        return factor_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t geqrt_buffer_size(xbatchHandle_t handle, Caller caller, const FactorShape &s, size_t *tBytes,
                                 size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        call.not_null(4, "tBytes", tBytes);
        call.not_null(5, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const FactorProblem p = s.problem(context, nullptr, 0, nullptr, nullptr);
        const size_t bytes_of_t = s.is_empty() ? 0 : triangle_bytes(s.type, p.tiling);
        return call.answer(4, "tBytes", tBytes, bytes_of_t, workspaceBytes,
                           s.is_empty() ? 0 : factor_table.workspace(context, s.type, p));
    });
}

struct ApplyShape {
    xbatchDataType_t type;
    xbatchSide_t side;
    xbatchOperation_t op;
    int64_t m, n, k;
    const xbatchTiledConfig_t *config;

    bool is_right() const { return side == XBATCH_SIDE_RIGHT; }
    bool is_empty() const { return m == 0 || n == 0; }
    int64_t order() const { return is_right() ? n : m; }  // of Q
    ApplyProblem problem(const Context &context, const void *a, int64_t lda, const void *t, void *c, int64_t ldc,
                         int32_t *info) const {
        const bool is_adjoint = (op != XBATCH_OP_N) != is_right();  // C Q = (Q^H C^H)^H
        return {tiling_for(context, type, order(), k, config),
                is_adjoint,
                is_right(),
                false,
                is_right() ? m : n,
                a,
                lda,
                t,
                c,
                ldc,
                info};
    }
};

void check_shape(Call &call, const Context &context, const ApplyShape &s) {
    call.type(s.type);
    if (call.failed()) return;
    call.one_of(1, "side", s.side, XBATCH_SIDE_RIGHT);
    call.one_of(2, "op", s.op, XBATCH_OP_C);
    if (!call.failed() && is_complex_type(s.type))
        call.require(2, "op", s.op != XBATCH_OP_T, "must be N or C where Q is complex");
    call.at_least(3, "m", s.m, nullptr, 0);
    call.at_least(4, "n", s.n, nullptr, 0);
    call.at_least(5, "k", s.k, nullptr, 0);
    call.at_most(5, "k", s.k, s.order(), s.is_right() ? "as n" : "as m");
    check_config(call, 6, s.config);
    call.extent(3, "m", s.m, std::max<int64_t>(s.n, 1), 1, 4 * element_size(s.type));
    call.extent(5, "k", s.k, std::max<int64_t>(s.order(), 1), 1, 4 * element_size(s.type));
    if (call.failed() || s.is_empty() || s.k == 0) return;
    const ApplyProblem p = s.problem(context, nullptr, 0, nullptr, nullptr, 0, nullptr);
    check_tasks(call, context, 6, s.type, {p.tiling, p.columns / p.tiling.config.nb + 1, false, true, false});
}

xbatchStatus_t gemqrt(xbatchHandle_t handle, Caller caller, const ApplyShape &s, const void *a, int64_t lda,
                      const void *t, void *c, int64_t ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        if (!call.failed()) check_matrix(call, 8, "lda", lda, s.is_right() ? "n" : "m", s.order(), s.k, s.type);
        if (!call.failed()) check_matrix(call, 11, "ldc", ldc, "m", s.m, s.n, s.type);
        if (call.failed() || s.is_empty() || s.k == 0) return call.status();
        const ApplyProblem p = s.problem(context, a, lda, t, c, ldc, info);
        call.not_null(7, "A", a);
        check_triangles(call, context, 9, s.type, p.tiling, t);
        call.not_null(10, "C", c);
        if (!call.failed()) call.workspace(13, workspace, workspaceBytes, apply_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: side = %d, op = %d, m = %lld, n = %lld, k = %lld", caller.name, int(s.side), int(s.op),
                 (long long)s.m, (long long)s.n, (long long)s.k);
        return apply_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t gemqrt_buffer_size(xbatchHandle_t handle, Caller caller, const ApplyShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        call.not_null(7, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const ApplyProblem p = s.problem(context, nullptr, 0, nullptr, nullptr, 0, nullptr);
        return call.answer(7, "workspaceBytes", workspaceBytes,
                           s.is_empty() || s.k == 0 ? 0 : apply_table.workspace(context, s.type, p));
    });
}

struct FormShape {
    xbatchDataType_t type;
    int64_t m, n, k;
    const xbatchTiledConfig_t *config;

    bool is_empty() const { return m == 0 || n == 0; }
    ApplyProblem problem(const Context &context, const void *a, int64_t lda, const void *t, void *q, int64_t ldq,
                         int32_t *info) const {
        return {tiling_for(context, type, m, k, config), false, false, true, n, a, lda, t, q, ldq, info};
    }
};

void check_shape(Call &call, const Context &context, const FormShape &s) {
    call.type(s.type);
    if (call.failed()) return;
    call.at_least(1, "m", s.m, nullptr, 0);
    call.at_least(2, "n", s.n, nullptr, 0);
    call.at_most(2, "n", s.n, s.m, "as m");
    call.at_least(3, "k", s.k, nullptr, 0);
    call.at_most(3, "k", s.k, s.n, "as n");
    check_config(call, 4, s.config);
    call.extent(1, "m", s.m, std::max<int64_t>(s.n, 1), 1, 4 * element_size(s.type));
    if (call.failed() || s.is_empty()) return;
    const ApplyProblem p = s.problem(context, nullptr, 0, nullptr, nullptr, 0, nullptr);
    check_tasks(call, context, 4, s.type, {p.tiling, p.columns / p.tiling.config.nb + 1, false, true, false});
}

xbatchStatus_t ungqrt(xbatchHandle_t handle, Caller caller, const FormShape &s, const void *a, int64_t lda,
                      const void *t, void *q, int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        if (!call.failed()) check_matrix(call, 6, "lda", lda, "m", s.m, s.k, s.type);
        if (!call.failed()) check_matrix(call, 9, "ldq", ldq, "m", s.m, s.n, s.type);
        if (call.failed() || s.is_empty()) return call.status();
        const ApplyProblem p = s.problem(context, a, lda, t, q, ldq, info);
        if (s.k > 0) call.not_null(5, "A", a);
        if (s.k > 0) check_triangles(call, context, 7, s.type, p.tiling, t);
        call.not_null(8, "Q", q);
        if (!call.failed()) call.workspace(11, workspace, workspaceBytes, apply_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: m = %lld, n = %lld, k = %lld", caller.name, (long long)s.m, (long long)s.n,
                 (long long)s.k);
        return apply_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t ungqrt_buffer_size(xbatchHandle_t handle, Caller caller, const FormShape &s, size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        call.not_null(5, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const ApplyProblem p = s.problem(context, nullptr, 0, nullptr, nullptr, 0, nullptr);
        return call.answer(5, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : apply_table.workspace(context, s.type, p));
    });
}

struct LeastSquaresShape {
    xbatchDataType_t type;
    xbatchOperation_t op;
    int64_t m, n, nrhs;
    const xbatchTiledConfig_t *config;

    bool is_empty() const { return m == 0 || n == 0 || nrhs == 0; }
    LeastSquaresProblem problem(const Context &context, void *a, int64_t lda, void *b, int64_t ldb,
                                int32_t *info) const {
        const bool is_wide = m < n;
        return {tiling_for(context, type, std::max(m, n), std::min(m, n), config),
                is_wide,
                is_wide == (op == XBATCH_OP_N),
                nrhs,
                a,
                lda,
                b,
                ldb,
                info};
    }
};

void check_shape(Call &call, const Context &context, const LeastSquaresShape &s) {
    call.type(s.type);
    if (call.failed()) return;
    call.one_of(1, "op", s.op, XBATCH_OP_C);
    if (!call.failed() && is_complex_type(s.type))
        call.require(1, "op", s.op != XBATCH_OP_T, "must be N or C where A is complex");
    call.at_least(2, "m", s.m, nullptr, 0);
    call.at_least(3, "n", s.n, nullptr, 0);
    call.at_least(4, "nrhs", s.nrhs, nullptr, 0);
    check_config(call, 5, s.config);
    const int64_t size = 8 * element_size(s.type);
    call.extent(2, "m", s.m, std::max<int64_t>(s.n, 1), 1, size);
    call.extent(4, "nrhs", s.nrhs, std::max<int64_t>({s.m, s.n, 1}), 1, size);
    if (call.failed() || s.is_empty()) return;
    const LeastSquaresProblem p = s.problem(context, nullptr, 0, nullptr, 0, nullptr);
    check_tasks(call, context, 5, s.type, {p.tiling, s.nrhs / p.tiling.config.nb + 1, true, true, false});
}

xbatchStatus_t gels(xbatchHandle_t handle, Caller caller, const LeastSquaresShape &s, void *a, int64_t lda, void *b,
                    int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        if (!call.failed()) check_matrix(call, 7, "lda", lda, "m", s.m, s.n, s.type);
        if (!call.failed()) check_matrix(call, 9, "ldb", ldb, "max(m, n)", std::max(s.m, s.n), s.nrhs, s.type);
        if (call.failed() || s.is_empty()) return call.status();
        const LeastSquaresProblem p = s.problem(context, a, lda, b, ldb, info);
        call.not_null(6, "A", a);
        call.not_null(8, "B", b);
        if (!call.failed())
            call.workspace(11, workspace, workspaceBytes, least_squares_table.workspace(context, s.type, p));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: op = %d, m = %lld, n = %lld, nrhs = %lld", caller.name, int(s.op), (long long)s.m,
                 (long long)s.n, (long long)s.nrhs);
        return least_squares_table.run(context, s.type, p, workspace);
    });
}
xbatchStatus_t gels_buffer_size(xbatchHandle_t handle, Caller caller, const LeastSquaresShape &s,
                                size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, context, s);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const LeastSquaresProblem p = s.problem(context, nullptr, 0, nullptr, 0, nullptr);
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           s.is_empty() ? 0 : least_squares_table.workspace(context, s.type, p));
    });
}

}  // namespace

size_t triangle_bytes(xbatchDataType_t type, const Tiling &t) {
    return sizeof(TriangleHeader) + size_t(counted_product(t.triangles(), t.triangle_elements(), element_size(type)));
}

}  // namespace xbatch::qr

using namespace xbatch;
using namespace xbatch::qr;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xgeqrtTiled_defaults(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                    xbatchTiledConfig_t *config) {
    return guarded(handle, {"xgeqrtTiled_defaults", 1}, [&](Context &context, Call &call) {
        call.type(type);
        call.at_least(1, "m", m, nullptr, 0);
        call.at_least(2, "n", n, nullptr, 0);
        call.not_null(3, "config", config);
        if (!call.failed()) *config = default_config(context, type, m, std::min(m, n));
        return call.status();
    });
}

xbatchStatus_t xgeqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                           const xbatchTiledConfig_t *config, void *A, int64_t lda, void *T, int32_t *info,
                           void *workspace, size_t workspaceBytes) {
    return geqrt(handle, {"xgeqrtTiled", 1}, {type, m, n, config}, A, lda, T, info, workspace, workspaceBytes);
}
xbatchStatus_t sgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config, float *A,
                           int64_t lda, void *T, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrt(handle, {"sgeqrtTiled", 0}, {XBATCH_R_32F, m, n, config}, A, lda, T, info, workspace, workspaceBytes);
}
xbatchStatus_t dgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config, double *A,
                           int64_t lda, void *T, int32_t *info, void *workspace, size_t workspaceBytes) {
    return geqrt(handle, {"dgeqrtTiled", 0}, {XBATCH_R_64F, m, n, config}, A, lda, T, info, workspace, workspaceBytes);
}
xbatchStatus_t cgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                           xbatchComplexFloat_t *A, int64_t lda, void *T, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return geqrt(handle, {"cgeqrtTiled", 0}, {XBATCH_C_32F, m, n, config}, A, lda, T, info, workspace, workspaceBytes);
}
xbatchStatus_t zgeqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                           xbatchComplexDouble_t *A, int64_t lda, void *T, int32_t *info, void *workspace,
                           size_t workspaceBytes) {
    return geqrt(handle, {"zgeqrtTiled", 0}, {XBATCH_C_64F, m, n, config}, A, lda, T, info, workspace, workspaceBytes);
}

xbatchStatus_t xgeqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                                      const xbatchTiledConfig_t *config, size_t *tBytes, size_t *workspaceBytes) {
    return geqrt_buffer_size(handle, {"xgeqrtTiled_bufferSize", 1}, {type, m, n, config}, tBytes, workspaceBytes);
}
xbatchStatus_t sgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes) {
    return geqrt_buffer_size(handle, {"sgeqrtTiled_bufferSize", 0}, {XBATCH_R_32F, m, n, config}, tBytes,
                             workspaceBytes);
}
xbatchStatus_t dgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes) {
    return geqrt_buffer_size(handle, {"dgeqrtTiled_bufferSize", 0}, {XBATCH_R_64F, m, n, config}, tBytes,
                             workspaceBytes);
}
xbatchStatus_t cgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes) {
    return geqrt_buffer_size(handle, {"cgeqrtTiled_bufferSize", 0}, {XBATCH_C_32F, m, n, config}, tBytes,
                             workspaceBytes);
}
xbatchStatus_t zgeqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, const xbatchTiledConfig_t *config,
                                      size_t *tBytes, size_t *workspaceBytes) {
    return geqrt_buffer_size(handle, {"zgeqrtTiled_bufferSize", 0}, {XBATCH_C_64F, m, n, config}, tBytes,
                             workspaceBytes);
}

xbatchStatus_t xgemqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config, const void *A,
                            int64_t lda, const void *T, void *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return gemqrt(handle, {"xgemqrtTiled", 1}, {type, side, op, m, n, k, config}, A, lda, T, C, ldc, info, workspace,
                  workspaceBytes);
}
xbatchStatus_t sgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const float *A, int64_t lda, const void *T,
                            float *C, int64_t ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gemqrt(handle, {"sgemqrtTiled", 0}, {XBATCH_R_32F, side, op, m, n, k, config}, A, lda, T, C, ldc, info,
                  workspace, workspaceBytes);
}
xbatchStatus_t dgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const double *A, int64_t lda, const void *T,
                            double *C, int64_t ldc, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gemqrt(handle, {"dgemqrtTiled", 0}, {XBATCH_R_64F, side, op, m, n, k, config}, A, lda, T, C, ldc, info,
                  workspace, workspaceBytes);
}
xbatchStatus_t cgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const xbatchComplexFloat_t *A, int64_t lda,
                            const void *T, xbatchComplexFloat_t *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return gemqrt(handle, {"cgemqrtTiled", 0}, {XBATCH_C_32F, side, op, m, n, k, config}, A, lda, T, C, ldc, info,
                  workspace, workspaceBytes);
}
xbatchStatus_t zgemqrtTiled(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m, int64_t n,
                            int64_t k, const xbatchTiledConfig_t *config, const xbatchComplexDouble_t *A, int64_t lda,
                            const void *T, xbatchComplexDouble_t *C, int64_t ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes) {
    return gemqrt(handle, {"zgemqrtTiled", 0}, {XBATCH_C_64F, side, op, m, n, k, config}, A, lda, T, C, ldc, info,
                  workspace, workspaceBytes);
}

xbatchStatus_t xgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return gemqrt_buffer_size(handle, {"xgemqrtTiled_bufferSize", 1}, {type, side, op, m, n, k, config},
                              workspaceBytes);
}
xbatchStatus_t sgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                                       size_t *workspaceBytes) {
    return gemqrt_buffer_size(handle, {"sgemqrtTiled_bufferSize", 0}, {XBATCH_R_32F, side, op, m, n, k, config},
                              workspaceBytes);
}
xbatchStatus_t dgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                                       size_t *workspaceBytes) {
    return gemqrt_buffer_size(handle, {"dgemqrtTiled_bufferSize", 0}, {XBATCH_R_64F, side, op, m, n, k, config},
                              workspaceBytes);
}
xbatchStatus_t cgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                                       size_t *workspaceBytes) {
    return gemqrt_buffer_size(handle, {"cgemqrtTiled_bufferSize", 0}, {XBATCH_C_32F, side, op, m, n, k, config},
                              workspaceBytes);
}
xbatchStatus_t zgemqrtTiled_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t m,
                                       int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                                       size_t *workspaceBytes) {
    return gemqrt_buffer_size(handle, {"zgemqrtTiled_bufferSize", 0}, {XBATCH_C_64F, side, op, m, n, k, config},
                              workspaceBytes);
}

xbatchStatus_t xungqrtTiled(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                            const xbatchTiledConfig_t *config, const void *A, int64_t lda, const void *T, void *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes) {
    return ungqrt(handle, {"xungqrtTiled", 1}, {type, m, n, k, config}, A, lda, T, Q, ldq, info, workspace,
                  workspaceBytes);
}
xbatchStatus_t sungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const float *A, int64_t lda, const void *T, float *Q, int64_t ldq, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqrt(handle, {"sungqrtTiled", 0}, {XBATCH_R_32F, m, n, k, config}, A, lda, T, Q, ldq, info, workspace,
                  workspaceBytes);
}
xbatchStatus_t dungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const double *A, int64_t lda, const void *T, double *Q, int64_t ldq, int32_t *info,
                            void *workspace, size_t workspaceBytes) {
    return ungqrt(handle, {"dungqrtTiled", 0}, {XBATCH_R_64F, m, n, k, config}, A, lda, T, Q, ldq, info, workspace,
                  workspaceBytes);
}
xbatchStatus_t cungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const xbatchComplexFloat_t *A, int64_t lda, const void *T, xbatchComplexFloat_t *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes) {
    return ungqrt(handle, {"cungqrtTiled", 0}, {XBATCH_C_32F, m, n, k, config}, A, lda, T, Q, ldq, info, workspace,
                  workspaceBytes);
}
xbatchStatus_t zungqrtTiled(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                            const xbatchComplexDouble_t *A, int64_t lda, const void *T, xbatchComplexDouble_t *Q,
                            int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes) {
    return ungqrt(handle, {"zungqrtTiled", 0}, {XBATCH_C_64F, m, n, k, config}, A, lda, T, Q, ldq, info, workspace,
                  workspaceBytes);
}

xbatchStatus_t xungqrtTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return ungqrt_buffer_size(handle, {"xungqrtTiled_bufferSize", 1}, {type, m, n, k, config}, workspaceBytes);
}
xbatchStatus_t sungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return ungqrt_buffer_size(handle, {"sungqrtTiled_bufferSize", 0}, {XBATCH_R_32F, m, n, k, config}, workspaceBytes);
}
xbatchStatus_t dungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return ungqrt_buffer_size(handle, {"dungqrtTiled_bufferSize", 0}, {XBATCH_R_64F, m, n, k, config}, workspaceBytes);
}
xbatchStatus_t cungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return ungqrt_buffer_size(handle, {"cungqrtTiled_bufferSize", 0}, {XBATCH_C_32F, m, n, k, config}, workspaceBytes);
}
xbatchStatus_t zungqrtTiled_bufferSize(xbatchHandle_t handle, int64_t m, int64_t n, int64_t k,
                                       const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return ungqrt_buffer_size(handle, {"zungqrtTiled_bufferSize", 0}, {XBATCH_C_64F, m, n, k, config}, workspaceBytes);
}

xbatchStatus_t xgelsTiled(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m, int64_t n,
                          int64_t nrhs, const xbatchTiledConfig_t *config, void *A, int64_t lda, void *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"xgelsTiled", 1}, {type, op, m, n, nrhs, config}, A, lda, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t sgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, float *A, int64_t lda, float *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"sgelsTiled", 0}, {XBATCH_R_32F, op, m, n, nrhs, config}, A, lda, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t dgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, double *A, int64_t lda, double *B, int64_t ldb,
                          int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"dgelsTiled", 0}, {XBATCH_R_64F, op, m, n, nrhs, config}, A, lda, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t cgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, xbatchComplexFloat_t *A, int64_t lda,
                          xbatchComplexFloat_t *B, int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    return gels(handle, {"cgelsTiled", 0}, {XBATCH_C_32F, op, m, n, nrhs, config}, A, lda, B, ldb, info, workspace,
                workspaceBytes);
}
xbatchStatus_t zgelsTiled(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                          const xbatchTiledConfig_t *config, xbatchComplexDouble_t *A, int64_t lda,
                          xbatchComplexDouble_t *B, int64_t ldb, int32_t *info, void *workspace,
                          size_t workspaceBytes) {
    return gels(handle, {"zgelsTiled", 0}, {XBATCH_C_64F, op, m, n, nrhs, config}, A, lda, B, ldb, info, workspace,
                workspaceBytes);
}

xbatchStatus_t xgelsTiled_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                                     int64_t n, int64_t nrhs, const xbatchTiledConfig_t *config,
                                     size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"xgelsTiled_bufferSize", 1}, {type, op, m, n, nrhs, config}, workspaceBytes);
}
xbatchStatus_t sgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"sgelsTiled_bufferSize", 0}, {XBATCH_R_32F, op, m, n, nrhs, config},
                            workspaceBytes);
}
xbatchStatus_t dgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"dgelsTiled_bufferSize", 0}, {XBATCH_R_64F, op, m, n, nrhs, config},
                            workspaceBytes);
}
xbatchStatus_t cgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"cgelsTiled_bufferSize", 0}, {XBATCH_C_32F, op, m, n, nrhs, config},
                            workspaceBytes);
}
xbatchStatus_t zgelsTiled_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs,
                                     const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return gels_buffer_size(handle, {"zgelsTiled_bufferSize", 0}, {XBATCH_C_64F, op, m, n, nrhs, config},
                            workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
