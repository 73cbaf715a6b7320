// qr_entries.cpp: gels, geqr, gemqr, geqrf, ormqr, orgqr (unmqr, ungqr): counted, and computed by the real library.
// SPDX-License-Identifier: BSD-3-Clause
#include "symbol.hpp"

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
        symbol.forward(m, n, a, lda, tau, work, lwork, info);                                                   \
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
