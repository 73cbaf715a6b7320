// rearrange_host.cpp: the rearrangement on the host: tiles of adjacent systems, threads over tiles and blocks of rows.
// SPDX-License-Identifier: BSD-3-Clause
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/lanes_host.hpp"
#include "core/scalar.hpp"
#include "rearrange.hpp"

namespace xbatch::rearrange {
namespace {

constexpr int64_t tile_row_bytes = 512;  // of a row of a tile: long, since every row may open other pages
constexpr int64_t tile_rows = 32;        // a tile in its stage fills half a first-level cache
template <class T>
constexpr int64_t tile_lanes = tile_row_bytes / int64_t(sizeof(T));

// Larger results do not fit a cache and are written by non-temporal stores, which do not load a line before it is
// overwritten.
constexpr int64_t streamed_bytes = int64_t(1) << 24;

void copy(void *to, const void *from, size_t bytes, bool is_streamed) {
#ifdef __SSE2__
    constexpr size_t line = 64, piece = sizeof(__m128i);
    const size_t head = (line - reinterpret_cast<uintptr_t>(to) % line) % line;
    if (is_streamed && bytes >= head + line) {
        char *const out = static_cast<char *>(to);
        const char *const in = static_cast<const char *>(from);
        const size_t end = head + (bytes - head) / line * line;
        std::memcpy(out, in, head);
        for (size_t i = head; i < end; i += piece)
            _mm_stream_si128(reinterpret_cast<__m128i *>(out + i),
                             _mm_loadu_si128(reinterpret_cast<const __m128i *>(in + i)));
        std::memcpy(out + end, in + end, bytes - end);
        return;
    }
#endif
    (void)is_streamed;
    std::memcpy(to, from, bytes);
}

// Orders non-temporal stores before later ones.
void finish_streams() {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

// Rows i … i+rows-1 of one tile. A transposition goes through a stage, so that memory is accessed in long pieces on
// both sides: rows at a distance of a power of two share few sets of a cache, and would be evicted before they are
// complete.
template <class T>
void move_tile(const T *src, const Lanes<T> &from, T *dst, const Lanes<T> &to, int64_t i, int64_t rows,
               bool is_streamed) {
    const Strip<const T> source(src, from, rows);
    const Strip<T> target(dst, to, rows);
    const int lanes = from.count;
    alignas(64) T stage[tile_rows * tile_lanes<T>];
    if (source.adjacent() && target.adjacent()) {
        for (int64_t k = i; k < i + rows; ++k)
            copy(target.in_place(k).first, source.in_place(k).first, lanes * sizeof(T), is_streamed);
    } else if (from.step == 1 && to.step == 1) {
        for (int l = 0; l < lanes; ++l) copy(dst + to.at[l] + i, src + from.at[l] + i, rows * sizeof(T), is_streamed);
    } else if (target.adjacent()) {
        gather(src, from, i, rows, 0, Rows<T>{stage, lanes});
        for (int64_t k = 0; k < rows; ++k)
            copy(target.in_place(i + k).first, stage + k * lanes, lanes * sizeof(T), is_streamed);
    } else if (source.adjacent() && to.step == 1) {
        Lanes<T> staged{lanes, 1, {}};
        for (int l = 0; l < lanes; ++l) staged.at[l] = l * rows;
        scatter(source.in_place(i), stage, staged, 0, rows);
        for (int l = 0; l < lanes; ++l) copy(dst + to.at[l] + i, stage + l * rows, rows * sizeof(T), is_streamed);
    } else {
        gather(src, from, i, rows, 0, Rows<T>{stage, lanes});
        scatter(Rows<const T>{stage, lanes}, dst, to, i, rows);
    }
}

}  // namespace

template <class T>
xbatchStatus_t rearrange_host(Context &context, const RearrangeProblem &p, void *) {
    const T *src = static_cast<const T *>(p.src);
    T *dst = static_cast<T *>(p.dst);
    const Placement &blocks = p.to.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED ? p.to : p.from;
    const Tiles<T> tiles(blocks, p.batch, tile_lanes<T>);
    const int64_t row_blocks = (p.n + tile_rows - 1) / tile_rows;
    const bool is_streamed = p.n * p.batch * int64_t(sizeof(T)) > streamed_bytes;
    const int64_t threads = std::min<int64_t>(thread_count(context), tiles.count() * row_blocks);
#pragma omp parallel num_threads(team_size(threads, p.n, p.batch))
    {
#pragma omp for collapse(2) schedule(static)
        for (int64_t t = 0; t < tiles.count(); ++t)
            for (int64_t k = 0; k < row_blocks; ++k) {
                const int lanes = tiles.lanes(t);
                if (lanes == 0) continue;
                const int64_t j = tiles.begin(t), i = k * tile_rows;
                move_tile(src, system_lanes<T>(p.from, j, lanes, 0), dst, system_lanes<T>(p.to, j, lanes, 0), i,
                          std::min(p.n - i, tile_rows), is_streamed);
            }
        finish_streams();
    }
    return XBATCH_STATUS_SUCCESS;
}

XBATCH_INSTANTIATE_TYPES(rearrange_host);

}  // namespace xbatch::rearrange
