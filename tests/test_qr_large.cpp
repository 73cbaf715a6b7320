// test_qr_large.cpp: batched QR of matrices that several GPU blocks factor together: of more rows than a block holds,
// of more than all blocks hold, and few matrices of many columns. Ratios, bound and LAPACK as in test_qr_batch.cpp.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "support/fixtures/qr_batch.hpp"

namespace xbatch_test {
namespace {

constexpr long double bound = 10;

using Shape = BatchShape;

class QrLarge : public QrBatchOn {
protected:
    template <class F>
    void for_layouts(F f) {
        for (xbatchLayout_t layout : all_layouts) {
            SCOPED_TRACE(layout_name(layout));
            f(BatchPlacing{layout, layout == XBATCH_LAYOUT_FLAT ? 1 : 0, 2, 1});
        }
    }
    template <class T>
    void expect_factored(const Matrices<T> &a, BatchPlacing placing, int64_t more_columns = 0) {
        const int64_t m = a[0].m, n = a[0].n;
        QrBatchOn::expect_factored(a, placing, std::min(m, std::min(m, n) + more_columns));
    }
    // R with its signs, V and tau, of well-conditioned matrices
    template <class T>
    void expect_lapacks(const Shape &s, double diagonal, BatchPlacing placing) {
        SCOPED_TRACE(testing::Message() << s.m << " x " << s.n);
        const Matrices<T> a = random_batch<T>(s, 3, diagonal);
        const FactoredBatch<T> f(handle_, a, placing);
        for (size_t j = 0; j < a.size(); ++j) {
            Dense<T> expected = a[j];
            lapack_geqrf(expected);
            long double worst = 0;
            for (size_t x = 0; x < expected.data.size(); ++x)
                worst = worse(worst, std::abs(f.packed[j].data[x] - expected.data[x]));
            EXPECT_LE(ratio<T>(worst, std::max(s.m, s.n), diagonal), bound);
            // |v|^2 = 2 Re(1 / tau), unless H = I
            for (int64_t k = 0; k < f.k(); ++k) {
                long double squares = 1;
                for (int64_t i = k + 1; i < s.m; ++i) squares += std::norm(f.packed[j](i, k));
                const auto tau = f.tau[j](k, 0);
                if (tau != T(0)) {
                    const long double inverse = (long double)(std::real(tau)) / std::norm(tau);
                    EXPECT_LE(ratio<T>(std::fabs(squares - 2 * inverse), s.m, 2), bound);
                }
            }
        }
    }
};

TEST_P(QrLarge, Tall) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{4097, 3, 3}, {4200, 35, 1}})
            for_layouts([&](BatchPlacing placing) { expect_factored(random_batch<T>(s, 3), placing); });
    });
}

TEST_P(QrLarge, FewWithManyColumns) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{1030, 70, 2}, {513, 130, 1}})
            for_layouts([&](BatchPlacing placing) { expect_factored(random_batch<T>(s, 3), placing, 9); });
    });
}

TEST_P(QrLarge, SquareAndWideFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Shape &s : {Shape{545, 545, 1}, {514, 600, 1}})
            expect_factored(random_batch<T>(s, 3), {XBATCH_LAYOUT_FLAT, 3, 0, 1});
    });
}

TEST_P(QrLarge, Kinds) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        using R = Real<T>;
        using L = std::numeric_limits<R>;
        Matrices<T> a;
        for (int64_t j = 0; j < batch_kinds; ++j) a.push_back(matrix_of_kind<T>(j * 5, 1640, 40, uint64_t(j)));
        Dense<T> quotients_overflow = a[0];
        for (int64_t c = 0; c < 40; ++c)
            for (int64_t i = 0; i < 1640; ++i)
                quotients_overflow(i, c) *= c % 2 ? L::max() / 1024 : R(sizeof(R) == 8 ? 0x1p-45 : 0x1p-18);
        a.push_back(quotients_overflow);
        expect_factored(a, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});
        expect_factored(a, {XBATCH_LAYOUT_FLAT, 2, 1, 0});
    });
}

TEST_P(QrLarge, TheIdentityStays) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        Dense<T> a(4100, 40);
        for (int64_t i = 0; i < a.n; ++i) a(i, i) = T(1);
        FactoredBatch<T> f(handle_, {a, a}, {});
        for (const Dense<T> &packed : f.packed) EXPECT_EQ(packed.data, a.data);
        for (const Dense<T> &tau : f.tau) EXPECT_EQ(tau.data, std::vector<T>(size_t(a.n), T(0)));
    });
}

// Triangles, and below them entries of all sizes: panels that a GPU factors by products of their columns, and others
TEST_P(QrLarge, HardlyAnythingToEliminate) {
    if (!is_cuda()) GTEST_SKIP() << "on a GPU only";
    for_type([&](auto zero) {
        using T = decltype(zero);
        Matrices<T> a = random_batch<T>({1640, 40, 4}, 8);
        for (size_t j = 0; j < a.size(); ++j)
            for (int64_t c = 0; c < 40; ++c) {
                a[j](c, c) += T(8);
                for (int64_t i = c + 1; i < 1640; ++i) a[j](i, c) *= T(std::pow(Real<T>(1000), -1 - Real<T>(j)));
            }
        expect_factored(a, {XBATCH_LAYOUT_FLAT, 1, 1, 0});
    });
}

TEST_P(QrLarge, FactorsAreLapacks) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        expect_lapacks<T>({4200, 70, 2}, 80, {XBATCH_LAYOUT_FLAT, 1, 3, 1});
        expect_lapacks<T>({600, 150, 2}, 40, {XBATCH_LAYOUT_BLOCK_INTERLEAVED, 1, 0, 0});
    });
}

// More rows than all blocks hold at once, and more matrices than are factored at a time
TEST_P(QrLarge, BeyondAllBlocksFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        expect_lapacks<T>({150000, 35, 1}, 500, {});
        expect_lapacks<T>({131072, 32, 1}, 500, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});  // flat in memory
        expect_lapacks<T>({9000, 33, 30}, 120, {});
    });
}

// A trailing matrix so large that most of it is updated while the next panels are factored, one or two of them
TEST_P(QrLarge, LookAheadFull) {
    if (!is_cuda()) GTEST_SKIP() << "on a GPU only";
    for_type([&](auto zero) {
        using T = decltype(zero);
        expect_lapacks<T>({136, 23000, 1}, 40, {});
        expect_lapacks<T>({200, 10000, 2}, 60, {XBATCH_LAYOUT_INTERLEAVED, 0, 0, 0});
    });
}

// Panels that a GPU factors by trees: kinds of matrices, most of which need Q; of the slow complex types zero columns
TEST_P(QrLarge, TreesFull) {
    if (!is_cuda()) GTEST_SKIP() << "on a GPU only";
    for_type([&](auto zero) {
        using T = decltype(zero);
        std::vector<int64_t> kinds = {7};
        if (!is_complex<T>) kinds.push_back(12);
        if (std::is_same_v<T, double>) kinds.insert(kinds.end(), {3, 4, 8, 10, 15});
        for (int64_t kind : kinds)
            expect_factored<T>({matrix_of_kind<T>(kind, 174800, 24, 5)}, {XBATCH_LAYOUT_FLAT, kind % 2, 0, 0});
    });
}

// Further panels after trees, and several matrices
TEST_P(QrLarge, TreesAndPanelsFull) {
    if (!is_cuda() || GetParam().type != XBATCH_R_64F) GTEST_SKIP() << "in double on a GPU only";
    expect_lapacks<double>({65600, 130, 1}, 300, {XBATCH_LAYOUT_FLAT, 1, 1, 1});
    expect_lapacks<double>({65600, 65, 2}, 300, {XBATCH_LAYOUT_FLAT, 2, 0, 0});
}

// LAPACK's form, the identity, and columns that are not finite
TEST_P(QrLarge, TreesAreLapacksFull) {
    if (!is_cuda()) GTEST_SKIP() << "on a GPU only";
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr int64_t m = 65600, n = 70;
        expect_lapacks<T>({m, n, 1}, 300, {});
        Dense<T> identity(m, n);
        for (int64_t i = 0; i < n; ++i) identity(i, i) = T(1);
        EXPECT_EQ(FactoredBatch<T>(handle_, {identity}, {}).packed[0].data, identity.data);

        const Matrices<T> good = random_batch<T>({m, n, 1}, 4);
        const FactoredBatch<T> expected(handle_, good, {});
        for (int64_t column : {0, 40, 63, 69}) {
            Matrices<T> wrong = good;
            wrong[0](m - 1, column) = T(std::numeric_limits<Real<T>>::quiet_NaN());
            const FactoredBatch<T> f(handle_, wrong, {});
            EXPECT_EQ(f.infos[0], column + 1);
            for (size_t x = 0; x < size_t(column * m); ++x)
                EXPECT_LE(std::abs(f.packed[0].data[x] - expected.packed[0].data[x]), 100 * m * unit_roundoff<T>);
        }
    });
}

// op(Q) C reflector by reflector, in x87 arithmetic
template <class T>
Dense<Wide<T>> reflected(const Dense<T> &packed, const Dense<T> &tau, bool is_adjoint, const Dense<T> &c) {
    const Dense<Wide<T>> v = widened(packed), t = widened(tau);
    Dense<Wide<T>> product = widened(c);
    for (int64_t s = 0; s < t.m; ++s) {
        const int64_t k = is_adjoint ? s : t.m - 1 - s;
        for (int64_t q = 0; q < c.n; ++q) {
            Wide<T> sum = product(k, q);
            for (int64_t i = k + 1; i < c.m; ++i) sum += adjoint_of(v(i, k)) * product(i, q);
            sum *= is_adjoint ? adjoint_of(t(k, 0)) : t(k, 0);
            product(k, q) -= sum;
            for (int64_t i = k + 1; i < c.m; ++i) product(i, q) -= v(i, k) * sum;
        }
    }
    return product;
}

// C op(Q) is the adjoint of op(Q)^H C^H.
TEST_P(QrLarge, Products) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[s, other] : {std::pair<Shape, int64_t>{{4101, 9, 2}, 3}, {{300, 70, 2}, 66}})
            for_layouts([&, s = s, other = other](BatchPlacing placing) {
                FactoredBatch<T> f(handle_, random_batch<T>(s, 5), placing);
                const Matrices<T> c = random_batch<T>({s.m, other, s.batch}, 6);
                Matrices<T> turned;
                for (const Dense<T> &x : c) turned.push_back(adjoint(x));
                for (const bool is_adjoint : {false, true}) {
                    SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << ", other " << other);
                    const Matrices<T> of_left = f.times(XBATCH_SIDE_LEFT, is_adjoint ? XBATCH_OP_C : XBATCH_OP_N, c);
                    const Matrices<T> of_right =
                        f.times(XBATCH_SIDE_RIGHT, is_adjoint ? XBATCH_OP_N : XBATCH_OP_C, turned);
                    for (size_t j = 0; j < c.size(); ++j) {
                        const auto expected = reflected(f.packed[j], f.tau[j], is_adjoint, c[j]);
                        for (const Dense<T> &found : {of_left[j], adjoint(of_right[j])}) {
                            auto error = widened(found);
                            for (size_t x = 0; x < error.data.size(); ++x) error.data[x] -= expected.data[x];
                            EXPECT_LE(ratio<T>(one_norm(error), s.m, one_norm(expected)), bound);
                        }
                    }
                }
            });
    });
}

// A batch that fills the device: products with reflectors have one part, and reflectors are applied by T
TEST_P(QrLarge, ProductsOfMany) {
    if (!is_cuda()) GTEST_SKIP() << "on a GPU only";
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr int64_t m = 130, n = 40, other = 70, batch = 230;
        FactoredBatch<T> f(handle_, random_batch<T>({m, n, batch}, 5), {});
        const Matrices<T> c = random_batch<T>({m, other, batch}, 6);
        for (const bool is_adjoint : {false, true}) {
            const Matrices<T> products = f.times(XBATCH_SIDE_LEFT, is_adjoint ? XBATCH_OP_C : XBATCH_OP_N, c);
            for (size_t j : {size_t(0), size_t(batch / 2), size_t(batch - 1)}) {
                const auto expected = reflected(f.packed[j], f.tau[j], is_adjoint, c[j]);
                auto error = widened(products[j]);
                for (size_t x = 0; x < error.data.size(); ++x) error.data[x] -= expected.data[x];
                EXPECT_LE(ratio<T>(one_norm(error), m, one_norm(expected)), bound);
            }
        }
    });
}

// A number that is not finite: info is its column; columns before it, and all other matrices, are unaffected.
TEST_P(QrLarge, NumbersThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        using L = std::numeric_limits<Real<T>>;
        for (const Shape &s : {Shape{4097, 4, 3}, {820, 80, 3}}) {
            const Matrices<T> good = random_batch<T>(s, 4);
            const FactoredBatch<T> expected(handle_, good, {});
            for (Real<T> wrong : {L::quiet_NaN(), L::infinity()})
                for (int64_t column : {int64_t(0), s.n / 2, s.n - 1}) {
                    Matrices<T> a = good;
                    a[1](column % 2 == 0 ? 0 : s.m - 1, column) = scalar<T>(wrong, wrong);
                    const FactoredBatch<T> f(handle_, a, {});
                    for (size_t j = 0; j < a.size(); ++j) {
                        EXPECT_EQ(f.infos[j], j == 1 ? column + 1 : 0);
                        EXPECT_TRUE(j == 1 || same_bits(f.packed[j].data, expected.packed[j].data));
                    }
                    for (size_t x = 0; x < size_t(column * s.m); ++x)
                        EXPECT_LE(std::abs(f.packed[1].data[x] - expected.packed[1].data[x]),
                                  100 * double(s.m) * unit_roundoff<T>);
                }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Host, QrLarge, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, QrLarge, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

// A graph of factorisation and Q, captured once and replayed, gives the bits of plain calls.
TEST(QrLargeCuda, CapturedAndReplayed) {
    Handle device(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(device);
    constexpr auto where = XBATCH_BACKEND_CUDA;
    constexpr auto flat = XBATCH_LAYOUT_FLAT;
    constexpr int64_t m = 40000, n = 40, batch = 2;
    Matrices<double> a;
    for (uint64_t j = 0; j < batch; ++j) a.push_back(random_matrix<double>(m, n, j));
    PlacedBatch<double> q(where, m, n, a, {}), tau(where, n, 1, Matrices<double>(batch, Dense<double>(n, 1)), {});
    size_t bytes = 0, more = 0;
    ASSERT_EQ(dgeqrfBatch_bufferSize(device, flat, m, n, batch, &bytes), XBATCH_STATUS_SUCCESS);
    ASSERT_EQ(dorgqrBatch_bufferSize(device, flat, m, n, n, batch, &more), XBATCH_STATUS_SUCCESS);
    bytes = std::max(bytes, more);
    Workspace workspace(where, bytes);
    const auto work = [&] {
        EXPECT_EQ(
            dgeqrfBatch(device, flat, m, n, batch, q.data(), m, m * n, tau.data(), n, nullptr, workspace.data(), bytes),
            XBATCH_STATUS_SUCCESS);
        EXPECT_EQ(dorgqrBatch(device, flat, m, n, n, batch, q.data(), m, m * n, tau.data(), n, workspace.data(), bytes),
                  XBATCH_STATUS_SUCCESS);
    };
    capture_and_replay(device, work, 3, [&] {
        for (size_t j = 0; j < batch; ++j) to_device(q.data() + j * m * n, a[j].data.data(), m * n * sizeof(double));
    });
    FactoredBatch<double> f(device, a, {});
    const Matrices<double> expected = f.formed(n), found = q.read();
    for (size_t j = 0; j < batch; ++j) EXPECT_TRUE(same_bits(found[j].data, expected[j].data));
}

}  // namespace
}  // namespace xbatch_test
