// qr_tiled.hpp: LAPACK's QR routines by xbatch's tiled QR on the host. All functions throw before they write if
// libxbatch or memory is not available.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::lapack {

// A = Q R in place; R, V and tau as in LAPACK's geqrf
template <class T>
void geqrf_tiled(int64_t m, int64_t n, T *a, int64_t lda, T *tau);

// C = op(Q) C, or C op(Q) if `is_right`; Q has k vectors, in a, and C is m x n.
template <class T>
void unmqr_tiled(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *tau,
                 T *c, int64_t ldc);

// Overwrites the k vectors by the first n columns of Q.
template <class T>
void ungqr_tiled(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau);

}  // namespace xbatch::lapack
