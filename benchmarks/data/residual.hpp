// residual.hpp: the error of a tridiagonal solution, in extended precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "problems.hpp"

namespace bench {

constexpr double solve_bound = 30;  // roundoffs: LAPACK's threshold for a scaled residual

// Normwise backward error |op(A) x - b| / (|A| |x| + |b|) in infinity norms of the solutions in p.b, b0 the right-hand
// sides that they started from; the worst of systems and right-hand sides spread over the
// batch, NaN where a solution is not finite.
double error_of(const Machine &machine, const Gtsv &p, const void *b0);

}  // namespace bench
