// lapack_factor.cpp: LAPACK's tridiagonal factorisations for the four types.
// SPDX-License-Identifier: BSD-3-Clause
#include <complex>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "support/fixtures/factor.hpp"

namespace xbatch_test {
namespace {

template <class T>
struct Lapack;
template <>
struct Lapack<float> {
    static constexpr auto gttrf = LAPACKE_sgttrf;
    static constexpr auto gttrs = LAPACKE_sgttrs;
    static constexpr auto gtcon = LAPACKE_sgtcon;
    static constexpr auto ptsv = LAPACKE_sptsv;
    static constexpr auto pttrf = LAPACKE_spttrf;
};
template <>
struct Lapack<double> {
    static constexpr auto gttrf = LAPACKE_dgttrf;
    static constexpr auto gttrs = LAPACKE_dgttrs;
    static constexpr auto gtcon = LAPACKE_dgtcon;
    static constexpr auto ptsv = LAPACKE_dptsv;
    static constexpr auto pttrf = LAPACKE_dpttrf;
};
template <>
struct Lapack<std::complex<float>> {
    static constexpr auto gttrf = LAPACKE_cgttrf;
    static constexpr auto gttrs = LAPACKE_cgttrs;
    static constexpr auto gtcon = LAPACKE_cgtcon;
    static constexpr auto ptsv = LAPACKE_cptsv;
    static constexpr auto pttrf = LAPACKE_cpttrf;
};
template <>
struct Lapack<std::complex<double>> {
    static constexpr auto gttrf = LAPACKE_zgttrf;
    static constexpr auto gttrs = LAPACKE_zgttrs;
    static constexpr auto gtcon = LAPACKE_zgtcon;
    static constexpr auto ptsv = LAPACKE_zptsv;
    static constexpr auto pttrf = LAPACKE_zpttrf;
};

int pttrs(lapack_int n, const float *d, const float *e, float *b) {
    return LAPACKE_spttrs(LAPACK_COL_MAJOR, n, 1, d, e, b, n);
}
int pttrs(lapack_int n, const double *d, const double *e, double *b) {
    return LAPACKE_dpttrs(LAPACK_COL_MAJOR, n, 1, d, e, b, n);
}
int pttrs(lapack_int n, const float *d, const std::complex<float> *e, std::complex<float> *b) {
    return LAPACKE_cpttrs(LAPACK_COL_MAJOR, 'L', n, 1, d, e, b, n);
}
int pttrs(lapack_int n, const double *d, const std::complex<double> *e, std::complex<double> *b) {
    return LAPACKE_zpttrs(LAPACK_COL_MAJOR, 'L', n, 1, d, e, b, n);
}

template <class T>
std::vector<T> part(const std::vector<T> &from, int64_t first, int64_t count) {
    return std::vector<T>(from.begin() + first, from.begin() + first + count);
}

}  // namespace

template <class T>
LapackFactors<T> lapack_gttrf(const Systems<T> &s, int64_t j) {
    const int64_t first = s.row(j, 0), n = s.n;
    LapackFactors<T> f{0, part(s.dl, first, n), part(s.d, first, n), part(s.du, first, n), std::vector<T>(n), {}};
    f.pivots.resize(n);
    f.dl.erase(f.dl.begin());
    f.info = Lapack<T>::gttrf(lapack_int(n), f.dl.data(), f.d.data(), f.du.data(), f.du2.data(), f.pivots.data());
    return f;
}

template <class T>
std::vector<T> lapack_gttrs(const LapackFactors<T> &f, xbatchOperation_t op, const Systems<T> &s, int64_t j,
                            int64_t r) {
    std::vector<T> x = part(s.b, s.entry(j, r, 0), s.n);
    const int info = Lapack<T>::gttrs(LAPACK_COL_MAJOR, "NTC"[op], lapack_int(s.n), 1, f.dl.data(), f.d.data(),
                                      f.du.data(), f.du2.data(), f.pivots.data(), x.data(), lapack_int(s.n));
    EXPECT_EQ(info, 0) << "LAPACK's gttrs";
    return x;
}

template <class T>
Real<T> lapack_gtcon(const LapackFactors<T> &f, xbatchNorm_t norm, Real<T> size) {
    Real<T> rcond = -1;
    const int info = Lapack<T>::gtcon("1I"[norm], lapack_int(f.d.size()), f.dl.data(), f.d.data(), f.du.data(),
                                      f.du2.data(), f.pivots.data(), size, &rcond);
    EXPECT_EQ(info, 0) << "LAPACK's gtcon";
    return rcond;
}

template <class T>
LapackPositive<T> lapack_ptsv(const Systems<T> &s, int64_t j, int64_t r) {
    std::vector<Real<T>> d(s.n);
    for (int64_t i = 0; i < s.n; ++i) d[i] = std::real(s.d[s.row(j, i)]);
    std::vector<T> e = part(s.dl, s.row(j, 0) + 1, s.n - 1), x = part(s.b, s.entry(j, r, 0), s.n);
    LapackPositive<T> answer{0, x, x};
    std::vector<Real<T>> pivots = d;
    std::vector<T> factors = e;
    const lapack_int n = lapack_int(s.n);
    answer.info = Lapack<T>::ptsv(LAPACK_COL_MAJOR, n, 1, d.data(), e.data(), answer.x.data(), n);
    EXPECT_EQ(Lapack<T>::pttrf(n, pivots.data(), factors.data()), answer.info) << "LAPACK's pttrf";
    if (answer.info == 0) {
        EXPECT_EQ(pttrs(n, pivots.data(), factors.data(), answer.x_by_factors.data()), 0) << "LAPACK's pttrs";
    }
    return answer;
}

#define XBATCH_LAPACK_OF(T)                                                                                        \
    template LapackFactors<T> lapack_gttrf(const Systems<T> &, int64_t);                                           \
    template std::vector<T> lapack_gttrs(const LapackFactors<T> &, xbatchOperation_t, const Systems<T> &, int64_t, \
                                         int64_t);                                                                 \
    template Real<T> lapack_gtcon(const LapackFactors<T> &, xbatchNorm_t, Real<T>);                                \
    template LapackPositive<T> lapack_ptsv(const Systems<T> &, int64_t, int64_t);
XBATCH_LAPACK_OF(float)
XBATCH_LAPACK_OF(double)
XBATCH_LAPACK_OF(std::complex<float>)
XBATCH_LAPACK_OF(std::complex<double>)

}  // namespace xbatch_test
