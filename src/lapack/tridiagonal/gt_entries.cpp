// gt_entries.cpp: gtsv, gttrf, gttrs, gtcon, gtrfs, gtsvx as LAPACK has them.
// SPDX-License-Identifier: BSD-3-Clause
#include "gt_device.hpp"
#include "lapack/interpose/on_device.hpp"
#include "refine.hpp"

namespace xbatch::lapack {
namespace {

Transpose transpose_of(char letter) {
    return is(&letter, 'N') ? Transpose::none : is(&letter, 'T') ? Transpose::transposed : Transpose::adjoint;
}
Transpose adjoint_of(Transpose op) { return op == Transpose::none ? Transpose::adjoint : Transpose::none; }

bool is_transpose(const char *trans) { return is(trans, 'N') || is(trans, 'T') || is(trans, 'C'); }

template <class T, class Int>
int64_t factor(int64_t n, T *dl, T *d, T *du, T *du2, Int *ipiv) {
    gt_factor(n, dl, d, du, du2, ipiv);
    return first_zero(n, d);
}

// These come twice: computed on the host and on a GPU.
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

// Solves in place; SolvesOnDevice does where the factors stay on a GPU.
template <class T, class Int>
struct Solves {
    LuFactors<T, Int> factors;
    void operator()(Transpose op, T *b, int64_t ldb = 0, int64_t nrhs = 1) const {
        gt_solve(op, factors, b, ldb, nrhs);
    }
};

template <class Solves, class T, class Int>
Real<T> condition(bool one_norm, const LuFactors<T, Int> &factors, Real<T> norm, T *work, const Solves &solves) {
    if (factors.n == 0) return 1;
    if (norm == 0 || first_zero(factors.n, factors.d) != 0) return 0;
    const auto solve = [&](T *x) { solves(Transpose::none, x); };
    const auto adjoint = [&](T *x) { solves(Transpose::adjoint, x); };
    return reciprocal_condition_of(one_norm ? estimate_norm(factors.n, work, work + factors.n, solve, adjoint)
                                            : estimate_norm(factors.n, work, work + factors.n, adjoint, solve),
                                   norm);
}

bool is_one_norm(const char *norm) { return *norm == '1' || is(norm, 'O'); }

template <class T, class Int, class Solves>
void gtcon(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
           const Real<T> *anorm, Real<T> *rcond, T *work, Int *info) {
    Arguments<T, Int>("GTCON", info)
        .require(is_one_norm(norm) || is(norm, 'I'), 1)
        .require(*n >= 0, 2)
        .require(!(*anorm < 0), 8)
        .check();
    const LuFactors<T, Int> factors{*n, dl, d, du, du2, ipiv};
    *rcond = condition(is_one_norm(norm), factors, *anorm, work, Solves{factors});
}
template <class T, class Int, class Solves>
void gtcon_real(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
                const T *anorm, T *rcond, T *work, Int *, Int *info, size_t) {
    gtcon<T, Int, Solves>(norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info);
}
template <class T, class Int, class Solves>
void gtcon_complex(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,
                   const Real<T> *anorm, Real<T> *rcond, T *work, Int *info, size_t) {
    gtcon<T, Int, Solves>(norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info);
}

template <class T>
struct Matrix {
    int64_t n;
    const T *dl, *d, *du;
};

// Vectors in the workspace of gtrfs and gtsvx, 3n numbers of real routines; complex ones have 2n, and n real ones in
// `more`, called RWORK.
template <class T>
struct Room {
    T *r, *signs;
    Real<T> *weights;

    Room(int64_t n, T *work, void *more) : r(work), signs(work + n) {
        if constexpr (std::is_floating_point_v<T>)
            weights = work + 2 * n;
        else
            weights = static_cast<Real<T> *>(more);
    }
};

template <class T, class Solves>
void refine_columns(Transpose op, int64_t nrhs, const Matrix<T> &a, const Solves &solves, const T *b, int64_t ldb, T *x,
                    int64_t ldx, Real<T> *ferr, Real<T> *berr, const Room<T> &room) {
    const T *const below = op == Transpose::none ? a.dl : a.du, *const above = op == Transpose::none ? a.du : a.dl;
    const auto element = [&](T value) { return op == Transpose::adjoint ? conjugate(value) : value; };
    for (int64_t k = 0; k < nrhs; ++k) {
        const auto residual = [&](const T *at, T *result, Real<T> *sizes) {
            tridiagonal_residual(
                a.n, b + k * ldb, at, result, sizes, [&](int64_t i) { return element(below[i - 1]); },
                [&](int64_t i) { return element(a.d[i]); }, [&](int64_t i) { return element(above[i]); });
        };
        const auto solve = [&](T *v) { solves(op, v); };
        const auto adjoint = [&](T *v) { solves(adjoint_of(op), v); };
        berr[k] = refine(a.n, x + k * ldx, room.r, room.weights, residual, solve);
        ferr[k] = forward_error(a.n, x + k * ldx, room.r, room.signs, room.weights, solve, adjoint);
    }
}

template <class T, class Int, class Solves>
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
    if (*n == 0) {
        for (Int k = 0; k < *nrhs; ++k) ferr[k] = berr[k] = 0;
        return;
    }
    const Solves solves{LuFactors<T, Int>{*n, dlf, df, duf, du2, ipiv}};
    refine_columns<T>(transpose_of(*trans), *nrhs, {*n, dl, d, du}, solves, b, *ldb, x, *ldx, ferr, berr,
                      Room<T>(*n, work, more));
}

// The largest sum of moduli of a column, or of a row; NaN where there is one
template <class T>
Real<T> norm_of(bool one_norm, const Matrix<T> &a) {
    const T *const before = one_norm ? a.du : a.dl, *const after = one_norm ? a.dl : a.du;
    Real<T> largest = 0;
    for (int64_t i = 0; i < a.n; ++i) {
        Real<T> sum = size_of(a.d[i]);
        if (i > 0) sum += size_of(before[i - 1]);
        if (i + 1 < a.n) sum += size_of(after[i]);
        if (largest < sum || sum != sum) largest = sum;
    }
    return largest;
}

template <class T, class Int, auto factor, class Solves>
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
    const Transpose op = transpose_of(*trans);
    const Matrix<T> a{rows, dl, d, du};
    const LuFactors<T, Int> factors{rows, dlf, df, duf, du2, ipiv};
    if (is(fact, 'N')) {
        std::copy_n(d, rows, df);
        if (rows > 1) std::copy_n(dl, rows - 1, dlf), std::copy_n(du, rows - 1, duf);
        *info = Int(factor(rows, dlf, df, duf, du2, ipiv));
        if (*info > 0) {
            *rcond = 0;
            return;
        }
    }
    const Solves solves{factors};
    const bool one_norm = op == Transpose::none;
    *rcond = condition(one_norm, factors, norm_of(one_norm, a), work, solves);
    for (int64_t k = 0; k < *nrhs; ++k) std::copy_n(b + k * *ldb, rows, x + k * *ldx);
    solves(op, x, *ldx, *nrhs);
    if (rows == 0)
        for (Int k = 0; k < *nrhs; ++k) ferr[k] = berr[k] = 0;
    else
        refine_columns(op, *nrhs, a, solves, b, *ldb, x, *ldx, ferr, berr, Room<T>(rows, work, more));
    if (*rcond < roundoff<Real<T>>) *info = Int(rows + 1);
}

Routine gtsv_routine{"GTSV", 32}, gttrf_routine{"GTTRF", 32}, gttrs_routine{"GTTRS", 32}, gtcon_routine{"GTCON", 32},
    gtrfs_routine{"GTRFS", 32}, gtsvx_routine{"GTSVX", 32};

// Measured with an H200, where the way there and back takes most of the time
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

#define GTTRS(T, Int, name)                                                                                         \
    void name(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *du2, \
              const Int *ipiv, T *b, const Int *ldb, Int *info, size_t length) {                                    \
        static Symbol symbol(#name);                                                                                \
        symbol.call(gttrs_on_device(*n, *nrhs), gttrs<T, Int, gt_solve_device<T, Int>>, gttrs_routine, *n,          \
                    gttrs<T, Int, gt_solve<T, Int>>, trans, n, nrhs, dl, d, du, du2, ipiv, b, ldb, info, length);   \
    }
XBATCH_LAPACK_EACH(GTTRS, gttrs)

#define GTCON_REAL(T, Int, name)                                                                                   \
    void name(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv, \
              const T *anorm, T *rcond, T *work, Int *iwork, Int *info, size_t length) {                           \
        static Symbol symbol(#name);                                                                               \
        symbol.call(gtcon_on_device(*n), gtcon_real<T, Int, SolvesOnDevice<T, Int>>, gtcon_routine, *n,            \
                    gtcon_real<T, Int, Solves<T, Int>>, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, iwork,  \
                    info, length);                                                                                 \
    }
XBATCH_LAPACK_REAL(GTCON_REAL, gtcon)

#define GTCON_COMPLEX(T, Int, name)                                                                                 \
    void name(const char *norm, const Int *n, const T *dl, const T *d, const T *du, const T *du2, const Int *ipiv,  \
              const Real<T> *anorm, Real<T> *rcond, T *work, Int *info, size_t length) {                            \
        static Symbol symbol(#name);                                                                                \
        symbol.call(gtcon_on_device(*n), gtcon_complex<T, Int, SolvesOnDevice<T, Int>>, gtcon_routine, *n,          \
                    gtcon_complex<T, Int, Solves<T, Int>>, norm, n, dl, d, du, du2, ipiv, anorm, rcond, work, info, \
                    length);                                                                                        \
    }
XBATCH_LAPACK_COMPLEX(GTCON_COMPLEX, gtcon)

#define GTRFS(T, Int, name)                                                                                            \
    void name(const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d, const T *du, const T *dlf,    \
              const T *df, const T *duf, const T *du2, const Int *ipiv, const T *b, const Int *ldb, T *x,              \
              const Int *ldx, Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t length) {           \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(gtrfs_on_device(*n, *nrhs), gtrfs<T, Int, SolvesOnDevice<T, Int>>, gtrfs_routine, *n,              \
                    gtrfs<T, Int, Solves<T, Int>>, trans, n, nrhs, dl, d, du, dlf, df, duf, du2, ipiv, b, ldb, x, ldx, \
                    ferr, berr, work, more, info, length);                                                             \
    }
XBATCH_LAPACK_EACH(GTRFS, gtrfs)

#define GTSVX(T, Int, name)                                                                                            \
    void name(const char *fact, const char *trans, const Int *n, const Int *nrhs, const T *dl, const T *d,             \
              const T *du, T *dlf, T *df, T *duf, T *du2, Int *ipiv, const T *b, const Int *ldb, T *x, const Int *ldx, \
              Real<T> *rcond, Real<T> *ferr, Real<T> *berr, T *work, void *more, Int *info, size_t length,             \
              size_t other_length) {                                                                                   \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(gtsvx_on_device(*n, *nrhs), gtsvx<T, Int, gt_factor_device<T, Int>, SolvesOnDevice<T, Int>>,       \
                    gtsvx_routine, *n, gtsvx<T, Int, factor<T, Int>, Solves<T, Int>>, fact, trans, n, nrhs, dl, d, du, \
                    dlf, df, duf, du2, ipiv, b, ldb, x, ldx, rcond, ferr, berr, work, more, info, length,              \
                    other_length);                                                                                     \
    }
XBATCH_LAPACK_EACH(GTSVX, gtsvx)

}  // extern "C"
#pragma GCC visibility pop
