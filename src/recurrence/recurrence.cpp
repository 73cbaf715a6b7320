// recurrence.cpp: C entries of recurrence.h: checks, workspace, then the table.
// SPDX-License-Identifier: BSD-3-Clause
#include "recurrence.hpp"

#include "core/call.hpp"
#include "core/dispatch.hpp"
#include "xbatch/recurrence.h"

namespace xbatch::recurrence {
namespace {

constexpr Table<FolrProblem> table{{XBATCH_ROW(folr_host), XBATCH_CUDA_ROW(folr_cuda)}};

void check_shape(Call &call, xbatchDataType_t type, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                 int64_t nrhs, int64_t batch) {
    call.type(type);
    call.one_of(1, "layout", layout, XBATCH_LAYOUT_BLOCK_INTERLEAVED);
    call.one_of(2, "direction", direction, XBATCH_BACKWARD);
    call.at_least(3, "n", n, nullptr, 0);
    call.at_least(4, "nrhs", nrhs, nullptr, 0);
    call.at_least(5, "batch", batch, nullptr, 0);
    if (!call.failed()) call.extent(3, "n", n, nrhs, batch, element_size(type));
}

// s or t: an array (increment 1, ld as the layout asks or 0), or a constant (increment 0, any ld >= 0)
void check_operand(Call &call, int position, const char *const names[2], xbatchDataType_t type, xbatchLayout_t layout,
                   int64_t n, int64_t nrhs, int64_t batch, int64_t increment, int64_t ld) {
    call.one_of(position, names[0], increment, 1);
    if (call.failed()) return;
    if (increment == 1) {
        call.leading_dimension(position + 1, names[1], layout, ld, n, batch, true);
        if (ld != 0) call.batched_extent(position + 1, names[1], layout, n, nrhs, batch, ld, element_size(type));
    } else {
        call.at_least(position + 1, names[1], ld, nullptr, 0);
        call.extent(position + 1, names[1], ld, nrhs, batch, element_size(type));
    }
}

Placement operand(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t increment, int64_t ld) {
    if (increment == 0) return {XBATCH_LAYOUT_FLAT, n, nrhs, ld, 0, 0};
    if (ld == 0) return {XBATCH_LAYOUT_FLAT, n, nrhs, 0, 1, 0};
    return placement(layout, n, nrhs, batch, ld);
}

FolrProblem shape(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch) {
    return {layout, n, nrhs, batch, nullptr, nullptr, nullptr, nullptr, {}, {}, {}};
}

xbatchStatus_t folr_buffer_size(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                                xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch,
                                size_t *workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, layout, direction, n, nrhs, batch);
        call.not_null(6, "workspaceBytes", workspaceBytes);
        if (call.failed()) return call.status();
        const bool is_empty = n == 0 || nrhs == 0 || batch == 0;
        return call.answer(6, "workspaceBytes", workspaceBytes,
                           is_empty ? 0 : table.workspace(context, type, shape(layout, n, nrhs, batch)));
    });
}

xbatchStatus_t folr(xbatchHandle_t handle, Caller caller, xbatchDataType_t type, xbatchLayout_t layout,
                    xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch, const void *s, int64_t incs,
                    int64_t lds, const void *t, int64_t inct, int64_t ldt, const void *w0, void *w, int64_t ldw,
                    void *workspace, size_t workspaceBytes) {
    return guarded(handle, caller, [&](Context &context, Call &call) {
        check_shape(call, type, layout, direction, n, nrhs, batch);
        if (call.failed()) return call.status();
        static const char *const s_names[] = {"incs", "lds"}, *const t_names[] = {"inct", "ldt"};
        check_operand(call, 7, s_names, type, layout, n, 1, batch, incs, lds);
        check_operand(call, 10, t_names, type, layout, n, nrhs, batch, inct, ldt);
        call.leading_dimension(14, "ldw", layout, ldw, n, batch, false);
        call.batched_extent(14, "ldw", layout, n, nrhs, batch, ldw, element_size(type));
        if (call.failed() || n == 0 || nrhs == 0 || batch == 0) return call.status();
        call.not_null(6, "s", s);
        call.not_null(9, "t", t);
        call.not_null(13, "w", w);
        FolrProblem problem = shape(layout, n, nrhs, batch);
        call.workspace(15, workspace, workspaceBytes, table.workspace(context, type, problem));
        if (call.failed()) return call.status();
        log_line(LOG_CALLS, "%s: layout = %d, direction = %d, n = %lld, nrhs = %lld, batch = %lld", caller.name,
                 int(layout), int(direction), (long long)n, (long long)nrhs, (long long)batch);
        problem.s = s, problem.t = t, problem.w0 = w0, problem.w = w;
        problem.s_at = operand(layout, n, 1, batch, incs, lds);
        problem.t_at = operand(layout, n, nrhs, batch, inct, ldt);
        problem.w_at = placement(layout, n, nrhs, batch, ldw);
        if (direction == XBATCH_BACKWARD) {
            problem.s_at = reversed(problem.s_at);
            problem.t_at = reversed(problem.t_at);
            problem.w_at = reversed(problem.w_at);
        }
        return table.run(context, type, problem, workspace);
    });
}

}  // namespace
}  // namespace xbatch::recurrence

using xbatch::recurrence::folr;
using xbatch::recurrence::folr_buffer_size;

#pragma GCC visibility push(default)
extern "C" {

xbatchStatus_t xfolrPscheme(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                            xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch, const void *s,
                            int64_t incs, int64_t lds, const void *t, int64_t inct, int64_t ldt, const void *w0,
                            void *w, int64_t ldw, void *workspace, size_t workspaceBytes) {
    return folr(handle, {"xfolrPscheme", 1}, type, layout, direction, n, nrhs, batch, s, incs, lds, t, inct, ldt, w0, w,
                ldw, workspace, workspaceBytes);
}
xbatchStatus_t sfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const float *s, int64_t incs, int64_t lds, const float *t,
                            int64_t inct, int64_t ldt, const float *w0, float *w, int64_t ldw, void *workspace,
                            size_t workspaceBytes) {
    return folr(handle, {"sfolrPscheme", 0}, XBATCH_R_32F, layout, direction, n, nrhs, batch, s, incs, lds, t, inct,
                ldt, w0, w, ldw, workspace, workspaceBytes);
}
xbatchStatus_t dfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const double *s, int64_t incs, int64_t lds, const double *t,
                            int64_t inct, int64_t ldt, const double *w0, double *w, int64_t ldw, void *workspace,
                            size_t workspaceBytes) {
    return folr(handle, {"dfolrPscheme", 0}, XBATCH_R_64F, layout, direction, n, nrhs, batch, s, incs, lds, t, inct,
                ldt, w0, w, ldw, workspace, workspaceBytes);
}
xbatchStatus_t cfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *s, int64_t incs, int64_t lds,
                            const xbatchComplexFloat_t *t, int64_t inct, int64_t ldt, const xbatchComplexFloat_t *w0,
                            xbatchComplexFloat_t *w, int64_t ldw, void *workspace, size_t workspaceBytes) {
    return folr(handle, {"cfolrPscheme", 0}, XBATCH_C_32F, layout, direction, n, nrhs, batch, s, incs, lds, t, inct,
                ldt, w0, w, ldw, workspace, workspaceBytes);
}
xbatchStatus_t zfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *s, int64_t incs, int64_t lds,
                            const xbatchComplexDouble_t *t, int64_t inct, int64_t ldt, const xbatchComplexDouble_t *w0,
                            xbatchComplexDouble_t *w, int64_t ldw, void *workspace, size_t workspaceBytes) {
    return folr(handle, {"zfolrPscheme", 0}, XBATCH_C_64F, layout, direction, n, nrhs, batch, s, incs, lds, t, inct,
                ldt, w0, w, ldw, workspace, workspaceBytes);
}

xbatchStatus_t xfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                       xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch,
                                       size_t *workspaceBytes) {
    return folr_buffer_size(handle, {"xfolrPscheme_bufferSize", 1}, type, layout, direction, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t sfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return folr_buffer_size(handle, {"sfolrPscheme_bufferSize", 0}, XBATCH_R_32F, layout, direction, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t dfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return folr_buffer_size(handle, {"dfolrPscheme_bufferSize", 0}, XBATCH_R_64F, layout, direction, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t cfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return folr_buffer_size(handle, {"cfolrPscheme_bufferSize", 0}, XBATCH_C_32F, layout, direction, n, nrhs, batch,
                            workspaceBytes);
}
xbatchStatus_t zfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes) {
    return folr_buffer_size(handle, {"zfolrPscheme_bufferSize", 0}, XBATCH_C_64F, layout, direction, n, nrhs, batch,
                            workspaceBytes);
}

}  // extern "C"
#pragma GCC visibility pop
