// test_gtsv_dominant.cpp: batches in which some matrices, or some rows of each, are diagonally dominant, where
// xgtsvBatch may eliminate without interchanges: all are solved, and no system's bits depend on the kind of the others.
// And xgtsvPscheme by the same kernels, which make no interchanges then, whatever the matrix is.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fixtures/forced_rows.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/generators/patterns.hpp"

namespace xbatch_test {
namespace {

using GtsvDominant = GtsvOn;

int64_t batch_of(int64_t n) { return 20000 / n + 3; }

constexpr Family dominant = 18, poisson = 22, scaled = 26, general = 1, oscillating = 27;

// Copies matrix and right-hand sides of system j.
template <class T>
void replace(Systems<T> &s, const Systems<T> &by, int64_t j) {
    std::copy_n(&by.dl[s.row(j, 0)], s.n, &s.dl[s.row(j, 0)]);
    std::copy_n(&by.d[s.row(j, 0)], s.n, &s.d[s.row(j, 0)]);
    std::copy_n(&by.du[s.row(j, 0)], s.n, &s.du[s.row(j, 0)]);
    std::copy_n(&by.b[s.entry(j, 0, 0)], s.n * s.nrhs, &s.b[s.entry(j, 0, 0)]);
}

// All, some or none of the matrices are dominant. Systems of one warp, of several, of a cluster; odd sizes.
TEST_P(GtsvDominant, SomeOrAll) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {33, 60, 137, 300, 513, 1025, 2100})
            for (const std::vector<Family> &of : {std::vector<Family>{dominant, scaled, poisson},
                                                  {general, dominant, oscillating, poisson},
                                                  {general, oscillating}}) {
                SCOPED_TRACE(testing::Message() << of.size() << " families, the first is " << of[0]);
                expect_solved(make_systems<T>(n, 1, batch_of(n), of, false, k), placing(n, batch_of(n), k));
                ++k;
            }
        expect_solved(make_systems<T>(100, 3, batch_of(300), {general, dominant, poisson}),
                      placing(100, batch_of(300)));
    });
}

TEST_P(GtsvDominant, OneSystemOfAnotherKindChangesNoOther) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, nrhs] : {std::array<int64_t, 2>{40, 1}, {137, 1}, {260, 2}, {700, 1}}) {
            const int64_t batch = batch_of(n * nrhs), victim = batch / 2;
            const Systems<T> all = make_systems<T>(n, nrhs, batch, {dominant, poisson});
            const Systems<T> none = make_systems<T>(n, nrhs, batch, {general, oscillating});
            for (const bool are_dominant : {true, false}) {
                SCOPED_TRACE(testing::Message() << "n " << n << ", nrhs " << nrhs << ", " << are_dominant);
                Systems<T> mixed = are_dominant ? all : none;
                const Answer<T> before = solve(mixed, placing(n, batch));
                replace(mixed, are_dominant ? none : all, victim);
                mixed.d[mixed.row(victim + 1, n / 2)] = T(std::numeric_limits<Real<T>>::quiet_NaN());
                for (int64_t i = 0; i < n; ++i) mixed.d[mixed.row(victim + 2, i)] = T(0);
                mixed.dl[mixed.row(victim + 2, n / 2)] = mixed.du[mixed.row(victim + 2, n / 2)] = T(0);
                const Answer<T> after = solve(mixed, placing(n, batch));
                for (int64_t j = 0; j < batch; ++j) {
                    if (j >= victim && j <= victim + 2) continue;
                    ASSERT_EQ(after.info[j], 0) << "system " << j;
                    ASSERT_TRUE(same_system(mixed, j, after.x, before.x)) << "system " << j << " was changed";
                }
                EXPECT_EQ(after.info[victim], 0);
                EXPECT_LE(errors_of(mixed, after.x, victim, 0).backward, 32);
                EXPECT_GT(after.info[victim + 1], 0);
                EXPECT_GE(after.info[victim + 2], 1);
                EXPECT_LE(after.info[victim + 2], n);
            }
        }
    });
}

// Rows that are not dominant between rows that are, and the converse
TEST_P(GtsvDominant, SomeRows) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {7, 25, 66, 137, 300, 515, 1027, 2200, 4500})
            for (const Family family : {dominant, scaled, poisson}) {
                Systems<T> s = make_systems<T>(n, 1, batch_of(n), {family}, false, k);
                const Systems<T> others = make_systems<T>(n, 1, batch_of(n), {general}, false, k);
                for (int64_t j = 0; j < s.batch; ++j)
                    for (int64_t i = 0; i < n; ++i) {
                        if ((i + 3 * j) % 41 > 2 && (j % 3 > 0 || i % 3 > 0)) continue;
                        const size_t at = s.row(j, i);
                        s.dl[at] = others.dl[at], s.d[at] = others.d[at], s.du[at] = others.du[at];
                    }
                SCOPED_TRACE(testing::Message() << "family " << family);
                expect_solved(s, placing(n, batch_of(n), k));
                ++k;
            }
    });
}

// Dominant matrices that are singular: info is that of the solver with pivoting.
TEST_P(GtsvDominant, SingularMembers) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        if (is_complex<T>) return;  // rows have random phases
        for (int64_t n : {64, 512, 1000}) {
            const int64_t batch = batch_of(n), step = 97;
            Systems<T> s = make_systems<T>(n, 1, batch, {dominant});
            for (int64_t j = 0; j < batch; j += step)
                for (int64_t i = 0; i < n; ++i) s.dl[s.row(j, i)] = s.du[s.row(j, i)] = s.d[s.row(j, i)] = T(0);
            const Answer<T> answer = solve(s, placing(n, batch));
            for (int64_t j = 0; j < batch; ++j) {
                if (j % step == 0)
                    EXPECT_TRUE(answer.info[j] >= 1 && answer.info[j] <= n) << answer.info[j];
                else
                    ASSERT_EQ(answer.info[j], 0) << "system " << j;
            }
        }
    });
}

// The kernels that the P-scheme takes on CUDA for many rows, for any number of them
class GtsvManyRows : private ForcedRows, public GtsvOn {
protected:
    GtsvManyRows() : ForcedRows(any_rows) {}
};

const std::vector<Family> every_dominant(std::begin(dominant_families), std::end(dominant_families));

TEST_P(GtsvManyRows, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {5, 8, 17, 33, 100, 137, 161, 200, 257, 300, 400, 513, 1000, 1101, 2049, 3100})
            for (int64_t batch : {n > 1000 ? 3 : 35, 32}) {
                expect_solved(make_systems<T>(n, 1, batch, every_dominant, false, k), placing(n, batch, k));
                ++k;
            }
        for (int64_t n : {33, 137, 300, 1101})
            expect_solved(make_barely_dominant<T>(n, 1, 32, 1, false), placing(n, 32, n));
    });
}
// A zero pivot sets info, and other systems are unaffected.
TEST_P(GtsvManyRows, ZeroPivots) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Family zeros = zero_diagonal_families[0];
        for (int64_t n : {6, 33, 137, 200, 300, 1101})
            for (int64_t k : {0, 1, 2, 3}) {
                const Systems<T> bad = make_systems<T>(n, 1, 32, {6, zeros, 20}),
                                 good = make_systems<T>(n, 1, 32, {6, 18, 20});
                const Answer<T> answer = solve(bad, placing(n, 32, k)), expected = solve(good, placing(n, 32, k));
                if (!placing(n, 32, k).with_info) continue;
                for (int64_t j = 0; j < 32; ++j) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", system " << j);
                    if (j % 3 == 1) {
                        EXPECT_GT(answer.info[j], 0);
                    } else {
                        EXPECT_EQ(answer.info[j], 0);
                        EXPECT_TRUE(same_system(bad, j, answer.x, expected.x)) << "changed by its neighbours";
                    }
                }
            }
    });
}

std::vector<Case> open_cases(xbatchBackend_t backend) {
    return cases_where(backend, [](const Entry &e) { return e.is_pivoted && !e.is_periodic; });
}
INSTANTIATE_TEST_SUITE_P(Host, GtsvDominant, testing::ValuesIn(open_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvDominant, testing::ValuesIn(open_cases(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GtsvManyRows,
                         testing::ValuesIn(cases_where(XBATCH_BACKEND_CUDA,
                                                       [](const Entry &e) { return e.solve == xgtsvPscheme; })),
                         name_of);

}  // namespace
}  // namespace xbatch_test
