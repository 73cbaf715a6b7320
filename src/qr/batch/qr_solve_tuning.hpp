// qr_solve_tuning.hpp: how lanes solve least squares with one right-hand side of matrices that registers hold
// cyclically (solve_cyclic.cuh), by their size.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "qr_cyclic_tuning.hpp"

namespace xbatch::qr {

// Lanes that hold [A b], and the numbers of rows and columns of A beyond which they are faster than by rows
// (solve_rows.cuh)
struct SolveShape {
    CyclicShape lanes;
    int rows, columns;

    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const {
        return m > rows && n > columns && lanes.holds(m, n + 1);
    }
};

// Shapes in the order in which they are tried, from measurements on an H200
template <class T>
constexpr std::array<SolveShape, 0> solve_shapes = {};
template <>
inline constexpr std::array solve_shapes<float> = {
    SolveShape{{2, 4, 12, 7, 16}, 20, 16},  SolveShape{{4, 1, 10, 11, 12}, 24, 0},
    SolveShape{{2, 4, 14, 8, 12}, 24, 16},  SolveShape{{4, 4, 8, 9, 16}, 24, 16},
    SolveShape{{4, 4, 10, 11, 12}, 24, 16}, SolveShape{{4, 4, 12, 13, 8}, 24, 16},
    SolveShape{{8, 4, 8, 9, 16}, 24, 16},   SolveShape{{8, 2, 13, 6, 16}, 64, 0},
    SolveShape{{8, 4, 13, 6, 16}, 64, 0},   SolveShape{{8, 4, 16, 6, 16}, 64, 0},
    SolveShape{{16, 2, 13, 6, 16}, 64, 0},
};
template <>
inline constexpr std::array solve_shapes<double> = {
    SolveShape{{2, 4, 12, 7, 8}, 20, 16}, SolveShape{{4, 2, 8, 5, 16}, 24, 0},  SolveShape{{8, 1, 5, 11, 12}, 24, 0},
    SolveShape{{4, 4, 10, 5, 12}, 24, 0}, SolveShape{{4, 4, 7, 8, 12}, 24, 0},  SolveShape{{4, 4, 8, 9, 8}, 24, 0},
    SolveShape{{4, 4, 9, 10, 8}, 24, 0},  SolveShape{{4, 8, 10, 6, 8}, 24, 30}, SolveShape{{8, 2, 8, 7, 12}, 24, 0},
    SolveShape{{4, 4, 16, 5, 8}, 24, 0},  SolveShape{{8, 2, 16, 5, 8}, 64, 0},  SolveShape{{8, 2, 13, 6, 8}, 64, 0},
    SolveShape{{8, 4, 13, 6, 8}, 64, 0},  SolveShape{{8, 4, 16, 5, 8}, 64, 0},  SolveShape{{16, 2, 13, 6, 8}, 64, 0},
};

// How [A b], m x (n + 1), lies in registers and, in elements, in shared memory
struct SolvePlaces {
    int down, across, end;  // places of the first row and column in the lanes, and of the end of the last step
    int ld, matrix, all;    // distances between columns, between matrices; all of a warp
    bool has_chunks;        // columns begin at multiples of 16 bytes, and are whole chunks
    bool is_contiguous;     // they follow each other without gaps, in shared memory too
    int copy_lanes;         // that share a column
    int64_t ahead;          // matrices from one that is loaded to one that is loaded to the second-level cache, or 0
};
// Leading dimension in shared memory of a matrix that a warp solves alone: few different ones
XBATCH_HD constexpr int alone_ld(int height) {
    return height <= 32 ? 32 : height <= 64 ? 64 : height <= 128 ? 128 : 224;
}
// column: distance between columns in global memory, all of which are aligned to 16 bytes if the first is and
// has_chunks
template <class T>
SolvePlaces solve_places(CyclicShape s, int m, int n, int64_t column, bool has_chunks) {
    constexpr int chunk = 16 / int(sizeof(T)), most_gap = 4 * chunk;
    const int across = s.first_column(m, n + 1), down = s.first_row(m, n + 1);
    SolvePlaces at{down, across, across + n, 0, 0, 0, has_chunks, false, 1, 0};
    const int unit = has_chunks ? chunk : 1;
    int least = INT32_MAX;
    for (int ld = m; ld < m + most_gap; ld += unit)
        for (int gap = 0; gap < most_gap; gap += unit) {
            const int matrix = (n + 1) * ld + gap, conflicts = bank_conflicts<T>(s, ld, matrix);
            if (conflicts < least) least = conflicts, at.ld = ld, at.matrix = matrix;
        }
    at.is_contiguous = has_chunks && column == m && at.ld == m;
    at.copy_lanes = cyclic_copy_lanes(s, m / unit);
    const int alone = alone_ld(s.most_rows());
    at.all = std::max(s.of_warp() * (at.matrix + s.most_columns()), (n + 1) * alone + n);
    return at;
}
// Bytes of shared memory of a block: a barrier, and elements
template <class T>
size_t solve_bytes(const SolvePlaces &at) {
    return 16 + size_t(at.all) * sizeof(T);
}

}  // namespace xbatch::qr
