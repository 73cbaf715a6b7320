// tile_kind.cuh: shapes of register tiles, and how those of a block lie in its shared memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device_batch.cuh"

namespace xbatch {

// Elements that are moved as one
template <class T>
struct alignas(16) Sixteen {
    static constexpr int size = 16 / int(sizeof(T));
    T x[size];
};

// ALONE: a warp has one matrix or more, else several warps may share one. TALL: several warps are below each other.
// KNOWS: code is longer and faster, as long as the cache for instructions holds it.
template <int DOWN, int ACROSS, int COLUMNS, int ROWS, bool IS_ALONE = false, bool IS_TALL = false,
          bool DOES_KNOW = false>
struct TileKind {
    static constexpr int D = DOWN, A = ACROSS, C = COLUMNS, R = ROWS;
    static constexpr bool ALONE = IS_ALONE, TALL = IS_TALL, KNOWS = DOES_KNOW;
    static constexpr int matrices = ALONE ? 32 / (D * A) : 1;  // of a warp
};

// Warps of a matrix, beside and below each other, and matrices of a block
struct TileLayout {
    int beside, above, per_block;
};

}  // namespace xbatch
