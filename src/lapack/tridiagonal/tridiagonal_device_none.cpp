// tridiagonal_device_none.cpp: the functions of tridiagonal_device.hpp in a build without CUDA: they refuse.
// SPDX-License-Identifier: BSD-3-Clause
#include "lapack/interpose/device_none.hpp"
#include "tridiagonal_device.hpp"

namespace xbatch::lapack {

template <class T>
int64_t gt_factor_and_solve_device(int64_t, int64_t, T *, T *, T *, T *, int64_t) {
    refuse();
}
template <class T, class Int>
int64_t gt_factor_device(int64_t, T *, T *, T *, T *, Int *) {
    refuse();
}
template <class T>
int64_t pt_factor_and_solve_device(int64_t, int64_t, Real<T> *, T *, T *, int64_t) {
    refuse();
}
template <class T>
int64_t pt_factor_device(int64_t, Real<T> *, T *) {
    refuse();
}
template <class Factors>
void solve_on_device(typename Factors::Op, const Factors &, typename Factors::Element *, int64_t, int64_t) {
    refuse();
}
template <class Factors>
struct FactorsOnDevice<Factors>::Stored {};
template <class Factors>
FactorsOnDevice<Factors>::FactorsOnDevice(const Factors &) {
    refuse();
}
template <class Factors>
FactorsOnDevice<Factors>::~FactorsOnDevice() = default;
template <class Factors>
void FactorsOnDevice<Factors>::solve(typename Factors::Op, T *, int64_t, int64_t) const {
    refuse();
}
template <class Factors>
Real<typename Factors::Element> FactorsOnDevice<Factors>::inverse_norm(Real<T> *) const {
    refuse();
}

#define XBATCH_INSTANTIATE(T) XBATCH_LAPACK_GT_DEVICE(T) XBATCH_LAPACK_PT_DEVICE(T)
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
