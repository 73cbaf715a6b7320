// dense_lu_cuda.cu: LU of a dense matrix by cuSOLVER.
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "cuda_check.hpp"
#include "cusolver.hpp"
#include "dense_lu.hpp"

namespace bench {

Call cusolver_solve(const Dense &p) {
    const int n = int(p.n);
    int entries = 0;
    check(cusolverDnDgetrf_bufferSize(cusolver(), n, n, p.matrix, n, &entries));
    const size_t bytes = size_t(entries) * sizeof(double);
    const std::shared_ptr<Memory> space = std::make_shared<Memory>(*cuda_machine(), bytes);
    const std::shared_ptr<Memory> pivots = std::make_shared<Memory>(*cuda_machine(), (size_t(n) + 1) * sizeof(int));
    const auto call = [=] {
        int *const rows = static_cast<int *>(pivots->get()), *const info = rows + n;
        check(cusolverDnDgetrf(cusolver(), n, n, p.matrix, n, static_cast<double *>(space->get()), rows, info));
        check(cusolverDnDgetrs(cusolver(), CUBLAS_OP_N, n, 1, p.matrix, n, rows, p.x, n, info));
    };
    return {call, bytes};
}

}  // namespace bench
