// layout.hpp: the three layouts as the public header's table defines them, written a second time to check the library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "support/scalar.hpp"

namespace xbatch_test {

constexpr xbatchLayout_t all_layouts[] = {XBATCH_LAYOUT_FLAT, XBATCH_LAYOUT_INTERLEAVED,
                                          XBATCH_LAYOUT_BLOCK_INTERLEAVED};

constexpr const char *layout_name(xbatchLayout_t layout) {
    constexpr const char *names[] = {"Flat", "Interleaved", "BlockInterleaved"};
    return names[layout];
}

// Index of element (i, j, r); Int is int64_t, or wider to detect overflow.
template <class Int = int64_t>
Int element(xbatchLayout_t layout, Int n, Int nrhs, Int ld, Int i, Int j, Int r) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return (j * nrhs + r) * ld + i;
        case XBATCH_LAYOUT_INTERLEAVED: return (r * n + i) * ld + j;
        default: return (((j / ld) * nrhs + r) * n + i) * ld + j % ld;
    }
}

// Elements to allocate; the last block is complete.
inline int64_t extent(xbatchLayout_t layout, int64_t n, int64_t nrhs, int64_t batch, int64_t ld) {
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return batch * nrhs * ld;
        case XBATCH_LAYOUT_INTERLEAVED: return nrhs * n * ld;
        default: return (batch + ld - 1) / ld * ld * nrhs * n;
    }
}

// The k-th of a list of leading dimensions: without and with padding; blocks of 1, 3, 16, the batch and more.
inline int64_t leading_dimension(xbatchLayout_t layout, int64_t n, int64_t batch, int64_t k) {
    const int64_t padding[] = {0, 1, 7, 2, 33};
    const int64_t blocks[] = {16, 3, std::max<int64_t>(batch, 1), 1, batch + 5};
    switch (layout) {
        case XBATCH_LAYOUT_FLAT: return std::max<int64_t>(n + padding[k % 5], 1);
        case XBATCH_LAYOUT_INTERLEAVED: return std::max<int64_t>(batch + padding[k % 5], 1);
        default: return blocks[k % 5];
    }
}

}  // namespace xbatch_test
