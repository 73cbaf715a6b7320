// test_qr_batch.cpp: many small QRs: LAPACK's V, tau and R, Q applied and formed, least squares, in every layout.
//
// LAPACK's ratios, each below 30 by its tests and below 10 by ours: ||A - Q R|| / (max(m,n) ||A|| eps), ||I - Q^H Q|| /
// (m eps), ||op(Q) C - product|| / (m ||C|| eps), where Q is computed from V and tau in x87 arithmetic. R, V and X are
// compared with those of LAPACK. Matrices do not affect each other.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/fixtures/qless.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

constexpr long double bound = 10;
constexpr auto left = XBATCH_SIDE_LEFT, right = XBATCH_SIDE_RIGHT;
using Shape = BatchShape;

class QrBatch : public QrBatchOn {
protected:
    template <class T>
    void expect_factored(const Matrices<T> &a, BatchPlacing placing) {
        const int64_t m = a[0].m, n = a[0].n;
        QrBatchOn::expect_factored(a, placing, m <= 64 ? m : std::min(m, n));
    }
};

TEST_P(QrBatch, Shapes) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        int64_t seed = 0;
        for (int64_t m : {1, 2, 3, 5, 8, 9, 15, 16, 17, 31, 32, 33, 50, 65})
            for (int64_t n : {1, 2, 3, 7, 8, 13, 16, 17, 31, 32, 33, 40}) {
                ++seed;
                const Matrices<T> a = random_batch<T>({m, n, 1 + seed % 5}, uint64_t(seed));
                for_layouts(seed, [&](BatchPlacing placing) { expect_factored(a, placing); });
            }
    });
}

TEST_P(QrBatch, LargerBatches) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s :
             {Shape{8, 8, 131}, {16, 16, 67}, {16, 5, 33}, {32, 32, 33}, {24, 32, 17}, {7, 3, 65},    {13, 12, 67},
              {17, 17, 35},     {20, 61, 19}, {24, 8, 35}, {23, 22, 15}, {27, 27, 21}, {36, 36, 9},   {39, 10, 9},
              {47, 48, 9},      {64, 16, 5},  {72, 71, 6}, {104, 20, 3}, {111, 20, 9}, {103, 103, 3}, {207, 16, 3},
              {4, 4, 261},      {3, 4, 131},  {6, 6, 67},  {12, 10, 35}, {14, 14, 35}, {28, 28, 9},   {31, 30, 17},
              {2, 2, 131},      {12, 12, 37}, {40, 10, 9}}) {
            const Matrices<T> a = random_batch<T>(s, 3);
            for_layouts(s.batch, [&](BatchPlacing placing) { expect_factored(a, placing); });
            // Without gaps, and not at a multiple of 16 bytes; with columns at such multiples if their lengths are
            for (int64_t shift : {0, 1, 3}) expect_factored(a, {XBATCH_LAYOUT_FLAT, 0, 0, shift});
            expect_factored(a, {XBATCH_LAYOUT_FLAT, 4, 8, 0});
            // Interleaved ones whose rows are such multiples, as tensor copies need them
            const Matrices<T> fours(a.begin(), a.begin() + s.batch / 4 * 4);
            for (int64_t padding : {0, 2})
                if (!fours.empty()) expect_factored(fours, {XBATCH_LAYOUT_INTERLEAVED, padding, 2 * padding, 0});
            const Matrices<T> blocks(a.begin(), a.begin() + s.batch / 32 * 32);
            if (!blocks.empty()) expect_factored(blocks, {XBATCH_LAYOUT_BLOCK_INTERLEAVED, 1, 0, 0, 32});
        }
    });
}

TEST_P(QrBatch, LargerMatrices) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr Shape shapes[] = {{64, 64, 2},  {100, 90, 2}, {130, 70, 1}, {200, 20, 2}, {223, 12, 5},
                                    {300, 33, 1}, {40, 150, 1}, {80, 31, 2},  {96, 48, 2},  {128, 30, 2},
                                    {150, 24, 2}, {208, 40, 1}, {250, 25, 2}, {450, 41, 1}};
        for (const Shape &s : shapes) {
            const Matrices<T> a = random_batch<T>(s, 3);
            for_layouts(s.m, [&](BatchPlacing placing) { expect_factored(a, placing); });
        }
    });
}

TEST_P(QrBatch, LargestMatricesFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s :
             {Shape{256, 256, 2}, {512, 100, 1}, {512, 16, 2}, {1000, 60, 1}, {2000, 20, 1}, {4096, 9, 1}})
            for_layouts(1, [&](BatchPlacing placing) { expect_factored(random_batch<T>(s, 3), placing); });
    });
}

// Matrices of every kind in one batch
TEST_P(QrBatch, Kinds) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr std::pair<int64_t, int64_t> sizes[] = {{1, 1},   {8, 8},   {16, 13}, {21, 33}, {33, 21},
                                                         {40, 10}, {48, 41}, {50, 7},  {70, 60}, {131, 33}};
        for (const auto &[m, n] : sizes) {
            Matrices<T> a;
            for (int64_t j = 0; j < 2 * batch_kinds; ++j) a.push_back(matrix_of_kind<T>(j * 5, m, n, uint64_t(j)));
            for_layouts(0, [&](BatchPlacing placing) { expect_factored(a, placing); });
        }
    });
}

// Matrices of every kind at all sizes up to 42, in places for which a GPU has other copies
TEST_P(QrBatch, AllSizesFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (int64_t m = 1; m <= 42; ++m)
            for (int64_t n = 1; n <= 42; ++n) {
                Matrices<T> a;
                for (int64_t kind = 0; kind < batch_kinds; ++kind)
                    a.push_back(matrix_of_kind<T>(kind, m, n, uint64_t(kind)));
                for (int64_t shift : {0, 1}) expect_factored(a, {XBATCH_LAYOUT_FLAT, 0, 0, shift});
                expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});
                a.pop_back();
                expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});
            }
    });
}

// Matrices whose panels go through registers on a GPU: square, wide and tall, of all kinds, in each layout
TEST_P(QrBatch, PackedVectors) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        int64_t kind = 0;
        constexpr std::pair<int64_t, int64_t> sizes[] = {
            {64, 64}, {65, 65},  {80, 90},  {104, 99}, {105, 104}, {127, 33},  {128, 128}, {301, 50},
            {62, 15}, {111, 19}, {200, 10}, {151, 17}, {97, 40},   {250, 30},  {301, 24},  {250, 29},
            {48, 96}, {47, 41},  {56, 58},  {78, 78},  {85, 85},   {104, 130}, {96, 48},   {80, 40}};
        for (const auto &[m, n] : sizes) {
            Matrices<T> a;
            for (int64_t end = kind + 4; kind < end; ++kind) a.push_back(matrix_of_kind<T>(kind, m, n, uint64_t(kind)));
            expect_factored(a, {all_layouts[(size_t(kind) + sizeof(T)) / 4 % 3], m % 2, 0, kind / 4 % 2});
            expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});  // whose panels are boxes
        }
    });
}

// Interleaved matrices whose panels a block of a GPU copies together, of all kinds, in numbers that fill no block
TEST_P(QrBatch, AdjacentPanels) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        int64_t kind = 0;
        constexpr std::pair<int64_t, int64_t> sizes[] = {
            {41, 41},  {48, 130}, {64, 64},  {57, 33},  {40, 150},  {80, 80},  {77, 32},   {96, 24},
            {96, 48},  {90, 90},  {112, 40}, {112, 97}, {105, 105}, {128, 32}, {121, 100}, {128, 128},
            {150, 30}, {208, 32}, {250, 24}, {128, 24}, {150, 20},  {310, 20}};
        for (const auto &[m, n] : sizes) {
            Matrices<T> a;
            for (int64_t end = kind + 7; kind < end; ++kind) a.push_back(matrix_of_kind<T>(kind, m, n, uint64_t(kind)));
            expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, kind % 2, kind % 3, kind % 2});
            expect_factored(a, {XBATCH_LAYOUT_BLOCK_INTERLEAVED, 0, 0, 0, 6});
            a.pop_back();
            expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});  // some of whose panels are boxes
        }
    });
}

TEST_P(QrBatch, TheIdentityStays) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (int64_t m : {8, 13, 40, 150}) {
            Dense<T> a(m, m);
            for (int64_t i = 0; i < m; ++i) a(i, i) = T(1);
            FactoredBatch<T> f(handle_, {a, a, a}, {});
            for (const Dense<T> &packed : f.packed) EXPECT_EQ(packed.data, a.data);
            for (const Dense<T> &tau : f.tau) EXPECT_EQ(tau.data, std::vector<T>(size_t(m), T(0)));
        }
    });
}

// R with its signs, and V, of well-conditioned matrices: to about n eps.
TEST_P(QrBatch, FactorsAreLapacks) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s :
             {Shape{8, 8, 9}, {16, 16, 5}, {32, 32, 5}, {60, 60, 3}, {100, 30, 2}, {30, 50, 3}, {150, 90, 2}})
            for_layouts(1, [&](BatchPlacing placing) {
                const Matrices<T> a = random_batch<T>(s, 3, 8);
                const FactoredBatch<T> f(handle_, a, placing);
                for (size_t j = 0; j < a.size(); ++j) {
                    Dense<T> expected = a[j];
                    lapack_geqrf(expected);
                    long double worst = 0;
                    for (size_t x = 0; x < expected.data.size(); ++x)
                        worst = worse(worst, std::abs(f.packed[j].data[x] - expected.data[x]));
                    EXPECT_LE(ratio<T>(worst, std::max(s.m, s.n), 8), bound) << s.m << " x " << s.n;
                }
            });
    });
}

// Large interleaved matrices, in batches or blocks of sizes at which thread-block clusters are used, and others
TEST_P(QrBatch, NeighboursOfLargeMatrices) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr Shape shapes[] = {{65, 127, 11}, {128, 128, 10}, {128, 3, 9},   {65, 65, 5},
                                    {256, 32, 6},  {512, 16, 9},   {100, 77, 17}, {47, 45, 12}};
        for (const Shape &s : shapes) {
            const Matrices<T> a = random_batch<T>(s, 3, 8);
            Matrices<T> expected = a;
            for (Dense<T> &x : expected) lapack_geqrf(x);
            const auto expect_those = [&](BatchPlacing placing) {
                SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", blocks of " << placing.block);
                const FactoredBatch<T> f(handle_, a, placing);
                for (size_t j = 0; j < a.size(); ++j) {
                    long double worst = 0;
                    for (size_t x = 0; x < a[j].data.size(); ++x)
                        worst = worse(worst, std::abs(f.packed[j].data[x] - expected[j].data[x]));
                    EXPECT_LE(ratio<T>(worst, std::max(s.m, s.n), 8), bound) << "matrix " << j;
                }
            };
            for (int64_t padding : {0, 1, 2, 5})
                expect_those({XBATCH_LAYOUT_INTERLEAVED, padding % 3, padding, padding % 2});
            for (int64_t block : {1, 2, 3, 4, 6, 8, 16})
                expect_those({XBATCH_LAYOUT_BLOCK_INTERLEAVED, block % 2, 0, block / 2 % 2, block});
        }
    });
}

TEST_P(QrBatch, Products) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s :
             {Shape{8, 8, 5}, {16, 9, 4}, {33, 20, 3}, {9, 30, 5}, {1, 3, 2}, {70, 50, 2}, {150, 70, 1}})
            for (int64_t other : {1, 3, 8, 37})
                for_layouts(other, [&](BatchPlacing placing) {
                    FactoredBatch<T> f(handle_, random_batch<T>(s, 5), placing);
                    const Matrices<T> c = random_batch<T>({s.m, other, s.batch}, 6);
                    Matrices<T> turned;
                    for (const Dense<T> &x : c) turned.push_back(adjoint(x));
                    for (auto op : {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C}) {
                        if (op == XBATCH_OP_T && is_complex<T>) continue;
                        SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", other " << other << ", op " << op);
                        const Matrices<T> of_left = f.times(left, op, c), of_right = f.times(right, op, turned);
                        for (size_t j = 0; j < c.size(); ++j) {
                            const auto q = f.q(int64_t(j), s.m), opq = op == XBATCH_OP_N ? q : adjoint(q);
                            auto error = widened(of_left[j]);
                            subtract_product(error, opq, widened(c[j]));
                            EXPECT_LE(ratio<T>(one_norm(error), s.m, one_norm(widened(c[j]))), bound);
                            error = widened(of_right[j]);
                            subtract_product(error, widened(turned[j]), opq);
                            EXPECT_LE(ratio<T>(one_norm(error), s.m, one_norm(widened(turned[j]))), bound);
                        }
                    }
                });
    });
}

// R and Q^H B without Q are those of the factors; numbers that are not finite, in A or in B, affect no other matrix.
TEST_P(QrBatch, WithoutQ) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const auto expect_near = [](const Dense<T> &found, const Dense<T> &expected, const Dense<T> &given) {
            auto error = widened(found);
            for (size_t x = 0; x < error.data.size(); ++x) error.data[x] -= Wide<T>(expected.data[x]);
            EXPECT_LE(ratio<T>(one_norm(error), std::max(given.m, given.n), one_norm(widened(given))), bound);
        };
        for (const Shape &s : {Shape{1, 1, 5},
                               {1, 3, 4},
                               {8, 8, 37},
                               {5, 9, 6},
                               {13, 12, 20},
                               {32, 32, 5},
                               {24, 8, 35},
                               {20, 61, 9},
                               {64, 16, 5},
                               {200, 10, 3},
                               {70, 60, 3},
                               {150, 70, 2}})
            for (int64_t nrhs : {0, 1, 3})
                for_layouts(s.m + nrhs, [&](BatchPlacing placing) {
                    SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", nrhs " << nrhs);
                    Matrices<T> a = random_batch<T>(s, 1, 8), b = random_batch<T>({s.m, nrhs, s.batch}, 2);
                    const QlessResults<T> good = factor_qless(handle_, a, b, placing);
                    FactoredBatch<T> f(handle_, a, placing);
                    const Matrices<T> product = nrhs > 0 ? f.times(left, XBATCH_OP_C, b) : b;
                    EXPECT_EQ(good.infos, std::vector<int32_t>(a.size(), 0));
                    for (size_t j = 0; j < a.size(); ++j) {
                        EXPECT_EQ(good.r[j].data, upper_of(good.r[j]).data);
                        expect_near(good.r[j], f.r(int64_t(j)), a[j]);
                        if (nrhs > 0) expect_near(good.b[j], product[j], b[j]);
                    }
                    const Dense<T> usual = a[1];
                    const auto expect_others = [&](int32_t info) {
                        const QlessResults<T> found = factor_qless(handle_, a, b, placing);
                        for (size_t j = 0; j < a.size(); ++j) {
                            EXPECT_EQ(found.infos[j], j == 1 ? info : 0);
                            EXPECT_TRUE(j == 1 || same_bits(found.r[j].data, good.r[j].data));
                            EXPECT_TRUE(j == 1 || same_bits(found.b[j].data, good.b[j].data));
                        }
                        if (info == 0) expect_near(found.r[1], good.r[1], usual);
                    };
                    a[1](s.m - 1, std::min(s.m, s.n) - 1) = scalar<T>(std::nan(""), 0);
                    expect_others(int32_t(std::min(s.m, s.n)));
                    a[1] = usual;
                    if (nrhs == 0) return;
                    b[1](s.m / 2, 0) = scalar<T>(std::nan(""), 0);
                    expect_others(0);
                });
    });
}

// The thin factor is the beginning of the complete one.
TEST_P(QrBatch, ThinAndComplete) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        FactoredBatch<T> f(handle_, random_batch<T>({27, 11, 3}, 9), {});
        const Matrices<T> whole = f.formed(27);
        for (int64_t n : {11, 12, 20}) {
            const Matrices<T> q = f.formed(n);
            for (size_t j = 0; j < q.size(); ++j)
                for (size_t x = 0; x < q[j].data.size(); ++x)
                    EXPECT_LE(std::abs(q[j].data[x] - whole[j].data[x]), 10 * unit_roundoff<T>);
        }
    });
}

// X, and the sums of squares below it, compared with LAPACK's gels
TEST_P(QrBatch, LeastSquaresAndLeastNorm) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr auto adjoint_op = is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T;
        for (const Shape &s : {Shape{8, 8, 9},
                               {16, 9, 4},
                               {9, 16, 4},
                               {5, 1, 3},
                               {13, 12, 9},
                               {24, 7, 5},
                               {31, 30, 3},
                               {33, 20, 3},
                               {20, 33, 2},
                               {70, 61, 2},
                               {61, 70, 1},
                               {160, 90, 1},
                               {100, 16, 5},
                               {300, 10, 2}})
            for (int64_t nrhs : {1, 3, 40})
                for (auto op : {XBATCH_OP_N, adjoint_op})
                    for_layouts(nrhs, [&](BatchPlacing placing) {
                        SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", nrhs " << nrhs << ", op " << op);
                        const Matrices<T> a = random_batch<T>(s, 5, 8),
                                          b = random_batch<T>({std::max(s.m, s.n), nrhs, s.batch}, 6);
                        const SolvedBatch<T> solved = solve_gels_batch(handle_, op, a, b, placing);
                        const int64_t unknowns = op == XBATCH_OP_N ? s.n : s.m, rows = op == XBATCH_OP_N ? s.m : s.n;
                        for (size_t j = 0; j < a.size(); ++j) {
                            EXPECT_EQ(solved.infos[j], 0);
                            Dense<T> expected = b[j];
                            lapack_gels(op != XBATCH_OP_N, a[j], expected);
                            long double worst = 0;
                            for (int64_t r = 0; r < nrhs; ++r) {
                                long double found = 0, wanted = 0;
                                for (int64_t i = 0; i < unknowns; ++i)
                                    worst = worse(worst, std::abs(solved.b[j](i, r) - expected(i, r)));
                                for (int64_t i = unknowns; i < rows; ++i)
                                    found += std::norm(solved.b[j](i, r)), wanted += std::norm(expected(i, r));
                                worst = worse(worst, std::fabs(std::sqrt(found) - std::sqrt(wanted)) / 8);
                            }
                            EXPECT_LE(ratio<T>(worst, std::max(s.m, s.n), 1), 4 * bound);
                        }
                    });
    });
}

// Rank-deficient matrices: info is the first zero of R's diagonal, and the others are solved as without it
TEST_P(QrBatch, MatricesWithoutFullRank) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{20, 10, 7}, {8, 8, 7}, {90, 80, 3}, {64, 10, 5}})
            for_layouts(0, [&](BatchPlacing placing) {
                Matrices<T> a = random_batch<T>(s, 1);
                const Matrices<T> b = random_batch<T>({s.m, s.m % 8 == 0 ? 1 : 2, s.batch}, 2);
                const SolvedBatch<T> good = solve_gels_batch(handle_, XBATCH_OP_N, a, b, placing);
                for (int64_t i = 0; i < s.m; ++i) a[1](i, 6) = T(0);
                const SolvedBatch<T> found = solve_gels_batch(handle_, XBATCH_OP_N, a, b, placing);
                for (size_t j = 0; j < a.size(); ++j) {
                    EXPECT_EQ(found.infos[j], j == 1 ? 7 : 0);
                    EXPECT_TRUE(j == 1 || same_bits(found.b[j].data, good.b[j].data));
                }
                if (s.m == s.n) return;  // else a row of zeros, which rounding may change
                Matrices<T> turned;
                for (const Dense<T> &x : a) turned.push_back(adjoint(x));
                EXPECT_EQ(solve_gels_batch(handle_, XBATCH_OP_N, turned, b, placing).infos[1], 7);
                Dense<T> &diagonal = a[1];  // R = A, with one subnormal diagonal entry
                for (T &entry : diagonal.data) entry = T(0);
                for (int64_t i = 0; i < s.n; ++i) diagonal(i, i) = T(1);
                diagonal(3, 3) = T(std::numeric_limits<Real<T>>::min() / 4);
                EXPECT_EQ(solve_gels_batch(handle_, XBATCH_OP_N, a, b, placing).infos[1], 4);
            });
    });
}

// A and B near the ends of the range, at different places for each matrix
TEST_P(QrBatch, NearTheEndsOfTheRange) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{1, 1, 7},
                               {8, 8, 7},
                               {20, 12, 6},
                               {12, 20, 7},
                               {200, 60, 6},
                               {60, 200, 6},
                               {300, 70, 6},
                               {70, 300, 6}}) {
            Matrices<T> a, b;
            for (size_t j = 0; j < size_t(s.batch); ++j) {
                a.push_back(scalable_matrix<T>(s.m, s.n, j));
                b.push_back(random_eighths<T>(std::max(s.m, s.n), s.batch == 7 ? 1 : 3, 9 + j));
            }
            for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T})
                for_layouts(s.n, [&](BatchPlacing placing) {
                    expect_scaled_as_wholes(op, a, b, [&](const Matrices<T> &g, const Matrices<T> &right) {
                        return solve_gels_batch(handle_, op, g, right, placing);
                    });
                });
        }
    });
}

// A number that is not finite: info is its column; columns before it, and all other matrices, are unaffected.
TEST_P(QrBatch, NumbersThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        using L = std::numeric_limits<Real<T>>;
        constexpr Shape shapes[] = {{8, 8, 37},  {16, 12, 20}, {17, 17, 19}, {32, 32, 9}, {60, 40, 3},
                                    {77, 77, 3}, {160, 20, 9}, {160, 40, 3}, {160, 70, 3}};
        for (const Shape &s : shapes)
            for_layouts(0, [&](BatchPlacing placing) {
                const Matrices<T> good = random_batch<T>(s, 4);
                const FactoredBatch<T> expected(handle_, good, placing);
                for (Real<T> wrong : {L::quiet_NaN(), L::infinity()})
                    for (int64_t column : {int64_t(0), s.n / 2, s.n - 1})
                        for (int64_t row : {int64_t(0), s.m - 1}) {
                            Matrices<T> a = good;
                            a[1](row, column) = scalar<T>(wrong, wrong);
                            const FactoredBatch<T> f(handle_, a, placing);
                            for (size_t j = 0; j < a.size(); ++j) {
                                EXPECT_EQ(f.infos[j], j == 1 ? column + 1 : 0) << row << ", " << column;
                                EXPECT_TRUE(j == 1 || same_bits(f.packed[j].data, expected.packed[j].data));
                            }
                            for (size_t x = 0; x < size_t(column * s.m); ++x)
                                EXPECT_LE(std::abs(f.packed[1].data[x] - expected.packed[1].data[x]),
                                          100 * double(s.m) * unit_roundoff<T>);
                            const Matrices<T> b = random_batch<T>({s.m, 2, s.batch}, 1);
                            EXPECT_EQ(solve_gels_batch(handle_, XBATCH_OP_N, a, b, placing).infos[1], column + 1);
                        }
            });
    });
}

// Good pivots, and unknowns that are not finite in one matrix: info is one more than the last pivot's number there.
TEST_P(QrBatch, SolutionsThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{1, 1, 40},
                               {5, 3, 40},
                               {8, 8, 33},
                               {9, 30, 17},
                               {64, 20, 9},
                               {200, 90, 3},
                               {70, 300, 3},
                               {520, 40, 2}})
            for (int64_t nrhs : {1, 3})
                for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T})
                    for_layouts(0, [&](BatchPlacing placing) {
                        SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", op " << op << ", nrhs " << nrhs);
                        const int64_t rows = std::max(s.m, s.n), k = std::min(s.m, s.n), victim = s.batch / 2;
                        const Matrices<T> a = random_batch<T>(s, 1, 8), b = random_batch<T>({rows, nrhs, s.batch}, 2);
                        const SolvedBatch<T> good = solve_gels_batch(handle_, op, a, b, placing);
                        const auto expect = [&](const Matrices<T> &g, const Matrices<T> &right) {
                            const SolvedBatch<T> found = solve_gels_batch(handle_, op, g, right, placing);
                            for (int64_t j = 0; j < s.batch; ++j) {
                                EXPECT_EQ(found.infos[j], j == victim ? k + 1 : 0) << "matrix " << j;
                                EXPECT_TRUE(j == victim || same_bits(found.b[j].data, good.b[j].data));
                            }
                        };
                        const int64_t given = op == XBATCH_OP_N ? s.m : s.n;
                        for (int64_t row : {int64_t(0), given / 2, given - 1}) {
                            Matrices<T> bad = b;
                            bad[victim](row, nrhs - 1) = numbers_not_finite<T>()[size_t(row % 3)];
                            expect(a, bad);
                        }
                        Matrices<T> tiny = a, huge = b;
                        for (T &entry : tiny[victim].data) entry *= small<T>();
                        for (T &entry : huge[victim].data) entry = T(large<T>());
                        expect(tiny, huge);
                    });
    });
}

// More matrices than a GPU holds, so that its blocks factor several in sequence: equal ones get the same bits, and
// finite results are near those of a small batch.
TEST_P(QrBatch, MoreThanAreHeldAtOnce) {
    if (!is_cuda()) GTEST_SKIP() << "of CUDA";
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr size_t period = 61;
        for (const Shape &s : {Shape{8, 8, 30011},
                               {12, 13, 9001},
                               {32, 32, 2503},
                               {33, 33, 1103},
                               {129, 33, 1201},
                               {40, 64, 1061},
                               {64, 64, 551},
                               {50, 12, 2203},
                               {100, 33, 701}}) {
            Matrices<T> few;
            for (size_t j = 0; j < period; ++j)
                few.push_back(matrix_of_kind<T>(j % 3 ? 0 : int64_t(j) / 3, s.m, s.n, j));
            few[7](s.m - 1, 2) = scalar<T>(std::numeric_limits<Real<T>>::quiet_NaN(), 0);
            Matrices<T> many;
            for (size_t j = 0; j < size_t(s.batch); ++j) many.push_back(few[j % period]);
            for (xbatchLayout_t layout : all_layouts)
                for (int64_t padding : {0, 4}) {
                    SCOPED_TRACE(testing::Message() << layout_name(layout) << ", " << s.m << " x " << s.n);
                    const BatchPlacing placing{layout, padding, 2 * padding, 0};
                    const FactoredBatch<T> expected(handle_, few, placing), f(handle_, many, placing);
                    for (size_t j = 0; j < period; ++j)
                        for (size_t x = 0; j % 3 != 0 && j != 7 && x < few[j].data.size(); ++x)
                            ASSERT_LE(std::abs(f.packed[j].data[x] - expected.packed[j].data[x]),
                                      1e4 * double(s.m) * unit_roundoff<T>)
                                << "matrix " << j;
                    for (size_t j = 0; j < many.size(); ++j) {
                        const size_t first = j % period;
                        ASSERT_TRUE(f.infos[j] == expected.infos[first] &&
                                    same_bits(f.packed[j].data, f.packed[first].data) &&
                                    same_bits(f.tau[j].data, f.tau[first].data))
                            << "matrix " << j;
                    }
                }
        }
    });
}

TEST_P(QrBatch, TheSameBitsHoweverManyThreads) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        if (is_cuda()) GTEST_SKIP() << "of the host alone";
        for (const Shape &s : {Shape{20, 17, 50}, {150, 60, 5}}) {
            const Matrices<T> a = random_batch<T>(s, 4);
            Matrices<T> expected;
            for (int threads : {1, 2, 3, 8}) {
                ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                const FactoredBatch<T> f(handle_, a, {});
                if (expected.empty()) expected = f.packed;
                for (size_t j = 0; j < a.size(); ++j)
                    EXPECT_TRUE(same_bits(f.packed[j].data, expected[j].data)) << threads << " threads";
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, QrBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, QrBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

// A graph of all routines, captured once and replayed, gives the bits of plain calls.
TEST(QrBatchCuda, CapturedAndReplayed) {
    Handle device(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(device);
    constexpr auto where = XBATCH_BACKEND_CUDA;
    constexpr auto flat = XBATCH_LAYOUT_FLAT;
    constexpr int64_t m = 40, n = 12, batch = 50;
    Matrices<double> a, b;
    for (uint64_t j = 0; j < batch; ++j)
        a.push_back(random_matrix<double>(m, n, j)), b.push_back(random_matrix<double>(m, 2, 99 + j));
    PlacedBatch<double> q(where, m, n, a, {}), matrices(where, m, n, a, {}, false), right(where, m, 2, b, {}),
        tau(where, n, 1, Matrices<double>(batch, Dense<double>(n, 1)), {}),
        r(where, n, n, Matrices<double>(batch, Dense<double>(n, n)), {});
    const auto work = [&] {
        EXPECT_EQ(dgeqrfBatch(device, flat, m, n, batch, q.data(), m, m * n, tau.data(), n, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(dorgqrBatch(device, flat, m, n, n, batch, q.data(), m, m * n, tau.data(), n, nullptr, 0),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(dgelsBatch(device, flat, XBATCH_OP_N, m, n, 2, batch, matrices.data(), m, m * n, right.data(), m,
                             2 * m, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(dgeqrfQlessBatch(device, flat, m, n, 0, batch, matrices.data(), m, m * n, r.data(), n, n * n, nullptr,
                                   m, 0, nullptr, nullptr, 0),
                  XBATCH_STATUS_SUCCESS);
    };
    capture_and_replay(device, work, 3, [&] {
        for (size_t j = 0; j < batch; ++j) {
            to_device(q.data() + j * m * n, a[j].data.data(), m * n * sizeof(double));
            to_device(right.data() + j * 2 * m, b[j].data.data(), 2 * m * sizeof(double));
        }
    });
    FactoredBatch<double> f(device, a, {});
    const Matrices<double> expected = f.formed(n), found = q.read(), x = right.read(), upper = r.read();
    const SolvedBatch<double> solved = solve_gels_batch(device, XBATCH_OP_N, a, b, {});
    const QlessResults<double> qless = factor_qless(device, a, Matrices<double>(batch, Dense<double>(m, 0)), {});
    for (size_t j = 0; j < batch; ++j) {
        EXPECT_TRUE(same_bits(found[j].data, expected[j].data));
        EXPECT_TRUE(same_bits(x[j].data, solved.b[j].data));
        EXPECT_TRUE(same_bits(upper[j].data, qless.r[j].data));
    }
}

}  // namespace
}  // namespace xbatch_test
