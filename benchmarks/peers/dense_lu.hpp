// dense_lu.hpp: LU of the dense matrix that holds a tridiagonal one, what NumPy's solve would do.
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
