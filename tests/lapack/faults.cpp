// faults.cpp: a library to preload before the interposer. Some of its double routines contain the error that FAULT
// names. The tester or the shadow checker must detect each.
//
// SPDX-License-Identifier: BSD-3-Clause
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

// Elimination without row exchanges
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
    const double original = d[*n / 2];
    real(n, fault("one_right_hand_side") ? &one : nrhs, dl, d, du, b, ldb, info);
    if (fault("wrong_info") && *info > 0) *info += 1;
    if (fault("no_info")) *info = 0;
    if (fault("nan")) b[*n / 2] = std::nan("");
    if (fault("padding") && *ldb > *n) b[*n] = 0;
    if (fault("factors")) d[*n / 2] = original;
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

extern "C" void dptsvx_(const char *fact, const int *n, const int *nrhs, const double *d, const double *e, double *df,
                        double *ef, const double *b, const int *ldb, double *x, const int *ldx, double *rcond,
                        double *ferr, double *berr, double *work, int *info, size_t length) {
    const auto real = reinterpret_cast<Lapack<double>::PtsvxReal *>(dlsym(RTLD_NEXT, "dptsvx_"));
    real(fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info, length);
    if (fault("berr") && *n > 0 && *nrhs > 0) berr[0] += 1e-6;
}

extern "C" void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
                        const int *lwork, int *info) {
    const auto real = reinterpret_cast<Lapack<double>::Geqrf *>(dlsym(RTLD_NEXT, "dgeqrf_"));
    real(m, n, a, lda, tau, work, lwork, info);
    if (*info != 0 || *lwork < 0 || *m < 2 || *n < 1) return;
    if (fault("tau")) tau[0] *= 1 + 1e-9;
    if (fault("vectors"))
        for (int i = 1; i < *m; ++i) a[i] *= 2;
    if (fault("r_sign"))
        for (int c = 0; c < *n; ++c) a[c * *lda] = -a[c * *lda];
    if (fault("qr_padding") && *lda > *m) a[*m] = 0;
}

extern "C" void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k, const double *a,
                        const int *lda, const double *tau, double *c, const int *ldc, double *work, const int *lwork,
                        int *info, size_t length, size_t other_length) {
    const auto real = reinterpret_cast<Lapack<double>::Unmqr *>(dlsym(RTLD_NEXT, "dormqr_"));
    const int one = 1;
    const bool first = fault("q_one_right_hand_side") && *side == 'L' && *n > 1 && *lwork > 0;
    real(side, fault("q_op") && *trans == 'T' ? "N" : trans, m, first ? &one : n, k, a, lda, tau, c, ldc, work, lwork,
         info, length, other_length);
}

extern "C" void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
                        double *work, const int *lwork, int *info) {
    reinterpret_cast<Lapack<double>::Ungqr *>(dlsym(RTLD_NEXT, "dorgqr_"))(m, n, k, a, lda, tau, work, lwork, info);
    if (fault("q_column") && *lwork > 0 && *n > 1)
        for (int i = 0; i < *m; ++i) a[(*n - 1) * *lda + i] *= 1 + 1e-8;
}

extern "C" void dgeqr_(const int *m, const int *n, double *a, const int *lda, double *t, const int *tsize, double *work,
                       const int *lwork, int *info) {
    reinterpret_cast<Lapack<double>::Geqr *>(dlsym(RTLD_NEXT, "dgeqr_"))(m, n, a, lda, t, tsize, work, lwork, info);
    if (fault("geqr_blocks") && *tsize > 0 && *lwork > 0 && *m > 1 && *n > 1) t[2] = 2;
}
