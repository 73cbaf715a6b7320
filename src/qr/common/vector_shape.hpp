// vector_shape.hpp: how the Householder vectors of a tile lie.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace xbatch::qr {

// A lower trapezoid with ones on its diagonal (GEQRT); a full tile below the identity (TSQRT); an upper triangle below
// the identity (TTQRT).
enum class Shape { trapezoid, full, triangle };

// Vectors s … s+width-1 of a tile with rows [first, first + rows): those in which they are not zero
struct VectorRows {
    int64_t first, rows;
};
inline VectorRows vector_rows(Shape shape, int64_t rows, int64_t s, int64_t width) {
    if (shape == Shape::trapezoid) return {s, rows - s};
    return {0, shape == Shape::full ? rows : std::min(rows, s + width)};
}

}  // namespace xbatch::qr
