// qr_packed_tuning.hpp: how blocks factor matrices whose panels go through registers (factor_packed.cuh).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

// Rows of a lane, lanes that share a column, warps of a block, blocks for which a multiprocessor has registers, the
// most reflectors, and columns of a lane. A warp holds a panel.
struct PackedShape {
    int rows, down, warps, blocks, most, each = 1;
    bool by_mma = false;    // panels are applied by matrix instructions (panel_mma.cuh)
    bool is_tight = false;  // no gaps between columns of vectors: memory holds more matrices, access is slower

    XBATCH_HD constexpr int columns() const { return 32 / down * each; }
    XBATCH_HD constexpr int height() const { return rows * down; }
    // Matrix instructions for tall matrices only: columns that a panel exchanges are not in registers, but read again,
    // and the last panel has the place of the first one's vectors.
    XBATCH_HD constexpr bool is_long() const { return by_mma && height() >= 2 * most; }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n, bool is_flat) const {
        if (is_long() && !is_flat) return false;
        return m <= height() && (m < n && !is_long() ? m : n) <= most;
    }
    // Of panel p in shared memory: its first row, the leading dimension, by which adjacent columns begin in different
    // banks or by panel_mma.cuh if they are tight, and where it begins. chunk: elements of 16 bytes
    XBATCH_HD constexpr int first_row(int p, int chunk) const {
        return p * columns() / (down * chunk) * (down * chunk);
    }
    XBATCH_HD constexpr int ld(int p, int chunk) const {
        const int held = height() - first_row(p, chunk), unit = down * chunk;
        return !is_tight && held / unit % 2 == 0 ? held + unit : held;
    }
    XBATCH_HD constexpr int begin(int p, int chunk) const {
        int all = 0;
        for (int q = 0; q < p; ++q) all += columns() * ld(q, chunk);
        return all;
    }
    XBATCH_HD constexpr int panels(int64_t k) const { return int((k + columns() - 1) / columns()); }
    XBATCH_HD constexpr int stages() const { return panels(most); }
};

// Matrices of no more rows are resident, and of more than a panel those for which resident_shapes has a shape of few
// reflectors.
constexpr int least_packed_rows(PackedShape s) {
    if (s.height() > 64) return 64;
    return s.by_mma ? 32 : s.stages() == 1 ? 40 : 56;
}
// One warp for each matrix, as far as they go. Interleaved ones are resident, several in a block, which is faster.
constexpr bool is_for_flat_only(PackedShape s) { return s.stages() == 1 || s.height() <= 64; }
// More reflectors than this: fewer of complex matrices are found faster where each entry stays in a register.
template <class T>
constexpr int least_packed_reflectors = sizeof(T) > sizeof(Real<T>) ? 32 : 0;

// Shapes in the order in which they are tried, from measurements on an H100, and on an H200 those by_mma and of two
// columns a lane. Warps of all blocks: a multiple of four, for the four register files of a multiprocessor.
template <class T>
constexpr std::array<PackedShape, 1> packed_shapes = {};
template <>
inline constexpr std::array packed_shapes<float> = {
    PackedShape{16, 4, 1, 16, 64, 2}, PackedShape{20, 4, 1, 12, 80, 2}, PackedShape{24, 4, 2, 6, 96, 2},
    PackedShape{28, 4, 2, 6, 112, 2}, PackedShape{32, 4, 2, 6, 128, 2}, PackedShape{20, 8, 1, 16, 24, 2},
    PackedShape{28, 8, 1, 12, 24, 2}, PackedShape{40, 8, 1, 8, 24, 2},  PackedShape{20, 8, 2, 8, 64, 2},
    PackedShape{28, 8, 2, 6, 64, 2},  PackedShape{40, 8, 2, 4, 64, 2},  PackedShape{52, 8, 2, 4, 64, 2},
};
template <>
inline constexpr std::array packed_shapes<double> = {
    PackedShape{10, 4, 1, 20, 40, 1, true},
    PackedShape{12, 4, 1, 16, 48, 1, true, true},
    PackedShape{16, 4, 1, 12, 64, 1, true, true},
    PackedShape{20, 4, 1, 12, 40, 1, true, true},
    PackedShape{14, 8, 1, 8, 20, 5},
    PackedShape{20, 4, 2, 6, 80, 1, true},
    PackedShape{24, 4, 1, 12, 48, 1, true},
    PackedShape{26, 4, 2, 4, 104, 1, true},
    PackedShape{28, 4, 1, 8, 40, 1, true},
    PackedShape{28, 4, 2, 4, 112, 1, true, true},
    PackedShape{32, 4, 1, 8, 32, 1, true},
    PackedShape{32, 4, 2, 4, 128, 1, true},
    PackedShape{40, 4, 1, 8, 32, 1, true},
    PackedShape{52, 4, 1, 8, 32, 1, true},
    PackedShape{64, 4, 1, 8, 32, 1, true},
    PackedShape{76, 4, 1, 8, 32, 1, true},
};
template <>
inline constexpr std::array packed_shapes<Complex<float>> = {
    PackedShape{16, 4, 1, 8, 64, 2},
    PackedShape{24, 4, 4, 3, 96},
    PackedShape{32, 4, 4, 2, 128},
};
template <>
inline constexpr std::array packed_shapes<Complex<double>> = {
    PackedShape{14, 8, 6, 2, 112},
    PackedShape{16, 8, 8, 1, 128},
};

// Bytes of shared memory of a block: before the vectors, for tau, barriers and info; in all, for k reflectors
template <class T>
constexpr int packed_head_bytes(PackedShape s) {
    return (s.stages() * (s.columns() * int(sizeof(T)) + 8) + 4 + 15) / 16 * 16;
}
// ends_at_first: the last panel has the place of the first one's vectors.
template <class T>
size_t packed_bytes(PackedShape s, int64_t k, bool ends_at_first) {
    const int panels = s.panels(k), held = ends_at_first && panels > 1 ? panels - 1 : panels;
    return size_t(packed_head_bytes<T>(s)) + size_t(s.begin(held, 16 / int(sizeof(T)))) * sizeof(T);
}
template <class T>
size_t packed_bytes(PackedShape s, int64_t k) {
    return packed_bytes<T>(s, k, s.is_long());
}

// Interleaved matrices whose panels are boxes (factor_boxed.cuh), two of them a block: the shapes with which that is
// faster on an H200 than entries one by one, or than flat copies. More matrices in a block leave fewer in shared
// memory, which is slower.
constexpr bool is_for_boxes(PackedShape s) {
    return s.by_mma && s.height() >= 48 && s.height() <= (s.is_long() ? 128 : 104);
}
constexpr int boxed_matrices = 2;
// For others, and those with few reflectors or more columns than rows, qr_adjacent_tuning.hpp has a faster kernel, or
// shared memory holds them.
constexpr bool is_size_for_boxes(int64_t m, int64_t n) { return n > (m <= 64 ? 32 : 20) && n <= m; }
// With tight vectors if a multiprocessor then has room for another block
constexpr PackedShape boxed_shape(PackedShape s) {
    s.is_tight = s.height() <= 80 || s.is_long();
    return s;
}
// Columns of a box: half of a panel where a multiprocessor then has room for another block. And the blocks for which it
// has room
constexpr int boxed_columns(PackedShape s) { return s.height() > 80 && !s.is_long() ? s.columns() / 2 : s.columns(); }
constexpr int boxed_blocks(PackedShape s) {
    if (s.is_long()) return s.blocks / boxed_matrices;
    return s.height() <= 48 ? 8 : s.height() <= 64 ? 5 : s.height() <= 80 ? 3 : 2;
}
// Bytes from the own memory of an m x n matrix to the next one's; before the boxes, for their barriers; and of a block
constexpr int box_head_bytes = 128;
template <class T>
int boxed_apart(PackedShape s, int64_t m, int64_t n) {
    const int64_t k = m < n ? m : n;
    const bool ends_at_first = boxed_columns(s) == s.columns() && s.panels(n) == s.panels(k);
    return int(packed_bytes<T>(s, k, ends_at_first) + 127) / 128 * 128;
}
template <class T>
XBATCH_HD constexpr int box_bytes(PackedShape s, int m) {
    return (boxed_columns(s) * m * boxed_matrices * int(sizeof(T)) + 127) / 128 * 128;
}
template <class T>
size_t boxed_bytes(PackedShape s, int64_t m, int64_t n) {
    return size_t(boxed_matrices * boxed_apart<T>(s, m, n) + box_head_bytes + s.warps * box_bytes<T>(s, int(m)));
}

}  // namespace xbatch::qr
