// factor_persistent.cuh: batched QR of small matrices by persistent blocks, which overlap loads and stores with
// computation.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch_kernels.cuh"
#include "tile_slots.cuh"

namespace xbatch::qr {

// A = Q R in place, p.from = p.a, all matrices m x n, at most a tile. Those at addresses of their own that are no
// multiples of 16 bytes are loaded and stored directly.
template <class T, class K, int THREADS, int BLOCKS, bool FLAT, bool EACH>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    factor_persistent(TileLayout layout, const __grid_constant__ FactorBatchArguments<T> p) {
    extern __shared__ __align__(16) unsigned char memory[];
    using Tile = RegisterTile<T, K>;
    using Slots = TileSlots<T, K, THREADS, FLAT, EACH>;
    const int own = int(threadIdx.x) / Slots::lanes;
    Tile tile(layout, reinterpret_cast<T *>(memory + Slots::bytes) + own * Tile::exchange_elements(layout));
    const int64_t begin = int64_t(blockIdx.x) * Slots::matrices, step = int64_t(gridDim.x) * Slots::matrices;
    Slots slots(memory, p.a, p.m, p.n, p.batch, begin, step);
#pragma unroll 1
    for (int64_t first = begin; first < p.batch; first += step) {
        slots.swap(tile);
        const bool exists = first + own < p.batch;
        const int steps = min(p.m, p.n), k = exists ? steps : 0;
        const auto number = [&] {  // as TileOfBatch::number
            int64_t j = exists ? first + own : 0;
            asm volatile("" : "+l"(j));
            return j;
        };
        const bool is_direct = exists && !slots.has_slots(), any_direct = EACH && __any_sync(~0u, is_direct);
        if (any_direct) tile.template load<true, false>(p.a.of(number()), p.m, 0, is_direct ? p.n : 0);
        const auto store_tau = [&](bool is_wanted) {
            const MatrixView<T> tau = p.tau.of(number());
            tile.each_tau([&](int c, T x) {
                if (c < k && is_wanted) *tau.at(c, 0) = x;
            });
        };
        const bool in_safe_range = tile.factor(p.m, steps, steps, [&](int stage) { slots.move(stage); });
        const bool needs_scaling = tile.any(exists && !in_safe_range);
        store_tau(!needs_scaling);
        int wrong = 0;
        if (__any_sync(~0u, needs_scaling)) {  // the matrix is still in memory
            tile.template load<true, false>(p.a.of(number()), p.m, 0, needs_scaling ? p.n : 0);
            wrong = tile.factor_scaled(p.m, steps, needs_scaling ? k : 0);
            store_tau(needs_scaling);
        }
        if (any_direct) tile.store(p.a.of(number()), p.m, 0, is_direct ? p.n : 0);
        if (p.info && exists && int(threadIdx.x) % Slots::lanes == 0) p.info[number()] = wrong;
    }
    slots.swap(tile);
    slots.move_all();
}

}  // namespace xbatch::qr
