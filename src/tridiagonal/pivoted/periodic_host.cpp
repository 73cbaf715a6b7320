// periodic_host.cpp: periodic systems on the host, by interface_host; and the single row, which has no two ends.
// SPDX-License-Identifier: BSD-3-Clause
#include "interface_host.hpp"

namespace xbatch::tridiagonal {
namespace {

// (dl + d + du + sigma w) x = b
template <class T>
void solve_single_rows(const GtsvProblem &p) {
    const T *dl = static_cast<const T *>(p.dl), *d = static_cast<const T *>(p.d), *du = static_cast<const T *>(p.du);
    const LaneShifts<T> shifts = shifts_from<T>(p, 0);
    for (int64_t j = 0; j < p.batch; ++j) {
        const int64_t at = p.a_at.base(j, 0);
        T pivot(0), inverse(0);
        bool is_solved = true;
        for (int64_t r = 0; r < p.nrhs; ++r) {
            T below = dl[at], here = d[at], above = du[at], &x = static_cast<T *>(p.b)[p.b_at.base(j, r)];
            if (shifts.sigma) here = fma_(shifts.sigma[j], shifts.w ? *shifts.w : T(1), here);
            if (shifts.pins(j)) below = above = x = T(0), here = T(1);
            equilibrate(below, here, above, x);
            pivot = below + here + above, inverse = reciprocal(pivot);
            x = x * inverse;
            is_solved = is_solved && is_finite(x);
        }
        if (p.info) p.info[j] = !is_good_pivot(pivot, inverse) ? 1 : is_solved ? 0 : 2;
    }
}

}  // namespace

template <class T>
xbatchStatus_t periodic_host(Context &context, const GtsvProblem &p, void *workspace) {
    if (p.n > 1) return interface_host<T>(context, p, Boundary::periodic, workspace);
    solve_single_rows<T>(p);
    return XBATCH_STATUS_SUCCESS;
}

template <class T>
size_t periodic_host_workspace(const Context &context, const GtsvProblem &p) {
    return p.n > 1 ? interface_host_workspace<T>(context, p) : 0;
}

XBATCH_INSTANTIATE_BACKEND(periodic_host);

}  // namespace xbatch::tridiagonal
