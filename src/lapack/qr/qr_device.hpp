// qr_device.hpp: LAPACK's QR routines by this project's batched QR on a GPU, for matrices in the program's memory. All
// throw, before they write, where the GPU, its memory or the routine is not to be had, or a norm is not finite.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::lapack {

// A = Q R in place, R, V and tau as LAPACK's geqrf
template <class T>
void geqrf_device(int64_t m, int64_t n, T *a, int64_t lda, T *tau);

// C = op(Q) C, or C op(Q) where `is_right`, of k vectors in a; C is m x n
template <class T>
void unmqr_device(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
                  const T *tau, T *c, int64_t ldc);

// The first n columns of Q in place of its k vectors
template <class T>
void ungqr_device(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau);

}  // namespace xbatch::lapack
