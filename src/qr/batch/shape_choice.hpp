// shape_choice.hpp: choice among the shapes of a kernel for small matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace xbatch::qr {

// The first shape that holds m x n matrices, or the number of shapes
template <class Shapes>
int shape_for(const Shapes &shapes, int64_t m, int64_t n) {
    const auto holds = [&](const auto &s) { return s.holds(m, n); };
    return int(std::find_if(shapes.begin(), shapes.end(), holds) - shapes.begin());
}

}  // namespace xbatch::qr
