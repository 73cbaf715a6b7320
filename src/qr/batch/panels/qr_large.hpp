// qr_large.hpp: batched QR of matrices too large for a block each, or too few: panels of columns, each factored by
// several blocks, and products with the reflectors of a panel.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "qr/batch/qr_batch.hpp"
#include "qr/common/tiling.hpp"

namespace xbatch::qr {

constexpr int panel_columns = 32, panel_warps = 8, most_cluster = 8;
constexpr int most_vectors = 2 * panel_columns;  // of a block reflector

// A block's tile: lanes down a column, rows of a lane, 32 registers of each column, and rows of a warp. is_spread:
// blocks have few rows, since their arithmetic takes longer than their exchange.
template <class T>
struct PanelShape {
    static constexpr int down = 4, lane_rows = 128 / int(sizeof(T)), warp_rows = down * lane_rows;
    static constexpr bool is_spread = sizeof(T) == 16;
};

// Blocks of a matrix, matrices at a time, warps of a block, tiles of a block and rows of a tile
struct PanelSplit {
    int blocks, groups, warps, tiles, tile_rows;
    bool in_cluster;
};
// The first warp has all pivot rows.
template <class T>
PanelSplit split_panel(const Context &context, int64_t rows, int64_t batch) {
    constexpr int warp_rows = PanelShape<T>::warp_rows;
    const int64_t all = context.multiprocessors, least = warp_rows;
    const int64_t need = parts_of(rows, panel_warps * warp_rows), most_blocks = context.has_clusters ? most_cluster : 1;
    const bool fits_cluster = need <= most_blocks;
    const int64_t wanted = PanelShape<T>::is_spread ? std::max(need, all / batch) : need;
    const int64_t blocks = fits_cluster ? std::min({most_blocks, wanted, parts_of(rows, least)}) : std::min(need, all);
    const int64_t tiles = parts_of(need, blocks), groups = fits_cluster ? batch : std::min(all / blocks, batch);
    const int64_t tile_rows = tiles > 1 ? panel_warps * warp_rows : parts_of(parts_of(rows, blocks), least) * least;
    return {int(blocks),
            int(std::min<int64_t>(groups, INT32_MAX / blocks)),
            int(tile_rows / warp_rows),
            int(tiles),
            int(tile_rows),
            fits_cluster};
}

XBATCH_DECLARE_BACKEND(geqrf_large_cuda, GeqrfBatch);
XBATCH_DECLARE_BACKEND(unmqr_large_cuda, UnmqrBatch);

// Element (i, c) at data[i*row + c*column]
template <class T>
struct StridedMatrix {
    T *data;
    int64_t row, column;
};
template <class T>
xbatchStatus_t copy_matrix(Context &context, int64_t rows, int64_t columns, StridedMatrix<const T> from,
                           StridedMatrix<T> to);

}  // namespace xbatch::qr
