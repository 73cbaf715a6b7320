// test_gtsv_shifted.cpp: tridiagonal systems T + sigma_j W, open and periodic.
//
// First the residual, with the matrices written out: the normwise backward error is at most 32 eps, for random matrices
// and for those whose rows repeat, in which bad pivots make errors grow (test_growth.cpp). Then LAPACK's gtsv, gesv of
// dense matrices, and xgtsvBatch. Then singular members: what info says of them, and what pinning makes of them. Then
// what must not happen: a write outside B and info, a read of entries that are not used (NaN), an influence of one
// system on another, of the place in the batch, or of the number of threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "support/fixtures/forced_rows.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/fixtures/shifted.hpp"
#include "support/generators/patterns.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

struct ShiftedCase {
    xbatchBackend_t backend;
    bool is_periodic;
    xbatchDataType_t type;
    xbatchLayout_t layout;
};
std::string case_name(const testing::TestParamInfo<ShiftedCase> &info) {
    const ShiftedCase &c = info.param;
    return std::string(1, letter(c.type)) + (c.is_periodic ? "Periodic" : "Open") + layout_name(c.layout);
}
std::vector<ShiftedCase> cases_on(xbatchBackend_t backend) {
    std::vector<ShiftedCase> cases;
    for (bool is_periodic : {false, true})
        for (xbatchDataType_t type : all_types)
            for (xbatchLayout_t layout : all_layouts) cases.push_back({backend, is_periodic, type, layout});
    return cases;
}

using Shape = std::array<int64_t, 2>;  // n, batch

// Neumann conditions at both ends, or a ring: rows sum to zero, exactly
template <class T>
void make_sealed(Shifted<T> &s) {
    const auto n = size_t(s.n);
    s.dl.assign(n, T(-1)), s.d.assign(n, T(2)), s.du.assign(n, T(-1));
    if (!s.is_periodic) s.d[0] = s.d[n - 1] = T(1);
}

class ShiftedOn : public testing::TestWithParam<ShiftedCase> {
protected:
    ShiftedOn() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    bool on_host() const { return GetParam().backend == XBATCH_BACKEND_HOST; }
    bool is_periodic() const { return GetParam().is_periodic; }
    template <class T>
    Shifted<T> make(Family family, int64_t n, int64_t nrhs, int64_t batch, uint64_t seed = 1, bool has_w = true) {
        return make_shifted<T>(family, n, nrhs, batch, is_periodic(), seed, has_w);
    }
    Placing placing(int64_t n, int64_t batch, int64_t k = 0) const {
        return xbatch_test::placing(GetParam().layout, n, batch, k);
    }
    template <class T>
    Answer<T> solve(const Shifted<T> &s, int64_t k = 0) {
        return solve_shifted<T>(handle_, s, placing(s.n, s.batch, k));
    }
    template <class T>
    void expect_solved(const Shifted<T> &s, int64_t k = 0) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", k " << k);
        const Answer<T> answer = solve(s, k);
        EXPECT_LE(errors_of(s.with_matrices(), answer.x).backward, 32);
        EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch), k % 4 == 3 ? -1 : 0));
    }

    Handle handle_;
};

using ShiftedThreads = ShiftedOn;
using ShiftedGraph = ShiftedOn;

// Families that T + sigma W makes nonsingular for these random shifts, where T is
constexpr Family solvable[] = {1, 5, 6, 14, 16, 18, 19, 20, 26};

TEST_P(ShiftedOn, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes) {
            const Family family = n == 1 && is_periodic() ? 18 : solvable[size_t(k) % std::size(solvable)];
            const int64_t batch = n <= 129 ? 7 + k : k % 2 ? 33 : 3;
            expect_solved(make<T>(n % 2 ? (family == 16 ? 18 : family) : family, n, 1 + k % 3, batch, k, k % 3 > 0), k);
            ++k;
        }
        const int64_t many = GetParam().backend == XBATCH_BACKEND_HOST ? 33 : 130;
        for (int64_t n : long_sizes) {
            expect_solved(make<T>(18, n, 1, 2, k), k);
            expect_solved(make<T>(1, n, 1, k % 2 ? 19 : many, k, false), k + 1);
            ++k;
        }
    });
}

TEST_P(ShiftedOn, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {2, 3, 7, 33})
            for (const auto &[n, batch] : {Shape{1, 5}, {5, 41}, {64, 20}, {65, 35}, {513, 1}, {513, 33}})
                if (nrhs < 33 || n * batch < 3000) {
                    expect_solved(make<T>(k % 2 ? 1 : 18, n, nrhs, batch, k, k % 3 > 0), k);
                    ++k;
                }
    });
}

TEST_P(ShiftedOn, SizesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : sizes)
            for (int64_t batch : {1, 2, 15, 31, 33, 129, 300})
                for (int64_t nrhs : {1, 3}) {
                    expect_solved(make<T>(k % 3 ? 18 : 6, n, nrhs, batch, k, k % 2), k);
                    ++k;
                }
        expect_solved(make<T>(18, 3, 1, 65537, k), k);
        expect_solved(make<T>(1, 100003, 1, 3, k), k + 1);
    });
}

// T + sigma W for matrices whose rows repeat and shifts that leave them so
class ShiftedPatterns : public ShiftedOn {
protected:
    template <class T>
    void judge(xbatchHandle_t handle, const Pattern &pattern, int64_t n, int64_t batch, int64_t k) {
        const double shifts[] = {0, 1, -1, 2, -.5, 3};
        const size_t period = pattern.rows.size();
        const bool has_w = k % 2;
        const auto w = [&](size_t i) { return has_w && i % period % 2 ? 2. : 1.; };
        Shifted<T> s = make<T>(18, n, 1, batch, uint64_t(k), has_w);
        for (size_t i = 0; i < size_t(n); ++i) {
            const Row<double> &row = pattern.rows[i % period];
            s.dl[i] = T(Real<T>(row.l)), s.d[i] = T(Real<T>(row.d)), s.du[i] = T(Real<T>(row.u));
            if (has_w) s.w[i] = T(Real<T>(w(i)));
        }
        for (int64_t j = 0; j < batch; ++j) s.sigma[size_t(j)] = T(Real<T>(shifts[size_t(j + k) % 6]));
        Placing p = placing(n, batch, k);
        p.with_info = true;
        const Answer<T> answer = solve_shifted<T>(handle, s, p);
        const Systems<T> systems = s.with_matrices();
        for (int64_t j = 0; j < batch; ++j) {
            const double shift = shifts[size_t(j + k) % 6];
            SCOPED_TRACE(testing::Message() << pattern.family << " (" << pattern.rows[0].l << ", " << pattern.rows[0].d
                                            << ", " << pattern.rows[0].u << ") of period " << period << ", shift "
                                            << shift << ", n " << n << ", system " << j << " of " << batch);
            if (answer.info[size_t(j)] == 0) {
                ASSERT_LE(errors_of(systems, answer.x, j, 0).backward, 32);
                continue;
            }
            Pattern moved = pattern;
            for (size_t i = 0; i < period; ++i) moved.rows[i].d += shift * w(i);
            ASSERT_LE(ReciprocalCondition::of(moved, n, is_periodic()), 100 * double(n) * unit_roundoff<T>)
                << "info " << answer.info[size_t(j)];
        }
    }
    template <class T>
    void judge_all(const std::vector<Pattern> &patterns, const std::vector<Shape> &shapes) {
        int64_t k = 0;
        for (const Pattern &pattern : patterns) {
            const auto &[n, batch] = shapes[size_t(k) * 7 % shapes.size()];
            judge<T>(handle_, pattern, n, batch, k++);
            if (HasFatalFailure()) return;
        }
    }
};

const std::vector<Shape> shapes = {{2, 41}, {3, 5},   {5, 33},  {17, 3},  {33, 17},  {63, 7},  {64, 3},   {64, 17},
                                   {65, 9}, {100, 1}, {137, 5}, {256, 6}, {257, 33}, {513, 3}, {1000, 2}, {2051, 17}};

TEST_P(ShiftedPatterns, Repeating) {
    with_type(GetParam().type, [&](auto zero) { judge_all<decltype(zero)>(all_patterns(50), shapes); });
}
TEST_P(ShiftedPatterns, RepeatingFull) {
    with_type(GetParam().type, [&](auto zero) {
        judge_all<decltype(zero)>(all_patterns(600), {{129, 130}, {255, 65}, {1025, 33}, {4097, 7}, {5000, 20}});
    });
}

// Chunks of any number of rows
TEST_P(ShiftedPatterns, ForcedRuns) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Pattern> patterns = block_patterns();
        for (double r : {.9, 1., 1.5, 4., 7.5}) patterns.push_back({"advection", {{-r, 1, r}}});
        patterns.push_back({"constant", {{-1, 2, -1}}});
        for (int run : {2, 3, 8, 32, 128}) {
            const ForcedRows rows(run);
            const Handle handle(GetParam().backend);
            for (int chunks : {1, 2, 5})
                for (const Pattern &pattern : patterns) {
                    judge<T>(handle, pattern, run * chunks + (chunks > 1), chunks == 2 ? 17 : 6, run + chunks);
                    if (HasFatalFailure()) return;
                }
        }
    });
}

TEST_P(ShiftedOn, AgreesWithLapackAndWithMatricesWrittenOut) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{1, 5}, {2, 7}, {3, 40}, {18, 36}, {66, 5}, {126, 33}}) {
            const Shifted<T> s = make<T>(18, n, 2, batch, uint64_t(n), n % 4 > 0);
            const Systems<T> systems = s.with_matrices();
            const Answer<T> answer = solve(s);
            const Answer<T> other = xbatch_test::solve(
                handle_, is_periodic() ? Algorithm::PeriodicBatch : Algorithm::Batch, systems, placing(n, batch));
            EXPECT_EQ(answer.info, other.info);
            EXPECT_LE(distance(systems, answer.x, other.x), 100) << "n " << n;
            for (int64_t j = 0; j < batch; ++j) {
                const std::vector<T> x = lapack_solution(systems, j, 1, is_periodic());
                EXPECT_LE(distance(&answer.x[size_t(systems.entry(j, 1, 0))], x.data(), n), 100) << "n " << n;
            }
        }
    });
}

TEST_P(ShiftedOn, NoWIsTheIdentity) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{1, 3}, {5, 33}, {137, 3}, {137, 33}}) {
            Shifted<T> s = make<T>(1, n, 1, batch, 3, false);
            const Answer<T> without = solve(s);
            s.w.assign(size_t(n), T(1));
            EXPECT_TRUE(same_bits(solve(s).x, without.x)) << "n " << n;
        }
    });
}

TEST_P(ShiftedOn, OneAndTwoRows) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const auto expect_near = [](T x, double expected) {
            EXPECT_LE(modulus(Wide<T>(x) - Wide<T>(Real<T>(expected))), 1e-6);
        };
        // n = 1: 2 + sigma w, on a ring (3 + 2 + 5) + sigma w, with w = 4 and sigma = 1, such that the sum is 0, and 0
        const T sum = is_periodic() ? T(10) : T(2);
        Shifted<T> one{1, 1, 3, is_periodic(), false, {T(3)}, {T(2)}, {T(5)}, {T(4)}, {T(1), -sum / T(4), T(0)}, {}};
        one.b = {(sum + T(4)) * T(2), T(1), sum * T(3)};
        const Answer<T> loose = solve(one);
        EXPECT_EQ(loose.info, (std::vector<int32_t>{0, 1, 0}));
        expect_near(loose.x[0], 2);
        expect_near(loose.x[2], 3);
        one.is_pinned = true;
        EXPECT_EQ(solve(one).x[2], T(0));
        EXPECT_EQ(solve(one).info, (std::vector<int32_t>{0, 1, 0}));
        // n = 2, x = (1, 2), sigma = -1, w = (2, 3)
        Shifted<T> two{2, 1, 1, is_periodic(), false, {T(1), T(4)}, {T(3), T(12)}, {T(2), T(4)}, {T(2), T(3)}, {}, {}};
        two.sigma = {T(-1)}, two.b = is_periodic() ? std::vector<T>{T(7), T(26)} : std::vector<T>{T(5), T(22)};
        const Answer<T> answer = solve(two);
        for (int i = 0; i < 2; ++i) expect_near(answer.x[size_t(i)], i + 1);
        EXPECT_EQ(answer.info, std::vector<int32_t>{0});
        two.is_pinned = true, two.sigma = {T(0)}, two.b = {T(9), T(100)};  // 3 x_0 = 9, x_1 = 0
        expect_near(solve(two).x[0], 3);
        EXPECT_EQ(solve(two).x[1], T(0));
    });
}

// Small integers leave no rounding where systems are not cut: the last pivot is an exact zero. Others are not affected.
TEST_P(ShiftedOn, SingularMembersShowAndHarmNoOther) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{4, 3}, {16, 34}, {63, 3}, {64, 33}, {1024, 35}, {1024, 3}}) {
            Shifted<T> s = make<T>(18, n, 2, batch, 1, false), good = s;
            make_sealed(s), make_sealed(good);
            const int64_t victim = batch / 2;
            for (int64_t j = 0; j < batch; ++j) good.sigma[size_t(j)] = s.sigma[size_t(j)] = T(Real<T>(j % 3 + 1));
            s.sigma[size_t(victim)] = T(0);
            const Answer<T> answer = solve(s), expected = solve(good);
            const Systems<T> systems = s.with_matrices();
            SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << batch);
            const bool is_whole = on_host() && !is_periodic() && (n < 64 || batch > 32);
            if (is_whole) {
                EXPECT_EQ(answer.info[size_t(victim)], n);
            }
            EXPECT_LE(answer.info[size_t(victim)], n + 1);
            EXPECT_GE(answer.info[size_t(victim)], 0);
            for (int64_t j = 0; j < batch; ++j) {
                if (j == victim) continue;
                EXPECT_EQ(answer.info[size_t(j)], 0);
                EXPECT_TRUE(same_system(systems, j, answer.x, expected.x)) << "system " << j << " was changed";
            }
        }
    });
}

// Unequal cells: the rows of T sum to zero up to rounding. The sums of a column weighted by the cells are zero too, so
// the right-hand sides must satisfy sum h_i b_i = 0.
template <class T>
std::vector<double> make_unequal_cells(Shifted<T> &s) {
    Random random(uint64_t(s.n));
    std::vector<double> h;
    for (int64_t i = 0; i < s.n; ++i) h.push_back(1.5 + random.uniform());
    for (int64_t i = 0; i < s.n; ++i) {
        const auto cell = [&](int64_t k) { return h[size_t((k + s.n) % s.n)]; };
        const bool has_lower = s.is_periodic || i > 0, has_upper = s.is_periodic || i + 1 < s.n;
        const double lower = has_lower ? 2 / (cell(i) * (cell(i) + cell(i - 1))) : 0;
        const double upper = has_upper ? 2 / (cell(i) * (cell(i) + cell(i + 1))) : 0;
        s.dl[size_t(i)] = T(Real<T>(lower)), s.du[size_t(i)] = T(Real<T>(upper));
        s.d[size_t(i)] = T(Real<T>(-lower - upper));
    }
    for (int64_t k = 0; k < s.batch * s.nrhs; ++k) {
        Wide<T> sum = 0;
        for (int64_t i = 0; i + 1 < s.n; ++i) sum += Wide<T>(s.b[size_t(k * s.n + i)]) * Wide<T>(h[size_t(i)]);
        s.b[size_t((k + 1) * s.n - 1)] = T(-sum / Wide<T>(h.back()));
    }
    return h;
}

// A pinned system is solved, x_{n-1} is 0, and where the right-hand side is compatible the equation that was replaced
// holds too. Systems that are not pinned keep their bits.
TEST_P(ShiftedOn, PinnedMembers) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{3, 5}, {17, 34}, {64, 3}, {137, 33}, {300, 5}, {1025, 34}, {5001, 6}}) {
            SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << batch);
            Shifted<T> s = make<T>(18, n, 2, batch, uint64_t(n), n % 2);
            const std::vector<double> h = make_unequal_cells(s);
            for (int64_t j = 0; j < batch; ++j)
                s.sigma[size_t(j)] = j % 3 == 1 ? T(0) : j % 7 == 3 ? -T(0) : T(Real<T>(-.01 * double(j + 1)));
            const Answer<T> loose = solve(s);
            s.is_pinned = true;
            const Answer<T> answer = solve(s);
            const Systems<T> pinned = s.with_matrices();
            EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(batch), 0));
            EXPECT_LE(errors_of(pinned, answer.x).backward, 32);
            s.is_pinned = false;
            const Systems<T> whole = s.with_matrices();
            for (int64_t j = 0; j < batch; ++j) {
                if (s.sigma[size_t(j)] != T(0)) {
                    EXPECT_TRUE(same_system(whole, j, answer.x, loose.x)) << "system " << j << " was not to be pinned";
                    continue;
                }
                for (int64_t r = 0; r < 2; ++r) {
                    EXPECT_EQ(answer.x[size_t(whole.entry(j, r, n - 1))], T(0));
                    // The residuals of the rounded rows add up in the last equation.
                    EXPECT_LE(errors_of(whole, answer.x, j, r).backward, 8. * double(n)) << "system " << j;
                }
            }
        }
    });
}

// Nothing of a pinned system's last equation is used: solve_shifted leaves poison there.
TEST_P(ShiftedOn, AllPinned) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{2, 3}, {5, 40}, {64, 2}, {137, 33}, {513, 3}, {4097, 17}}) {
            Shifted<T> s = make<T>(18, n, 3, batch);
            make_sealed(s);
            s.sigma.assign(size_t(batch), T(0)), s.is_pinned = true;
            expect_solved(s, n);
        }
    });
}

TEST_P(ShiftedOn, Isolation) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{1, 3}, {2, 3}, {17, 34}, {64, 5}, {513, 34}, {4097, 3}}) {
            Shifted<T> good = make<T>(18, n, 2, batch);
            good.is_pinned = n % 2;
            const Answer<T> expected = solve(good);
            const int64_t victim = batch / 2;
            for (T bad : numbers_not_finite<T>())
                for (int64_t row : {int64_t(-1), int64_t(0), n / 2}) {
                    if (row + 1 == n && good.pins(victim)) continue;
                    SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << batch << ", row " << row);
                    Shifted<T> s = good;
                    if (row < 0)
                        s.sigma[size_t(victim)] = bad;
                    else
                        s.b[size_t(victim * 2 * n + row)] = bad;
                    const Answer<T> answer = solve(s);
                    EXPECT_GE(answer.info[size_t(victim)], row < 0 ? 1 : n + 1);
                    EXPECT_LE(answer.info[size_t(victim)], row < 0 ? n : n + 1);
                    const Systems<T> systems = s.with_matrices();
                    for (int64_t j = 0; j < batch; ++j) {
                        if (j == victim) continue;
                        EXPECT_EQ(answer.info[size_t(j)], 0) << "system " << j;
                        EXPECT_TRUE(same_system(systems, j, answer.x, expected.x)) << "system " << j;
                    }
                }
        }
    });
}

// Second differences, which are what pressure solvers have, with shifts down to 0: dominant, nearly singular, and
// solved for constant, smooth and random right-hand sides. Either Dirichlet conditions at one end keep sigma = 0
// nonsingular, or there are none, and sigma is small.
TEST_P(ShiftedOn, SecondDifferences) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<int64_t> rows = {16, 20, 60, 64, 128, 137, 200, 300, 512, 513, 1000, 1024, 2048};
        for (size_t k = 0; k < rows.size(); ++k) {
            const int64_t n = rows[k], batch = k % 3 == 0 ? 37 : 5;
            Shifted<T> s = make<T>(18, n, 1 + int64_t(k % 2), batch, k, k % 4 == 3);
            make_sealed(s);
            for (size_t i = 0; i < size_t(n); ++i) s.dl[i] = s.du[i] = T(1), s.d[i] = -s.d[i];
            const bool is_singular = k % 2 == 1;
            constexpr double least = 64 * unit_roundoff<T>;
            s.d[0] = T(-1), s.d[size_t(n - 1)] = T(is_singular ? -1 : -3);
            for (int64_t j = 0; j < batch; ++j) {
                const double size = is_singular  ? std::max(std::pow(10., -2. * double(j % 7)), least)
                                    : j % 5 == 0 ? 0
                                                 : std::pow(10., -double(j % 7));
                s.sigma[size_t(j)] = T(Real<T>(-4 * size));
                for (int64_t i = 0; i < s.nrhs * n; ++i) {
                    T &b = s.b[size_t(j * s.nrhs * n + i)];
                    if (j % 3 == 0) b = T(1);
                    if (j % 3 == 1) b = T(Real<T>(std::sin(3.14 * double(i % n) / double(n))));
                }
            }
            expect_solved(s, int64_t(k));
        }
    });
}

// Random walks: rows that dominate by sigma alone, with multipliers far above 1. If right-hand sides alternate, the
// unknowns are small against what elimination without interchanges passes through.
TEST_P(ShiftedOn, RandomWalks) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {300, 1000, 2048}) {
            Shifted<T> s = make<T>(18, n, 1, 7, uint64_t(n), false);
            Random random(uint64_t(n) + 1);
            for (size_t i = 0; i < size_t(n); ++i) {
                const double up = .5 + .5 * random.uniform();
                s.dl[i] = T(Real<T>(up - 1)), s.d[i] = T(1), s.du[i] = T(Real<T>(-up));
            }
            for (int64_t j = 0; j < s.batch; ++j)
                s.sigma[size_t(j)] = T(Real<T>(std::max(std::pow(100., -double(j)), 64 * unit_roundoff<T>)));
            for (int64_t i = 0; i < s.batch * n; ++i) s.b[size_t(i)] = T(i % n % 2 ? -1 : 1);
            expect_solved(s, k++);
        }
    });
}

// Systems that are dominant and others side by side: which of both its neighbours are changes no bit of a system.
TEST_P(ShiftedOn, DominantOrNotSideBySide) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{1, 40}, {5, 133}, {16, 70}, {60, 37}, {137, 70}, {410, 37}, {1000, 19}}) {
            SCOPED_TRACE(testing::Message() << "n " << n << ", batch " << batch);
            Shifted<T> s = make<T>(18, n, 1 + n / 10 % 2, batch, uint64_t(n), n % 2);
            make_sealed(s);
            const auto is_dominant = [&](int64_t j) { return j % 3 == 0 || j % 16 == 5; };
            const auto put = [&](int64_t j, bool dominant) {
                s.sigma[size_t(j)] = T(Real<T>((dominant ? .5 : -.7) + .001 * double(j)));
            };
            for (int64_t j = 0; j < batch; ++j) put(j, is_dominant(j));
            const Answer<T> both = solve(s);
            EXPECT_EQ(both.info, std::vector<int32_t>(size_t(batch), 0));
            EXPECT_LE(errors_of(s.with_matrices(), both.x).backward, 32);
            const Systems<T> systems = s.with_matrices();
            for (bool kind : {false, true}) {
                for (int64_t j = 0; j < batch; ++j) put(j, is_dominant(j) || kind == is_dominant(j % 7));
                for (int64_t j = 0; j < batch; ++j)
                    if (is_dominant(j) == kind) put(j, kind);
                const Answer<T> other = solve(s);
                for (int64_t j = 0; j < batch; ++j)
                    if (is_dominant(j) == kind) {
                        EXPECT_TRUE(same_system(systems, j, both.x, other.x)) << "system " << j;
                    }
            }
        }
    });
}

// Equal systems have equal bits wherever they are, and in batches of any size that are not cut into chunks, if the
// batch fills the SIMD lanes. In the lanes that are left over compilers may contract products in other ways.
TEST_P(ShiftedOn, PlaceInTheBatch) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        constexpr int64_t most = 320, fewer = 64;
        for (int64_t n : {1, 5, 63, 137}) {
            const Shifted<T> s = make<T>(1, n, 1, most, uint64_t(n));
            std::vector<int64_t> order;
            for (int64_t j = 0; j < most; ++j) order.push_back((j * 7 + 13) % most);
            const Answer<T> all = solve(s), turned = solve(chosen(s, order), 1);
            order.resize(fewer);
            const Answer<T> few = solve(chosen(s, order), 2);
            for (int64_t j = 0; j < most; ++j) {
                const T *expected = &all.x[size_t((j * 7 + 13) % most * n)];
                const auto same = [&](const Answer<T> &answer) {
                    return std::memcmp(&answer.x[size_t(j * n)], expected, size_t(n) * sizeof(T)) == 0;
                };
                EXPECT_TRUE(same(turned)) << "n " << n << ", system " << j;
                EXPECT_TRUE(j >= fewer || same(few)) << "n " << n << ", system " << j << " of " << fewer;
            }
        }
    });
}

TEST_P(ShiftedThreads, AnyNumberGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{7, 2501}, {130, 133}, {600, 5}, {4096, 33}, {4097, 17}, {20000, 1}}) {
            Shifted<T> s = make<T>(1, n, 1, batch);
            s.is_pinned = n % 2;
            std::vector<T> first;
            for (int threads : {1, 2, 3, 7}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                const std::vector<T> x = solve(s).x;
                if (first.empty()) first = x;
                EXPECT_TRUE(same_bits(x, first)) << "n " << n << ", " << threads << " threads";
            }
        }
    });
}

// Captured in a CUDA graph: systems that are dominant, and others, of short and long ones
TEST_P(ShiftedGraph, CapturedAndReplayed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {Shape{20, 40}, {137, 40}, {1000, 20}, {5001, 3}}) {
            Shifted<T> s = make<T>(18, n, 1, batch, uint64_t(n));
            for (int64_t j = 0; j < batch; j += 2) s.sigma[size_t(j)] = T(Real<T>(8 + .01 * double(j)));
            const Answer<T> expected = solve(s);
            ShiftedCall<T> call(handle_, s, placing(n, batch));
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

constexpr auto host = XBATCH_BACKEND_HOST, cuda = XBATCH_BACKEND_CUDA;
INSTANTIATE_TEST_SUITE_P(Host, ShiftedOn, testing::ValuesIn(cases_on(host)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, ShiftedOn, testing::ValuesIn(cases_on(cuda)), case_name);
INSTANTIATE_TEST_SUITE_P(Host, ShiftedPatterns, testing::ValuesIn(cases_on(host)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, ShiftedPatterns, testing::ValuesIn(cases_on(cuda)), case_name);
INSTANTIATE_TEST_SUITE_P(Host, ShiftedThreads, testing::ValuesIn(cases_on(host)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, ShiftedGraph, testing::ValuesIn(cases_on(cuda)), case_name);

}  // namespace
}  // namespace xbatch_test
