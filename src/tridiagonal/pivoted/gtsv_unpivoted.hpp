// gtsv_unpivoted.hpp: systems that need no interchanges, by the kernels of the pivoting solver on CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

// Solves `p` without interchanges among the rows of a thread, and sets `status`, where there is one right-hand side and
// one block or cluster has all rows of a system; otherwise returns false.
template <class T>
bool gtsv_unpivoted(Context &context, const GtsvProblem &p, xbatchStatus_t &status);

}  // namespace xbatch::tridiagonal
