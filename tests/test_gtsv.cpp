// test_gtsv.cpp: tridiagonal solvers on matrices that need no pivoting; test_gtsv_batch.cpp tests all others.
//
// First the residual: the normwise backward error
//     ||Ax - b|| / (||A|| ||x|| + ||b||)  is at most 32 eps,
// and LAPACK's ratio ||Ax - b||_1 / (||A||_1 ||x||_1 eps) below 30. Then a comparison with LAPACK's gtsv. Then what
// needs no reference: linearity, permutation, row scaling, layouts, repetition, threads. Then what must not happen: a
// write outside B and info, a read of dl_0, du_{n-1} or padding (all NaN), an influence of one system on another.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "support/fixtures/gtsv_cases.hpp"
#include "support/generators/patterns.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

using Gtsv = GtsvOn;
using GtsvUnpivoted = GtsvOn;
using GtsvGraph = GtsvOn;
using GtsvBackends = GtsvOn;
using GtsvLong = GtsvOn;
using GtsvClusters = GtsvOn;

class GtsvThreads : public GtsvOn {
protected:
    void expect_same_bits(const std::vector<std::array<int64_t, 2>> &shapes) {
        with_type(GetParam().type, [&](auto zero) {
            using T = decltype(zero);
            for (const auto &[n, batch] : shapes) {
                const Systems<T> s = make_systems<T>(n, 1, batch, {6, 20});
                std::vector<T> first;
                for (int threads : {1, 2, 3, 24}) {
                    ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                    const std::vector<T> x = solve(s, placing(n, batch)).x;
                    if (first.empty()) first = x;
                    EXPECT_TRUE(same_bits(x, first)) << "n " << n << ", " << threads << " threads";
                }
            }
        });
    }
};

const std::vector<Family> dominant(std::begin(dominant_families), std::end(dominant_families));

TEST_P(Gtsv, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            const int64_t batch = n <= 64 ? 35 : 3;
            expect_solved(make_systems<T>(n, 1 + k % 2, batch, dominant, false, k), placing(n, batch, k));
            ++k;
        }
        for (int64_t n : long_sizes) {
            const Family family = dominant[k % dominant.size()];
            expect_solved(make_systems<T>(n, 1, 2, {family}, false, k), placing(n, 2, k));
            ++k;
        }
    });
}

// Sizes at which a system, or a line of adjacent ones, takes two blocks, half a line, more than eight blocks.
TEST_P(GtsvClusters, SharedAmongBlocks) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const auto &[n, batch] : {std::array<int64_t, 2>{128, 40},
                                       {129, 33},
                                       {257, 35},
                                       {511, 64},
                                       {1024, 32},
                                       {1025, 67},
                                       {2048, 17},
                                       {2049, 40},
                                       {9217, 2},
                                       {16384, 3},
                                       {17409, 1}}) {
            expect_solved(make_systems<T>(n, 1 + k % 3, batch, dominant, false, k), placing(n, batch, k));
            ++k;
        }
    });
}

TEST_P(Gtsv, Batches) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t batch : {1, 2, 31, 32, 33, 1023, 1024, 1025})
            for (int64_t n : {1, 5, 17}) {
                expect_solved(make_systems<T>(n, 1, batch, dominant, false, k), placing(n, batch, k));
                ++k;
            }
    });
}

TEST_P(Gtsv, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {1, 2, 3, 5, 7, 8, 9, 33})
            for (int64_t n : {1, 7, 17, 64, 513})
                for (int64_t batch : {1, 5, 37}) {
                    if (batch == 37 && n > 17) continue;
                    expect_solved(make_systems<T>(n, nrhs, batch, dominant, false, k), placing(n, batch, k));
                    ++k;
                }
        for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{100, 5, 35},
                                             {193, 8, 33},
                                             {300, 3, 17},
                                             {1000, 6, 3},
                                             {1001, 4, 18},
                                             {3000, 2, 2}}) {
            expect_solved(make_systems<T>(n, nrhs, batch, dominant, false, k), placing(n, batch, k));
            ++k;
        }
    });
}

// Right-hand sides that follow one elimination together: one that is not finite changes no bit of another.
TEST_P(Gtsv, ARightHandSideThatIsNotFinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
        int64_t k = 0;
        for (int64_t nrhs : {2, 3, 5, 8, 9})
            for (const auto &[n, batch] : {std::array<int64_t, 2>{5, 37}, {16, 3}, {67, 19}, {513, 3}}) {
                Placing p = placing(n, batch, k);
                p.with_info = true;
                const Systems<T> good = make_systems<T>(n, nrhs, batch, {6, 18, 20}, false, k);
                const Answer<T> expected = solve(good, p);
                Systems<T> bad = good;
                const int64_t j = batch / 2, r = k % nrhs, first = good.entry(j, r, 0);
                bad.b[good.entry(j, r, n / 2)] = T(k % 2 ? nan : inf);
                SCOPED_TRACE(testing::Message() << "n " << n << ", right-hand side " << r << " of " << nrhs);
                Answer<T> answer = solve(bad, p);
                std::vector<int32_t> info(batch, 0);
                info[j] = int32_t(n + 1);
                EXPECT_EQ(answer.info, info);
                std::copy_n(&expected.x[first], n, &answer.x[first]);
                EXPECT_TRUE(same_bits(answer.x, expected.x)) << "another right-hand side was changed";
                ++k;
            }
    });
}

TEST_P(Gtsv, SharedCoefficients) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 31, 64, 193, 257, 1000, 4097})
            for (int64_t batch : {2, 33, 203}) {
                if (n > 64 && batch == 203) continue;
                const int64_t nrhs = n > 200 ? 1 + k % 3 : 1 + k % 5 * 2;
                const Systems<T> s = make_systems<T>(n, nrhs, batch, {Family(k % 2 ? 20 : 6)}, true, k);
                expect_solved(s, placing(n, batch, k));
                ++k;
            }
    });
}

TEST_P(Gtsv, EveryDominantFamily) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (Family family : dominant)
            for (int64_t n : {512, 511, 37}) {
                SCOPED_TRACE(testing::Message() << "family " << family);
                expect_solved(make_systems<T>(n, 2, 4, {family}), placing(n, 4));
            }
    });
}

// Inverses do not decay, so that errors of one chunk affect all others.
TEST_P(Gtsv, BarelyDominant) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {16, 100, 191, 256, 300, 513, 1000, 2049, 4097, 17500}) {
            const int64_t batch = n > 4000 ? barely_dominant_kinds : 2 * barely_dominant_kinds;
            const Systems<T> s = make_barely_dominant<T>(n, n == 191 ? 4 : 1, batch, uint64_t(k), is_periodic());
            expect_solved(s, placing(n, batch, k), 32);
            ++k;
        }
        for (const Row<double> row : {Row<double>{0, .619199517, -.619199517}, {-.02, .82001, -.8}})
            for (int64_t n : {137, 1000, 2777, 4097, 7191}) {
                Systems<T> s = xbatch_test::make_systems<T>({"rows that repeat", {row}}, n, 3, is_periodic());
                for (int64_t j = 0; is_periodic() && j < 3; ++j) s.d[size_t(s.row(j, 0))] = T(1);
                expect_solved(s, placing(n, 3), 32);
            }
    });
}

// For other matrices the solution is not guaranteed, but a zero pivot sets info, and other systems are unaffected.
TEST_P(GtsvUnpivoted, FamiliesThatNeedPivoting) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Family> mixed(std::begin(families), std::end(families));
        for (int64_t n : {2, 32, 512, 1024}) {
            const int64_t batch = int64_t(mixed.size());
            std::vector<Family> calm = mixed;
            for (Family &family : calm)
                if (!is_among(family, std::begin(dominant_families), std::end(dominant_families))) family = 21;
            const Systems<T> s = make_systems<T>(n, 2, batch, mixed), others = make_systems<T>(n, 2, batch, calm);
            const Answer<T> answer = solve(s, placing(n, batch)), expected = solve(others, placing(n, batch));
            for (int64_t j = 0; j < batch; ++j) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", family " << mixed[j]);
                expect_true_info(answer.info[j], n, unknowns(s, answer, j));
                if (is_among(mixed[j], std::begin(zero_diagonal_families), std::end(zero_diagonal_families))) {
                    EXPECT_GT(answer.info[j], 0);
                }
                if (mixed[j] != calm[j]) continue;
                EXPECT_EQ(answer.info[j], 0);
                EXPECT_TRUE(same_system(s, j, answer.x, expected.x)) << "changed by its neighbours";
            }
        }
    });
}

TEST_P(Gtsv, AgreesWithLapack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 3, 17, 64, 513, 4097}) {
            if (is_periodic() && n > most_dense_rows) continue;
            const Systems<T> s = make_systems<T>(n, 2, 7, {6, 7, 17, 18, 19, 20, 28}, false, k);
            const Answer<T> answer = solve(s, placing(n, 7, k++));
            for (int64_t j = 0; j < s.batch; ++j)
                for (int64_t r = 0; r < s.nrhs; ++r) {
                    const std::vector<T> x = lapack_solution(s, j, r, is_periodic());
                    EXPECT_LE(distance(&answer.x[s.entry(j, r, 0)], x.data(), n), 200) << "n " << n << ", system " << j;
                }
        }
    });
}

// The example of Lin and Chen Wu's paper on odd-even reduction, whose own sequential results are off by 2e-3: every
// entry must equal LAPACK's.
TEST_P(GtsvUnpivoted, ThePapersExample) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {100, 1000, 10000}) {
            Systems<T> s = make_systems<T>(n, 1, 1, {18});
            for (int64_t i = 0; i < n; ++i) {
                s.dl[i] = T(i > 0 ? 1 : 0), s.d[i] = T(4), s.du[i] = T(i + 1 < n ? 1 : 0);
                s.b[i] = T(Real<T>(i + 1));
            }
            const std::vector<T> x = solve(s, placing(n, 1)).x, y = lapack_solution(s, 0, 0);
            long double worst = 0;
            for (int64_t i = 0; i < n; ++i) worst = std::max(worst, distance(&x[i], &y[i], 1));
            EXPECT_LE(worst, 30) << "n " << n;
        }
    });
}

// What makes a system bad, at row k, and the row of the bad pivot in sequential elimination
struct Damage {
    const char *what;
    int64_t row;
    int64_t pivot;
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
    if (what == "NaN in b") s.b[s.entry(j, 0, how.row)] = T(nan);
    if (what == "Inf in b") s.b[s.entry(j, 0, how.row)] = T(inf);
}

std::vector<Damage> damages(int64_t n) {
    const int64_t middle = n / 2, last = n - 1;
    return {{"zero row", 0, 0},           {"zero row", middle, middle},  {"zero row", last, last},
            {"NaN in d", 0, 0},           {"NaN in d", middle, middle},  {"NaN in d", last, last},
            {"Inf in d", middle, middle}, {"Inf in dl", middle, middle}, {"NaN in dl", last, last},
            {"NaN in du", 0, 1},          {"NaN in b", middle, -1},      {"Inf in b", 0, -1}};
}

// Expected info of the damaged system: the row of a bad pivot; any row if the elimination order differs; or n + 1 for
// an unknown that is not finite.
void expect_reported(Algorithm algorithm, const Damage &how, int64_t n, int32_t info) {
    if (how.pivot < 0) {
        EXPECT_EQ(info, n + 1);
    } else {
        const bool is_known = algorithm == Algorithm::Thomas;
        EXPECT_GE(info, is_known ? how.pivot + 1 : 1);
        EXPECT_LE(info, is_known ? how.pivot + 1 : n);
    }
}

TEST_P(Gtsv, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{2, 3}, {17, 34}, {64, 5}, {513, 34}, {4097, 3}}) {
            const Systems<T> good = make_systems<T>(n, 2, batch, {6, 18, 20});
            const Answer<T> expected = solve(good, placing(n, batch));
            for (const Damage &how : damages(n)) {
                const int64_t victim = batch / 2;
                SCOPED_TRACE(testing::Message() << how.what << " at row " << how.row << " of " << n << ", system "
                                                << victim << " of " << batch);
                Systems<T> s = good;
                damage(s, victim, how);
                const Answer<T> answer = solve(s, placing(n, batch));
                expect_reported(GetParam().algorithm, how, n, answer.info[victim]);
                for (int64_t j = 0; j < batch; ++j) {
                    if (j == victim) continue;
                    EXPECT_EQ(answer.info[j], 0) << "system " << j;
                    EXPECT_TRUE(same_system(s, j, answer.x, expected.x)) << "system " << j << " was changed";
                }
            }
        }
    });
}

TEST_P(Gtsv, LinearInTheRightHandSide) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {5, 129, 2049}) {
            const Systems<T> first = make_systems<T>(n, 2, 3, {6, 18, 20}, false, 1);
            Systems<T> second = first, sum = first;
            for (size_t k = 0; k < sum.b.size(); ++k) {
                second.b[k] = T(2) * first.b[first.b.size() - 1 - k];
                sum.b[k] = T(8) * first.b[k] + second.b[k];
            }
            const std::vector<T> x = solve(first, placing(n, 3)).x, y = solve(second, placing(n, 3)).x;
            std::vector<T> expected(x.size());
            for (size_t k = 0; k < x.size(); ++k) expected[k] = T(8) * x[k] + y[k];
            EXPECT_LE(distance(sum, solve(sum, placing(n, 3)).x, expected), 100);
        }
    });
}

TEST_P(Gtsv, PermutationOfTheBatch) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = 130, batch = 37;
        const Systems<T> s = make_systems<T>(n, 1, batch, {6, 7, 17, 18, 19, 20, 28});
        Systems<T> turned = s;
        for (int64_t j = 0; j < batch; ++j)
            for (int64_t i = 0; i < n; ++i) {
                const int64_t from = s.row(j, i), to = s.row(batch - 1 - j, i);
                turned.dl[to] = s.dl[from], turned.d[to] = s.d[from], turned.du[to] = s.du[from];
                turned.b[to] = s.b[from];
            }
        const std::vector<T> x = solve(s, placing(n, batch)).x, y = solve(turned, placing(n, batch)).x;
        for (int64_t j = 0; j < batch; ++j)
            EXPECT_LE(distance(&x[s.row(j, 0)], &y[s.row(batch - 1 - j, 0)], n), 200) << "system " << j;
    });
}

TEST_P(Gtsv, RowScalingByPowersOfTwo) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {33, 1000}) {
            const Systems<T> s = make_systems<T>(n, 1, 4, {6, 18, 19, 20});
            Systems<T> scaled = s;
            Random random(7);
            for (int64_t k = 0; k < 4 * n; ++k) {
                const Real<T> power = std::ldexp(Real<T>(1), int(random.bits() % 41) - 20);
                scaled.dl[k] *= power, scaled.d[k] *= power, scaled.du[k] *= power, scaled.b[k] *= power;
            }
            EXPECT_LE(distance(s, solve(scaled, placing(n, 4)).x, solve(s, placing(n, 4)).x), 100);
        }
    });
}

TEST_P(Gtsv, LayoutsAgree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {9, 300, 4096}) {
            const Systems<T> s = make_systems<T>(n, 3, 6, {6, 7, 18, 19, 20, 28});
            const std::vector<T> here = solve(s, placing(n, 6, 1)).x;
            for (xbatchLayout_t layout : all_layouts)
                EXPECT_LE(distance(s, solve(s, xbatch_test::placing(layout, n, 6, 4)).x, here), 200)
                    << layout_name(layout);
        }
    });
}

TEST_P(Gtsv, RunsAreBitwiseEqual) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {65, 2048, 30011}) {
            const int64_t batch = n > 10000 ? 2 : 50;
            const Systems<T> s = make_systems<T>(n, 2, batch, {1, 6, 20});
            const Answer<T> first = solve(s, placing(n, batch));
            for (int k = 0; k < 3; ++k) EXPECT_TRUE(same_bits(solve(s, placing(n, batch)).x, first.x)) << "n " << n;
        }
    });
}

TEST_P(GtsvThreads, AnyNumberGivesTheSameBits) { expect_same_bits({{67, 301}, {512, 5}, {5000, 40}, {20011, 3}}); }
TEST_P(GtsvThreads, AnyNumberGivesTheSameBitsFull) { expect_same_bits({{40009, 21}}); }

TEST_P(Gtsv, TwoHandlesOnTwoThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> s[2] = {make_systems<T>(500, 1, 20, {6}), make_systems<T>(17011, 2, 1, {20})};
        const Placing p[2] = {placing(500, 20), placing(17011, 1)};
        const Answer<T> alone[2] = {solve(s[0], p[0]), solve(s[1], p[1])};
        std::vector<Answer<T>> together[2];
        std::thread threads[2];
        for (int t = 0; t < 2; ++t)
            threads[t] = std::thread([&, t] {
                Handle handle(GetParam().backend);
                for (int k = 0; k < 5; ++k)
                    together[t].push_back(xbatch_test::solve(handle, GetParam().algorithm, s[t], p[t]));
            });
        for (std::thread &thread : threads) thread.join();
        for (int t = 0; t < 2; ++t)
            for (const Answer<T> &answer : together[t]) EXPECT_TRUE(same_bits(answer.x, alone[t].x)) << "thread " << t;
    });
}

TEST_P(Gtsv, NothingToDo) {
    const auto solve = entry(GetParam().algorithm).solve;
    const auto size = entry(GetParam().algorithm).size;
    for (const auto &[n, nrhs, batch] : {std::array<int64_t, 3>{0, 2, 3}, {4, 0, 3}, {4, 2, 0}, {0, 0, 0}}) {
        const int64_t ld = std::max<int64_t>({n, batch, 1});
        size_t bytes = 1;
        EXPECT_EQ(size(handle_, GetParam().type, GetParam().layout, n, nrhs, batch, &bytes), XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(bytes, 0u);
        EXPECT_EQ(solve(handle_, GetParam().type, GetParam().layout, n, nrhs, batch, nullptr, nullptr, nullptr, ld,
                        nullptr, ld, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS)
            << handle_.message();
    }
}

TEST_P(Gtsv, OneLongSystem) {
    with_type(GetParam().type,
              [&](auto zero) { expect_solved(make_systems<decltype(zero)>(100003, 1, 1, {20}), placing(100003, 1)); });
}
TEST_P(Gtsv, OneLongSystemFull) {
    const int64_t n = (1 << 20) + GetParam().layout - 1;
    with_type(GetParam().type,
              [&](auto zero) { expect_solved(make_systems<decltype(zero)>(n, 1, 1, {6}), placing(n, 1)); });
}

TEST_P(Gtsv, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes)
            for (int64_t batch : {1, 2, 31, 32, 33, 129})
                for (int64_t nrhs : {1, 3}) {
                    expect_solved(make_systems<T>(n, nrhs, batch, dominant, false, k), placing(n, batch, k));
                    ++k;
                }
        // FLAT: all rows that 128 threads hold, 9 each in complex double and 17 in double, and one more
        for (int64_t n : {1152, 1153, 2176, 2177})
            for (int64_t batch : {1, 5, 33}) {
                expect_solved(make_systems<T>(n, 1 + k % 3, batch, dominant, false, k), placing(n, batch, k));
                ++k;
            }
        for (int64_t n : long_sizes)
            for (Family family : dominant) {
                expect_solved(make_systems<T>(n, 2, 3, {family}, false, k), placing(n, 3, k));
                ++k;
            }
    });
}

TEST_P(Gtsv, BatchFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {3, 32}) expect_solved(make_systems<T>(n, 1, 65537, dominant), placing(n, 65537, n));
    });
}

TEST_P(Gtsv, GiantSystemFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 24})
            expect_solved(make_systems<T>(n, 1, 1, {20}), placing(n, 1, n));
    });
}

TEST_P(GtsvGraph, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {64, 1000, 30011, 1 << 20}) {
            const int64_t batch = n > 10000 ? 1 : 40;
            const Systems<T> s = make_systems<T>(n, 1, batch, {6, 20});
            const Answer<T> expected = solve(s, placing(n, batch));
            GtsvCall<T> call(handle_, GetParam().backend, GetParam().algorithm, s, placing(n, batch));
            xbatchStatus_t status = XBATCH_STATUS_INTERNAL_ERROR;
            capture_and_replay(
                handle_, [&] { status = call.run(); }, 2, [&] { call.restore(); });
            ASSERT_EQ(status, XBATCH_STATUS_SUCCESS) << handle_.message();
            const Answer<T> answer = call.answer(status);
            EXPECT_TRUE(same_bits(answer.x, expected.x)) << "n " << n;
            EXPECT_EQ(answer.info, expected.info);
        }
    });
}

TEST_P(GtsvBackends, Agree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        Handle host(XBATCH_BACKEND_HOST);
        for (int64_t n : {1, 33, 512, 4097, 100003}) {
            const Systems<T> s = make_systems<T>(n, 2, 5, {6, 18, 19, 20, 28});
            const Answer<T> here = solve(s, placing(n, 5));
            const Answer<T> there = xbatch_test::solve(host, GetParam().algorithm, s, placing(n, 5));
            EXPECT_LE(distance(s, here.x, there.x), 200) << "n " << n;
        }
    });
}

// Many rows on a device. In diagonally dominant systems the ends of segments are computed from the rows around them,
// otherwise from all rows; the choice is made for each system.
constexpr int64_t long_rows = 30011, long_batch = 72;

TEST_P(GtsvLong, FamiliesSideBySideFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Family> of = {6, 2, 7, 17, 18, 19, 20, 21, 28};
        if (entry(GetParam().algorithm).is_pivoted) of.insert(of.end(), {1, 16, 26});
        for (int64_t k : {0, 1})
            expect_solved(make_systems<T>(long_rows, 1, long_batch, of, false, k), placing(long_rows, long_batch, k));
    });
}

TEST_P(GtsvLong, RightHandSidesOfOneMatrixFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        expect_solved(make_systems<T>(100003, 7, 3, {20}, true), placing(100003, 3));
    });
}

// Strong dominance except in some rows, where influence hardly decays, or pivoting is needed
TEST_P(GtsvLong, DecayWithAGapFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t n = (1 << 21) + 5;
        const Real<T> weaker(entry(GetParam().algorithm).is_pivoted ? 0 : 0.5);
        for (int64_t rows : {0, 40, 200, 3000}) {
            Systems<T> s = make_systems<T>(n, 1, 1, {18});
            for (int64_t i = n / 2; i < n / 2 + rows; ++i) s.d[i] *= weaker;
            Random random(3);
            fill_right_hand_side(s, 0, 0, random);
            expect_solved(s, placing(n, 1));
        }
    });
}

TEST_P(GtsvLong, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const int64_t victim = 40;
        const Systems<T> good = make_systems<T>(long_rows, 1, long_batch, {6, 18, 20});
        const Answer<T> expected = solve(good, placing(long_rows, long_batch));
        for (const Damage &how :
             {Damage{"NaN in d", 2048, 0}, {"NaN in dl", 9000, 0}, {"zero row", 4095, 0}, {"Inf in b", 5000, -1}}) {
            SCOPED_TRACE(testing::Message() << how.what << " at row " << how.row);
            Systems<T> s = good;
            damage(s, victim, how);
            const Answer<T> answer = solve(s, placing(long_rows, long_batch));
            expect_reported(GetParam().algorithm, how, long_rows, answer.info[victim]);
            for (int64_t j = 0; j < long_batch; ++j) {
                if (j == victim) continue;
                EXPECT_EQ(answer.info[j], 0) << "system " << j;
                EXPECT_TRUE(same_system(s, j, answer.x, expected.x)) << "system " << j << " was changed";
            }
        }
    });
}

std::vector<Case> long_cases() {
    std::vector<Case> cases = cases_of(XBATCH_BACKEND_CUDA), chosen;
    for (const Case &c : cases)
        if (c.layout == XBATCH_LAYOUT_FLAT && c.algorithm != Algorithm::Thomas) chosen.push_back(c);
    return chosen;
}

INSTANTIATE_TEST_SUITE_P(Host, Gtsv, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Gtsv, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, GtsvUnpivoted, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, false)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvUnpivoted, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA, false)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, GtsvThreads, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, false)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvClusters, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvGraph, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvLong, testing::ValuesIn(long_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvBackends, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
