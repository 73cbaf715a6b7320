// test_lapack_bits.cpp: what the interposer computes in SIMD lanes has the bits of LAPACK's loops over rows, which are
// written out here; for matrices whose recurrences converge, do not converge, or converge to a wrong sequence.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "lapack/tridiagonal/gt.hpp"
#include "lapack/tridiagonal/pt.hpp"
#include "systems.hpp"

namespace {

using xbatch::Real;
using namespace xbatch::lapack;

float size_1(float a) { return std::abs(a); }
double size_1(double a) { return std::abs(a); }
template <class R>
R size_1(xbatch::Complex<R> a) {
    return std::abs(a.re) + std::abs(a.im);
}
template <class R>
R divide(R a, R b) {
    return a / b;
}
template <class R>
xbatch::Complex<R> divide(xbatch::Complex<R> a, xbatch::Complex<R> b) {  // as Fortran compilers do
    if (std::abs(b.re) < std::abs(b.im)) {
        const R ratio = b.re / b.im, divisor = b.re * ratio + b.im;
        return {(a.re * ratio + a.im) / divisor, (a.im * ratio - a.re) / divisor};
    }
    const R ratio = b.im / b.re, divisor = b.im * ratio + b.re;
    return {(a.im * ratio + a.re) / divisor, (a.im - a.re * ratio) / divisor};
}

template <class T>
void plain_factor(System<T> &a) {
    const int64_t n = a.n();
    for (int64_t i = 0; i < n; ++i) a.ipiv[i] = int(i + 1);
    for (int64_t i = 0; i + 1 < n; ++i) {
        if (i + 2 < n) a.du2[i] = T(0);
        if (size_1(a.d[i]) >= size_1(a.dl[i])) {
            if (size_1(a.d[i]) == 0) continue;
            a.dl[i] = divide(a.dl[i], a.d[i]);
            a.d[i + 1] = a.d[i + 1] - a.dl[i] * a.du[i];
        } else {
            const T f = divide(a.d[i], a.dl[i]), above = a.du[i];
            a.d[i] = a.dl[i], a.dl[i] = f;
            a.du[i] = a.d[i + 1];
            a.d[i + 1] = above - f * a.d[i + 1];
            if (i + 2 < n) a.du2[i] = a.du[i + 1], a.du[i + 1] = -(f * a.du[i + 1]);
            a.ipiv[i] = int(i + 2);
        }
    }
}

template <class T>
void plain_solve(const System<T> &a, std::vector<T> &b) {
    const int64_t n = a.n();
    for (int64_t i = 0; i + 1 < n; ++i) {
        const T first = b[a.ipiv[i] - 1], other = b[2 * i + 1 - (a.ipiv[i] - 1)];
        b[i] = first;
        b[i + 1] = other - a.dl[i] * first;
    }
    b[n - 1] = divide(b[n - 1], a.d[n - 1]);
    if (n > 1) b[n - 2] = divide(b[n - 2] - a.du[n - 2] * b[n - 1], a.d[n - 2]);
    for (int64_t i = n - 3; i >= 0; --i) b[i] = divide(b[i] - a.du[i] * b[i + 1] - a.du2[i] * b[i + 2], a.d[i]);
}

template <class T>
void plain_solve_transposed(bool adjoint, const System<T> &a, std::vector<T> &b) {
    const int64_t n = a.n();
    const auto on = [&](T v) { return adjoint ? xbatch::conjugate(v) : v; };
    b[0] = divide(b[0], on(a.d[0]));
    if (n > 1) b[1] = divide(b[1] - on(a.du[0]) * b[0], on(a.d[1]));
    for (int64_t i = 2; i < n; ++i)
        b[i] = divide(b[i] - on(a.du[i - 1]) * b[i - 1] - on(a.du2[i - 2]) * b[i - 2], on(a.d[i]));
    for (int64_t i = n - 2; i >= 0; --i) {
        const T reduced = b[i] - on(a.dl[i]) * b[i + 1];
        b[i] = b[a.ipiv[i] - 1];
        b[a.ipiv[i] - 1] = reduced;
    }
}

constexpr Kind kinds[] = {Kind::dominant,   Kind::random,     Kind::laplace,
                          Kind::misleading, Kind::nan_inside, Kind::zero_pivots};

constexpr int64_t sizes[] = {1, 2, 3, 4, 5, 31, 64, 1000, 1025, 2049, 2944, 2946, 5890, 32300, 100003};

template <class T>
class LapackBits : public ::testing::Test {};
TYPED_TEST_SUITE(LapackBits, Types, TypeNames);

TYPED_TEST(LapackBits, Tridiagonal) {
    using T = TypeParam;
    for (const Kind kind : kinds)
        for (const int64_t n : sizes) {
            SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", n " + std::to_string(n));
            const System<T> a = make<T>(kind, n);
            System<T> plain = a, ours = a;
            plain_factor(plain);
            const int64_t in_lanes =
                gt_factor(n, ours.dl.data(), ours.d.data(), ours.du.data(), ours.du2.data(), ours.ipiv.data());
            EXPECT_TRUE(same_bits(plain.dl, ours.dl, n - 1));
            EXPECT_TRUE(same_bits(plain.d, ours.d, n));
            EXPECT_TRUE(same_bits(plain.du, ours.du, n - 1));
            EXPECT_TRUE(same_bits(plain.du2, ours.du2, n - 2));
            EXPECT_EQ(plain.ipiv, ours.ipiv);
            if (kind == Kind::dominant && sizeof(T) == sizeof(Real<T>) && n > 5000) {
                EXPECT_GT(in_lanes, n / 2);
            }
            const LuFactors<T, int> factors{
                n, plain.dl.data(), plain.d.data(), plain.du.data(), plain.du2.data(), plain.ipiv.data()};
            for (const Transpose op : {Transpose::none, Transpose::transposed, Transpose::adjoint}) {
                std::vector<T> x = a.b, y = a.b;
                if (op == Transpose::none)
                    plain_solve(plain, x);
                else
                    plain_solve_transposed(op == Transpose::adjoint, plain, x);
                factors.solve(op, y.data());
                EXPECT_TRUE(same_bits(x, y, n));
            }
            System<T> both = a;
            const int64_t zero =
                gt_factor_and_solve(n, 1, both.dl.data(), both.d.data(), both.du.data(), both.b.data(), n);
            EXPECT_EQ(zero, first_zero(n, plain.d.data()));
            std::vector<T> x = a.b;
            if (zero == 0) plain_solve(plain, x);
            const System<T> &expected = zero == 0 ? plain : a;  // a zero pivot is the first one here
            EXPECT_TRUE(same_bits(expected.d, both.d, n));
            EXPECT_TRUE(same_bits(expected.du, both.du, n - 1));
            EXPECT_TRUE(same_bits(zero == 0 ? plain.du2 : a.dl, both.dl, n - 2));
            EXPECT_TRUE(same_bits(x, both.b, n));
        }
}

// Right-hand sides solved together have the bits of those solved alone; padding remains unchanged.
TYPED_TEST(LapackBits, RightHandSides) {
    using T = TypeParam;
    for (const int64_t n : {1, 2, 3, 4, 31, 183, 184, 185, 1000, 5890})
        for (const int64_t nrhs : {2, 4, 5, 17, 35}) {
            SCOPED_TRACE("n " + std::to_string(n) + ", nrhs " + std::to_string(nrhs));
            System<T> a = make<T>(Kind::random, n);
            gt_factor(n, a.dl.data(), a.d.data(), a.du.data(), a.du2.data(), a.ipiv.data());
            const LuFactors<T, int> factors{n, a.dl.data(), a.d.data(), a.du.data(), a.du2.data(), a.ipiv.data()};
            const System<T> positive = make<T>(Kind::dominant, n);
            const std::vector<Real<T>> d = real_diagonal(positive);
            const int64_t ldb = n + 3;
            const std::vector<T> b = make<T>(Kind::random, ldb * nrhs).b;
            for (const int way : {0, 1, 2, 3, 4}) {
                std::vector<T> together = b, apart = b;
                const auto solve = [&](T *x, int64_t count) {
                    if (way < 3)
                        factors.solve(Transpose(way), x, ldb, count);
                    else
                        LdlFactors<T>{n, d.data(), positive.dl.data()}.solve(way == 4, x, ldb, count);
                };
                solve(together.data(), nrhs);
                for (int64_t r = 0; r < nrhs; ++r) solve(apart.data() + r * ldb, 1);
                EXPECT_TRUE(same_bits(apart, together, ldb * nrhs)) << "way " << way;
            }
        }
}

TYPED_TEST(LapackBits, PositiveDefinite) {
    using T = TypeParam;
    using R = Real<T>;
    for (const Kind kind : {Kind::dominant, Kind::laplace, Kind::nan_inside, Kind::zero_pivots})
        for (const int64_t n : sizes) {
            SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", n " + std::to_string(n));
            const System<T> a = make<T>(kind, n);
            std::vector<R> d = real_diagonal(a), plain_d = d;
            std::vector<T> e = a.dl, plain_e = a.dl;
            int64_t info = 0;
            for (int64_t i = 0; i < n; ++i) {
                if (info == 0 && plain_d[i] <= 0) info = i + 1;
                if (i + 1 == n || info != 0) break;
                const T f = plain_e[i] * R(1);
                if constexpr (sizeof(T) == sizeof(R)) {
                    plain_e[i] = f / plain_d[i];
                    plain_d[i + 1] = plain_d[i + 1] - plain_e[i] * f;
                } else {
                    plain_e[i] = {f.re / plain_d[i], f.im / plain_d[i]};
                    plain_d[i + 1] = plain_d[i + 1] - plain_e[i].re * f.re - plain_e[i].im * f.im;
                }
            }
            ASSERT_EQ(pt_factor(n, d.data(), e.data()), info);
            EXPECT_TRUE(same_bits(plain_d, d, n));
            EXPECT_TRUE(same_bits(plain_e, e, n - 1));
            if (info != 0) continue;
            for (const bool upper : {false, true}) {
                std::vector<T> x = a.b, y = a.b;
                const auto below = [&](int64_t i) { return upper ? xbatch::conjugate(e[i]) : e[i]; };
                for (int64_t i = 1; i < n; ++i) x[i] = x[i] - x[i - 1] * below(i - 1);
                for (int64_t i = n - 1; i >= 0; --i) {
                    T own = n == 1 ? x[i] * (1 / d[i]) : x[i];
                    auto *parts = reinterpret_cast<R *>(&own);
                    for (size_t part = 0; n > 1 && part < sizeof(T) / sizeof(R); ++part)
                        parts[part] = parts[part] / d[i];
                    x[i] = i + 1 < n ? own - x[i + 1] * xbatch::conjugate(below(i)) : own;
                }
                LdlFactors<T>{n, d.data(), e.data()}.solve(upper, y.data());
                EXPECT_TRUE(same_bits(x, y, n));
            }
        }
}

}  // namespace
