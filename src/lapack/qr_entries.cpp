// qr_entries.cpp: geqrf, ormqr, orgqr (unmqr, ungqr) as LAPACK has them, and gels, geqr, gemqr, which the real library
// computes: its gels calls the former here.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <type_traits>

#include "qr_tiled.hpp"
#include "symbol.hpp"

namespace xbatch::lapack {
namespace {

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

// The workspace that LAPACK would be glad of; what is needed here is not the caller's.
template <class T, class Int>
void tell_work(bool is_any, Int columns, T *work) {
    work[0] = T(Real<T>(is_any ? 32 * int64_t(columns) : 1));
}

template <class T, class Int>
void geqrf(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *lwork, Int *info) {
    const bool is_query = *lwork == -1;
    if (Arguments<T, Int>("GEQRF", info)
            .require(*m >= 0, 1)
            .require(*n >= 0, 2)
            .require(*lda >= std::max<Int>(1, *m), 4)
            .require(is_query || (*lwork > 0 && (*m == 0 || *lwork >= std::max<Int>(1, *n))), 7)
            .refused())
        return;
    if (*m > 0 && *n > 0 && !is_query) geqrf_tiled<T>(*m, *n, a, *lda, tau);
    tell_work(*m > 0 && *n > 0, *n, work);
}

template <class T, class Int>
void unmqr(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a, const Int *lda,
           const T *tau, T *c, const Int *ldc, T *work, const Int *lwork, Int *info, size_t, size_t) {
    const bool is_right = is(side, 'R'), is_adjoint = is(trans, is_real<T> ? 'T' : 'C'), is_query = *lwork == -1;
    const Int order = is_right ? *n : *m, others = is_right ? *m : *n;
    if (Arguments<T, Int>(is_real<T> ? "ORMQR" : "UNMQR", info)
            .require(is_right || is(side, 'L'), 1)
            .require(is_adjoint || is(trans, 'N'), 2)
            .require(*m >= 0, 3)
            .require(*n >= 0, 4)
            .require(*k >= 0 && *k <= order, 5)
            .require(*lda >= std::max<Int>(1, order), 7)
            .require(*ldc >= std::max<Int>(1, *m), 10)
            .require(is_query || *lwork >= std::max<Int>(1, others), 12)
            .refused())
        return;
    const bool is_empty = *m == 0 || *n == 0 || *k == 0;
    if (!is_empty && !is_query) unmqr_tiled<T>(is_right, is_adjoint, *m, *n, *k, a, *lda, tau, c, *ldc);
    tell_work(!is_empty, others, work);
}

template <class T, class Int>
void ungqr(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work, const Int *lwork,
           Int *info) {
    const bool is_query = *lwork == -1;
    if (Arguments<T, Int>(is_real<T> ? "ORGQR" : "UNGQR", info)
            .require(*m >= 0, 1)
            .require(*n >= 0 && *n <= *m, 2)
            .require(*k >= 0 && *k <= *n, 3)
            .require(*lda >= std::max<Int>(1, *m), 5)
            .require(is_query || *lwork >= std::max<Int>(1, *n), 8)
            .refused())
        return;
    if (!is_query && *k > 0) ungqr_tiled<T>(*m, *n, *k, a, *lda, tau);
    if (!is_query && *k == 0)
        for (int64_t c = 0; c < *n; ++c) std::fill_n(a + c * *lda, *m, T(0)), a[c * *lda + c] = T(1);
    tell_work(*n > 0, *n, work);
}

// From so many rows and columns on they are faster than LAPACK over the reference BLAS; over a tuned one they are not.
Routine geqrf_routine{"GEQRF", 64, never}, unmqr_routine{"ORMQR", 64, never}, ungqr_routine{"ORGQR", 64, never};

}  // namespace
}  // namespace xbatch::lapack

#pragma GCC visibility push(default)
extern "C" {
using namespace xbatch::lapack;

#define GELS(T, Int, name)                                                                                \
    void name(const char *trans, const Int *m, const Int *n, const Int *nrhs, T *a, const Int *lda, T *b, \
              const Int *ldb, T *work, const Int *lwork, Int *info, size_t length) {                      \
        static Symbol symbol(#name);                                                                      \
        symbol.forward(trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info, length);                     \
    }
XBATCH_LAPACK_EACH(GELS, gels)

#define GEQR(T, Int, name)                                                                                         \
    void name(const Int *m, const Int *n, T *a, const Int *lda, T *t, const Int *tsize, T *work, const Int *lwork, \
              Int *info) {                                                                                         \
        static Symbol symbol(#name);                                                                               \
        symbol.forward(m, n, a, lda, t, tsize, work, lwork, info);                                                 \
    }
XBATCH_LAPACK_EACH(GEQR, geqr)

#define GEMQR(T, Int, name)                                                                                      \
    void name(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a,         \
              const Int *lda, const T *t, const Int *tsize, T *c, const Int *ldc, T *work, const Int *lwork,     \
              Int *info, size_t length, size_t other_length) {                                                   \
        static Symbol symbol(#name);                                                                             \
        symbol.forward(side, trans, m, n, k, a, lda, t, tsize, c, ldc, work, lwork, info, length, other_length); \
    }
XBATCH_LAPACK_EACH(GEMQR, gemqr)

#define GEQRF(T, Int, name)                                                                                     \
    void name(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *lwork, Int *info) { \
        static Symbol symbol(#name);                                                                            \
        symbol.call(geqrf_routine, std::min(*m, *n), geqrf<T, Int>, m, n, a, lda, tau, work, lwork, info);      \
    }
XBATCH_LAPACK_EACH(GEQRF, geqrf)

#define UNMQR(T, Int, name)                                                                                            \
    void name(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a,               \
              const Int *lda, const T *tau, T *c, const Int *ldc, T *work, const Int *lwork, Int *info, size_t length, \
              size_t other_length) {                                                                                   \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(unmqr_routine, std::min(*k, is(side, 'R') ? *m : *n), unmqr<T, Int>, side, trans, m, n, k, a, lda, \
                    tau, c, ldc, work, lwork, info, length, other_length);                                             \
    }
XBATCH_LAPACK_REAL(UNMQR, ormqr)
XBATCH_LAPACK_COMPLEX(UNMQR, unmqr)

#define UNGQR(T, Int, name)                                                                                            \
    void name(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work, const Int *lwork, \
              Int *info) {                                                                                             \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ungqr_routine, *k, ungqr<T, Int>, m, n, k, a, lda, tau, work, lwork, info);                        \
    }
XBATCH_LAPACK_REAL(UNGQR, orgqr)
XBATCH_LAPACK_COMPLEX(UNGQR, ungqr)

}  // extern "C"
#pragma GCC visibility pop
