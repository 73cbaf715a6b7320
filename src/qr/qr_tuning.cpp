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
// after the other, take more time than the products. In tall matrices domains work at the same time, as many as the
// largest device has room for; but joining them costs a panel for each doubling, which a flat tree, whose panels
// overlap, does not have.
constexpr int64_t small_tile = 64, small_order = 4096;
constexpr int64_t tall_ratio = 8, narrow_order = 128, small_elements = int64_t(1) << 24;
constexpr int64_t least_domain = 4, most_domains = 512;

// Doubles in domains of narrow panels have kernels of their own (tall.cuh), which take a whole domain each, a launch
// for each panel and each doubling: the more columns, the taller a matrix must be.
constexpr int64_t domain_mb = 128, domain_nb = 32, columns_for_a_row = 160;
constexpr int64_t tiles_of_device = 128, tasks_of_device = 512;

xbatchTiledConfig_t device_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    const int64_t largest = std::max<int64_t>(largest_device_tile(context, type), 1);
    const int64_t rows_of_column = std::max<int64_t>(parts_of(k, columns_for_a_row), 1);
    if (type == XBATCH_R_64F && largest >= domain_mb && m > domain_mb && m / rows_of_column >= k) {
        const int64_t tiles = parts_of(m, domain_mb);
        const int64_t tasks = std::min(tiles, tasks_of_device) * parts_of(k, domain_nb);
        const int64_t domain =
            std::max(parts_of(tiles, tiles_of_device), (tasks + tasks_of_device / 2) / tasks_of_device);
        return {domain_mb, domain_nb, domain_nb,
                std::max(parts_of(tiles, most_domains), std::min(domain, least_domain)), XBATCH_TREE_DOMAINS};
    }
    const bool is_tall = m / tall_ratio >= k;
    const bool is_small = is_tall ? k <= narrow_order || m <= small_elements / k : k <= small_order;
    const int64_t size = is_small ? std::min(largest, small_tile) : largest, tiles = parts_of(m, size);
    const bool has_domains = is_tall && tiles >= tree_tiles;
    return {size, size, std::min(size, largest_device_block),
            has_domains ? std::max(parts_of(tiles, most_domains), least_domain) : 1,
            has_domains ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
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
