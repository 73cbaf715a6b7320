// gels_large_kind_cuda.cu: launches least squares for a batch in one kernel, where a matrix has a warp or more.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_batch_launch.cuh"

namespace xbatch::qr {

template <class T>
xbatchStatus_t solve_large_kind_cuda(Context &context, QrKind kind, const SolveArguments<T> &p) {
    const int64_t rows = std::max(p.m, p.n), columns = std::min(p.m, p.n) + p.nrhs;
    switch (kind) { XBATCH_LAUNCH_LARGE_KINDS(solve_batch, T, true); }
}

XBATCH_INSTANTIATE_TYPES(solve_large_kind_cuda);

}  // namespace xbatch::qr
