/** @file qr_vbatch.h
 * Many small QRs of different sizes, or anywhere in memory: the routines of qr_batch.h for arrays of pointers.
 *
 * Matrix j of an argument A is column-major and begins at A[j]: its element (i, c) is at A[j][c*lda_j + i]. Its factors
 * tau are at tau[j][i]. No two matrices may overlap, nor may arguments. The arrays of pointers, of sizes and of leading
 * dimensions have batch entries and lie where the matrices do: on CUDA, which reads them when the work is done, on the
 * device. The pointer to a matrix without elements is not used.
 *
 * A size is given twice: by value the largest of the batch, and as an array of each matrix's own, which may be NULL:
 * then all have the largest; so are leading dimensions. Matrices of one size have NULL for every one of these arrays.
 *
 * info [batch] out, may be NULL: as in qr_batch.h, 0 where a matrix has nothing to be worked on; or the first of these
 * that is wrong in a matrix's own numbers: -1: m[j], -2: n[j], -3: k[j] or nrhs[j] is negative, more than the largest
 * or than the routine allows; -4: lda[j], -5: ldb[j] or ldc[j] is below 1 or the rows of its matrix, or above the
 * largest. Then nothing of that matrix is touched; all others are worked on as if it were not there.
 *
 * Where a largest size or batch is 0 nothing is touched, nor is info. Results, limits, stability and status are those
 * of qr_batch.h, on CUDA also asynchronous, capturable and bitwise reproducible. Workspace: on the host a matrix of the
 * largest sizes for each thread; on CUDA 4 bytes for each matrix and 512, and where no kernel holds the largest matrix
 * of xgelsVBatch with its right-hand sides, factors of that size and 8 bytes for each.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef XBATCH_QR_VBATCH_H
#define XBATCH_QR_VBATCH_H

#include "qr_batch.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Factor each matrix, A_j = Q_j R_j, as xgeqrfBatch.
 *
 * - A_j [m_j x n_j] in: the matrices; out: R and the vectors. lda_j >= max(1, m_j), ldaMax >= max(1, mMax).
 * - tau_j [min(m_j, n_j)] out.
 * - Constraints: mMax, nMax, batch >= 0. Since 0.1.0. */
xbatchStatus_t xgeqrfVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t batch,
                            const int64_t *m, const int64_t *n, void *const *A, int64_t ldaMax, const int64_t *lda,
                            void *const *tau, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfVBatch for float. */
xbatchStatus_t sgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, float *const *A, int64_t ldaMax, const int64_t *lda, float *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfVBatch for double. */
xbatchStatus_t dgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, double *const *A, int64_t ldaMax, const int64_t *lda, double *const *tau,
                            int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfVBatch for complex float. */
xbatchStatus_t cgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexFloat_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgeqrfVBatch for complex double. */
xbatchStatus_t zgeqrfVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch, const int64_t *m,
                            const int64_t *n, xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            xbatchComplexDouble_t *const *tau, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgeqrfVBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgeqrfVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t batch, size_t *workspaceBytes);

/** xgeqrfVBatch_bufferSize for float. */
xbatchStatus_t sgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xgeqrfVBatch_bufferSize for double. */
xbatchStatus_t dgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xgeqrfVBatch_bufferSize for complex float. */
xbatchStatus_t cgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xgeqrfVBatch_bufferSize for complex double. */
xbatchStatus_t zgeqrfVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t batch,
                                       size_t *workspaceBytes);

/** Multiply each C_j by Q_j or its adjoint, as xunmqrBatch. xunmqrVBatch takes all four types.
 *
 * - side, op: the same for all, as there.
 * - A_j [m_j (left) or n_j (right) rows, k_j columns] in, with tau_j [k_j] in: what xgeqrfVBatch left. lda_j >= max(1,
 * its rows), ldaMax >= max(1, mMax or nMax).
 * - C_j [m_j x n_j] in and out; ldc_j >= max(1, m_j), ldcMax >= max(1, mMax).
 * - Constraints: mMax, nMax, batch >= 0; 0 <= kMax <= mMax (left) or nMax (right), and so for each matrix; where kMax
 * or k_j is 0 nothing is touched. Since 0.1.0. */
xbatchStatus_t xunmqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side, xbatchOperation_t op,
                            int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n,
                            const int64_t *k, const void *const *A, int64_t ldaMax, const int64_t *lda,
                            const void *const *tau, void *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info,
                            void *workspace, size_t workspaceBytes);

/** xunmqrVBatch for float. */
xbatchStatus_t sormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const float *const *A, int64_t ldaMax, const int64_t *lda, const float *const *tau,
                            float *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xunmqrVBatch for double. */
xbatchStatus_t dormqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const double *const *A, int64_t ldaMax, const int64_t *lda, const double *const *tau,
                            double *const *C, int64_t ldcMax, const int64_t *ldc, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xunmqrVBatch for complex float. */
xbatchStatus_t cunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexFloat_t *const *tau, xbatchComplexFloat_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes);

/** xunmqrVBatch for complex double. */
xbatchStatus_t zunmqrVBatch(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                            int64_t kMax, int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k,
                            const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                            const xbatchComplexDouble_t *const *tau, xbatchComplexDouble_t *const *C, int64_t ldcMax,
                            const int64_t *ldc, int32_t *info, void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xunmqrVBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchSide_t side,
                                       xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xunmqrVBatch_bufferSize for float. */
xbatchStatus_t sormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes);

/** xunmqrVBatch_bufferSize for double. */
xbatchStatus_t dormqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes);

/** xunmqrVBatch_bufferSize for complex float. */
xbatchStatus_t cunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes);

/** xunmqrVBatch_bufferSize for complex double. */
xbatchStatus_t zunmqrVBatch_bufferSize(xbatchHandle_t handle, xbatchSide_t side, xbatchOperation_t op, int64_t mMax,
                                       int64_t nMax, int64_t kMax, int64_t batch, size_t *workspaceBytes);

/** Form the first n_j columns of each Q in place of its reflectors, as xungqrBatch. xungqrVBatch takes all four types.
 *
 * - A_j [m_j x n_j] in: in its first k_j columns what xgeqrfVBatch left; out: the columns of Q. lda_j >= max(1, m_j),
 *   ldaMax >= max(1, mMax).
 * - tau_j [k_j] in.
 * - Constraints: mMax >= nMax >= kMax >= 0, and so for each matrix; batch >= 0. Since 0.1.0. */
xbatchStatus_t xungqrVBatch(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax, int64_t kMax,
                            int64_t batch, const int64_t *m, const int64_t *n, const int64_t *k, void *const *A,
                            int64_t ldaMax, const int64_t *lda, const void *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xungqrVBatch for float. */
xbatchStatus_t sorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, float *const *A, int64_t ldaMax,
                            const int64_t *lda, const float *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xungqrVBatch for double. */
xbatchStatus_t dorgqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, double *const *A, int64_t ldaMax,
                            const int64_t *lda, const double *const *tau, int32_t *info, void *workspace,
                            size_t workspaceBytes);

/** xungqrVBatch for complex float. */
xbatchStatus_t cungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexFloat_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexFloat_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes);

/** xungqrVBatch for complex double. */
xbatchStatus_t zungqrVBatch(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                            const int64_t *m, const int64_t *n, const int64_t *k, xbatchComplexDouble_t *const *A,
                            int64_t ldaMax, const int64_t *lda, const xbatchComplexDouble_t *const *tau, int32_t *info,
                            void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xungqrVBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xungqrVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, int64_t mMax, int64_t nMax,
                                       int64_t kMax, int64_t batch, size_t *workspaceBytes);

/** xungqrVBatch_bufferSize for float. */
xbatchStatus_t sorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xungqrVBatch_bufferSize for double. */
xbatchStatus_t dorgqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xungqrVBatch_bufferSize for complex float. */
xbatchStatus_t cungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes);

/** xungqrVBatch_bufferSize for complex double. */
xbatchStatus_t zungqrVBatch_bufferSize(xbatchHandle_t handle, int64_t mMax, int64_t nMax, int64_t kMax, int64_t batch,
                                       size_t *workspaceBytes);

/** Solve op(A_j) X_j = B_j by QR, as xgelsBatch: wide and tall matrices may be mixed.
 *
 * - op: the same for all, as there.
 * - A_j [m_j x n_j] in; lda_j >= max(1, m_j), ldaMax >= max(1, mMax).
 * - B_j [max(m_j, n_j) x nrhs_j] in and out; ldb_j >= max(1, m_j, n_j), ldbMax >= max(1, mMax, nMax).
 * - Constraints: mMax, nMax, nrhsMax, batch >= 0. Since 0.1.0. */
xbatchStatus_t xgelsVBatch(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                           int64_t nMax, int64_t nrhsMax, int64_t batch, const int64_t *m, const int64_t *n,
                           const int64_t *nrhs, const void *const *A, int64_t ldaMax, const int64_t *lda,
                           void *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info, void *workspace,
                           size_t workspaceBytes);

/** xgelsVBatch for float. */
xbatchStatus_t sgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const float *const *A, int64_t ldaMax, const int64_t *lda, float *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsVBatch for double. */
xbatchStatus_t dgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const double *const *A, int64_t ldaMax, const int64_t *lda, double *const *B, int64_t ldbMax,
                           const int64_t *ldb, int32_t *info, void *workspace, size_t workspaceBytes);

/** xgelsVBatch for complex float. */
xbatchStatus_t cgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexFloat_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexFloat_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** xgelsVBatch for complex double. */
xbatchStatus_t zgelsVBatch(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax, int64_t nrhsMax,
                           int64_t batch, const int64_t *m, const int64_t *n, const int64_t *nrhs,
                           const xbatchComplexDouble_t *const *A, int64_t ldaMax, const int64_t *lda,
                           xbatchComplexDouble_t *const *B, int64_t ldbMax, const int64_t *ldb, int32_t *info,
                           void *workspace, size_t workspaceBytes);

/** Bytes of workspace that xgelsVBatch needs. Status: SUCCESS, INVALID_HANDLE, INVALID_VALUE, NOT_SUPPORTED. */
xbatchStatus_t xgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchDataType_t type, xbatchOperation_t op, int64_t mMax,
                                      int64_t nMax, int64_t nrhsMax, int64_t batch, size_t *workspaceBytes);

/** xgelsVBatch_bufferSize for float. */
xbatchStatus_t sgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes);

/** xgelsVBatch_bufferSize for double. */
xbatchStatus_t dgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes);

/** xgelsVBatch_bufferSize for complex float. */
xbatchStatus_t cgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes);

/** xgelsVBatch_bufferSize for complex double. */
xbatchStatus_t zgelsVBatch_bufferSize(xbatchHandle_t handle, xbatchOperation_t op, int64_t mMax, int64_t nMax,
                                      int64_t nrhsMax, int64_t batch, size_t *workspaceBytes);

#ifdef __cplusplus
}
#endif

#endif
