// qr_device_none.cpp: qr_device.hpp in a build without CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "core/scalar.hpp"
#include "qr_device.hpp"

namespace xbatch::lapack {
namespace {
[[noreturn]] void refuse() { throw std::runtime_error("built without CUDA"); }
}  // namespace

bool has_device() { return false; }
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

#define XBATCH_INSTANTIATE(T)                                                                                          \
    template void geqrf_device<T>(int64_t, int64_t, T *, int64_t, T *);                                                \
    template void unmqr_device<T>(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t); \
    template void ungqr_device<T>(int64_t, int64_t, int64_t, T *, int64_t, const T *);
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
