// tile_kind.cuh: shapes of register tiles, and how warps share a matrix.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_batch.cuh"

namespace xbatch::qr {

// Elements that are loaded and stored together
template <class T>
struct alignas(16) Sixteen {
    static constexpr int size = 16 / int(sizeof(T));
    T x[size];
};

// WARPS_ACROSS: the number of warps that share the columns of a matrix, or 0 if the launch decides. ONE_WARP: a warp
// has one or more whole matrices. TALL: warps share the rows too. UNIFORM_SIZE: all matrices have one size; the code is
// longer, and faster if it fits in the instruction cache.
template <int DOWN, int ACROSS, int COLUMNS, int ROWS, int WARPS = 0, bool IS_TALL = false,
          bool HAS_UNIFORM_SIZE = false>
struct TileKind {
    static constexpr int D = DOWN, A = ACROSS, C = COLUMNS, R = ROWS, WARPS_ACROSS = WARPS;
    static constexpr bool ONE_WARP = WARPS_ACROSS == 1, TALL = IS_TALL, UNIFORM_SIZE = HAS_UNIFORM_SIZE;
    static constexpr int matrices = ONE_WARP ? 32 / (D * A) : 1;                 // of a warp
    static constexpr int lanes = D * A * (WARPS_ACROSS > 1 ? WARPS_ACROSS : 1);  // of a matrix
};

// Warps of a matrix across its columns and down its rows, and matrices of a block
struct TileLayout {
    int warps_across, warps_down, per_block;
};

}  // namespace xbatch::qr
