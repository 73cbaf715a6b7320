// qr_split_tuning.hpp: how a few warps share the rows of a tall matrix of doubles (factor_split.cuh), by its size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "core/scalar.hpp"

namespace xbatch::qr {

constexpr int most_split_columns = 64, split_warps = 4;  // of a matrix

// Chunks of 8 rows of a warp, blocks for which a multiprocessor has registers, and the number of columns beyond which
// it is faster than others
struct SplitShape {
    int chunks, blocks, least;

    // Chunks that each warp has at least
    static XBATCH_HD constexpr int fewest(int chunks) { return chunks - 3; }
    XBATCH_HD constexpr bool holds(int64_t m, int64_t n) const {
        constexpr int unit = 8 * split_warps;
        return m > 128 && m > unit * fewest(chunks) && m <= unit * chunks && n > least && n <= most_split_columns;
    }
};

// Shapes in the order in which they are tried, from measurements on an H200
inline constexpr std::array split_shapes = {SplitShape{5, 4, 32}, SplitShape{7, 3, 32}, SplitShape{10, 2, 32},
                                            SplitShape{13, 2, 16}, SplitShape{16, 2, 16}};

// Of panel p of a matrix with m rows in shared memory: the leading dimension, by which adjacent columns begin in
// different banks
XBATCH_HD constexpr int split_ld(int m, int p) { return 8 * (((m + 7) / 8 - p) | 1); }

}  // namespace xbatch::qr
