// spd_factors.cuh: the stored factors of positive definite matrices on CUDA: A itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/scalar.hpp"
#include "core/workspace.hpp"

namespace xbatch::tridiagonal {

// A solve is limited by memory bandwidth, and L and D are as large as d and e: these are stored, and eliminated again
// in each solve. FLAT remains FLAT; other layouts become interleaved, by whole memory lines of systems.
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
