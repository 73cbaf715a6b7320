// dense_lu.hpp: LU of a tridiagonal matrix stored as a dense one, like NumPy's solve.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "baselines.hpp"

namespace bench {

// n^2 entries column by column, overwritten; right-hand sides, then the solution. On the host, or on the device.
struct Dense {
    int64_t n;
    double *matrix, *x;
};

Call lapack_solve(const Dense &p);
Call cusolver_solve(const Dense &p);

}  // namespace bench
