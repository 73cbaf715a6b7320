// shadow.cpp: a library to preload before the interposer. It makes each call of the tridiagonal routines three times,
// on copies with larger leading dimensions between canaries: twice by the next library in load order and once by
// LAPACK. INFO, finiteness, documented outputs, backward errors, inputs, padding and the bits of a repetition must
// agree. SHADOW_REPORT names the report file.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "shadow.hpp"

using namespace shadow;

namespace {

__attribute__((destructor)) void close_report() {
    if (calls > 0)
        std::fprintf(report(), "shadow: %d calls, %d complaints\n", calls, complaints), std::fflush(report());
}

template <class T>
void gtsv(const char *name, const int *n, const int *nrhs, T *dl, T *d, T *du, T *b, const int *ldb, int *info) {
    using F = typename Lapack<T>::Gtsv;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, nrhs, dl, d, du, b, ldb, info);
    // LAPACK's gtsv writes the first column of b even if there is none.
    if (*n < 0 || *nrhs < 1 || *ldb < std::max(1, *n))
        return reinterpret_cast<F *>(subject_of(name))(n, nrhs, dl, d, du, b, ldb, info);
    const std::vector<T> lower(dl, dl + std::max(*n - 1, 0)), on(d, d + *n), upper(du, du + std::max(*n - 1, 0));
    std::vector<T> right(int64_t(*ldb) * std::max(*nrhs, 1));
    for (int64_t r = 0; r < *nrhs; ++r) std::copy_n(b + r * *ldb, *n, right.data() + r * *ldb);
    const Array given = array("b", right.data(), *n, Role::input, *nrhs, *ldb);
    check(
        name,
        {array("dl", dl, *n - 2, Role::output), array("d", d, *n, Role::output), array("du", du, *n - 1, Role::output),
         array("b", b, *n, Role::solution, *nrhs, *ldb),
         array("dl's last", dl + std::max(*n - 2, 0), *n > 1, Role::input)},
        info,
        [&](void *f, Copies &c) {
            std::vector<T> whole(c.at<T>(0), c.at<T>(0) + std::max(*n - 2, 0));
            if (*n > 1) whole.push_back(*c.at<T>(4));
            const int ld = int(c.arrays[3].wide());
            reinterpret_cast<F *>(f)(n, nrhs, whole.data(), c.at<T>(1), c.at<T>(2), c.at<T>(3), &ld, &c.info);
            if (*n > 2) std::copy_n(whole.data(), *n - 2, c.at<T>(0));
        },
        [&](const Copies &c) { return residual(*n, lower.data(), on.data(), upper.data(), false, given, c, 3); });
}

template <class T>
void gttrf(const char *name, const int *n, T *dl, T *d, T *du, T *du2, int *ipiv, int *info) {
    using F = typename Lapack<T>::Gttrf;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, dl, d, du, du2, ipiv, info);
    if (*n < 0) return reinterpret_cast<F *>(subject_of(name))(n, dl, d, du, du2, ipiv, info);
    check(
        name,
        {array("dl", dl, *n - 1, Role::output), array("d", d, *n, Role::output), array("du", du, *n - 1, Role::output),
         array("du2", du2, *n - 2, Role::output), array("ipiv", ipiv, *n, Role::output)},
        info,
        [&](void *f, Copies &c) {
            reinterpret_cast<F *>(f)(n, c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<int>(4), &c.info);
        },
        no_solution);
}

template <class T>
void gttrs(const char *name, const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du,
           const T *du2, const int *ipiv, T *b, const int *ldb, int *info, size_t length) {
    using F = typename Lapack<T>::Gttrs;
    if (inside)
        return reinterpret_cast<F *>(reference_of(name))(trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);
    if (*n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) || !std::strchr("NTCntc", *trans))
        return reinterpret_cast<F *>(subject_of(name))(trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);
    check(
        name,
        {array("dl", dl, *n - 1, Role::input), array("d", d, *n, Role::input), array("du", du, *n - 1, Role::input),
         array("du2", du2, *n - 2, Role::input), array("ipiv", ipiv, *n, Role::input),
         array("b", b, *n, Role::output, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[5].wide());
            reinterpret_cast<F *>(f)(trans, n, nrhs, c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<int>(4),
                                     c.at<T>(5), &ld, &c.info, length);
        },
        no_solution);
}

template <class T>
void ptsv(const char *name, const int *n, const int *nrhs, Real<T> *d, T *e, T *b, const int *ldb, int *info) {
    using F = typename Lapack<T>::Ptsv;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, nrhs, d, e, b, ldb, info);
    if (*n < 0 || *nrhs < 0 || *ldb < std::max(1, *n))
        return reinterpret_cast<F *>(subject_of(name))(n, nrhs, d, e, b, ldb, info);
    const std::vector<T> on(d, d + *n), below(e, e + std::max(*n - 1, 0));
    std::vector<T> right(int64_t(*ldb) * std::max(*nrhs, 1));
    for (int64_t r = 0; r < *nrhs; ++r) std::copy_n(b + r * *ldb, *n, right.data() + r * *ldb);
    const Array given = array("b", right.data(), *n, Role::input, *nrhs, *ldb);
    check(
        name,
        {array("d", d, *n, Role::output), array("e", e, *n - 1, Role::output),
         array("b", b, *n, Role::solution, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[2].wide());
            reinterpret_cast<F *>(f)(n, nrhs, c.at<Real<T>>(0), c.at<T>(1), c.at<T>(2), &ld, &c.info);
        },
        [&](const Copies &c) { return residual(*n, below.data(), on.data(), below.data(), true, given, c, 2); });
}

template <class T>
void pttrf(const char *name, const int *n, Real<T> *d, T *e, int *info) {
    using F = typename Lapack<T>::Pttrf;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, d, e, info);
    if (*n < 0) return reinterpret_cast<F *>(subject_of(name))(n, d, e, info);
    check(
        name, {array("d", d, *n, Role::output), array("e", e, *n - 1, Role::output)}, info,
        [&](void *f, Copies &c) { reinterpret_cast<F *>(f)(n, c.at<Real<T>>(0), c.at<T>(1), &c.info); }, no_solution);
}

// `call(function, d, e, b, ldb, info)` adds UPLO for complex types.
template <class T, class Invoke>
void pttrs(const char *name, bool is_right, const int *n, const int *nrhs, const Real<T> *d, const T *e, T *b,
           const int *ldb, int *info, Invoke call) {
    if (inside) return call(reference_of(name), d, e, b, ldb, info);
    if (!is_right || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n)) return call(subject_of(name), d, e, b, ldb, info);
    check(
        name,
        {array("d", d, *n, Role::input), array("e", e, *n - 1, Role::input),
         array("b", b, *n, Role::output, *nrhs, *ldb)},
        info,
        [&](void *f, Copies &c) {
            const int ld = int(c.arrays[2].wide());
            call(f, c.at<Real<T>>(0), c.at<T>(1), c.at<T>(2), &ld, &c.info);
        },
        no_solution);
}
template <class T>
void pttrs_real(const char *name, const int *n, const int *nrhs, const T *d, const T *e, T *b, const int *ldb,
                int *info) {
    pttrs<T>(name, true, n, nrhs, d, e, b, ldb, info,
             [&](void *f, const T *on, const T *off, T *x, const int *ld, int *i) {
                 reinterpret_cast<typename Lapack<T>::PttrsReal *>(f)(n, nrhs, on, off, x, ld, i);
             });
}
template <class T>
void pttrs_complex(const char *name, const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e,
                   T *b, const int *ldb, int *info, size_t length) {
    pttrs<T>(name, std::strchr("ULul", *uplo) != nullptr, n, nrhs, d, e, b, ldb, info,
             [&](void *f, const Real<T> *on, const T *off, T *x, const int *ld, int *i) {
                 reinterpret_cast<typename Lapack<T>::PttrsComplex *>(f)(uplo, n, nrhs, on, off, x, ld, i, length);
             });
}

}  // namespace

extern "C" {
#define SHADOW(T, x)                                                                                       \
    void x##gtsv_(const int *n, const int *nrhs, T *dl, T *d, T *du, T *b, const int *ldb, int *info) {    \
        gtsv<T>(#x "gtsv_", n, nrhs, dl, d, du, b, ldb, info);                                             \
    }                                                                                                      \
    void x##gttrf_(const int *n, T *dl, T *d, T *du, T *du2, int *ipiv, int *info) {                       \
        gttrf<T>(#x "gttrf_", n, dl, d, du, du2, ipiv, info);                                              \
    }                                                                                                      \
    void x##gttrs_(const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du, \
                   const T *du2, const int *ipiv, T *b, const int *ldb, int *info, size_t length) {        \
        gttrs<T>(#x "gttrs_", trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);                 \
    }                                                                                                      \
    void x##ptsv_(const int *n, const int *nrhs, Real<T> *d, T *e, T *b, const int *ldb, int *info) {      \
        ptsv<T>(#x "ptsv_", n, nrhs, d, e, b, ldb, info);                                                  \
    }                                                                                                      \
    void x##pttrf_(const int *n, Real<T> *d, T *e, int *info) { pttrf<T>(#x "pttrf_", n, d, e, info); }
LAPACK_TYPES(SHADOW)

#define SHADOW_REAL(T, x)                                                                                    \
    void x##pttrs_(const int *n, const int *nrhs, const T *d, const T *e, T *b, const int *ldb, int *info) { \
        pttrs_real<T>(#x "pttrs_", n, nrhs, d, e, b, ldb, info);                                             \
    }
SHADOW_REAL(float, s)
SHADOW_REAL(double, d)

#define SHADOW_COMPLEX(T, x)                                                                            \
    void x##pttrs_(const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e, T *b, \
                   const int *ldb, int *info, size_t length) {                                          \
        pttrs_complex<T>(#x "pttrs_", uplo, n, nrhs, d, e, b, ldb, info, length);                       \
    }
SHADOW_COMPLEX(std::complex<float>, c)
SHADOW_COMPLEX(std::complex<double>, z)
}
