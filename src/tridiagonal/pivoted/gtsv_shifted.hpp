// gtsv_shifted.hpp: shifted systems by the pivoting solver on CUDA, which adds the shift to the rows of T.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Solves, and sets `status`; returns false if the systems are too long for it.
template <class T>
bool gtsv_shifted(Context &context, const GtsvProblem &p, bool is_periodic, xbatchStatus_t &status);

}  // namespace xbatch::tridiagonal
