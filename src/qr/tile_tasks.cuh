// tile_tasks.cuh: the two tasks of tiled QR on the GPU: factor a tile, alone or below a triangle, and update by it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tile_panel.cuh"
#include "tile_stream.cuh"
#include "tile_update.cuh"

namespace xbatch {

// As FactorTile on the host; bad: 2^31-1 less the first column, from 0, whose norm is not finite, or 0; columns are
// counted from bad_column.
template <class T>
struct DeviceFactor {
    DeviceReflectors<T> tile;
    T *top;
    int64_t ldtop;
    int *bad, bad_column;
};

template <class T>
struct DeviceUpdate {
    DeviceReflectors<T> tile;
    bool is_adjoint;
    DeviceView<T> top, below;
    int columns;
};

template <class T, int B>
class TileTasks {
public:
    __device__ explicit TileTasks(TileShared<T, B> &shared) : shared_(shared) {}

    __device__ void factor(const DeviceFactor<T> &f) {
        const DeviceReflectors<T> &t = f.tile;
        const bool has_top = t.shape != Shape::trapezoid, is_triangle = t.shape == Shape::triangle;
        each_entry(B, t.columns, false, [&](int r, int c) {
            const bool is_there = r < t.rows && (!is_triangle || r <= c);
            shared_.tile[c * ld + r] = is_there ? t.v[c * t.ldv + r] : T(0);
        });
        for (int s = 0; s < t.columns; s += t.ib) {
            const int width = min(t.ib, t.columns - s);
            if (has_top) load_top_of_factor(f, s, width);
            __syncthreads();
            if (has_top)
                PanelBlock<T, B, true>(shared_, s, width, f.bad, f.bad_column + s).factor();
            else
                PanelBlock<T, B, false>(shared_, s, width, f.bad, f.bad_column + s).factor();
            __syncthreads();
            if (int(threadIdx.x) / 32 == tile_warps - 1) PanelBlock<T, B, true>::form_triangle(shared_, width);
            __syncthreads();
            store_block(t, s, width);
            const int first = s + width;
            if (first < t.columns) {
                T *const c = shared_.tile + first * ld, *const top = has_top ? shared_.top + first * block_ld : nullptr;
                if constexpr (has_mma<T>)
                    apply_block_mma(shared_, width, c, top, t.columns - first);
                else
                    apply_block(shared_, width, c, top, t.columns - first, true);
            }
            if (!has_top) continue;
            store_top_of_factor(f, s, width);
            __syncthreads();
        }
    }

    __device__ void update(const DeviceUpdate<T> &u) {
        const DeviceReflectors<T> &t = u.tile;
        if constexpr (has_mma<T>) {
            static_assert(sizeof(StreamShared<B>) <= sizeof(shared_));
            StreamUpdate<B>(reinterpret_cast<StreamShared<B> &>(shared_), t, u.top, u.below, u.columns, u.is_adjoint)
                .run();
            return;
        }
        const bool has_top = t.shape != Shape::trapezoid, by_rows = u.below.is_transposed;
        const int blocks = (t.columns + t.ib - 1) / t.ib;
        each_entry(B, u.columns, by_rows,
                   [&](int r, int c) { shared_.tile[c * ld + r] = r < t.rows ? u.below.get(r, c) : T(0); });
        for (int n = 0; n < blocks; ++n) {
            const int s = (u.is_adjoint ? n : blocks - 1 - n) * t.ib, width = min(t.ib, t.columns - s);
            load_vectors(shared_, t, s, width);
            if (has_top)
                each_entry(width, u.columns, by_rows,
                           [&](int r, int c) { shared_.top[c * block_ld + r] = u.top.get(s + r, c); });
            __syncthreads();
            apply_block(shared_, width, shared_.tile, has_top ? shared_.top : nullptr, u.columns, u.is_adjoint);
            if (has_top)
                each_entry(width, u.columns, by_rows,
                           [&](int r, int c) { u.top.put(s + r, c, shared_.top[c * block_ld + r]); });
        }
        each_entry(t.rows, u.columns, by_rows, [&](int r, int c) { u.below.put(r, c, shared_.tile[c * ld + r]); });
    }

private:
    static constexpr int ld = TileShared<T, B>::ld;

    // Rows s … s+width-1 of R; below its diagonal lies what is not ours
    __device__ void load_top_of_factor(const DeviceFactor<T> &f, int s, int width) {
        each_entry(width, f.tile.columns - s, false, [&](int r, int c) {
            shared_.top[(s + c) * block_ld + r] = r <= c ? f.top[(s + c) * f.ldtop + s + r] : T(0);
        });
    }
    __device__ void store_top_of_factor(const DeviceFactor<T> &f, int s, int width) {
        each_entry(width, f.tile.columns - s, false, [&](int r, int c) {
            if (r <= c) f.top[(s + c) * f.ldtop + s + r] = shared_.top[(s + c) * block_ld + r];
        });
    }
    // What a block of columns has become, and its triangle
    __device__ void store_block(const DeviceReflectors<T> &t, int s, int width) {
        each_entry(t.rows, width, false, [&](int r, int c) {
            if (t.shape != Shape::triangle || r <= s + c) t.v[(s + c) * t.ldv + r] = shared_.tile[(s + c) * ld + r];
        });
        each_entry(t.ib, width, false,
                   [&](int r, int c) { t.triangles[(s + c) * t.ib + r] = shared_.triangle[c * block_ld + r]; });
    }

    TileShared<T, B> &shared_;
};

}  // namespace xbatch
