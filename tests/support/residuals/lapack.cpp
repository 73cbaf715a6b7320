// lapack.cpp: LAPACK's gtsv and gesv for the four types. Only the lapack*.cpp files include lapacke.h.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#include <vector>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "support/fixtures/tridiagonal.hpp"

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

int lapack_gesv(int64_t n, float *a, float *b) {
    std::vector<lapack_int> pivots(n);
    return LAPACKE_sgesv(LAPACK_COL_MAJOR, lapack_int(n), 1, a, lapack_int(n), pivots.data(), b, lapack_int(n));
}
int lapack_gesv(int64_t n, double *a, double *b) {
    std::vector<lapack_int> pivots(n);
    return LAPACKE_dgesv(LAPACK_COL_MAJOR, lapack_int(n), 1, a, lapack_int(n), pivots.data(), b, lapack_int(n));
}
int lapack_gesv(int64_t n, std::complex<float> *a, std::complex<float> *b) {
    std::vector<lapack_int> pivots(n);
    return LAPACKE_cgesv(LAPACK_COL_MAJOR, lapack_int(n), 1, a, lapack_int(n), pivots.data(), b, lapack_int(n));
}
int lapack_gesv(int64_t n, std::complex<double> *a, std::complex<double> *b) {
    std::vector<lapack_int> pivots(n);
    return LAPACKE_zgesv(LAPACK_COL_MAJOR, lapack_int(n), 1, a, lapack_int(n), pivots.data(), b, lapack_int(n));
}

}  // namespace xbatch_test
