// test_factor.cpp: LU factors of tridiagonal matrices and solves with them.
//
// First the residual: on every family of matrices, and for op(A) = A, A^T, A^H, the normwise backward error
//     ||op(A) x - b|| / (||A|| ||x|| + ||b||)  is at most 32 eps,
// and LAPACK's ratio ||op(A) x - b||_1 / (||A||_1 ||x||_1 eps) below 30. Then a comparison with LAPACK's gttrf and
// gttrs. Then what must not happen: a write outside the results, a read of dl_0, du_{n-1} or padding (all NaN), an
// influence of one matrix on another, the use of factors of another shape.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "support/fixtures/factor.hpp"

namespace xbatch_test {
namespace {

class Factor : public testing::TestWithParam<FactorCase> {
protected:
    Factor() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    Placing placing(int64_t n, int64_t batch, int64_t k = 0) {
        return xbatch_test::placing(GetParam().layout, n, batch, k);
    }
    // Factors a batch of regular matrices, solves with op(A) and checks the errors.
    template <class T>
    void expect_solved(const Systems<T> &s, Placing p, xbatchOperation_t op) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", sets "
                                        << s.sets << ", ldt " << p.ldt << ", ldb " << p.ldb << ", shift " << p.shift
                                        << ", op " << op);
        Factored<T> factored(handle_, s, p);
        EXPECT_EQ(factored.info(), std::vector<int32_t>(p.with_info ? s.sets : 0, 0));
        const Systems<T> turned = with_operation(s, op);
        const Errors errors = errors_of(turned, factored.solve(op, turned));
        EXPECT_LE(errors.backward, 32);
        EXPECT_LT(errors.ratio, 30);
    }

    Handle handle_;
};
using FactorGraph = Factor;
using FactorBackends = Factor;

constexpr int64_t sizes[] = {1,   2,   3,   5,   7,   8,   11,  15,  16,  17,  31,   32,   33,   63,   64,  65,
                             127, 128, 129, 255, 256, 257, 509, 511, 512, 513, 1000, 1021, 2047, 2048, 2049};
constexpr int64_t long_sizes[] = {4095, 4096, 4097, 8191, 8192, 8193};

TEST_P(Factor, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            const int64_t batch = n <= 64 ? 35 : 3;
            expect_solved(make_systems<T>(n, 1 + k % 2, batch, {6, 1, 20, 18}, false, k), placing(n, batch, k),
                          all_operations[k % 3]);
            ++k;
        }
        for (int64_t n : long_sizes) {
            expect_solved(make_systems<T>(n, 1, 2, {k % 2 ? 6 : 19}, false, k), placing(n, 2, k),
                          all_operations[k % 3]);
            ++k;
        }
    });
}

// Whether A is regular, and the solution of the rounded system within the range of the type. The solution for family 25
// grows with n beyond it. That for family 26 with op(A), whose columns differ by the whole range, can have any size.
template <class T>
bool has_solution(Family family, int64_t n, xbatchOperation_t op) {
    if (family == 25 && sizeof(Real<T>) == 4 && n > 100) return false;
    if (family == 26 && op != XBATCH_OP_N) return false;
    return n % 2 == 0 || !is_among(family, std::begin(zero_diagonal_families), std::end(zero_diagonal_families));
}

TEST_P(Factor, EveryFamily) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (Family family : families)
            for (int64_t n : {512, 511, 37, 36, 2, 1})
                for (xbatchOperation_t op : all_operations) {
                    if (!has_solution<T>(family, n, op)) continue;
                    SCOPED_TRACE(testing::Message() << "family " << family);
                    expect_solved(make_systems<T>(n, 2, 4, {family}), placing(n, 4), op);
                }
    });
}

TEST_P(Factor, Batches) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t batch : {1, 2, 31, 32, 33, 1023, 1024, 1025, 4099})
            for (int64_t n : {1, 5, 17}) {
                expect_solved(make_systems<T>(n, 1, batch, regular, false, k), placing(n, batch, k),
                              all_operations[k % 3]);
                ++k;
            }
    });
}

TEST_P(Factor, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {1, 2, 3, 7, 33})
            for (int64_t n : {1, 7, 64, 513})
                for (int64_t batch : {1, 5}) {
                    expect_solved(make_systems<T>(n, nrhs, batch, regular, false, k), placing(n, batch, k),
                                  all_operations[k % 3]);
                    ++k;
                }
    });
}

TEST_P(Factor, SharedFactors) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 31, 64, 257, 1000, 4097})
            for (int64_t batch : {2, 33, 300})
                for (xbatchOperation_t op : all_operations) {
                    if (n > 100 && batch > 100) continue;
                    expect_solved(make_systems<T>(n, 1 + k % 3, batch, {k % 2 ? 20 : 1}, true, k), placing(n, batch, k),
                                  op);
                    ++k;
                }
    });
}

TEST_P(Factor, AgreesWithLapack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 17, 64, 513, 4097}) {
            const Systems<T> s = make_systems<T>(n, 2, 7, {6, 7, 17, 18, 19, 20, 28}, false, k);
            Factored<T> factored(handle_, s, placing(n, 7, k++));
            for (xbatchOperation_t op : all_operations) {
                const Systems<T> turned = with_operation(s, op);
                const std::vector<T> x = factored.solve(op, turned);
                for (int64_t j = 0; j < s.batch; ++j)
                    for (int64_t r = 0; r < s.nrhs; ++r) {
                        const std::vector<T> y = lapack_gttrs(lapack_gttrf(s, j), op, turned, j, r);
                        EXPECT_LE(distance(&x[s.entry(j, r, 0)], y.data(), n), 200) << "n " << n << ", system " << j;
                    }
            }
        }
    });
}

// Where arithmetic is exact, the bad pivot is in the same row as in LAPACK.
TEST_P(Factor, SingularMatrices) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {1, 3, 33, 511, 40011}) {
            Systems<T> s = make_systems<T>(n, 1, 5, {23, 24, 18, 18, 18});
            for (int64_t j = 0; j < 5; ++j)  // without the random phases of complex matrices
                for (int64_t i = 0; i < n; ++i) {
                    const int64_t k = s.row(j, i);
                    s.dl[k] = T(Real<T>(std::abs(s.dl[k]))), s.du[k] = T(Real<T>(std::abs(s.du[k])));
                    s.d[k] = T(Real<T>(std::abs(s.d[k])));
                }
            const int64_t middle = n / 2;
            const auto zero_column = [&](int64_t j, int64_t i) {
                s.d[s.row(j, i)] = T(0);
                if (i > 0) s.du[s.row(j, i - 1)] = T(0);
                if (i + 1 < n) s.dl[s.row(j, i + 1)] = T(0);
            };
            zero_column(2, 0), zero_column(3, middle), zero_column(4, n - 1);
            Factored<T> factored(handle_, s, placing(n, 5));
            const std::vector<int32_t> info = factored.info();
            const std::vector<Real<T>> logdet = factored.logdet(), rcond = factored.rcond(XBATCH_NORM_ONE);
            const std::vector<T> sign = factored.sign();
            for (int64_t j = 0; j < 5; ++j) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", system " << j);
                EXPECT_EQ(info[j], lapack_gttrf(s, j).info);
                EXPECT_GT(info[j], 0);
                EXPECT_EQ(logdet[j], -std::numeric_limits<Real<T>>::infinity());
                EXPECT_EQ(sign[j], T(0));
                EXPECT_EQ(rcond[j], 0);
            }
        }
    });
}

// What makes a matrix bad, at row k, and the row of U whose pivot is bad
struct Damage {
    const char *what;
    int64_t row, pivot;
};

template <class T>
void damage(Systems<T> &s, int64_t j, const Damage &how) {
    const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
    const int64_t k = s.row(j, how.row);
    const std::string what = how.what;
    if (what == "zero row") s.dl[k] = s.d[k] = s.du[k] = T(0);
    if (what == "NaN in d") s.d[k] = T(nan);
    if (what == "Inf in d") s.d[k] = T(inf);
    if (what == "NaN in dl") s.dl[k] = T(nan);
    if (what == "Inf in dl") s.dl[k] = T(inf);
    if (what == "NaN in du") s.du[k] = T(nan);
}

std::vector<Damage> damages(int64_t n) {
    const int64_t middle = n / 2, last = n - 1;
    return {{"zero row", 0, -1},
            {"zero row", middle, -1},
            {"zero row", last, last},
            {"NaN in d", 0, 0},
            {"NaN in d", last, last},
            {"Inf in d", middle, -1},
            {"Inf in dl", middle, middle - 1},
            {"NaN in dl", last, last},
            {"NaN in du", 0, 1}};
}

template <class T>
bool same_entries(const std::vector<T> &a, const std::vector<T> &b, int64_t first, int64_t count = 1) {
    return std::memcmp(&a[first], &b[first], count * sizeof(T)) == 0;
}

TEST_P(Factor, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{2, 3}, {17, 34}, {64, 5}, {513, 34}}) {
            const Systems<T> good = make_systems<T>(n, 2, batch, {6, 18, 20});
            Factored<T> sound(handle_, good, placing(n, batch));
            const auto results = [](Factored<T> &f) {
                return std::make_tuple(f.solve(XBATCH_OP_N), f.solve(XBATCH_OP_T), f.logdet(), f.sign(),
                                       f.rcond(XBATCH_NORM_ONE));
            };
            const auto [x, xt, logdet, sign, rcond] = results(sound);
            for (const Damage &how : damages(n)) {
                const int64_t victim = batch / 2;
                SCOPED_TRACE(testing::Message() << how.what << " at row " << how.row << " of " << n << ", system "
                                                << victim << " of " << batch);
                Systems<T> s = good;
                damage(s, victim, how);
                Factored<T> hurt(handle_, s, placing(n, batch));
                const auto [y, yt, hurt_logdet, hurt_sign, hurt_rcond] = results(hurt);
                const std::vector<int32_t> info = hurt.info();
                EXPECT_GE(info[victim], how.pivot < 0 ? 1 : how.pivot + 1);
                EXPECT_LE(info[victim], how.pivot < 0 ? n : how.pivot + 1);
                EXPECT_EQ(hurt_rcond[victim], 0);
                if (std::string(how.what) != "zero row") {
                    EXPECT_TRUE(std::isnan(hurt_logdet[victim]) && !is_finite(hurt_sign[victim]));
                }
                for (int64_t j = 0; j < batch; ++j) {
                    if (j == victim) continue;
                    EXPECT_EQ(info[j], 0) << "system " << j;
                    EXPECT_TRUE(same_entries(y, x, s.entry(j, 0, 0), 2 * n) &&
                                same_entries(yt, xt, s.entry(j, 0, 0), 2 * n) && same_entries(hurt_logdet, logdet, j) &&
                                same_entries(hurt_sign, sign, j) && same_entries(hurt_rcond, rcond, j))
                        << "system " << j << " was changed";
                }
            }
        }
    });
}

TEST_P(Factor, BadRightHandSidesStayAlone) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 33, batch = 35, victim = 17;
        Systems<T> s = make_systems<T>(n, 2, batch, {1, 6, 20});
        Factored<T> factored(handle_, s, placing(n, batch));
        const std::vector<T> expected = factored.solve();
        s.b[s.entry(victim, 1, 5)] = T(std::numeric_limits<Real<T>>::quiet_NaN());
        const std::vector<T> x = factored.solve();
        for (int64_t k = 0; k < batch * 2; ++k)
            EXPECT_EQ(same_entries(x, expected, k * n, n), k != victim * 2 + 1) << "right-hand side " << k;
    });
}

TEST_P(Factor, RunsAreBitwiseEqualForEveryThreadCount) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{65, 131}, {700, 37}, {8209, 2}}) {
            const Systems<T> s = make_systems<T>(n, 2, batch, {1, 6, 20});
            Factored<T> first(handle_, s, placing(n, batch));
            const std::vector<unsigned char> bytes = first.factors().bytes();
            const std::vector<T> x = first.solve(), xt = first.solve(XBATCH_OP_C, s);
            const std::vector<Real<T>> rcond = first.rcond(XBATCH_NORM_INF);
            for (int threads : {0, 1, 2, 3, 7}) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", threads " << threads);
                Handle handle(GetParam().backend);
                xbatchSetThreadCount(handle, threads);
                Factored<T> again(handle, s, placing(n, batch));
                EXPECT_TRUE(same_bits(again.factors().bytes(), bytes));
                EXPECT_TRUE(same_bits(again.solve(), x) && same_bits(again.solve(XBATCH_OP_C, s), xt));
                EXPECT_TRUE(same_bits(again.rcond(XBATCH_NORM_INF), rcond));
                EXPECT_TRUE(same_bits(again.logdet(), first.logdet()) && same_bits(again.sign(), first.sign()));
            }
        }
    });
}

TEST_P(Factor, TwoHandlesOnTwoThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> s = make_systems<T>(500, 1, 20, {1, 6});
        const Placing p = placing(500, 20);
        Factored<T> factored(handle_, s, p);
        const std::vector<T> alone = factored.solve();
        std::vector<std::vector<T>> together[2];
        std::thread threads[2];
        for (int t = 0; t < 2; ++t)
            threads[t] = std::thread([&, t] {
                Handle handle(GetParam().backend);
                for (int k = 0; k < 5; ++k) together[t].push_back(Factored<T>(handle, s, p).solve());
            });
        for (std::thread &thread : threads) thread.join();
        for (int t = 0; t < 2; ++t)
            for (const std::vector<T> &x : together[t]) EXPECT_TRUE(same_bits(x, alone)) << "thread " << t;
    });
}

TEST_P(Factor, FactorsMayBeCopied) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> s = make_systems<T>(40, 1, 19, {1, 6}), other = make_systems<T>(40, 1, 19, {20});
        const Placing p = placing(40, 19);
        Factored<T> one(handle_, s, p), two(handle_, other, p);
        two.factors().set(one.factors().bytes());
        EXPECT_TRUE(same_bits(two.solve(XBATCH_OP_N, s), one.solve()));
    });
}

// On the host the factors' header identifies them.
TEST_P(Factor, OtherFactorsAreRefused) {
    if (GetParam().backend == XBATCH_BACKEND_CUDA) GTEST_SKIP() << "device memory is not looked into";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 12, batch = 5, ld = 16;
        const xbatchDataType_t type = Traits<T>::type, other_type = xbatchDataType_t((type + 1) % 4);
        const xbatchLayout_t layout = GetParam().layout, other_layout = xbatchLayout_t((layout + 1) % 3);
        const Systems<T> s = make_systems<T>(n, 1, batch, {6});
        Factored<T> factored(handle_, s, placing(n, batch));
        std::vector<double> b(10000, 3.5), workspace(10000);
        const std::vector<double> before = b;
        const auto expect = [&](const char *words, xbatchDataType_t t, xbatchLayout_t l, int64_t rows, int64_t sets) {
            EXPECT_EQ(xgttrsBatch(handle_, t, l, XBATCH_OP_N, rows, 1, batch, sets, factored.factors().data(), b.data(),
                                  ld, workspace.data(), workspace.size() * 8),
                      XBATCH_STATUS_INVALID_VALUE);
            EXPECT_EQ(std::string(handle_.message()).substr(0, std::string(words).size()), words) << handle_.message();
            EXPECT_TRUE(same_bits(b, before));
        };
        expect("xgttrsBatch: argument 8, factors", other_type, layout, n, batch);
        expect("xgttrsBatch: argument 2, layout", type, other_layout, n, batch);
        expect("xgttrsBatch: argument 4, n", type, layout, n + 1, batch);
        expect("xgttrsBatch: argument 7, sets", type, layout, n, 1);
        EXPECT_EQ(xgtconBatch(handle_, type, layout, XBATCH_NORM_ONE, n, batch + 1, factored.factors().data(), b.data(),
                              workspace.data(), workspace.size() * 8),
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_STREQ(handle_.message(), "xgtconBatch: argument 5, batch = 6, must be as in xgttrfBatch, 5");
        EXPECT_EQ(xpttrsBatch(handle_, type, layout, n, 1, batch, batch, factored.factors().data(), b.data(), ld,
                              workspace.data(), workspace.size() * 8),
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_TRUE(same_bits(b, before));
    });
}

TEST_P(Factor, NothingToDo) {
    for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{0, 2, 3}, {4, 0, 3}, {4, 2, 0}, {0, 0, 0}}) {
        const xbatchDataType_t type = GetParam().type;
        const xbatchLayout_t layout = GetParam().layout;
        const int64_t ld = std::max<int64_t>({n, batch, 1});
        size_t factor_bytes = 1, bytes = 1;
        EXPECT_EQ(xgttrsBatch_bufferSize(handle_, type, layout, XBATCH_OP_N, n, nrhs, batch, batch, &bytes),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(bytes, 0u);
        EXPECT_EQ(xgttrsBatch(handle_, type, layout, XBATCH_OP_T, n, nrhs, batch, 1, nullptr, nullptr, ld, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
        if (n * batch != 0) continue;
        EXPECT_EQ(xgttrfBatch_bufferSize(handle_, type, layout, n, batch, &factor_bytes, &bytes),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(factor_bytes, 0u);
        EXPECT_EQ(bytes, 0u);
        EXPECT_EQ(xgttrfBatch(handle_, type, layout, n, batch, nullptr, nullptr, nullptr, ld, nullptr, nullptr, nullptr,
                              nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
        EXPECT_EQ(xgtconBatch(handle_, type, layout, XBATCH_NORM_INF, n, batch, nullptr, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
}

TEST_P(Factor, OneGiantMatrix) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 100003;
        expect_solved(make_systems<T>(n, 1, 1, {20}), placing(n, 1, GetParam().layout),
                      all_operations[GetParam().layout]);
    });
}

TEST_P(Factor, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            std::vector<Family> of;
            for (Family family : regular)
                if (is_solvable<T>(family, n, false)) of.push_back(family);
            for (int64_t batch : {1, 2, 31, 32, 33, 129})
                for (xbatchOperation_t op : all_operations) {
                    expect_solved(make_systems<T>(n, 1 + k % 3, batch, of, false, k), placing(n, batch, k), op);
                    ++k;
                }
        }
    });
}

TEST_P(Factor, BatchFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {3, 32})
            expect_solved(make_systems<T>(n, 1, 65537, regular), placing(n, 65537, n), all_operations[n % 3]);
    });
}

// With equal rows elimination could hold the same row from end to end and accumulate the rounding errors of all: 35 eps
// with LAPACK's gttrf in double, 371 in float.
TEST_P(Factor, RowsAlikeFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 100003;
        for (Family family : {16, 27})
            for (xbatchOperation_t op : all_operations) {
                SCOPED_TRACE(testing::Message() << "family " << family);
                expect_solved(make_systems<T>(n, 1, 2, {family}), placing(n, 2), op);
            }
    });
}

TEST_P(Factor, GiantMatrixFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1})
            expect_solved(make_systems<T>(n, 1, 1, {n % 2 ? 20 : 1}), placing(n, 1, n), all_operations[n % 3]);
    });
}

TEST_P(FactorGraph, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {64, 1000, 30011}) {
            const int64_t batch = n > 10000 ? 2 : 40;
            const Systems<T> s = make_systems<T>(n, 1, batch, {1, 6, 20});
            Factored<T> factored(handle_, s, placing(n, batch));
            const std::vector<unsigned char> bytes = factored.factors().bytes();
            const std::vector<T> x = factored.solve();
            xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
            capture_and_replay(
                handle_, [&] { status = factored.factor(); }, 2,
                [&] { factored.factors().set(std::vector<unsigned char>(bytes.size(), 0xff)); });
            EXPECT_EQ(status, XBATCH_STATUS_SUCCESS) << handle_.message();
            EXPECT_TRUE(same_bits(factored.solve(), x)) << "n " << n;
        }
    });
}

TEST_P(FactorBackends, Agree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        Handle host(XBATCH_BACKEND_HOST);
        for (int64_t n : {1, 33, 512, 4097}) {
            const Systems<T> s = make_systems<T>(n, 2, 5, {6, 18, 19, 20, 28});
            Factored<T> here(handle_, s, placing(n, 5)), there(host, s, placing(n, 5));
            for (xbatchOperation_t op : all_operations)
                EXPECT_LE(distance(s, here.solve(op, s), there.solve(op, s)), 200) << "n " << n << ", op " << op;
            for (int64_t j = 0; j < 5; ++j)
                EXPECT_NEAR(here.rcond(XBATCH_NORM_ONE)[j] / there.rcond(XBATCH_NORM_ONE)[j], 1, 1e-3);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Factor, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Factor, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, FactorGraph, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, FactorBackends, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
