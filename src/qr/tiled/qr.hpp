// qr.hpp: what the C entries of tiled QR hand to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "schedule.hpp"

namespace xbatch::qr {

xbatchTiledConfig_t default_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k);

// On a GPU a tile lies in a block's shared memory.
constexpr int least_shared_of_large_tiles = 226 * 1024, least_shared_of_wide_types = 190 * 1024;
constexpr int64_t largest_device_block = 32;
inline int64_t largest_device_tile(const Context &context, xbatchDataType_t type) {
    switch (type) {
        case XBATCH_R_32F: return 128;
        case XBATCH_C_64F: return context.shared_per_block >= least_shared_of_wide_types ? 64 : 0;
        default: return context.shared_per_block >= least_shared_of_large_tiles ? 128 : 64;
    }
}

// The header before the block factors in T, by which those of another matrix are recognised
struct TriangleHeader {
    uint64_t magic;
    int32_t type, tree;
    int64_t m, k, mb, nb, ib, domain;

    static TriangleHeader of(xbatchDataType_t type, const Tiling &t) {
        const xbatchTiledConfig_t &c = t.config;
        return {0x7862617463685152, int32_t(type), int32_t(c.tree), t.m, t.k, c.mb, c.nb, c.ib, t.domain()};
    }
};
static_assert(sizeof(TriangleHeader) == 64, "what follows is aligned as well as T");

template <class T>
T *triangles_in(void *t) {
    return reinterpret_cast<T *>(static_cast<char *>(t) + sizeof(TriangleHeader));
}

struct FactorProblem {
    Tiling tiling;
    int64_t n;  // columns, of which the first tiling.k become reflectors
    void *a;
    int64_t lda;
    void *t;
    int32_t *info;

    QrJob job() const { return {tiling, tiling.column_tiles(n - tiling.k), true, true, false}; }
};

// op(Q) C, or op(Q) C^H if Q is applied from the right
struct ApplyProblem {
    Tiling tiling;
    bool is_adjoint, is_right, forms_q;  // forms_q: C is set to the identity first
    int64_t columns;                     // of C, or of C^H
    const void *a;
    int64_t lda;
    const void *t;
    void *c;
    int64_t ldc;
    int32_t *info;

    QrJob job() const { return {tiling, tiling.column_tiles(columns), false, is_adjoint, forms_q}; }
};

// The tiling is that of G, A or A^H, whichever is tall; X is found from G X = B, or from G^H X = B.
struct LeastSquaresProblem {
    Tiling tiling;
    bool copies_adjoint;  // G is A^H
    bool is_least_norm;   // G^H X = B
    int64_t nrhs;
    void *a;
    int64_t lda;
    void *b;
    int64_t ldb;
    int32_t *info;

    QrJob factor_job() const { return {tiling, is_least_norm ? 0 : tiling.column_tiles(nrhs), true, true, false}; }
    QrJob apply_job() const { return {tiling, is_least_norm ? tiling.column_tiles(nrhs) : 0, false, false, false}; }
};

XBATCH_DECLARE_BACKEND(geqrt_host, FactorProblem);
XBATCH_DECLARE_BACKEND(gemqrt_host, ApplyProblem);
XBATCH_DECLARE_BACKEND(gels_host, LeastSquaresProblem);

XBATCH_DECLARE_BACKEND(geqrt_cuda, FactorProblem);
XBATCH_DECLARE_BACKEND(gemqrt_cuda, ApplyProblem);
XBATCH_DECLARE_BACKEND(gels_cuda, LeastSquaresProblem);

}  // namespace xbatch::qr
