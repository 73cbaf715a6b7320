// gtsv_definite.hpp: real positive definite systems by the pivoting solver on CUDA, where it is the faster one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Solves, and sets `status`, if `p`, whose is_definite is set, has one matrix for many right-hand sides, or FLAT
// systems with several that follow one elimination; otherwise, and if it is complex, returns false. info is that of
// xgtsvBatch: it does not show whether a matrix is definite.
template <class T>
bool gtsv_definite(Context &context, const GtsvProblem &p, void *workspace, xbatchStatus_t &status);
// For any leading dimensions
template <class T>
size_t gtsv_definite_workspace(const Context &context, const GtsvProblem &p);

}  // namespace xbatch::tridiagonal
