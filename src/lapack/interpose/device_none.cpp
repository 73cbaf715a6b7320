// device_none.cpp: what goes to a GPU, in a build without CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "lapack/qr/qr_device.hpp"
#include "lapack/tridiagonal/gt_device.hpp"
#include "lapack/tridiagonal/pt_device.hpp"
#include "on_device.hpp"

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
template <class T>
int64_t gt_factor_and_solve_device(int64_t, int64_t, T *, T *, T *, T *, int64_t) {
    refuse();
}
template <class T, class Int>
int64_t gt_factor_device(int64_t, T *, T *, T *, T *, Int *) {
    refuse();
}
template <class T, class Int>
void gt_solve_device(Transpose, const LuFactors<T, Int> &, T *, int64_t, int64_t) {
    refuse();
}
template <class T, class Int>
struct SolvesOnDevice<T, Int>::Kept {};
template <class T, class Int>
SolvesOnDevice<T, Int>::SolvesOnDevice(const LuFactors<T, Int> &) {
    refuse();
}
template <class T, class Int>
SolvesOnDevice<T, Int>::~SolvesOnDevice() = default;
template <class T, class Int>
void SolvesOnDevice<T, Int>::operator()(Transpose, T *, int64_t, int64_t) const {
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
template <class T>
void pt_solve_device(bool, int64_t, const Real<T> *, const T *, T *, int64_t, int64_t) {
    refuse();
}
template <class T>
struct PtFactorsOnDevice<T>::Kept {};
template <class T>
PtFactorsOnDevice<T>::PtFactorsOnDevice(int64_t, const Real<T> *, const T *) {
    refuse();
}
template <class T>
PtFactorsOnDevice<T>::~PtFactorsOnDevice() = default;
template <class T>
void PtFactorsOnDevice<T>::solve(bool, T *, int64_t, int64_t) const {
    refuse();
}
template <class T>
Real<T> PtFactorsOnDevice<T>::inverse_norm(Real<T> *) const {
    refuse();
}

#define XBATCH_INSTANTIATE_FACTORS(T, Int)                                                              \
    template int64_t gt_factor_device<T, Int>(int64_t, T *, T *, T *, T *, Int *);                      \
    template void gt_solve_device<T, Int>(Transpose, const LuFactors<T, Int> &, T *, int64_t, int64_t); \
    template class SolvesOnDevice<T, Int>;
#define XBATCH_INSTANTIATE(T)                                                                                          \
    template void geqrf_device<T>(int64_t, int64_t, T *, int64_t, T *);                                                \
    template void unmqr_device<T>(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, T *, int64_t); \
    template void ungqr_device<T>(int64_t, int64_t, int64_t, T *, int64_t, const T *);                                 \
    XBATCH_INSTANTIATE_FACTORS(T, int32_t)                                                                             \
    XBATCH_INSTANTIATE_FACTORS(T, int64_t)                                                                             \
    template int64_t gt_factor_and_solve_device<T>(int64_t, int64_t, T *, T *, T *, T *, int64_t);                     \
    template int64_t pt_factor_and_solve_device<T>(int64_t, int64_t, Real<T> *, T *, T *, int64_t);                    \
    template int64_t pt_factor_device<T>(int64_t, Real<T> *, T *);                                                     \
    template void pt_solve_device<T>(bool, int64_t, const Real<T> *, const T *, T *, int64_t, int64_t);                \
    template class PtFactorsOnDevice<T>;
XBATCH_INSTANTIATE(float)
XBATCH_INSTANTIATE(double)
XBATCH_INSTANTIATE(Complex<float>)
XBATCH_INSTANTIATE(Complex<double>)

}  // namespace xbatch::lapack
