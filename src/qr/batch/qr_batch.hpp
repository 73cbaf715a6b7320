// qr_batch.hpp: what the C entries of batched QR hand to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::qr {

// A = Q R in place; tau holds an element for each of the min(m, n) reflectors.
struct GeqrfBatch {
    xbatchLayout_t layout;  // the caller's: a size query lacks the stride by which another layout may be flat
    int64_t m, n, batch;
    void *a, *tau;
    MatrixPlacement a_at;
    Placement tau_at;
    int32_t *info;
};

// C := Q C or Q^H C for C [rows x columns], placed by c_at. is_turned: C is the conjugate transpose of the caller's
// matrix, so memory holds conjugates. forms_q: C is the identity at first, and overwrites the reflectors.
struct UnmqrBatch {
    int64_t rows, columns, k, batch;
    bool is_adjoint, is_turned, forms_q;
    const void *v, *tau;
    MatrixPlacement v_at;
    Placement tau_at;
    void *c;
    MatrixPlacement c_at;
};

// min |B - G X| or, is_least_norm, the smallest X with G^H X = B, for G [rows x columns], rows >= columns. G, placed by
// g_at, is A, or A^H if is_turned. B has `rows` rows.
struct GelsBatch {
    int64_t rows, columns, nrhs, batch;
    bool is_turned, is_least_norm;
    const void *a;
    MatrixPlacement g_at;
    void *b;
    MatrixPlacement b_at;
    int32_t *info;
};

XBATCH_DECLARE_BACKEND(geqrf_batch_host, GeqrfBatch);
XBATCH_DECLARE_BACKEND(unmqr_batch_host, UnmqrBatch);
XBATCH_DECLARE_BACKEND(gels_batch_host, GelsBatch);

XBATCH_DECLARE_BACKEND(geqrf_batch_cuda, GeqrfBatch);
XBATCH_DECLARE_BACKEND(unmqr_batch_cuda, UnmqrBatch);
XBATCH_DECLARE_BACKEND(gels_batch_cuda, GelsBatch);

}  // namespace xbatch::qr
