// qr_tiled.hpp: LAPACK's QR routines by this project's tiled QR. All throw, before they write, where libxbatch or
// memory is missing.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::lapack {

// A = Q R in place, R, V and tau as LAPACK's geqrf
template <class T>
void geqrf_tiled(int64_t m, int64_t n, T *a, int64_t lda, T *tau);

// C = op(Q) C, or C op(Q) where `is_right`, of k vectors in a; C is m x n
template <class T>
void unmqr_tiled(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda, const T *tau,
                 T *c, int64_t ldc);

// The first n columns of Q in place of its k vectors
template <class T>
void ungqr_tiled(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau);

}  // namespace xbatch::lapack
