// test_hines.cpp: accuracy of the Hines solvers.
//
// For matrices that are dominant by rows or by columns, by however little, the backward error max_i |b - A x|_i / (|A|
// max|x| + |b|)_i is at most 10 eps, whatever the tree, its size and the operation; with sequential elimination from
// the tips also componentwise, with |A||x|. For other matrices, with sequential elimination from the tips, it is 10 eps
// relative to |L||U||x|. Then comparisons with LAPACK's gesv of the dense matrix, and on chains with xgtsvThomas.
// Elements that must not be read are NaN; those that must not be written are compared byte by byte.
// test_hines_properties.cpp tests what needs no reference.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "support/fixtures/hines_cases.hpp"

namespace xbatch_test {
namespace {

using Hines = HinesOn;
using HinesFromTheTips = HinesOn;
using HinesByThreads = HinesOn;

TEST_P(Hines, Trees) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const NamedTree &tree : made_trees())
            for (Entries entries : dominant_entries) {
                SCOPED_TRACE(tree.name);
                const auto s = make_hines<T>(tree.parents, 1 + k % 2, k % 3 ? 3 : 9, {entries}, {}, k);
                // the root of a star is a sum of a thousand terms
                expect_solved(s, placing(s, k, operations[k % 3]), tree.name == "star" ? 30 : 10);
                ++k;
            }
    });
}

// Around the sizes at which kernels change: a subtree, a warp's rows, on-chip capacity
TEST_P(Hines, Sizes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t size : {3, 16, 32, 128, 256, 1024, 1400, 2048, 7000})
            for (int64_t n : {size - 1, size, size + 1})
                for (const Parents &tree : {chain(n), random_tree(n, 0.1, uint64_t(n))}) {
                    const auto s = make_hines<T>(tree, 1 + k % 2, 2, {dominant_entries[k % 4]}, {}, k);
                    expect_solved(s, placing(s, k, operations[k % 3]));
                    ++k;
                }
    });
}

TEST_P(Hines, Batches) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t batch : {1, 2, 15, 16, 17, 31, 32, 33, 1000})
            for (int64_t block : {1, 3, 8, 16, 32, 100}) {
                const auto s = make_hines<T>(random_tree(batch > 100 ? 17 : 45, 0.2), 1, batch, {Entries::rows}, {}, k);
                HinesPlacing p = placing(s, k, operations[k % 3]);
                if (p.layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED)
                    p.ldul = p.ldd = p.ldb = block;
                else if (block > 8)
                    continue;
                expect_solved(s, p);
                ++k;
            }
    });
}

TEST_P(Hines, RightHandSides) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t nrhs : {1, 2, 3, 7})
            for (const auto &[n, batch] : {std::array<int64_t, 2>{5, 40}, {129, 20}, {600, 1}, {600, 3}}) {
                const auto s = make_hines<T>(random_tree(n, 0.2), nrhs, batch, {Entries::columns}, {}, k);
                expect_solved(s, placing(s, k, operations[k % 3]));
                ++k;
            }
    });
}

constexpr Sharing sharings[] = {{true, false}, {false, true}, {true, true}, {false, false}};

TEST_P(Hines, SharedAndSymmetricCoefficients) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (Sharing sharing : sharings)
            for (Entries entries : {Entries::rows, Entries::symmetric})
                for (xbatchOperation_t op : operations)
                    for (int64_t batch : {2, 19}) {
                        const auto s = make_hines<T>(random_tree(150, 0.2), 2, batch, {entries}, sharing, k);
                        expect_solved(s, placing(s, k, op));
                        const std::vector<Parents> trees = {chain(20), binary(31), star(9)};
                        const auto mixed = make_mixed_hines<T>(trees, {2, 0, 0, 1, 2, 0, 0}, 2, {entries}, sharing, k);
                        expect_solved(mixed, placing(mixed, k, op));
                        ++k;
                    }
    });
}

// Assignments of morphologies to systems
std::vector<std::vector<int32_t>> mixtures(int32_t trees) {
    std::vector<int32_t> few_of_many, one_each, reversed, interleaved, alone, with_absent;
    for (int32_t k = 0; k < 40; ++k) few_of_many.push_back(k < 18 ? 1 : k < 37 ? 0 : 2);
    for (int32_t m = 0; m < trees; ++m) one_each.push_back(m), reversed.push_back(trees - 1 - m);
    for (int32_t k = 0; k < 3 * trees; ++k) interleaved.push_back(k * 5 % trees);
    for (int32_t m = 0; m < trees; ++m) with_absent.push_back(m / 2 * 2);
    alone.push_back(trees - 1);
    return {few_of_many, one_each, reversed, interleaved, with_absent, alone};
}

TEST_P(Hines, MixedMorphologies) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Parents> trees;
        for (const NamedTree &tree : made_trees())
            if (tree.name != "star") trees.push_back(tree.parents);
        trees.push_back(star(60)), trees.push_back(with_roots(random_tree(200, 0.2), 7));
        int64_t k = 0;
        for (const std::vector<int32_t> &morph : mixtures(int32_t(trees.size()))) {
            const auto s = make_mixed_hines<T>(trees, morph, 1 + k % 2, {Entries::rows, Entries::columns}, {}, k);
            expect_solved(s, placing(s, k, operations[k % 3]));
            ++k;
        }
    });
}

TEST_P(Hines, BlocksOfMixedMorphologies) {
    if (GetParam().layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED) GTEST_SKIP() << "blocks are this layout's";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 103; ++j) morph.push_back(j * 7 % 10 / 4);  // 41, 41 and 21 systems
        const auto s = make_mixed_hines<T>({random_tree(33, 0.2), chain(16), binary(15)}, morph, 2);
        for (int64_t block : {1, 3, 8, 16, 32, 100}) expect_solved(s, {GetParam().layout, block, 16, block + 1});
    });
}

TEST_P(Hines, Forests) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Parents &tree : {with_roots(chain(200), 9), with_roots(random_tree(300, 0.2), 40),
                                    with_roots(star(60), 8), Parents(50, -1), with_roots(chain(2500), 3)}) {
            const auto s = make_hines<T>(tree, 2, 5, {Entries::rows, Entries::columns}, {}, k);
            for (xbatchOperation_t op : operations) expect_solved(s, placing(s, k++, op));
        }
    });
}

TEST_P(Hines, RealTrees) {
    const std::vector<NamedTree> trees = real_trees("mixed");
    if (trees.empty()) GTEST_SKIP() << "XBATCH_SWC names no folder of trees";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Parents> parents;
        std::vector<int32_t> morph;
        for (const NamedTree &tree : trees) parents.push_back(tree.parents);
        for (size_t j = 0; j < 2 * trees.size(); ++j) morph.push_back(int32_t(j * 7 % trees.size()));
        const auto s = make_mixed_hines<T>(parents, morph, 1, {Entries::symmetric}, {true, false});
        expect_solved(s, placing(s));
    });
}

// x to a small multiple of the condition number, about twenty for a diagonal 1.1 times the sum
TEST_P(Hines, AgreesWithLapack) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {1, 2, 5, 30, 129})
            for (const Parents &tree : {random_tree(n, 0.3), star(n), with_roots(binary(n), 2)})
                for (xbatchOperation_t op : operations) {
                    const Entries entries[] = {op == XBATCH_OP_N ? Entries::rows : Entries::columns,
                                               Entries::symmetric};
                    const auto s = make_hines<T>(tree, 2, 2, {entries[k % 2]}, {}, k);
                    const HinesAnswer<T> answer = solve(s, placing(s, k, op));
                    for (int64_t j = 0; j < 2; ++j)
                        for (int64_t r = 0; r < 2; ++r)
                            EXPECT_LE(distance(&answer.x[j][r * n], dense_solution(s, j, r, op).data(), n), 200)
                                << "n " << n << ", op " << op;
                    ++k;
                }
    });
}

TEST_P(Hines, AChainIsATridiagonalMatrix) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const auto &[n, batch] : {std::array<int64_t, 2>{1, 3}, {2, 3}, {100, 20}, {1025, 2}}) {
            const Systems<T> expected = make_systems<T>(n, 1, batch, {6});  // a diagonal of 64: x to a few eps
            auto s = make_hines<T>(chain(n), 1, batch);
            for (int64_t j = 0; j < batch; ++j)
                for (int64_t i = 0; i < n; ++i) {
                    s.a[j].d[i] = expected.d[expected.row(j, i)];
                    s.a[j].l[i] = expected.dl[expected.row(j, i)];
                    if (i > 0) s.a[j].u[i] = expected.du[expected.row(j, i - 1)];
                    s.b[j][i] = expected.b[expected.entry(j, 0, i)];
                }
            const HinesAnswer<T> answer = solve(s, placing(s));
            const Answer<T> thomas = xbatch_test::solve(handle_, Algorithm::Thomas, expected,
                                                        xbatch_test::placing(GetParam().layout, n, batch));
            for (int64_t j = 0; j < batch; ++j)
                EXPECT_LE(distance(answer.x[j].data(), &thomas.x[expected.entry(j, 0, 0)], n), 8) << "n " << n;
        }
    });
}

// The products |L||U||x|, which bound the residual for any pivots
template <class T>
long double error_of_elimination(const HinesSystems<T> &s, int64_t j, const std::vector<T> &x) {
    using W = Wide<T>;
    const Parents &tree = s.tree(j);
    const HinesMatrix<T> &a = s.a[size_t(j)];
    std::vector<W> pivot(a.d.begin(), a.d.end()), residual(s.b[size_t(j)].begin(), s.b[size_t(j)].end());
    std::vector<long double> size(tree.size());
    for (size_t i = tree.size(); i-- > 0;) {
        residual[i] -= W(a.d[i]) * W(x[i]);
        size[i] += modulus(pivot[i]) * modulus(W(x[i]));
        if (tree[i] < 0) continue;
        const size_t p = size_t(tree[i]);
        const W fill = W(a.u[i]) * W(a.l[i]) / pivot[i];
        pivot[p] -= fill;
        residual[i] -= W(a.l[i]) * W(x[p]), size[i] += modulus(W(a.l[i])) * modulus(W(x[p]));
        residual[p] -= W(a.u[i]) * W(x[i]), size[p] += modulus(W(a.u[i])) * modulus(W(x[i]));
        size[p] += modulus(fill) * modulus(W(x[p]));
    }
    long double worst = 0;
    for (size_t i = 0; i < tree.size(); ++i) worst = worse(worst, modulus(residual[i]) / size[i]);
    return worst / unit_roundoff<T>;
}

TEST_P(HinesFromTheTips, MatricesThatAreNotDominant) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t n : {2, 30, 300}) {
            const auto s = make_hines<T>(random_tree(n, 0.2), 1, 50, {Entries::not_dominant}, {}, uint64_t(n));
            const HinesAnswer<T> answer = solve(s, placing(s));
            for (int64_t j = 0; j < s.batch(); ++j) {
                EXPECT_EQ(answer.info[j], 0);
                EXPECT_LE(error_of_elimination(s, j, answer.x[j]), 10) << "n " << n << ", system " << j;
            }
        }
    });
}

TEST_P(Hines, TwoHandlesOnTwoThreads) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const auto s = make_hines<T>(random_tree(300, 0.2), 1, 20);
        const auto own = plan(s);  // a plan that both use
        const HinesPlacing p = placing(s);
        const HinesAnswer<T> alone = xbatch_test::solve(handle_, *own, s, p);
        std::vector<HinesAnswer<T>> together[2];
        std::thread threads[2];
        for (int t = 0; t < 2; ++t)
            threads[t] = std::thread([&, t] {
                Handle handle(GetParam().backend);
                for (int k = 0; k < 5; ++k) together[t].push_back(xbatch_test::solve(handle, *own, s, p));
            });
        for (std::thread &thread : threads) thread.join();
        for (const auto &answers : together)
            for (const HinesAnswer<T> &answer : answers)
                for (int64_t j = 0; j < s.batch(); ++j) EXPECT_TRUE(same_bits(answer.x[j], alone.x[j]));
    });
}

// The kernels of Valero-Lara et al.
TEST_P(HinesByThreads, FewShapes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Parents &tree : {chain(1), star(50), random_tree(257, 0.2), with_roots(binary(63), 5)})
            for (int64_t batch : {1, 33, 130})
                for (Sharing sharing : sharings) {
                    const Entries entries = k % 2 ? Entries::symmetric : Entries::columns;
                    const auto s = make_hines<T>(tree, 1 + k % 3, batch, {entries}, sharing, k);
                    HinesPlacing p = placing(s, k, operations[k % 3]);
                    if (GetParam().algorithm == XBATCH_HINES_THREAD_SHARED) p.ldb = 1 << k % 4;
                    expect_solved(s, p);
                    ++k;
                }
        const auto mixed = make_mixed_hines<T>({binary(31), chain(90), star(2)}, {0, 2, 1, 0, 0, 1, 2, 2}, 2);
        for (xbatchOperation_t op : operations) expect_solved(mixed, placing(mixed, 3, op));
    });
}

// Too many nodes for the registers and shared memory of a warp
TEST_P(Hines, TreesOfManyNodes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const Parents &tree : {random_tree(3300, 0.3), random_tree(4001, 0.05),
                                    with_roots(random_tree(3500, 0.9), 7), with_roots(comb(3800, 61), 4)})
            for (int64_t batch : {1, 9, 21}) {
                const Entries entries = k % 4 == 3 ? Entries::symmetric : Entries::columns;
                const auto s = make_hines<T>(tree, 1 + k % 2, batch, {entries}, sharings[k % std::size(sharings)], k);
                expect_solved(s, placing(s, k, operations[k % 3]));
                ++k;
            }
        const auto mixed = make_mixed_hines<T>({random_tree(3300, 0.3), chain(90), random_tree(4100, 0.1)},
                                               {0, 2, 1, 0, 0, 1, 2, 2, 0}, 2);
        for (xbatchOperation_t op : operations) expect_solved(mixed, placing(mixed, 3, op));
    });
}

// The ports of its pieces are a tree of many nodes too.
TEST_P(Hines, PortsOfManyNodes) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const auto s = make_hines<T>(with_roots(chain(60000), 3), 1, 2, {Entries::symmetric});
        expect_solved(s, placing(s));
    });
}

// The size query does not know leading dimensions: one workspace must suit them all.
TEST_P(Hines, TreesOfManyNodesInAnyBlock) {
    if (GetParam().layout != XBATCH_LAYOUT_BLOCK_INTERLEAVED) GTEST_SKIP() << "a layout without blocks";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t block : {1, 2, 3, 4, 7, 8, 16, 40}) {
            const Parents tree = block % 2 ? comb(3300, 99) : random_tree(3300, 0.3);
            const auto s = make_hines<T>(tree, 2, 40, {Entries::rows});
            HinesPlacing p = placing(s, block);
            p.ldul = p.ldd = p.ldb = block;
            expect_solved(s, p);
        }
    });
}

TEST_P(Hines, ManyTreesOfManyNodesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t nrhs : {1, 3})
            for (int64_t batch : {300, 1100, 2300}) {
                const auto s = make_hines<T>(random_tree(3100, 0.3), nrhs, batch / nrhs, {Entries::rows});
                expect_solved(s, placing(s, batch % 7));
            }
    });
}

TEST_P(Hines, BigTreesFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (int64_t n : {8192, 20011, 50000, 50001, 70000})
            for (const Parents &tree : {chain(n), random_tree(n, 0.02), random_tree(n, 0.5), shuffled(binary(n)),
                                        with_roots(comb(n, 1000), 9)}) {
                const auto s = make_hines<T>(tree, 1 + k % 2, 3, {Entries::columns, Entries::rows}, {}, k);
                expect_solved(s, placing(s, k, operations[k % 3]), bound_of(tree));
                ++k;
            }
    });
}

TEST_P(Hines, RealTreesFull) {
    const std::vector<NamedTree> trees = real_trees("large");
    if (trees.empty()) GTEST_SKIP() << "XBATCH_SWC names no folder of trees";
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        int64_t k = 0;
        for (const NamedTree &tree : trees) {
            SCOPED_TRACE(tree.name);
            const auto s = make_hines<T>(tree.parents, 1, 5, {Entries::rows}, {k % 2 == 0, false}, k);
            expect_solved(s, placing(s, k, operations[k % 3]));
            ++k;
        }
    });
}

TEST_P(Hines, OneGiantTreeFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        for (const Parents &tree : {chain(1000003), random_tree(1000003, 0.1), shuffled(random_tree(1000003, 0.01))}) {
            const auto s = make_hines<T>(tree, 1, 1, {Entries::nearly_rows});
            expect_solved(s, placing(s), bound_of(tree));
        }
    });
}

TEST_P(Hines, ManySystemsFull) {
    with_type(GetParam().type, [&](auto zero) {
        using T = decltype(zero);
        const auto s = make_hines<T>(random_tree(7, 0.4), 1, 65537);
        expect_solved(s, placing(s, 1));
        std::vector<int32_t> morph;
        for (int32_t j = 0; j < 20000; ++j) morph.push_back(j * 31 % 3);
        const auto mixed = make_mixed_hines<T>({chain(5), star(6), binary(7)}, morph, 1);
        expect_solved(mixed, placing(mixed, 1));
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Hines, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Hines, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesByThreads, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST, true)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesByThreads, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA, true)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, HinesFromTheTips, testing::ValuesIn(hines_cases(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, HinesFromTheTips, testing::ValuesIn(hines_cases(XBATCH_BACKEND_CUDA, true)), name_of);

}  // namespace
}  // namespace xbatch_test
