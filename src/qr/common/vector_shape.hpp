// vector_shape.hpp: the shapes of the Householder vectors of a tile.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace xbatch::qr {

// A lower trapezoid with ones on its diagonal (GEQRT); a full tile below the identity (TSQRT); an upper triangle below
// the identity (TTQRT).
enum class Shape { trapezoid, full, triangle };

// The rows [first, first + rows) in which vectors s … s+width-1 of a tile are not zero
struct VectorRows {
    int64_t first, rows;
};
inline VectorRows vector_rows(Shape shape, int64_t rows, int64_t s, int64_t width) {
    if (shape == Shape::trapezoid) return {s, rows - s};
    return {0, shape == Shape::full ? rows : std::min(rows, s + width)};
}

}  // namespace xbatch::qr
