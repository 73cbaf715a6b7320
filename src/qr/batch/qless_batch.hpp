// qless_batch.hpp: what the C entry of batched QR without Q hands to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::qr {

// A = Q R, without Q: R [min(m, n) x n], with zeros below its diagonal, and B := Q^H B for B [m x nrhs]. A remains.
struct QlessBatch {
    xbatchLayout_t layout;  // the caller's
    int64_t m, n, nrhs, batch;
    const void *a;
    void *r, *b;
    MatrixPlacement a_at, r_at, b_at;
    int32_t *info;

    int64_t k() const { return m < n ? m : n; }
};

XBATCH_DECLARE_BACKEND(qless_batch_host, QlessBatch);
XBATCH_DECLARE_BACKEND(qless_batch_cuda, QlessBatch);

}  // namespace xbatch::qr
