// matrix_boxes.hpp: adjacent matrices of an interleaved batch as boxes of a tensor, which TMA copies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

#include <cstdint>

#include "core/context.hpp"
#include "core/layout.hpp"

namespace xbatch::qr {

// Elements of a tensor [width x m x n x blocks]: a box has some columns of some adjacent matrices, and in shared memory
// they remain interleaved. Matrices and columns beyond the batch are zero, and not stored.
struct MatrixBoxes {
    CUtensorMap map;
    int64_t width = 0;  // matrices of a block of the layout; 0: no boxes
    int units = 1;      // of the tensor in an element

    XBATCH_HD bool exist() const { return width > 0; }
};

// Boxes of `columns` columns of `matrices` matrices [m x n]
struct BoxSizes {
    int64_t m, n, batch;
    int entry_bytes, matrices, columns;
};
// Whether alignment, sizes and the device allow them
bool have_boxes(const Context &context, const void *data, const MatrixPlacement &at, const BoxSizes &s);
// The boxes, where have_boxes(); none if the driver refuses them
MatrixBoxes matrix_boxes(void *data, const MatrixPlacement &at, const BoxSizes &s);

}  // namespace xbatch::qr
