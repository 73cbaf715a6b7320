// gttrs_host.cpp: solving with stored LU factors on the host: lanes are systems of a panel or, where many right-hand
// sides share a matrix, these right-hand sides.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "factor_lanes_host.hpp"

namespace xbatch::tridiagonal {

template <class T>
xbatchStatus_t gttrs_host(Context &context, const GttrsProblem &p, void *workspace) {
    const LuFactors<T> factors(p.n, p.sets, const_cast<void *>(p.factors));  // read only
    T *b = static_cast<T *>(p.b);
    solve_stored<T>(
        context, p, most_sides, workspace,
        [&](int64_t offset, int64_t pitch, bool shared, const Lanes<T> &lanes, T *y, int64_t sides, int64_t apart) {
            solve_lu(factors.tile(offset, pitch, shared), p.op, b, lanes, y, sides, apart);
        });
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t gttrs_host_workspace(const Context &context, const GttrsProblem &p) {
    return stored_bytes<T>(context, p, most_sides);
}

XBATCH_INSTANTIATE_BACKEND(gttrs_host);

}  // namespace xbatch::tridiagonal
