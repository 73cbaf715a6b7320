// test_hines_factor.cpp: factors of Hines systems and solves with them.
//
// First the residual: on every tree, for dominant matrices and op(A) = A, A^T, A^H, one matrix for each system or for
// each morphology, the componentwise backward error max_i |b - op(A) x|_i / (|op(A)| |x| + |b|)_i is at most 10 eps.
// Then the same bits for every layout, batch, place, run, number of threads and replay of a graph, and on CUDA those of
// xhinesBatch for systems with a matrix each. Then what must not happen: an influence of one matrix on another, the use
// of factors of another shape.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "support/fixtures/hines_factor.hpp"

namespace xbatch_test {
namespace {

class HinesFactor : public HinesOn {
protected:
    template <class T>
    using Solutions = std::vector<std::vector<T>>;

    template <class T>
    Solutions<T> factor_and_solve(const HinesSystems<T> &s, HinesPlacing p, xbatchOperation_t op = XBATCH_OP_N) {
        const auto own = plan(s, int(p.shift % 2));
        HinesFactored<T> factored(handle_, *own, s, p);
        return factored.solve(op);
    }
    template <class T>
    void expect_factored(const HinesSystems<T> &s, HinesPlacing p, const std::vector<xbatchOperation_t> &ops) {
        SCOPED_TRACE(testing::Message() << s.trees.size() << " trees, the first of " << s.trees[0].size()
                                        << " nodes; nrhs " << s.nrhs << ", batch " << s.batch() << ", shared "
                                        << s.shares_ul << s.shares_d << ", ldul " << p.ldul << ", ldd " << p.ldd
                                        << ", ldb " << p.ldb << ", shift " << p.shift);
        const auto own = plan(s, int(p.shift % 2));
        HinesFactored<T> factored(handle_, *own, s, p);
        EXPECT_EQ(factored.info(), std::vector<int32_t>(p.with_info ? size_t(factored.sets()) : 0, 0));
        for (xbatchOperation_t op : ops) {
            const Solutions<T> x = factored.solve(op);
            long double worst = 0;
            for (int64_t j = 0; j < s.batch(); ++j) worst = worse(worst, hines_error(s, j, x[size_t(j)], op));
            EXPECT_LE(worst, 10) << "op " << op;
        }
    }
    template <class T>
    void expect_same(const Solutions<T> &x, const Solutions<T> &expected) {
        ASSERT_EQ(x.size(), expected.size());
        for (size_t j = 0; j < x.size(); ++j) EXPECT_TRUE(same_bits(x[j], expected[j])) << "system " << j;
    }
};
using HinesFactorHost = HinesFactor;
using HinesFactorCuda = HinesFactor;

constexpr Sharing each{false, false}, together{true, true};
const std::vector<xbatchOperation_t> all(std::begin(operations), std::end(operations));

std::vector<int32_t> morphologies(int32_t systems, int32_t trees) {
    std::vector<int32_t> morph;
    for (int32_t j = 0; j < systems; ++j) morph.push_back(j * 7 % trees);
    return morph;
}

TEST_P(HinesFactor, EveryTree) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const NamedTree &tree : made_trees()) {
            SCOPED_TRACE(tree.name);
            const std::vector<Entries> of = {dominant_entries[k % 4], dominant_entries[(k + 1) % 4]};
            for (const Sharing sharing : {each, together}) {
                const auto s = make_hines<T>(tree.parents, 1 + k % 2, 3 + k % 4, of, sharing, uint64_t(k));
                expect_factored(s, placing(s, k), {operations[k % 3]});
                ++k;
            }
        }
    });
}

TEST_P(HinesFactor, BatchesAndRightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Sharing sharing : {each, together, Sharing{true, false}})
            for (int64_t batch : {1, 2, 15, 16, 17, 33, 70})
                for (int64_t nrhs : {1, 3}) {
                    const auto s = make_hines<T>(random_tree(60, 0.3), nrhs, batch, {Entries::rows}, sharing, k);
                    expect_factored(s, placing(s, k), {operations[k % 3]});
                    ++k;
                }
    });
}

TEST_P(HinesFactor, Forests) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Sharing sharing : {each, together}) {
            const auto s = make_hines<T>(with_roots(random_tree(200, 0.2), 9), 2, 5, {Entries::rows}, sharing);
            expect_factored(s, placing(s, 1), all);
            const auto roots = make_hines<T>(Parents(50, -1), 1, 20, {Entries::columns}, sharing);
            expect_factored(roots, placing(roots, 2), {XBATCH_OP_C});
        }
    });
}

TEST_P(HinesFactor, Symmetric) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Sharing sharing : {each, together}) {
            const auto s = make_hines<T>(random_tree(150, 0.2), 1, 20, {Entries::symmetric}, sharing);
            expect_factored(s, placing(s, 3), all);
        }
    });
}

TEST_P(HinesFactor, Mixed) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Parents> trees = {random_tree(200, 0.2), chain(45), star(30), chain(1)};
        for (const Sharing sharing : {each, together, Sharing{true, false}}) {
            const auto s = make_mixed_hines<T>(trees, morphologies(50, 4), 2, {Entries::rows}, sharing);
            expect_factored(s, placing(s, 1), all);
        }
        // as many systems as morphologies, two of them with the same
        const auto equal = make_mixed_hines<T>(trees, {1, 0, 1, 2}, 1);
        expect_factored(equal, placing(equal), {XBATCH_OP_T});
        // more than have a launch each
        const auto many =
            make_mixed_hines<T>(std::vector<Parents>(71, chain(5)), morphologies(90, 71), 1, {Entries::rows}, together);
        expect_factored(many, placing(many), {XBATCH_OP_T});
    });
}

TEST_P(HinesFactor, LargeTrees) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {shuffled(random_tree(8000, 0.05)), chain(3500), star(4000)})
            for (const Sharing sharing : {each, together}) {
                const auto s = make_hines<T>(tree, 1, 2, {Entries::columns}, sharing);
                expect_factored(s, placing(s, 2), {XBATCH_OP_C});
            }
    });
}

TEST_P(HinesFactor, LayoutsBatchesAndPlacesChangeNoBit) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {random_tree(401, 0.2), chain(130)})
            for (const Sharing sharing : {each, together}) {
                const auto s = make_hines<T>(tree, 2, 37, {Entries::rows}, sharing);
                const Solutions<T> expected = factor_and_solve(s, hines_placing(XBATCH_LAYOUT_FLAT, s));
                expect_same<T>(factor_and_solve(s, placing(s)), expected);  // a second run, if the layout is FLAT
                for (size_t count : {2, 15, 16, 17, 32, 33}) {
                    HinesSystems<T> some = s;
                    Solutions<T> of_some;
                    some.morph.resize(count), some.a.clear(), some.b.clear();
                    for (size_t j = 0; j < count; ++j) {
                        const size_t from = 36 - j;
                        some.a.push_back(s.a[from]), some.b.push_back(s.b[from]), of_some.push_back(expected[from]);
                    }
                    expect_same<T>(factor_and_solve(some, placing(some, int64_t(count))), of_some);
                }
            }
    });
}

TEST_P(HinesFactor, FactorsCanBeCopiedAndUsedAgain) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Sharing sharing : {each, together}) {
            const auto s = make_hines<T>(random_tree(120, 0.2), 1, 20, {Entries::rows}, sharing);
            const auto own = plan(s);
            HinesFactored<T> first(handle_, *own, s, placing(s)), second(handle_, *own, s, placing(s));
            const Solutions<T> expected = first.solve(XBATCH_OP_T);
            EXPECT_EQ(first.solve(XBATCH_OP_T), expected);
            const std::vector<unsigned char> bytes = first.factors().bytes();
            second.factors().set(std::vector<unsigned char>(bytes.size(), 0xff));
            second.factors().set(bytes);
            EXPECT_EQ(second.solve(XBATCH_OP_T), expected);
        }
    });
}

TEST_P(HinesFactor, ABadPivotStaysInItsSystem) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const Parents tree = random_tree(130, 0.2);
        const auto good = make_hines<T>(tree, 2, 20);
        const size_t victim = 7;
        const T nan = T(std::numeric_limits<Real<T>>::quiet_NaN());
        for (const T spoiled : {T(0), nan}) {
            HinesSystems<T> bad = good;
            bad.a[victim].d.back() = spoiled;  // of a tip
            const auto own = plan(good);
            HinesFactored<T> factored(handle_, *own, bad, placing(bad));
            std::vector<int32_t> info(20, 0);
            info[victim] = 130;
            EXPECT_EQ(factored.info(), info);
            Solutions<T> x = factored.solve(XBATCH_OP_N), expected = factor_and_solve(good, placing(good));
            x.erase(x.begin() + victim), expected.erase(expected.begin() + victim);
            expect_same<T>(x, expected);
        }
    });
}

TEST_P(HinesFactor, ABadPivotOfASharedMatrixIsReported) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        auto s = make_mixed_hines<T>({chain(40), random_tree(90, 0.3), star(9)}, morphologies(20, 3), 1,
                                     {Entries::rows}, together);
        for (size_t j = 0; j < 20; ++j)
            if (s.morph[j] == 1) s.a[j].d.back() = T(0);
        const auto own = plan(s);
        HinesFactored<T> factored(handle_, *own, s, placing(s));
        EXPECT_EQ(factored.info(), (std::vector<int32_t>{0, 90, 0}));
        const Solutions<T> x = factored.solve(XBATCH_OP_N);
        for (int64_t j = 0; j < 20; ++j)
            if (s.morph[size_t(j)] != 1) {
                EXPECT_LE(hines_error(s, j, x[size_t(j)], XBATCH_OP_N), 10);
            }
    });
}

TEST_P(HinesFactor, NothingToDo) {
    const auto own = plan(make_hines<double>(chain(5), 1, 1));
    size_t factor_bytes = 1, bytes = 1;
    const xbatchLayout_t layout = GetParam().layout;
    ASSERT_EQ(xhinesFactorBatch_bufferSize(handle_, XBATCH_R_64F, layout, *own, 0, &factor_bytes, &bytes),
              XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(factor_bytes, 0u);
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(xhinesFactorBatch(handle_, XBATCH_R_64F, layout, *own, 0, nullptr, nullptr, 5, nullptr, 5, nullptr,
                                nullptr, nullptr, 0),
              XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(
        xhinesSolveBatch(handle_, XBATCH_R_64F, layout, XBATCH_OP_N, *own, 1, 0, 0, nullptr, nullptr, 5, nullptr, 0),
        XBATCH_STATUS_SUCCESS);
    EXPECT_EQ(
        xhinesSolveBatch(handle_, XBATCH_R_64F, layout, XBATCH_OP_N, *own, 0, 3, 1, nullptr, nullptr, 5, nullptr, 0),
        XBATCH_STATUS_SUCCESS);
}

TEST_P(HinesFactor, WrongSetsOfAMixedPlan) {
    const auto s = make_mixed_hines<double>({chain(4), star(6)}, {0, 1, 1}, 1, {Entries::rows}, together);
    const auto own = plan(s);
    HinesFactored<double> factored(handle_, *own, s, placing(s));
    size_t factor_bytes = 0, bytes = 0;
    for (int64_t sets : {-1, 0, 1, 4}) {
        EXPECT_EQ(
            xhinesFactorBatch_bufferSize(handle_, XBATCH_R_64F, GetParam().layout, *own, sets, &factor_bytes, &bytes),
            XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(xhinesSolveBatch_bufferSize(handle_, XBATCH_R_64F, GetParam().layout, XBATCH_OP_N, *own, 1, 3, sets,
                                              &bytes),
                  XBATCH_STATUS_INVALID_VALUE);
    }
    double a[10] = {};
    for (const auto &[ldul, ldd] : {std::pair<int64_t, int64_t>{0, 6}, {6, 0}})
        EXPECT_EQ(xhinesFactorBatch(handle_, XBATCH_R_64F, GetParam().layout, *own, 2, a, a, ldul, a, ldd,
                                    factored.factors().data(), nullptr, nullptr, 0),
                  XBATCH_STATUS_INVALID_VALUE)
            << "several matrices of a morphology";
}

// Factors of another type, layout, plan or number of matrices
TEST_P(HinesFactorHost, OtherFactorsAreRefused) {
    const auto s = make_hines<double>(chain(9), 1, 4);
    const auto own = plan(s), longer = plan(make_hines<double>(chain(10), 1, 4));
    HinesFactored<double> factored(handle_, *own, s, placing(s));
    const xbatchLayout_t layout = GetParam().layout, other = all_layouts[layout == all_layouts[0]];
    std::vector<double> b(200), memory(200);
    const auto status = [&](xbatchDataType_t type, xbatchLayout_t with, xbatchHinesPlan_t plan, int64_t sets) {
        return xhinesSolveBatch(handle_, type, with, XBATCH_OP_N, plan, 1, 4, sets, factored.factors().data(), b.data(),
                                10, memory.data(), memory.size() * sizeof(double));
    };
    const auto invalid = XBATCH_STATUS_INVALID_VALUE;
    EXPECT_EQ(status(XBATCH_R_32F, layout, *own, 4), invalid);
    EXPECT_EQ(status(XBATCH_R_64F, other, *own, 4), invalid);
    EXPECT_EQ(status(XBATCH_R_64F, layout, *longer, 4), invalid);
    EXPECT_EQ(status(XBATCH_R_64F, layout, *own, 1), invalid);
    factored.factors().set(std::vector<unsigned char>(factored.factors().bytes().size(), 0));
    EXPECT_EQ(status(XBATCH_R_64F, layout, *own, 4), invalid);
    EXPECT_EQ(b, std::vector<double>(200)) << "a refused call wrote";
}

TEST_P(HinesFactorHost, AnyNumberOfThreadsGivesTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Sharing sharing : {each, together})
            for (const auto &s :
                 {make_hines<T>(random_tree(300, 0.2), 2, 150, {Entries::rows}, sharing),
                  make_mixed_hines<T>({chain(45), star(30)}, morphologies(90, 2), 1, {Entries::rows}, sharing)}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, 1), XBATCH_STATUS_SUCCESS);
                const Solutions<T> expected = factor_and_solve(s, placing(s));
                for (int threads : {2, 3, 7}) {
                    ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                    expect_same<T>(factor_and_solve(s, placing(s)), expected);
                }
            }
    });
}

TEST_P(HinesFactorCuda, ReplaysGiveTheSameBits) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Sharing sharing : {each, together})
            for (const auto &s :
                 {make_hines<T>(random_tree(300, 0.2), 2, 50, {Entries::rows}, sharing),
                  make_mixed_hines<T>({chain(45), star(30)}, morphologies(50, 2), 1, {Entries::rows}, sharing)}) {
                const auto own = plan(s);
                HinesFactored<T> factored(handle_, *own, s, placing(s));
                const Solutions<T> expected = factored.solve(XBATCH_OP_N);
                Workspace workspace(GetParam().backend, factored.solve_bytes(XBATCH_OP_N));
                capture_and_replay(
                    handle_,
                    [&] {
                        EXPECT_EQ(factored.factor(), XBATCH_STATUS_SUCCESS) << handle_.message();
                        EXPECT_EQ(factored.solve(XBATCH_OP_N, workspace), XBATCH_STATUS_SUCCESS) << handle_.message();
                    },
                    3, [&] { factored.restore(); });
                expect_same<T>(factored.solutions(), expected);
            }
    });
}

TEST_P(HinesFactorCuda, AMatrixForEachSystemIsSolvedAsByHinesBatch) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &s : {make_hines<T>(random_tree(300, 0.2), 2, 50),
                              make_mixed_hines<T>({chain(45), star(30)}, morphologies(50, 2), 1)})
            expect_same<T>(factor_and_solve(s, placing(s)), solve(s, placing(s)).x);
    });
}

const auto on_host = testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST));
const auto on_cuda = testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA));

INSTANTIATE_TEST_SUITE_P(Host, HinesFactor, on_host, name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesFactor, on_cuda, name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesFactorHost, on_host, name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesFactorCuda, on_cuda, name_of);

}  // namespace
}  // namespace xbatch_test
