// qr_vbatch.hpp: what the C entries of QRs of different sizes hand to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::qr {

// A size of each matrix: its own, or the largest if there is no array.
struct Each {
    const int64_t *own;
    int64_t largest;

    XBATCH_HD int64_t at(int64_t j) const { return own ? own[j] : largest; }
    XBATCH_HD bool is_wrong(int64_t j) const { return at(j) < 0 || at(j) > largest; }
    Each of_all() const { return {nullptr, largest}; }
};

// Column-major matrices, each at its own address; or arrays tau, whose ld is not used
struct MatrixArray {
    const void *addresses;  // T *const *
    Each ld;

    XBATCH_HD bool is_wrong(int64_t j, int64_t rows) const {
        return ld.at(j) < rows || ld.at(j) < 1 || ld.at(j) > ld.largest;
    }
};

// A = Q R. In each problem wrong(j) is info of matrix j if its sizes are wrong, else 0. If it is 0, has_work(j) is
// whether anything is to be computed. of_largest() has the largest sizes and no data.
struct GeqrfVBatch {
    int64_t batch;
    Each m, n;
    MatrixArray a = {}, tau = {};
    int32_t *info = nullptr;

    XBATCH_HD int32_t wrong(int64_t j) const {
        return m.is_wrong(j) ? -1 : n.is_wrong(j) ? -2 : a.is_wrong(j, m.at(j)) ? -4 : 0;
    }
    XBATCH_HD bool has_work(int64_t j) const { return m.at(j) > 0 && n.at(j) > 0; }
    bool is_of_one_size() const { return !m.own && !n.own && !a.ld.own; }
    GeqrfVBatch of_largest() const { return {batch, m.of_all(), n.of_all()}; }
};

// C := op(Q) C or C op(Q), C [m x n]; or forms_q: C is the identity at first, and overwrites the reflectors.
struct UnmqrVBatch {
    int64_t batch;
    Each m, n, k;
    MatrixArray v = {}, tau = {}, c = {};
    int32_t *info = nullptr;
    bool is_right = false, is_transposed = false, forms_q = false;

    XBATCH_HD int64_t order(int64_t j) const { return is_right ? n.at(j) : m.at(j); }
    XBATCH_HD int32_t wrong(int64_t j) const {
        if (m.is_wrong(j)) return -1;
        if (n.is_wrong(j) || (forms_q && n.at(j) > m.at(j))) return -2;
        if (k.is_wrong(j) || k.at(j) > (forms_q ? n.at(j) : order(j))) return -3;
        return v.is_wrong(j, order(j)) ? -4 : c.is_wrong(j, m.at(j)) ? -5 : 0;
    }
    XBATCH_HD bool has_work(int64_t j) const { return m.at(j) > 0 && n.at(j) > 0 && (forms_q || k.at(j) > 0); }
    UnmqrVBatch of_largest() const {
        return {batch, m.of_all(), n.of_all(), k.of_all(), {}, {}, {}, nullptr, is_right, is_transposed, forms_q};
    }
};

// op(A) X = B as xgelsBatch solves it
struct GelsVBatch {
    int64_t batch;
    Each m, n, nrhs;
    MatrixArray a = {}, b = {};
    int32_t *info = nullptr;
    bool is_transposed = false;

    XBATCH_HD int64_t rows() const { return m.largest > n.largest ? m.largest : n.largest; }  // of B
    XBATCH_HD bool is_wide(int64_t j) const { return m.at(j) < n.at(j); }
    XBATCH_HD int32_t wrong(int64_t j) const {
        if (m.is_wrong(j)) return -1;
        if (n.is_wrong(j)) return -2;
        if (nrhs.is_wrong(j)) return -3;
        return a.is_wrong(j, m.at(j)) ? -4 : b.is_wrong(j, is_wide(j) ? n.at(j) : m.at(j)) ? -5 : 0;
    }
    XBATCH_HD bool has_work(int64_t j) const { return m.at(j) > 0 && n.at(j) > 0 && nrhs.at(j) > 0; }
    bool is_of_one_size() const { return !m.own && !n.own && !nrhs.own && !a.ld.own && !b.ld.own; }
    GelsVBatch of_largest() const { return {batch, m.of_all(), n.of_all(), nrhs.of_all()}; }
};

XBATCH_DECLARE_BACKEND(geqrf_vbatch_host, GeqrfVBatch);
XBATCH_DECLARE_BACKEND(unmqr_vbatch_host, UnmqrVBatch);
XBATCH_DECLARE_BACKEND(gels_vbatch_host, GelsVBatch);

XBATCH_DECLARE_BACKEND(geqrf_vbatch_cuda, GeqrfVBatch);
XBATCH_DECLARE_BACKEND(unmqr_vbatch_cuda, UnmqrVBatch);
XBATCH_DECLARE_BACKEND(gels_vbatch_cuda, GelsVBatch);

}  // namespace xbatch::qr
