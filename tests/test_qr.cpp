// test_qr.cpp: tiled QR: factors, Q applied and formed, on matrices and shapes of many kinds.
//
// LAPACK's ratios of support/fixtures/qr.hpp, and ||op(Q) C - product|| / (m ||C|| eps). Then |R| compared with
// LAPACK's geqrf. The bits are the same for every number of threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/fixtures/qr.hpp"
#include "support/generators/qr_kinds.hpp"

namespace xbatch_test {
namespace {

using Config = xbatchTiledConfig_t;
constexpr auto flat = XBATCH_TREE_FLAT, domains = XBATCH_TREE_DOMAINS;
constexpr long double bound = factor_bound;

class Qr : public QrOn {
protected:
    template <class T>
    void expect_factored(const Dense<T> &a, const Config *config, MatrixPlacing placing = {}) {
        expect_tiled_factors(handle_, a, config, placing);
    }
};

constexpr int64_t sizes[] = {0, 1, 2, 3, 5, 10, 15, 16, 17, 31, 32, 33, 50, 61};

TEST_P(Qr, Shapes) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config configs[] = {{16, 16, 5, 1, flat}, {32, 16, 16, 2, domains}, {16, 8, 8, 1, domains}};
        uint64_t seed = 0;
        for (int64_t m : sizes)
            for (int64_t n : sizes) {
                ++seed;
                const MatrixPlacing placing{int64_t(seed % 3), int64_t(seed % 2)};
                expect_factored(random_matrix<T>(m, n, seed), &configs[seed % 3], placing);
            }
    });
}

// Every grid of tiles, tree, size of domains and of inner blocks
TEST_P(Qr, GridsAndTrees) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        constexpr int64_t b = 8;
        for (int64_t p = 1; p <= 7; ++p)
            for (int64_t q = 1; q <= 4; ++q)
                for (int64_t domain : {0, 1, 2, 3, 4, 7})
                    for (int64_t tall : {1, 2}) {
                        const int64_t ib = 1 + (p + q + domain) % b;
                        const Config config = {tall * b, b, ib, std::max<int64_t>(domain, 1), domain ? domains : flat};
                        const int64_t m = p * tall * b - (p + domain) % 3, n = q * b - q % 3;
                        expect_factored(random_matrix<T>(m, n, uint64_t(p * q)), &config);
                    }
    });
}

TEST_P(Qr, Defaults) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{131, 127}, {70, 200}, {300, 40}}) {
            const Dense<T> a = random_matrix<T>(m, n, 7);
            expect_factored<T>(a, nullptr);
            Config config;
            ASSERT_EQ(xgeqrtTiled_defaults(handle_, GetParam().type, m, n, &config), XBATCH_STATUS_SUCCESS);
            EXPECT_TRUE(same_bits(Factored<T>(handle_, a, nullptr).packed().data,
                                  Factored<T>(handle_, a, &config).packed().data));
        }
    });
}

// Matrices of complete tiles, aligned and not
TEST_P(Qr, WholeTiles) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const int64_t largest = is_cuda() && sizeof(T) == 16 ? 64 : 128;
        for (int64_t b : {int64_t(64), largest})
            for (const Config &config : {Config{b, b, 32, 1, flat}, Config{b, b, 32, 2, domains}})
                for (const MatrixPlacing &placing : {MatrixPlacing{0, 0}, MatrixPlacing{3, 1}})
                    expect_factored(random_matrix<T>(3 * b, 2 * b, uint64_t(b)), &config, placing);
    });
}

// Default sizes with complete tiles, domains of large tiles, and sizes between these
TEST_P(Qr, LargeFull) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const int64_t mb = is_complex<T> && sizeof(T) == 16 ? 64 : 128;
        const Config tall = {mb, 32, 32, 3, domains};
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{1536, 64}, {1500, 90}, {1281, 33}, {2000, 16}})
            for (const MatrixPlacing placing : {MatrixPlacing{}, MatrixPlacing{1, 1}})
                expect_factored(random_matrix<T>(m, n, 7), &tall, placing);
        for (const auto &[m, n] : {std::pair<int64_t, int64_t>{700, 509}, {300, 700}, {4200, 100}})
            expect_factored<T>(random_matrix<T>(m, n, 7), nullptr);
    });
}

TEST_P(Qr, Kinds) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config configs[] = {
            {16, 8, 4, 2, domains}, {16, 8, 8, 2, domains}, {8, 8, 8, 1, flat}, {64, 64, 32, 1, flat}};
        for (const Kind<T> &kind : kinds<T>())
            for (const Config &config : configs)
                for (const auto &[m, n] : {std::pair<int64_t, int64_t>{33, 21}, {21, 33}, {50, 7}}) {
                    SCOPED_TRACE(kind.name);
                    Random random(static_cast<uint64_t>(m));
                    Dense<T> a(m, n);
                    for (int64_t j = 0; j < n; ++j)
                        for (int64_t i = 0; i < m; ++i) a(i, j) = kind.entry(random, i, j, m, n);
                    expect_factored(a, &config);
                }
    });
}

// The distributions of LAPACK's test matrices (latms): one large, one small, geometric, arithmetic, random
TEST_P(Qr, SingularValues) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const double eps = double(std::numeric_limits<Real<T>>::epsilon());
        const Config configs[] = {{16, 8, 4, 2, domains}, {64, 64, 32, 1, flat}};
        for (const double kappa : {2.0, std::sqrt(0.1 / eps), 0.1 / eps})
            for (int profile = 1; profile <= 5; ++profile)
                for (const auto &[m, n] : {std::pair<int64_t, int64_t>{70, 41}, {41, 70}}) {
                    SCOPED_TRACE("kappa " + std::to_string(kappa) + ", profile " + std::to_string(profile));
                    const int64_t k = std::min(m, n);
                    Random random(static_cast<uint64_t>(profile));
                    std::vector<double> s;
                    for (int64_t i = 0; i < k; ++i) {
                        const double t = double(i) / double(k - 1);
                        s.push_back(profile == 1   ? (i == 0 ? 1 : 1 / kappa)
                                    : profile == 2 ? (i == k - 1 ? 1 / kappa : 1)
                                    : profile == 3 ? std::pow(kappa, -t)
                                    : profile == 4 ? 1 - t * (1 - 1 / kappa)
                                                   : std::pow(kappa, -std::fabs(random.uniform())));
                    }
                    for (const Config &config : configs) expect_factored(with_singular_values<T>(m, n, s), &config);
                }
    });
}

// A triangle is not changed, not even a sign.
TEST_P(Qr, TheIdentityStays) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config config = {8, 4, 3, 1, flat};
        Dense<T> a(20, 13);
        for (int64_t i = 0; i < 13; ++i) a(i, i) = T(1);
        Factored<T> f(handle_, a, &config);
        EXPECT_EQ(f.packed().data, a.data);
        EXPECT_EQ(f.q(13).data, a.data);
    });
}

// For well-conditioned matrices |R| is unique, to about n eps kappa |A|.
TEST_P(Qr, AbsoluteRIsLapacks) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config configs[] = {{16, 16, 8, 1, flat}, {16, 8, 8, 2, domains}};
        for (const Config &config : configs)
            for (const auto &[m, n] : {std::pair<int64_t, int64_t>{60, 60}, {100, 30}, {30, 50}}) {
                Dense<T> a = random_matrix<T>(m, n, 3);
                for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += T(8);  // condition near 1
                const Dense<T> r = Factored<T>(handle_, a, &config).r();
                lapack_geqrf(a);
                long double worst = 0;
                for (int64_t j = 0; j < n; ++j)
                    for (int64_t i = 0; i <= std::min(j, std::min(m, n) - 1); ++i)
                        worst = worse(worst, std::fabs((long double)std::abs(r(i, j)) - std::abs(a(i, j))));
                EXPECT_LE(ratio<T>(worst, std::max(m, n), 8), 10);
            }
    });
}

TEST_P(Qr, Products) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config configs[] = {
            {16, 16, 8, 1, flat}, {16, 8, 5, 2, domains}, {16, 8, 8, 2, domains}, {64, 32, 32, 1, flat}};
        for (const Config &config : configs)
            for (const auto &[m, n] : {std::pair<int64_t, int64_t>{50, 50}, {61, 20}, {17, 40}, {1, 3}})
                for (int64_t other : {1, 3, 49, 60}) {
                    Factored<T> f(handle_, random_matrix<T>(m, n, 5), &config, {1, 1});
                    const Dense<T> q = f.q(m), left = random_matrix<T>(m, other, 6), right = adjoint(left);
                    for (auto op : {XBATCH_OP_N, XBATCH_OP_T, XBATCH_OP_C}) {
                        if (op == XBATCH_OP_T && is_complex<T>) continue;
                        SCOPED_TRACE(testing::Message() << m << " x " << n << ", other " << other << ", op " << op);
                        const auto opq = widened(op == XBATCH_OP_N ? q : adjoint(q));
                        auto error = widened(f.times(XBATCH_SIDE_LEFT, op, left));
                        subtract_product(error, opq, widened(left));
                        EXPECT_LE(ratio<T>(one_norm(error), m, one_norm(widened(left))), bound);
                        error = widened(f.times(XBATCH_SIDE_RIGHT, op, right));
                        subtract_product(error, widened(right), opq);
                        EXPECT_LE(ratio<T>(one_norm(error), m, one_norm(widened(right))), bound);
                    }
                }
    });
}

// The thin factor is the beginning of the complete one, bit by bit; A and T are only read.
TEST_P(Qr, ThinAndComplete) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        for (const Config &config : {Config{16, 8, 4, 2, domains}, Config{16, 8, 8, 2, domains}}) {
            Factored<T> f(handle_, random_matrix<T>(53, 19, 9), &config);
            const Dense<T> before = f.packed(), whole = f.q(53);
            for (int64_t n : {19, 20, 32}) {
                const Dense<T> q = f.q(n);
                EXPECT_TRUE(same_bits(q.data, std::vector<T>(whole.data.begin(), whole.data.begin() + 53 * n)));
            }
            EXPECT_TRUE(same_bits(f.packed().data, before.data));
        }
    });
}

TEST_P(Qr, TheSameBitsHoweverManyThreads) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config configs[] = {{16, 8, 4, 2, domains}, {16, 8, 8, 2, domains}, {16, 16, 8, 1, flat}};
        for (const Config &config : configs) {
            const Dense<T> a = random_matrix<T>(150, 90, 4), b = random_matrix<T>(150, 20, 5);
            std::vector<std::vector<T>> results;
            for (int threads : {1, 2, 3, 8, 2}) {
                if (!is_cuda()) {
                    ASSERT_EQ(xbatchSetThreadCount(handle_, threads), XBATCH_STATUS_SUCCESS);
                }
                Factored<T> f(handle_, a, &config);
                std::vector<T> all = f.packed().data;
                for (const Dense<T> &part : {f.q(90), f.times(XBATCH_SIDE_LEFT, XBATCH_OP_C, b),
                                             solve_gels(handle_, XBATCH_OP_N, a, b, &config).b})
                    all.insert(all.end(), part.data.begin(), part.data.end());
                results.push_back(all);
                EXPECT_TRUE(same_bits(results[0], all)) << threads << " threads";
            }
        }
    });
}

// A number that is not finite: info is its column, and the columns before it are those of a run without it.
TEST_P(Qr, NumbersThatAreNotFinite) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        using L = std::numeric_limits<Real<T>>;
        const Dense<T> good = random_matrix<T>(60, 30, 4);
        for (const Config &config : {Config{16, 8, 4, 2, domains}, Config{16, 8, 8, 2, domains}}) {
            const Dense<T> expected = Factored<T>(handle_, good, &config).packed();
            for (Real<T> wrong : {L::quiet_NaN(), L::infinity(), -L::infinity()})
                for (int64_t i : {0, 29, 59})
                    for (int64_t j : {0, 13, 29}) {
                        Dense<T> a = good;
                        a(i, j) = scalar<T>(i == 29 ? 1 : wrong, wrong);
                        if (!is_complex<T> && i == 29) a(i, j) = T(wrong);
                        const Factored<T> f(handle_, a, &config);
                        EXPECT_EQ(f.info(), j + 1) << i << ", " << j;
                        const Dense<T> packed = f.packed();
                        for (int64_t c = 0; c < j; ++c)
                            for (int64_t r = 0; r < 60; ++r) ASSERT_EQ(packed(r, c), expected(r, c)) << r << ", " << c;
                        const Dense<T> b = random_matrix<T>(60, 2, 1);
                        EXPECT_EQ(solve_gels(handle_, XBATCH_OP_N, a, b, &config).info, j + 1);
                    }
            Dense<T> overflowing(8, 2);
            std::fill(overflowing.data.begin(), overflowing.data.end(), T(L::max() / 2));
            EXPECT_EQ(Factored<T>(handle_, overflowing, &config).info(), 1) << "a norm that is no number of the type";
        }
    });
}

// T of another shape, configuration or type is refused, by its header, with nothing written.
TEST_P(Qr, MixedUpT) {
    for_type([&](auto zero) {
        using T = decltype(zero);
        const Config config = {8, 4, 2, 1, flat};
        Factored<T> f(handle_, random_matrix<T>(20, 10, 1), &config);
        const xbatchBackend_t where = GetParam().backend;
        const auto expect_refused = [&](xbatchDataType_t type, int64_t m, int64_t k, const Config &other) {
            size_t bytes = 0;
            Placed<std::complex<double>> c(where, Dense<std::complex<double>>(20, 20), {0, 0}, false);
            EXPECT_EQ(xgemqrtTiled_bufferSize(handle_, type, XBATCH_SIDE_LEFT, XBATCH_OP_N, m, 3, k, &other, &bytes),
                      XBATCH_STATUS_SUCCESS);
            Workspace workspace(where, bytes);
            Info info(where);
            const xbatchStatus_t status =
                xgemqrtTiled(handle_, type, XBATCH_SIDE_LEFT, XBATCH_OP_N, m, 3, k, &other, f.placed().data(), 20,
                             f.t(), c.data(), 20, info.data(), workspace.data(), bytes);
            if (is_cuda()) {  // detected on the device alone
                EXPECT_EQ(status, XBATCH_STATUS_SUCCESS);
                EXPECT_EQ(info.read(), -1);
            } else {
                EXPECT_EQ(status, XBATCH_STATUS_INVALID_VALUE);
                EXPECT_EQ(std::string(handle_.message()),
                          "xgemqrtTiled: argument 10, T, must be what xgeqrtTiled wrote for this shape, type and "
                          "configuration");
            }
            EXPECT_TRUE(c.intact());
        };
        expect_refused(xbatchDataType_t((GetParam().type + 1) % 4), 20, 10, config);
        expect_refused(GetParam().type, 19, 10, config);
        expect_refused(GetParam().type, 20, 9, config);
        for (const Config &other :
             {Config{4, 4, 2, 1, flat}, {8, 8, 2, 1, flat}, {8, 4, 1, 1, flat}, {8, 4, 2, 1, domains}})
            expect_refused(GetParam().type, 20, 10, other);
    });
}

INSTANTIATE_TEST_SUITE_P(Host, Qr, testing::ValuesIn(cases_of(XBATCH_BACKEND_HOST)), name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, Qr, testing::ValuesIn(cases_of(XBATCH_BACKEND_CUDA)), name_of);

TEST(QrConfig, WrongConfigurations) {
    Handle handle(XBATCH_BACKEND_HOST);
    const Config good = {16, 8, 4, 1, flat};
    size_t bytes = 99, t_bytes = 99;
    const auto expect_refused = [&](const Config &wrong, const std::string &member) {
        EXPECT_EQ(dgeqrtTiled_bufferSize(handle, 30, 20, &wrong, &t_bytes, &bytes), XBATCH_STATUS_INVALID_VALUE);
        const std::string words = "dgeqrtTiled_bufferSize: argument 3, config->" + member;
        EXPECT_EQ(std::string(handle.message()).substr(0, words.size()), words) << handle.message();
        EXPECT_EQ(bytes, 99u);
        EXPECT_EQ(t_bytes, 99u);
    };
    for (int64_t wrong : {int64_t(0), int64_t(-1), INT64_MIN}) {
        Config c = good;
        c.mb = wrong, expect_refused(c, "mb"), c = good;
        c.nb = wrong, expect_refused(c, "nb"), c = good;
        c.ib = wrong, expect_refused(c, "ib"), c = good;
        c.domain = wrong, expect_refused(c, "domain"), c = good;
    }
    Config c = good;
    c.mb = 20, expect_refused(c, "mb"), c = good;
    c.ib = 9, expect_refused(c, "ib"), c = good;
    for (const int wrong : {2, -1, INT32_MIN})
        c.tree = static_cast<xbatchTree_t>(wrong), expect_refused(c, "tree"), c = good;
    const Config finest = {1, 1, 1, 1, flat};  // 3e9 tasks
    EXPECT_EQ(dgeqrtTiled_bufferSize(handle, 4000, 4000, &finest, &t_bytes, &bytes), XBATCH_STATUS_INVALID_VALUE);
    const Config coarsest = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, domains};  // limited to the matrix' own size
    EXPECT_EQ(dgeqrtTiled_bufferSize(handle, 30, 20, &coarsest, &t_bytes, &bytes), XBATCH_STATUS_SUCCESS);
}

TEST(QrConfig, WrongArgumentsOfDefaults) {
    Handle handle(XBATCH_BACKEND_HOST);
    Config config = {-7, -7, -7, -7, flat};
    const auto expect_refused = [&](int type, int64_t m, int64_t n, Config *c, const std::string &words) {
        EXPECT_EQ(xgeqrtTiled_defaults(handle, static_cast<xbatchDataType_t>(type), m, n, c),
                  XBATCH_STATUS_INVALID_VALUE);
        EXPECT_EQ(std::string(handle.message()).substr(0, words.size()), words) << handle.message();
        EXPECT_EQ(config.mb, -7);
    };
    EXPECT_EQ(xgeqrtTiled_defaults(nullptr, XBATCH_R_64F, 1, 1, &config), XBATCH_STATUS_INVALID_HANDLE);
    expect_refused(4, 1, 1, &config, "xgeqrtTiled_defaults: argument 1, type");
    expect_refused(0, -1, 1, &config, "xgeqrtTiled_defaults: argument 2, m");
    expect_refused(0, 1, -1, &config, "xgeqrtTiled_defaults: argument 3, n");
    expect_refused(0, 1, 1, nullptr, "xgeqrtTiled_defaults: argument 4, config");
    for (auto type : all_types)
        for (int64_t m : {int64_t(0), int64_t(1), int64_t(5000), int64_t(1) << 40}) {
            size_t bytes = 0;
            ASSERT_EQ(xgeqrtTiled_defaults(handle, type, m, 40, &config), XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(xgeqrtTiled_bufferSize(handle, type, std::min<int64_t>(m, 1 << 20), 40, &config, &bytes, &bytes),
                      XBATCH_STATUS_SUCCESS);
        }
}

// A graph with factorisation, product and solve, captured once and replayed, gives the bits of plain calls.
TEST(QrCuda, CapturedAndReplayed) {
    Handle device(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(device);
    constexpr auto where = XBATCH_BACKEND_CUDA;
    for (int64_t m : {300, 1300}) {  // tall, too
        const Dense<double> a = random_matrix<double>(m, 130, 1), b = random_matrix<double>(m, 3, 2);
        const Dense<double> expected = Factored<double>(device, a, nullptr).packed();
        const Dense<double> solved = solve_gels(device, XBATCH_OP_N, a, b, nullptr).b;
        Placed<double> factored(where, a, {}), matrix(where, a, {}), right(where, b, {});
        size_t t_bytes = 0, bytes = 0, more = 0;
        ASSERT_EQ(dgeqrtTiled_bufferSize(device, m, 130, nullptr, &t_bytes, &bytes), XBATCH_STATUS_SUCCESS);
        ASSERT_EQ(dgelsTiled_bufferSize(device, XBATCH_OP_N, m, 130, 3, nullptr, &more), XBATCH_STATUS_SUCCESS);
        Workspace t(where, t_bytes), workspace(where, bytes), other(where, more);
        const auto work = [&] {
            EXPECT_EQ(
                dgeqrtTiled(device, m, 130, nullptr, factored.data(), m, t.data(), nullptr, workspace.data(), bytes),
                XBATCH_STATUS_SUCCESS);
            EXPECT_EQ(dgelsTiled(device, XBATCH_OP_N, m, 130, 3, nullptr, matrix.data(), m, right.data(), m, nullptr,
                                 other.data(), more),
                      XBATCH_STATUS_SUCCESS);
        };
        capture_and_replay(device, work, 3, [&] {
            to_device(factored.data(), a.data.data(), a.data.size() * sizeof(double));
            to_device(matrix.data(), a.data.data(), a.data.size() * sizeof(double));
            to_device(right.data(), b.data.data(), b.data.size() * sizeof(double));
        });
        EXPECT_TRUE(factored.intact() && right.intact() && workspace.intact() && other.intact());
        EXPECT_TRUE(same_bits(factored.read().data, expected.data));
        EXPECT_TRUE(same_bits(right.read().data, solved.data));
    }
}

// Factored on the device, applied on the host: A and T have the same format.
TEST(QrCuda, AppliedOnTheHost) {
    Handle device(XBATCH_BACKEND_CUDA), host(XBATCH_BACKEND_HOST);
    XBATCH_NEEDS(device);
    const Config config = {32, 16, 8, 2, domains};
    const Dense<double> a = random_matrix<double>(150, 60, 3), c = random_matrix<double>(150, 7, 4);
    Factored<double> f(device, a, &config);
    const Dense<double> expected = f.times(XBATCH_SIDE_LEFT, XBATCH_OP_C, c), packed = f.packed();
    Workspace t(XBATCH_BACKEND_HOST, f.t_bytes());
    to_host(t.data(), f.t(), f.t_bytes());
    Dense<double> found = c;
    size_t bytes = 0;
    EXPECT_EQ(dgemqrtTiled_bufferSize(host, XBATCH_SIDE_LEFT, XBATCH_OP_C, 150, 7, 60, &config, &bytes),
              XBATCH_STATUS_SUCCESS);
    Workspace workspace(XBATCH_BACKEND_HOST, bytes);
    ASSERT_EQ(dgemqrtTiled(host, XBATCH_SIDE_LEFT, XBATCH_OP_C, 150, 7, 60, &config, packed.data.data(), 150, t.data(),
                           found.data.data(), 150, nullptr, workspace.data(), bytes),
              XBATCH_STATUS_SUCCESS)
        << host.message();
    long double worst = 0;
    for (size_t k = 0; k < found.data.size(); ++k)
        worst = worse(worst, std::fabs((long double)found.data[k] - expected.data[k]));
    EXPECT_LE(ratio<double>(worst, 150, 1), bound);
}

// Errors relative to A, to each of its columns, and those of Q, in Frobenius norms
struct Errors {
    long double of_product = 0, of_column = 0, of_q = 0;
};
// Of columns j, …
template <class W>
long double norm_of(const Dense<W> &a, int64_t j, int64_t columns) {
    long double sum = 0;
    for (int64_t k = j * a.m; k < (j + columns) * a.m; ++k)
        sum += modulus(a.data[size_t(k)]) * modulus(a.data[size_t(k)]);
    return std::sqrt(sum);
}
template <class T>
Errors errors_of(xbatchHandle_t handle, const Dense<T> &a, const Config &config) {
    Factored<T> f(handle, a, &config);
    const Dense<Wide<T>> q = widened(f.q(a.n)), from = widened(a);
    Dense<Wide<T>> residual = from, identity(a.n, a.n);
    subtract_product(residual, q, widened(f.r()));
    for (int64_t i = 0; i < a.n; ++i) identity(i, i) = Wide<T>(1);
    subtract_product(identity, adjoint(q), q);
    Errors e = {norm_of(residual, 0, a.n) / norm_of(from, 0, a.n), 0, norm_of(identity, 0, a.n)};
    for (int64_t j = 0; j < a.n; ++j) e.of_column = worse(e.of_column, norm_of(residual, j, 1) / norm_of(from, j, 1));
    return e;
}

template <class T>
std::vector<Kind<T>> kinds_for_accuracy() {
    using R = Real<T>;
    const auto power = [](double base, double exponent) { return R(std::pow(base, exponent)); };
    const auto unit = [](Random &r) { return r.unit<T>(); };
    return {
        {"random", [=](Random &r, int64_t, int64_t, int64_t, int64_t) { return unit(r); }},
        {"positive", [=](Random &r, int64_t, int64_t, int64_t, int64_t) { return T(std::abs(unit(r))); }},
        {"constant", [](Random &, int64_t, int64_t, int64_t, int64_t) { return T(1); }},
        {"periodic", [](Random &, int64_t i, int64_t j, int64_t, int64_t) { return T(R((i + 2 * j) % 5) - R(1.75)); }},
        {"rank one half", [](Random &, int64_t i, int64_t j, int64_t,
                             int64_t n) { return Random(uint64_t(i * 1000 + j % (n / 2 + 1))).unit<T>(); }},
        {"clustered", [=](Random &r, int64_t, int64_t j, int64_t, int64_t) { return unit(r) * power(1e-2, j % 3); }},
        {"rows scaled",
         [=](Random &r, int64_t i, int64_t, int64_t m, int64_t) { return unit(r) * power(1e-6, double(i) / m); }},
        {"nearly collinear", [=](Random &r, int64_t i, int64_t, int64_t,
                                 int64_t) { return Random(uint64_t(i)).unit<T>() + unit(r) * R(1e-4); }},
        {"columns graded over the range",
         [=](Random &r, int64_t, int64_t j, int64_t, int64_t n) { return unit(r) * power(10, 30 - 60.0 * j / n); }},
        {"Kahan",
         [=](Random &, int64_t i, int64_t j, int64_t, int64_t) {
             const double s = std::sin(1.4), c = std::cos(1.4);
             return T(R(i > j ? 0 : i == j ? 1 : -c) * power(s, double(i)));
         }},
        {"Hilbert", [](Random &, int64_t i, int64_t j, int64_t, int64_t) { return T(R(1) / R(i + j + 1)); }},
        {"Vandermonde", [=](Random &, int64_t i, int64_t j, int64_t m,
                            int64_t) { return T(power(2 * double(i) / m - 0.999, double(j % 40))); }},
    };
}

// Matrix instructions on parts of floats are as accurate as the host's products, within a factor of 2.
TEST(QrCuda, FloatsAsAccurateAsOnTheHostFull) {
    Handle device(XBATCH_BACKEND_CUDA), host(XBATCH_BACKEND_HOST);
    XBATCH_NEEDS(device);
    const auto expect_accurate = [&](auto zero, size_t step) {
        using T = decltype(zero);
        const Config configs[] = {{64, 64, 32, 1, flat}, {128, 128, 32, 1, flat}, {64, 64, 32, 2, domains}};
        const auto all = kinds_for_accuracy<T>();
        for (size_t k = 0; k < all.size(); k += step) {
            SCOPED_TRACE(all[k].name);
            Random random(k);
            Dense<T> a(500, 160);
            for (int64_t j = 0; j < a.n; ++j)
                for (int64_t i = 0; i < a.m; ++i) a(i, j) = all[k].entry(random, i, j, a.m, a.n);
            const Errors found = errors_of(device, a, configs[k % 3]), other = errors_of(host, a, configs[k % 3]);
            EXPECT_LE(found.of_product, 2 * other.of_product);
            EXPECT_LE(found.of_column, 2 * other.of_column);
            EXPECT_LE(found.of_q, 2 * other.of_q);
        }
    };
    expect_accurate(0.0F, 1);
    expect_accurate(std::complex<float>(), 4);
}

// Tiles that do not fit a multiprocessor are refused, and nothing else is.
TEST(QrCuda, TilesThatDoNotFit) {
    Handle device(XBATCH_BACKEND_CUDA);
    XBATCH_NEEDS(device);
    size_t bytes = 99, t_bytes = 99;
    const auto status_of = [&](const Config &config) {
        return dgeqrtTiled_bufferSize(device, 1000, 1000, &config, &t_bytes, &bytes);
    };
    EXPECT_EQ(status_of({256, 64, 32, 1, flat}), XBATCH_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(status_of({64, 64, 33, 1, flat}), XBATCH_STATUS_NOT_SUPPORTED);
    EXPECT_EQ(bytes, 99u);
    EXPECT_EQ(status_of({64, 64, 32, 1, flat}), XBATCH_STATUS_SUCCESS);
    const Config large = {1024, 512, 256, 1, flat};  // limited to the matrix' own size
    EXPECT_EQ(dgeqrtTiled_bufferSize(device, 60, 30, &large, &t_bytes, &bytes), XBATCH_STATUS_SUCCESS);
}

}  // namespace
}  // namespace xbatch_test
