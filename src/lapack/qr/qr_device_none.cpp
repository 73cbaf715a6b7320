// qr_device_none.cpp: the functions of qr_device.hpp in a build without CUDA: they refuse.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/scalar.hpp"
#include "lapack/interpose/device_none.hpp"
#include "qr_device.hpp"

namespace xbatch::lapack {

template <class T>
void geqrf_device(int64_t, int64_t, T *, int64_t, T *) {
    refuse();
}
template <class T>
void unmqr_device(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t) {
    refuse();
}
template <class T>
void ungqr_device(int64_t, int64_t, int64_t, T *, int64_t, const T *) {
    refuse();
}

XBATCH_LAPACK_QR_DEVICE(float)
XBATCH_LAPACK_QR_DEVICE(double)
XBATCH_LAPACK_QR_DEVICE(Complex<float>)
XBATCH_LAPACK_QR_DEVICE(Complex<double>)

}  // namespace xbatch::lapack
