// pt_entries.cpp: ptsv, pttrf, pttrs, ptcon, ptrfs, ptsvx as LAPACK has them.
// SPDX-License-Identifier: BSD-3-Clause
#include "lapack/interpose/on_device.hpp"
#include "pt_device.hpp"
#include "refine.hpp"

namespace xbatch::lapack {
namespace {

template <class T>
int64_t factor_and_solve(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb) {
    const int64_t wrong = pt_factor(n, d, e);
    if (wrong == 0) pt_solve(false, n, d, e, b, ldb, nrhs);
    return wrong;
}

// These come twice: computed on the host and on a GPU.
template <class T, class Int, auto factor_and_solve>
void ptsv(const Int *n, const Int *nrhs, Real<T> *d, T *e, T *b, const Int *ldb, Int *info) {
    Arguments<T, Int>("PTSV", info)
        .require(*n >= 0, 1)
        .require(*nrhs >= 0, 2)
        .require(*ldb >= std::max<Int>(1, *n), 6)
        .check();
    *info = Int(factor_and_solve(*n, *nrhs, d, e, b, *ldb));
}

template <class T, class Int, auto factor>
void pttrf(const Int *n, Real<T> *d, T *e, Int *info) {
    Arguments<T, Int>("PTTRF", info).require(*n >= 0, 1).check();
    *info = Int(factor(*n, d, e));
}

// Complex routines have one argument more, UPLO, in front.
template <class T, class Int, auto solve>
void pttrs(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, T *b, const Int *ldb,
           Int *info, size_t) {
    const int before = uplo ? 1 : 0;
    Arguments<T, Int>("PTTRS", info)
        .require(!uplo || is(uplo, 'U') || is(uplo, 'L'), 1)
        .require(*n >= 0, before + 1)
        .require(*nrhs >= 0, before + 2)
        .require(*ldb >= std::max<Int>(1, *n), before + 6)
        .check();
    solve(uplo && is(uplo, 'U'), *n, d, e, b, *ldb, *nrhs);
}
template <class T, class Int, auto solve>
void pttrs_real(const Int *n, const Int *nrhs, const T *d, const T *e, T *b, const Int *ldb, Int *info) {
    pttrs<T, Int, solve>(nullptr, n, nrhs, d, e, b, ldb, info, 0);
}

// What is done with factors, and the same where they stay on a GPU: PtFactorsOnDevice
template <class T>
struct PtFactors {
    int64_t n;
    const Real<T> *d;
    const T *e;
    void solve(bool upper, T *b, int64_t ldb = 0, int64_t nrhs = 1) const { pt_solve(upper, n, d, e, b, ldb, nrhs); }
    Real<T> inverse_norm(Real<T> *work) const { return pt_inverse_norm(n, d, e, work); }
};

template <class T, class Factors>
Real<T> condition(int64_t n, const Real<T> *d, Real<T> norm, Real<T> *work, const Factors &factors) {
    if (n == 0) return 1;
    if (norm == 0) return 0;
    for (int64_t i = 0; i < n; ++i)
        if (d[i] <= 0) return 0;
    return reciprocal_condition_of(factors.inverse_norm(work), norm);
}

template <class T, class Int, class Factors>
void ptcon(const Int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond, Real<T> *work, Int *info) {
    Arguments<T, Int>("PTCON", info).require(*n >= 0, 1).require(!(*anorm < 0), 4).check();
    *rcond = condition<T>(*n, d, *anorm, work, Factors{*n, d, e});
}

template <class T>
struct Matrix {
    int64_t n;
    const Real<T> *d;
    const T *e;
};

template <class T, class Factors>
void refine_columns(bool upper, int64_t nrhs, const Matrix<T> &a, const Factors &factors, const T *b, int64_t ldb, T *x,
                    int64_t ldx, Real<T> *ferr, Real<T> *berr, T *r, Real<T> *weights) {
    for (int64_t k = 0; k < nrhs; ++k) {
        if (a.n == 0) {
            ferr[k] = berr[k] = 0;
            continue;
        }
        const auto residual = [&](const T *at, T *result, Real<T> *sizes) {
            tridiagonal_residual(
                a.n, b + k * ldb, at, result, sizes,
                [&](int64_t i) { return upper ? conjugate(a.e[i - 1]) : a.e[i - 1]; },
                [&](int64_t i) { return T(a.d[i]); }, [&](int64_t i) { return upper ? a.e[i] : conjugate(a.e[i]); });
        };
        berr[k] = refine(a.n, x + k * ldx, r, weights, residual, [&](T *v) { factors.solve(upper, v); });
        const Real<T> bound = *std::max_element(weights, weights + a.n);
        ferr[k] = relative_to(a.n, x + k * ldx, bound * factors.inverse_norm(weights));
    }
}

template <class T, class Int, class Factors>
void ptrfs(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, const Real<T> *df,
           const T *ef, const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *ferr, Real<T> *berr, T *work,
           Real<T> *weights, Int *info, size_t) {
    const int before = uplo ? 1 : 0;
    Arguments<T, Int>("PTRFS", info)
        .require(!uplo || is(uplo, 'U') || is(uplo, 'L'), 1)
        .require(*n >= 0, before + 1)
        .require(*nrhs >= 0, before + 2)
        .require(*ldb >= std::max<Int>(1, *n), before + 8)
        .require(*ldx >= std::max<Int>(1, *n), before + 10)
        .check();
    refine_columns<T>(uplo && is(uplo, 'U'), *nrhs, {*n, d, e}, Factors{*n, df, ef}, b, *ldb, x, *ldx, ferr, berr, work,
                      weights);
}
template <class T, class Int, class Factors>
void ptrfs_real(const Int *n, const Int *nrhs, const T *d, const T *e, const T *df, const T *ef, const T *b,
                const Int *ldb, T *x, const Int *ldx, T *ferr, T *berr, T *work, Int *info) {
    ptrfs<T, Int, Factors>(nullptr, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work,
                           work + std::max<Int>(*n, 0), info, 0);
}

// The largest sum of moduli of a row; NaN where there is one
template <class T>
Real<T> norm_of(const Matrix<T> &a) {
    Real<T> largest = 0;
    for (int64_t i = 0; i < a.n; ++i) {
        Real<T> sum = std::fabs(a.d[i]);
        if (i > 0) sum += size_of(a.e[i - 1]);
        if (i + 1 < a.n) sum += size_of(a.e[i]);
        if (largest < sum || sum != sum) largest = sum;
    }
    return largest;
}

template <class T, class Int, auto factor, class Factors>
void ptsvx(const char *fact, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, Real<T> *df, T *ef,
           const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work,
           Real<T> *weights, Int *info, size_t) {
    Arguments<T, Int>("PTSVX", info)
        .require(is(fact, 'N') || is(fact, 'F'), 1)
        .require(*n >= 0, 2)
        .require(*nrhs >= 0, 3)
        .require(*ldb >= std::max<Int>(1, *n), 9)
        .require(*ldx >= std::max<Int>(1, *n), 11)
        .check();
    const int64_t rows = *n;
    if (is(fact, 'N')) {
        std::copy_n(d, rows, df);
        if (rows > 1) std::copy_n(e, rows - 1, ef);
        *info = Int(factor(rows, df, ef));
        if (*info > 0) {
            *rcond = 0;
            return;
        }
    }
    const Matrix<T> a{rows, d, e};
    const Factors factors{rows, df, ef};
    *rcond = condition<T>(rows, df, norm_of(a), weights, factors);
    for (int64_t k = 0; k < *nrhs; ++k) std::copy_n(b + k * *ldb, rows, x + k * *ldx);
    factors.solve(false, x, *ldx, *nrhs);
    refine_columns(false, *nrhs, a, factors, b, *ldb, x, *ldx, ferr, berr, work, weights);
    if (*rcond < roundoff<Real<T>>) *info = Int(rows + 1);
}
template <class T, class Int, auto factor, class Factors>
void ptsvx_real(const char *fact, const Int *n, const Int *nrhs, const T *d, const T *e, T *df, T *ef, const T *b,
                const Int *ldb, T *x, const Int *ldx, T *rcond, T *ferr, T *berr, T *work, Int *info, size_t) {
    ptsvx<T, Int, factor, Factors>(fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work,
                                   work + std::max<Int>(*n, 0), info, 0);
}

Routine ptsv_routine{"PTSV", 2048}, pttrf_routine{"PTTRF", 32}, pttrs_routine{"PTTRS", 2048},
    ptcon_routine{"PTCON", 32}, ptrfs_routine{"PTRFS", 32}, ptsvx_routine{"PTSVX", 32};
RowsOnDevice ptsv_on_device{"PTSV_CUDA", 100000}, pttrf_on_device{"PTTRF_CUDA", 300000},
    pttrs_on_device{"PTTRS_CUDA", 150000}, ptcon_on_device{"PTCON_CUDA", 150000}, ptrfs_on_device{"PTRFS_CUDA", 200000},
    ptsvx_on_device{"PTSVX_CUDA", 150000};

}  // namespace
}  // namespace xbatch::lapack

#pragma GCC visibility push(default)
extern "C" {
using namespace xbatch::lapack;
using xbatch::Real;

#define PTSV(T, Int, name)                                                                                    \
    void name(const Int *n, const Int *nrhs, Real<T> *d, T *e, T *b, const Int *ldb, Int *info) {             \
        static Symbol symbol(#name);                                                                          \
        symbol.call(ptsv_on_device(*n, *nrhs), ptsv<T, Int, pt_factor_and_solve_device<T>>, ptsv_routine, *n, \
                    ptsv<T, Int, factor_and_solve<T>>, n, nrhs, d, e, b, ldb, info);                          \
    }
XBATCH_LAPACK_EACH(PTSV, ptsv)

#define PTTRF(T, Int, name)                                                                     \
    void name(const Int *n, Real<T> *d, T *e, Int *info) {                                      \
        static Symbol symbol(#name);                                                            \
        symbol.call(pttrf_on_device(*n), pttrf<T, Int, pt_factor_device<T>>, pttrf_routine, *n, \
                    pttrf<T, Int, pt_factor<T>>, n, d, e, info);                                \
    }
XBATCH_LAPACK_EACH(PTTRF, pttrf)

#define PTTRS_REAL(T, Int, name)                                                                           \
    void name(const Int *n, const Int *nrhs, const T *d, const T *e, T *b, const Int *ldb, Int *info) {    \
        static Symbol symbol(#name);                                                                       \
        symbol.call(pttrs_on_device(*n, *nrhs), pttrs_real<T, Int, pt_solve_device<T>>, pttrs_routine, *n, \
                    pttrs_real<T, Int, pt_solve<T>>, n, nrhs, d, e, b, ldb, info);                         \
    }
XBATCH_LAPACK_REAL(PTTRS_REAL, pttrs)

#define PTTRS_COMPLEX(T, Int, name)                                                                                \
    void name(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, T *b, const Int *ldb, \
              Int *info, size_t length) {                                                                          \
        static Symbol symbol(#name);                                                                               \
        symbol.call(pttrs_on_device(*n, *nrhs), pttrs<T, Int, pt_solve_device<T>>, pttrs_routine, *n,              \
                    pttrs<T, Int, pt_solve<T>>, uplo, n, nrhs, d, e, b, ldb, info, length);                        \
    }
XBATCH_LAPACK_COMPLEX(PTTRS_COMPLEX, pttrs)

#define PTCON(T, Int, name)                                                                                    \
    void name(const Int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond, Real<T> *work, \
              Int *info) {                                                                                     \
        static Symbol symbol(#name);                                                                           \
        symbol.call(ptcon_on_device(*n), ptcon<T, Int, PtFactorsOnDevice<T>>, ptcon_routine, *n,               \
                    ptcon<T, Int, PtFactors<T>>, n, d, e, anorm, rcond, work, info);                           \
    }
XBATCH_LAPACK_EACH(PTCON, ptcon)

#define PTRFS_REAL(T, Int, name)                                                                                      \
    void name(const Int *n, const Int *nrhs, const T *d, const T *e, const T *df, const T *ef, const T *b,            \
              const Int *ldb, T *x, const Int *ldx, T *ferr, T *berr, T *work, Int *info) {                           \
        static Symbol symbol(#name);                                                                                  \
        symbol.call(ptrfs_on_device(*n, *nrhs), ptrfs_real<T, Int, PtFactorsOnDevice<T>>, ptrfs_routine, *n,          \
                    ptrfs_real<T, Int, PtFactors<T>>, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info); \
    }
XBATCH_LAPACK_REAL(PTRFS_REAL, ptrfs)

#define PTRFS_COMPLEX(T, Int, name)                                                                                    \
    void name(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, const Real<T> *df,        \
              const T *ef, const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *ferr, Real<T> *berr, T *work,    \
              Real<T> *rwork, Int *info, size_t length) {                                                              \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ptrfs_on_device(*n, *nrhs), ptrfs<T, Int, PtFactorsOnDevice<T>>, ptrfs_routine, *n,                \
                    ptrfs<T, Int, PtFactors<T>>, uplo, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, rwork, \
                    info, length);                                                                                     \
    }
XBATCH_LAPACK_COMPLEX(PTRFS_COMPLEX, ptrfs)

#define PTSVX_REAL(T, Int, name)                                                                                       \
    void name(const char *fact, const Int *n, const Int *nrhs, const T *d, const T *e, T *df, T *ef, const T *b,       \
              const Int *ldb, T *x, const Int *ldx, T *rcond, T *ferr, T *berr, T *work, Int *info, size_t length) {   \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ptsvx_on_device(*n, *nrhs), ptsvx_real<T, Int, pt_factor_device<T>, PtFactorsOnDevice<T>>,         \
                    ptsvx_routine, *n, ptsvx_real<T, Int, pt_factor<T>, PtFactors<T>>, fact, n, nrhs, d, e, df, ef, b, \
                    ldb, x, ldx, rcond, ferr, berr, work, info, length);                                               \
    }
XBATCH_LAPACK_REAL(PTSVX_REAL, ptsvx)

#define PTSVX_COMPLEX(T, Int, name)                                                                                    \
    void name(const char *fact, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, Real<T> *df, T *ef,       \
              const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, \
              Real<T> *rwork, Int *info, size_t length) {                                                              \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ptsvx_on_device(*n, *nrhs), ptsvx<T, Int, pt_factor_device<T>, PtFactorsOnDevice<T>>,              \
                    ptsvx_routine, *n, ptsvx<T, Int, pt_factor<T>, PtFactors<T>>, fact, n, nrhs, d, e, df, ef, b, ldb, \
                    x, ldx, rcond, ferr, berr, work, rwork, info, length);                                             \
    }
XBATCH_LAPACK_COMPLEX(PTSVX_COMPLEX, ptsvx)

}  // extern "C"
#pragma GCC visibility pop
