// qr_resident_tuning.hpp: how blocks factor matrices by panels in shared memory (factor_resident.cuh), by their size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

// Rows of a lane, lanes that share a column, columns of a panel, warps that factor panels of the same matrices in turn,
// warps for which a multiprocessor has registers, the most reflectors, the most groups of such warps in a block, and
// columns of a lane
struct ResidentShape {
    int rows, down, columns, warps, occupancy, most, groups = 1, each = 1;

    XBATCH_HD constexpr int height() const { return rows * down; }
    XBATCH_HD constexpr int most_reflectors() const { return most < height() ? most : height(); }
    XBATCH_HD constexpr int across() const { return columns / each; }           // lanes
    XBATCH_HD constexpr int of_warp() const { return 32 / (down * across()); }  // matrices of a group
    XBATCH_HD constexpr int stages() const { return (most_reflectors() + columns - 1) / columns; }
    // Leading dimension in shared memory: adjacent columns begin in different banks. chunk: elements of 16 bytes
    XBATCH_HD constexpr int ld(int chunk) const { return rows / chunk % 2 == 0 ? height() + down * chunk : height(); }
    // Right-hand sides of tall matrices that are one panel must belong to it: another panel would take as long. In
    // double shapes of several panels solve these faster.
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n, int64_t nrhs = 0) const {
        const bool has_room = height() <= 64 || stages() > 1 || (n + nrhs <= columns && occupancy > 8);
        return m <= height() && (m < n ? m : n) <= most_reflectors() && (nrhs == 0 || has_room);
    }
};

// Shared memory of a block, for matrices of n columns and their right-hand sides: elements from a matrix to the next,
// and for each one's tau
struct ResidentLayout {
    int matrix, taus;

    XBATCH_HD constexpr ResidentLayout(ResidentShape s, int chunk, int n, int nrhs)
        : matrix((n + nrhs) * s.ld(chunk)), taus((n + s.columns - 1) / s.columns * s.columns) {
        // Elements in all banks; and by how many matrices begin in others: for those of a warp, or else for the threads
        // that copy a row of four interleaved ones
        const int line = 8 * chunk, apart = (s.of_warp() > 1 ? s.down : 2) * chunk;
        matrix += (line + apart - matrix % line) % line;
    }
};

// Shapes in the order in which they are tried, from measurements on an H100
constexpr int any = 1 << 30;
template <class T>
constexpr std::array<ResidentShape, 1> resident_shapes = {};
template <>
inline constexpr std::array resident_shapes<float> = {
    ResidentShape{8, 1, 2, 1, 24, any, 4},     ResidentShape{12, 1, 4, 1, 24, any, 4},
    ResidentShape{16, 1, 4, 1, 20, any, 4},    ResidentShape{20, 1, 4, 1, 20, any, 4},
    ResidentShape{24, 1, 8, 1, 16, 8, 4, 2},   ResidentShape{12, 2, 8, 1, 20, any, 4, 2},
    ResidentShape{20, 2, 12, 1, 16, 12, 4, 3}, ResidentShape{32, 1, 8, 1, 16, any, 4},
    ResidentShape{20, 2, 8, 1, 16, any, 4, 2}, ResidentShape{24, 2, 8, 2, 16, any, 4},
    ResidentShape{32, 2, 8, 1, 12, 24, 4},     ResidentShape{32, 2, 8, 2, 12, any, 2},
    ResidentShape{16, 8, 20, 1, 12, 20, 4, 5}, ResidentShape{28, 8, 12, 1, 12, 12, 4, 3},
};
template <>
inline constexpr std::array resident_shapes<double> = {
    ResidentShape{8, 1, 2, 1, 20, any, 2},      ResidentShape{12, 1, 4, 1, 20, any, 4},
    ResidentShape{18, 1, 8, 1, 12, any, 4, 2},  ResidentShape{10, 2, 4, 1, 16, any, 4},
    ResidentShape{12, 2, 8, 1, 16, any, 4, 2},  ResidentShape{20, 2, 4, 1, 12, 12, 4},
    ResidentShape{28, 1, 4, 3, 12, any, 2},     ResidentShape{16, 2, 8, 1, 12, any, 4},
    ResidentShape{10, 4, 8, 1, 16, any, 4, 2},  ResidentShape{24, 2, 8, 2, 12, any, 2},
    ResidentShape{32, 2, 8, 1, 8, 24, 4},       ResidentShape{14, 4, 16, 2, 14, any, 4, 2},
    ResidentShape{18, 4, 16, 2, 12, any, 4, 2}, ResidentShape{14, 8, 20, 1, 8, 20, 4, 5},
    ResidentShape{26, 4, 8, 1, 12, 32, 4},      ResidentShape{26, 4, 8, 4, 12, any, 2},
    ResidentShape{26, 8, 4, 1, 12, 16, 4},
};
template <>
inline constexpr std::array resident_shapes<Complex<float>> = {
    ResidentShape{8, 1, 2, 1, 20, any, 2},  ResidentShape{12, 1, 4, 1, 16, any, 4},
    ResidentShape{16, 1, 4, 1, 12, any, 2}, ResidentShape{20, 1, 4, 1, 12, any, 2},
    ResidentShape{12, 2, 4, 1, 16, any, 4}, ResidentShape{16, 2, 4, 2, 12, any, 2},
    ResidentShape{20, 2, 8, 1, 12, any, 4}, ResidentShape{24, 2, 8, 2, 8, any, 2},
    ResidentShape{16, 4, 8, 1, 12, 24, 4},
};
template <>
inline constexpr std::array resident_shapes<Complex<double>> = {
    ResidentShape{8, 1, 2, 1, 12, any, 1},  ResidentShape{6, 2, 4, 1, 12, any, 4},
    ResidentShape{8, 2, 4, 1, 12, any, 2},  ResidentShape{10, 2, 4, 1, 12, any, 1},
    ResidentShape{12, 2, 4, 2, 12, any, 1}, ResidentShape{14, 2, 8, 1, 8, any, 2},
    ResidentShape{16, 2, 8, 1, 8, any, 2},  ResidentShape{10, 4, 8, 1, 12, any, 4},
    ResidentShape{12, 4, 8, 2, 8, any, 2},
};

// Bytes of shared memory of a block: also a flag, info and scaling of each matrix, barriers of panels and, if sizes
// differ, each matrix's addresses and size
constexpr int resident_place_bytes = 56;
template <class T>
size_t resident_bytes(ResidentShape s, int64_t n, int64_t nrhs, int groups, bool is_varying) {
    const ResidentLayout at(s, 16 / int(sizeof(T)), int(n), int(nrhs));
    const int matrices = groups * s.of_warp(), barriers = s.warps > 1 ? groups * s.stages() : 0;
    const size_t of_each = size_t(at.matrix + at.taus) * sizeof(T) + 4 * sizeof(int);
    return size_t(matrices) * (of_each + (is_varying ? resident_place_bytes : 0)) + size_t(barriers) * 8;
}
// Groups of a block: one, or as many as it can have where that makes more of interleaved memory contiguous; half of
// them where a multiprocessor then holds a fifth more matrices, if 32 bytes, of floats 64, remain contiguous.
template <class T>
int resident_groups(ResidentShape s, bool is_flat, int64_t n, int64_t nrhs, int shared_per_block) {
    constexpr int reserved = 1024;  // bytes of each block
    const auto held = [&](int groups) {
        const size_t bytes = resident_bytes<T>(s, n, nrhs, groups, false);
        const int by_memory = int(size_t(shared_per_block + reserved) / (bytes + reserved));
        return groups * std::min(by_memory, s.occupancy / (s.warps * groups));
    };
    const int fewest = (sizeof(T) == 4 ? 64 : 32) / int(sizeof(T)) / s.of_warp();
    int groups = is_flat ? 1 : s.groups;
    while (groups > 1 && (held(groups) == 0 || (groups / 2 >= fewest && 5 * held(groups / 2) >= 6 * held(groups))))
        groups /= 2;
    return groups;
}

}  // namespace xbatch::qr
