// shadow_expert.cpp: the shadow checker's gtcon, gtrfs, gtsvx, ptcon, ptrfs and ptsvx.
// SPDX-License-Identifier: BSD-3-Clause
#include "shadow.hpp"

using namespace shadow;

namespace {

bool is_one_of(const char *letters, char given) { return given != '\0' && std::strchr(letters, given); }

// `call(function, dl, d, du, du2, ipiv, rcond, work, info)` adds IWORK for real types.
template <class T, class Invoke>
void gtcon(const char *name, const char *norm, const int *n, const T *dl, const T *d, const T *du, const T *du2,
           const int *ipiv, const Real<T> *anorm, Real<T> *rcond, T *work, int *info, Invoke call) {
    if (inside) return call(reference_of(name), dl, d, du, du2, ipiv, rcond, work, info);
    if (!is_one_of("1OoIi", *norm) || *n < 0 || *anorm < 0)
        return call(subject_of(name), dl, d, du, du2, ipiv, rcond, work, info);
    check(
        name,
        {array("dl", dl, *n - 1, Role::input), array("d", d, *n, Role::input), array("du", du, *n - 1, Role::input),
         array("du2", du2, *n - 2, Role::input), array("ipiv", ipiv, *n, Role::input),
         array("rcond", rcond, 1, Role::estimate), array("work", work, 2 * *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            call(f, c.at<T>(0), c.at<T>(1), c.at<T>(2), c.at<T>(3), c.at<int>(4), c.at<Real<T>>(5), c.at<T>(6),
                 &c.info);
        },
        no_solution);
}
template <class T>
void gtcon_real(const char *name, const char *norm, const int *n, const T *dl, const T *d, const T *du, const T *du2,
                const int *ipiv, const T *anorm, T *rcond, T *work, int *iwork, int *info, size_t length) {
    gtcon(name, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info,
          [&](void *f, const T *l, const T *on, const T *u, const T *u2, const int *p, T *r, T *w, int *i) {
              reinterpret_cast<typename Lapack<T>::GtconReal *>(f)(norm, n, l, on, u, u2, p, anorm, r, w, iwork, i,
                                                                   length);
          });
}
template <class T>
void gtcon_complex(const char *name, const char *norm, const int *n, const T *dl, const T *d, const T *du, const T *du2,
                   const int *ipiv, const Real<T> *anorm, Real<T> *rcond, T *work, int *info, size_t length) {
    gtcon(name, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info,
          [&](void *f, const T *l, const T *on, const T *u, const T *u2, const int *p, Real<T> *r, T *w, int *i) {
              reinterpret_cast<typename Lapack<T>::GtconComplex *>(f)(norm, n, l, on, u, u2, p, anorm, r, w, i, length);
          });
}

template <class T>
void gtrfs(const char *name, const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du,
           const T *dlf, const T *df, const T *duf, const T *du2, const int *ipiv, const T *b, const int *ldb, T *x,
           const int *ldx, Real<T> *ferr, Real<T> *berr, T *work, void *more, int *info, size_t length) {
    using F = typename Lapack<T>::Gtrfs;
    const auto call = [&](void *f) {
        reinterpret_cast<F *>(f)(trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, x, ldx, ferr, berr, work,
                                 more, info, length);
    };
    if (inside) return call(reference_of(name));
    if (!is_one_of("NnTtCc", *trans) || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) || *ldx < std::max(1, *n))
        return call(subject_of(name));
    check(
        name,
        {array("d", d, *n, Role::input), array("dl", dl, *n - 1, Role::input), array("du", du, *n - 1, Role::input),
         array("dlf", dlf, *n - 1, Role::input), array("df", df, *n, Role::input),
         array("duf", duf, *n - 1, Role::input), array("du2", du2, *n - 2, Role::input),
         array("ipiv", ipiv, *n, Role::input), array("b", b, *n, Role::input, *nrhs, *ldb),
         array("x", x, *n, Role::solution, *nrhs, *ldx), array("ferr", ferr, *nrhs, Role::estimate),
         array("berr", berr, *nrhs, Role::estimate),
         array("work", work, (is_complex<T> ? 2 : 3) * *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int wide_b = int(c.arrays[8].wide()), wide_x = int(c.arrays[9].wide());
            reinterpret_cast<F *>(f)(trans, n, nrhs, c.at<T>(1), c.at<T>(0), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                                     c.at<T>(5), c.at<T>(6), c.at<int>(7), c.at<T>(8), &wide_b, c.at<T>(9), &wide_x,
                                     c.at<Real<T>>(10), c.at<Real<T>>(11), c.at<T>(12), more, &c.info, length);
        },
        no_solution);
}

template <class T>
void gtsvx(const char *name, const char *fact, const char *trans, const int *n, const int *nrhs, const T *dl,
           const T *d, const T *du, T *dlf, T *df, T *duf, T *du2, int *ipiv, const T *b, const int *ldb, T *x,
           const int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, void *more, int *info, size_t length,
           size_t other) {
    using F = typename Lapack<T>::Gtsvx;
    const auto call = [&](void *f) {
        reinterpret_cast<F *>(f)(fact, trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, x, ldx, rcond, ferr,
                                 berr, work, more, info, length, other);
    };
    if (inside) return call(reference_of(name));
    if (!is_one_of("NnFf", *fact) || !is_one_of("NnTtCc", *trans) || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) ||
        *ldx < std::max(1, *n))
        return call(subject_of(name));
    const Role factors = is_one_of("Ff", *fact) ? Role::input : Role::output;
    check(
        name,
        {array("d", d, *n, Role::input), array("dl", dl, *n - 1, Role::input), array("du", du, *n - 1, Role::input),
         array("dlf", dlf, *n - 1, factors), array("df", df, *n, factors), array("duf", duf, *n - 1, factors),
         array("du2", du2, *n - 2, factors), array("ipiv", ipiv, *n, factors),
         array("b", b, *n, Role::input, *nrhs, *ldb), array("x", x, *n, Role::solution, *nrhs, *ldx),
         array("rcond", rcond, 1, Role::estimate), array("ferr", ferr, *nrhs, Role::estimate),
         array("berr", berr, *nrhs, Role::estimate),
         array("work", work, (is_complex<T> ? 2 : 3) * *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int wide_b = int(c.arrays[8].wide()), wide_x = int(c.arrays[9].wide());
            reinterpret_cast<F *>(f)(fact, trans, n, nrhs, c.at<T>(1), c.at<T>(0), c.at<T>(2), c.at<T>(3), c.at<T>(4),
                                     c.at<T>(5), c.at<T>(6), c.at<int>(7), c.at<T>(8), &wide_b, c.at<T>(9), &wide_x,
                                     c.at<Real<T>>(10), c.at<Real<T>>(11), c.at<Real<T>>(12), c.at<T>(13), more,
                                     &c.info, length, other);
        },
        no_solution);
}

template <class T>
void ptcon(const char *name, const int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond,
           Real<T> *work, int *info) {
    using F = typename Lapack<T>::Ptcon;
    if (inside) return reinterpret_cast<F *>(reference_of(name))(n, d, e, anorm, rcond, work, info);
    if (*n < 0 || *anorm < 0) return reinterpret_cast<F *>(subject_of(name))(n, d, e, anorm, rcond, work, info);
    check(
        name,
        {array("d", d, *n, Role::input), array("e", e, *n - 1, Role::input), array("rcond", rcond, 1, Role::estimate),
         array("work", work, *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            reinterpret_cast<F *>(f)(n, c.at<Real<T>>(0), c.at<T>(1), anorm, c.at<Real<T>>(2), c.at<Real<T>>(3),
                                     &c.info);
        },
        no_solution);
}

// `call(function, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info)` adds UPLO and RWORK for complex types.
template <class T, class Invoke>
void ptrfs(const char *name, bool is_right, const int *n, const int *nrhs, const Real<T> *d, const T *e,
           const Real<T> *df, const T *ef, const T *b, const int *ldb, T *x, const int *ldx, Real<T> *ferr,
           Real<T> *berr, T *work, int *info, Invoke call) {
    if (inside) return call(reference_of(name), d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info);
    if (!is_right || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) || *ldx < std::max(1, *n))
        return call(subject_of(name), d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info);
    check(
        name,
        {array("d", d, *n, Role::input), array("e", e, *n - 1, Role::input), array("df", df, *n, Role::input),
         array("ef", ef, *n - 1, Role::input), array("b", b, *n, Role::input, *nrhs, *ldb),
         array("x", x, *n, Role::solution, *nrhs, *ldx), array("ferr", ferr, *nrhs, Role::estimate),
         array("berr", berr, *nrhs, Role::estimate),
         array("work", work, (is_complex<T> ? 1 : 2) * *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int wide_b = int(c.arrays[4].wide()), wide_x = int(c.arrays[5].wide());
            call(f, c.at<Real<T>>(0), c.at<T>(1), c.at<Real<T>>(2), c.at<T>(3), c.at<T>(4), &wide_b, c.at<T>(5),
                 &wide_x, c.at<Real<T>>(6), c.at<Real<T>>(7), c.at<T>(8), &c.info);
        },
        no_solution);
}
template <class T>
void ptrfs_real(const char *name, const int *n, const int *nrhs, const T *d, const T *e, const T *df, const T *ef,
                const T *b, const int *ldb, T *x, const int *ldx, T *ferr, T *berr, T *work, int *info) {
    ptrfs<T>(name, true, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info,
             [&](void *f, auto... rest) { reinterpret_cast<typename Lapack<T>::PtrfsReal *>(f)(n, nrhs, rest...); });
}
template <class T>
void ptrfs_complex(const char *name, const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e,
                   const Real<T> *df, const T *ef, const T *b, const int *ldb, T *x, const int *ldx, Real<T> *ferr,
                   Real<T> *berr, T *work, Real<T> *rwork, int *info, size_t length) {
    ptrfs<T>(name, is_one_of("ULul", *uplo), n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info,
             [&](void *f, const Real<T> *on, const T *off, const Real<T> *pivots, const T *factors, const T *right,
                 const int *wide_b, T *y, const int *wide_x, Real<T> *forward, Real<T> *backward, T *room, int *i) {
                 reinterpret_cast<typename Lapack<T>::PtrfsComplex *>(f)(uplo, n, nrhs, on, off, pivots, factors, right,
                                                                         wide_b, y, wide_x, forward, backward, room,
                                                                         rwork, i, length);
             });
}

// `call(function, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info)` adds RWORK for complex types.
template <class T, class Invoke>
void ptsvx(const char *name, const char *fact, const int *n, const int *nrhs, const Real<T> *d, const T *e, Real<T> *df,
           T *ef, const T *b, const int *ldb, T *x, const int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr,
           T *work, int *info, Invoke call) {
    if (inside) return call(reference_of(name), d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info);
    if (!is_one_of("NnFf", *fact) || *n < 0 || *nrhs < 0 || *ldb < std::max(1, *n) || *ldx < std::max(1, *n))
        return call(subject_of(name), d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info);
    const Role factors = is_one_of("Ff", *fact) ? Role::input : Role::output;
    check(
        name,
        {array("d", d, *n, Role::input), array("e", e, *n - 1, Role::input), array("df", df, *n, factors),
         array("ef", ef, *n - 1, factors), array("b", b, *n, Role::input, *nrhs, *ldb),
         array("x", x, *n, Role::solution, *nrhs, *ldx), array("rcond", rcond, 1, Role::estimate),
         array("ferr", ferr, *nrhs, Role::estimate), array("berr", berr, *nrhs, Role::estimate),
         array("work", work, (is_complex<T> ? 1 : 2) * *n, Role::workspace)},
        info,
        [&](void *f, Copies &c) {
            const int wide_b = int(c.arrays[4].wide()), wide_x = int(c.arrays[5].wide());
            call(f, c.at<Real<T>>(0), c.at<T>(1), c.at<Real<T>>(2), c.at<T>(3), c.at<T>(4), &wide_b, c.at<T>(5),
                 &wide_x, c.at<Real<T>>(6), c.at<Real<T>>(7), c.at<Real<T>>(8), c.at<T>(9), &c.info);
        },
        no_solution);
}
template <class T>
void ptsvx_real(const char *name, const char *fact, const int *n, const int *nrhs, const T *d, const T *e, T *df, T *ef,
                const T *b, const int *ldb, T *x, const int *ldx, T *rcond, T *ferr, T *berr, T *work, int *info,
                size_t length) {
    ptsvx<T>(name, fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info,
             [&](void *f, auto... rest) {
                 reinterpret_cast<typename Lapack<T>::PtsvxReal *>(f)(fact, n, nrhs, rest..., length);
             });
}
template <class T>
void ptsvx_complex(const char *name, const char *fact, const int *n, const int *nrhs, const Real<T> *d, const T *e,
                   Real<T> *df, T *ef, const T *b, const int *ldb, T *x, const int *ldx, Real<T> *rcond, Real<T> *ferr,
                   Real<T> *berr, T *work, Real<T> *rwork, int *info, size_t length) {
    ptsvx<T>(
        name, fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work, info,
        [&](void *f, const Real<T> *on, const T *off, Real<T> *pivots, T *factors, const T *right, const int *wide_b,
            T *y, const int *wide_x, Real<T> *condition, Real<T> *forward, Real<T> *backward, T *room, int *i) {
            reinterpret_cast<typename Lapack<T>::PtsvxComplex *>(f)(fact, n, nrhs, on, off, pivots, factors, right,
                                                                    wide_b, y, wide_x, condition, forward, backward,
                                                                    room, rwork, i, length);
        });
}

}  // namespace

extern "C" {
#define SHADOW(T, x)                                                                                                   \
    void x##gtrfs_(const char *trans, const int *n, const int *nrhs, const T *dl, const T *d, const T *du,             \
                   const T *dlf, const T *df, const T *duf, const T *du2, const int *ipiv, const T *b, const int *ldb, \
                   T *y, const int *ldx, Real<T> *ferr, Real<T> *berr, T *work, void *more, int *info,                 \
                   size_t length) {                                                                                    \
        gtrfs<T>(#x "gtrfs_", trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, y, ldx, ferr, berr, work,    \
                 more, info, length);                                                                                  \
    }                                                                                                                  \
    void x##gtsvx_(const char *fact, const char *trans, const int *n, const int *nrhs, const T *dl, const T *d,        \
                   const T *du, T *dlf, T *df, T *duf, T *du2, int *ipiv, const T *b, const int *ldb, T *y,            \
                   const int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, void *more, int *info,       \
                   size_t length, size_t other) {                                                                      \
        gtsvx<T>(#x "gtsvx_", fact, trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, y, ldx, rcond, ferr,   \
                 berr, work, more, info, length, other);                                                               \
    }                                                                                                                  \
    void x##ptcon_(const int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond, Real<T> *work,    \
                   int *info) {                                                                                        \
        ptcon<T>(#x "ptcon_", n, d, e, anorm, rcond, work, info);                                                      \
    }
LAPACK_TYPES(SHADOW)

#define SHADOW_REAL(T, x)                                                                                      \
    void x##gtcon_(const char *norm, const int *n, const T *dl, const T *d, const T *du, const T *du2,         \
                   const int *ipiv, const T *anorm, T *rcond, T *work, int *iwork, int *info, size_t length) { \
        gtcon_real<T>(#x "gtcon_", norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, iwork, info, length);    \
    }
#define SHADOW_PT_REAL(T, x)                                                                                          \
    void x##ptrfs_(const int *n, const int *nrhs, const T *d, const T *e, const T *df, const T *ef, const T *b,       \
                   const int *ldb, T *y, const int *ldx, T *ferr, T *berr, T *work, int *info) {                      \
        ptrfs_real<T>(#x "ptrfs_", n, nrhs, d, e, df, ef, b, ldb, y, ldx, ferr, berr, work, info);                    \
    }                                                                                                                 \
    void x##ptsvx_(const char *fact, const int *n, const int *nrhs, const T *d, const T *e, T *df, T *ef, const T *b, \
                   const int *ldb, T *y, const int *ldx, T *rcond, T *ferr, T *berr, T *work, int *info,              \
                   size_t length) {                                                                                   \
        ptsvx_real<T>(#x "ptsvx_", fact, n, nrhs, d, e, df, ef, b, ldb, y, ldx, rcond, ferr, berr, work, info,        \
                      length);                                                                                        \
    }
SHADOW_PT_REAL(float, s)
SHADOW_PT_REAL(double, d)
SHADOW_REAL(float, s)
SHADOW_REAL(double, d)

#define SHADOW_COMPLEX(T, x)                                                                                   \
    void x##gtcon_(const char *norm, const int *n, const T *dl, const T *d, const T *du, const T *du2,         \
                   const int *ipiv, const Real<T> *anorm, Real<T> *rcond, T *work, int *info, size_t length) { \
        gtcon_complex<T>(#x "gtcon_", norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info, length);        \
    }
#define SHADOW_PT_COMPLEX(T, x)                                                                                       \
    void x##ptrfs_(const char *uplo, const int *n, const int *nrhs, const Real<T> *d, const T *e, const Real<T> *df,  \
                   const T *ef, const T *b, const int *ldb, T *y, const int *ldx, Real<T> *ferr, Real<T> *berr,       \
                   T *work, Real<T> *rwork, int *info, size_t length) {                                               \
        ptrfs_complex<T>(#x "ptrfs_", uplo, n, nrhs, d, e, df, ef, b, ldb, y, ldx, ferr, berr, work, rwork, info,     \
                         length);                                                                                     \
    }                                                                                                                 \
    void x##ptsvx_(const char *fact, const int *n, const int *nrhs, const Real<T> *d, const T *e, Real<T> *df, T *ef, \
                   const T *b, const int *ldb, T *y, const int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr,    \
                   T *work, Real<T> *rwork, int *info, size_t length) {                                               \
        ptsvx_complex<T>(#x "ptsvx_", fact, n, nrhs, d, e, df, ef, b, ldb, y, ldx, rcond, ferr, berr, work, rwork,    \
                         info, length);                                                                               \
    }
SHADOW_PT_COMPLEX(std::complex<float>, c)
SHADOW_PT_COMPLEX(std::complex<double>, z)
SHADOW_COMPLEX(std::complex<float>, c)
SHADOW_COMPLEX(std::complex<double>, z)
}
