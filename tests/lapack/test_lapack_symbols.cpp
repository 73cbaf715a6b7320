// test_lapack_symbols.cpp: a program that is linked with the interposer before LAPACK: 64-bit integers, wrong arguments
// reported to the program's own xerbla, threads, and a child process after a fork.
//
// SPDX-License-Identifier: BSD-3-Clause
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
    EXPECT_EQ(reported_name, "DGTSV ");  // as reported by LAPACK, with its trailing blank
    EXPECT_EQ(reported_position, 7);
    std::vector<int> ipiv(n);
    dgttrs_("X", &n, &one, a.dl.data(), a.d.data(), a.du.data(), a.du.data(), ipiv.data(), a.b.data(), &n, &info, 1);
    EXPECT_EQ(info, -1);
    EXPECT_EQ(reported_name, "DGTTRS");
    dgtsv_(&minus, &one, a.dl.data(), a.d.data(), a.du.data(), a.b.data(), &n,
           &info);  // too small for the interposer: LAPACK reports it
    EXPECT_EQ(info, -1);
    EXPECT_EQ(reported_position, 1);
    const int64_t wide_n = 5000, wide_minus = -1;
    int64_t wide_info = 0;
    zptsv_64_(&wide_n, &wide_minus, a.d.data(), a.dl.data(), a.b.data(), &wide_n, &wide_info);
    EXPECT_EQ(wide_info, -2);
    EXPECT_EQ(reported_name.substr(0, 5), "ZPTSV");  // by the interposer if there is no LAPACK with 64-bit integers
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

// The interposer's and LAPACK's function of one name
template <class F>
struct Both {
    F *ours, *theirs;
    explicit Both(const std::string &name)
        : ours(reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name.c_str()))),
          theirs(reinterpret_cast<F *>(dlsym(dlopen("liblapack.so.3", RTLD_NOW), name.c_str()))) {
        EXPECT_NE(ours, theirs) << name;
    }
};

template <class T>
std::vector<T> random_numbers(size_t count) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<T> numbers(count);
    for (T &v : numbers) {
        v = T(uniform(engine));
        if constexpr (sizeof(T) > sizeof(std::abs(T()))) v += T(0, uniform(engine));
    }
    return numbers;
}

template <class T>
void expect_near(const std::string &what, const std::vector<T> &a, const std::vector<T> &b) {
    const double bound = 1e3 * std::numeric_limits<decltype(std::abs(T()))>::epsilon();
    for (size_t i = 0; i < a.size(); ++i) ASSERT_LE(std::abs(a[i] - b[i]), bound) << what << ", entry " << i;
}

// Leading dimensions exceed the number of rows; padding is compared too.
template <class T>
void compare_qr(const std::string &letter, const char *unitary, int m, int n) {
    using Geqrf = void(const int *, const int *, T *, const int *, T *, T *, const int *, int *);
    using Unmqr = void(const char *, const char *, const int *, const int *, const int *, const T *, const int *,
                       const T *, T *, const int *, T *, const int *, int *, size_t, size_t);
    using Ungqr = void(const int *, const int *, const int *, T *, const int *, const T *, T *, const int *, int *);
    const Both<Geqrf> geqrf(letter + "geqrf_");
    const Both<Unmqr> unmqr(letter + unitary + "mqr_");
    const Both<Ungqr> ungqr(letter + unitary + "gqr_");
    const int lda = m + 3, k = std::min(m, n), columns = 90, lwork = 64 * std::max({m, n, columns});
    std::vector<T> a = random_numbers<T>(size_t(lda) * n), tau(k), work(lwork), b = a, other_tau = tau;
    int info = -1, other_info = -1;
    geqrf.ours(&m, &n, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
    geqrf.theirs(&m, &n, b.data(), &lda, other_tau.data(), work.data(), &lwork, &other_info);
    EXPECT_EQ(info, other_info);
    expect_near(letter + "geqrf", a, b);
    expect_near(letter + "geqrf's tau", tau, other_tau);
    const char adjoint = unitary[0] == 'o' ? 'T' : 'C';
    for (const char side : {'L', 'R'})
        for (const char trans : {'N', adjoint}) {
            const int rows = side == 'L' ? m : columns, others = side == 'L' ? columns : m, ldc = rows + 2;
            std::vector<T> c = random_numbers<T>(size_t(ldc) * others), d = c;
            unmqr.ours(&side, &trans, &rows, &others, &k, a.data(), &lda, tau.data(), c.data(), &ldc, work.data(),
                       &lwork, &info, 1, 1);
            unmqr.theirs(&side, &trans, &rows, &others, &k, a.data(), &lda, tau.data(), d.data(), &ldc, work.data(),
                         &lwork, &other_info, 1, 1);
            EXPECT_EQ(info, other_info);
            expect_near(letter + unitary + "mqr " + side + trans, c, d);
        }
    if (n > m) return;
    b = a;
    ungqr.ours(&m, &n, &k, a.data(), &lda, tau.data(), work.data(), &lwork, &info);
    ungqr.theirs(&m, &n, &k, b.data(), &lda, tau.data(), work.data(), &lwork, &other_info);
    EXPECT_EQ(info, other_info);
    expect_near(letter + unitary + "gqr", a, b);
}

// R, vectors and tau, including signs; products with Q, and Q itself
TEST(LapackSymbols, QrIsLapacks) {
    for (const auto &[m, n] : {std::pair{64, 64}, {129, 129}, {300, 200}, {200, 300}, {1000, 70}, {257, 256}}) {
        SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(n));
        compare_qr<float>("s", "or", m, n);
        compare_qr<double>("d", "or", m, n);
        compare_qr<std::complex<float>>("c", "un", m, n);
        compare_qr<std::complex<double>>("z", "un", m, n);
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
