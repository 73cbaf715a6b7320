// faults.cpp: a library to preload before the interposer, whose dgtsv, dpttrf and dgtcon do what FAULT says wrongly.
// The tester or the shadow checker must see each. SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "prototypes.hpp"

namespace {

bool fault(const char *name) {
    const char *wanted = std::getenv("FAULT");
    return wanted && std::strcmp(wanted, name) == 0;
}

// Elimination in the order of the rows, whatever the pivots
void solve_without_pivoting(int n, int nrhs, double *dl, double *d, double *du, double *b, int ldb) {
    for (int i = 0; i + 1 < n; ++i) {
        const double f = dl[i] / d[i];
        d[i + 1] -= f * du[i];
        for (int r = 0; r < nrhs; ++r) b[r * ldb + i + 1] -= f * b[r * ldb + i];
        dl[i] = 0;
    }
    for (int r = 0; r < nrhs; ++r)
        for (int i = n - 1; i >= 0; --i)
            b[r * ldb + i] = (b[r * ldb + i] - (i + 1 < n ? du[i] * b[r * ldb + i + 1] : 0)) / d[i];
}

}  // namespace

extern "C" void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb,
                       int *info) {
    const auto real = reinterpret_cast<Lapack<double>::Gtsv *>(dlsym(RTLD_NEXT, "dgtsv_"));
    if (*n < 2 || *nrhs < 1 || *ldb < *n) return real(n, nrhs, dl, d, du, b, ldb, info);
    if (fault("no_pivoting")) {
        *info = 0;
        return solve_without_pivoting(*n, *nrhs, dl, d, du, b, *ldb);
    }
    const int one = 1;
    const double kept = d[*n / 2];
    real(n, fault("one_right_hand_side") ? &one : nrhs, dl, d, du, b, ldb, info);
    if (fault("wrong_info") && *info > 0) *info += 1;
    if (fault("no_info")) *info = 0;
    if (fault("nan")) b[*n / 2] = std::nan("");
    if (fault("padding") && *ldb > *n) b[*n] = 0;
    if (fault("factors")) d[*n / 2] = kept;
    static int calls = 0;
    if (fault("unrepeatable") && ++calls % 2 == 0) b[0] = std::nextafter(b[0], 1e300);
    if (fault("tiny_error")) b[*n / 2] *= 1 + 1e-9;
}

extern "C" void dpttrf_(const int *n, double *d, double *e, int *info) {
    reinterpret_cast<Lapack<double>::Pttrf *>(dlsym(RTLD_NEXT, "dpttrf_"))(n, d, e, info);
    if (fault("pttrf_info") && *info > 0) *info = 1;
}

extern "C" void dgtcon_(const char *norm, const int *n, const double *dl, const double *d, const double *du,
                        const double *du2, const int *ipiv, const double *anorm, double *rcond, double *work,
                        int *iwork, int *info, size_t length) {
    const auto real = reinterpret_cast<Lapack<double>::GtconReal *>(dlsym(RTLD_NEXT, "dgtcon_"));
    real(norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, iwork, info, length);
    if (fault("rcond")) *rcond *= 20;
}
