// pt_entries.cpp: LAPACK's ptsv, pttrf, pttrs, ptcon, ptrfs and ptsvx.
// SPDX-License-Identifier: BSD-3-Clause
#include "expert_drivers.hpp"
#include "lapack/interpose/on_device.hpp"
#include "tridiagonal_device.hpp"

namespace xbatch::lapack {
namespace {

template <class T>
int64_t factor_and_solve(int64_t n, int64_t nrhs, Real<T> *d, T *e, T *b, int64_t ldb) {
    const int64_t wrong = pt_factor(n, d, e);
    if (wrong == 0) LdlFactors<T>{n, d, e}.solve(false, b, ldb, nrhs);
    return wrong;
}

// Each routine has two instances, for the host and for a GPU.
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

// Complex routines have an additional first argument, UPLO.
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
    solve(uplo && is(uplo, 'U'), LdlFactors<T>{*n, d, e}, b, *ldb, *nrhs);
}
template <class T, class Int, auto solve>
void pttrs_real(const Int *n, const Int *nrhs, const T *d, const T *e, T *b, const Int *ldb, Int *info) {
    pttrs<T, Int, solve>(nullptr, n, nrhs, d, e, b, ldb, info, 0);
}

// A with its factors, which `Stored` solves with: LdlFactors on the host, FactorsOnDevice on a GPU
template <class T, class Stored>
struct PtFactorisation {
    const Real<T> *d;
    const T *e;
    bool is_upper;
    LdlFactors<T> ldl;
    Stored stored;

    int64_t order() const { return ldl.n; }
    bool is_singular() const {
        return std::any_of(ldl.d, ldl.d + ldl.n, [](Real<T> pivot) { return pivot <= 0; });
    }
    Real<T> norm() const { return tridiagonal_norm(ldl.n, e, d, e); }
    void solve(T *x, int64_t ldx, int64_t nrhs) const { stored.solve(is_upper, x, ldx, nrhs); }
    Real<T> inverse_norm(const Workspace<T> &work) const { return stored.inverse_norm(work.weights); }
    void residual(const T *b, const T *x, T *r, Real<T> *sizes) const {
        tridiagonal_residual(
            ldl.n, b, x, r, sizes, [&](int64_t i) { return is_upper ? conjugate(e[i - 1]) : e[i - 1]; },
            [&](int64_t i) { return T(d[i]); }, [&](int64_t i) { return is_upper ? e[i] : conjugate(e[i]); });
    }
    Real<T> forward_error(const T *x, const Workspace<T> &work) const {
        const Real<T> bound = *std::max_element(work.weights, work.weights + ldl.n);
        return relative_to(ldl.n, x, bound * inverse_norm(work));
    }
};

template <class T, class Int, class Stored>
void ptcon(const Int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond, Real<T> *work, Int *info) {
    Arguments<T, Int>("PTCON", info).require(*n >= 0, 1).require(!(*anorm < 0), 4).check();
    const LdlFactors<T> ldl{*n, d, e};
    const PtFactorisation<T, Stored> a{nullptr, nullptr, false, ldl, Stored{ldl}};
    *rcond = reciprocal_condition(a, *anorm, Workspace<T>{nullptr, nullptr, work});
}

template <class T, class Int, class Stored>
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
    const LdlFactors<T> ldl{*n, df, ef};
    const PtFactorisation<T, Stored> a{d, e, uplo && is(uplo, 'U'), ldl, Stored{ldl}};
    refine_columns(a, Solutions<T>{*nrhs, b, *ldb, x, *ldx, ferr, berr}, Workspace<T>{work, nullptr, weights});
}
template <class T, class Int, class Stored>
void ptrfs_real(const Int *n, const Int *nrhs, const T *d, const T *e, const T *df, const T *ef, const T *b,
                const Int *ldb, T *x, const Int *ldx, T *ferr, T *berr, T *work, Int *info) {
    ptrfs<T, Int, Stored>(nullptr, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, work + std::max<Int>(*n, 0),
                          info, 0);
}

template <class T, class Int, auto factor, class Stored>
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
    const LdlFactors<T> ldl{rows, df, ef};
    const auto factor_copy = [&] {
        std::copy_n(d, rows, df);
        if (rows > 1) std::copy_n(e, rows - 1, ef);
        return factor(rows, df, ef);
    };
    const auto factorised = [&] { return PtFactorisation<T, Stored>{d, e, false, ldl, Stored{ldl}}; };
    *info = Int(expert_driver(is(fact, 'F'), factor_copy, factorised, Solutions<T>{*nrhs, b, *ldb, x, *ldx, ferr, berr},
                              rcond, Workspace<T>{work, nullptr, weights}));
}
template <class T, class Int, auto factor, class Stored>
void ptsvx_real(const char *fact, const Int *n, const Int *nrhs, const T *d, const T *e, T *df, T *ef, const T *b,
                const Int *ldb, T *x, const Int *ldx, T *rcond, T *ferr, T *berr, T *work, Int *info, size_t) {
    ptsvx<T, Int, factor, Stored>(fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx, rcond, ferr, berr, work,
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

#define PTTRS_REAL(T, Int, name)                                                                                       \
    void name(const Int *n, const Int *nrhs, const T *d, const T *e, T *b, const Int *ldb, Int *info) {                \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(pttrs_on_device(*n, *nrhs), pttrs_real<T, Int, solve_on_device<LdlFactors<T>>>, pttrs_routine, *n, \
                    pttrs_real<T, Int, solve_on_host<LdlFactors<T>>>, n, nrhs, d, e, b, ldb, info);                    \
    }
XBATCH_LAPACK_REAL(PTTRS_REAL, pttrs)

#define PTTRS_COMPLEX(T, Int, name)                                                                                \
    void name(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, T *b, const Int *ldb, \
              Int *info, size_t length) {                                                                          \
        static Symbol symbol(#name);                                                                               \
        symbol.call(pttrs_on_device(*n, *nrhs), pttrs<T, Int, solve_on_device<LdlFactors<T>>>, pttrs_routine, *n,  \
                    pttrs<T, Int, solve_on_host<LdlFactors<T>>>, uplo, n, nrhs, d, e, b, ldb, info, length);       \
    }
XBATCH_LAPACK_COMPLEX(PTTRS_COMPLEX, pttrs)

#define PTCON(T, Int, name)                                                                                    \
    void name(const Int *n, const Real<T> *d, const T *e, const Real<T> *anorm, Real<T> *rcond, Real<T> *work, \
              Int *info) {                                                                                     \
        static Symbol symbol(#name);                                                                           \
        symbol.call(ptcon_on_device(*n), ptcon<T, Int, FactorsOnDevice<LdlFactors<T>>>, ptcon_routine, *n,     \
                    ptcon<T, Int, LdlFactors<T>>, n, d, e, anorm, rcond, work, info);                          \
    }
XBATCH_LAPACK_EACH(PTCON, ptcon)

#define PTRFS_REAL(T, Int, name)                                                                                       \
    void name(const Int *n, const Int *nrhs, const T *d, const T *e, const T *df, const T *ef, const T *b,             \
              const Int *ldb, T *x, const Int *ldx, T *ferr, T *berr, T *work, Int *info) {                            \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ptrfs_on_device(*n, *nrhs), ptrfs_real<T, Int, FactorsOnDevice<LdlFactors<T>>>, ptrfs_routine, *n, \
                    ptrfs_real<T, Int, LdlFactors<T>>, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work, info); \
    }
XBATCH_LAPACK_REAL(PTRFS_REAL, ptrfs)

#define PTRFS_COMPLEX(T, Int, name)                                                                                 \
    void name(const char *uplo, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, const Real<T> *df,     \
              const T *ef, const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *ferr, Real<T> *berr, T *work, \
              Real<T> *rwork, Int *info, size_t length) {                                                           \
        static Symbol symbol(#name);                                                                                \
        symbol.call(ptrfs_on_device(*n, *nrhs), ptrfs<T, Int, FactorsOnDevice<LdlFactors<T>>>, ptrfs_routine, *n,   \
                    ptrfs<T, Int, LdlFactors<T>>, uplo, n, nrhs, d, e, df, ef, b, ldb, x, ldx, ferr, berr, work,    \
                    rwork, info, length);                                                                           \
    }
XBATCH_LAPACK_COMPLEX(PTRFS_COMPLEX, ptrfs)

#define PTSVX_REAL(T, Int, name)                                                                                     \
    void name(const char *fact, const Int *n, const Int *nrhs, const T *d, const T *e, T *df, T *ef, const T *b,     \
              const Int *ldb, T *x, const Int *ldx, T *rcond, T *ferr, T *berr, T *work, Int *info, size_t length) { \
        static Symbol symbol(#name);                                                                                 \
        symbol.call(ptsvx_on_device(*n, *nrhs),                                                                      \
                    ptsvx_real<T, Int, pt_factor_device<T>, FactorsOnDevice<LdlFactors<T>>>, ptsvx_routine, *n,      \
                    ptsvx_real<T, Int, pt_factor<T>, LdlFactors<T>>, fact, n, nrhs, d, e, df, ef, b, ldb, x, ldx,    \
                    rcond, ferr, berr, work, info, length);                                                          \
    }
XBATCH_LAPACK_REAL(PTSVX_REAL, ptsvx)

#define PTSVX_COMPLEX(T, Int, name)                                                                                    \
    void name(const char *fact, const Int *n, const Int *nrhs, const Real<T> *d, const T *e, Real<T> *df, T *ef,       \
              const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, \
              Real<T> *rwork, Int *info, size_t length) {                                                              \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ptsvx_on_device(*n, *nrhs), ptsvx<T, Int, pt_factor_device<T>, FactorsOnDevice<LdlFactors<T>>>,    \
                    ptsvx_routine, *n, ptsvx<T, Int, pt_factor<T>, LdlFactors<T>>, fact, n, nrhs, d, e, df, ef, b,     \
                    ldb, x, ldx, rcond, ferr, berr, work, rwork, info, length);                                        \
    }
XBATCH_LAPACK_COMPLEX(PTSVX_COMPLEX, ptsvx)

}  // extern "C"
#pragma GCC visibility pop
