// test_once.cpp: a matrix that is eliminated once for many right-hand sides.
//
// All systems share one matrix, or a few matrices have many right-hand sides. The normwise backward error is at most 32
// eps, as with a matrix each, and info the same for all systems. Matrices are random, smooth, constant or periodic. A
// right-hand side that is not finite changes no other, and on the host the number of threads no bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>

#include "support/fixtures/forced_rows.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/fixtures/positive.hpp"
#include "support/generators/patterns.hpp"

namespace xbatch_test {
namespace {

struct Shape {
    int64_t n, nrhs, batch;
};
// Around the sizes at which lanes become right-hand sides, and systems are cut into chunks
const std::vector<Shape> shapes = {{1, 1, 40},   {1, 19, 1},   {2, 1, 17},   {2, 35, 3},   {3, 3, 70},
                                   {3, 33, 1},   {17, 1, 16},  {31, 5, 5},   {33, 2, 33},  {63, 17, 2},
                                   {64, 1, 300}, {65, 7, 3},   {65, 21, 1},  {100, 1, 9},  {121, 3, 6},
                                   {137, 3, 65}, {137, 40, 7}, {257, 1, 35}, {300, 1, 5},  {513, 37, 2},
                                   {17, 8, 70},  {47, 1, 203}, {150, 9, 1},  {193, 5, 33}, {5, 2, 131}};
const std::vector<Shape> long_shapes = {{1000, 1, 33}, {1000, 33, 1}, {4097, 17, 1}, {4100, 1, 17}};
const std::vector<Shape> full_shapes = {{1000, 1, 270}, {1000, 130, 1}, {4096, 1, 17},  {5001, 3, 7},
                                        {5001, 1, 140}, {9000, 33, 2},  {9000, 150, 3}, {33000, 1, 17}};

// Enough right-hand sides for LU factors by rows, on CUDA
const std::vector<Shape> wide_shapes = {{1, 1, 16391},  {2, 20000, 1}, {7, 1, 20011},   {10, 1, 20000}, {33, 129, 128},
                                        {64, 1, 16640}, {65, 3, 8000}, {137, 1, 16411}, {300, 2, 8200}};

// The same systems with a matrix each
template <class T>
Systems<T> apart(const Systems<T> &s) {
    Systems<T> each = s;
    each.sets = s.batch;
    for (int64_t j = 1; j < s.batch; ++j)
        for (auto [all, one] : {std::pair(&each.dl, &s.dl), {&each.d, &s.d}, {&each.du, &s.du}})
            all->insert(all->end(), one->begin(), one->end());
    return each;
}
// Its right-hand sides as those of one system, or of a system each
template <class T>
Systems<T> regrouped(const Systems<T> &s) {
    Systems<T> other = s;
    other.nrhs = s.nrhs > 1 ? 1 : s.batch, other.batch = s.nrhs * s.batch / other.nrhs;
    return other;
}

template <class T>
Systems<T> with_right_hand_sides(Systems<T> s, const Shape &shape) {
    s.nrhs = shape.nrhs, s.batch = shape.batch, s.sets = 1;
    s.b.resize(size_t(s.n * s.nrhs * s.batch));
    Random random(uint64_t(s.n + s.nrhs));
    for (T &b : s.b) b = random.unit<T>();
    return s;
}

class Once : public GtsvOn {
protected:
    bool is_pivoted() const { return entry(GetParam().algorithm).is_pivoted; }

    // All right-hand sides are solved for accurately. If `may_fail`, that is so for those with info 0.
    template <class T>
    void expect_accurate(const Systems<T> &s, int64_t k, bool may_fail) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", matrices "
                                        << s.sets);
        Placing p = placing(s.n, s.batch, k);
        p.with_info = true;
        const Answer<T> answer = solve(s, p);
        for (int64_t j = 0; j < s.batch; ++j) {
            const int32_t info = answer.info[size_t(j)], first = answer.info[0];
            for (int64_t r = 0; r < s.nrhs && info == 0; ++r)
                ASSERT_LE(errors_of(s, answer.x, j, r).backward, 32) << "system " << j << ", right-hand side " << r;
            if (!may_fail) {
                ASSERT_EQ(info, 0) << "system " << j;
            } else if (s.sets == 1) {  // solutions may be beyond the range
                ASSERT_TRUE(info == first || (info % (s.n + 1) == 0 && first % (s.n + 1) == 0)) << "system " << j;
            }
        }
    }
    // A right-hand side with a number that is not finite is lost, and info says so; no other changes.
    template <class T>
    void expect_lost_alone(const Systems<T> &good, T wrong) {
        SCOPED_TRACE(testing::Message() << "n " << good.n << ", nrhs " << good.nrhs << ", batch " << good.batch
                                        << ", matrices " << good.sets);
        const Answer<T> expected = solve(good, placing(good.n, good.batch));
        Systems<T> bad = good;
        const int64_t j = good.batch / 2, r = good.nrhs - 1, first = good.entry(j, r, 0);
        bad.b[size_t(good.entry(j, r, good.n / 2))] = wrong;
        Answer<T> answer = solve(bad, placing(good.n, good.batch));
        for (int64_t i = 0; i < good.batch; ++i)
            EXPECT_EQ(answer.info[size_t(i)], i == j ? good.n + 1 : 0) << "system " << i;
        EXPECT_FALSE(
            std::all_of(&answer.x[size_t(first)], &answer.x[size_t(first)] + good.n, [](T x) { return is_finite(x); }));
        std::copy_n(&expected.x[size_t(first)], good.n, &answer.x[size_t(first)]);
        EXPECT_TRUE(same_bits(answer.x, expected.x)) << "another right-hand side was changed";
    }
    // The systems as they are, with a matrix each, and grouped otherwise
    template <class T>
    void judge(const Systems<T> &s, int64_t k, bool may_fail = false) {
        expect_accurate(s, k, may_fail);
        expect_accurate(apart(s), k, may_fail);
        expect_accurate(regrouped(s), 0, may_fail);
    }
    template <class T>
    void judge_shapes(const std::vector<Shape> &some) {
        int64_t k = 0;
        for (const Shape &shape : some) {
            const Family family = is_pivoted() ? std::array<Family, 4>{1, 14, 16, 20}[size_t(k % 4)] : 6;
            judge(make_systems<T>(shape.n, shape.nrhs, shape.batch, {family}, true, uint64_t(k)), k);
            ++k;
        }
    }
    // Every step-th pattern. Without pivoting its rows are made dominant; otherwise a matrix that fails must be
    // singular to working precision.
    template <class T>
    void judge_patterns(int64_t step) {
        int64_t k = 0;
        for (Pattern pattern : all_patterns(100)) {
            if (++k % step != 0) continue;
            for (Row<double> &row : pattern.rows)
                if (!is_pivoted()) row.d = 1.25 * (std::fabs(row.l) + std::fabs(row.u)) + .5;
            const Shape &shape = shapes[size_t(7 * k / step % int64_t(shapes.size()))];
            SCOPED_TRACE(testing::Message() << pattern.family << ", " << k);
            const bool may_fail = is_pivoted() && ReciprocalCondition::of(pattern, shape.n, is_periodic()) <=
                                                      100 * double(shape.n) * unit_roundoff<T>;
            judge(with_right_hand_sides(xbatch_test::make_systems<T>(pattern, shape.n, 1, is_periodic()), shape), k,
                  may_fail);
        }
    }
};

TEST_P(Once, AsWithAMatrixEach) {
    with_type(GetParam().type, [&](auto zero) {
        judge_shapes<decltype(zero)>(shapes);
        judge_shapes<decltype(zero)>(long_shapes);
    });
}
TEST_P(Once, AsWithAMatrixEachFull) {
    with_type(GetParam().type, [&](auto zero) { judge_shapes<decltype(zero)>(full_shapes); });
}

TEST_P(Once, ManyRightHandSides) {
    if (GetParam().backend != XBATCH_BACKEND_CUDA) GTEST_SKIP() << "of CUDA";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Shape &shape : wide_shapes) {
            const Family family = is_pivoted() ? std::array<Family, 4>{1, 14, 16, 20}[size_t(k % 4)] : 6;
            expect_accurate(make_systems<T>(shape.n, shape.nrhs, shape.batch, {family}, true, uint64_t(k)), k, false);
            ++k;
        }
        for (const Pattern &pattern : all_patterns(100)) {
            if (++k % 40 != 0 || !is_pivoted()) continue;
            SCOPED_TRACE(testing::Message() << pattern.family << ", " << k);
            const Shape shape = {33 + k % 32, 1, 16400};
            const bool may_fail =
                ReciprocalCondition::of(pattern, shape.n, is_periodic()) <= 100 * double(shape.n) * unit_roundoff<T>;
            expect_accurate(
                with_right_hand_sides(xbatch_test::make_systems<T>(pattern, shape.n, 1, is_periodic()), shape), 0,
                may_fail);
        }
    });
}

TEST_P(Once, RowsThatRepeat) {
    with_type(GetParam().type, [&](auto zero) { judge_patterns<decltype(zero)>(is_pivoted() ? 5 : 20); });
}
TEST_P(Once, RowsThatRepeatFull) {
    with_type(GetParam().type, [&](auto zero) { judge_patterns<decltype(zero)>(1); });
}
TEST_P(Once, ARightHandSideThatIsNotFinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Real<T> nan = std::numeric_limits<Real<T>>::quiet_NaN(), inf = std::numeric_limits<Real<T>>::infinity();
        for (const auto &some : {shapes, {Shape{4100, 1, 33}, Shape{21, 1, 16411}}})
            for (const Shape &shape : some) {
                const Systems<T> one = make_systems<T>(shape.n, shape.nrhs, shape.batch, {6}, true);
                expect_lost_alone(one, T(shape.n % 2 ? nan : inf));
                if (shape.nrhs > 1) expect_lost_alone(apart(one), T(shape.n % 2 ? inf : nan));
            }
    });
}

TEST_P(Once, SingularMatrices) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Shape &shape : shapes)
            for (int64_t row : {int64_t(0), shape.n / 2, shape.n - 1}) {
                Systems<T> s = make_systems<T>(shape.n, shape.nrhs, shape.batch, {is_pivoted() ? 16 : 6}, true);
                s.dl[size_t(row)] = s.d[size_t(row)] = s.du[size_t(row)] = T(0);
                const Answer<T> answer = solve(s, placing(s.n, s.batch));
                EXPECT_GE(answer.info[0], 1);
                EXPECT_LE(answer.info[0], s.n);
                EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch), answer.info[0]));
                if (!is_pivoted()) continue;  // the first bad pivot depends on the order of elimination
                EXPECT_EQ(answer.info, solve(apart(s), placing(s.n, s.batch)).info);
            }
    });
}

TEST_P(Once, AnyNumberOfThreadsGivesTheSameBits) {
    if (GetParam().backend != XBATCH_BACKEND_HOST) GTEST_SKIP() << "of the host";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Shape &shape : {Shape{300, 1, 300}, {300, 150, 2}, {4100, 1, 35}, {1000, 30, 3}}) {
            const Systems<T> s = make_systems<T>(shape.n, shape.nrhs, shape.batch, {6}, true);
            std::vector<T> first;
            for (int threads : {1, 2, 7}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                const std::vector<T> x = solve(s, placing(s.n, s.batch)).x;
                if (first.empty()) first = x;
                EXPECT_TRUE(same_bits(x, first)) << "n " << s.n << ", " << threads << " threads";
            }
        }
    });
}

TEST_P(Once, SeveralRightHandSidesOfEach) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Family> of =
            is_pivoted() ? std::vector<Family>{1, 14, 16, 20} : std::vector<Family>{6, 18, 20};
        int64_t k = 0;
        for (const Shape &shape :
             {Shape{1, 2, 33}, {2, 3, 17},   {3, 33, 5},   {5, 2, 70},   {16, 4, 33},   {31, 5, 21},
              {33, 8, 19},     {64, 17, 3},  {65, 7, 9},   {100, 8, 37}, {129, 2, 18},  {137, 3, 40},
              {137, 9, 33},    {200, 5, 19}, {255, 4, 17}, {300, 9, 17}, {300, 20, 15}, {513, 4, 5},
              {1000, 6, 3},    {1021, 8, 2}, {2047, 3, 2}, {4097, 5, 3}, {4100, 16, 2}})
            expect_accurate(make_systems<T>(shape.n, shape.nrhs, shape.batch, of), k++, false);
    });
}

// The same for positive definite matrices and stored factors
class FactorsOnce : public testing::TestWithParam<FactorCase> {
protected:
    FactorsOnce() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    Placing placing(int64_t n, int64_t batch, int64_t k) {
        Placing p = xbatch_test::placing(GetParam().layout, n, batch, k);
        p.with_info = true;
        return p;
    }
    template <class T>
    void judge(const Systems<T> &s, const std::vector<T> &x) {
        SCOPED_TRACE(testing::Message() << "n " << s.n << ", nrhs " << s.nrhs << ", batch " << s.batch << ", matrices "
                                        << s.sets);
        EXPECT_LE(errors_of(s, x).backward, 32);
    }

    Handle handle_;
};

TEST_P(FactorsOnce, AsWithAMatrixEach) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Shape &shape : shapes)
            for (xbatchOperation_t op : all_operations) {
                const Family family = std::array<Family, 4>{1, 14, 16, 20}[size_t(k % 4)];
                const Systems<T> one = make_systems<T>(shape.n, shape.nrhs, shape.batch, {family}, true, uint64_t(k)),
                                 each = apart(one);
                const Systems<T> turned = with_operation(one, op);
                const Placing p = placing(one.n, one.batch, k++);
                for (Systems<T> s : {one, each}) {
                    Factored<T> factors(handle_, s, p);
                    s.b = turned.b;
                    judge(turned, factors.solve(op, s));
                }
            }
    });
}

TEST_P(FactorsOnce, PositiveDefinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const auto &some : {shapes, long_shapes})
            for (const Shape &shape : some) {
                const Systems<T> one =
                                     make_positive<T>(shape.n, shape.nrhs, shape.batch, true, uint64_t(k), int(k % 6)),
                                 each = apart(one);
                const Placing p = placing(one.n, one.batch, k++);
                for (const Systems<T> &s : {one, each}) {
                    const Answer<T> answer = solve_positive(handle_, s, p);
                    judge(s, answer.x);
                    EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch), 0));
                    judge(s, FactoredPositive<T>(handle_, s, p).solve());
                }
            }
    });
}

// One matrix by the pivoting solver, which large batches take on CUDA (ptsv_cuda.cu), and each by itself; in real types
// of every family
TEST_P(FactorsOnce, PositiveDefiniteByPivoting) {
    if (GetParam().backend == XBATCH_BACKEND_HOST) GTEST_SKIP() << "of CUDA";
    const ForcedRows rows(any_rows);
    Handle handle(GetParam().backend);
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Shape &shape : {Shape{1, 6, 12},
                                   {2, 1, 70},
                                   {65, 1, 80},
                                   {137, 40, 2},
                                   {257, 66, 1},
                                   {300, 7, 5},
                                   {300, 1, 80},
                                   {340, 9, 17},
                                   {513, 6, 3},
                                   {1000, 8, 2},
                                   {1000, 16, 5},
                                   {1021, 1, 70},
                                   {2047, 6, 3},
                                   {2048, 33, 2},
                                   {4000, 7, 2}})
            for (int family = 0; family < positive_families; ++family) {
                if (is_complex<T> && family != shape.n % positive_families) continue;
                Systems<T> one = make_positive<T>(shape.n, shape.nrhs, shape.batch, true, uint64_t(k), family);
                Systems<T> each = apart(one);
                const Placing p = placing(one.n, one.batch, k++);
                std::vector<int32_t> info(size_t(one.batch), 0);
                for (const Systems<T> &s : {one, each}) {
                    const Answer<T> answer = solve_positive(handle, s, p);
                    judge(s, answer.x);
                    EXPECT_EQ(answer.info, info);
                    judge(s, FactoredPositive<T>(handle, s, p).solve());
                }
                const int64_t row = k * 7 % one.n, j = one.batch - 1;
                const std::vector<T> expected = solve_positive(handle, each, p).x;
                one.d[size_t(row)] = each.d[size_t(j * one.n + row)] = -one.d[size_t(row)];
                info[size_t(j)] = int32_t(row + 1);
                const Answer<T> answer = solve_positive(handle, each, p);
                EXPECT_EQ(answer.info, info) << "n " << one.n << ", family " << family;
                EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + one.entry(j, 0, 0), answer.x.begin()))
                    << "another system was changed";
                EXPECT_EQ(solve_positive(handle, one, p).info,
                          std::vector<int32_t>(size_t(one.batch), int32_t(row + 1)))
                    << "n " << one.n << ", family " << family;
            }
    });
}

TEST_P(FactorsOnce, ManyRightHandSides) {
    if (GetParam().backend != XBATCH_BACKEND_CUDA) GTEST_SKIP() << "of CUDA";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Shape &shape : wide_shapes) {
            Systems<T> s = make_positive<T>(shape.n, shape.nrhs, shape.batch, true, uint64_t(k), int(k % 6));
            const Placing p = placing(s.n, s.batch, k++);
            const Answer<T> answer = solve_positive(handle_, s, p);
            judge(s, answer.x);
            EXPECT_EQ(answer.info, std::vector<int32_t>(size_t(s.batch), 0));
            judge(s, FactoredPositive<T>(handle_, s, p).solve());
            const int64_t row = s.n / 2;
            s.d[size_t(row)] = -s.d[size_t(row)];
            EXPECT_EQ(solve_positive(handle_, s, p).info, std::vector<int32_t>(size_t(s.batch), int32_t(row + 1)));
        }
    });
}

constexpr auto case_name = [](const auto &info) { return name_of(info); };
INSTANTIATE_TEST_SUITE_P(Host, Once, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, Once, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), case_name);
INSTANTIATE_TEST_SUITE_P(Host, FactorsOnce, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_HOST)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, FactorsOnce, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), case_name);

}  // namespace
}  // namespace xbatch_test
