/** @file recurrence.h
 * First-order linear recurrences over a batch or one long sequence. FOLR is the field's old name for them (Cray
 * SCILIB). SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_RECURRENCE_H
#define XBATCH_RECURRENCE_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** w_i = s_i w_{i-1} + t_i, i = 0 … n-1 (XBATCH_FORWARD), or w_i = s_i w_{i+1} + t_i, i = n-1 … 0 (XBATCH_BACKWARD),
 * for each system j and right-hand side r, by the P-scheme: every chunk of the sequence is condensed to one pair (S, T)
 * with w_last = S w_before + T (pre-computation), the pairs are chained (propagation), every chunk is evaluated from
 * its now known w_before (determination).
 *
 * Source: A. Wakatani, "Implementation and Evaluation of Recurrence Equation Solvers on GPGPU systems using
 * Rearrangement of Array Configurations", FUTURE COMPUTING 2012. Where the paper chains the pairs in a kernel of one
 * thread, here they are combined in a fixed tree in registers, within a block, and across blocks while the data stays
 * on the chip.
 *
 * - s  in. incs = 1: an array in `layout`, one sequence a system, leading dimension lds, lds = 0: one sequence `s[i]`
 *   for all systems. incs = 0: constant in i: the value of system j is `s[j*lds]`, lds >= 0, lds = 0: one value for
 *   all.
 * - t  in. inct = 1: an array in `layout` with nrhs, leading dimension ldt, ldt = 0: one sequence `t[i]` for all.
 *   inct = 0: constant in i: `t[(j*nrhs + r)*ldt]`, ldt >= 0.
 * - w0 [batch*nrhs] in: the state before the first step, w_{-1} or w_n, at `w0[j*nrhs + r]`; NULL means 0.
 * - w  out, in `layout` with nrhs, leading dimension ldw. w may be the same pointer as t if inct = 1 and ldw = ldt.
 * - Constraints: n, nrhs, batch >= 0; incs, inct 0 or 1; leading dimensions as types.h says, or as above.
 * - Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, INSUFFICIENT_WORKSPACE, NOT_SUPPORTED, ALLOC_FAILED,
 *   EXECUTION_FAILED.
 * - No info: nothing can fail. Inf and NaN run on as in the plain loop, within their own sequence.
 * - Accuracy: |w - w_exact| <= 8 eps (chunk + log2(chunks)) times the same recurrence over absolute values. S is
 *   carried with an exponent of its own, so that a product of many s_i neither overflows nor underflows where the loop
 *   would not.
 * - Workspace: 0 on the host, and on CUDA for a batch that keeps the device busy; otherwise below 1 % of w.
 * - Asynchronous on CUDA, capturable, bitwise reproducible. Since 0.1.0. */
xbatchStatus_t xfolrPscheme(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                            xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch, const void *s,
                            int64_t incs, int64_t lds, const void *t, int64_t inct, int64_t ldt, const void *w0,
                            void *w, int64_t ldw, void *workspace, size_t workspaceBytes);

/** xfolrPscheme for float. */
xbatchStatus_t sfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const float *s, int64_t incs, int64_t lds, const float *t,
                            int64_t inct, int64_t ldt, const float *w0, float *w, int64_t ldw, void *workspace,
                            size_t workspaceBytes);

/** xfolrPscheme for double. */
xbatchStatus_t dfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const double *s, int64_t incs, int64_t lds, const double *t,
                            int64_t inct, int64_t ldt, const double *w0, double *w, int64_t ldw, void *workspace,
                            size_t workspaceBytes);

/** xfolrPscheme for complex float. */
xbatchStatus_t cfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const xbatchComplexFloat_t *s, int64_t incs, int64_t lds,
                            const xbatchComplexFloat_t *t, int64_t inct, int64_t ldt, const xbatchComplexFloat_t *w0,
                            xbatchComplexFloat_t *w, int64_t ldw, void *workspace, size_t workspaceBytes);

/** xfolrPscheme for complex double. */
xbatchStatus_t zfolrPscheme(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction, int64_t n,
                            int64_t nrhs, int64_t batch, const xbatchComplexDouble_t *s, int64_t incs, int64_t lds,
                            const xbatchComplexDouble_t *t, int64_t inct, int64_t ldt, const xbatchComplexDouble_t *w0,
                            xbatchComplexDouble_t *w, int64_t ldw, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xfolrPscheme needs for this shape. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE. */
xbatchStatus_t xfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchLayout_t layout,
                                       xbatchDirection_t direction, int64_t n, int64_t nrhs, int64_t batch,
                                       size_t *workspaceBytes);

/** xfolrPscheme_bufferSize for float. */
xbatchStatus_t sfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xfolrPscheme_bufferSize for double. */
xbatchStatus_t dfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xfolrPscheme_bufferSize for complex float. */
xbatchStatus_t cfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

/** xfolrPscheme_bufferSize for complex double. */
xbatchStatus_t zfolrPscheme_bufferSize(xbatchHandle_t handle, xbatchLayout_t layout, xbatchDirection_t direction,
                                       int64_t n, int64_t nrhs, int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
