// gels_kernels.cuh: the kernels for least squares with one right-hand side, of matrices of one size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "resident_arguments.cuh"

namespace xbatch::qr {

// Whether these are flat, with contiguous columns and one leading dimension
template <class T>
bool are_flat(const DeviceMatrices<T> &a) {
    return a.at.layout == XBATCH_LAYOUT_FLAT && a.at.row == 1 && !a.ld;
}

// Each with: whether it takes matrices of this size. Those whose rows registers hold (solve_rows.cuh)
template <class T>
bool has_rows(int64_t m, int64_t n);
template <class T>
xbatchStatus_t solve_rows_cuda(Context &context, const ResidentArguments<T> &p);

// Flat ones that registers hold cyclically (solve_cyclic.cuh)
template <class T>
bool has_cyclic(const DeviceMatrices<T> &a, const DeviceMatrices<T> &b, int64_t m, int64_t n);
template <class T>
xbatchStatus_t solve_cyclic_cuda(Context &context, const ResidentArguments<T> &p);

// Flat ones whose panels go through registers (solve_packed.cuh)
template <class T>
bool has_packed(const Context &context, const DeviceMatrices<T> &a, const DeviceMatrices<T> &b, int64_t m, int64_t n);
template <class T>
xbatchStatus_t solve_packed_cuda(Context &context, const ResidentArguments<T> &p);

// Flat ones of doubles whose rows a few warps share (solve_split.cuh)
bool has_split(const Context &context, const DeviceMatrices<double> &a, int64_t m, int64_t n);
xbatchStatus_t solve_split_cuda(Context &context, const ResidentArguments<double> &p);

}  // namespace xbatch::qr
