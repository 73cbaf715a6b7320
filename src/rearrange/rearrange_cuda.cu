// rearrange_cuda.cu: picks the tile for a shape and launches the rearrangement.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/cuda.hpp"
#include "rearrange_kernels.cuh"

namespace xbatch {
namespace {

int log2_ceil(int64_t x, int most) {
    int log = 0;
    while (log < most && (int64_t(1) << log) < x) ++log;
    return log;
}

// How many systems, as a power of two, a tile may hold without leaving a block of this array.
int block_log(const Placement &p, int most) {
    if (p.layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED) return most;
    int log = 0;
    while (log < most && p.ld % (int64_t(2) << log) == 0) ++log;
    return log;
}

// About square, so that both sides meet whole memory lines; narrower only as far as the batch is. Blocks of 8 systems
// and more keep their tiles to themselves.
RearrangeTile choose_tile(const RearrangeProblem &p, int log) {
    const int within = std::min(block_log(p.from, log), block_log(p.to, log));
    RearrangeTile tile{};
    tile.rows_log = log2_ceil(p.n, log / 2 + 1);
    tile.systems_log = log2_ceil(p.batch, log - tile.rows_log);
    if (within >= 3) tile.systems_log = std::min(tile.systems_log, within);
    tile.rows_log = log2_ceil(p.n, log - tile.systems_log);
    tile.row_tiles = ((p.n - 1) >> tile.rows_log) + 1;
    return tile;
}

RearrangeSide side(const Placement &p, const RearrangeTile &tile) {
    return {p, p.layout == XBATCH_LAYOUT_FLAT ? p.ld : 1, block_log(p, tile.systems_log) == tile.systems_log};
}

template <class T, bool SRC_BY_ROWS, bool DST_BY_ROWS>
xbatchStatus_t launch(Context &context, const RearrangeProblem &p) {
    constexpr int elements = RearrangeTile::threads * RearrangeTile::bytes_a_thread / int(sizeof(T));
    const RearrangeTile tile = choose_tile(p, log2_ceil(elements, 30));
    const int64_t blocks = tile.row_tiles * (((p.batch - 1) >> tile.systems_log) + 1);
    const xbatchStatus_t status = check_blocks(context, blocks);
    if (status != XBATCH_STATUS_SUCCESS) return status;
    const size_t rows = size_t(1) << tile.rows_log, systems = size_t(1) << tile.systems_log;
    const size_t bytes = SRC_BY_ROWS == DST_BY_ROWS ? 0 : rows * (systems > 1 ? systems + 1 : 1) * sizeof(T);
    rearrange_tiles<T, SRC_BY_ROWS, DST_BY_ROWS>
        <<<unsigned(blocks), RearrangeTile::threads, bytes, stream_of(context)>>>(p, side(p.from, tile),
                                                                                  side(p.to, tile), tile);
    XBATCH_CUDA_LAUNCHED(context, "rearrange_tiles");
    return XBATCH_STATUS_SUCCESS;
}

}  // namespace

template <class T>
xbatchStatus_t rearrange_cuda(Context &context, const RearrangeProblem &p, void *) {
    const bool src_by_rows = p.from.layout == XBATCH_LAYOUT_FLAT, dst_by_rows = p.to.layout == XBATCH_LAYOUT_FLAT;
    if (src_by_rows) return dst_by_rows ? launch<T, true, true>(context, p) : launch<T, true, false>(context, p);
    return dst_by_rows ? launch<T, false, true>(context, p) : launch<T, false, false>(context, p);
}

template xbatchStatus_t rearrange_cuda<float>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_cuda<double>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_cuda<Complex<float>>(Context &, const RearrangeProblem &, void *);
template xbatchStatus_t rearrange_cuda<Complex<double>>(Context &, const RearrangeProblem &, void *);

}  // namespace xbatch
