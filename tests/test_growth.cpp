// test_growth.cpp: the accuracy of the pivoting solvers depends neither on patterns in the matrix nor on the number of
// rows in a chunk.
//
// In matrices whose rows repeat, as those of constant coefficients, bad pivots make errors grow exponentially with the
// rows of a chunk; random matrices do not show it. The normwise backward error ||Ax - b|| / (||A|| ||x|| + ||b||) must
// be at most 32 eps for all of them, whatever their condition; info is above 0 only if the matrix is singular to
// working precision. Chunks are forced to 2 … 64 rows (the host takes 20, a GPU at most 41), and their tree to 0 … 10
// levels.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "support/fixtures/factor.hpp"
#include "support/fixtures/forced_rows.hpp"
#include "support/fixtures/gtsv_cases.hpp"
#include "support/fixtures/vbatch.hpp"
#include "support/generators/patterns.hpp"

namespace xbatch_test {
namespace {

constexpr double bound = 32, expected = 5;

constexpr auto case_name = [](const auto &info) { return name_of(info); };

// Backward errors of many systems
struct Tally {
    int64_t systems = 0, beyond_expected = 0, refused = 0;
    long double worst = 0;

    void note(long double error) {
        ++systems;
        beyond_expected += !(error <= expected);
        worst = worse(worst, error);
    }
};

class Patterns : public GtsvOn {
protected:
    // Solves a batch of a pattern. A system with info > 0 must be singular to working precision, all others accurate.
    template <class T>
    void judge(xbatchHandle_t handle, const Pattern &pattern, int64_t n, int64_t batch, Placing p, Tally &tally) {
        SCOPED_TRACE(testing::Message() << pattern.family << " (" << pattern.rows[0].l << ", " << pattern.rows[0].d
                                        << ", " << pattern.rows[0].u << ") of period " << pattern.rows.size() << ", n "
                                        << n << ", batch " << batch);
        p.with_info = true;
        const Systems<T> s = xbatch_test::make_systems<T>(pattern, n, batch, is_periodic());
        const Answer<T> answer = xbatch_test::solve(handle, GetParam().algorithm, s, p);
        for (int64_t j = 0; j < batch; ++j) {
            if (answer.info[j] == 0) {
                const long double error = errors_of(s, answer.x, j, 0).backward;
                tally.note(error);
                ASSERT_LE(error, bound) << "system " << j;
            } else {
                ++tally.refused;
                ASSERT_LE(ReciprocalCondition::of(pattern, n, is_periodic()), 100 * double(n) * unit_roundoff<T>)
                    << "info " << answer.info[j] << " of system " << j;
            }
        }
    }

    template <class T>
    void judge_all(const std::vector<Pattern> &patterns, const std::vector<std::array<int64_t, 2>> &shapes,
                   size_t shapes_each) {
        std::map<std::string, Tally> families;
        size_t k = 0;
        for (const Pattern &pattern : patterns)
            for (size_t c = 0; c < shapes_each; ++c, ++k) {
                const auto &[n, batch] = shapes[k * 7 % shapes.size()];
                judge<T>(handle_, pattern, n, batch, placing(n, batch, int64_t(k)), families[pattern.family]);
                if (HasFatalFailure()) return;
            }
        for (const auto &[name, tally] : families)
            std::printf("| %s | %s | %lld | %.1f | %lld | %lld |\n",
                        name_of(testing::TestParamInfo<Case>(GetParam(), 0)).c_str(), name.c_str(),
                        (long long)tally.systems, double(tally.worst), (long long)tally.beyond_expected,
                        (long long)tally.refused);
    }
};

// On both sides of the sizes at which backends switch: whole systems and chunks, warps, blocks, clusters, segments
const std::vector<std::array<int64_t, 2>> quick_shapes = {
    {2, 40},  {3, 5},   {5, 33},  {17, 3},   {33, 17}, {63, 2},  {64, 3},   {64, 17},  {65, 9},
    {100, 1}, {137, 5}, {256, 2}, {257, 33}, {512, 1}, {513, 3}, {1000, 2}, {1023, 1}, {2051, 1}};
const std::vector<std::array<int64_t, 2>> full_shapes = {
    {2, 700},   {31, 257}, {64, 15},   {64, 16},  {129, 130}, {255, 65},  {509, 40},  {1025, 33}, {2048, 17},
    {4096, 16}, {4097, 7}, {5000, 20}, {8193, 2}, {17409, 1}, {20000, 3}, {40000, 2}, {100000, 1}};

TEST_P(Patterns, Repeating) {
    with_type(GetParam().type, [&](auto zero) { judge_all<decltype(zero)>(all_patterns(50), quick_shapes, 1); });
}
// Numbers whose reciprocals are rounded: an error that is the same in each row must not add up over a chunk. For odd n
// these matrices are singular or, on a ring, nearly so.
TEST_P(Patterns, RoundedReciprocals) {
    std::vector<Pattern> patterns;
    for (double a : {2.5, .7, 3.})
        for (double u : {-a, a}) patterns.push_back({"rounded", {{a, 0, u}}});
    const std::vector<std::array<int64_t, 2>> shapes = {{33, 3},   {34, 40},  {129, 2},   {255, 17}, {1000, 3},
                                                        {1001, 1}, {4001, 1}, {20000, 1}, {20001, 1}};
    with_type(GetParam().type, [&](auto zero) { judge_all<decltype(zero)>(patterns, shapes, shapes.size()); });
}
TEST_P(Patterns, Neutral) {
    const std::vector<std::array<int64_t, 2>> shapes = {{62, 3},   {78, 1},   {301, 64}, {545, 64}, {742, 4},
                                                        {1000, 4}, {1001, 1}, {2004, 3}, {4097, 5}};
    with_type(GetParam().type,
              [&](auto zero) { judge_all<decltype(zero)>(neutral_patterns(), shapes, shapes.size()); });
}
TEST_P(Patterns, RepeatingFull) {
    with_type(GetParam().type, [&](auto zero) {
        judge_all<decltype(zero)>(all_patterns(600), quick_shapes, 3);
        judge_all<decltype(zero)>(all_patterns(200), full_shapes, 1);
    });
}

// The same accuracy for any number of rows in a chunk, and of levels in the tree of chunks
class Growth : public Patterns {
protected:
    template <class T>
    void judge_runs(const std::vector<Pattern> &patterns, const std::vector<int> &runs, const std::vector<int> &levels,
                    int64_t most_rows) {
        for (int run : runs) {
            const std::unique_ptr<Handle> handle = forced_to(run);
            Tally tally;
            for (int level : levels) {
                const int64_t n = (int64_t(run) << level) + (level > 0);
                if (n < 2 || n > most_rows) continue;
                for (const Pattern &pattern : patterns) {
                    judge<T>(*handle, pattern, n, level == 1 ? 17 : 1, placing(n, level == 1 ? 17 : 1, run + level),
                             tally);
                    if (HasFatalFailure()) return;
                }
            }
            std::printf("| %s | %d | %lld | %.1f | %lld |\n",
                        name_of(testing::TestParamInfo<Case>(GetParam(), 0)).c_str(), run, (long long)tally.systems,
                        double(tally.worst), (long long)tally.beyond_expected);
        }
    }
    // A handle whose pivoting solvers use chunks of `run` rows
    std::unique_ptr<Handle> forced_to(int run) const {
        const ForcedRows rows(run);
        return std::make_unique<Handle>(GetParam().backend);
    }
    std::vector<int> runs() const {
        if (GetParam().backend == XBATCH_BACKEND_CUDA) return {2, 4, 8, 16, 32, 48};
        return {2, 3, 4, 8, 16, 20, 32, 48, 64};
    }
};

TEST_P(Growth, ForcedRuns) {
    with_type(GetParam().type, [&](auto zero) {
        std::vector<Pattern> patterns = block_patterns();
        for (double r : {.9, 1., 1.5, 4., 7.5}) patterns.push_back({"advection", {{-r, 1, r}}});
        patterns.push_back({"advection", {{1, 1, -1}}});
        patterns.push_back(random_signs(4099, 7));
        judge_runs<decltype(zero)>(patterns, runs(), {0, 1, 4}, 5000);
    });
}
TEST_P(Growth, ForcedRunsFull) {
    with_type(GetParam().type, [&](auto zero) {
        judge_runs<decltype(zero)>(all_patterns(60), runs(), {0, 1, 3, 6, 10}, 20000);
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Patterns, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, true)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, Patterns, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA, true)), case_name);
INSTANTIATE_TEST_SUITE_P(Host, Growth, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST, true)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, Growth, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA, true)), case_name);

// The solvers of other routines on the same matrices
class PatternsElsewhere : public testing::TestWithParam<FactorCase> {
protected:
    PatternsElsewhere() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    template <class T>
    void judge(const Pattern &pattern, int64_t n) {
        if (ReciprocalCondition::of(pattern, n, false) <= 100 * double(n) * unit_roundoff<T>) return;
        SCOPED_TRACE(testing::Message() << pattern.family << " (" << pattern.rows[0].l << ", " << pattern.rows[0].d
                                        << ", " << pattern.rows[0].u << ") of period " << pattern.rows.size() << ", n "
                                        << n);
        const Systems<T> s = xbatch_test::make_systems<T>(pattern, n, 3, false);
        const Placing p = placing(GetParam().layout, n, 3, n);
        ASSERT_LE(errors_of(s, Factored<T>(handle_, s, p).solve()).backward, bound) << "gttrs";
        if (GetParam().layout != XBATCH_LAYOUT_FLAT) return;
        const std::vector<Systems<T>> one = {xbatch_test::make_systems<T>(pattern, n, 1, false)};
        VBatchCall<T> call(handle_, GetParam().backend, one);
        call.may_write_all();
        call.run();
        ASSERT_LE(errors_of(one[0], call.solution(0)).backward, bound) << "VBatch";
    }

    Handle handle_;
};

TEST_P(PatternsElsewhere, Repeating) {
    with_type(GetParam().type, [&](auto zero) {
        int64_t k = 0;
        for (const Pattern &pattern : all_patterns(50)) {
            const int64_t sizes[] = {5, 33, 64, 100, 257, 513, 1000, 2051};
            judge<decltype(zero)>(pattern, sizes[++k % 8]);
            if (HasFatalFailure()) return;
        }
    });
}

TEST_P(PatternsElsewhere, Neutral) {
    with_type(GetParam().type, [&](auto zero) {
        for (const Pattern &pattern : neutral_patterns())
            for (int64_t n : {62, 301, 1000, 2051, 5935}) {
                judge<decltype(zero)>(pattern, n);
                if (HasFatalFailure()) return;
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, PatternsElsewhere, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_HOST)), case_name);
INSTANTIATE_TEST_SUITE_P(Cuda, PatternsElsewhere, testing::ValuesIn(factor_cases_of(XBATCH_BACKEND_CUDA)), case_name);

}  // namespace
}  // namespace xbatch_test
