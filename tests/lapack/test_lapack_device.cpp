// test_lapack_device.cpp: QR by a GPU of matrices in host memory gives LAPACK's R, vectors, tau and Q: for matrices of
// many transfer slices, columns longer and shorter than a slice, and leading dimensions with padding, which is not
// written. NaN is refused before anything is written. Threads, and a child process after a fork.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/scalar.hpp"
#include "lapack/interpose/on_device.hpp"
#include "lapack/qr/qr_device.hpp"

namespace {

using xbatch::Real;
using namespace xbatch::lapack;

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;
template <class T>
std::string letter() {
    return is_real<T> ? (sizeof(T) == 4 ? "s" : "d") : (sizeof(T) == 8 ? "c" : "z");
}

// LAPACK's own routine
template <class F>
F *lapack(const std::string &name) {
    static void *const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<F *>(dlsym(library, name.c_str()));
}

template <class T>
struct Numbers {
    int rows, columns, ld;
    std::vector<T> values;

    Numbers(int rows, int columns) : rows(rows), columns(columns), ld(rows + 3), values(size_t(ld) * columns) {
        std::mt19937 engine(unsigned(rows + columns));
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (T &v : values) v = T(uniform(engine));
    }
    T *data() { return values.data(); }
};

template <class T>
double distance(T a, T b) {
    if constexpr (is_real<T>)
        return std::fabs(double(a) - double(b));
    else
        return std::hypot(double(a.re) - double(b.re), double(a.im) - double(b.im));
}
// Padding must be equal.
template <class T>
void expect_near(const std::string &what, const Numbers<T> &a, const Numbers<T> &b) {
    const double bound = 30.0 * std::max(a.rows, a.columns) * std::numeric_limits<Real<T>>::epsilon();
    for (int c = 0; c < a.columns; ++c)
        for (int r = 0; r < a.ld; ++r) {
            const size_t i = size_t(c) * a.ld + r;
            ASSERT_LE(distance(a.values[i], b.values[i]), r < a.rows ? bound : 0)
                << letter<T>() << what << ", row " << r << ", column " << c;
        }
}

template <class T>
void compare(int m, int n) {
    using Geqrf = void(const int *, const int *, T *, const int *, T *, T *, const int *, int *);
    using Unmqr = void(const char *, const char *, const int *, const int *, const int *, const T *, const int *,
                       const T *, T *, const int *, T *, const int *, int *, size_t, size_t);
    using Ungqr = void(const int *, const int *, const int *, T *, const int *, const T *, T *, const int *, int *);
    const std::string unitary = letter<T>() + (is_real<T> ? "or" : "un");
    const int k = std::min(m, n), others = 33, lwork = 64 * std::max({m, n, others});
    Numbers<T> a(m, n), b = a, tau(k, 1), other_tau = tau;
    std::vector<T> work(lwork);
    int info;
    geqrf_device(m, n, a.data(), a.ld, tau.data());
    lapack<Geqrf>(letter<T>() + "geqrf_")(&m, &n, b.data(), &b.ld, other_tau.data(), work.data(), &lwork, &info);
    expect_near("geqrf", a, b);
    expect_near("geqrf's tau", tau, other_tau);
    for (const bool right : {false, true})
        for (const bool adjoint : {false, true}) {
            Numbers<T> c = right ? Numbers<T>(others, m) : Numbers<T>(m, others), d = c;
            const char side = right ? 'R' : 'L', trans = !adjoint ? 'N' : is_real<T> ? 'T' : 'C';
            unmqr_device(right, adjoint, c.rows, c.columns, k, b.data(), b.ld, other_tau.data(), c.data(), c.ld);
            lapack<Unmqr>(unitary + "mqr_")(&side, &trans, &d.rows, &d.columns, &k, b.data(), &b.ld, other_tau.data(),
                                            d.data(), &d.ld, work.data(), &lwork, &info, 1, 1);
            expect_near(std::string("unmqr ") + side + trans, c, d);
        }
    a = b;
    if (n > m) return;
    ungqr_device(m, n, k, a.data(), a.ld, other_tau.data());
    lapack<Ungqr>(unitary + "gqr_")(&m, &n, &k, b.data(), &b.ld, other_tau.data(), work.data(), &lwork, &info);
    expect_near("ungqr", a, b);
}

class LapackDeviceCuda : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_device()) GTEST_SKIP() << "no GPU";
    }
};

TEST_F(LapackDeviceCuda, IsLapacks) {
    for (const auto &[m, n] : {std::pair{1, 1},
                               {5, 3},
                               {100, 100},
                               {300, 70},
                               {70, 300},
                               {1000, 257},
                               {4000, 50},
                               {4500, 300},
                               {20000, 64}}) {
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
        compare<float>(m, n);
        compare<double>(m, n);
        compare<xbatch::Complex<float>>(m, n);
        compare<xbatch::Complex<double>>(m, n);
    }
}

TEST_F(LapackDeviceCuda, NaNIsRefusedBeforeAnythingIsWritten) {
    Numbers<double> a(200, 100), tau(100, 1);
    a.values[50 * a.ld + 77] = std::numeric_limits<double>::quiet_NaN();
    const Numbers<double> before = a, tau_before = tau;
    EXPECT_THROW(geqrf_device(200, 100, a.data(), a.ld, tau.data()), std::exception);
    for (size_t i = 0; i < a.values.size(); ++i)
        ASSERT_TRUE(a.values[i] == before.values[i] || std::isnan(before.values[i])) << i;
    EXPECT_EQ(tau.values, tau_before.values);
}

TEST_F(LapackDeviceCuda, Threads) {
    Numbers<double> expected(500, 200), tau(200, 1);
    std::vector<Numbers<double>> matrices(4, expected);
    geqrf_device(500, 200, expected.data(), expected.ld, tau.data());
    std::vector<std::thread> threads;
    for (Numbers<double> &a : matrices)
        threads.emplace_back([&a] {
            Numbers<double> own_tau(200, 1);
            geqrf_device(500, 200, a.data(), a.ld, own_tau.data());
        });
    for (std::thread &thread : threads) thread.join();
    for (const Numbers<double> &a : matrices) EXPECT_EQ(a.values, expected.values);
}

TEST_F(LapackDeviceCuda, ChildOfAForkHasNone) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) _exit(has_device() ? 1 : 0);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
