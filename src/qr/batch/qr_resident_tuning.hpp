// qr_resident_tuning.hpp: how blocks factor matrices by panels in shared memory (factor_resident.cuh), by their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

// Rows of a lane, lanes that share a column, columns of a panel, warps that factor panels of the same matrices in turn,
// warps for which a multiprocessor has registers, the most reflectors, and groups of such warps in a block
struct ResidentShape {
    int rows, down, columns, warps, occupancy, most, groups = 1;

    XBATCH_HD constexpr int height() const { return rows * down; }
    XBATCH_HD constexpr int most_reflectors() const { return most < height() ? most : height(); }
    XBATCH_HD constexpr int of_warp() const { return 32 / (down * columns); }  // matrices of a group
    // Leading dimension in shared memory: adjacent columns begin in different banks. chunk: elements of 16 bytes
    XBATCH_HD constexpr int ld(int chunk) const { return rows / chunk % 2 == 0 ? height() + down * chunk : height(); }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const {
        return m <= height() && (m < n ? m : n) <= most_reflectors();
    }
};

// Shared memory of a block, for matrices of n columns: elements from a matrix to the next, and for each one's tau
struct ResidentLayout {
    int matrix, taus;

    XBATCH_HD constexpr ResidentLayout(ResidentShape s, int chunk, int n)
        : matrix(n * s.ld(chunk)), taus((n + s.columns - 1) / s.columns * s.columns) {
        const int line = 8 * chunk;  // elements in all banks; each matrix begins in others
        if (s.of_warp() > 1) matrix += (line + s.down * chunk - matrix % line) % line;
    }
    XBATCH_HD constexpr int elements(ResidentShape s) const { return s.groups * s.of_warp() * (matrix + taus); }
};

// Shapes in the order in which they are tried, from measurements on an H100
constexpr int any = 1 << 30;
template <class T>
constexpr std::array<ResidentShape, 1> resident_shapes = {};
template <>
inline constexpr std::array resident_shapes<float> = {
    ResidentShape{8, 1, 2, 1, 28, any},  ResidentShape{12, 1, 4, 1, 32, any, 2}, ResidentShape{16, 1, 4, 1, 24, any, 2},
    ResidentShape{20, 1, 4, 1, 24, any}, ResidentShape{24, 1, 8, 1, 20, 8},      ResidentShape{24, 1, 4, 2, 20, any},
    ResidentShape{32, 1, 8, 1, 16, any}, ResidentShape{36, 1, 8, 1, 16, any},    ResidentShape{20, 2, 8, 1, 20, any},
    ResidentShape{24, 2, 8, 2, 16, any}, ResidentShape{32, 2, 8, 1, 16, 24},     ResidentShape{32, 2, 8, 2, 16, any},
};
template <>
inline constexpr std::array resident_shapes<double> = {
    ResidentShape{8, 1, 2, 1, 20, any},  ResidentShape{12, 1, 4, 1, 20, any, 2}, ResidentShape{16, 1, 4, 1, 16, any, 2},
    ResidentShape{20, 1, 4, 2, 14, any}, ResidentShape{12, 2, 4, 1, 16, 12},     ResidentShape{24, 1, 4, 2, 12, any},
    ResidentShape{28, 1, 4, 3, 12, any}, ResidentShape{32, 1, 4, 3, 12, any},    ResidentShape{18, 2, 4, 2, 14, any},
    ResidentShape{20, 2, 8, 1, 12, 24},  ResidentShape{24, 2, 8, 2, 12, any},    ResidentShape{32, 2, 8, 1, 10, 24},
    ResidentShape{32, 2, 8, 3, 9, any},  ResidentShape{18, 4, 8, 3, 15, any},    ResidentShape{26, 4, 8, 1, 12, 32},
    ResidentShape{26, 4, 8, 4, 12, any}, ResidentShape{26, 8, 4, 1, 12, 16},
};
template <>
inline constexpr std::array resident_shapes<Complex<float>> = {
    ResidentShape{8, 1, 2, 1, 24, any},  ResidentShape{12, 1, 4, 1, 16, any, 2}, ResidentShape{16, 1, 4, 1, 16, any, 2},
    ResidentShape{20, 1, 4, 1, 12, any}, ResidentShape{12, 2, 4, 1, 16, any},    ResidentShape{16, 2, 4, 2, 14, any},
    ResidentShape{20, 2, 8, 1, 12, any}, ResidentShape{24, 2, 8, 2, 12, any},
};
template <>
inline constexpr std::array resident_shapes<Complex<double>> = {
    ResidentShape{8, 1, 2, 1, 12, any},  ResidentShape{6, 2, 4, 1, 16, any, 2}, ResidentShape{8, 2, 4, 1, 16, any, 2},
    ResidentShape{10, 2, 4, 2, 12, any}, ResidentShape{6, 4, 4, 2, 16, any},    ResidentShape{8, 4, 8, 1, 14, any},
    ResidentShape{10, 4, 8, 1, 12, any}, ResidentShape{12, 4, 8, 2, 12, any},
};

// The first shape that holds m x n matrices, or the number of shapes
template <class T>
int resident_shape_for(int64_t m, int64_t n) {
    const auto &shapes = resident_shapes<T>;
    const auto holds = [&](const ResidentShape &s) { return s.holds(m, n); };
    return int(std::find_if(shapes.begin(), shapes.end(), holds) - shapes.begin());
}
// Bytes of shared memory of a block, with a flag for each matrix and the number of panels that are done
template <class T>
size_t resident_bytes(ResidentShape s, int64_t n) {
    const ResidentLayout at(s, 16 / int(sizeof(T)), int(n));
    return size_t(at.elements(s)) * sizeof(T) + size_t(s.groups * s.of_warp() + 1) * sizeof(int);
}
// Whether shared memory holds a block's matrices. Interleaved ones of up to 8 x 8, and of more than 64 rows, are faster
// otherwise.
template <class T>
bool is_resident(int64_t m, int64_t n, bool is_flat, int shared_per_block) {
    const size_t which = size_t(resident_shape_for<T>(m, n));
    constexpr int64_t most_columns = 1024;
    if (which == resident_shapes<T>.size() || n > most_columns) return false;
    const ResidentShape &s = resident_shapes<T>[which];
    return (is_flat || ((m > 8 || n > 8) && m <= 64)) && resident_bytes<T>(s, n) <= size_t(shared_per_block);
}

}  // namespace xbatch::qr
