// plugin.cpp: a plug-in with its own xerbla, loaded with RTLD_LOCAL. It calls each routine with one wrong argument at a
// time, and prints the arguments of its xerbla, INFO, and whether an array was written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "prototypes.hpp"

extern "C" {
#define DECLARE(T, x, apply, form)                                                              \
    Lapack<T>::Gtsv x##gtsv_;                                                                   \
    Lapack<T>::Gttrf x##gttrf_;                                                                 \
    Lapack<T>::Gttrs x##gttrs_;                                                                 \
    std::conditional_t<is_complex<T>, Lapack<T>::GtconComplex, Lapack<T>::GtconReal> x##gtcon_; \
    Lapack<T>::Gtrfs x##gtrfs_;                                                                 \
    Lapack<T>::Gtsvx x##gtsvx_;                                                                 \
    Lapack<T>::Ptsv x##ptsv_;                                                                   \
    Lapack<T>::Pttrf x##pttrf_;                                                                 \
    std::conditional_t<is_complex<T>, Lapack<T>::PttrsComplex, Lapack<T>::PttrsReal> x##pttrs_; \
    Lapack<T>::Ptcon x##ptcon_;                                                                 \
    std::conditional_t<is_complex<T>, Lapack<T>::PtrfsComplex, Lapack<T>::PtrfsReal> x##ptrfs_; \
    std::conditional_t<is_complex<T>, Lapack<T>::PtsvxComplex, Lapack<T>::PtsvxReal> x##ptsvx_; \
    Lapack<T>::Geqrf x##geqrf_;                                                                 \
    Lapack<T>::Unmqr apply;                                                                     \
    Lapack<T>::Ungqr form;                                                                      \
    Lapack<T>::Geqr x##geqr_;                                                                   \
    Lapack<T>::Gemqr x##gemqr_;
LAPACK_UNITARY_TYPES(DECLARE)

void xerbla_(const char *name, const int *position, size_t length) {
    std::printf("%.*s argument %d, ", int(length), name, *position);
}
}

namespace {

constexpr int order = 3000, qr_order = 100;

// The arguments of all routines; x, y and r serve as all arrays that a routine reads or writes.
template <class T>
struct Arguments {
    using R = Real<T>;
    int n = order, nrhs = 2, ldb = order, ldx = order, info = 0;
    int rows = qr_order, columns = qr_order, k = qr_order, lda = qr_order, ldc = qr_order, tsize = 5 * qr_order,
        lwork = 64 * qr_order;
    char fact = 'N', trans = 'N', norm = '1', side = 'L', uplo = 'U';
    R anorm = 1, rcond = 7;
    std::vector<T> x = std::vector<T>(4 * order, T(1)), y = std::vector<T>(4 * order, T(2));
    std::vector<R> r = std::vector<R>(4 * order, R(3));
    std::vector<int> ipiv = std::vector<int>(order, 1);

    bool is_untouched() const {
        const Arguments fresh;
        return x == fresh.x && y == fresh.y && r == fresh.r && ipiv == fresh.ipiv && rcond == fresh.rcond;
    }
};

template <class T>
class Caller {
    using A = Arguments<T>;
    using L = Lapack<T>;
    static constexpr int all = 2 * order;  // rows of an array in x, y or r

    // An integer or a letter, and its wrong value
    struct Wrong {
        int A::*integer = nullptr;
        char A::*letter = nullptr;
        int value;
        Wrong(int A::*place, int wrong) : integer(place), value(wrong) {}
        Wrong(char A::*place) : letter(place), value('X') {}
        void set(A &a) const {
            if (integer) a.*integer = value;
            if (letter) a.*letter = char(value);
        }
    };
    std::string prefix_;

    void each(const char *name, std::initializer_list<Wrong> wrongs, const std::function<void(A &)> &call) const {
        for (const Wrong &wrong : wrongs) {
            A a;
            wrong.set(a);
            std::printf("%s%s: ", prefix_.c_str(), name);
            call(a);
            std::printf("info %d, arrays %s\n", a.info, a.is_untouched() ? "untouched" : "written");
        }
    }

public:
    explicit Caller(char letter) : prefix_(1, letter) {}

    template <class Gtcon>
    void call_gt(typename L::Gtsv *gtsv, typename L::Gttrf *gttrf, typename L::Gttrs *gttrs, Gtcon *gtcon,
                 typename L::Gtrfs *gtrfs, typename L::Gtsvx *gtsvx) const {
        const Wrong n{&A::n, -1}, nrhs{&A::nrhs, -1}, ldb{&A::ldb, order - 1}, ldx{&A::ldx, 1};
        each("gtsv", {n, nrhs, ldb},
             [&](A &a) { gtsv(&a.n, &a.nrhs, &a.x[0], &a.x[all], &a.y[0], &a.y[all], &a.ldb, &a.info); });
        each("gttrf", {n}, [&](A &a) { gttrf(&a.n, &a.x[0], &a.x[all], &a.y[0], &a.y[all], &a.ipiv[0], &a.info); });
        each("gttrs", {&A::trans, n, nrhs, ldb}, [&](A &a) {
            gttrs(&a.trans, &a.n, &a.nrhs, &a.x[0], &a.x[0], &a.x[0], &a.x[0], &a.ipiv[0], &a.y[0], &a.ldb, &a.info, 1);
        });
        each("gtcon", {&A::norm, n}, [&](A &a) {
            if constexpr (is_complex<T>)
                gtcon(&a.norm, &a.n, &a.x[0], &a.x[0], &a.x[0], &a.x[0], &a.ipiv[0], &a.anorm, &a.rcond, &a.y[0],
                      &a.info, 1);
            else
                gtcon(&a.norm, &a.n, &a.x[0], &a.x[0], &a.x[0], &a.x[0], &a.ipiv[0], &a.anorm, &a.rcond, &a.y[0],
                      &a.ipiv[0], &a.info, 1);
        });
        const T *x = nullptr;
        each("gtrfs", {&A::trans, n, nrhs, ldb, ldx}, [&](A &a) {
            x = &a.x[0];
            gtrfs(&a.trans, &a.n, &a.nrhs, x, x, x, x, x, x, x, &a.ipiv[0], x, &a.ldb, &a.y[0], &a.ldx, &a.r[0],
                  &a.r[all], &a.y[0], &a.r[0], &a.info, 1);
        });
        each("gtsvx", {&A::fact, &A::trans, n, nrhs, ldb, ldx}, [&](A &a) {
            x = &a.x[0];
            gtsvx(&a.fact, &a.trans, &a.n, &a.nrhs, x, x, x, &a.y[0], &a.y[0], &a.y[0], &a.y[0], &a.ipiv[0], x, &a.ldb,
                  &a.y[all], &a.ldx, &a.rcond, &a.r[0], &a.r[all], &a.y[0], &a.r[0], &a.info, 1, 1);
        });
    }

    template <class Pttrs, class Ptrfs, class Ptsvx>
    void call_pt(typename L::Ptsv *ptsv, typename L::Pttrf *pttrf, Pttrs *pttrs, typename L::Ptcon *ptcon, Ptrfs *ptrfs,
                 Ptsvx *ptsvx) const {
        const Wrong n{&A::n, -1}, nrhs{&A::nrhs, -1}, ldb{&A::ldb, order - 1}, ldx{&A::ldx, 1};
        each("ptsv", {n, nrhs, ldb}, [&](A &a) { ptsv(&a.n, &a.nrhs, &a.r[0], &a.x[0], &a.y[0], &a.ldb, &a.info); });
        each("pttrf", {n}, [&](A &a) { pttrf(&a.n, &a.r[0], &a.x[0], &a.info); });
        each("ptcon", {n}, [&](A &a) { ptcon(&a.n, &a.r[0], &a.x[0], &a.anorm, &a.rcond, &a.r[all], &a.info); });
        if constexpr (is_complex<T>) {
            each("pttrs", {&A::uplo, n, nrhs, ldb},
                 [&](A &a) { pttrs(&a.uplo, &a.n, &a.nrhs, &a.r[0], &a.x[0], &a.y[0], &a.ldb, &a.info, 1); });
            each("ptrfs", {&A::uplo, n, nrhs, ldb, ldx}, [&](A &a) {
                ptrfs(&a.uplo, &a.n, &a.nrhs, &a.r[0], &a.x[0], &a.r[0], &a.x[0], &a.x[0], &a.ldb, &a.y[0], &a.ldx,
                      &a.r[0], &a.r[all], &a.y[0], &a.r[0], &a.info, 1);
            });
            each("ptsvx", {&A::fact, n, nrhs, ldb, ldx}, [&](A &a) {
                ptsvx(&a.fact, &a.n, &a.nrhs, &a.r[0], &a.x[0], &a.r[all], &a.y[0], &a.x[0], &a.ldb, &a.y[0], &a.ldx,
                      &a.rcond, &a.r[0], &a.r[all], &a.y[0], &a.r[0], &a.info, 1);
            });
        } else {
            each("pttrs", {n, nrhs, ldb},
                 [&](A &a) { pttrs(&a.n, &a.nrhs, &a.r[0], &a.x[0], &a.y[0], &a.ldb, &a.info); });
            each("ptrfs", {n, nrhs, ldb, ldx}, [&](A &a) {
                ptrfs(&a.n, &a.nrhs, &a.r[0], &a.x[0], &a.r[0], &a.x[0], &a.x[0], &a.ldb, &a.y[0], &a.ldx, &a.r[0],
                      &a.r[all], &a.y[0], &a.info);
            });
            each("ptsvx", {&A::fact, n, nrhs, ldb, ldx}, [&](A &a) {
                ptsvx(&a.fact, &a.n, &a.nrhs, &a.r[0], &a.x[0], &a.r[all], &a.y[0], &a.x[0], &a.ldb, &a.y[0], &a.ldx,
                      &a.rcond, &a.r[0], &a.r[all], &a.y[0], &a.info, 1);
            });
        }
    }

    // Also a workspace that is too small, and a wrong argument in a workspace query
    void call_qr(typename L::Geqrf *geqrf, typename L::Unmqr *unmqr, typename L::Ungqr *ungqr, typename L::Geqr *geqr,
                 typename L::Gemqr *gemqr) const {
        const Wrong rows{&A::rows, -1}, columns{&A::columns, -1}, lda{&A::lda, 1}, ldc{&A::ldc, 1},
            k{&A::k, qr_order + 1}, lwork{&A::lwork, 0}, tsize{&A::tsize, 1};
        for (const bool is_query : {false, true}) {
            const auto prepared = [&](A &a) -> const int * {
                if (is_query) a.lwork = -1;
                return &a.lwork;
            };
            each("geqrf", {rows, columns, lda, is_query ? rows : lwork},
                 [&](A &a) { geqrf(&a.rows, &a.columns, &a.x[0], &a.lda, &a.y[0], &a.y[all], prepared(a), &a.info); });
            each(is_complex<T> ? "unmqr" : "ormqr",
                 {&A::side, &A::trans, rows, columns, k, lda, ldc, is_query ? rows : lwork}, [&](A &a) {
                     unmqr(&a.side, &a.trans, &a.rows, &a.columns, &a.k, &a.x[0], &a.lda, &a.y[0], &a.x[0], &a.ldc,
                           &a.y[all], prepared(a), &a.info, 1, 1);
                 });
            each(is_complex<T> ? "ungqr" : "orgqr",
                 {rows, {&A::columns, qr_order + 1}, k, lda, is_query ? rows : lwork}, [&](A &a) {
                     ungqr(&a.rows, &a.columns, &a.k, &a.x[0], &a.lda, &a.y[0], &a.y[all], prepared(a), &a.info);
                 });
            each("geqr", {rows, columns, lda, is_query ? rows : lwork, is_query ? rows : tsize}, [&](A &a) {
                geqr(&a.rows, &a.columns, &a.x[0], &a.lda, &a.y[0], &a.tsize, &a.y[all], prepared(a), &a.info);
            });
            each("gemqr", {&A::side, &A::trans, rows, columns, k, lda, tsize, ldc, is_query ? rows : lwork}, [&](A &a) {
                gemqr(&a.side, &a.trans, &a.rows, &a.columns, &a.k, &a.x[0], &a.lda, &a.y[0], &a.tsize, &a.x[0], &a.ldc,
                      &a.y[all], prepared(a), &a.info, 1, 1);
            });
        }
    }
};

}  // namespace

extern "C" void call_wrongly() {
#define CALL(T, x, apply, form)                                                          \
    {                                                                                    \
        const Caller<T> caller(#x[0]);                                                   \
        caller.call_gt(x##gtsv_, x##gttrf_, x##gttrs_, x##gtcon_, x##gtrfs_, x##gtsvx_); \
        caller.call_pt(x##ptsv_, x##pttrf_, x##pttrs_, x##ptcon_, x##ptrfs_, x##ptsvx_); \
        caller.call_qr(x##geqrf_, apply, form, x##geqr_, x##gemqr_);                     \
    }
    LAPACK_UNITARY_TYPES(CALL)
    std::fflush(stdout);
}
