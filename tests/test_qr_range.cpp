// test_qr_range.cpp: batched QR on the host of matrices whose columns have extreme and very different norms. On a GPU
// columns may be lost next to much larger ones.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/fixtures/qr_batch.hpp"

namespace xbatch_test {
namespace {

constexpr long double bound = 10;
using Shape = BatchShape;

class QrRange : public QrBatchOn {};

// Of column c of matrix j
int exponent(const std::vector<int> &exponents, size_t j, int64_t c) {
    return exponents[(j + size_t(c * (c + 1) / 2)) % exponents.size()];
}

// Columns times powers of two: V and tau do not change, R does as A.
TEST_P(QrRange, ColumnsOfAnySize) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const std::vector<int> exponents = sizeof(Real<T>) == 8 ? std::vector<int>{0, 990, -990, 500, -480, 300, -300}
                                                                : std::vector<int>{0, 110, -110, 60, -70, 40, -30};
        for (const Shape &s : {Shape{8, 8, 9}, {40, 17, 3}, {62, 9, 2}, {130, 20, 2}, {200, 7, 2}, {120, 130, 2}}) {
            Matrices<T> a = random_batch<T>(s, 3, 8), expected = a;
            for (size_t j = 0; j < a.size(); ++j) {
                lapack_geqrf(expected[j]);
                for (int64_t c = 0; c < s.n; ++c)
                    for (int64_t i = 0; i < s.m; ++i) a[j](i, c) *= std::ldexp(Real<T>(1), exponent(exponents, j, c));
            }
            const FactoredBatch<T> f(handle_, a, {});
            for (size_t j = 0; j < a.size(); ++j) {
                long double worst = 0;
                for (int64_t c = 0; c < s.n; ++c)
                    for (int64_t i = 0; i < s.m; ++i) {
                        const Real<T> factor = i <= c ? std::ldexp(Real<T>(1), -exponent(exponents, j, c)) : 1;
                        worst = worse(worst, std::abs(f.packed[j](i, c) * factor - expected[j](i, c)));
                    }
                EXPECT_LE(ratio<T>(worst, std::max(s.m, s.n), 8), bound) << s.m << " x " << s.n;
                EXPECT_EQ(f.infos[j], 0);
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, QrRange, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);

}  // namespace
}  // namespace xbatch_test
