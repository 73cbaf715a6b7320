// row_info.cuh: what a thread or block found out about its rows of a tridiagonal system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/info.cuh"

namespace xbatch::tridiagonal {

// In the place of the first row with a bad pivot: there is none; there is none, but an unknown is not finite.
constexpr int no_row = INT_MAX, not_finite = INT_MAX - 1;

}  // namespace xbatch::tridiagonal
