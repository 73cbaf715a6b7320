// tile_kind.cuh: shapes of register tiles, and how those of a block lie in its shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_batch.cuh"

namespace xbatch::qr {

// Elements that are moved as one
template <class T>
struct alignas(16) Sixteen {
    static constexpr int size = 16 / int(sizeof(T));
    T x[size];
};

// BESIDE: so many warps beside each other share a matrix, or 0: as many as the launch says; ALONE: one, which may have
// more matrices than one. TALL: several warps are below each other. KNOWS: all matrices are of one size, and code is
// longer and faster, as long as the cache for instructions holds it.
template <int DOWN, int ACROSS, int COLUMNS, int ROWS, int WARPS = 0, bool IS_TALL = false,
          bool HAS_UNIFORM_SIZE = false>
struct TileKind {
    static constexpr int D = DOWN, A = ACROSS, C = COLUMNS, R = ROWS, WARPS_ACROSS = WARPS;
    static constexpr bool ONE_WARP = WARPS_ACROSS == 1, TALL = IS_TALL, UNIFORM_SIZE = HAS_UNIFORM_SIZE;
    static constexpr int matrices = ONE_WARP ? 32 / (D * A) : 1;                 // of a warp
    static constexpr int lanes = D * A * (WARPS_ACROSS > 1 ? WARPS_ACROSS : 1);  // of a matrix
};

// Warps of a matrix, beside and below each other, and matrices of a block
struct TileLayout {
    int warps_across, warps_down, per_block;
};

}  // namespace xbatch::qr
