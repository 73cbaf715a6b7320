// test_lapack_symbols.cpp: a program that was linked with the interposer before LAPACK: 64-bit integers, wrong
// arguments reported to the program's own xerbla, threads, and a child after a fork. SPDX-License-Identifier:
// BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
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
