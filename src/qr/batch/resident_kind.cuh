// resident_kind.cuh: a shape of panels as constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "qr_batch_tuning.hpp"
#include "qr_resident_tuning.hpp"
#include "tile_kind.cuh"

namespace xbatch::qr {

// D lanes share a column, of which each has R rows, and A such groups of lanes a panel of B columns, C each. A warp has
// panels of `of_warp` matrices. A group of `warps` warps factors the panels of these in turn; a block has one or more
// groups.
template <class T, int SHAPE>
struct ResidentKind {
    static constexpr ResidentShape shape = std::get<SHAPE>(resident_shapes<T>);
    static constexpr int R = shape.rows, D = shape.down, C = shape.each, A = shape.across(), B = shape.columns;
    static constexpr int warps = shape.warps;
    static constexpr int chunk = Sixteen<T>::size, chunks = R / chunk, ld = shape.ld(chunk), height = shape.height();
    static constexpr bool is_packed = false, is_by_mma = false, is_long = false, ends_at_first = false;
    static constexpr int lanes = D * A, of_warp = shape.of_warp(), stages = shape.stages();
    static constexpr int most_threads = 32 * shape.occupancy;  // for which a multiprocessor has registers
    // Whether the matrices of a warp may have different sizes
    static constexpr bool may_vary = height <= resident_order(resident_classes - 1);
    static_assert(R % chunk == 0 && B % C == 0 && 32 % lanes == 0 && shape.occupancy >= warps * shape.groups);

    // Of column j of panel P
    template <int P>
    static constexpr __host__ __device__ int offset(int j) {
        return (P * B + j) * ld;
    }
};

}  // namespace xbatch::qr
