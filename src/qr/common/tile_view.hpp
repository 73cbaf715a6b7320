// tile_view.hpp: where the entries of a tile lie in the caller's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"

namespace xbatch::qr {

// A matrix, or the conjugate transpose of one
template <class T>
struct View {
    T *at;
    int64_t ld;
    bool is_transposed = false;

    XBATCH_HD View from(int64_t row, int64_t column) const {
        return {at + (is_transposed ? row * ld + column : column * ld + row), ld, is_transposed};
    }
    XBATCH_HD T get(int row, int column) const {
        return is_transposed ? conjugate(at[row * ld + column]) : at[column * ld + row];
    }
    XBATCH_HD void put(int row, int column, T x) const {
        if (is_transposed)
            at[row * ld + column] = conjugate(x);
        else
            at[column * ld + row] = x;
    }
};

}  // namespace xbatch::qr
