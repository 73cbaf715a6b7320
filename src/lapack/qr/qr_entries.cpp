// qr_entries.cpp: LAPACK's geqrf, ormqr, orgqr (unmqr, ungqr), geqr and gemqr. gels is forwarded to the real library,
// which calls these routines.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <memory>
#include <type_traits>

#include "lapack/interpose/on_device.hpp"
#include "qr_device.hpp"
#include "qr_tiled.hpp"

namespace xbatch::lapack {
namespace {

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

// Returns LAPACK's optimal workspace size in WORK(1). The workspace is not used here.
template <class T, class Int>
void set_work_size(bool is_any, Int columns, T *work) {
    work[0] = T(Real<T>(is_any ? 32 * int64_t(columns) : 1));
}

// Each routine has two instances, for the host and for a GPU.
template <class T, class Int, auto factor>
void geqrf(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *lwork, Int *info) {
    const bool is_query = *lwork == -1;
    Arguments<T, Int>("GEQRF", info)
        .require(*m >= 0, 1)
        .require(*n >= 0, 2)
        .require(*lda >= std::max<Int>(1, *m), 4)
        .require(is_query || (*lwork > 0 && (*m == 0 || *lwork >= std::max<Int>(1, *n))), 7)
        .check();
    if (*m > 0 && *n > 0 && !is_query) factor(*m, *n, a, *lda, tau);
    set_work_size(*m > 0 && *n > 0, *n, work);
}

template <class T>
bool is_adjoint(const char *trans) {
    return is(trans, is_real<T> ? 'T' : 'C');
}

// The checks that ormqr and gemqr share
template <class T, class Int>
Arguments<T, Int> product_arguments(const char *name, const char *side, const char *trans, const Int *m, const Int *n,
                                    const Int *k, const Int *lda, Int *info) {
    const Int order = is(side, 'R') ? *n : *m;
    return Arguments<T, Int>(name, info)
        .require(is(side, 'R') || is(side, 'L'), 1)
        .require(is_adjoint<T>(trans) || is(trans, 'N'), 2)
        .require(*m >= 0, 3)
        .require(*n >= 0, 4)
        .require(*k >= 0 && *k <= order, 5)
        .require(*lda >= std::max<Int>(1, order), 7);
}

template <class T, class Int, auto apply>
void unmqr(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a, const Int *lda,
           const T *tau, T *c, const Int *ldc, T *work, const Int *lwork, Int *info, size_t, size_t) {
    const bool is_right = is(side, 'R'), is_query = *lwork == -1;
    const Int others = is_right ? *m : *n;
    product_arguments<T>(is_real<T> ? "ORMQR" : "UNMQR", side, trans, m, n, k, lda, info)
        .require(*ldc >= std::max<Int>(1, *m), 10)
        .require(is_query || *lwork >= std::max<Int>(1, others), 12)
        .check();
    const bool is_empty = *m == 0 || *n == 0 || *k == 0;
    if (!is_empty && !is_query) apply(is_right, is_adjoint<T>(trans), *m, *n, *k, a, *lda, tau, c, *ldc);
    set_work_size(!is_empty, others, work);
}

template <class T, class Int, auto form>
void ungqr(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work, const Int *lwork,
           Int *info) {
    const bool is_query = *lwork == -1;
    Arguments<T, Int>(is_real<T> ? "ORGQR" : "UNGQR", info)
        .require(*m >= 0, 1)
        .require(*n >= 0 && *n <= *m, 2)
        .require(*k >= 0 && *k <= *n, 3)
        .require(*lda >= std::max<Int>(1, *m), 5)
        .require(is_query || *lwork >= std::max<Int>(1, *n), 8)
        .check();
    if (!is_query && *k > 0) form(*m, *n, *k, a, *lda, tau);
    if (!is_query && *k == 0)
        for (int64_t c = 0; c < *n; ++c) std::fill_n(a + c * *lda, *m, T(0)), a[c * *lda + c] = T(1);
    set_work_size(*n > 0, *n, work);
}

// LAPACK's geqr with one block of rows, as high as the matrix, and block reflectors of a single vector. T holds its
// size, the height and the width of the blocks, and tau from its sixth entry on.
constexpr int64_t header = 5;

template <class T, class Int, auto factor>
void geqr(const Int *m, const Int *n, T *a, const Int *lda, T *t, const Int *tsize, T *work, const Int *lwork,
          Int *info) {
    const auto is_asked = [](Int size) { return size == -1 || size == -2; };
    const bool is_query = is_asked(*tsize) || is_asked(*lwork);
    Arguments<T, Int>("GEQR", info)
        .require(*m >= 0, 1)
        .require(*n >= 0, 2)
        .require(*lda >= std::max<Int>(1, *m), 4)
        .require(is_query || *tsize >= *n + header, 6)
        .require(is_query || *lwork >= std::max<Int>(1, *n), 8)
        .check();
    if (*m > 0 && *n > 0 && !is_query) factor(*m, *n, a, *lda, t + header);
    t[0] = T(Real<T>(*n + header)), t[1] = T(Real<T>(*m)), t[2] = T(Real<T>(1));
    work[0] = T(Real<T>(std::max<Int>(1, *n)));
}

// The block sizes in LAPACK's T
struct Blocks {
    int64_t rows, columns;
    template <class T>
    explicit Blocks(const T *t) : rows(int64_t(real_part(t[1]))), columns(int64_t(real_part(t[2]))) {}
    // LAPACK factors a matrix that is taller than a block of rows block by block.
    bool is_one_block(int64_t order, int64_t k) const { return order <= k || rows <= k || rows >= order; }
};

template <class T, class Int, auto apply>
void gemqr(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a, const Int *lda,
           const T *t, const Int *tsize, T *c, const Int *ldc, T *work, const Int *lwork, Int *info, size_t, size_t) {
    const bool is_right = is(side, 'R'), is_query = *lwork == -1;
    const Blocks blocks(t);
    const int64_t room = (is_right ? blocks.rows : *n) * blocks.columns;
    product_arguments<T>("GEMQR", side, trans, m, n, k, lda, info)
        .require(*tsize >= header, 9)
        .require(*ldc >= std::max<Int>(1, *m), 11)
        .require(is_query || *lwork >= std::max<int64_t>(1, room), 13)
        .check();
    if (*m > 0 && *n > 0 && *k > 0 && !is_query) {
        const std::unique_ptr<T[]> tau(new T[*k]);  // the diagonals of the triangles
        for (int64_t j = 0; j < *k; ++j) tau[j] = t[header + j * blocks.columns + j % blocks.columns];
        apply(is_right, is_adjoint<T>(trans), *m, *n, *k, a, *lda, tau.get(), c, *ldc);
    }
    work[0] = T(Real<T>(room));
}

// The size above which these are faster than LAPACK over the reference BLAS. They are not faster than LAPACK over a
// tuned BLAS, except for geqr and gemqr: LAPACK's geqr uses one vector at a time with any BLAS.
Routine geqrf_routine{"GEQRF", 64, never}, unmqr_routine{"ORMQR", 64, never}, ungqr_routine{"ORGQR", 64, never},
    geqr_routine{"GEQR", 64}, gemqr_routine{"GEMQR", 64};

QrOnDevice geqrf_on_device{"GEQRF_CUDA", 300}, unmqr_on_device{"ORMQR_CUDA", 300}, ungqr_on_device{"ORGQR_CUDA", 300};

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
        const int64_t k = std::min(*m, *n);                                                                        \
        symbol.call(geqrf_on_device(*m, *n, k), geqr<T, Int, geqrf_device<T>>, geqr_routine, k,                    \
                    geqr<T, Int, geqrf_tiled<T>>, m, n, a, lda, t, tsize, work, lwork, info);                      \
    }
XBATCH_LAPACK_EACH(GEQR, geqr)

#define GEMQR(T, Int, name)                                                                                        \
    void name(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a,           \
              const Int *lda, const T *t, const Int *tsize, T *c, const Int *ldc, T *work, const Int *lwork,       \
              Int *info, size_t length, size_t other_length) {                                                     \
        static Symbol symbol(#name);                                                                               \
        const int64_t order = is(side, 'R') ? *n : *m, others = is(side, 'R') ? *m : *n;                           \
        if (!Blocks(t).is_one_block(order, *k))                                                                    \
            return symbol.forward(side, trans, m, n, k, a, lda, t, tsize, c, ldc, work, lwork, info, length,       \
                                  other_length);                                                                   \
        symbol.call(unmqr_on_device(order, others, *k), gemqr<T, Int, unmqr_device<T>>, gemqr_routine,             \
                    std::min<int64_t>(*k, others), gemqr<T, Int, unmqr_tiled<T>>, side, trans, m, n, k, a, lda, t, \
                    tsize, c, ldc, work, lwork, info, length, other_length);                                       \
    }
XBATCH_LAPACK_EACH(GEMQR, gemqr)

#define GEQRF(T, Int, name)                                                                                     \
    void name(const Int *m, const Int *n, T *a, const Int *lda, T *tau, T *work, const Int *lwork, Int *info) { \
        static Symbol symbol(#name);                                                                            \
        const int64_t k = std::min(*m, *n);                                                                     \
        symbol.call(geqrf_on_device(*m, *n, k), geqrf<T, Int, geqrf_device<T>>, geqrf_routine, k,               \
                    geqrf<T, Int, geqrf_tiled<T>>, m, n, a, lda, tau, work, lwork, info);                       \
    }
XBATCH_LAPACK_EACH(GEQRF, geqrf)

#define UNMQR(T, Int, name)                                                                                            \
    void name(const char *side, const char *trans, const Int *m, const Int *n, const Int *k, const T *a,               \
              const Int *lda, const T *tau, T *c, const Int *ldc, T *work, const Int *lwork, Int *info, size_t length, \
              size_t other_length) {                                                                                   \
        static Symbol symbol(#name);                                                                                   \
        const int64_t order = is(side, 'R') ? *n : *m, others = is(side, 'R') ? *m : *n;                               \
        symbol.call(unmqr_on_device(order, others, *k), unmqr<T, Int, unmqr_device<T>>, unmqr_routine,                 \
                    std::min<int64_t>(*k, others), unmqr<T, Int, unmqr_tiled<T>>, side, trans, m, n, k, a, lda, tau,   \
                    c, ldc, work, lwork, info, length, other_length);                                                  \
    }
XBATCH_LAPACK_REAL(UNMQR, ormqr)
XBATCH_LAPACK_COMPLEX(UNMQR, unmqr)

#define UNGQR(T, Int, name)                                                                                            \
    void name(const Int *m, const Int *n, const Int *k, T *a, const Int *lda, const T *tau, T *work, const Int *lwork, \
              Int *info) {                                                                                             \
        static Symbol symbol(#name);                                                                                   \
        symbol.call(ungqr_on_device(*m, *n, *k), ungqr<T, Int, ungqr_device<T>>, ungqr_routine, *k,                    \
                    ungqr<T, Int, ungqr_tiled<T>>, m, n, k, a, lda, tau, work, lwork, info);                           \
    }
XBATCH_LAPACK_REAL(UNGQR, orgqr)
XBATCH_LAPACK_COMPLEX(UNGQR, ungqr)

}  // extern "C"
#pragma GCC visibility pop
