// qr.cpp: the calls of qr.h: their checks, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr.hpp"

#include <cstring>

#include "api/entries.hpp"
#include "qr/common/checks.hpp"
#include "schedule.hpp"

namespace xbatch::qr {
namespace {

constexpr Table<FactorProblem> factor_table{{XBATCH_ROW(geqrt_host), XBATCH_CUDA_ROW(geqrt_cuda)}};
constexpr Table<ApplyProblem> apply_table{{XBATCH_ROW(gemqrt_host), XBATCH_CUDA_ROW(gemqrt_cuda)}};
constexpr Table<LeastSquaresProblem> least_squares_table{{XBATCH_ROW(gels_host), XBATCH_CUDA_ROW(gels_cuda)}};

size_t triangle_bytes(xbatchDataType_t type, const Tiling &t) {
    return sizeof(TriangleHeader) + size_t(counted_product(t.triangles(), t.triangle_elements(), element_size(type)));
}

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
// Records the configuration, also one that the caller did not give
void record_config(Call &call, const xbatchTiledConfig_t &config) {
    call.record("config->nb", config.nb);
    call.record("config->mb", config.mb);
    call.record("config->ib", config.ib);
    call.record("config->domain", config.domain);
    call.record("config->tree", config.tree);
}
Tiling tiling_for(const Context &context, xbatchDataType_t type, int64_t m, int64_t k,
                  const xbatchTiledConfig_t *config) {
    return tiling_of(m, k, config ? *config : default_config(context, type, m, k));
}
// Tasks are numbered by 32 bits; tiles must fit a GPU's shared memory.
void check_tasks(Call &call, const Context &context, int position, xbatchDataType_t type, const QrJob &job) {
    if (call.failed()) return;
    record_config(call, job.tiling.config);
    const double panels = double(job.tiling.panels()), columns = panels + double(job.others);
    call.require(position, "config", double(job.tiling.tiles()) * panels * columns < 2147483647.0,
                 "must not cut the matrix into more than 2147483647 tasks");
    if (context.backend != XBATCH_BACKEND_CUDA) return;
    const xbatchTiledConfig_t &config = job.tiling.config;
    call.supported(position, "config->mb", config.mb <= largest_device_tile(context, type),
                   "has more rows than a GPU's shared memory");
    call.supported(position, "config->ib", config.ib <= largest_device_block, "has more than a GPU's 32 columns");
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

    void check(Call &call, const Context &context) const {
        call.type(type);
        call.count(1, "m", m);
        call.count(2, "n", n);
        check_config(call, 3, config);
        check_product(call, 1, "m", m, n, 1, type, 4);
        if (call.failed() || is_empty()) return;
        const Tiling tiling = problem(context).tiling;
        check_tasks(call, context, 3, type, {tiling, (n - tiling.k) / tiling.config.nb + 1, true, true, false});
    }
    bool is_empty() const { return m == 0 || n == 0; }
    FactorProblem problem(const Context &context) const {
        return {tiling_for(context, type, m, std::min(m, n), config), n, nullptr, 0, nullptr, nullptr};
    }
};

struct ApplyShape {
    xbatchDataType_t type;
    xbatchSide_t side;
    xbatchOperation_t op;
    int64_t m, n, k;
    const xbatchTiledConfig_t *config;

    void check(Call &call, const Context &context) const {
        call.type(type);
        check_multiply(call, 1, *this, own_sizes, "must be N or C where Q is complex");
        check_config(call, 6, config);
        check_product(call, 3, "m", m, n, 1, type, 4);
        check_product(call, 5, "k", k, order(), 1, type, 4);
        if (call.failed() || is_empty()) return;
        const ApplyProblem p = problem(context);
        check_tasks(call, context, 6, type, {p.tiling, p.columns / p.tiling.config.nb + 1, false, true, false});
    }
    bool is_right() const { return side == XBATCH_SIDE_RIGHT; }
    int64_t order() const { return is_right() ? n : m; }  // of Q
    bool is_empty() const { return m == 0 || n == 0 || k == 0; }
    ApplyProblem problem(const Context &context) const {
        ApplyProblem p{};
        p.tiling = tiling_for(context, type, order(), k, config);
        p.is_adjoint = (op != XBATCH_OP_N) != is_right();  // C Q = (Q^H C^H)^H
        p.is_right = is_right(), p.columns = is_right() ? m : n;
        return p;
    }
};

struct FormShape {
    xbatchDataType_t type;
    int64_t m, n, k;
    const xbatchTiledConfig_t *config;

    void check(Call &call, const Context &context) const {
        call.type(type);
        check_form(call, 1, *this, own_sizes);
        check_config(call, 4, config);
        check_product(call, 1, "m", m, n, 1, type, 4);
        if (call.failed() || is_empty()) return;
        const ApplyProblem p = problem(context);
        check_tasks(call, context, 4, type, {p.tiling, p.columns / p.tiling.config.nb + 1, false, true, false});
    }
    bool is_empty() const { return m == 0 || n == 0; }
    ApplyProblem problem(const Context &context) const {
        ApplyProblem p{};
        p.tiling = tiling_for(context, type, m, k, config), p.forms_q = true, p.columns = n;
        return p;
    }
};

struct LeastSquaresShape {
    xbatchDataType_t type;
    xbatchOperation_t op;
    int64_t m, n, nrhs;
    const xbatchTiledConfig_t *config;

    void check(Call &call, const Context &context) const {
        call.type(type);
        check_op(call, 1, type, op, "must be N or C where A is complex");
        call.count(2, "m", m);
        call.count(3, "n", n);
        call.count(4, "nrhs", nrhs);
        check_config(call, 5, config);
        check_product(call, 2, "m", m, n, 1, type);
        check_product(call, 4, "nrhs", nrhs, std::max(m, n), 1, type);
        if (call.failed() || is_empty()) return;
        const Tiling tiling = problem(context).tiling;
        check_tasks(call, context, 5, type, {tiling, nrhs / tiling.config.nb + 1, true, true, false});
    }
    bool is_empty() const { return m == 0 || n == 0 || nrhs == 0; }
    LeastSquaresProblem problem(const Context &context) const {
        LeastSquaresProblem p{};
        p.tiling = tiling_for(context, type, std::max(m, n), std::min(m, n), config);
        p.copies_adjoint = m < n, p.is_least_norm = (m < n) == (op == XBATCH_OP_N), p.nrhs = nrhs;
        return p;
    }
};

}  // namespace

xbatchStatus_t geqrt_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t m, int64_t n,
                                 const xbatchTiledConfig_t *config, size_t *tBytes, size_t *workspaceBytes) {
    const auto bytes_of = [&](const Context &, const FactorProblem &p) { return triangle_bytes(type, p.tiling); };
    return query(handle, caller, factor_table, FactorShape{type, m, n, config}, 4, "tBytes", tBytes, bytes_of,
                 workspaceBytes);
}

xbatchStatus_t geqrt(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t m, int64_t n,
                     const xbatchTiledConfig_t *config, void *A, int64_t lda, void *T, int32_t *info, void *workspace,
                     size_t workspaceBytes) {
    const auto sizes = [&](Call &call) { check_ld(call, 5, "lda", lda, "m", m, n, type); };
    const auto data = [&](Call &call, const Context &, FactorProblem &p) {
        call.not_null(4, "A", A);
        call.not_null(6, "T", T);
        call.aligned(6, "T", T, 16);
        p.a = A, p.lda = lda, p.t = T, p.info = info;
    };
    return solve(handle, caller, factor_table, FactorShape{type, m, n, config}, {8, workspace, workspaceBytes}, sizes,
                 data);
}

xbatchStatus_t gemqrt_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                                  xbatchOperation_t op, int64_t m, int64_t n, int64_t k,
                                  const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return query(handle, caller, apply_table, ApplyShape{type, side, op, m, n, k, config}, 7, workspaceBytes);
}

xbatchStatus_t gemqrt(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchSide_t side,
                      xbatchOperation_t op, int64_t m, int64_t n, int64_t k, const xbatchTiledConfig_t *config,
                      const void *A, int64_t lda, const void *T, void *C, int64_t ldc, int32_t *info, void *workspace,
                      size_t workspaceBytes) {
    const ApplyShape shape{type, side, op, m, n, k, config};
    const auto sizes = [&](Call &call) {
        check_ld(call, 8, "lda", lda, shape.is_right() ? "n" : "m", shape.order(), k, type);
        check_ld(call, 11, "ldc", ldc, "m", m, n, type);
    };
    const auto data = [&](Call &call, const Context &context, ApplyProblem &p) {
        call.not_null(7, "A", A);
        check_triangles(call, context, 9, type, p.tiling, T);
        call.not_null(10, "C", C);
        p.a = A, p.lda = lda, p.t = T, p.c = C, p.ldc = ldc, p.info = info;
    };
    return solve(handle, caller, apply_table, shape, {13, workspace, workspaceBytes}, sizes, data);
}

xbatchStatus_t ungqrt_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t m, int64_t n,
                                  int64_t k, const xbatchTiledConfig_t *config, size_t *workspaceBytes) {
    return query(handle, caller, apply_table, FormShape{type, m, n, k, config}, 5, workspaceBytes);
}

xbatchStatus_t ungqrt(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, int64_t m, int64_t n, int64_t k,
                      const xbatchTiledConfig_t *config, const void *A, int64_t lda, const void *T, void *Q,
                      int64_t ldq, int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        check_ld(call, 6, "lda", lda, "m", m, k, type);
        check_ld(call, 9, "ldq", ldq, "m", m, n, type);
    };
    const auto data = [&](Call &call, const Context &context, ApplyProblem &p) {
        if (k > 0) call.not_null(5, "A", A);
        if (k > 0) check_triangles(call, context, 7, type, p.tiling, T);
        call.not_null(8, "Q", Q);
        p.a = A, p.lda = lda, p.t = T, p.c = Q, p.ldc = ldq, p.info = info;
    };
    return solve(handle, caller, apply_table, FormShape{type, m, n, k, config}, {11, workspace, workspaceBytes}, sizes,
                 data);
}

xbatchStatus_t gels_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchOperation_t op,
                                int64_t m, int64_t n, int64_t nrhs, const xbatchTiledConfig_t *config,
                                size_t *workspaceBytes) {
    return query(handle, caller, least_squares_table, LeastSquaresShape{type, op, m, n, nrhs, config}, 6,
                 workspaceBytes);
}

xbatchStatus_t gels(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchOperation_t op, int64_t m,
                    int64_t n, int64_t nrhs, const xbatchTiledConfig_t *config, void *A, int64_t lda, void *B,
                    int64_t ldb, int32_t *info, void *workspace, size_t workspaceBytes) {
    const auto sizes = [&](Call &call) {
        check_ld(call, 7, "lda", lda, "m", m, n, type);
        check_ld(call, 9, "ldb", ldb, "max(m, n)", std::max(m, n), nrhs, type);
    };
    const auto data = [&](Call &call, const Context &, LeastSquaresProblem &p) {
        call.not_null(6, "A", A);
        call.not_null(8, "B", B);
        p.a = A, p.lda = lda, p.b = B, p.ldb = ldb, p.info = info;
    };
    return solve(handle, caller, least_squares_table, LeastSquaresShape{type, op, m, n, nrhs, config},
                 {11, workspace, workspaceBytes}, sizes, data);
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
        call.count(1, "m", m);
        call.count(2, "n", n);
        call.not_null(3, "config", config);
        if (!call.failed()) *config = default_config(context, type, m, std::min(m, n));
        return call.status();
    });
}

}  // extern "C"
#pragma GCC visibility pop
