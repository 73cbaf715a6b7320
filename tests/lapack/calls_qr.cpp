// calls_qr.cpp: the calls of geqrf, ormqr, orgqr, geqr and gemqr of calls.cpp: zero columns, graded columns, NaN, and
// numbers near overflow and underflow.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "random_scalar.hpp"

extern "C" {
#define DECLARE(T, x, apply, form) \
    Lapack<T>::Geqrf x##geqrf_;    \
    Lapack<T>::Unmqr apply;        \
    Lapack<T>::Ungqr form;         \
    Lapack<T>::Geqr x##geqr_;      \
    Lapack<T>::Gemqr x##gemqr_;
LAPACK_UNITARY_TYPES(DECLARE)
}

namespace {

template <class T>
struct Routines {
    typename Lapack<T>::Geqrf *geqrf;
    typename Lapack<T>::Unmqr *unmqr;
    typename Lapack<T>::Ungqr *ungqr;
    typename Lapack<T>::Geqr *geqr;
    typename Lapack<T>::Gemqr *gemqr;
};

enum class Kind { random, graded, zero_columns, nan, large, small };

template <class T>
std::vector<T> numbers(Kind kind, int ld, int columns) {
    using R = Real<T>;
    std::mt19937_64 engine(unsigned(ld + columns));
    std::vector<T> values(size_t(ld) * columns);
    R factor = kind == Kind::large   ? std::numeric_limits<R>::max() / 1024
               : kind == Kind::small ? std::numeric_limits<R>::min() * 64
                                     : R(1);
    for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < ld; ++r) {
            T &value = values[size_t(c) * ld + r];
            value = kind == Kind::zero_columns && c % 3 == 1 ? T(0) : factor * random_scalar<T>(engine);
        }
        if (kind == Kind::graded) factor /= 2;
    }
    if (kind == Kind::nan) values[values.size() / 2] = T(std::numeric_limits<R>::quiet_NaN());
    return values;
}

template <class T>
void call_all(const Routines<T> &lapack, Kind kind, int m, int n) {
    const int k = std::min(m, n), lda = m + 1, others = 5, tsize = n + 5;
    std::vector<T> a = numbers<T>(kind, lda, n), first = a, tau(k), t(tsize), query(1);
    int info, lwork = -1;
    lapack.geqrf(&m, &n, a.data(), &lda, tau.data(), query.data(), &lwork, &info);
    lwork = std::max(int(std::real(query[0])), 64 * std::max({m, n, others}));
    std::vector<T> work(lwork);
    lapack.geqrf(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
    std::vector<T> vectors = first;
    lapack.geqr(&m, &n, vectors.data(), &lda, t.data(), &tsize, work.data(), &lwork, &info);
    if (kind == Kind::nan) return;  // which entries become NaN depends on the order of LAPACK's sums
    for (const char side : {'L', 'R'})
        for (const char trans : {'N', is_complex<T> ? 'C' : 'T'}) {
            const int rows = side == 'L' ? m : others, columns = side == 'L' ? others : m, ldc = rows + 2;
            std::vector<T> c = numbers<T>(Kind::random, ldc, columns), d = c;
            lapack.unmqr(&side, &trans, &rows, &columns, &k, a.data(), &lda, tau.data(), c.data(), &ldc, work.data(),
                         &lwork, &info, 1, 1);
            lapack.gemqr(&side, &trans, &rows, &columns, &k, vectors.data(), &lda, t.data(), &tsize, d.data(), &ldc,
                         work.data(), &lwork, &info, 1, 1);
        }
    const int formed = std::min(m, k + 3);
    a.resize(size_t(lda) * std::max(n, formed));
    lapack.ungqr(&m, &formed, &k, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
}

}  // namespace

void call_qr(const std::string &types) {
    for (const Kind kind : {Kind::random, Kind::graded, Kind::zero_columns, Kind::nan, Kind::large, Kind::small})
        for (const auto &[m, n] : {std::pair{1, 1}, {3, 5}, {20, 20}, {64, 64}, {100, 70}, {70, 100}, {150, 129}}) {
#define CALL(T, x, apply, form) \
    if (types.find(#x) != std::string::npos) call_all<T>({x##geqrf_, apply, form, x##geqr_, x##gemqr_}, kind, m, n);
            LAPACK_UNITARY_TYPES(CALL)
        }
}
