// qr_entries.cpp: geqrf as LAPACK has it, and gels, geqr, gemqr, ormqr, orgqr (unmqr, ungqr), which the real library
// computes: its gels calls geqrf here.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "geqrf.hpp"
#include "symbol.hpp"

namespace xbatch::lapack {
namespace {

template <class T, class Int>
void geqrf(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *lwork, Int *info) {
    constexpr Int block = 32;  // what LAPACK would be glad of; the memory that is needed here is not the caller's
    const bool is_query = *lwork == -1;
    if (Arguments<T, Int>("GEQRF", info)
            .require(*m >= 0, 1)
            .require(*n >= 0, 2)
            .require(*lda >= std::max<Int>(1, *m), 4)
            .require(is_query || (*lwork > 0 && (*m == 0 || *lwork >= std::max<Int>(1, *n))), 7)
            .refused())
        return;
    if (*m > 0 && *n > 0 && !is_query) geqrf_tiled<T>(*m, *n, a, *lda, tau);
    work[0] = T(Real<T>(*m > 0 && *n > 0 ? *n * block : 1));
}

// From so many rows and columns on it is faster than LAPACK over the reference BLAS; over a tuned one it is not.
Routine geqrf_routine{"GEQRF", 64, never};

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
        symbol.forward(side, trans, m, n, k, a, lda, tau, c, ldc, work, lwork, info, length, other_length);            \
    }
XBATCH_LAPACK_REAL(UNMQR, ormqr)
XBATCH_LAPACK_COMPLEX(UNMQR, unmqr)

#define UNGQR(T, Int, name)                                                                                            \
    void name(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work, const Int *lwork, \
              Int *info) {                                                                                             \
        static Symbol symbol(#name);                                                                                   \
        symbol.forward(m, n, k, a, lda, tau, work, lwork, info);                                                       \
    }
XBATCH_LAPACK_REAL(UNGQR, orgqr)
XBATCH_LAPACK_COMPLEX(UNGQR, ungqr)

}  // extern "C"
#pragma GCC visibility pop
