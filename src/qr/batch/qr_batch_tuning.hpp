// qr_batch_tuning.hpp: which lanes and blocks process a matrix, by its size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/layout.hpp"

namespace xbatch::qr {

// The kinds of register_tile.cuh. Lanes of a warp hold a matrix of up to 32 x 32. rows_m: warps across hold a matrix of
// up to m rows, or panels of it. tall: warps share the rows too.
enum class QrKind { eight, sixteen, thirty_two, rows_64, rows_128, rows_256, rows_512, tall, none };

constexpr int64_t most_rows = 4096;
constexpr int most_warps = 8;  // of a matrix

// Lanes down and across, columns and rows that each holds, threads of a block at most, and blocks per multiprocessor
struct TileNumbers {
    int down, across, columns, rows, threads, blocks;

    XBATCH_HD constexpr int warps_down(QrKind kind, int64_t m) const {
        return kind == QrKind::tall ? int((m - 1) / (down * rows)) + 1 : 1;
    }
    // The most that hold no more columns than rows
    XBATCH_HD constexpr int most_warps_across(int warps_down) const {
        const int by_warps = most_warps / warps_down, by_rows = down * rows * warps_down / (across * columns);
        return by_warps < by_rows ? by_warps : by_rows;
    }
};
// is_z: elements are complex double
XBATCH_HD constexpr TileNumbers numbers_of(QrKind kind, bool is_z) {
    switch (kind) {
        case QrKind::eight: return is_z ? TileNumbers{2, 2, 4, 4, 128, 3} : TileNumbers{2, 1, 8, 4, 128, 4};
        case QrKind::sixteen: return is_z ? TileNumbers{2, 4, 4, 8, 128, 2} : TileNumbers{2, 2, 8, 8, 128, 2};
        case QrKind::thirty_two: return is_z ? TileNumbers{2, 16, 2, 16, 128, 2} : TileNumbers{2, 8, 4, 16, 128, 2};
        case QrKind::rows_64: return {4, 8, is_z ? 2 : 4, 16, 256, 1};
        case QrKind::rows_128: return {8, 4, is_z ? 2 : 4, 16, 256, 1};
        case QrKind::rows_256: return {16, 2, is_z ? 2 : 4, 16, 256, 1};
        default: return {32, 1, is_z ? 2 : 4, 16, 256, 1};
    }
}

XBATCH_HD inline QrKind kind_for(int64_t m, int64_t n) {
    if (m <= 8 && n <= 8) return QrKind::eight;
    if (m <= 16 && n <= 16) return QrKind::sixteen;
    if (m <= 32 && n <= 32) return QrKind::thirty_two;
    if (m <= 64) return QrKind::rows_64;
    if (m <= 128) return QrKind::rows_128;
    if (m <= 256) return QrKind::rows_256;
    if (m <= 512) return QrKind::rows_512;
    return m <= most_rows ? QrKind::tall : QrKind::none;
}

// Whether several blocks factor a matrix together, by panels: if one cannot, or is slower on an H200
inline bool factors_by_panels(int64_t m, int64_t n, int64_t batch, int multiprocessors) {
    if (m > most_rows || m < 64) return m > most_rows;
    return n > 32 ? m * n >= 1 << 16 : m * n >= 1 << 15 && 8 * batch <= multiprocessors;
}
// The same for products of k reflectors with C [rows x columns]
inline bool applies_by_panels(int64_t rows, int64_t columns, int64_t k) {
    return rows > most_rows || (rows >= 128 && columns >= 32 && k >= 32);
}

// Persistent blocks load matrices while they factor others, which fill most of a tile of 16 x 16 to 64 x 64 or, if they
// are flat, of 8 x 8. A multiprocessor has registers for three of them at most.
struct PersistentNumbers {
    TileNumbers tile;
    int warps_across, matrices;  // warps of a matrix, matrices of a block
};
XBATCH_HD constexpr int persistent_columns(QrKind kind) { return 8 << int(kind); }
XBATCH_HD constexpr PersistentNumbers persistent_numbers(QrKind kind, int entry_bytes) {
    TileNumbers tile = numbers_of(kind, entry_bytes == 16);
    if (kind == QrKind::rows_64 && entry_bytes == 4) tile.columns = 64 / tile.across;
    if (tile.blocks > 3) tile.blocks = 3;
    const int warps_across = persistent_columns(kind) / (tile.across * tile.columns);
    return {tile, warps_across, tile.threads / (tile.down * tile.across * warps_across)};
}
// If they are more than the device holds at once or, of 64 x 64, from the batch size on at which an H200 is not faster
// with one matrix per block.
inline bool uses_persistent_blocks(QrKind kind, bool is_flat, int64_t m, int64_t n, int entry_bytes, int64_t batch,
                                   int multiprocessors, int shared_per_block) {
    if (kind > QrKind::rows_64 || (kind == QrKind::eight && !is_flat)) return false;
    const int columns = persistent_columns(kind), filled = is_flat ? 7 : 6;  // eighths of the rows
    if (n > columns || 8 * m <= filled * columns || 4 * n <= 3 * columns) return false;
    const PersistentNumbers s = persistent_numbers(kind, entry_bytes);
    constexpr int exchange_bytes = 1 << 14;  // bytes, at most
    const int slots = s.tile.threads * s.tile.columns * s.tile.rows * entry_bytes;
    if (slots + exchange_bytes > shared_per_block) return false;
    const int64_t held = int64_t(multiprocessors) * s.tile.blocks * s.matrices;
    if (kind == QrKind::rows_64) return batch > held / (is_flat ? 2 : 4);
    return !is_flat || batch > held;
}

// The blocks of a cluster factor adjacent interleaved matrices, one each: memory is read in units of 64 bytes, eight
// elements of eight bytes. Complex double is not faster by that.
constexpr int cluster_blocks = 8;
// If a block holds a whole matrix, which fills at least half of its tile, and the cluster's lie in one block of the
// layout.
inline bool uses_cluster(QrKind kind, int64_t m, int64_t n, const MatrixPlacement &at) {
    if (kind <= QrKind::rows_64 || kind >= QrKind::tall || at.layout == XBATCH_LAYOUT_FLAT) return false;
    const TileNumbers numbers = numbers_of(kind, false);
    const int64_t columns = numbers.across * numbers.columns, warps_across = (n - 1) / columns + 1;
    return warps_across <= numbers.most_warps_across(1) &&
           2 * m * n >= numbers.down * numbers.rows * columns * warps_across &&
           (at.layout == XBATCH_LAYOUT_INTERLEAVED || at.stride % cluster_blocks == 0);
}

// The kind, of blocks for a matrix, that holds n columns and nrhs right-hand sides at once, or none
XBATCH_HD inline QrKind block_kind_for(int64_t m, int64_t n) {
    const QrKind kind = kind_for(m, n);
    return kind < QrKind::rows_64 ? QrKind::rows_64 : kind;
}
XBATCH_HD inline QrKind kind_that_holds(int64_t m, int64_t n, int64_t nrhs, bool is_z) {
    for (QrKind kind = block_kind_for(m, n); kind < QrKind::none; kind = QrKind(int(kind) + 1)) {
        const TileNumbers numbers = numbers_of(kind, is_z);
        const int64_t warps = numbers.most_warps_across(numbers.warps_down(kind, m));
        if (n + nrhs <= numbers.across * numbers.columns * warps) return kind;
    }
    return QrKind::none;
}

// Matrices of different sizes are of the first of these classes that holds them, each with the shape for its largest.
constexpr int resident_classes = 5;
XBATCH_HD constexpr int resident_order(int which) {
    constexpr int orders[resident_classes] = {8, 16, 24, 32, 48};
    return orders[which];
}
XBATCH_HD constexpr int resident_class(int64_t m, int64_t n) {
    int which = 0;
    while (which < resident_classes && (m > resident_order(which) || n > resident_order(which))) ++which;
    return which;
}

}  // namespace xbatch::qr
