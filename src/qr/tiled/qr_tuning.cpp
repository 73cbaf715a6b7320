// qr_tuning.cpp: the tile sizes and the tree for a matrix shape.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr.hpp"

namespace xbatch::qr {
namespace {

// On the host two tiles and the buffers of a kernel fit in a core's second-level cache, complex double nearly. Twice as
// many rows are 5 to 10 % faster on one thread, but at n = 4096 eight threads then wait for panels.
constexpr int64_t tile_rows = 256, tile_columns = 128;
constexpr int64_t inner_block = 32;

// Domains are used from tree_tiles tiles in a panel on, if there are also tree_ratio times as many tiles as panels.
constexpr int64_t tree_tiles = 8, tree_ratio = 4, tiles_of_domain = 4;

// On a GPU the time of a panel depends on its columns, not on its rows, and panels are sequential. Tiles are therefore
// small and narrow, so that panels overlap, as long as all products together take less time than the panels. Beyond,
// the larger the matrix, the larger the tiles. Steps of wide panels overlap too, block by block: in square matrices of
// doubles, whose panels have few steps besides the next one's, the widest are the fastest.
constexpr int64_t small_tile = 64, square_order = 384;                              // columns
constexpr int64_t real_bound = int64_t(1) << 18, complex_bound = int64_t(1) << 22;  // entries
constexpr double products_bound = double(int64_t(1) << 36);                         // m k^2

// In very tall matrices domains run in parallel, up to the number that fills the largest device. Merging them costs a
// panel for each doubling, which a flat tree does not need.
constexpr int64_t tall_ratio = 16, least_domain = 4, most_domains = 512;

// Doubles in domains of narrow panels have kernels of their own (tall.cuh), in which a block has a domain: two of them
// fit on a multiprocessor of the largest device. The more columns, the taller a matrix must be for them.
constexpr int64_t domain_mb = 128, domain_nb = 32, columns_for_a_row = 64;
constexpr int64_t tiles_of_device = 128, tasks_of_device = 512, most_tall_domains = 256;

xbatchTiledConfig_t domains_of_doubles(int64_t m, int64_t k) {
    const int64_t tiles = parts_of(m, domain_mb);
    const int64_t tasks = std::min(tiles, tasks_of_device) * parts_of(k, domain_nb);
    const int64_t domain = std::max(parts_of(tiles, tiles_of_device), (tasks + tasks_of_device / 2) / tasks_of_device);
    return {domain_mb, domain_nb, domain_nb,
            std::max(parts_of(tiles, most_tall_domains), std::min(domain, least_domain)), XBATCH_TREE_DOMAINS};
}

xbatchTiledConfig_t device_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    const int64_t largest = std::max<int64_t>(largest_device_tile(context, type), 1);
    const int64_t small = std::min(small_tile, largest), narrow = std::max<int64_t>(small / 2, 1);
    const int64_t rows_of_column = std::max<int64_t>(parts_of(k, columns_for_a_row), 1);
    const bool has_domains = type == XBATCH_R_64F && largest >= domain_mb;
    if (has_domains && m > domain_mb && m / rows_of_column >= k) return domains_of_doubles(m, k);
    const auto tiles = [](int64_t mb, int64_t nb) {
        return xbatchTiledConfig_t{mb, nb, std::min(nb, largest_device_block), 1, XBATCH_TREE_FLAT};
    };
    if (!has_domains && m / tall_ratio >= k && m > tall_ratio * small) {
        xbatchTiledConfig_t config = tiles(small, small);
        config.tree = XBATCH_TREE_DOMAINS;
        config.domain = std::max(parts_of(parts_of(m, small), most_domains), least_domain);
        return config;
    }
    const bool is_square = type == XBATCH_R_64F && m < k + k / 4 && k >= square_order;
    if (is_square) return tiles(largest, largest);
    if (k == 0 || m < (is_complex(type) ? complex_bound : real_bound) / k) return tiles(small, narrow);
    if (largest == small) return tiles(small, small);
    if (double(m) * double(k) * double(k) <= products_bound || m / 4 >= k) return tiles(largest, small);
    return tiles(largest, largest);
}

}  // namespace

xbatchTiledConfig_t default_config(const Context &context, xbatchDataType_t type, int64_t m, int64_t k) {
    if (context.backend == XBATCH_BACKEND_CUDA) return device_config(context, type, m, k);
    const int64_t tiles = parts_of(m, tile_rows), panels = parts_of(k, tile_columns);
    const bool is_tall = tiles >= tree_tiles && tiles >= tree_ratio * panels;
    return {tile_rows, tile_columns, inner_block, is_tall ? tiles_of_domain : 1,
            is_tall ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT};
}

}  // namespace xbatch::qr
