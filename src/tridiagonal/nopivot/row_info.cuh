// row_info.cuh: how the first row with a bad pivot is represented within a kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/info.cuh"

namespace xbatch::tridiagonal {

// Instead of a row: no pivot is bad; no pivot is bad, but an unknown is not finite.
constexpr int no_row = INT_MAX, not_finite = INT_MAX - 1;

}  // namespace xbatch::tridiagonal
