// shape_choice.hpp: choice among the shapes of a kernel for small matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "xbatch/types.h"

namespace xbatch::qr {

// The first shape that holds m x n matrices (of `more` right-hand sides), or the number of shapes
template <class Shapes, class... More>
int shape_for(const Shapes &shapes, int64_t m, int64_t n, More... more) {
    const auto holds = [&](const auto &s) { return s.holds(m, n, more...); };
    return int(std::find_if(shapes.begin(), shapes.end(), holds) - shapes.begin());
}

// f(SHAPE), the number of a shape as a constant
template <int COUNT, int SHAPE = 0, class F>
xbatchStatus_t with_shape(int shape, F f) {
    if constexpr (SHAPE < COUNT) {
        if (shape > SHAPE) return with_shape<COUNT, SHAPE + 1>(shape, f);
        return f(std::integral_constant<int, SHAPE>());
    }
    return XBATCH_STATUS_INTERNAL_ERROR;
}

}  // namespace xbatch::qr
