// tridiagonal.hpp: the problem that the C entries of the tridiagonal solvers pass to a backend.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "core/dispatch.hpp"
#include "core/layout.hpp"

namespace xbatch::tridiagonal {

enum class GtsvMethod { pscheme, thomas, oddeven, pivoted, periodic, shifted, shifted_periodic };

// The matrix of system j is T + sigma_j W, where T = (dl, d, du) is shared by all systems and W is diagonal.
struct Shift {
    bool is_given = false;        // otherwise dl, d and du are the matrices
    const void *sigma = nullptr;  // [batch]
    const void *w = nullptr;      // [n], NULL: the identity
    bool pins_zero = false;       // the last equation is x_{n-1} = 0 where sigma_j = 0
};

// dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i for each system j and right-hand side r
struct GtsvProblem {
    xbatchLayout_t layout;
    int64_t n, nrhs, batch;
    const void *dl, *d, *du;  // at a_at.base(j, 0)
    void *b;                  // at b_at.base(j, r)
    int32_t *info;            // [batch], may be NULL
    Placement a_at, b_at;
    bool is_conjugated = false;  // the matrix is the conjugate of dl, d, du
    Shift shift = {};            // of the methods shifted and shifted_periodic
};

// Whether matrices are stored, so that one can be eliminated once for all its right-hand sides
template <class Problem>
bool has_matrices(const Problem &) {
    return true;
}
inline bool has_matrices(const GtsvProblem &p) { return !p.shift.is_given; }

// Whether the rows of a system are contiguous in every array
template <class Problem>
bool is_flat(const Problem &p) {
    return p.a_at.layout == XBATCH_LAYOUT_FLAT && p.b_at.layout == XBATCH_LAYOUT_FLAT;
}

XBATCH_DECLARE_BACKEND(pscheme_host, GtsvProblem);
XBATCH_DECLARE_BACKEND(pscheme_cuda, GtsvProblem);

XBATCH_DECLARE_BACKEND(gtsv_cuda, GtsvProblem);
XBATCH_DECLARE_BACKEND(periodic_cuda, GtsvProblem);
XBATCH_DECLARE_BACKEND(shifted_cuda, GtsvProblem);
XBATCH_DECLARE_BACKEND(shifted_periodic_cuda, GtsvProblem);

XBATCH_DECLARE_BACKEND(thomas_host, GtsvProblem);
XBATCH_DECLARE_BACKEND(thomas_cuda, GtsvProblem);

XBATCH_DECLARE_BACKEND(oddeven_host, GtsvProblem);
XBATCH_DECLARE_BACKEND(oddeven_cuda, GtsvProblem);

XBATCH_DECLARE_BACKEND(gtsv_host, GtsvProblem);

XBATCH_DECLARE_BACKEND(periodic_host, GtsvProblem);

}  // namespace xbatch::tridiagonal
