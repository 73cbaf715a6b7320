// test_info.cpp: info means what types.h defines: 0 only if every unknown of every right-hand side is finite, the row
// of a bad pivot, n + 1 if an unknown is not finite though all pivots are good.
//
// Inf and NaN in a right-hand side; solutions beyond the range, also of a single unknown; pivots on both sides of the
// bounds of the contract; matrices whose rows, columns or entries are spread over the range and below it. No other
// system or right-hand side may change by a bit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include "support/residuals/info.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "support/fixtures/hines_cases.hpp"
#include "support/fixtures/positive.hpp"
#include "support/fixtures/vbatch.hpp"

namespace xbatch_test {
namespace {

// The solvers of tridiagonal systems under test
enum class Solver { Pscheme, Thomas, OddEven, Batch, Periodic, Positive, Lengths };

struct SolverCase {
    Solver solver;
    xbatchDataType_t type;
    xbatchLayout_t layout;
    xbatchBackend_t backend;
};
std::vector<SolverCase> solver_cases(xbatchBackend_t backend) {
    std::vector<SolverCase> cases;
    for (Solver solver : {Solver::Pscheme, Solver::Thomas, Solver::OddEven, Solver::Batch, Solver::Periodic,
                          Solver::Positive, Solver::Lengths})
        for (xbatchDataType_t type : all_types)
            for (xbatchLayout_t layout : all_layouts)
                if (solver != Solver::Lengths || layout == XBATCH_LAYOUT_FLAT)
                    cases.push_back({solver, type, layout, backend});
    return cases;
}
std::string name_of(const testing::TestParamInfo<SolverCase> &info) {
    constexpr const char *names[] = {"Pscheme", "Thomas", "OddEven", "Batch", "Periodic", "Positive", "Lengths"};
    const SolverCase &c = info.param;
    return std::string(1, letter(c.type)) + names[int(c.solver)] + layout_name(c.layout);
}

class Info : public testing::TestWithParam<SolverCase> {
protected:
    Info() : handle_(GetParam().backend) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    void expect_long_lost(const std::vector<std::array<int64_t, 2>> &shapes);
    bool is_positive() const { return GetParam().solver == Solver::Positive; }
    bool is_periodic() const { return GetParam().solver == Solver::Periodic; }
    bool scales_rows() const {
        return GetParam().solver == Solver::Lengths || GetParam().solver == Solver::Batch || is_periodic();
    }
    template <class T>
    Systems<T> make(int64_t n, int64_t nrhs, int64_t batch) const {
        if (is_positive()) return make_positive<T>(n, nrhs, batch, false, 1, 3);
        return make_systems<T>(n, nrhs, batch, {6, 18, 20});
    }
    template <class T>
    Answer<T> solve(const Systems<T> &s, int64_t k = 0) {
        const Placing p = placing(GetParam().layout, s.n, s.batch, k + k / 3);  // with info
        switch (GetParam().solver) {
            case Solver::Pscheme: return xbatch_test::solve(handle_, Algorithm::Pscheme, s, p);
            case Solver::Thomas: return xbatch_test::solve(handle_, Algorithm::Thomas, s, p);
            case Solver::OddEven: return xbatch_test::solve(handle_, Algorithm::OddEven, s, p);
            case Solver::Batch: return xbatch_test::solve(handle_, Algorithm::Batch, s, p);
            case Solver::Periodic: return xbatch_test::solve(handle_, Algorithm::PeriodicBatch, s, p);
            case Solver::Positive: return solve_positive(handle_, s, p);
            default: return solve_one_after_another(s, k);
        }
    }
    template <class T>
    static std::vector<T> side(const Systems<T> &s, const Answer<T> &answer, int64_t j, int64_t r) {
        return std::vector<T>(answer.x.begin() + s.entry(j, r, 0), answer.x.begin() + s.entry(j, r, s.n));
    }
    // The victim's right-hand side r cannot be solved; everything else is as without it.
    template <class T>
    void expect_lost_alone(const Systems<T> &bad, const Answer<T> &good, int64_t victim, int64_t r, int64_t k) {
        const Answer<T> answer = solve(bad, k);
        EXPECT_EQ(answer.info[victim], bad.n + 1);
        EXPECT_FALSE(all_finite(side(bad, answer, victim, r)));
        for (int64_t j = 0; j < bad.batch; ++j) {
            if (j != victim) {
                EXPECT_EQ(answer.info[j], 0) << "system " << j;
            }
            for (int64_t q = 0; q < bad.nrhs; ++q)
                if (j != victim || q != r) {
                    EXPECT_TRUE(same_bits(side(bad, answer, j, q), side(bad, good, j, q)))
                        << "system " << j << ", right-hand side " << q << " was changed";
                }
        }
    }

    Handle handle_;

private:
    template <class T>
    Answer<T> solve_one_after_another(const Systems<T> &s, int64_t k) {
        std::vector<Systems<T>> each;
        for (int64_t j = 0; j < s.batch; ++j) {
            Systems<T> one{s.n, s.nrhs, 1, 1, {}, {}, {}, {}};
            const auto part = [&](const std::vector<T> &all, int64_t first, int64_t count) {
                return std::vector<T>(all.begin() + first, all.begin() + first + count);
            };
            one.dl = part(s.dl, s.row(j, 0), s.n), one.d = part(s.d, s.row(j, 0), s.n);
            one.du = part(s.du, s.row(j, 0), s.n), one.b = part(s.b, s.entry(j, 0, 0), s.nrhs * s.n);
            each.push_back(one);
        }
        VBatchCall<T> call(handle_, GetParam().backend, each, Room{k % 3, k % 2});
        call.may_write_all();
        call.run();
        Answer<T> answer{XBATCH_STATUS_SUCCESS, {}, {}};
        for (int64_t j = 0; j < s.batch; ++j) {
            const std::vector<T> x = call.solution(j);
            answer.x.insert(answer.x.end(), x.begin(), x.end());
            answer.info.push_back(call.info(j));
        }
        return answer;
    }
};

TEST_P(Info, RightHandSidesThatAreNotFinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<T> numbers = numbers_not_finite<T>();
        int64_t k = 0;
        for (const auto &[n, batch] : {std::array<int64_t, 2>{1, 3}, {2, 3}, {17, 34}, {64, 5}, {513, 34}})
            for (int64_t nrhs : {1, 3}) {
                const Systems<T> s = make<T>(n, nrhs, batch);
                for (int64_t row : {int64_t(0), n / 2, n - 1}) {
                    const T wrong = numbers[size_t(k + k / 3) % numbers.size()];
                    SCOPED_TRACE(testing::Message() << wrong << " at row " << row << " of " << n << ", batch " << batch
                                                    << ", nrhs " << nrhs);
                    const Answer<T> good = solve(s, k);
                    EXPECT_EQ(good.info, std::vector<int32_t>(batch, 0));
                    Systems<T> bad = s;
                    const int64_t victim = batch / 2, r = (k + 1) % nrhs;
                    bad.b[bad.entry(victim, r, row)] = wrong;
                    expect_lost_alone(bad, good, victim, r, k++);
                }
            }
    });
}

// Chunks, clusters, tiles and segments of long systems
void Info::expect_long_lost(const std::vector<std::array<int64_t, 2>> &shapes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : shapes)
            for (int64_t nrhs : {1, 3}) {
                if (n > 5000 && GetParam().layout != XBATCH_LAYOUT_FLAT) break;
                const Systems<T> s = make<T>(n, nrhs, batch);
                const Answer<T> good = solve(s);
                for (int64_t row : {int64_t(0), n / 3, n - 1}) {
                    SCOPED_TRACE(testing::Message() << "row " << row << " of " << n << ", nrhs " << nrhs);
                    Systems<T> bad = s;
                    bad.b[bad.entry(batch - 1, nrhs - 1, row)] = numbers_not_finite<T>()[0];
                    expect_lost_alone(bad, good, batch - 1, nrhs - 1, 0);
                    if (n > 100000) break;
                }
            }
    });
}
TEST_P(Info, LongRightHandSidesThatAreNotFinite) {
    expect_long_lost({{4097, 3}, {40003, 2}});
    if (GetParam().backend == XBATCH_BACKEND_CUDA) expect_long_lost({{270001, 1}});
}
TEST_P(Info, LongRightHandSidesThatAreNotFiniteFull) { expect_long_lost({{270001, 1}}); }

// A decoupled row has an unknown beyond the range: row j of system j, except in every third system.
TEST_P(Info, OneUnknownBeyondTheRange) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {1, 5, 70, 300})
            for (int64_t nrhs : {1, 3}) {
                Systems<T> s = make<T>(n, nrhs, n);
                std::vector<int32_t> expected(n, 0);
                for (int64_t j = 0; j < n; ++j) {
                    if (j % 3 == 2) continue;
                    const int64_t k = s.row(j, j);
                    s.dl[k] = s.du[k] = T(0), s.d[k] = T(small<T>());
                    if (j > 0) s.du[k - 1] = T(0);
                    if (j + 1 < n) s.dl[k + 1] = T(0);
                    s.b[s.entry(j, j % nrhs, j)] = T(large<T>());
                    expected[j] = int32_t(n + 1);
                }
                const Answer<T> answer = solve(s);
                EXPECT_EQ(answer.info, expected) << "n " << n << ", nrhs " << nrhs;
                for (int64_t j = 0; j < n; ++j) expect_true_info(answer.info[j], n, unknowns(s, answer, j));
            }
    });
}

// x_j = 2^20 x_{j+1} is beyond the range, x_{j-1} = 2^-30 x_j is not: only x_j is not finite.
TEST_P(Info, AnUnknownBeyondTheRangeAmongOthersThatAreNot) {
    if (is_positive()) GTEST_SKIP() << "a matrix that is not symmetric";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {3, 40, 260}) {
            Systems<T> s = make<T>(n, 1, n - 1);
            for (int64_t j = 0; j + 1 < n; ++j) {
                for (int64_t i = 0; i < n; ++i) {
                    s.dl[s.row(j, i)] = s.du[s.row(j, i)] = s.b[s.entry(j, 0, i)] = T(0);
                    s.d[s.row(j, i)] = T(1);
                }
                s.du[s.row(j, j)] = T(-1 / small<T>());
                if (j > 0) s.du[s.row(j, j - 1)] = T(-std::ldexp(Real<T>(1), -30));
                s.b[s.entry(j, 0, j + 1)] = T(large<T>());
            }
            EXPECT_EQ(solve(s).info, std::vector<int32_t>(n - 1, int32_t(n + 1))) << "n " << n;
        }
    });
}

// The bounds of types.h: 2^-1022 <= |p| < 2^1022
TEST_P(Info, BoundsOfPivots) {
    if (scales_rows()) GTEST_SKIP() << "rows are scaled first";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        using R = Real<T>;
        const R least = std::numeric_limits<R>::min(), most = 1 / least;
        const std::pair<R, bool> pivots[] = {{least, true},    {std::nextafter(least, R(0)), false},
                                             {most, false},    {std::nextafter(most, R(0)), true},
                                             {R(0), false},    {std::numeric_limits<R>::denorm_min(), false},
                                             {2 * most, false}};
        for (const auto &[pivot, is_good] : pivots)
            for (bool is_imaginary : {false, true}) {
                if (is_imaginary && (is_positive() || !is_complex<T>)) continue;
                const T value = is_imaginary ? scalar<T>(0, pivot) : scalar<T>(pivot);
                for (int64_t n : {1, 5, 70, 3000}) {
                    Systems<T> s = make<T>(n, 1, 3);
                    const int64_t row = n / 2, k = s.row(1, row);
                    s.dl[k] = s.du[k] = T(0), s.d[k] = value, s.b[s.entry(1, 0, row)] = value;
                    if (row > 0) s.du[k - 1] = T(0);
                    if (row + 1 < n) s.dl[k + 1] = T(0);
                    const Answer<T> answer = solve(s);
                    const std::vector<int32_t> expected = {0, is_good ? 0 : int32_t(row + 1), 0};
                    if (n == 1 || is_good || is_positive() || GetParam().solver == Solver::Thomas) {
                        EXPECT_EQ(answer.info, expected) << value << ", n " << n;
                    }
                    EXPECT_EQ(answer.info[1] != 0, !is_good) << value << ", n " << n;
                    EXPECT_LE(answer.info[1], n) << value << ", n " << n;
                }
            }
    });
}

// In system j rows, columns, all entries, or right-hand sides are spread over the range; or the matrix is subnormal.
template <class T>
void grade(Systems<T> &s, int64_t j, bool is_positive) {
    using R = Real<T>;
    Random random(uint64_t(j) + 17);
    const R tiny = std::numeric_limits<R>::min() / 16;
    R column = graded<R>(random, 0.5), next = 1;
    for (int64_t i = 0; i < s.n; ++i, column = next) {
        T &dl = s.dl[s.row(j, i)], &d = s.d[s.row(j, i)], &du = s.du[s.row(j, i)];
        next = graded<R>(random, 0.5);
        if (is_positive) {  // D A D
            d *= j % 4 == 3 ? tiny : column * column;
            if (i + 1 < s.n) du *= j % 4 == 3 ? tiny : column * next;
            if (i + 1 < s.n) s.dl[s.row(j, i + 1)] *= j % 4 == 3 ? tiny : column * next;
        } else {
            const R row = j % 5 == 0 ? graded<R>(random, 1) : j % 5 == 3 ? tiny : R(1);
            dl *= row, d *= row, du *= row;
            if (j % 5 == 1) d *= column, du *= next;
            if (j % 5 == 1 && i + 1 < s.n) s.dl[s.row(j, i + 1)] *= column;
            if (j % 5 == 2) dl *= graded<R>(random, 1), d *= graded<R>(random, 1), du *= graded<R>(random, 1);
        }
        for (int64_t r = 0; r < s.nrhs; ++r) s.b[s.entry(j, r, i)] *= graded<R>(random, j % 3 == 0 ? 1 : 0.1);
    }
}

TEST_P(Info, NeverSolvedWithoutASolution) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const auto &[n, batch] :
             {std::array<int64_t, 2>{1, 60}, {2, 60}, {5, 200}, {33, 200}, {300, 60}, {1100, 20}, {4500, 20}})
            for (int64_t nrhs : {1, 3}) {
                Systems<T> s = is_positive() ? make_positive<T>(n, nrhs, batch)
                                             : make_systems<T>(n, nrhs, batch, {1, 6, 14, 16, 20, 26, 22});
                for (int64_t j = 0; j < batch; ++j) grade(s, j, is_positive());
                const Answer<T> answer = solve(s, k++);
                for (int64_t j = 0; j < batch; ++j) {
                    SCOPED_TRACE(testing::Message() << "n " << n << ", nrhs " << nrhs << ", system " << j);
                    expect_true_info(answer.info[j], n, unknowns(s, answer, j));
                }
            }
    });
}

class HinesInfo : public HinesOn {
protected:
    // Trees solved on chip, spilled, and by levels
    static std::vector<Parents> trees() {
        return {chain(1), chain(40), star(20), random_tree(130, 0.3), shuffled(random_tree(401, 0.2)), chain(9000)};
    }
    template <class T>
    void expect_lost_alone(const HinesSystems<T> &bad, const HinesAnswer<T> &good, int64_t victim, int64_t r) {
        const HinesAnswer<T> answer = solve(bad, placing(bad));
        const int64_t n = bad.n(victim);
        const auto side = [&](const HinesAnswer<T> &a, int64_t j, int64_t q) {
            return std::vector<T>(a.x[j].begin() + q * bad.n(j), a.x[j].begin() + (q + 1) * bad.n(j));
        };
        EXPECT_EQ(answer.info[victim], n + 1);
        EXPECT_FALSE(all_finite(side(answer, victim, r)));
        for (int64_t j = 0; j < bad.batch(); ++j) {
            if (j != victim) {
                EXPECT_EQ(answer.info[j], 0) << "system " << j;
            }
            for (int64_t q = 0; q < bad.nrhs; ++q)
                if (j != victim || q != r) {
                    EXPECT_TRUE(same_bits(side(answer, j, q), side(good, j, q)))
                        << "system " << j << ", right-hand side " << q << " was changed";
                }
        }
    }
};

TEST_P(HinesInfo, RightHandSidesThatAreNotFinite) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : trees())
            for (int64_t nrhs : {1, 3}) {
                const int64_t n = int64_t(tree.size()), batch = n < 1000 ? 19 : 2;
                if (n > 1000 && GetParam().algorithm == XBATCH_HINES_THREAD_SHARED) continue;  // does not fit
                const auto s = make_hines<T>(tree, nrhs, batch);
                const HinesAnswer<T> good = solve(s, placing(s));
                for (int64_t node : {int64_t(0), n / 2, n - 1})
                    for (const T &wrong : numbers_not_finite<T>()) {
                        SCOPED_TRACE(testing::Message()
                                     << wrong << " at node " << node << " of " << n << ", nrhs " << nrhs);
                        HinesSystems<T> bad = s;
                        bad.b[size_t(batch / 2)][size_t((nrhs - 1) * n + node)] = wrong;
                        expect_lost_alone(bad, good, batch / 2, nrhs - 1);
                        if (n > 1000) break;
                    }
            }
    });
}

TEST_P(HinesInfo, MixedAndLargeTrees) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const bool is_shared = GetParam().algorithm == XBATCH_HINES_THREAD_SHARED;  // limited to few nodes
        std::vector<Parents> trees = {random_tree(200, 0.2), chain(45), star(30)};
        if (!is_shared) trees.insert(trees.end(), {random_tree(5000, 0.1), chain(9000)});
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 20; ++j) morph.push_back(j * 7 % int32_t(trees.size()));
        for (int64_t nrhs : {1, 3}) {
            const auto s = make_mixed_hines<T>(trees, morph, nrhs);
            const HinesAnswer<T> good = solve(s, placing(s));
            for (int64_t victim = 0; victim < int64_t(trees.size()); ++victim) {
                SCOPED_TRACE(testing::Message() << "victim " << victim << ", nrhs " << nrhs);
                HinesSystems<T> bad = s;
                bad.b[size_t(victim)][size_t((nrhs - 1) * s.n(victim) + s.n(victim) / 2)] = numbers_not_finite<T>()[1];
                expect_lost_alone(bad, good, victim, nrhs - 1);
            }
        }
    });
}

// System j has an unknown beyond the range at node j, which is decoupled.
TEST_P(HinesInfo, OneUnknownBeyondTheRange) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {chain(1), chain(40), star(20), random_tree(130, 0.3), shuffled(random_tree(90, 1))})
            for (int64_t nrhs : {1, 3}) {
                const int64_t n = int64_t(tree.size());
                auto s = make_hines<T>(tree, nrhs, n);
                std::vector<int32_t> expected(size_t(n), 0);
                for (int64_t j = 0; j < n; ++j) {
                    if (j % 3 == 2) continue;
                    HinesMatrix<T> &a = s.a[size_t(j)];
                    for (int64_t i = 0; i < n; ++i)
                        if (i == j || tree[size_t(i)] == j) a.u[size_t(i)] = a.l[size_t(i)] = T(0);
                    a.d[size_t(j)] = T(small<T>());
                    s.b[size_t(j)][size_t((j % nrhs) * n + j)] = T(large<T>());
                    expected[size_t(j)] = int32_t(n + 1);
                }
                const HinesAnswer<T> answer = solve(s, placing(s));
                EXPECT_EQ(answer.info, expected) << "n " << n << ", nrhs " << nrhs;
                for (int64_t j = 0; j < n; ++j) expect_true_info(answer.info[j], n, answer.x[j]);
            }
    });
}

// A = I except x_j = 2^20 x_p(j), which is beyond the range: only node j and those below it can show it.
TEST_P(HinesInfo, AnUnknownBeyondTheRangeAmongOthersThatAreNot) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {chain(40), star(20), random_tree(130, 0.3), shuffled(random_tree(90, 1))}) {
            const int64_t n = int64_t(tree.size());
            auto s = make_hines<T>(tree, 1, n);
            std::vector<int32_t> expected(size_t(n), int32_t(n + 1));
            for (int64_t j = 0; j < n; ++j) {
                HinesMatrix<T> &a = s.a[size_t(j)];
                for (std::vector<T> *entries : {&a.u, &a.l, &s.b[size_t(j)]}) entries->assign(size_t(n), T(0));
                a.d.assign(size_t(n), T(1));
                if (is_root(tree, j)) {
                    expected[size_t(j)] = 0;
                } else {
                    a.l[size_t(j)] = T(-1 / small<T>());
                    s.b[size_t(j)][size_t(tree[size_t(j)])] = T(large<T>());
                }
            }
            EXPECT_EQ(solve(s, placing(s)).info, expected) << "n " << n;
        }
    });
}

TEST_P(HinesInfo, NeverSolvedWithoutASolution) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        using R = Real<T>;
        for (const Parents &tree : {chain(1), chain(2), chain(300), star(20), random_tree(130, 0.3), chain(4000)})
            for (int64_t nrhs : {1, 3}) {
                const int64_t batch = tree.size() > 1000 ? 12 : 120;
                auto s = make_hines<T>(tree, nrhs, batch, {Entries::not_dominant, Entries::rows});
                for (int64_t j = 0; j < s.batch(); ++j) {
                    Random random(uint64_t(j) + 5);
                    for (std::vector<T> *entries : {&s.a[j].u, &s.a[j].l, &s.a[j].d, &s.b[j]})
                        for (T &value : *entries)
                            value *= j % 4 == 3 ? std::numeric_limits<R>::min() / 16
                                                : graded<R>(random, j % 4 == 0   ? 1
                                                                    : j % 4 == 1 ? 0.5
                                                                                 : 0.1);
                }
                const HinesAnswer<T> answer = solve(s, placing(s));
                for (int64_t j = 0; j < s.batch(); ++j) {
                    SCOPED_TRACE(testing::Message() << "n " << tree.size() << ", nrhs " << nrhs << ", system " << j);
                    expect_true_info(answer.info[j], s.n(j), answer.x[j]);
                }
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Info, testing::ValuesIn(solver_cases(XBATCH_BACKEND_HOST)),
                         [](const auto &info) { return name_of(info); });
INSTANTIATE_TEST_SUITE_P(Cuda, Info, testing::ValuesIn(solver_cases(XBATCH_BACKEND_CUDA)),
                         [](const auto &info) { return name_of(info); });
INSTANTIATE_TEST_SUITE_P(Host, HinesInfo, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)),
                         [](const auto &info) { return name_of(info); });
INSTANTIATE_TEST_SUITE_P(Cuda, HinesInfo, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA)),
                         [](const auto &info) { return name_of(info); });
INSTANTIATE_TEST_SUITE_P(CudaThreads, HinesInfo, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA, true)),
                         [](const auto &info) { return name_of(info); });

}  // namespace
}  // namespace xbatch_test
