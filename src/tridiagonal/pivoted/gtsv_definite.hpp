// gtsv_definite.hpp: positive definite systems by the kernels of the pivoting solver on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Solves `p`, whose is_definite is set, and sets `status`, where one block or cluster has all rows of a system;
// otherwise returns false. Without interchanges, since the matrices should be positive definite; info has the first row
// that proves the contrary.
template <class T>
bool gtsv_definite(Context &context, const GtsvProblem &p, xbatchStatus_t &status);
// False where `p` may be too long for this, whatever its leading dimensions are
template <class T>
bool fits_gtsv_definite(const Context &context, int64_t n, bool flat);

// The same, for systems that share a matrix with many right-hand sides, which is eliminated once, with interchanges.
// `finds_info`: whether info shows whether it is definite.
template <class T>
bool gtsv_definite_once(Context &context, const GtsvProblem &p, void *workspace, xbatchStatus_t &status,
                        bool &finds_info);
// For any leading dimensions
template <class T>
size_t gtsv_definite_workspace(const Context &context, const GtsvProblem &p);

}  // namespace xbatch::tridiagonal
