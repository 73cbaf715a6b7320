// gtsv_once.hpp: the pivoting solver on CUDA for many right-hand sides of one matrix, which it eliminates once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "tridiagonal/tridiagonal.hpp"

namespace xbatch::tridiagonal {

struct SweepPlan;

// Whether the problem has one matrix, not too long, and enough right-hand sides
template <class T>
bool is_solved_once(const Context &context, const GtsvProblem &p);
// By sweeps if they are planned (once_sweep.hpp), otherwise in chunks
template <class T>
xbatchStatus_t gtsv_once(Context &context, const GtsvProblem &p, bool is_periodic, const SweepPlan *sweep,
                         void *workspace);
// For any leading dimensions
template <class T>
size_t gtsv_once_workspace(const Context &context, const GtsvProblem &p);

}  // namespace xbatch::tridiagonal
