// test_lapack_device_rows.cpp: LAPACK's tridiagonal factors and solutions by a GPU have the bits of the host's, padding
// included. Matrices whose recurrences do not converge are refused before anything is written.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "lapack/interpose/on_device.hpp"
#include "lapack/tridiagonal/tridiagonal_device.hpp"
#include "systems.hpp"

namespace {

using namespace xbatch;
using namespace xbatch::lapack;

constexpr int64_t sizes[] = {3, 4, 5, 127, 128, 129, 130, 131, 257, 1000, 20000, 300007};
constexpr Kind kinds[] = {Kind::dominant,   Kind::random,     Kind::laplace,
                          Kind::misleading, Kind::nan_inside, Kind::zero_pivots};

// Matrices that must not be refused. NaN does not converge.
bool converges(Kind kind, int64_t n) { return n >= 1000 && kind == Kind::dominant; }

template <class T>
class LapackDeviceRowsCuda : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_device()) GTEST_SKIP() << "no GPU";
    }
    // Returns whether the GPU solved it. If not, nothing may have been written.
    template <class Solve>
    static bool solves(const System<T> &given, System<T> &a, Solve solve) {
        try {
            solve();
        } catch (const std::domain_error &) {
            expect_same(given, a);
            return false;
        }
        return true;
    }
    static void expect_same(const System<T> &a, const System<T> &b) {
        EXPECT_TRUE(same_bits(a.dl, b.dl, a.n()));
        EXPECT_TRUE(same_bits(a.d, b.d, a.n()));
        EXPECT_TRUE(same_bits(a.du, b.du, a.n()));
        EXPECT_TRUE(same_bits(a.du2, b.du2, a.n()));
        EXPECT_TRUE(same_bits(a.b, b.b, int64_t(a.b.size())));
        EXPECT_EQ(a.ipiv, b.ipiv);
    }
};
TYPED_TEST_SUITE(LapackDeviceRowsCuda, Types, TypeNames);

template <class T>
int64_t factor_on_device(System<T> &a) {
    return gt_factor_device(a.n(), a.dl.data(), a.d.data(), a.du.data(), a.du2.data(), a.ipiv.data());
}
template <class T>
int64_t factor_on_host(System<T> &a) {
    gt_factor(a.n(), a.dl.data(), a.d.data(), a.du.data(), a.du2.data(), a.ipiv.data());
    return first_zero(a.n(), a.d.data());
}
template <class T>
void factor_and_solve_on_device(System<T> &a, int64_t nrhs, int64_t ldb) {
    EXPECT_EQ(gt_factor_and_solve_device(a.n(), nrhs, a.dl.data(), a.d.data(), a.du.data(), a.b.data(), ldb), 0);
}
template <class T>
LuFactors<T, int> factors_of(const System<T> &a) {
    return {a.n(), a.dl.data(), a.d.data(), a.du.data(), a.du2.data(), a.ipiv.data()};
}

TYPED_TEST(LapackDeviceRowsCuda, FactorsAndSolutions) {
    for (const Kind kind : kinds)
        for (const int64_t n : sizes) {
            SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", n " + std::to_string(n));
            const auto given = make<TypeParam>(kind, n);
            auto host = given, device = given;
            int64_t zero = -1;
            const bool is_solved = this->solves(given, device, [&] { zero = factor_on_device(device); });
            EXPECT_TRUE(is_solved || !converges(kind, n));
            const int64_t first = factor_on_host(host);
            if (is_solved) {
                EXPECT_EQ(zero, first);
                this->expect_same(host, device);
            }
            for (const Transpose op : {Transpose::none, Transpose::transposed, Transpose::adjoint}) {
                auto expected = host, solved = host;
                factors_of(host).solve(op, expected.b.data());
                if (this->solves(host, solved, [&] { solve_on_device(op, factors_of(solved), solved.b.data(), n, 1); }))
                    this->expect_same(expected, solved);
                else
                    EXPECT_FALSE(converges(kind, n));
            }
        }
}

TYPED_TEST(LapackDeviceRowsCuda, Systems) {
    using T = TypeParam;
    for (const Kind kind : kinds)
        for (const int64_t n : sizes)
            for (const int64_t nrhs : {1, 3}) {
                SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", n " + std::to_string(n));
                const int64_t ldb = n + 5;
                const auto given = make<T>(kind, n, nrhs, ldb);
                auto host = given, device = given;
                if (!this->solves(given, device, [&] { factor_and_solve_on_device(device, nrhs, ldb); })) {
                    EXPECT_FALSE(converges(kind, n));
                    continue;
                }
                EXPECT_EQ(
                    gt_factor_and_solve(n, nrhs, host.dl.data(), host.d.data(), host.du.data(), host.b.data(), ldb), 0);
                this->expect_same(host, device);
            }
}

// Matrices at whose pivots LAPACK stops are refused, so that the host leaves the arrays as LAPACK does. Complex gtsv
// skips zeros below the diagonal.
TYPED_TEST(LapackDeviceRowsCuda, PivotsAtWhichLapackStops) {
    using T = TypeParam;
    for (const int64_t n : {1000, 20000})
        for (const int64_t row : {int64_t(0), n / 2, n - 1}) {
            SCOPED_TRACE("n " + std::to_string(n) + ", row " + std::to_string(row));
            auto given = make<T>(Kind::dominant, n);
            for (const int64_t i : {row - 1, row})
                if (i >= 0) given.dl[i] = T(0);
            auto device = given, host = given;
            ASSERT_TRUE(this->solves(given, device, [&] { factor_and_solve_on_device(device, 1, n); }));
            gt_factor_and_solve(n, 1, host.dl.data(), host.d.data(), host.du.data(), host.b.data(), n);
            this->expect_same(host, device);
            given.d[row] = T(0);
            device = given;
            EXPECT_FALSE(this->solves(given, device, [&] { factor_and_solve_on_device(device, 1, n); }));
            const std::vector<Real<T>> given_d = real_diagonal(given);
            auto d = given_d;
            EXPECT_FALSE(this->solves(given, device, [&] { pt_factor_device(n, d.data(), device.dl.data()); }));
            EXPECT_FALSE(this->solves(given, device, [&] {
                pt_factor_and_solve_device(n, 1, d.data(), device.dl.data(), device.b.data(), n);
            }));
            EXPECT_EQ(d, given_d);
        }
}

TYPED_TEST(LapackDeviceRowsCuda, PositiveDefinite) {
    using T = TypeParam;
    for (const Kind kind : {Kind::dominant, Kind::laplace, Kind::nan_inside, Kind::random})
        for (const int64_t n : sizes)
            for (const int64_t nrhs : {1, 3}) {
                SCOPED_TRACE("kind " + std::to_string(int(kind)) + ", n " + std::to_string(n));
                const int64_t ldb = n + 5;
                const auto given = make<T>(kind, n, nrhs, ldb);
                const std::vector<Real<T>> d = real_diagonal(given);
                auto host = given, device = given;
                auto host_d = d, device_d = d;
                const int64_t expected = pt_factor(n, host_d.data(), host.dl.data());
                const LdlFactors<T> factors{n, host_d.data(), host.dl.data()};
                if (expected == 0) factors.solve(false, host.b.data(), ldb, nrhs);
                const bool is_solved = this->solves(given, device, [&] {
                    pt_factor_and_solve_device(n, nrhs, device_d.data(), device.dl.data(), device.b.data(), ldb);
                });
                EXPECT_TRUE(is_solved || !converges(kind, n));
                if (is_solved) {
                    EXPECT_EQ(expected, 0);
                    EXPECT_TRUE(same_bits(host_d, device_d, n));
                    this->expect_same(host, device);
                    auto factored = given;
                    auto factored_d = d;
                    EXPECT_EQ(pt_factor_device(n, factored_d.data(), factored.dl.data()), expected);
                    EXPECT_TRUE(same_bits(host_d, factored_d, n));
                    EXPECT_TRUE(same_bits(host.dl, factored.dl, n));
                }
                for (const bool upper : {false, true}) {
                    auto on_host = host, on_device = host;
                    on_host.b = on_device.b = given.b;
                    const auto before = on_device;
                    factors.solve(upper, on_host.b.data(), ldb, nrhs);
                    if (this->solves(before, on_device,
                                     [&] { solve_on_device(upper, factors, on_device.b.data(), ldb, nrhs); }))
                        this->expect_same(on_host, on_device);
                }
            }
}

// Rows in the middle that do not converge: further rounds correct a few segments, but not many.
TYPED_TEST(LapackDeviceRowsCuda, SegmentsAreCorrectedOrRefused) {
    using T = TypeParam;
    for (const int64_t rows : {500, 5000}) {
        const int64_t n = 20000;
        auto given = make<T>(Kind::dominant, n);
        for (int64_t i = n / 2; i < n / 2 + rows; ++i) given.dl[i] = given.du[i] = T(-1), given.d[i] = T(2);
        auto host = given, device = given;
        const bool is_solved = this->solves(given, device, [&] { factor_on_device(device); });
        EXPECT_EQ(is_solved, rows == 500);
        factor_on_host(host);
        if (is_solved) this->expect_same(host, device);
    }
}

// Stored factors give the same bits, also for solves that only the host can compute.
TYPED_TEST(LapackDeviceRowsCuda, StoredFactors) {
    for (const Kind kind : {Kind::dominant, Kind::random}) {
        auto a = make<TypeParam>(kind, 20000);
        factor_on_host(a);
        try {
            const FactorsOnDevice<LuFactors<TypeParam, int>> stored(factors_of(a));
            for (const Transpose op : {Transpose::none, Transpose::transposed, Transpose::adjoint}) {
                auto expected = make<TypeParam>(Kind::random, 2 * a.n()).b, solved = expected;
                factors_of(a).solve(op, expected.data(), a.n(), 2);
                stored.solve(op, solved.data(), a.n(), 2);
                EXPECT_TRUE(same_bits(expected, solved, 2 * a.n()));
            }
        } catch (const std::domain_error &) {
            EXPECT_FALSE(converges(kind, a.n()));
        }
    }
}

TYPED_TEST(LapackDeviceRowsCuda, StoredPositiveFactors) {
    using T = TypeParam;
    const int64_t n = 20000;
    auto a = make<T>(Kind::dominant, n);
    std::vector<Real<T>> d = real_diagonal(a), work(n);
    ASSERT_EQ(pt_factor(n, d.data(), a.dl.data()), 0);
    const LdlFactors<T> factors{n, d.data(), a.dl.data()};
    const FactorsOnDevice<LdlFactors<T>> stored(factors);
    EXPECT_EQ(stored.inverse_norm(work.data()), factors.inverse_norm(work.data()));
    for (const bool upper : {false, true}) {
        auto expected = make<T>(Kind::random, 2 * n).b, solved = expected;
        factors.solve(upper, expected.data(), n, 2);
        stored.solve(upper, solved.data(), n, 2);
        EXPECT_TRUE(same_bits(expected, solved, 2 * n));
    }
}

// The interposer's gtsvx, entirely on the GPU, compared with LAPACK's
TEST(LapackDeviceExpertCuda, IsLapacks) {
    using Gtsvx = void(const char *, const char *, const int *, const int *, const double *, const double *,
                       const double *, double *, double *, double *, double *, int *, const double *, const int *,
                       double *, const int *, double *, double *, double *, double *, int *, int *, size_t, size_t);
    if (!has_device()) GTEST_SKIP() << "no GPU";
    setenv("XBATCH_LAPACK_CUDA", "0", 1);
    const int n = 20000, nrhs = 2;
    const auto a = make<double>(Kind::dominant, n);
    const auto b = make<double>(Kind::random, n * nrhs).b;
    struct Answer {
        System<double> factors;
        std::vector<double> x, ferr, berr, work;
        std::vector<int> iwork;
        double rcond;
        int info;
    };
    const auto answer_of = [&](const char *file, char trans) {
        void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        auto *const gtsvx = reinterpret_cast<Gtsvx *>(library ? dlsym(library, "dgtsvx_") : nullptr);
        Answer r{a,
                 std::vector<double>(n * nrhs),
                 std::vector<double>(nrhs),
                 std::vector<double>(nrhs),
                 std::vector<double>(3 * n),
                 std::vector<int>(n),
                 -1,
                 -1};
        if (gtsvx)
            gtsvx("N", &trans, &n, &nrhs, a.dl.data(), a.d.data(), a.du.data(), r.factors.dl.data(), r.factors.d.data(),
                  r.factors.du.data(), r.factors.du2.data(), r.factors.ipiv.data(), b.data(), &n, r.x.data(), &n,
                  &r.rcond, r.ferr.data(), r.berr.data(), r.work.data(), r.iwork.data(), &r.info, 1, 1);
        return r;
    };
    for (const char trans : {'N', 'T'}) {
        const Answer ours = answer_of(XBATCH_LAPACK_FILE, trans), lapacks = answer_of("liblapack.so.3", trans);
        ASSERT_EQ(ours.info, 0);
        EXPECT_EQ(lapacks.info, 0);
        EXPECT_NEAR(ours.rcond, lapacks.rcond, 1e-10);
        EXPECT_EQ(ours.factors.ipiv, lapacks.factors.ipiv);
        for (int i = 0; i < n * nrhs; ++i) ASSERT_NEAR(ours.x[i], lapacks.x[i], 1e-13) << i;
        for (int r = 0; r < nrhs; ++r) {
            EXPECT_LE(ours.berr[r], 4e-16);
            EXPECT_NEAR(ours.ferr[r], lapacks.ferr[r], 0.2 * lapacks.ferr[r]);
        }
    }
}

}  // namespace
