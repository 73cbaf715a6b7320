// qr_batch_tuning.hpp: which groups of threads take a matrix, by its size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace xbatch {

// The kinds of register_tile.cuh. A thread, or a few of one warp, hold a small matrix whole; a block holds panels of
// 16, 32 or 64 columns (of complex double 32) of a larger one.
enum class QrKind { eight, sixteen, thirty_two, narrow, middle, wide, none };

// Rows of which a block's shared memory holds 16 columns
template <size_t element_size>
constexpr int64_t largest_rows = element_size == 16 ? 512 : 1024;

// Lanes beside each other, and what of a matrix each holds; the most threads of a block, and how many such blocks a
// multiprocessor is to have.
struct TileNumbers {
    int lanes, columns, rows, threads, blocks;
};
// rides: with right-hand sides behind the columns; is_z: elements are complex double
constexpr TileNumbers numbers_of(QrKind kind, bool rides, bool is_z) {
    switch (kind) {
        case QrKind::eight: return {4, rides ? 3 : 2, 8, 128, is_z ? 4 : 6};
        case QrKind::sixteen: return {8, rides && !is_z ? 3 : 2, 16, 128, is_z ? 2 : rides ? 3 : 4};
        case QrKind::thirty_two: return {rides || is_z ? 32 : 16, is_z ? 1 : 2, 32, 64, 5};
        case QrKind::narrow: return {8, 2, 16, is_z ? 256 : 512, 1};
        case QrKind::middle: return {is_z ? 32 : 16, is_z ? 1 : 2, 32, 256, 1};
        default: return {32, is_z ? 1 : 2, 16, 512, 1};
    }
}
template <size_t element_size>
constexpr int64_t columns_of(QrKind kind, bool rides) {
    const TileNumbers numbers = numbers_of(kind, rides, element_size == 16);
    return numbers.lanes * numbers.columns;
}

// For m rows; n columns are held at once where they can be.
template <size_t element_size>
QrKind kind_for(int64_t m, int64_t n) {
    if (m <= 8) return QrKind::eight;
    if (m <= 16) return QrKind::sixteen;
    if (m <= 32) return QrKind::thirty_two;
    constexpr int64_t most = largest_rows<element_size>;
    if (n <= 16 && m <= most) return QrKind::narrow;
    if (n <= 32 && m <= most / 2) return QrKind::middle;
    if (m <= 256) return QrKind::wide;
    if (m <= most / 2) return QrKind::middle;
    return m <= most ? QrKind::narrow : QrKind::none;
}

// For n columns, right-hand sides among them, that must be held at once; none where no kind holds them.
template <size_t element_size>
QrKind kind_that_holds(int64_t m, int64_t n) {
    for (const int64_t least : {8, 16, 32, 33}) {  // rows of the next larger kind
        const QrKind kind = kind_for<element_size>(std::max(m, least), n);
        if (kind != QrKind::none && n <= columns_of<element_size>(kind, true)) return kind;
    }
    return QrKind::none;
}

}  // namespace xbatch
