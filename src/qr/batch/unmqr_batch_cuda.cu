// unmqr_batch_cuda.cu: launches the products with a batch of Q, and their forming.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr/batch/panels/qr_large.hpp"
#include "qr_batch_launch.cuh"

namespace xbatch::qr {

template <class T>
xbatchStatus_t apply_cuda(Context &context, QrKind kind, const ApplyArguments<T> &p) {
    const int64_t rows = p.rows, columns = p.columns;
    switch (kind) { XBATCH_LAUNCH_KINDS(apply_batch, T); }
}

template <class T>
xbatchStatus_t unmqr_batch_cuda(Context &context, const UnmqrBatch &p, void *workspace) {
    if (applies_by_panels(p.rows, p.columns, p.k)) return unmqr_large_cuda<T>(context, p, workspace);
    return apply_cuda<T>(context, kind_for(p.rows, p.columns),
                         {device_matrices<T>(p.v, p.v_at, false),
                          device_matrices<T>(p.c, p.c_at, p.is_turned),
                          {static_cast<T *>(const_cast<void *>(p.tau)), p.tau_at, nullptr},
                          int(p.rows),
                          int(p.columns),
                          int(p.k),
                          p.is_adjoint,
                          p.forms_q,
                          p.batch,
                          {}});
}
template <class T>
size_t unmqr_batch_cuda_workspace(const Context &context, const UnmqrBatch &p) {
    const bool is_large = applies_by_panels(p.rows, p.columns, p.k);
    return is_large ? unmqr_large_cuda_workspace<T>(context, p) : 0;
}

XBATCH_INSTANTIATE_TYPES(apply_cuda);
XBATCH_INSTANTIATE_BACKEND(unmqr_batch_cuda);

}  // namespace xbatch::qr
