// qr_rows_tuning.hpp: how lanes solve least squares with the rows of a matrix in registers (solve_rows.cuh), by its
// size.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

// The most columns, lanes of a matrix, rows of a lane, columns whose sums are formed together, warps for which a
// multiprocessor has registers
struct RowsShape {
    int columns, lanes, rows, together, occupancy;

    XBATCH_HD constexpr int height() const { return rows * lanes; }
    XBATCH_HD constexpr int of_warp() const { return 32 / lanes; }
    XBATCH_HD constexpr int stages() const { return (columns + lanes - 1) / lanes; }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const { return n <= columns && m <= height(); }
    // Rows r p + lane of R [columns x columns], each from the diagonal's block on: words of a lane before these
    XBATCH_HD constexpr int words_before(int r) const { return r * columns - r * (r - 1) / 2 * lanes; }
    // Leading dimension in shared memory of a matrix that a warp solves: few different ones
    XBATCH_HD constexpr int ld() const {
        return height() <= 32 ? 32 : height() <= 64 ? 64 : height() <= 128 ? 128 : 224;
    }
    // Elements of shared memory of a warp: R of its matrices, or one matrix with a right-hand side, and tau
    XBATCH_HD constexpr int elements() const {
        const int r = 32 * words_before(stages()), one = ld() * (columns + 1) + columns;
        return r > one ? r : one;
    }
};

// Shapes in the order in which they are tried, from measurements on an H100. Others are faster in shared memory
// (factor_resident.cuh).
template <class T>
constexpr std::array<RowsShape, 0> rows_shapes = {};
template <>
inline constexpr std::array rows_shapes<float> = {
    RowsShape{8, 2, 4, 1, 32},  RowsShape{12, 2, 6, 1, 16},  RowsShape{16, 4, 4, 1, 20},
    RowsShape{8, 4, 6, 1, 20},  RowsShape{20, 4, 5, 2, 12},  RowsShape{24, 4, 6, 2, 8},
    RowsShape{16, 8, 8, 2, 12}, RowsShape{20, 16, 7, 4, 12}, RowsShape{16, 32, 7, 4, 12},
};
template <>
inline constexpr std::array rows_shapes<double> = {
    RowsShape{8, 2, 4, 1, 16}, RowsShape{12, 4, 3, 2, 16}, RowsShape{16, 4, 4, 2, 12},  RowsShape{8, 4, 6, 2, 12},
    RowsShape{20, 4, 5, 2, 8}, RowsShape{24, 8, 3, 2, 12}, RowsShape{16, 16, 4, 4, 12},
};

// Shared memory of a warp, in elements: where contiguous matrices are loaded through it, the distance between them, by
// which adjacent ones begin in different banks, else 0; and all of it. chunk: elements of 16 bytes
struct RowsMemory {
    int pitch, all;

    constexpr RowsMemory(RowsShape s, int chunk, int matrix, bool is_contiguous) : pitch(0), all(s.elements()) {
        const int line = 8 * chunk, shift = s.lanes < chunk ? chunk : s.lanes;
        if (is_contiguous) pitch = matrix + (line + shift - matrix % line) % line;
        all = std::max(all, s.of_warp() * pitch);
    }
};

}  // namespace xbatch::qr
