// test_spd.cpp: positive definite tridiagonal systems, solved at once and by factors.
//
// First the residual: the normwise backward error ||Ax - b|| / (||A|| ||x|| + ||b||) is at most 32 eps, and LAPACK's
// ratio below 30. Then comparisons with LAPACK's ptsv, pttrf and pttrs, and of the determinant with the product of the
// pivots in x87 arithmetic. A matrix that is not positive definite has LAPACK's info. Then what must not happen: a
// write outside the results, a read of e_{n-1} or padding (all NaN), an influence of one system on another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "support/fixtures/forced_rows.hpp"
#include "support/fixtures/positive.hpp"

namespace xbatch_test {
namespace {

class Spd : public testing::TestWithParam<FactorCase> {
protected:
    Spd() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    Placing placing(int64_t n, int64_t batch, int64_t k = 0) {
        return xbatch_test::placing(GetParam().layout, n, batch, k);
    }
    // A handle on which small batches are solved as large ones are (ptsv_cuda.cu)
    static std::unique_ptr<Handle> for_large() {
        const ForcedRows rows(any_rows);
        return std::make_unique<Handle>(GetParam().backend);
    }
    template <class T>
    void expect_small(const Errors &errors) {
        EXPECT_LE(errors.backward, 32);
        EXPECT_LT(errors.ratio, 30);
    }
    // Solves a batch both ways and checks the errors.
    template <class T>
    void expect_solved(const Systems<T> &s, Placing p) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", sets "
                                        << s.sets << ", ldt " << p.ldt << ", ldb " << p.ldb << ", shift " << p.shift);
        const Answer<T> answer = solve_positive(handle_, s, p);
        EXPECT_EQ(answer.info, std::vector<int32_t>(p.with_info ? s.batch : 0, 0));
        expect_small<T>(errors_of(s, answer.x));
        FactoredPositive<T> factored(handle_, s, p);
        EXPECT_EQ(factored.info(), std::vector<int32_t>(p.with_info ? s.sets : 0, 0));
        expect_small<T>(errors_of(s, factored.solve()));
    }

    Handle handle_;
};
using SpdBackends = Spd;
using SpdGraph = Spd;

constexpr int64_t sizes[] = {1,   2,   3,   5,   7,   8,   11,  15,  16,  17,  31,   32,   33,   63,   64,  65,
                             127, 128, 129, 255, 256, 257, 509, 511, 512, 513, 1000, 1021, 2047, 2048, 2049};
constexpr int64_t long_sizes[] = {4095, 4096, 4097, 8191, 8192, 8193};

TEST_P(Spd, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            const int64_t batch = n <= 64 ? 35 : 8;
            expect_solved(make_positive<T>(n, 1 + k % 2, batch, false, k), placing(n, batch, k));
            ++k;
        }
        for (int64_t n : long_sizes) {
            expect_solved(make_positive<T>(n, 1, 2, false, k, int(k % positive_families)), placing(n, 2, k));
            ++k;
        }
    });
}

// Matrices whose rows, except the first, sum to 0, and right-hand sides that are smooth or repeat, for which errors of
// x_i and x_{i+1} that differ make a large residual. Poisson's matrix, and conductances between 1/64 and 1.
template <class T>
Systems<T> make_barely_dominant(int64_t n, int64_t nrhs, int64_t batch, uint64_t seed) {
    using R = Real<T>;
    Systems<T> s = make_positive<T>(n, nrhs, batch, false, seed);
    Random random(seed);
    for (int64_t j = 0; j < batch; ++j) {
        R before(1);
        for (int64_t i = 0; i < n; ++i) {
            const bool is_last = i + 1 == n;
            const R size = is_last ? R(0) : j % 2 ? (33 + std::floor(R(32) * R(random.uniform()))) / 64 : R(1);
            T e = -size;
            if constexpr (is_complex<T>) e = i % 3 == 0 ? T(0, size) : i % 3 == 1 ? T(size) : e;
            s.d[size_t(s.row(j, i))] = T(before + size);
            if (!is_last) {
                s.dl[size_t(s.row(j, i + 1))] = e, s.du[size_t(s.row(j, i))] = T(std::real(e));
                if constexpr (is_complex<T>) s.du[size_t(s.row(j, i))] = std::conj(e);
            }
            before = size;
        }
        for (int64_t r = 0; r < nrhs; ++r)
            for (int64_t i = 0; i < n; ++i) {
                const double t = double(i + 1) / double(n + 1), pi = std::acos(-1.);
                const double smooth[] = {1, t, std::sin(pi * t), std::sin(pi * double(i) / 8), random.uniform()};
                s.b[size_t(s.entry(j, r, i))] = T(R(smooth[(j / 2 + r) % 5]));
            }
    }
    return s;
}
TEST_P(Spd, BarelyDominant) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {5, 32, 63, 100, 128, 191, 256, 300, 513, 1000, 2048, 4097}) {
            expect_solved(make_barely_dominant<T>(n, 1, 10, uint64_t(k)), placing(n, 10, k));
            if (n <= 256) expect_solved(make_barely_dominant<T>(n, 4, 18, uint64_t(k)), placing(n, 18, k));
            ++k;
        }
        expect_solved(make_barely_dominant<T>(2048, 9, 2, 1), placing(2048, 2));
    });
}

TEST_P(Spd, Batches) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t batch : {1, 2, 31, 32, 33, 1023, 1024, 1025, 4099})
            for (int64_t n : {1, 5, 17}) {
                expect_solved(make_positive<T>(n, 1, batch, false, k), placing(n, batch, k));
                ++k;
            }
    });
}

TEST_P(Spd, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {1, 2, 3, 5, 7, 8, 9, 33})
            for (int64_t n : {1, 7, 17, 64, 193, 513})
                for (int64_t batch : {1, 5, 37}) {
                    if (batch == 37 && n > 17) continue;
                    expect_solved(make_positive<T>(n, nrhs, batch, false, k, int(k)), placing(n, batch, k));
                    ++k;
                }
    });
}

TEST_P(Spd, SharedCoefficients) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 31, 64, 193, 257, 1000, 4097})
            for (int64_t batch : {2, 33, 203}) {
                if (n > 64 && batch == 203) continue;
                const int64_t nrhs = n > 200 ? 1 + k % 3 : 1 + k % 5 * 2;
                expect_solved(make_positive<T>(n, nrhs, batch, true, k, int(k)), placing(n, batch, k));
                ++k;
            }
    });
}

TEST_P(Spd, AgreesWithLapack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 17, 64, 513, 4097}) {
            const Systems<T> s = make_positive<T>(n, 2, positive_families, false, k);
            const Placing p = placing(n, s.batch, k++);
            const std::vector<T> x = solve_positive(handle_, s, p).x, y = FactoredPositive<T>(handle_, s, p).solve();
            for (int64_t j = 0; j < s.batch; ++j) {
                if (j == 1 || j == 3) continue;  // ill-conditioned: only the residual is checked
                for (int64_t r = 0; r < s.nrhs; ++r) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", system " << j);
                    const LapackPositive<T> expected = lapack_ptsv(s, j, r);
                    EXPECT_EQ(expected.info, 0);
                    EXPECT_LE(distance(&x[s.entry(j, r, 0)], expected.x.data(), n), 200);
                    EXPECT_LE(distance(&y[s.entry(j, r, 0)], expected.x_by_factors.data(), n), 200);
                }
            }
        }
    });
}

TEST_P(Spd, Determinant) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {1, 2, 3, 33, 512, 8192, 100003}) {
            const bool is_giant = n > 10000;  // Poisson's matrix is then not positive definite in single precision
            const Systems<T> s = make_positive<T>(n, 1, is_giant ? 1 : positive_families, false, 1, is_giant ? 5 : 0);
            FactoredPositive<T> factored(handle_, s, placing(n, s.batch));
            const std::vector<Real<T>> logdet = factored.logdet();
            for (int64_t j = 0; j < s.batch; ++j) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", family " << j);
                long double log = 0, pivot = 0;
                for (int64_t i = 0; i < n; ++i) {
                    const long double e = modulus(Wide<T>(s.dl[s.row(j, i)]));
                    pivot = std::real(Wide<T>(s.d[s.row(j, i)])) - (i > 0 ? e * e / pivot : 0);
                    log += std::log(pivot);
                }
                // Pivots of Poisson's matrix tend to 1: each errs by n eps.
                const bool is_ill = !is_giant && (j == 1 || j == 3);
                const long double eps = unit_roundoff<T>, bound = 8 * eps * n * (is_ill ? n : 1);
                EXPECT_LE(std::fabs(logdet[j] - log), bound + 2 * eps * std::fabs(log)) << log;
            }
        }
    });
}

// What makes system j not positive definite, at row k, and the row of the bad pivot
struct Damage {
    const char *what;
    int64_t row, pivot;
};

template <class T>
void damage(Systems<T> &s, int64_t j, const Damage &how) {
    const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
    const int64_t k = s.row(j, how.row);
    const std::string what = how.what;
    if (what == "zero d") s.d[k] = T(0);
    if (what == "negative d") s.d[k] = T(-1);
    if (what == "large e") s.dl[k + 1] = T(100);
    if (what == "NaN in d") s.d[k] = T(nan);
    if (what == "Inf in d") s.d[k] = T(inf);
    if (what == "NaN in e") s.dl[k + 1] = T(nan);
    if (what == "Inf in e") s.dl[k + 1] = T(inf);
}

std::vector<Damage> damages(int64_t n) {
    const int64_t middle = (n - 1) / 2, last = n - 1;
    return {{"zero d", 0, 0},
            {"zero d", last, last},
            {"negative d", middle, middle},
            {"large e", 0, 1},
            {"large e", middle, middle + 1},
            {"NaN in d", 0, 0},
            {"NaN in d", last, last},
            {"Inf in d", middle, middle},
            {"NaN in e", middle, middle + 1},
            {"Inf in e", last - 1, last}};
}

template <class T>
bool same_entries(const std::vector<T> &a, const std::vector<T> &b, int64_t first, int64_t count) {
    return std::memcmp(&a[first], &b[first], count * sizeof(T)) == 0;
}

TEST_P(Spd, NotDefiniteAndIsolated) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, nrhs, batch] :
             {std::array<int64_t, 3>{2, 2, 3}, {17, 5, 34}, {64, 8, 5}, {513, 2, 34}, {4500, 2, 3}}) {
            const Systems<T> good = make_positive<T>(n, nrhs, batch);
            const int64_t victim = batch / positive_families * positive_families;  // -1, 4, -1
            const Placing p = placing(n, batch);
            FactoredPositive<T> sound(handle_, good, p);
            const std::vector<T> x = solve_positive(handle_, good, p).x, y = sound.solve();
            const std::vector<Real<T>> logdet = sound.logdet();
            for (const Damage &how : damages(n)) {
                SCOPED_TRACE(testing::Message() << how.what << " at row " << how.row << " of " << n << ", system "
                                                << victim << " of " << batch);
                Systems<T> s = good;
                damage(s, victim, how);
                const Answer<T> answer = solve_positive(handle_, s, p);
                FactoredPositive<T> hurt(handle_, s, p);
                const std::vector<T> z = hurt.solve();
                std::vector<int32_t> expected(batch, 0);
                expected[victim] = int32_t(how.pivot + 1);
                EXPECT_EQ(answer.info, expected);
                EXPECT_EQ(hurt.info(), expected);
                const std::string what = how.what;
                if (what == "zero d" || what == "negative d" || what == "large e") {
                    EXPECT_EQ(lapack_ptsv(s, victim, 0).info, how.pivot + 1);
                }
                const std::vector<Real<T>> hurt_logdet = hurt.logdet();
                EXPECT_TRUE(std::isnan(hurt_logdet[victim]));
                for (int64_t j = 0; j < batch; ++j) {
                    if (j == victim) continue;
                    EXPECT_TRUE(same_entries(answer.x, x, s.entry(j, 0, 0), s.nrhs * n) &&
                                same_entries(z, y, s.entry(j, 0, 0), s.nrhs * n) &&
                                same_entries(hurt_logdet, logdet, j, 1))
                        << "system " << j << " was changed";
                }
            }
        }
    });
}

// -1, 2 cos t, -1 with t = pi / (k + 1/2): the minor of i rows is sin((i+1) t) / sin t, and the first negative one is
// that of k rows. Any k - 1 adjacent rows are positive definite.
TEST_P(Spd, NotDefiniteAsAWhole) {
    const auto large = for_large();
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t far = sizeof(Real<T>) == 4 ? 90 : 499;  // rounding does not change the row
        for (const auto &[n, k, nrhs] : {std::array<int64_t, 3>{8, 6, 1},
                                         {64, 60, 1},
                                         {300, 37, 1},
                                         {300, 37, 6},
                                         {513, far, 1},
                                         {513, far, 7},
                                         {4500, far, 1},
                                         {17000, far, 1}}) {
            Systems<T> s = make_positive<T>(n, nrhs, 3);
            for (int64_t i = 0; i < n; ++i) {
                s.d[s.row(1, i)] = T(Real<T>(2 * std::cos(std::acos(-1.0) / (double(k) + 0.5))));
                if (i + 1 < n) s.dl[s.row(1, i) + 1] = s.du[s.row(1, i)] = T(-1);
            }
            SCOPED_TRACE(testing::Message() << "n " << n << ", k " << k);
            const Placing p = placing(n, 3);
            const std::vector<int32_t> expected = {0, int32_t(k), 0};
            EXPECT_EQ(lapack_ptsv(s, 1, 0).info, k);
            EXPECT_EQ(solve_positive(handle_, s, p).info, expected);
            EXPECT_EQ(solve_positive(*large, s, p).info, expected);
            EXPECT_EQ(FactoredPositive<T>(handle_, s, p).info(), expected);
        }
    });
}

TEST_P(Spd, RunsAreBitwiseEqualForEveryThreadCount) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{65, 131}, {700, 37}, {8209, 2}}) {
            const Systems<T> s = make_positive<T>(n, 2, batch);
            const Placing p = placing(n, batch);
            FactoredPositive<T> first(handle_, s, p);
            const std::vector<unsigned char> bytes = first.factors().bytes();
            const std::vector<T> x = solve_positive(handle_, s, p).x, y = first.solve();
            for (int threads : {0, 1, 2, 3, 7}) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << threads);
                Handle handle(GetParam().backend);
                xbatchSetThreadCount(handle, threads);
                FactoredPositive<T> again(handle, s, p);
                EXPECT_TRUE(same_bits(again.factors().bytes(), bytes));
                EXPECT_TRUE(same_bits(again.solve(), y) && same_bits(again.logdet(), first.logdet()));
                EXPECT_TRUE(same_bits(solve_positive(handle, s, p).x, x));
            }
        }
    });
}

TEST_P(Spd, TwoHandlesOnTwoThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> s = make_positive<T>(500, 1, 20);
        const Placing p = placing(500, 20);
        const std::vector<T> alone = solve_positive(handle_, s, p).x;
        std::vector<std::vector<T>> together[2];
        std::thread threads[2];
        for (int t = 0; t < 2; ++t)
            threads[t] = std::thread([&, t] {
                Handle handle(GetParam().backend);
                for (int k = 0; k < 5; ++k) together[t].push_back(solve_positive(handle, s, p).x);
            });
        for (std::thread &thread : threads) thread.join();
        for (int t = 0; t < 2; ++t)
            for (const std::vector<T> &x : together[t]) EXPECT_TRUE(same_bits(x, alone)) << "thread " << t;
    });
}

TEST_P(Spd, NothingToDo) {
    for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{0, 2, 3}, {4, 0, 3}, {4, 2, 0}, {0, 0, 0}}) {
        const xbatchDataType_t type = GetParam().type;
        const xbatchLayout_t layout = GetParam().layout;
        const int64_t ld = std::max<int64_t>({n, batch, 1});
        size_t bytes = 1;
        EXPECT_EQ(xptsvBatch_bufferSize(handle_, type, layout, n, nrhs, batch, &bytes), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(bytes, 0u);
        EXPECT_EQ(
            xptsvBatch(handle_, type, layout, n, nrhs, batch, nullptr, nullptr, ld, nullptr, ld, nullptr, nullptr, 0),
            XBATCH_STATUS_SUCCESS)
            << handle_.message();
        EXPECT_EQ(xpttrsBatch(handle_, type, layout, n, nrhs, batch, batch, nullptr, nullptr, ld, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
}

TEST_P(Spd, OneGiantSystem) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        expect_solved(make_positive<T>(100003, 1, 1, false, 1, 2), placing(100003, 1, GetParam().layout));
        // Poisson's matrix has a large inverse; in single precision it is no longer positive definite.
        if (sizeof(Real<T>) == 8) expect_solved(make_positive<T>(100003, 1, 1, false, 1, 1), placing(100003, 1));
    });
}

TEST_P(Spd, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes)
            for (int64_t batch : {1, 2, 31, 32, 33, 129}) {
                expect_solved(make_positive<T>(n, 1 + k % 3, batch, false, k), placing(n, batch, k));
                ++k;
            }
        for (int64_t n : {3, 32}) expect_solved(make_positive<T>(n, 1, 65537), placing(n, 65537, n));
    });
}

TEST_P(Spd, GiantSystemFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1})
            expect_solved(make_positive<T>(n, 1, 1, false, 1, 2), placing(n, 1, n));
    });
}

TEST_P(SpdGraph, CapturedAndReplayed) {
    const auto large = for_large();
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, nrhs, is_shared] : {std::tuple<int64_t, int64_t, bool>{64, 1, false},
                                                 {1000, 1, false},
                                                 {1000, 8, false},
                                                 {1000, 2, true},
                                                 {100003, 1, false}}) {
            SCOPED_TRACE(testing::Message() << "n " << n << ", nrhs " << nrhs);
            const int64_t batch = n > 10000 ? 1 : 40;
            Handle &handle = nrhs > 1 ? *large : handle_;
            const Systems<T> s = make_positive<T>(n, nrhs, batch, is_shared, 1, 2);
            const Placing p = placing(n, batch);
            const Answer<T> expected = solve_positive(handle, s, p);
            FactoredPositive<T> factored(handle, s, p);
            const std::vector<T> expected_by_factors = factored.solve();
            const std::vector<Real<T>> logdet = factored.logdet();
            PositiveCall<T> call(handle, s, p);
            FactoredCall<T> by_factors(handle, s, p, factored.factors().data());
            std::array<xbatchStatus_t, 3> status;
            const auto work = [&] { status = {call.run(), factored.factor(), by_factors.run()}; };
            capture_and_replay(handle, work, 2, [&] { call.restore(), by_factors.restore(); });
            for (xbatchStatus_t of : status) ASSERT_EQ(of, XBATCH_STATUS_SUCCESS) << handle.message();
            const Answer<T> answer = call.answer(status[0]);
            EXPECT_TRUE(same_bits(answer.x, expected.x));
            EXPECT_EQ(answer.info, expected.info);
            EXPECT_TRUE(same_bits(by_factors.solutions(), expected_by_factors));
            EXPECT_TRUE(same_bits(factored.logdet(), logdet));
        }
    });
}

TEST_P(SpdBackends, Agree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        Handle host(XBATCH_BACKEND_HOST);
        for (int64_t n : {1, 33, 512, 4097}) {
            const Systems<T> s = make_positive<T>(n, 2, 5, false, 1, 4);
            const Placing p = placing(n, 5);
            EXPECT_LE(distance(s, solve_positive(handle_, s, p).x, solve_positive(host, s, p).x), 200) << "n " << n;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Spd, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Spd, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, SpdGraph, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, SpdBackends, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
