// test_lapack_symbols.cpp: a program that was linked with the interposer before LAPACK: 64-bit integers, wrong
// arguments reported to the program's own xerbla, threads, and a child after a fork. SPDX-License-Identifier:
// BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::string reported_name;
int64_t reported_position = 0;

}  // namespace

extern "C" {
void dgtsv_(const int *, const int *, double *, double *, double *, double *, const int *, int *);
void dgtsv_64_(const int64_t *, const int64_t *, double *, double *, double *, double *, const int64_t *, int64_t *);
void dgttrs_(const char *, const int *, const int *, const double *, const double *, const double *, const double *,
             const int *, double *, const int *, int *, size_t);
void zptsv_64_(const int64_t *, const int64_t *, double *, void *, void *, const int64_t *, int64_t *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);

void xerbla_(const char *name, const int *position, size_t length) {
    reported_name.assign(name, length), reported_position = *position;
}
void xerbla_64_(const char *name, const int64_t *position, size_t length) {
    reported_name.assign(name, length), reported_position = *position + 6400;
}
}

namespace {

struct System {
    std::vector<double> dl, d, du, b;
    explicit System(int n) : dl(n, 1.0), d(n, 4.0), du(n, 1.5), b(n) {
        for (int i = 0; i < n; ++i) b[i] = i % 7 - 3;
    }
    int solve() {
        const int n = int(d.size()), one = 1;
        int info;
        dgtsv_(&n, &one, dl.data(), d.data(), du.data(), b.data(), &n, &info);
        return info;
    }
};

TEST(LapackSymbols, IntegersOf64Bits) {
    for (const int64_t n : {5, 1000, 50000}) {
        System narrow{int(n)}, wide{int(n)};
        const int64_t one = 1;
        int64_t info = -1;
        ASSERT_EQ(narrow.solve(), 0);
        dgtsv_64_(&n, &one, wide.dl.data(), wide.d.data(), wide.du.data(), wide.b.data(), &n, &info);
        EXPECT_EQ(info, 0);
        EXPECT_EQ(narrow.b, wide.b);
        EXPECT_EQ(narrow.d, wide.d);
    }
}

TEST(LapackSymbols, WrongArgumentsAreReportedToTheProgram) {
    const int n = 1000, one = 1, short_ld = 999, minus = -1;
    int info = 0;
    System a(n);
    dgtsv_(&n, &one, a.dl.data(), a.d.data(), a.du.data(), a.b.data(), &short_ld, &info);
    EXPECT_EQ(info, -7);
    EXPECT_EQ(reported_name, "DGTSV");
    EXPECT_EQ(reported_position, 7);
    std::vector<int> ipiv(n);
    dgttrs_("X", &n, &one, a.dl.data(), a.d.data(), a.du.data(), a.du.data(), ipiv.data(), a.b.data(), &n, &info, 1);
    EXPECT_EQ(info, -1);
    EXPECT_EQ(reported_name, "DGTTRS");
    dgtsv_(&minus, &one, a.dl.data(), a.d.data(), a.du.data(), a.b.data(), &n, &info);  // below the size: LAPACK's own
    EXPECT_EQ(info, -1);
    EXPECT_EQ(reported_position, 1);
    const int64_t wide_n = 5000, wide_minus = -1;
    int64_t wide_info = 0;
    zptsv_64_(&wide_n, &wide_minus, a.d.data(), a.dl.data(), a.b.data(), &wide_n, &wide_info);
    EXPECT_EQ(wide_info, -2);
    EXPECT_EQ(reported_name, "ZPTSV");
    EXPECT_EQ(reported_position, 6402);
}

TEST(LapackSymbols, ForwardsWhatItDoesNotHandle) {
    std::vector<double> a{3, 4, 0, 5}, tau(2), work(64);
    const int two = 2, lwork = 64;
    int info = -1;
    dgeqrf_(&two, &two, a.data(), &two, tau.data(), work.data(), &lwork, &info);
    EXPECT_EQ(info, 0);
    EXPECT_NEAR(std::abs(a[0]), 5, 1e-14);
}

template <class T>
void compare_geqrf(const char *name, int m, int n) {
    using Geqrf = void(const int *, const int *, T *, const int *, T *, T *, const int *, int *);
    void *const lapack = dlopen("liblapack.so.3", RTLD_NOW);
    auto *const ours = reinterpret_cast<Geqrf *>(dlsym(RTLD_DEFAULT, name));
    auto *const theirs = reinterpret_cast<Geqrf *>(dlsym(lapack, name));
    if (!theirs) GTEST_SKIP() << "no liblapack.so.3";
    ASSERT_NE(ours, theirs);
    const int lda = m + 3, lwork = 32 * n;
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> a(size_t(lda) * n), tau(std::min(m, n)), work(lwork);
    for (T &v : a) {
        v = T(uniform(engine));
        if constexpr (sizeof(T) > sizeof(std::abs(T()))) v += T(0, uniform(engine));
    }
    std::vector<T> b = a, other_tau = tau;
    int info = -1, other_info = -1;
    ours(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
    theirs(&m, &n, b.data(), &lda, other_tau.data(), work.data(), &lwork, &other_info);
    EXPECT_EQ(info, other_info);
    const double bound = 1e3 * std::numeric_limits<decltype(std::abs(T()))>::epsilon();
    for (size_t i = 0; i < a.size(); ++i) ASSERT_LE(std::abs(a[i] - b[i]), bound) << name << ", entry " << i;
    for (size_t i = 0; i < tau.size(); ++i) ASSERT_LE(std::abs(tau[i] - other_tau[i]), bound) << name << ", tau " << i;
}

// R, the vectors and tau, signs and all
TEST(LapackSymbols, GeqrfLeavesWhatLapackLeaves) {
    for (const auto &[m, n] : {std::pair{64, 64}, {129, 129}, {300, 200}, {200, 300}, {1000, 70}, {257, 256}}) {
        compare_geqrf<float>("sgeqrf_", m, n);
        compare_geqrf<double>("dgeqrf_", m, n);
        compare_geqrf<std::complex<float>>("cgeqrf_", m, n);
        compare_geqrf<std::complex<double>>("zgeqrf_", m, n);
    }
}

TEST(LapackSymbols, GeqrfOfNaN) {
    const int n = 100, lwork = 3200;
    std::vector<double> a(n * n), tau(n), work(lwork);
    for (int i = 0; i < n * n; ++i) a[i] = std::sin(i);
    a[5 * n + 7] = std::nan("");
    int info = -1;
    dgeqrf_(&n, &n, a.data(), &n, tau.data(), work.data(), &lwork, &info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(std::isnan(a[n * n - 1]));
}

TEST(LapackSymbols, Threads) {
    System expected(60000);
    ASSERT_EQ(expected.solve(), 0);
    std::vector<System> systems(4, System(60000));
    std::vector<std::thread> threads;
    for (System &a : systems) threads.emplace_back([&a] { EXPECT_EQ(a.solve(), 0); });
    for (std::thread &thread : threads) thread.join();
    for (const System &a : systems) EXPECT_EQ(a.b, expected.b);
}

TEST(LapackSymbols, ChildOfAFork) {
    System expected(60000);
    ASSERT_EQ(expected.solve(), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        System a(60000);
        _exit(a.solve() == 0 && a.b == expected.b ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
