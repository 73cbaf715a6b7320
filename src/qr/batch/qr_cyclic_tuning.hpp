// qr_cyclic_tuning.hpp: how lanes factor small matrices that registers hold (factor_cyclic.cuh), by their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

// Lanes that share a column, lanes that share a row, rows and columns of a lane, and warps for which a multiprocessor
// has registers
struct CyclicShape {
    int down, across, rows, columns, warps;

    XBATCH_HD constexpr int lanes() const { return down * across; }   // of a matrix
    XBATCH_HD constexpr int of_warp() const { return 32 / lanes(); }  // matrices
    XBATCH_HD constexpr int most_rows() const { return down * rows; }
    XBATCH_HD constexpr int most_columns() const { return across * columns; }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const { return m <= most_rows() && n <= most_columns(); }
};

// Shapes in the order in which they are tried, from measurements on an H200
template <class T>
constexpr std::array<CyclicShape, 0> cyclic_shapes = {};
template <>
inline constexpr std::array cyclic_shapes<float> = {
    CyclicShape{2, 2, 4, 4, 32},   CyclicShape{2, 2, 6, 6, 24},  CyclicShape{2, 2, 9, 9, 16},
    CyclicShape{4, 2, 6, 4, 28},   CyclicShape{2, 4, 10, 5, 20}, CyclicShape{4, 2, 10, 5, 20},
    CyclicShape{2, 4, 12, 6, 16},  CyclicShape{2, 4, 14, 7, 12}, CyclicShape{4, 4, 8, 8, 16},
    CyclicShape{4, 4, 10, 10, 12}, CyclicShape{4, 4, 16, 4, 16}, CyclicShape{16, 2, 14, 6, 16},
    CyclicShape{8, 4, 16, 5, 16},
};
template <>
inline constexpr std::array cyclic_shapes<double> = {
    CyclicShape{2, 2, 4, 4, 20},  CyclicShape{2, 2, 6, 6, 16},  CyclicShape{2, 2, 9, 9, 8},
    CyclicShape{4, 2, 6, 4, 16},  CyclicShape{2, 4, 10, 5, 12}, CyclicShape{4, 2, 10, 5, 12},
    CyclicShape{4, 2, 6, 12, 8},  CyclicShape{4, 4, 7, 7, 12},  CyclicShape{4, 4, 9, 9, 8},
    CyclicShape{4, 8, 10, 5, 12}, CyclicShape{16, 2, 13, 5, 8},
};

// Whether columns in shared memory are a chunk of 16 bytes further apart than their rows take: otherwise all of them
// would begin in the same banks.
template <class T>
XBATCH_HD constexpr bool has_cyclic_gaps(int m) {
    return m * int(sizeof(T)) >= 128 && (m & (m - 1)) == 0;
}
// Bytes of shared memory of a block of some warps: a barrier, matrices and tau. The first may begin within a chunk.
constexpr int cyclic_head_bytes = 16;
template <class T>
size_t cyclic_bytes(CyclicShape s, int m, int n, int warps, bool is_flat) {
    constexpr int chunk = 16 / int(sizeof(T));
    const int ld = has_cyclic_gaps<T>(m) && is_flat ? m + chunk : m | 1, all = n * ld + 1 + (m < n ? m : n);
    return cyclic_head_bytes + (size_t(warps * s.of_warp() * all) + chunk) * sizeof(T);
}
// Warps of a block: as many as it can have where that makes more of interleaved memory contiguous
constexpr int most_cyclic_warps = 4;
template <class T>
int cyclic_warps(CyclicShape s, int m, int n, bool is_flat, int shared_per_block) {
    int warps = is_flat ? 1 : most_cyclic_warps;
    while (warps > 1 && cyclic_bytes<T>(s, m, n, warps, is_flat) > size_t(shared_per_block)) warps /= 2;
    return warps;
}

}  // namespace xbatch::qr
