// qr_device.hpp: LAPACK's QR routines by xbatch's batched QR on a GPU, for matrices in host memory. All functions throw
// before they write: if there is no GPU, no memory on it or no such routine, or if a norm is not finite.
//
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace xbatch::lapack {

// A = Q R in place; R, V and tau as in LAPACK's geqrf
template <class T>
void geqrf_device(int64_t m, int64_t n, T *a, int64_t lda, T *tau);

// C = op(Q) C, or C op(Q) if `is_right`; Q has k vectors, in a, and C is m x n.
template <class T>
void unmqr_device(bool is_right, bool is_adjoint, int64_t m, int64_t n, int64_t k, const T *a, int64_t lda,
                  const T *tau, T *c, int64_t ldc);

// Overwrites the k vectors by the first n columns of Q.
template <class T>
void ungqr_device(int64_t m, int64_t n, int64_t k, T *a, int64_t lda, const T *tau);

// Instantiations for one type, in the file that defines the functions
#define XBATCH_LAPACK_QR_DEVICE(T)                                                                                     \
    template void geqrf_device<T>(int64_t, int64_t, T *, int64_t, T *);                                                \
    template void unmqr_device<T>(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t); \
    template void ungqr_device<T>(int64_t, int64_t, int64_t, T *, int64_t, const T *);

}  // namespace xbatch::lapack
