// geqrf_copied.hpp: QR of interleaved matrices by flat copies in the workspace, of a part of the batch at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch.hpp"

namespace xbatch::qr {

XBATCH_DECLARE_BACKEND(geqrf_copied_cuda, GeqrfBatch);

// Whether a part of the matrices and of tau is of one layout, without rows that are not to be written
inline bool has_parts(const GeqrfBatch &p) {
    const bool in_blocks = p.a_at.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED;
    return p.a_at.layout != XBATCH_LAYOUT_FLAT && p.a_at.column == p.m * p.a_at.row &&
           p.tau_at.layout == p.a_at.layout && (!in_blocks || p.tau_at.ld == p.a_at.stride);
}

}  // namespace xbatch::qr
