// spd_factors.cuh: how the CUDA backend keeps positive definite matrices to be solved with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"
#include "core/workspace.hpp"

namespace xbatch::tridiagonal {

// A solve is limited by memory, and L and D take as much of it as d and e do: these are kept, and eliminated again as
// rows pass. FLAT as they are; of other layouts the systems side by side, whole memory lines of them.
template <class T>
struct SpdFactors {
    Placement at;
    Real<T> *d;
    T *e;
    size_t bytes;

    SpdFactors(xbatchLayout_t layout, int64_t n, int64_t sets, void *buffer) {
        constexpr int64_t line = 128 / sizeof(Real<T>);
        const int64_t whole_lines = sets < line ? sets : (sets + line - 1) / line * line;
        at = layout == XBATCH_LAYOUT_FLAT || sets == 1 ? placement(XBATCH_LAYOUT_FLAT, n, 1, sets, n)
                                                       : placement(XBATCH_LAYOUT_INTERLEAVED, n, 1, sets, whole_lines);
        const int64_t elements = at.layout == XBATCH_LAYOUT_FLAT ? sets * n : n * whole_lines;
        Carver carver(buffer);
        d = carver.take<Real<T>>(elements);
        e = carver.take<T>(elements);
        bytes = carver.bytes();
    }
};

}  // namespace xbatch::tridiagonal
