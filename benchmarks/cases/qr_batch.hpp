// qr_batch.hpp: cases of QR and least squares of many matrices, for the families that measure them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "session.hpp"

namespace bench {

struct QrBatchShape {
    int64_t m, n, nrhs = 0;  // nrhs: of least squares; 0 for factors
    xbatchDataType_t type = XBATCH_R_64F;
    xbatchLayout_t layout = XBATCH_LAYOUT_FLAT;
    int64_t batch = 0;         // as many as fill memory
    bool by_pointers = false;  // the routines of several sizes
    int64_t least = 0;         // of those sizes, random up to m and n; 0: all are the largest
    bool forms_q = false;      // after the factorisation, instead of R
    const char *family = "qr_batch";

    int64_t k() const { return std::min(m, n); }
    int64_t own(int64_t largest, int64_t j, uint32_t seed) const {
        return least == 0 ? largest : least + int64_t(random_number(uint64_t(j), seed) * double(largest - least + 1));
    }
    int64_t own_m(int64_t j) const { return own(m, j, 11); }
    int64_t own_n(int64_t j) const { return own(n, j, 12); }
};

// Times xbatch and its peers, if the session's options select the case.
void measure(Session &session, QrBatchShape shape);

}  // namespace bench
