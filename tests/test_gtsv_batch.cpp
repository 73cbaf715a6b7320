// test_gtsv_batch.cpp: the tridiagonal solvers with pivoting, open and periodic, on matrices that need it.
//
// For every nonsingular matrix whose inverse is well within the range of the type, the normwise backward error ||Ax -
// b|| / (||A|| ||x|| + ||b||) is at most 32 eps and LAPACK's ratio below 30: all families of matrices.hpp, all sizes. A
// matrix that is singular in exact arithmetic on its entries sets info, and other systems are unaffected. Then a
// comparison with LAPACK's gtsv, or gesv of the dense matrix, where the condition allows it. Scaling of rows by powers
// of two and the number of threads must not change a bit. test_gtsv.cpp runs its bodies on these solvers as well.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/fixtures/gtsv_cases.hpp"
#include "support/generators/patterns.hpp"

namespace xbatch_test {
namespace {

using GtsvPivoted = GtsvOn;
using GtsvPeriodic = GtsvOn;
using GtsvThreads = GtsvOn;

// Few systems are cut into chunks on the host, many are not cut.
TEST_P(GtsvPivoted, EveryFamily) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{512, 3}, {511, 33}, {300, 1}, {38, 33}, {5, 3}})
            for (Family family : solvable_families<T>(n, is_periodic())) {
                SCOPED_TRACE(testing::Message() << "family " << family);
                expect_solved(make_systems<T>(n, 1, batch, {family}, false, n), placing(n, batch, n + batch));
            }
    });
}

// The matrix of one system, rows unscaled
template <class T>
Pattern pattern_of(const Systems<T> &s, int64_t j) {
    Pattern pattern;
    for (int64_t i = 0; i < s.n; ++i)
        pattern.rows.push_back({double(s.dl[s.row(j, i)]), double(s.d[s.row(j, i)]), double(s.du[s.row(j, i)])});
    return pattern;
}

// Inverses near the end of the range: info is above 0 only for matrices that are singular to working precision, and
// solutions with info 0 are finite and accurate.
TEST_P(GtsvPivoted, GrowingInverses) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{1022, 20}, {1022, 70}, {4096, 6}})
            for (Family family : {12, 14, 15}) {
                const Systems<T> s = make_systems<T>(n, 1, batch, {family}, false, uint64_t(family));
                const Answer<T> answer = solve(s, placing(n, batch));
                for (int64_t j = 0; j < batch; ++j) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", family " << family << ", system " << j);
                    const auto said = answer.info[j];
                    if (said <= 0) {
                        EXPECT_LE(errors_of(s, answer.x, j, 0).backward, 32);
                    } else if constexpr (!is_complex<T>) {
                        EXPECT_LE(ReciprocalCondition::of(pattern_of(s, j), n, is_periodic()),
                                  100 * double(n) * unit_roundoff<T>)
                            << "info " << said;
                    }
                }
            }
    });
}

TEST_P(GtsvPivoted, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            const std::vector<Family> of = solvable_families<T>(n, is_periodic());
            const int64_t batch = n <= 129 ? int64_t(of.size()) + 1 : 4;
            expect_solved(make_systems<T>(n, 1 + k % 2, batch, of, false, k), placing(n, batch, k));
            ++k;
        }
        for (int64_t n : long_sizes) {
            const std::vector<Family> of = solvable_families<T>(n, is_periodic());
            expect_solved(make_systems<T>(n, 1, 2, {of[k % of.size()], 16}, false, k), placing(n, 2, k));
            ++k;
        }
    });
}

// Enough systems of these lengths for clusters of 16 blocks, on CUDA, where only half a memory line fits smaller ones,
// or for several blocks on each multiprocessor. A singular one has no effect on the others.
TEST_P(GtsvPivoted, ManyLongSystems) {
    if (GetParam().backend != XBATCH_BACKEND_CUDA) GTEST_SKIP() << "of CUDA";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch, k] :
             {std::array<int64_t, 3>{1701, 530, 1701}, {2048, 531, 2048}, {72, 17000, 30}, {42, 17000, 72}}) {
            const std::vector<Family> of = {1, 14, 16, 18, 20};
            Systems<T> s = make_systems<T>(n, 1, batch, of, false, uint64_t(n));
            Placing p = placing(n, batch, k);
            p.with_info = true;
            expect_solved(s, p);
            const Answer<T> expected = solve(s, p);
            const int64_t victim = batch / 2, row = n - 3;
            for (std::vector<T> *of_row : {&s.dl, &s.d, &s.du}) (*of_row)[size_t(s.row(victim, row))] = T(0);
            const Answer<T> answer = solve(s, p);
            for (int64_t j = 0; j < batch; ++j) {
                EXPECT_EQ(answer.info[size_t(j)] > 0, j == victim) << "n " << n << ", system " << j;
                EXPECT_TRUE(j == victim || same_system(s, j, answer.x, expected.x)) << "n " << n << ", system " << j;
            }
        }
    });
}

TEST_P(GtsvPivoted, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {2, 3, 7, 33})
            for (const auto &[n, batch] : {std::array<int64_t, 2>{5, 40}, {64, 20}, {65, 35}, {513, 1}, {513, 33}})
                if (nrhs < 33 || n * batch < 2000) {
                    const bool is_shared = k % 3 == 0;
                    expect_solved(make_systems<T>(n, nrhs, batch, {1, 14, 16, 26}, is_shared, k), placing(n, batch, k));
                    ++k;
                }
    });
}

// One matrix for many right-hand sides: of systems that share it, of one system, of both. Sizes are those around which
// CUDA cuts the matrix into other chunks, and blocks have other numbers of right-hand sides.
struct Sides {
    int64_t nrhs, batch;
};
constexpr Sides many_sides[] = {{1, 64}, {1, 97}, {70, 1}, {33, 3}, {7, 13}, {2, 33}, {65, 2}};

TEST_P(GtsvPivoted, OneMatrix) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n :
             {1, 2, 3, 7, 8, 9, 16, 17, 33, 48, 65, 129, 160, 161, 320, 321, 640, 641, 1000, 1025, 1281, 2048}) {
            const std::vector<Family> of = solvable_families<T>(n, is_periodic());
            for (int64_t some = 0; some < (n < 200 ? 3 : 1); ++some) {
                const auto [nrhs, batch] = many_sides[k % 7];
                expect_solved(make_systems<T>(n, nrhs, batch, {of[k % of.size()]}, true, k), placing(n, batch, k));
                ++k;
            }
        }
    });
}

// A right-hand side that is not finite harms no other; a singular matrix has the same info for all.
TEST_P(GtsvPivoted, OneMatrixWithFaults) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 9, 33, 137, 300, 1000}) {
            const auto [nrhs, batch] = many_sides[k++ % 7];
            SCOPED_TRACE(testing::Message() << "n " << n << ", nrhs " << nrhs << ", batch " << batch);
            const Systems<T> good = make_systems<T>(n, nrhs, batch, {16}, true, k);
            const Answer<T> expected = solve(good, placing(n, batch));
            Systems<T> bad = good;
            const int64_t j = batch - 1, r = nrhs / 2, first = good.entry(j, r, 0);
            bad.b[first + n / 2] = T(std::numeric_limits<Real<T>>::quiet_NaN());
            Answer<T> answer = solve(bad, placing(n, batch));
            for (int64_t i = 0; i < batch; ++i) EXPECT_EQ(answer.info[i], i == j ? n + 1 : 0) << "system " << i;
            std::copy_n(&expected.x[first], n, &answer.x[first]);
            EXPECT_TRUE(same_bits(answer.x, expected.x)) << "another right-hand side was changed";
            for (int64_t row : {int64_t(0), n / 2, n - 1}) {
                Systems<T> singular = bad;
                singular.dl[row] = singular.d[row] = singular.du[row] = T(0);
                const std::vector<int32_t> info = solve(singular, placing(n, batch)).info;
                EXPECT_GE(info[0], 1);
                EXPECT_LE(info[0], n);
                EXPECT_EQ(info, std::vector<int32_t>(batch, info[0]));
            }
        }
    });
}

// Poisson's equation on a ring, made nonsingular by one row
TEST_P(GtsvPivoted, HeldRing) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {3, 16, 512, 2049}) {
            Systems<T> s = make_systems<T>(n, 1, 3, {22});
            for (int64_t j = 0; j < 3; ++j) {
                s.d[s.row(j, 0)] *= Real<T>(1.25);
                Random random(5);
                fill_right_hand_side(s, j, 0, random);
            }
            expect_solved(s, placing(n, 3));
        }
    });
}

TEST_P(GtsvPivoted, AgreesWithLapackWhereTheConditionIsSmall) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {2, 6, 18, 66, 126}) {
            const std::vector<Family> of = {16, 18, 24, 27, 28, 30};
            const int64_t batch = 36;
            const Systems<T> s = make_systems<T>(n, 1, batch, of);
            const Answer<T> answer = solve(s, placing(n, batch));
            for (int64_t j = 0; j < batch; ++j) {
                const std::vector<T> x = lapack_solution(s, j, 0, is_periodic());
                EXPECT_LE(distance(&answer.x[s.entry(j, 0, 0)], x.data(), n), 1000)
                    << "n " << n << ", family " << of[j % 6];
            }
        }
    });
}

// What makes a matrix singular in exact arithmetic on its entries
enum class Flaw { row, column, parity, everything };
constexpr const char *flaw_name(Flaw flaw) {
    constexpr const char *names[] = {"zero row", "zero column", "odd with a zero diagonal", "all zero"};
    return names[int(flaw)];
}

template <class T>
void spoil(Systems<T> &s, int64_t j, Flaw flaw, int64_t k) {
    for (int64_t i = 0; i < s.n; ++i) {
        const int64_t row = s.row(j, i);
        const bool is_before = i == s.around(k - 1), is_after = i == s.around(k + 1), is_all = flaw == Flaw::everything;
        if (is_all || (flaw == Flaw::row && i == k)) s.dl[row] = s.d[row] = s.du[row] = T(0);
        if (flaw == Flaw::column && i == k) s.d[row] = T(0);
        if (flaw == Flaw::column && is_before) s.du[row] = T(0);
        if (flaw == Flaw::column && is_after) s.dl[row] = T(0);
        if (flaw == Flaw::parity) s.d[row] = T(0);
        if (flaw == Flaw::parity && i == 0) s.dl[row] = T(0);
        if (flaw == Flaw::parity && i + 1 == s.n) s.du[row] = T(0);
    }
}

TEST_P(GtsvPivoted, SingularMatricesShowAndHarmNoOther) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] :
             {std::array<int64_t, 2>{1, 5}, {2, 3}, {3, 34}, {64, 3}, {65, 34}, {131, 35}, {513, 2}, {1201, 2}}) {
            const Systems<T> good = make_systems<T>(n, 2, batch, {1, 14, 20});
            const Answer<T> expected = solve(good, placing(n, batch));
            for (Flaw flaw : {Flaw::row, Flaw::column, Flaw::parity, Flaw::everything})
                for (int64_t k : {int64_t(0), n / 2, n - 1}) {
                    if (flaw == Flaw::parity && (n % 2 == 0 || k > 0)) continue;
                    const int64_t victim = batch / 2;
                    SCOPED_TRACE(testing::Message() << flaw_name(flaw) << ' ' << k << ", n " << n << ", system "
                                                    << victim << " of " << batch);
                    Systems<T> s = good;
                    spoil(s, victim, flaw, k);
                    const Answer<T> answer = solve(s, placing(n, batch));
                    EXPECT_GE(answer.info[victim], 1);
                    EXPECT_LE(answer.info[victim], n);
                    for (int64_t j = 0; j < batch; ++j) {
                        if (j == victim) continue;
                        EXPECT_EQ(answer.info[j], 0) << "system " << j;
                        EXPECT_TRUE(same_system(s, j, answer.x, expected.x)) << "system " << j << " was changed";
                    }
                }
        }
    });
}

// Entries that are small integers leave no rounding: the zero pivot is exact.
TEST_P(GtsvPivoted, SingularIntegers) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        if (is_complex<T>) return;  // rows have random phases
        for (int64_t n : {4, 16, 64, 128, 1024, 4096})
            for (int64_t batch : {2, 33}) {
                Systems<T> s = make_systems<T>(is_periodic() ? n : n + 1, 1, batch, {24});
                const Answer<T> answer = solve(s, placing(s.n, batch));
                for (int32_t info : answer.info) EXPECT_GT(info, 0) << "n " << n;
                if (is_periodic()) continue;
                s = make_systems<T>(n, 1, batch, {22});  // Neumann conditions at both ends: singular
                for (int64_t j = 0; j < batch; ++j) s.d[s.row(j, 0)] = s.d[s.row(j, n - 1)] = T(1);
                const Answer<T> sealed = solve(s, placing(n, batch));
                const bool is_whole = GetParam().backend == XBATCH_BACKEND_HOST && (batch > 2 || n < 64);
                if (is_whole) {  // otherwise the pivots of chunks are rounded
                    for (int32_t info : sealed.info) EXPECT_EQ(info, n);
                }
            }
    });
}

TEST_P(GtsvPivoted, RowScalingByPowersOfTwoChangesNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        constexpr int most = std::numeric_limits<Real<T>>::max_exponent / 2;
        for (int64_t n : {1, 2, 33, 1000}) {
            for (int64_t batch : {4, 35}) {
                const Systems<T> s = make_systems<T>(n, 1, batch, {1, 14, 18, 20});
                Systems<T> scaled = s;
                Random random(7);
                for (int64_t k = 0; k < batch * n; ++k) {
                    const Real<T> power = std::ldexp(Real<T>(1), int(random.bits() % (2 * most)) - most);
                    scaled.dl[k] *= power, scaled.d[k] *= power, scaled.du[k] *= power, scaled.b[k] *= power;
                }
                EXPECT_TRUE(same_bits(solve(scaled, placing(n, batch)).x, solve(s, placing(n, batch)).x)) << "n " << n;
            }
        }
    });
}

// The unknowns in other units: no scaling of columns prevents elimination.
TEST_P(GtsvPivoted, ColumnScaling) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        constexpr int most = std::numeric_limits<Real<T>>::max_exponent / 4;
        for (int64_t n : {33, 300})
            for (int64_t batch : {3, 35}) {
                Systems<T> s = make_systems<T>(n, 1, batch, {1, 14, 18, 20});
                Random random(7);
                for (int64_t j = 0; j < batch; ++j)
                    for (int64_t i = 0; i < n; ++i) {
                        const Real<T> power = std::ldexp(Real<T>(1), int(random.bits() % (2 * most)) - most);
                        s.du[s.row(j, s.around(i - 1))] *= power;
                        s.d[s.row(j, i)] *= power;
                        s.dl[s.row(j, s.around(i + 1))] *= power;
                    }
                const Answer<T> answer = solve(s, placing(n, batch));
                EXPECT_EQ(answer.info, std::vector<int32_t>(batch, 0));
                for (T x : answer.x) ASSERT_TRUE(is_finite(x)) << "n " << n;
            }
    });
}

TEST_P(GtsvThreads, AnyNumberGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] :
             {std::array<int64_t, 2>{7, 2500}, {130, 133}, {600, 5}, {4096, 33}, {4097, 17}, {20000, 1}}) {
            const Systems<T> s = make_systems<T>(n, 1, batch, {1, 14, 20});
            std::vector<T> first;
            for (int threads : {1, 2, 7}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                const std::vector<T> x = solve(s, placing(n, batch)).x;
                if (first.empty()) first = x;
                EXPECT_TRUE(same_bits(x, first)) << "n " << n << ", " << threads << " threads";
            }
        }
    });
}

// One row is (dl + d + du) x = b; of two rows, both neighbours of an unknown are the other one.
TEST_P(GtsvPeriodic, OneAndTwoRows) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t batch : {1, 40}) {
            const Placing p = placing(1, batch), q = placing(2, batch);
            const std::vector<T> none(batch, T(0)), twos(batch, T(2));
            const Systems<T> one{1,
                                 1,
                                 batch,
                                 batch,
                                 std::vector<T>(batch, T(3)),
                                 std::vector<T>(batch, T(-4)),
                                 std::vector<T>(batch, T(5)),
                                 std::vector<T>(batch, T(8))};
            EXPECT_EQ(solve(one, p).x, twos);
            const Systems<T> nothing{1,
                                     1,
                                     batch,
                                     batch,
                                     std::vector<T>(batch, T(3)),
                                     std::vector<T>(batch, T(-4)),
                                     std::vector<T>(batch, T(1)),
                                     std::vector<T>(batch, T(8))};
            EXPECT_EQ(solve(nothing, p).info, std::vector<int32_t>(batch, 1));
            // 1 x_0 + (2 + 1) x_1 = 7, (4 + 4) x_0 + 8 x_1 = 24 for x = (1, 2)
            Systems<T> two{2, 1, batch, batch, {}, {}, {}, {}};
            for (int64_t j = 0; j < batch; ++j) {
                two.dl.insert(two.dl.end(), {T(1), T(4)}), two.d.insert(two.d.end(), {T(1), T(8)});
                two.du.insert(two.du.end(), {T(2), T(4)}), two.b.insert(two.b.end(), {T(7), T(24)});
            }
            const Answer<T> answer = solve(two, q);
            for (int64_t j = 0; j < batch; ++j)
                for (int64_t i = 0; i < 2; ++i)
                    EXPECT_LE(modulus(Wide<T>(answer.x[2 * j + i] - T(Real<T>(i + 1)))), 1e-6);
            EXPECT_EQ(answer.info, std::vector<int32_t>(batch, 0));
        }
    });
}

TEST_P(GtsvPivoted, ShapesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes)
            for (int64_t batch : {1, 2, 31, 32, 33, 129})
                for (int64_t nrhs : {1, 3}) {
                    const std::vector<Family> of = solvable_families<T>(n, is_periodic());
                    expect_solved(make_systems<T>(n, nrhs, batch, of, false, k), placing(n, batch, k));
                    ++k;
                }
        for (int64_t n : long_sizes)
            for (Family family : solvable_families<T>(n, is_periodic())) {
                expect_solved(make_systems<T>(n, 2, 3, {family}, false, k), placing(n, 3, k));
                ++k;
            }
    });
}

TEST_P(GtsvPivoted, BatchFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {3, 32})
            expect_solved(make_systems<T>(n, 1, 65537, {1, 14, 16, 20, 26}), placing(n, 65537, n));
        expect_solved(make_systems<T>(5001, 1, 260, {1, 16, 20, 26, 27}), placing(5001, 260));
    });
}

TEST_P(GtsvPivoted, GiantSystemFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {100003, (1 << 20) - 1, 1 << 20, (1 << 20) + 1})
            for (Family family : {1, 14, 16, 20, 26, 28}) {
                if (!is_solvable<T>(family, n, is_periodic())) continue;
                SCOPED_TRACE(testing::Message() << "family " << family);
                expect_solved(make_systems<T>(n, 1, 1, {family}), placing(n, 1, n));
            }
    });
}

std::vector<Case> periodic_cases(xbatchBackend_t backend) {
    return cases_where(backend, [](const Entry &e) { return e.is_periodic; });
}

INSTANTIATE_TEST_SUITE_P(Host, GtsvPivoted, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, true)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvPivoted, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA, true)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, GtsvThreads, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, true)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, GtsvPeriodic, testing::ValuesIn(periodic_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvPeriodic, testing::ValuesIn(periodic_cases(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
