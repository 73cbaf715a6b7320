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

// On a GPU a panel's time is that of its columns, whatever their length. So small tiles win as long as the panels, one
// after the other, take more time than the products; in tall matrices panels are many at a time, and tiles small where
// that leaves a second block to a multiprocessor and no products.
constexpr int64_t small_tile = 64, small_order = 4096, small_tall_order = 128;
constexpr int64_t tall_ratio = 8, device_domain = 8, device_tree_ratio = 2;

// Tall matrices of doubles have kernels of their own (tall.cuh), which take a whole domain each. More domains than the
// largest device has at work cost further rounds, fewer leave it idle; few tiles are best joined by the tree alone.
constexpr int64_t tall_mb = 128, tall_nb = 32, tall_order = 512, tall_domains = 512;
constexpr int64_t small_domain = 4, tiles_without_domains = 128;

xbatchTiledConfig_t device_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    const int64_t largest = std::max<int64_t>(largest_device_tile(context, type), 1);
    if (type == XBATCH_R_64F && largest >= tall_mb && k <= tall_order && m / tall_ratio >= k && m > tall_mb) {
        const int64_t tiles = parts_of(m, tall_mb);
        const int64_t least = parts_of(tiles, tall_domains);
        const int64_t domain = std::min(small_domain, parts_of(tiles, tiles_without_domains));
        return {tall_mb, tall_nb, tall_nb, std::max(least, domain), XBATCH_TREE_DOMAINS};
    }
    const bool is_small = k <= (m / tall_ratio >= k ? small_tall_order : small_order);
    const int64_t size = is_small ? std::min(largest, small_tile) : largest;
    const int64_t tiles = parts_of(m, size), panels = parts_of(k, size);
    const bool is_tall = tiles >= tree_tiles && tiles > device_tree_ratio * panels;
    return {size, size, std::min(size, largest_device_block), is_tall ? device_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace

xbatchTiledConfig_t default_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    if (context.backend == XBATCH_BACKEND_CUDA) return device_config(context, type, m, k);
    const TileSize size = tile_sizes[type];
    const int64_t tiles = parts_of(m, size.mb), panels = parts_of(k, size.nb);
    const bool is_tall = tiles >= tree_tiles && tiles >= tree_ratio * panels;
    return {size.mb, size.nb, inner_block, is_tall ? tiles_of_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace xbatch
