// gels_large_cuda.hpp: least squares beyond the kernels of batched QR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch.hpp"

namespace xbatch {

template <class T>
xbatchStatus_t gels_large_cuda(Context &context, const GelsBatch &problem, void *workspace);
template <class T>
size_t gels_large_cuda_workspace(const Context &context, const GelsBatch &problem);

}  // namespace xbatch
