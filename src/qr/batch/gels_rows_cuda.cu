// gels_rows_cuda.cu: launches least squares with one right-hand side of matrices whose rows registers hold.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/dispatch.hpp"
#include "core/launch.cuh"
#include "gels_kernels.cuh"
#include "shape_choice.hpp"
#include "solve_rows.cuh"

namespace xbatch::qr {
namespace {

// Whether matrices follow each other without gaps, each in whole chunks of 16 bytes
template <class T>
bool is_contiguous(const ResidentArguments<T> &p) {
    const MatrixPlacement &at = p.a.at;
    return !p.a.each && at.layout == XBATCH_LAYOUT_FLAT && at.row == 1 && at.column == p.m &&
           at.stride == int64_t(p.m) * p.n && p.m * p.n % Sixteen<T>::size == 0 &&
           reinterpret_cast<uintptr_t>(p.a.data) % 16 == 0;
}

}  // namespace

template <class T>
bool has_rows(int64_t m, int64_t n) {
    return shape_for(rows_shapes<T>, m, n) < int(rows_shapes<T>.size());
}
template <class T>
xbatchStatus_t solve_rows_cuda(Context &context, const ResidentArguments<T> &p) {
    return with_shape<int(rows_shapes<T>.size())>(shape_for(rows_shapes<T>, p.m, p.n), [&](auto shape) {
        using K = RowsKind<T, shape>;
        const int warps = is_contiguous(p) ? 2 : 4;  // of a block; more of those whose lines warps share
        const RowsMemory at(K::shape, Sixteen<T>::size, p.m * p.n, is_contiguous(p));
        const int64_t blocks = (p.batch - 1) / (warps * K::of_warp) + 1;
        return Launch(context, blocks, 32 * warps, warps * at.all * sizeof(T))(solve_rows<T, shape>, "solve_rows", p,
                                                                               at);
    });
}

XBATCH_INSTANTIATE_TYPES(has_rows);
XBATCH_INSTANTIATE_TYPES(solve_rows_cuda);

}  // namespace xbatch::qr
