// lapack.cpp: LAPACK's gtsv for the four types. Only this file sees lapacke.h.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "tridiagonal.hpp"

namespace xbatch_test {

int lapack_gtsv(int64_t n, float *dl, float *d, float *du, float *b) {
    return LAPACKE_sgtsv(LAPACK_COL_MAJOR, lapack_int(n), 1, dl, d, du, b, lapack_int(n));
}
int lapack_gtsv(int64_t n, double *dl, double *d, double *du, double *b) {
    return LAPACKE_dgtsv(LAPACK_COL_MAJOR, lapack_int(n), 1, dl, d, du, b, lapack_int(n));
}
int lapack_gtsv(int64_t n, std::complex<float> *dl, std::complex<float> *d, std::complex<float> *du,
                std::complex<float> *b) {
    return LAPACKE_cgtsv(LAPACK_COL_MAJOR, lapack_int(n), 1, dl, d, du, b, lapack_int(n));
}
int lapack_gtsv(int64_t n, std::complex<double> *dl, std::complex<double> *d, std::complex<double> *du,
                std::complex<double> *b) {
    return LAPACKE_zgtsv(LAPACK_COL_MAJOR, lapack_int(n), 1, dl, d, du, b, lapack_int(n));
}

}  // namespace xbatch_test
