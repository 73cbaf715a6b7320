// tiles_host.hpp: the kernels of tiled QR on the host: factor a tile or two, apply the resulting block reflectors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "tile_view.hpp"
#include "vector_shape.hpp"

namespace xbatch::qr {

// Householder vectors of a tile [rows x columns] and their triangular factors T [ib x columns].
template <class T>
struct TileReflectors {
    Shape shape;
    int64_t rows, columns, ib;
    T *v;
    int64_t ldv;
    T *triangles;
};

// Factors [R; tile]: the tile alone if it is a trapezoid, otherwise below the upper triangle R at `top`. Returns the
// first column, from 0, whose norm is not finite, or -1.
template <class T>
struct FactorTile {
    TileReflectors<T> tile;
    T *top;
    int64_t ldtop;
};

// Applies op(Q) of a tile to [top; below], which have `columns` columns; top is absent if the tile is a trapezoid.
template <class T>
struct UpdateTile {
    TileReflectors<T> tile;
    bool is_adjoint;
    View<T> top, below;
    int64_t columns;
};

template <class T>
struct TileKernels {
    int64_t (*factor)(const FactorTile<T> &, Real<T> *buffer);
    void (*update)(const UpdateTile<T> &, Real<T> *buffer);
};

// The kernels for the best instruction set of this machine
template <class T>
const TileKernels<T> &tile_kernels();

// Number of reals in the buffer that both kernels need for tiles of up to this many rows and columns
template <class T>
int64_t tile_buffer_reals(int64_t rows, int64_t columns, int64_t ib);

}  // namespace xbatch::qr
