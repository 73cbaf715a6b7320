// tall_reflector.cuh: the numbers of one Householder reflector of doubles, and the scale of those that need one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tile_panel.cuh"

namespace xbatch {

// Powers of two by which a column is scaled where squares leave the range, and back: in two steps, since one may leave
// it too
struct TallScaling {
    double first, second, undo_first, undo_second;
    bool is_nothing;  // x is zero, so that H = I
};

// householder of tile_panel.cuh, with signs as bits, and the second approximation begun before the first is refined
__device__ __forceinline__ HouseholderScalars<double> reflector(double alpha, double squares) {
    const double x = fma(alpha, alpha, squares), size = fabs(alpha);
    double near_root, near;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(near_root) : "d"(x));
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(near) : "d"(fma(x, near_root, size)));
    const double e = fma(-x * near_root, near_root, 1.0);
    const double root = fma(fma(e, 0.375, 0.5) * e, near_root, near_root), norm = x * root;
    const double f = fma(-(size + norm), near, 1.0);
    return {copysign(norm, -alpha), copysign(root, alpha), fma(size, root, 1.0),
            copysign(fma(fma(f, f, f), near, near), alpha)};
}

// Of a column x [rows] in shared memory below alpha: by whole warps, seldom
static __device__ __noinline__ TallScaling scaling_of(const double *x, int rows, double alpha) {
    double most = 0;
    bool has_nan = false;
    for (int i = int(threadIdx.x) % 32; i < rows; i += 32) {
        const double size = magnitude(x[i]);
        has_nan = has_nan || !(size == size);
        most = size > most ? size : most;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const double other = __shfl_xor_sync(~0u, most, distance);
        most = other > most ? other : most;
    }
    has_nan = __any_sync(~0u, has_nan);
    const double head = magnitude(alpha), largest = head > most ? head : most;
    TallScaling s = {1, 1, 1, 1, most == 0 && !has_nan};
    if (s.is_nothing || has_nan || !(head == head) || !is_finite(largest)) return s;
    const int exponent = ilogb(largest), half = exponent / 2;
    s.first = power_of_two<double>(-half), s.second = power_of_two<double>(half - exponent);
    s.undo_first = power_of_two<double>(half), s.undo_second = power_of_two<double>(exponent - half);
    return s;
}

}  // namespace xbatch
