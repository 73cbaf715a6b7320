// problems.hpp: the jobs of xbatch and its peers, and the places of their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <xbatch.h>

#include <cstdint>

#include "machine.hpp"

namespace bench {

// Tridiagonal systems op(A) x = b; leading dimensions as xgtsvPscheme's.
struct Gtsv {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    void *dl, *d, *du;
    int64_t ldt;
    void *b;
    int64_t ldb;
    xbatchOperation_t op = XBATCH_OP_N;  // N or T
    bool periodic = false;
};

// Recurrences from w_{-1} = 0, forward, inct = 1, nrhs = 1; s, t and w have one leading dimension, a constant s one
// value a sequence.
struct Folr {
    xbatchDataType_t type;
    xbatchLayout_t layout;
    int64_t n, batch, ld;
    int64_t incs;  // 0: constant s
    const void *s, *t;
    void *w;
};

struct Rearrangement {
    xbatchDataType_t type;
    int64_t n, batch;
    xbatchLayout_t from;
    const void *source;
    int64_t ldsource;
    xbatchLayout_t to;
    void *target;
    int64_t ldtarget;
};

inline void *advanced(void *data, int64_t elements, xbatchDataType_t type) {
    return static_cast<char *>(data) + elements * int64_t(element_size(type));
}

// Elements 0, 1, … of one system and right-hand side lie at base, base + step, …
struct Line {
    int64_t base, step;
};

// The formulas of <xbatch/types.h>, independent of the library's code.
BENCH_HD inline Line line(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t ld, int64_t j, int64_t r) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return {(j * nrhs + r) * ld, 1};
        case XBATCH_LAYOUT_INTERLEAVED: return {r * n * ld + j, ld};
        default: return {((j / ld) * nrhs + r) * n * ld + j % ld, ld};
    }
}

// The tightest leading dimension; `width` systems a block.
inline int64_t tight(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t width) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return n;
        case XBATCH_LAYOUT_INTERLEAVED: return batch;
        default: return width;
    }
}

// Elements from the first of an array to its last.
inline int64_t extent(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return batch * nrhs * ld;
        case XBATCH_LAYOUT_INTERLEAVED: return nrhs * n * ld;
        default: return (batch + ld - 1) / ld * nrhs * n * ld;
    }
}

}  // namespace bench
