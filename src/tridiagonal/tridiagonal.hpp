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
    // FLAT arrays by general strides, on CUDA: the problem is that of plane (0, 0); planes are in the second and third
    // of the batch dimensions.
    int64_t planes[2] = {1, 1};
    // Of gtsv_definite.hpp: the matrix should be positive definite; d is real, and dl and du are e of xptsvBatch.
    bool is_definite = false;
};

// The number of systems of all planes
inline int64_t all_systems(const GtsvProblem &p) { return p.batch * p.planes[0] * p.planes[1]; }

// act(the problem of one plane) for each plane in sequence
template <class Act>
xbatchStatus_t for_each_plane(const GtsvProblem &p, Act act) {
    GtsvProblem one = p;
    one.planes[0] = one.planes[1] = 1;
    for (int64_t k = 0; k < p.planes[0] * p.planes[1]; ++k) {
        const int64_t j2 = k / p.planes[0], j1 = k - j2 * p.planes[0];
        const auto moved = [&](const Placement &at) {
            return at.origin + j1 * at.batch.stride[1] + j2 * at.batch.stride[2];
        };
        one.a_at.origin = moved(p.a_at), one.b_at.origin = moved(p.b_at);
        one.info = p.info ? p.info + k * p.batch : nullptr;
        if (const xbatchStatus_t status = act(one); status != XBATCH_STATUS_SUCCESS) return status;
    }
    return XBATCH_STATUS_SUCCESS;
}

// The backends of a method
const Table<GtsvProblem> &table_of(GtsvMethod method);

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
