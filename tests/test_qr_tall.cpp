// test_qr_tall.cpp: tiled QR of tall matrices of doubles on CUDA, whose panels are factored by the products of their
// columns if they are well-conditioned, else step by step: matrices of both, and those near the limit.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/fixtures/qr.hpp"
#include "support/generators/qr_kinds.hpp"

namespace xbatch_test {
namespace {

using Config = xbatchTiledConfig_t;
constexpr auto domains = XBATCH_TREE_DOMAINS;
constexpr Config configs[] = {{128, 32, 32, 2, domains}, {128, 32, 32, 1, domains}, {32, 8, 8, 3, domains}};

class QrTallCuda : public testing::Test {
protected:
    QrTallCuda() : handle_(XBATCH_BACKEND_CUDA) {}
    void SetUp() override { XBATCH_NEEDS(handle_); }

    Handle handle_;
};

// Domains and trees of many sizes; heads with fewer rows than a tile, also square ones; a last tile of a few rows
TEST_F(QrTallCuda, Shapes) {
    for (const Config &config : configs)
        for (int64_t m : {513, 1024, 1153, 1311})
            for (int64_t n : {1, 32, 97, 140})
                expect_tiled_factors(handle_, random_matrix<double>(m, n, uint64_t(m + n)), &config,
                                     {m % 2, m % 3 % 2});
    for (const auto &[m, n] : {std::pair<int64_t, int64_t>{4200, 100}, {20001, 33}})
        expect_tiled_factors<double>(handle_, random_matrix<double>(m, n, 7), nullptr);
}

TEST_F(QrTallCuda, Kinds) {
    for (const Kind<double> &kind : kinds<double>())
        for (const Config &config : configs) {
            SCOPED_TRACE(kind.name);
            constexpr int64_t m = 900, n = 70;
            Random random(m);
            Dense<double> a(m, n);
            for (int64_t j = 0; j < n; ++j)
                for (int64_t i = 0; i < m; ++i) a(i, j) = kind.entry(random, i, j, m, n);
            expect_tiled_factors(handle_, a, &config);
        }
}

// Columns that have a large part in common
TEST_F(QrTallCuda, NearlyDependent) {
    for (double common : {1.0, 3.8, 4.2, 10.0, 1e3, 1e7, 1e12})
        for (const Config &config : configs) {
            SCOPED_TRACE(common);
            Dense<double> a = random_matrix<double>(1100, 70, 3);
            const Dense<double> b = random_matrix<double>(1100, 1, 4);
            for (int64_t j = 0; j < a.n; ++j)
                for (int64_t i = 0; i < a.m; ++i) a(i, j) += common * b(i, 0);
            expect_tiled_factors(handle_, a, &config);
        }
}

// Tiles and domains of zeros, and panels of which only one is refused
TEST_F(QrTallCuda, Zeros) {
    for (const Config &config : configs)
        for (int64_t first : {0, 128, 300}) {
            Dense<double> a = random_matrix<double>(1400, 100, 5);
            for (int64_t j = 40; j < 60; ++j)
                for (int64_t i = first; i < a.m; ++i) a(i, j) = 0;
            expect_tiled_factors(handle_, a, &config);
        }
}

// A number that is not finite: info is its column, and the columns before it are factored. Columns of the same panel
// may have other roundings than without it.
TEST_F(QrTallCuda, NumbersThatAreNotFinite) {
    const Dense<double> good = random_matrix<double>(1300, 80, 4);
    for (const Config &config : configs) {
        const Dense<double> expected = Factored<double>(handle_, good, &config).packed();
        for (double wrong : {double(NAN), double(INFINITY)})
            for (int64_t i : {0, 700, 1299})
                for (int64_t j : {0, 31, 40, 79}) {
                    Dense<double> a = good;
                    a(i, j) = wrong;
                    const Factored<double> f(handle_, a, &config);
                    EXPECT_EQ(f.info(), j + 1) << i << ", " << j;
                    const Dense<double> packed = f.packed();
                    for (int64_t c = 0; c < j; ++c)
                        for (int64_t r = 0; r < a.m; ++r)
                            ASSERT_NEAR(packed(r, c), expected(r, c), 1e-11) << r << ", " << c;
                }
    }
}

TEST_F(QrTallCuda, TheSameBits) {
    const Dense<double> a = random_matrix<double>(30000, 130, 4);
    const Factored<double> first(handle_, a, nullptr), second(handle_, a, nullptr);
    EXPECT_TRUE(same_bits(first.packed().data, second.packed().data));
}

}  // namespace
}  // namespace xbatch_test
