// qr_tuning.cpp: which tiles and which tree suit a shape.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr.hpp"

namespace xbatch {
namespace {

// Tiles of a type: two of them and the buffers of a kernel stay in a core's second cache. Twice as many rows are 5 %
// faster on one thread, but leave eight threads waiting for panels at n = 4096.
struct TileSize {
    int64_t mb, nb;
};
constexpr TileSize tile_sizes[] = {{256, 128}, {256, 128}, {256, 128}, {128, 128}};  // s, d, c, z
constexpr int64_t inner_block = 32;

// In a panel of so many tiles or more, and so many times as many as there are panels, domains begin.
constexpr int64_t tree_tiles = 8, tree_ratio = 4, tiles_of_domain = 4;

// On a GPU a panel's time is that of its columns, whatever their length: so tiles are as small as leaves the matrix
// with enough of them for all multiprocessors, and domains begin earlier.
constexpr int64_t small_order = 2048, small_tile = 64, device_domain = 8, device_tree_ratio = 2;

xbatchTiledConfig_t device_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    const int64_t largest = largest_device_tile(context, type),
                  tile = k <= small_order ? std::min(largest, small_tile) : largest;
    const int64_t size = std::max<int64_t>(tile, 1), tiles = (m + size - 1) / size, panels = (k + size - 1) / size;
    const bool is_tall = tiles >= tree_tiles && tiles > device_tree_ratio * panels;
    return {size, size, std::min(size, largest_device_block), is_tall ? device_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace

xbatchTiledConfig_t default_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    if (context.backend == XBATCH_BACKEND_CUDA) return device_config(context, type, m, k);
    const TileSize size = tile_sizes[type];
    const int64_t tiles = (m + size.mb - 1) / size.mb, panels = (k + size.nb - 1) / size.nb;
    const bool is_tall = tiles >= tree_tiles && tiles >= tree_ratio * panels;
    return {size.mb, size.nb, inner_block, is_tall ? tiles_of_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace xbatch
