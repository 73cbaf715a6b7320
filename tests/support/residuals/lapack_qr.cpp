// lapack_qr.cpp: LAPACK's geqrf and gels for the four types.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <vector>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "support/fixtures/qr.hpp"

namespace xbatch_test {
namespace {

template <class T>
struct Lapack;
template <>
struct Lapack<float> {
    static constexpr auto geqrf = LAPACKE_sgeqrf;
    static constexpr auto gels = LAPACKE_sgels;
};
template <>
struct Lapack<double> {
    static constexpr auto geqrf = LAPACKE_dgeqrf;
    static constexpr auto gels = LAPACKE_dgels;
};
template <>
struct Lapack<std::complex<float>> {
    static constexpr auto geqrf = LAPACKE_cgeqrf;
    static constexpr auto gels = LAPACKE_cgels;
};
template <>
struct Lapack<std::complex<double>> {
    static constexpr auto geqrf = LAPACKE_zgeqrf;
    static constexpr auto gels = LAPACKE_zgels;
};

}  // namespace

template <class T>
void lapack_geqrf(Dense<T> &a) {
    std::vector<T> tau(static_cast<size_t>(std::min(a.m, a.n)));
    Lapack<T>::geqrf(LAPACK_COL_MAJOR, lapack_int(a.m), lapack_int(a.n), a.data.data(), lapack_int(a.m), tau.data());
}
template <class T>
void lapack_gels(bool is_adjoint, Dense<T> a, Dense<T> &b) {
    Lapack<T>::gels(LAPACK_COL_MAJOR,
                    !is_adjoint     ? 'N'
                    : is_complex<T> ? 'C'
                                    : 'T',
                    lapack_int(a.m), lapack_int(a.n), lapack_int(b.n), a.data.data(), lapack_int(a.m), b.data.data(),
                    lapack_int(b.m));
}

template void lapack_geqrf(Dense<float> &);
template void lapack_geqrf(Dense<double> &);
template void lapack_geqrf(Dense<std::complex<float>> &);
template void lapack_geqrf(Dense<std::complex<double>> &);
template void lapack_gels(bool, Dense<float>, Dense<float> &);
template void lapack_gels(bool, Dense<double>, Dense<double> &);
template void lapack_gels(bool, Dense<std::complex<float>>, Dense<std::complex<float>> &);
template void lapack_gels(bool, Dense<std::complex<double>>, Dense<std::complex<double>> &);

}  // namespace xbatch_test
