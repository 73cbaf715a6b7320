// layout.hpp: where element (i, j, r) of a batched array lies; nothing else in the library decides addresses.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "xbatch/types.h"

#ifdef __CUDACC__
#define XBATCH_HD __host__ __device__
#else
#define XBATCH_HD
#endif

namespace xbatch {

// Element (i, j, r) lies at base(j, r) + i*step; offsets are 64-bit always.
struct Placement {
    xbatchLayout_t layout;
    int64_t n, nrhs, ld;  // rows, right-hand sides, leading dimension of this array
    int64_t step;         // distance between rows; 0 for a constant, negative for a sequence that runs backward
    int64_t origin;       // added to every offset; n-1 steps for a sequence that runs backward

    XBATCH_HD int64_t base(int64_t j, int64_t r) const {
        switch (layout) {
            case XBATCH_LAYOUT_FLAT: return origin + (j * nrhs + r) * ld;
            case XBATCH_LAYOUT_INTERLEAVED: return origin + r * n * ld + j;
            default: {  // 32-bit division where it is enough: a 64-bit one costs a hundred instructions on a GPU
                const int64_t block = j <= INT32_MAX && ld <= INT32_MAX ? int64_t(uint32_t(j) / uint32_t(ld)) : j / ld;
                return origin + (block * nrhs + r) * n * ld + (j - block * ld);
            }
        }
    }
    XBATCH_HD int64_t offset(int64_t i, int64_t j, int64_t r) const { return base(j, r) + i * step; }
};

// A batched array. Layouts that are the same memory become the one with the better kernel: blocks of one system, or a
// batch of one with rows side by side, are FLAT; one block that holds the whole batch is INTERLEAVED.
inline Placement placement(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld) {
    if (ld == 1 && layout != XBATCH_LAYOUT_FLAT && (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED || batch == 1))
        return {XBATCH_LAYOUT_FLAT, n, nrhs, n, 1, 0};
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED && ld >= batch)
        return {XBATCH_LAYOUT_INTERLEAVED, n, nrhs, ld, ld, 0};
    return {layout, n, nrhs, ld, layout == XBATCH_LAYOUT_FLAT ? 1 : ld, 0};
}

// Coefficients, one set a system; ld = 0 is one set for all.
inline Placement coefficients(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t ld) {
    if (ld == 0) return {XBATCH_LAYOUT_FLAT, n, 1, 0, 1, 0};
    return placement(layout, n, 1, batch, ld);
}

// The same elements met from the last row to the first.
inline Placement reversed(Placement p) {
    p.origin += (p.n - 1) * p.step;
    p.step = -p.step;
    return p;
}

}  // namespace xbatch
