// tridiagonal.hpp: what the C entries of the tridiagonal solvers hand to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/context.hpp"
#include "core/layout.hpp"

namespace xbatch::tridiagonal {

enum class GtsvMethod { pscheme, thomas, oddeven, pivoted, periodic };

// dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i for each system j and right-hand side r
struct GtsvProblem {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const void *dl, *d, *du;  // at a_at.base(j, 0)
    void *b;                  // at b_at.base(j, r)
    int32_t *info;            // [batch], may be NULL
    Placement a_at, b_at;
    bool is_conjugated = false;  // dl, d, du stand for their conjugates
};

// Whether the rows of every array lie side by side.
template <class Problem>
bool is_flat(const Problem &p) {
    return p.a_at.layout == XBATCH_LAYOUT_FLAT && p.b_at.layout == XBATCH_LAYOUT_FLAT;
}

template <class T>
xbatchStatus_t pscheme_host(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t pscheme_host_workspace(const Context &context, const GtsvProblem &problem);
template <class T>
xbatchStatus_t pscheme_cuda(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t pscheme_cuda_workspace(const Context &context, const GtsvProblem &problem);

template <class T>
xbatchStatus_t gtsv_cuda(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t gtsv_cuda_workspace(const Context &context, const GtsvProblem &problem);
template <class T>
xbatchStatus_t periodic_cuda(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t periodic_cuda_workspace(const Context &context, const GtsvProblem &problem);

template <class T>
xbatchStatus_t thomas_host(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t thomas_host_workspace(const Context &context, const GtsvProblem &problem);
template <class T>
xbatchStatus_t thomas_cuda(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t thomas_cuda_workspace(const Context &context, const GtsvProblem &problem);

template <class T>
xbatchStatus_t oddeven_host(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t oddeven_host_workspace(const Context &context, const GtsvProblem &problem);
template <class T>
xbatchStatus_t oddeven_cuda(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t oddeven_cuda_workspace(const Context &context, const GtsvProblem &problem);

template <class T>
xbatchStatus_t gtsv_host(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t gtsv_host_workspace(const Context &context, const GtsvProblem &problem);

template <class T>
xbatchStatus_t periodic_host(Context &context, const GtsvProblem &problem, void *workspace);
template <class T>
size_t periodic_host_workspace(const Context &context, const GtsvProblem &problem);

}  // namespace xbatch::tridiagonal
