// test_condition.cpp: determinant and condition number of tridiagonal matrices from LU factors.
//
// The determinant is compared with Gaussian elimination in x87 arithmetic; the condition number with LAPACK's estimate,
// within a factor of 3, and with the inverse, column by column: 1 / cond <= rcond <= 10 / cond.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fixtures/factor.hpp"

namespace xbatch_test {
namespace {

class Condition : public testing::TestWithParam<FactorCase> {
protected:
    Condition() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    // with info, logdet and sign
    Placing placing(int64_t n, int64_t batch, int64_t k = 0) {
        Placing p = xbatch_test::placing(GetParam().layout, n, batch, k);
        p.with_info = true;
        return p;
    }

    Handle handle_;
};

// log |det A| and det A / |det A| by Gaussian elimination with partial pivoting
template <class T>
std::pair<long double, Wide<T>> reference_determinant(const Systems<T> &s, int64_t j) {
    using W = Wide<T>;
    long double log = 0;
    W sign(1), p = W(s.d[s.row(j, 0)]), q = W(s.du[s.row(j, 0)]);
    for (int64_t i = 1; i <= s.n; ++i) {
        const bool is_end = i == s.n;
        const W a = is_end ? W(0) : W(s.dl[s.row(j, i)]), b = is_end ? W(0) : W(s.d[s.row(j, i)]);
        const W c = is_end ? W(0) : W(s.du[s.row(j, i)]);
        const bool taken = modulus(a) > modulus(p);
        const W pivot = taken ? a : p;
        log += std::log(modulus(pivot));
        sign *= pivot / modulus(pivot) * W(taken ? -1 : 1);
        const W next = taken ? q - p / a * b : b - a / p * q;
        q = taken ? -(p / a) * c : c;
        p = next;
    }
    return {log, sign};
}

TEST_P(Condition, Determinant) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 16, 33, 512, 4096}) {
            const Systems<T> s = make_systems<T>(n, 1, int64_t(regular.size()), regular, false, ++k);
            Factored<T> factored(handle_, s, placing(n, s.batch, k));
            const std::vector<Real<T>> logdet = factored.logdet(), rcond = factored.rcond(XBATCH_NORM_INF);
            const std::vector<T> sign = factored.sign();
            for (int64_t j = 0; j < s.batch; ++j) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", family " << regular[j]);
                const auto [log, unit] = reference_determinant(s, j);
                // a perturbation of A by eps changes log |det A| by at most n cond(A) eps
                const long double eps = unit_roundoff<T>, bound = 4 * n * eps * (1 + 1 / (long double)rcond[j]);
                EXPECT_LE(std::fabs(logdet[j] - log), bound + 2 * eps * std::fabs(log)) << log;
                EXPECT_LE(modulus(Wide<T>(sign[j]) - unit), bound);
            }
        }
    });
}

// Determinants of 2^(±1014 n), beyond the range of the type
TEST_P(Condition, DeterminantBeyondTheRange) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 8192;
        const Systems<T> s = make_systems<T>(n, 1, 3, {29, 30, 2});
        Factored<T> factored(handle_, s, placing(n, 3));
        const std::vector<Real<T>> logdet = factored.logdet();
        for (int64_t j = 0; j < 3; ++j) {
            const long double log = reference_determinant(s, j).first;
            EXPECT_LE(std::fabs(logdet[j] - log), 4 * unit_roundoff<T> * std::fabs(log)) << log;
        }
    });
}

// ||A^-1|| column by column: row i of column c solves A x = e_c in x87 arithmetic
template <class T>
long double inverse_norm(const Systems<T> &s, int64_t j, xbatchNorm_t norm) {
    using W = Wide<T>;
    const int64_t n = s.n;
    std::vector<long double> rows(n, 0);
    long double largest_column = 0;
    for (int64_t c = 0; c < n; ++c) {
        std::vector<W> u(n), u2(n, W(0)), p(n), x(n, W(0));
        std::vector<W> d(n), du(n);
        for (int64_t i = 0; i < n; ++i) d[i] = W(s.d[s.row(j, i)]), du[i] = W(s.du[s.row(j, i)]);
        x[c] = W(1);
        for (int64_t i = 0; i + 1 < n; ++i) {
            const W a = W(s.dl[s.row(j, i + 1)]);
            if (modulus(a) > modulus(d[i])) {
                const W l = d[i] / a, above = du[i];
                d[i] = a, du[i] = d[i + 1], u2[i] = du[i + 1];
                d[i + 1] = above - l * du[i], du[i + 1] = -l * u2[i];
                std::swap(x[i], x[i + 1]);
                x[i + 1] -= l * x[i];
            } else {
                const W l = a / d[i];
                d[i + 1] -= l * du[i];
                x[i + 1] -= l * x[i];
            }
        }
        long double column = 0;
        for (int64_t i = n; i-- > 0;) {
            if (i + 1 < n) x[i] -= du[i] * x[i + 1];
            if (i + 2 < n) x[i] -= u2[i] * x[i + 2];
            x[i] /= d[i];
            column += modulus(x[i]), rows[i] += modulus(x[i]);
        }
        largest_column = std::max(largest_column, column);
    }
    return norm == XBATCH_NORM_ONE ? largest_column : *std::max_element(rows.begin(), rows.end());
}

TEST_P(Condition, OfSmallMatrices) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const long double eps = unit_roundoff<T>;
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 8, 33}) {
            const int64_t batch = 4 * int64_t(regular.size());
            const Systems<T> s = make_systems<T>(n, 1, batch, regular, false, ++k);
            Factored<T> factored(handle_, s, placing(n, batch, k));
            for (xbatchNorm_t norm : all_norms) {
                const std::vector<Real<T>> rcond = factored.rcond(norm);
                for (int64_t j = 0; j < batch; ++j) {
                    SCOPED_TRACE(testing::Message()
                                 << "n " << n << ", norm " << norm << ", family " << regular[j % regular.size()]);
                    const long double exact = 1 / (norm_of(s, j, norm) * inverse_norm(s, j, norm));
                    if (exact < 1000 * eps) continue;  // below the accuracy of the factors
                    EXPECT_GE(rcond[j], exact * (1 - 8 * n * eps / exact) - 8 * n * eps);
                    EXPECT_LE(rcond[j], exact * 10 * (1 + 8 * n * eps / exact));
                    if (n == 1) {
                        EXPECT_NEAR(rcond[j], 1, 8 * eps);
                    }
                }
            }
        }
    });
}

TEST_P(Condition, AgreesWithLapack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {5, 64, 511, 2048}) {
            const Systems<T> s = make_systems<T>(n, 1, int64_t(regular.size()), regular, false, ++k);
            Factored<T> factored(handle_, s, placing(n, s.batch, k));
            for (xbatchNorm_t norm : all_norms) {
                const std::vector<Real<T>> rcond = factored.rcond(norm);
                for (int64_t j = 0; j < s.batch; ++j) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", norm " << norm << ", family " << regular[j]);
                    const Real<T> expected = lapack_gtcon(lapack_gttrf(s, j), norm, Real<T>(norm_of(s, j, norm)));
                    if (expected < 1000 * unit_roundoff<T>) continue;
                    EXPECT_GE(rcond[j], expected / 3);
                    EXPECT_LE(rcond[j], expected * 3);
                }
            }
        }
    });
}

// Longer than a thread, a block or a level of interface equations processes on a GPU
TEST_P(Condition, OfLongMatrices) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 40011;
        const Systems<T> s = make_systems<T>(n, 1, 4, {1, 6, 20, 28});
        Factored<T> factored(handle_, s, placing(n, s.batch));
        const std::vector<Real<T>> logdet = factored.logdet();
        const std::vector<T> sign = factored.sign();
        for (int64_t j = 0; j < s.batch; ++j) {
            SCOPED_TRACE(testing::Message() << "system " << j);
            const auto [log, unit] = reference_determinant(s, j);
            for (xbatchNorm_t norm : all_norms) {
                const Real<T> rcond = factored.rcond(norm)[j];
                const Real<T> expected = lapack_gtcon(lapack_gttrf(s, j), norm, Real<T>(norm_of(s, j, norm)));
                if (expected < 1000 * unit_roundoff<T>) continue;
                EXPECT_GE(rcond, expected / 3);
                EXPECT_LE(rcond, expected * 3);
            }
            const long double eps = unit_roundoff<T>, cond = 1 + 1 / (long double)factored.rcond(XBATCH_NORM_INF)[j];
            EXPECT_LE(std::fabs(logdet[j] - log), 4 * n * eps * cond + 4 * eps * std::fabs(log)) << log;
            EXPECT_LE(modulus(Wide<T>(sign[j]) - unit), 4 * n * eps * cond);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Condition, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Condition, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
