// layout.hpp: the address of element (i, j, r) of a batched array, defined here only.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "workspace.hpp"
#include "xbatch/types.h"

#ifdef __CUDACC__
#define XBATCH_HD __host__ __device__
#else
#define XBATCH_HD
#endif

namespace xbatch {

// In 32 bits where they suffice: a 64-bit division takes a hundred instructions on a GPU.
XBATCH_HD inline int64_t divided(int64_t a, int64_t b) {
    return a <= INT32_MAX && b <= INT32_MAX ? int64_t(uint32_t(a) / uint32_t(b)) : a / b;
}

// The layout of an array by general strides, which has one right-hand side; not one of the public layouts
constexpr xbatchLayout_t strided_layout = xbatchLayout_t(XBATCH_LAYOUT_BLOCK_INTERLEAVED + 1);

// Up to three batch dimensions: system j = j0 + extent[0]*(j1 + extent[1]*j2) begins at the sum of stride[k]*jk.
struct BatchStrides {
    int64_t extent[2] = {1, 1};
    int64_t stride[3] = {0, 0, 0};

    // Of the system j0 + extent[0]*block
    XBATCH_HD int64_t base(int64_t j0, int64_t block) const {
        const int64_t j2 = divided(block, extent[1]);
        return j0 * stride[0] + (block - j2 * extent[1]) * stride[1] + j2 * stride[2];
    }
};

// Element (i, j, r) is at base(j, r) + i*step; offsets always have 64 bits.
struct Placement {
    xbatchLayout_t layout;
    int64_t n, nrhs, ld;      // rows, right-hand sides, leading dimension of this array; strided: how many systems are
                              // adjacent, 0 if all systems share one set
    int64_t step;             // distance between rows; 0 for a constant, negative for a sequence that runs backward
    int64_t origin;           // added to every offset; n-1 steps for a sequence that runs backward
    BatchStrides batch = {};  // of strided_layout

    XBATCH_HD int64_t base(int64_t j, int64_t r) const {
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return origin + (j * nrhs + r) * ld;
            case XBATCH_LAYOUT_INTERLEAVED: return origin + r * n * ld + j;
            default: {
                const bool is_strided = layout == strided_layout;
                const int64_t width = is_strided ? batch.extent[0] : ld;
                const int64_t block = divided(j, width), within = j - block * width;
                return origin + (is_strided ? batch.base(within, block) : (block * nrhs + r) * n * ld + within);
            }
        }
    }
    XBATCH_HD int64_t offset(int64_t i, int64_t j, int64_t r) const { return base(j, r) + i * step; }
    // Distance between right-hand sides
    XBATCH_HD int64_t side_step() const { return layout == XBATCH_LAYOUT_FLAT ? ld : n * ld; }
};

// A batched array. Of layouts that describe the same memory the one with the faster kernel is used: blocks of one
// system, or a batch of one with contiguous rows, are FLAT; a single block with the whole batch is INTERLEAVED.
inline Placement placement(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld) {
    if (ld == 1 && layout != XBATCH_LAYOUT_FLAT && (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED || batch == 1))
        return {XBATCH_LAYOUT_FLAT, n, nrhs, n, 1, 0};
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && ld >= batch)
        return {XBATCH_LAYOUT_INTERLEAVED, n, nrhs, ld, ld, 0};
    return {layout, n, nrhs, ld, layout == XBATCH_LAYOUT_FLAT ? 1 : ld, 0};
}

// Coefficients, one set per system; ld = 0 means one set for all.
inline Placement coefficients(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t ld) {
    if (ld == 0) return {XBATCH_LAYOUT_FLAT, n, 1, 0, 1, 0};
    return placement(layout, n, 1, batch, ld);
}

// The same elements in reverse order of rows
inline Placement reversed(Placement p) {
    p.origin += (p.n - 1) * p.step;
    p.step = -p.step;
    return p;
}

// Element (i, c) of a batched dense matrix j is at base(j) + i*row + c*column.
struct MatrixPlacement {
    xbatchLayout_t layout;
    int64_t row, column;  // distances between rows, between columns
    int64_t stride;       // FLAT: distance between matrices; block-interleaved: matrices in a block
    int64_t block;        // elements in a block

    XBATCH_HD int64_t base(int64_t j) const {
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return j * stride;
            case XBATCH_LAYOUT_INTERLEAVED: return j;
            default: {
                const int64_t which = divided(j, stride);
                return which * block + (j - which * stride);
            }
        }
    }
};

// Column-major matrices with leading dimension ld. Layouts that describe the same memory become one, as above.
inline MatrixPlacement matrix_placement(xbatchLayout_t layout, int64_t columns, int64_t batch, int64_t ld,
                                        int64_t stride) {
    if (stride == 1 && layout != XBATCH_LAYOUT_FLAT && (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED || batch == 1))
        return {XBATCH_LAYOUT_FLAT, 1, ld, ld * columns, 0};
    if (layout == XBATCH_LAYOUT_FLAT) return {layout, 1, ld, stride, 0};
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && stride >= batch) layout = XBATCH_LAYOUT_INTERLEAVED;
    return {layout, stride, counted_product(ld, stride), stride, counted_product(ld, columns, stride)};
}

inline MatrixPlacement transposed(MatrixPlacement p) {
    const int64_t row = p.row;
    p.row = p.column, p.column = row;
    return p;
}

}  // namespace xbatch
