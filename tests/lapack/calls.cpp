// calls.cpp: a program that calls gtsv, gttrf, gttrs, ptsv, pttrf and pttrs and does not depend on what is preloaded:
// sizes up to 100 003, several right-hand sides, zero pivots, NaN, and numbers near overflow and underflow; then QR.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "random_scalar.hpp"

extern "C" {
#define DECLARE(T, x)           \
    Lapack<T>::Gtsv x##gtsv_;   \
    Lapack<T>::Gttrf x##gttrf_; \
    Lapack<T>::Gttrs x##gttrs_; \
    Lapack<T>::Ptsv x##ptsv_;   \
    Lapack<T>::Pttrf x##pttrf_;
LAPACK_TYPES(DECLARE)
Lapack<float>::PttrsReal spttrs_;
Lapack<double>::PttrsReal dpttrs_;
Lapack<std::complex<float>>::PttrsComplex cpttrs_;
Lapack<std::complex<double>>::PttrsComplex zpttrs_;
}

void call_qr(const std::string &types);

namespace {

template <class T>
struct Routines {
    typename Lapack<T>::Gtsv *gtsv;
    typename Lapack<T>::Gttrf *gttrf;
    typename Lapack<T>::Gttrs *gttrs;
    typename Lapack<T>::Ptsv *ptsv;
    typename Lapack<T>::Pttrf *pttrf;
    void (*pttrs)(char uplo, int n, int nrhs, const Real<T> *d, const T *e, T *b, int ldb, int *info);
};

enum class Kind { dominant, random, laplace, singular, nan, large, small };

std::mt19937_64 engine(1);

template <class T>
void call_all(const Routines<T> &lapack, Kind kind, int n, int nrhs, int ldb) {
    using R = Real<T>;
    const R factor = kind == Kind::large   ? std::numeric_limits<R>::max() / 64
                     : kind == Kind::small ? std::numeric_limits<R>::min() * 64
                                           : R(1);
    std::vector<T> dl(n + 1), d(n + 1), du(n + 1), b(int64_t(ldb) * (nrhs + 1));
    for (int i = 0; i < n; ++i) {
        dl[i] = random_scalar<T>(engine), d[i] = random_scalar<T>(engine), du[i] = random_scalar<T>(engine);
        if (kind == Kind::dominant || kind == Kind::large || kind == Kind::small) d[i] += T(3);
        if (kind == Kind::laplace) dl[i] = du[i] = T(-1), d[i] = T(2);
        dl[i] *= factor, d[i] *= factor, du[i] *= factor;
    }
    for (T &v : b) v = random_scalar<T>(engine);
    if (kind == Kind::singular) dl[n / 2] = d[n / 2] = du[n / 2] = T(0), dl[n > 1 ? n / 2 - 1 : 0] = T(0);
    if (kind == Kind::nan) d[n / 2] = T(std::numeric_limits<R>::quiet_NaN());
    int info;
    {
        std::vector<T> l = dl, p = d, u = du, x = b;
        lapack.gtsv(&n, &nrhs, l.data(), p.data(), u.data(), x.data(), &ldb, &info);
    }
    {
        std::vector<T> l = dl, p = d, u = du, u2(n + 1);
        std::vector<int> ipiv(n + 1);
        lapack.gttrf(&n, l.data(), p.data(), u.data(), u2.data(), ipiv.data(), &info);
        for (const char op : {'N', 'T', 'C'}) {
            std::vector<T> x = b;
            if (info == 0)
                lapack.gttrs(&op, &n, &nrhs, l.data(), p.data(), u.data(), u2.data(), ipiv.data(), x.data(), &ldb,
                             &info, 1);
        }
    }
    std::vector<R> on(n + 1);
    for (int i = 0; i < n; ++i) on[i] = kind == Kind::laplace ? R(2) : std::real(d[i]);
    {
        std::vector<R> p = on;
        std::vector<T> e = dl, x = b;
        lapack.ptsv(&n, &nrhs, p.data(), e.data(), x.data(), &ldb, &info);
    }
    std::vector<T> e = dl;
    lapack.pttrf(&n, on.data(), e.data(), &info);
    for (const char uplo : {'U', 'L'}) {
        std::vector<T> x = b;
        if (info == 0) lapack.pttrs(uplo, n, nrhs, on.data(), e.data(), x.data(), ldb, &info);
    }
}

template <class T>
void call_sizes(const Routines<T> &lapack, bool small) {
    for (const Kind kind :
         {Kind::dominant, Kind::random, Kind::laplace, Kind::singular, Kind::nan, Kind::large, Kind::small}) {
        for (const int n : {1, 2, 3, 17, 64, 1000})
            for (const int nrhs : {0, 1, 3}) call_all(lapack, kind, n, nrhs, n + nrhs);
        if (small) continue;
        call_all(lapack, kind, 40001, 2, 40001);
        call_all(lapack, kind, 100003, 1, 100003);
    }
}

void call_pttrs(char, int n, int nrhs, const float *d, const float *e, float *b, int ldb, int *info) {
    spttrs_(&n, &nrhs, d, e, b, &ldb, info);
}
void call_pttrs(char, int n, int nrhs, const double *d, const double *e, double *b, int ldb, int *info) {
    dpttrs_(&n, &nrhs, d, e, b, &ldb, info);
}
void call_pttrs(char uplo, int n, int nrhs, const float *d, const std::complex<float> *e, std::complex<float> *b,
                int ldb, int *info) {
    cpttrs_(&uplo, &n, &nrhs, d, e, b, &ldb, info, 1);
}
void call_pttrs(char uplo, int n, int nrhs, const double *d, const std::complex<double> *e, std::complex<double> *b,
                int ldb, int *info) {
    zpttrs_(&uplo, &n, &nrhs, d, e, b, &ldb, info, 1);
}

}  // namespace

// Arguments: the types, such as sdcz, and `small` to leave out large sizes
int main(int argc, char **argv) {
    const std::string types = argc > 1 ? argv[1] : "sdcz";
    const bool small = argc > 2 && std::string(argv[2]) == "small";
#define CALL(T, x)                           \
    if (types.find(#x) != std::string::npos) \
        call_sizes<T>({x##gtsv_, x##gttrf_, x##gttrs_, x##ptsv_, x##pttrf_, call_pttrs}, small);
    LAPACK_TYPES(CALL)
    call_qr(types);
    std::puts("all calls returned");
    return 0;
}
