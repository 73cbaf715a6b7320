// gels_large_cuda.hpp: least squares beyond the kernels of batched QR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/batch/qr_batch.hpp"
#include "qr/batch/qr_batch_tuning.hpp"

namespace xbatch::qr {

// Whether tiled QR factors the matrices in sequence, each on all multiprocessors: if no block can, or if they are few
// and large
inline bool is_for_tiles(const GelsBatch &p) {
    return p.rows > most_rows || (p.rows * p.columns >= 1 << 19 && p.batch <= 16);
}
XBATCH_DECLARE_BACKEND(gels_large_cuda, GelsBatch);

}  // namespace xbatch::qr
