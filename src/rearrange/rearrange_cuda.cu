// rearrange_cuda.cu: selects the tile for a shape and launches the rearrangement.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/launch.cuh"
#include "rearrange_kernels.cuh"

namespace xbatch::rearrange {
namespace {

constexpr int sector_bytes = 32;  // the unit of memory transfers

template <class T, bool SRC_BY_ROWS, bool DST_BY_ROWS>
xbatchStatus_t launch(Context &context, const RearrangeProblem &p) {
    using Tile = RearrangeTile<T>;
    constexpr int64_t sector = sector_bytes / sizeof(T), warps = Tile::threads / 32;
    const int64_t fewest = (p.n - 1) / Tile::width + 1, even = (p.n - 1) / fewest + 1;
    Tile tile{};
    tile.rows = int((even + sector - 1) / sector * sector);
    tile.row_tiles = (p.n - 1) / tile.rows + 1;
    tile.count = tile.row_tiles * ((p.batch - 1) / Tile::width + 1);
    const int64_t blocks = (tile.count - 1) / warps + 1;
    return Launch(context, blocks, Tile::threads)(rearrange_tiles<T, SRC_BY_ROWS, DST_BY_ROWS>, "rearrange_tiles", p,
                                                  tile);
}

}  // namespace

template <class T>
xbatchStatus_t rearrange_cuda(Context &context, const RearrangeProblem &p, void *) {
    const bool src_by_rows = p.from.layout == XBATCH_LAYOUT_FLAT, dst_by_rows = p.to.layout == XBATCH_LAYOUT_FLAT;
    if (src_by_rows) return dst_by_rows ? launch<T, true, true>(context, p) : launch<T, true, false>(context, p);
    return dst_by_rows ? launch<T, false, true>(context, p) : launch<T, false, false>(context, p);
}

XBATCH_INSTANTIATE_TYPES(rearrange_cuda);

}  // namespace xbatch::rearrange
