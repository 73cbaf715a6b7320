// gt_entries.cpp: LAPACK's gtsv, gttrf, gttrs, gtcon, gtrfs and gtsvx.
// SPDX-License-Identifier: BSD-3-Clause
#include "expert_drivers.hpp"
#include "lapack/interpose/on_device.hpp"
#include "tridiagonal_device.hpp"

namespace xbatch::lapack {
namespace {

Transpose transpose_of(char letter) {
    return is(&letter, 'N') ? Transpose::none : is(&letter, 'T') ? Transpose::transposed : Transpose::adjoint;
}

bool is_transpose(const char *trans) { return is(trans, 'N') || is(trans, 'T') || is(trans, 'C'); }

template <class T, class Int>
int64_t factor(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv) {
    gt_factor(n, dl, d, du, du2, ipiv);
    return first_zero(n, d);
}

// Each routine has two instances, for the host and for a GPU.
template <class T, class Int, auto factor_and_solve>
void gtsv(const Int *n, const Int *nrhs, T *dl, T *d, T *du, T *b, const Int *ldb, Int *info) {
    Arguments<T, Int>("GTSV", info)
        .require(*n >= 0, 1)
        .require(*nrhs >= 0, 2)
        .require(*ldb >= std::max<Int>(1, *n), 7)
        .check();
    if (*n > 0) *info = Int(factor_and_solve(*n, *nrhs, dl, d, du, b, *ldb));
}

template <class T, class Int, auto factor>
void gttrf(const Int *n, T *dl, T *d, T *du, T *du2, Int *ipiv, Int *info) {
    Arguments<T, Int>("GTTRF", info).require(*n >= 0, 1).check();
    *info = Int(factor(*n, dl, d, du, du2, ipiv));
}

template <class T, class Int, auto solve>
void gttrs(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *du2,
           const Int *ipiv, T *b, const Int *ldb, Int *info, size_t) {
    Arguments<T, Int>("GTTRS", info)
        .require(is_transpose(trans), 1)
        .require(*n >= 0, 2)
        .require(*nrhs >= 0, 3)
        .require(*ldb >= std::max<Int>(1, *n), 10)
        .check();
    solve(transpose_of(*trans), LuFactors<T, Int>{*n, dl, d, du, du2, ipiv}, b, *ldb, *nrhs);
}

// A with its factors, which `Stored` solves with: LuFactors on the host, FactorsOnDevice on a GPU
template <class T, class Int, class Stored>
struct GtFactorisation {
    const T *dl, *d, *du;
    Transpose op;
    LuFactors<T, Int> lu;
    Stored stored;

    int64_t order() const { return lu.n; }
    bool is_singular() const { return first_zero(lu.n, lu.d) != 0; }
    Real<T> norm() const {
        return op == Transpose::none ? tridiagonal_norm(lu.n, du, d, dl) : tridiagonal_norm(lu.n, dl, d, du);
    }
    void solve(T *x, int64_t ldx, int64_t nrhs) const { stored.solve(op, x, ldx, nrhs); }
    Real<T> inverse_norm(const Workspace<T> &work) const {
        const auto plain = [&](T *x) { stored.solve(Transpose::none, x); };
        const auto adjoint = [&](T *x) { stored.solve(Transpose::adjoint, x); };
        return op == Transpose::none ? estimate_norm(lu.n, work.r, work.signs, plain, adjoint)
                                     : estimate_norm(lu.n, work.r, work.signs, adjoint, plain);
    }
    void residual(const T *b, const T *x, T *r, Real<T> *sizes) const {
        const T *const below = op == Transpose::none ? dl : du, *const above = op == Transpose::none ? du : dl;
        const auto element = [&](T value) { return op == Transpose::adjoint ? conjugate(value) : value; };
        tridiagonal_residual(
            lu.n, b, x, r, sizes, [&](int64_t i) { return element(below[i - 1]); },
            [&](int64_t i) { return element(d[i]); }, [&](int64_t i) { return element(above[i]); });
    }
    Real<T> forward_error(const T *x, const Workspace<T> &work) const {
        const Transpose adjoint = op == Transpose::none ? Transpose::adjoint : Transpose::none;
        return lapack::forward_error(
            lu.n, x, work.r, work.signs, work.weights, [&](T *v) { stored.solve(op, v); },
            [&](T *v) { stored.solve(adjoint, v); });
    }
};

bool is_one_norm(const char *norm) { return *norm == '1' || is(norm, 'O'); }

template <class T, class Int, class Stored>
void gtcon(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
           const Real<T> *anorm, Real<T> *rcond, T *work, Int *info) {
    Arguments<T, Int>("GTCON", info)
        .require(is_one_norm(norm) || is(norm, 'I'), 1)
        .require(*n >= 0, 2)
        .require(!(*anorm < 0), 8)
        .check();
    const LuFactors<T, Int> lu{*n, dl, d, du, du2, ipiv};
    const Transpose op = is_one_norm(norm) ? Transpose::none : Transpose::adjoint;
    const GtFactorisation<T, Int, Stored> a{nullptr, nullptr, nullptr, op, lu, Stored{lu}};
    *rcond = reciprocal_condition(a, *anorm, Workspace<T>{work, work + *n, nullptr});
}
template <class T, class Int, class Stored>
void gtcon_real(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
                const T *anorm, T *rcond, T *work, Int *, Int *info, size_t) {
    gtcon<T, Int, Stored>(norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info);
}
template <class T, class Int, class Stored>
void gtcon_complex(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
                   const Real<T> *anorm, Real<T> *rcond, T *work, Int *info, size_t) {
    gtcon<T, Int, Stored>(norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info);
}

// The workspace of gtrfs and gtsvx. Real routines have 3n numbers in `work`; complex ones have 2n, and n real numbers
// in `more`, LAPACK's RWORK.
template <class T>
Workspace<T> workspace_of(int64_t n, T *work, void *more) {
    if constexpr (std::is_floating_point_v<T>)
        return {work, work + n, work + 2 * n};
    else
        return {work, work + n, static_cast<Real<T> *>(more)};
}

template <class T, class Int, class Stored>
void gtrfs(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *dlf,
           const T *df, const T *duf, const T *du2, const Int *ipiv, const T *b, const Int *ldb, T *x, const Int *ldx,
           Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t) {
    Arguments<T, Int>("GTRFS", info)
        .require(is_transpose(trans), 1)
        .require(*n >= 0, 2)
        .require(*nrhs >= 0, 3)
        .require(*ldb >= std::max<Int>(1, *n), 13)
        .require(*ldx >= std::max<Int>(1, *n), 15)
        .check();
    const LuFactors<T, Int> lu{*n, dlf, df, duf, du2, ipiv};
    const GtFactorisation<T, Int, Stored> a{dl, d, du, transpose_of(*trans), lu, Stored{lu}};
    refine_columns(a, Solutions<T>{*nrhs, b, *ldb, x, *ldx, ferr, berr}, workspace_of(*n, work, more));
}

template <class T, class Int, auto factor, class Stored>
void gtsvx(const char *fact, const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du,
           T *dlf, T *df, T *duf, T *du2, Int *ipiv, const T *b, const Int *ldb, T *x, const Int *ldx, Real<T> *rcond,
           Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t, size_t) {
    Arguments<T, Int>("GTSVX", info)
        .require(is(fact, 'N') || is(fact, 'F'), 1)
        .require(is_transpose(trans), 2)
        .require(*n >= 0, 3)
        .require(*nrhs >= 0, 4)
        .require(*ldb >= std::max<Int>(1, *n), 14)
        .require(*ldx >= std::max<Int>(1, *n), 16)
        .check();
    const int64_t rows = *n;
    const LuFactors<T, Int> lu{rows, dlf, df, duf, du2, ipiv};
    const auto factor_copy = [&] {
        std::copy_n(d, rows, df);
        if (rows > 1) std::copy_n(dl, rows - 1, dlf), std::copy_n(du, rows - 1, duf);
        return factor(rows, dlf, df, duf, du2, ipiv);
    };
    const auto factorised = [&] {
        return GtFactorisation<T, Int, Stored>{dl, d, du, transpose_of(*trans), lu, Stored{lu}};
    };
    *info = Int(expert_driver(is(fact, 'F'), factor_copy, factorised, Solutions<T>{*nrhs, b, *ldb, x, *ldx, ferr, berr},
                              rcond, workspace_of(rows, work, more)));
}

Routine gtsv_routine{"GTSV", 32}, gttrf_routine{"GTTRF", 32}, gttrs_routine{"GTTRS", 32}, gtcon_routine{"GTCON", 32},
    gtrfs_routine{"GTRFS", 32}, gtsvx_routine{"GTSVX", 32};

// Measured with an H200; transfers take most of the time.
RowsOnDevice gtsv_on_device{"GTSV_CUDA", 100000}, gttrf_on_device{"GTTRF_CUDA", 130000},
    gttrs_on_device{"GTTRS_CUDA", 130000}, gtcon_on_device{"GTCON_CUDA", 130000}, gtrfs_on_device{"GTRFS_CUDA", 130000},
    gtsvx_on_device{"GTSVX_CUDA", 130000};

}  // namespace
}  // namespace xbatch::lapack

#pragma GCC visibility push(default)
extern "C" {
using namespace xbatch::lapack;
using xbatch::Real;

#define GTSV(T, Int, name)                                                                                    \
    void name(const Int *n, const Int *nrhs, T *dl, T *d, T *du, T *b, const Int *ldb, Int *info) {           \
        static Symbol symbol(#name);                                                                          \
        symbol.call(gtsv_on_device(*n, *nrhs), gtsv<T, Int, gt_factor_and_solve_device<T>>, gtsv_routine, *n, \
                    gtsv<T, Int, gt_factor_and_solve<T>>, n, nrhs, dl, d, du, b, ldb, info);                  \
    }
XBATCH_LAPACK_EACH(GTSV, gtsv)

#define GTTRF(T, Int, name)                                                                          \
    void name(const Int *n, T *dl, T *d, T *du, T *du2, Int *ipiv, Int *info) {                      \
        static Symbol symbol(#name);                                                                 \
        symbol.call(gttrf_on_device(*n), gttrf<T, Int, gt_factor_device<T, Int>>, gttrf_routine, *n, \
                    gttrf<T, Int, factor<T, Int>>, n, dl, d, du, du2, ipiv, info);                   \
    }
XBATCH_LAPACK_EACH(GTTRF, gttrf)

#define GTTRS(T, Int, name)                                                                                           \
    void name(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *du2,   \
              const Int *ipiv, T *b, const Int *ldb, Int *info, size_t length) {                                      \
        static Symbol symbol(#name);                                                                                  \
        symbol.call(gttrs_on_device(*n, *nrhs), gttrs<T, Int, solve_on_device<LuFactors<T, Int>>>, gttrs_routine, *n, \
                    gttrs<T, Int, solve_on_host<LuFactors<T, Int>>>, trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb,    \
                    info, length);                                                                                    \
    }
XBATCH_LAPACK_EACH(GTTRS, gttrs)

#define GTCON_REAL(T, Int, name)                                                                                     \
    void name(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,   \
              const T *anorm, T *rcond, T *work, Int *iwork, Int *info, size_t length) {                             \
        static Symbol symbol(#name);                                                                                 \
        symbol.call(gtcon_on_device(*n), gtcon_real<T, Int, FactorsOnDevice<LuFactors<T, Int>>>, gtcon_routine, *n,  \
                    gtcon_real<T, Int, LuFactors<T, Int>>, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, iwork, \
                    info, length);                                                                                   \
    }
XBATCH_LAPACK_REAL(GTCON_REAL, gtcon)

#define GTCON_COMPLEX(T, Int, name)                                                                                    \
    void name(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,     \
              const Real<T> *anorm, Real<T> *rcond, T *work, Int *info, size_t length) {                               \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(gtcon_on_device(*n), gtcon_complex<T, Int, FactorsOnDevice<LuFactors<T, Int>>>, gtcon_routine, *n, \
                    gtcon_complex<T, Int, LuFactors<T, Int>>, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info, \
                    length);                                                                                           \
    }
XBATCH_LAPACK_COMPLEX(GTCON_COMPLEX, gtcon)

#define GTRFS(T, Int, name)                                                                                           \
    void name(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *dlf,   \
              const T *df, const T *duf, const T *du2, const Int *ipiv, const T *b, const Int *ldb, T *x,             \
              const Int *ldx, Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t length) {          \
        static Symbol symbol(#name);                                                                                  \
        symbol.call(gtrfs_on_device(*n, *nrhs), gtrfs<T, Int, FactorsOnDevice<LuFactors<T, Int>>>, gtrfs_routine, *n, \
                    gtrfs<T, Int, LuFactors<T, Int>>, trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, x,  \
                    ldx, ferr, berr, work, more, info, length);                                                       \
    }
XBATCH_LAPACK_EACH(GTRFS, gtrfs)

#define GTSVX(T, Int, name)                                                                                            \
    void name(const char *fact, const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d,             \
              const T *du, T *dlf, T *df, T *duf, T *du2, Int *ipiv, const T *b, const Int *ldb, T *x, const Int *ldx, \
              Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t length,             \
              size_t other_length) {                                                                                   \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(gtsvx_on_device(*n, *nrhs),                                                                        \
                    gtsvx<T, Int, gt_factor_device<T, Int>, FactorsOnDevice<LuFactors<T, Int>>>, gtsvx_routine, *n,    \
                    gtsvx<T, Int, factor<T, Int>, LuFactors<T, Int>>, fact, trans, n, nrhs, dl, d, du, dlf, df, duf,   \
                    du2, ipiv, b, ldb, x, ldx, rcond, ferr, berr, work, more, info, length, other_length);             \
    }
XBATCH_LAPACK_EACH(GTSVX, gtsvx)

}  // extern "C"
#pragma GCC visibility pop
