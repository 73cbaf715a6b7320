// definite.hpp: which matrices of solved systems are not positive definite, on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/factored/tridiagonal_factor.hpp"

namespace xbatch::tridiagonal {

// info of the systems whose matrix is not positive definite becomes its first such row, and no other is written.
template <class T>
xbatchStatus_t report_indefinite(Context &context, const PtsvProblem &p, void *workspace);
// For any leading dimensions
template <class T>
size_t report_indefinite_workspace(const Context &context, const PtsvProblem &p);

}  // namespace xbatch::tridiagonal
