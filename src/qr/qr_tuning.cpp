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

}  // namespace

xbatchTiledConfig_t default_config(xbatchDataType_t type, int64_t m, int64_t k) {
    const TileSize size = tile_sizes[type];
    const int64_t tiles = (m + size.mb - 1) / size.mb, panels = (k + size.nb - 1) / size.nb;
    const bool is_tall = tiles >= tree_tiles && tiles >= tree_ratio * panels;
    return {size.mb, size.nb, inner_block, is_tall ? tiles_of_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace xbatch
