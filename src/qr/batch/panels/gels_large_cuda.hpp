// gels_large_cuda.hpp: least squares beyond the kernels of batched QR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr/batch/qr_batch.hpp"
#include "qr/batch/qr_batch_tuning.hpp"

namespace xbatch::qr {

// Whether tiled QR takes the matrices, one after the other by all multiprocessors: where no block can, or where they
// are few and large
inline bool is_for_tiles(const GelsBatch &p) {
    return p.rows > most_rows || (p.rows * p.columns >= 1 << 19 && p.batch <= 16);
}
XBATCH_DECLARE_BACKEND(gels_large_cuda, GelsBatch);

}  // namespace xbatch::qr
