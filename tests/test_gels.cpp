// test_gels.cpp: least squares by tiled QR: X compared with LAPACK's gels, the residual, rank-deficient matrices; and
// near the ends of the types' ranges, where X equals that for matrices of usual size, times a power of two. Batches
// with one right-hand side, which a GPU solves by kernels of their own.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/fixtures/qr_batch.hpp"
#include "support/residuals/info.hpp"

namespace xbatch_test {
namespace {

constexpr long double bound = 10;

class Gels : public QrOn {};

// Least squares: the residual is orthogonal to A; least norm: X solves, and equals that of LAPACK. Ratios of dqrt16,
// dqrt17.
TEST_P(Gels, LeastSquares) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const xbatchTiledConfig_t configs[] = {{16, 16, 8, 1, XBATCH_TREE_FLAT}, {16, 8, 4, 2, XBATCH_TREE_DOMAINS}};
        for (const xbatchTiledConfig_t &config : configs)
            for (const auto &[m, n] : {std::pair<int64_t, int64_t>{40, 40}, {75, 20}, {20, 75}, {1, 4}, {3, 1}})
                for (int64_t nrhs : {1, 2, 33})
                    for (auto op : {XBATCH_OP_N, XBATCH_OP_C}) {
                        SCOPED_TRACE(testing::Message() << m << " x " << n << ", nrhs " << nrhs << ", op " << op);
                        Dense<T> a = random_matrix<T>(m, n, 3);
                        for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += T(8);
                        const Dense<T> opa = op == XBATCH_OP_N ? a : adjoint(a),
                                       b = random_matrix<T>(std::max(m, n), nrhs, 8);
                        const Solved<T> solved = solve_gels(handle_, op, a, b, &config);
                        EXPECT_EQ(solved.info, 0);
                        Dense<T> x(opa.n, nrhs), expected = b;
                        for (int64_t j = 0; j < nrhs; ++j)
                            for (int64_t i = 0; i < x.m; ++i) x(i, j) = solved.b(i, j);
                        Dense<Wide<T>> residual(opa.m, nrhs), normal(opa.n, nrhs);
                        for (int64_t j = 0; j < nrhs; ++j)
                            for (int64_t i = 0; i < opa.m; ++i) residual(i, j) = Wide<T>(b(i, j));
                        const long double size = one_norm(widened(a)), right = one_norm(residual);
                        subtract_product(residual, widened(opa), widened(x));
                        if (opa.m <= opa.n) {
                            EXPECT_LE(ratio<T>(one_norm(residual), std::max(m, n), size * one_norm(widened(x))), bound);
                        } else {
                            subtract_product(normal, widened(adjoint(opa)), residual);
                            EXPECT_LE(ratio<T>(one_norm(normal), std::max(m, n), size * right), bound);
                        }
                        lapack_gels(op != XBATCH_OP_N, a, expected);
                        long double worst = 0;
                        for (int64_t j = 0; j < nrhs; ++j)
                            for (int64_t i = 0; i < x.m; ++i)
                                worst = worse(worst, modulus(Wide<T>(x(i, j)) - Wide<T>(expected(i, j))));
                        EXPECT_LE(ratio<T>(worst, std::max(m, n), 1), 10);
                    }
    });
}

// The rows below X have the norm of the residual.
TEST_P(Gels, NormOfTheResidual) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Dense<T> a = random_matrix<T>(50, 12, 1), b = random_matrix<T>(50, 3, 2);
        const xbatchTiledConfig_t config = {16, 8, 4, 2, XBATCH_TREE_DOMAINS};
        const Dense<T> x = solve_gels(handle_, XBATCH_OP_N, a, b, &config).b;
        for (int64_t j = 0; j < 3; ++j) {
            long double below = 0, direct = 0;
            for (int64_t i = 0; i < 50; ++i) {
                Wide<T> r = Wide<T>(b(i, j));
                for (int64_t k = 0; k < 12; ++k) r -= Wide<T>(a(i, k)) * Wide<T>(x(k, j));
                direct += modulus(r) * modulus(r);
                if (i >= 12) below += modulus(Wide<T>(x(i, j))) * modulus(Wide<T>(x(i, j)));
            }
            EXPECT_LE(std::fabs(below - direct), 100 * unit_roundoff<T> * direct);
        }
    });
}

TEST_P(Gels, MatricesWithoutFullRank) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const xbatchTiledConfig_t config = {8, 4, 4, 1, XBATCH_TREE_FLAT};
        Dense<T> a = random_matrix<T>(20, 10, 1), b = random_matrix<T>(20, 1, 2);
        for (int64_t i = 0; i < 20; ++i) a(i, 6) = T(0);
        EXPECT_EQ(solve_gels(handle_, XBATCH_OP_N, a, b, &config).info, 7);
        EXPECT_EQ(solve_gels(handle_, XBATCH_OP_N, adjoint(a), b, &config).info, 7);
        Dense<T> diagonal(20, 10);  // R = A, with one subnormal diagonal entry
        for (int64_t i = 0; i < 10; ++i) diagonal(i, i) = T(1);
        diagonal(3, 3) = T(std::numeric_limits<Real<T>>::min() / 4);
        EXPECT_EQ(solve_gels(handle_, XBATCH_OP_N, diagonal, b, &config).info, 4);
    });
}

// From the smallest numbers with all these bits to those whose column norms overflow
TEST_P(Gels, NearTheEndsOfTheRange) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        using L = std::numeric_limits<Real<T>>;
        constexpr int low = L::min_exponent - L::digits + 4, high = L::max_exponent - 1;
        const xbatchTiledConfig_t config = {16, 8, 4, 2, XBATCH_TREE_DOMAINS};
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{200, 20}, {20, 200}})
            for (auto op : {XBATCH_OP_N, XBATCH_OP_C}) {
                const Dense<T> a = random_eighths<T>(m, n, 3), b = random_eighths<T>(200, 3, 8);
                const Solved<T> usual = solve_gels(handle_, op, a, b, &config);
                const int64_t unknowns = op == XBATCH_OP_N ? n : m;
                for (const auto &[ea, eb] : {std::pair<int, int>{low, low},
                                             {high, high - 4},
                                             {0, high - 4},
                                             {low, low + L::max_exponent - 20}}) {
                    SCOPED_TRACE(testing::Message()
                                 << m << " x " << n << ", op " << op << ", 2^" << ea << ", 2^" << eb);
                    const Solved<T> solved =
                        solve_gels(handle_, op, times_power_of_two(a, ea), times_power_of_two(b, eb), &config);
                    EXPECT_EQ(solved.info, 0);
                    const Dense<T> x = times_power_of_two(solved.b, ea - eb), rest = times_power_of_two(solved.b, -eb);
                    const int64_t rows = eb == low ? unknowns : b.m;  // below X numbers are rounded
                    long double worst = 0;
                    for (int64_t j = 0; j < b.n; ++j)
                        for (int64_t i = 0; i < rows; ++i)
                            worst = worse(
                                worst, modulus(Wide<T>(i < unknowns ? x(i, j) : rest(i, j)) - Wide<T>(usual.b(i, j))));
                    EXPECT_LE(ratio<T>(worst, 200, 1), 10);
                }
            }
    });
}

TEST_P(Gels, MatricesThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (Real<T> wrong : {std::numeric_limits<Real<T>>::quiet_NaN(), std::numeric_limits<Real<T>>::infinity()}) {
            Dense<T> a = random_matrix<T>(30, 10, 3), b = random_matrix<T>(30, 2, 8);
            a(7, 4) = T(wrong);
            EXPECT_EQ(solve_gels(handle_, XBATCH_OP_N, a, b, nullptr).info, 5);
        }
    });
}

// Good pivots, and unknowns that are not finite: info is one more than the last pivot's number.
TEST_P(Gels, SolutionsThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const xbatchTiledConfig_t config = {16, 8, 4, 2, XBATCH_TREE_DOMAINS};
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{1, 1}, {40, 12}, {12, 40}, {30, 30}})
            for (auto op : {XBATCH_OP_N, XBATCH_OP_C})
                for (int64_t nrhs : {1, 3}) {
                    SCOPED_TRACE(testing::Message() << m << " x " << n << ", op " << op << ", nrhs " << nrhs);
                    Dense<T> a = random_matrix<T>(m, n, 3), b = random_matrix<T>(std::max(m, n), nrhs, 8);
                    for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += T(8);
                    const int32_t expected = int32_t(std::min(m, n) + 1);
                    EXPECT_EQ(solve_gels(handle_, op, a, b, &config).info, 0);
                    const int64_t given = op == XBATCH_OP_N ? m : n;
                    for (int64_t row : {int64_t(0), given / 2, given - 1})
                        for (const T &wrong : numbers_not_finite<T>()) {
                            Dense<T> bad = b;
                            bad(row, nrhs - 1) = wrong;
                            EXPECT_EQ(solve_gels(handle_, op, a, bad, &config).info, expected) << row << ", " << wrong;
                        }
                    for (T &entry : a.data) entry *= small<T>();
                    for (T &entry : b.data) entry = T(large<T>());
                    EXPECT_EQ(solve_gels(handle_, op, a, b, &config).info, expected);
                }
    });
}

class GelsBatch : public QrBatchOn {
protected:
    // A batch in each layout without gaps, and flat with gaps. f(solved, placing)
    template <class T, class F>
    void in_layouts(const Matrices<T> &a, const Matrices<T> &b, F f) {
        for (const BatchPlacing &placing : {BatchPlacing{XBATCH_LAYOUT_FLAT, 0, 0, 0},
                                            {XBATCH_LAYOUT_FLAT, 1, 5, 0},
                                            {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0},
                                            {XBATCH_LAYOUT_BLOCK_INTERLEAVED, 0, 0, 0}}) {
            SCOPED_TRACE(testing::Message() << a[0].m << " x " << a[0].n << ", " << layout_name(placing.layout));
            f(solve_gels_batch(handle_, XBATCH_OP_N, a, b, placing));
        }
    }
    // The first is solved, and the residual of each finite solution is orthogonal to A.
    template <class T>
    static void expect_orthogonal(const Matrices<T> &a, const Matrices<T> &b, const SolvedBatch<T> &solved) {
        EXPECT_EQ(solved.infos[0], 0);
        for (size_t j = 0; j < a.size(); ++j) {
            if (solved.infos[j] != 0) continue;
            const int64_t m = a[j].m, n = a[j].n;
            Dense<Wide<T>> x(n, 1), residual = widened(b[j]), normal(n, 1);
            for (int64_t i = 0; i < n; ++i) x(i, 0) = Wide<T>(solved.b[j](i, 0));
            const long double size = one_norm(widened(a[j])), right = one_norm(residual);
            subtract_product(residual, widened(a[j]), x);
            subtract_product(normal, widened(adjoint(a[j])), residual);
            EXPECT_LE(ratio<T>(one_norm(normal), m, size * (size * one_norm(x) + right)), bound) << "kind " << j;
        }
    }
    // The largest of the first n rows, and that of the norms of the others
    template <class T>
    static long double difference(const Dense<T> &x, const Dense<T> &expected, int64_t n) {
        long double worst = 0, found = 0, wanted = 0;
        for (int64_t i = 0; i < n; ++i) worst = worse(worst, std::abs(x(i, 0) - expected(i, 0)));
        for (int64_t i = n; i < x.m; ++i) found += std::norm(x(i, 0)), wanted += std::norm(expected(i, 0));
        return worse(worst, std::fabs(std::sqrt(found) - std::sqrt(wanted)) / 8);
    }
};

// X, and the norm below it, compared with LAPACK's gels, at the sizes where a GPU takes other kernels
TEST_P(GelsBatch, OneRightHandSide) {
    std::vector<std::pair<int64_t, int64_t>> sizes = {
        {28, 28},  {30, 7},   {32, 32},  {33, 31},   {34, 34},  {40, 10},  {40, 16},  {40, 40},
        {48, 48},  {56, 56},  {64, 48},  {72, 50},   {80, 30},  {90, 40},  {90, 90},  {100, 10},
        {100, 20}, {110, 60}, {120, 12}, {120, 100}, {128, 8},  {128, 30}, {150, 20}, {150, 40},
        {200, 32}, {200, 50}, {250, 20}, {300, 20},  {300, 33}, {400, 50}, {500, 64}};
    for (int64_t n : {1, 7, 8, 12, 16, 17, 24, 25})
        for (int64_t m : {n, n + 1, int64_t(64), int64_t(n < 20 ? 200 : 100)}) sizes.push_back({m, n});
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n] : sizes) {
            const int64_t batch = n < 10 ? 39 : 9;
            const Matrices<T> a = random_batch<T>({m, n, batch}, 5, 8), b = random_batch<T>({m, 1, batch}, 6);
            Matrices<T> all = b;
            for (size_t j = 0; j < a.size(); ++j) lapack_gels(false, a[j], all[j]);
            in_layouts(a, b, [&](const SolvedBatch<T> &solved) {
                for (size_t j = 0; j < a.size(); ++j) {
                    EXPECT_EQ(solved.infos[j], 0);
                    EXPECT_LE(ratio<T>(difference(solved.b[j], all[j], n), a[j].m, 1), 4 * bound);
                }
            });
            // Ones without full rank, or not finite, which are solved again, do not affect the others.
            Matrices<T> wrong = a, right = b;
            for (int64_t i = 0; i < m; ++i) wrong[3](i, n - 1) = T(0);
            wrong[5](m - 1, n / 2) = T(std::numeric_limits<Real<T>>::quiet_NaN());
            right[6](m / 2, 0) = T(std::numeric_limits<Real<T>>::infinity());
            const SolvedBatch<T> good = solve_gels_batch(handle_, XBATCH_OP_N, a, b, {}),
                                 found = solve_gels_batch(handle_, XBATCH_OP_N, wrong, right, {});
            for (size_t j = 0; j < a.size(); ++j) {
                EXPECT_EQ(found.infos[j], j == 3   ? n
                                          : j == 5 ? n / 2 + 1
                                          : j == 6 ? n + 1
                                                   : 0)
                    << m << " x " << n << ", matrix " << j;
                EXPECT_TRUE(j == 3 || j == 5 || j == 6 || same_bits(found.b[j].data, good.b[j].data))
                    << m << " x " << n;
            }
        }
    });
}

// A and B near the ends of the range
TEST_P(GelsBatch, OneRightHandSideNearTheEndsOfTheRange) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{28, 28},
                                   {32, 30},
                                   {40, 10},
                                   {64, 16},
                                   {100, 24},
                                   {100, 64},
                                   {200, 20},
                                   {150, 40},
                                   {500, 33}}) {
            Matrices<T> a, b;
            for (uint64_t j = 0; j < 7; ++j) {
                a.push_back(scalable_matrix<T>(m, n, j));
                b.push_back(random_eighths<T>(m, 1, 9 + j));
            }
            expect_scaled_as_wholes(XBATCH_OP_N, a, b, [&](const Matrices<T> &g, const Matrices<T> &right) {
                return solve_gels_batch(handle_, XBATCH_OP_N, g, right, {});
            });
        }
    });
}

// Ill-conditioned, graded and badly scaled ones: the residual is orthogonal to A where the solution is finite.
TEST_P(GelsBatch, HardMatrices) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{8, 8},
                                   {12, 12},
                                   {20, 19},
                                   {24, 8},
                                   {64, 16},
                                   {32, 32},
                                   {40, 10},
                                   {100, 24},
                                   {200, 20},
                                   {150, 40},
                                   {160, 64},
                                   {225, 64},
                                   {500, 64}}) {
            Matrices<T> a;
            for (int64_t kind = 0; kind < batch_kinds; ++kind) a.push_back(matrix_of_kind<T>(kind, m, n, 3));
            const Matrices<T> b = random_batch<T>({m, 1, batch_kinds}, 6);
            in_layouts(a, b, [&](const SolvedBatch<T> &solved) { expect_orthogonal(a, b, solved); });
        }
    });
}

// The same at all sizes up to 64 rows and many tall ones, whatever a matrix's neighbours are
TEST_P(GelsBatch, AllSizesFull) {
    std::vector<std::pair<int64_t, int64_t>> sizes;
    for (int64_t m = 1; m <= 64; ++m)
        for (int64_t n = 1; n <= m; ++n) sizes.push_back({m, n});
    for (int64_t m : {65, 80, 97, 110, 128, 129, 160, 208, 224, 225, 300, 385, 500, 512})
        for (int64_t n : {1, 2, 5, 8, 9, 11, 12, 13, 16, 17, 20, 24, 25, 32, 33, 41, 50, 64}) sizes.push_back({m, n});
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n] : sizes) {
            SCOPED_TRACE(testing::Message() << m << " x " << n);
            Matrices<T> a, b = random_batch<T>({m, 1, batch_kinds}, 6);
            for (int64_t kind = 0; kind < batch_kinds; ++kind) a.push_back(matrix_of_kind<T>(kind, m, n, 3));
            const SolvedBatch<T> solved = solve_gels_batch(handle_, XBATCH_OP_N, a, b, {});
            expect_orthogonal(a, b, solved);
            for (size_t kind : {3, 4, 5, 6}) EXPECT_EQ(solved.infos[kind], 0) << "kind " << kind;  // scaled as wholes
            std::reverse(a.begin(), a.end()), std::reverse(b.begin(), b.end());
            const SolvedBatch<T> reversed = solve_gels_batch(handle_, XBATCH_OP_N, a, b, {});
            for (size_t j = 0; j < a.size(); ++j) {
                const size_t other = a.size() - 1 - j;
                EXPECT_EQ(solved.infos[j], reversed.infos[other]) << "kind " << j;
                EXPECT_TRUE(same_bits(solved.b[j].data, reversed.b[other].data)) << "kind " << j;
            }
        }
    });
}

// At sizes where a GPU's kernels end, and for few large matrices, which tiled QR solves one by one.
TEST_P(GelsBatch, LargeMatrices) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<BatchShape> shapes = {{4200, 20, 2}, {20, 4200, 2}};
        if (is_cuda()) shapes.insert(shapes.end(), {{1100, 500, 1}, {500, 1100, 1}});
        for (const BatchShape &s : shapes)
            for (auto op : {XBATCH_OP_N, is_complex<T> ? XBATCH_OP_C : XBATCH_OP_T}) {
                SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", op " << op);
                const int64_t rows = std::max(s.m, s.n);
                const Matrices<T> a = random_batch<T>(s, 5, 60), b = random_batch<T>({rows, 3, s.batch}, 6);
                Matrices<T> all = b;
                for (size_t j = 0; j < a.size(); ++j) lapack_gels(op != XBATCH_OP_N, a[j], all[j]);
                for_layouts(3, [&](BatchPlacing placing) {
                    const SolvedBatch<T> solved = solve_gels_batch(handle_, op, a, b, placing);
                    for (size_t j = 0; j < a.size(); ++j) {
                        EXPECT_EQ(solved.infos[j], 0);
                        const Dense<T> &expected = all[j];
                        long double worst = 0;
                        for (int64_t r = 0; r < 3; ++r)
                            for (int64_t i = 0; i < (op == XBATCH_OP_N ? s.n : s.m); ++i)
                                worst = worse(worst, std::abs(solved.b[j](i, r) - expected(i, r)));
                        EXPECT_LE(ratio<T>(worst, rows, 1), bound);
                    }
                });
            }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, GelsBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, GelsBatch, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);
INSTANTIATE_TEST_SUITE_P(Host, Gels, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Gels, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

}  // namespace
}  // namespace xbatch_test
