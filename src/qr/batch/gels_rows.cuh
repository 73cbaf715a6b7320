// gels_rows.cuh: least squares with one right-hand side of matrices of one size whose rows registers hold
// (solve_rows.cuh).
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/context.hpp"
#include "resident_arguments.cuh"

namespace xbatch::qr {

// Whether it takes matrices of this size
template <class T>
bool has_rows(int64_t m, int64_t n);
template <class T>
xbatchStatus_t solve_rows_cuda(Context &context, const ResidentArguments<T> &p);

}  // namespace xbatch::qr
