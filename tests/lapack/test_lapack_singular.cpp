// test_lapack_singular.cpp: for a singular or indefinite matrix, gtsv, gtsvx, ptsv, pttrf and ptsvx leave every array
// as LAPACK does, bit for bit: rows before the pivot are eliminated, later rows are unchanged, so that a program can
// repair the pivot and continue. Matrices of zeros, ones, NaN and Inf in any order, and long ones with such rows. The
// program is linked with the interposer before LAPACK.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "random_scalar.hpp"

extern "C" void dgtsv_(const int *, const int *, double *, double *, double *, double *, const int *, int *);

namespace {

template <class T>
constexpr char letter_of = is_complex<T> ? (sizeof(T) == 8 ? 'c' : 'z') : (sizeof(T) == 4 ? 's' : 'd');

template <class F>
F *in(void *library, const std::string &name) {
    return reinterpret_cast<F *>(dlsym(library, name.c_str()));
}
void *ours() { return RTLD_DEFAULT; }
void *theirs() {
    static void *const library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    return library;
}

// Compares bits; all NaNs are equal.
template <class T>
::testing::AssertionResult same_bits(const std::vector<T> &a, const std::vector<T> &b) {
    const auto *x = reinterpret_cast<const Real<T> *>(a.data()), *y = reinterpret_cast<const Real<T> *>(b.data());
    for (size_t i = 0; i < a.size() * sizeof(T) / sizeof(Real<T>); ++i)
        if (std::memcmp(x + i, y + i, sizeof(Real<T>)) != 0 && !(std::isnan(x[i]) && std::isnan(y[i])))
            return ::testing::AssertionFailure() << "number " << i << ": " << x[i] << " and " << y[i];
    return ::testing::AssertionSuccess();
}

// The arrays of a call. b has padding; dl and du have one element more than LAPACK uses.
template <class T>
struct System {
    int n, nrhs, ldb, info = -999;
    std::vector<T> dl, d, du, b;

    System(int n, int nrhs) : n(n), nrhs(nrhs), ldb(n + 3), dl(n), d(n), du(n), b(size_t(ldb) * nrhs) {}
    std::vector<Real<T>> real_d() const {
        std::vector<Real<T>> on(n);
        for (int i = 0; i < n; ++i) on[i] = std::real(d[i]);
        return on;
    }
};

class Numbers {
public:
    explicit Numbers(unsigned seed) : engine_(seed) {}
    int below(int count) { return int(engine_() % unsigned(count)); }
    template <class T>
    T uniform() {
        return random_scalar<T>(engine_);
    }
    // Frequent zeros of either sign, rare infinities and NaNs
    template <class T>
    T special(bool is_finite) {
        using R = Real<T>;
        constexpr R inf = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
        constexpr R values[] = {0, R(-0.0), 0, 0, 1, -1, 1, 2, R(0.5), 1, -1, 2, R(0.75), -3, inf, nan};
        const auto part = [&] { return values[below(is_finite ? 14 : 16)]; };
        const R re = part();
        if constexpr (is_complex<T>)
            return {re, below(2) == 0 ? part() : R(0)};
        else
            return re;
    }

private:
    std::mt19937 engine_;
};

template <class T>
System<T> special_system(Numbers &numbers, int n, int nrhs) {
    System<T> a(n, nrhs);
    const bool is_finite = numbers.below(2) == 0;
    for (auto *array : {&a.dl, &a.d, &a.du, &a.b})
        for (T &v : *array) v = numbers.below(3) == 0 ? numbers.uniform<T>() : numbers.special<T>(is_finite);
    return a;
}

enum class Rows { dominant, random, exchanged, constant };

// A zero pivot in row `zero`, or none if that is negative, and a few zero or non-finite rows after it
template <class T>
System<T> long_system(Rows rows, int n, int nrhs, int zero) {
    Numbers numbers(unsigned(n + zero));
    System<T> a(n, nrhs);
    for (auto *array : {&a.dl, &a.d, &a.du, &a.b})
        for (T &v : *array) v = numbers.uniform<T>();
    for (int i = 0; i < n; ++i) {
        if (rows == Rows::dominant) a.d[i] += T(3);
        if (rows == Rows::exchanged) a.dl[i] += T(3);
        if (rows == Rows::constant) a.dl[i] = a.du[i] = T(-1), a.d[i] = T(2);
    }
    if (zero < 0) return a;
    for (const int row : {zero, zero + n / 3, zero + n / 2}) {
        if (row >= n) continue;
        a.d[row] = row == zero ? T(-0.0) : T(std::numeric_limits<Real<T>>::quiet_NaN());
        if (row == zero) a.dl[row] = T(0);
        if (row > 0) a.dl[row - 1] = T(0);
    }
    return a;
}

template <class T>
class LapackSingular : public ::testing::Test {
protected:
    static std::string name(const char *stem) { return letter_of<T> + std::string(stem); }
    static System<T> gtsv(void *library, System<T> a) {
        in<typename Lapack<T>::Gtsv>(library, name("gtsv_"))(&a.n, &a.nrhs, a.dl.data(), a.d.data(), a.du.data(),
                                                             a.b.data(), &a.ldb, &a.info);
        return a;
    }
    static System<T> gtsv_64(System<T> a) {
        using Gtsv = void(const int64_t *, const int64_t *, T *, T *, T *, T *, const int64_t *, int64_t *);
        const int64_t n = a.n, nrhs = a.nrhs, ldb = a.ldb;
        int64_t info = -999;
        in<Gtsv>(ours(), name("gtsv_64_"))(&n, &nrhs, a.dl.data(), a.d.data(), a.du.data(), a.b.data(), &ldb, &info);
        a.info = int(info);
        return a;
    }
    // Returns INFO.
    static int compare_gtsv(const System<T> &given) {
        const System<T> expected = gtsv(theirs(), given);
        for (const bool is_64 : {false, true}) {
            const System<T> a = is_64 ? gtsv_64(given) : gtsv(ours(), given);
            EXPECT_EQ(a.info, expected.info);
            EXPECT_TRUE(same_bits(a.dl, expected.dl)) << "dl";
            EXPECT_TRUE(same_bits(a.d, expected.d)) << "d";
            EXPECT_TRUE(same_bits(a.du, expected.du)) << "du";
            EXPECT_TRUE(same_bits(a.b, expected.b)) << "b";
        }
        return expected.info;
    }
    static System<T> gtsvx(void *library, const System<T> &given, std::vector<int> &ipiv) {
        const int n = given.n;
        System<T> a(n, given.nrhs);
        std::vector<T> du2(n), x = given.b, work(3 * n);
        std::vector<Real<T>> ferr(a.nrhs), berr(a.nrhs), rwork(n);
        std::vector<int> iwork(n);
        Real<T> rcond;
        void *const more = is_complex<T> ? static_cast<void *>(rwork.data()) : iwork.data();
        in<typename Lapack<T>::Gtsvx>(library, name("gtsvx_"))(
            "N", "N", &n, &a.nrhs, given.dl.data(), given.d.data(), given.du.data(), a.dl.data(), a.d.data(),
            a.du.data(), du2.data(), ipiv.data(), given.b.data(), &given.ldb, x.data(), &a.ldb, &rcond, ferr.data(),
            berr.data(), work.data(), more, &a.info, 1, 1);
        if (a.info > 0 && a.info <= n) {
            EXPECT_EQ(rcond, 0);
            EXPECT_TRUE(same_bits(x, given.b));
        }
        a.b = du2;
        return a;
    }
    static void compare_gtsvx(const System<T> &given) {
        std::vector<int> ipiv(given.n), expected_ipiv(given.n);
        const System<T> expected = gtsvx(theirs(), given, expected_ipiv), a = gtsvx(ours(), given, ipiv);
        EXPECT_TRUE(a.info == expected.info || (a.info % (a.n + 1) == 0 && expected.info % (a.n + 1) == 0));
        EXPECT_TRUE(same_bits(a.dl, expected.dl)) << "dlf";
        EXPECT_TRUE(same_bits(a.d, expected.d)) << "df";
        EXPECT_TRUE(same_bits(a.du, expected.du)) << "duf";
        EXPECT_TRUE(same_bits(a.b, expected.b)) << "du2";
        EXPECT_EQ(ipiv, expected_ipiv);
    }

    struct Positive {
        int info = -999;
        std::vector<Real<T>> d;
        std::vector<T> e, b;
    };
    static Positive ptsv(void *library, const System<T> &a, bool is_factored_only) {
        Positive p{-999, a.real_d(), a.dl, a.b};
        if (is_factored_only)
            in<typename Lapack<T>::Pttrf>(library, name("pttrf_"))(&a.n, p.d.data(), p.e.data(), &p.info);
        else
            in<typename Lapack<T>::Ptsv>(library, name("ptsv_"))(&a.n, &a.nrhs, p.d.data(), p.e.data(), p.b.data(),
                                                                 &a.ldb, &p.info);
        return p;
    }
    static Positive ptsvx(void *library, const System<T> &a) {
        Positive p{-999, std::vector<Real<T>>(a.n), std::vector<T>(a.n), a.b};
        const std::vector<Real<T>> d = a.real_d();
        std::vector<T> work(2 * a.n);
        std::vector<Real<T>> ferr(a.nrhs), berr(a.nrhs), rwork(a.n);
        Real<T> rcond;
        if constexpr (is_complex<T>)
            in<typename Lapack<T>::PtsvxComplex>(library, name("ptsvx_"))(
                "N", &a.n, &a.nrhs, d.data(), a.dl.data(), p.d.data(), p.e.data(), a.b.data(), &a.ldb, p.b.data(),
                &a.ldb, &rcond, ferr.data(), berr.data(), work.data(), rwork.data(), &p.info, 1);
        else
            in<typename Lapack<T>::PtsvxReal>(library, name("ptsvx_"))(
                "N", &a.n, &a.nrhs, d.data(), a.dl.data(), p.d.data(), p.e.data(), a.b.data(), &a.ldb, p.b.data(),
                &a.ldb, &rcond, ferr.data(), berr.data(), work.data(), &p.info, 1);
        if (p.info > 0 && p.info <= a.n) {
            EXPECT_EQ(rcond, 0);
            EXPECT_TRUE(same_bits(p.b, a.b));
        }
        p.info %= a.n + 1, p.b.clear();  // refined solutions are compared elsewhere
        return p;
    }
    // Returns INFO.
    static int compare_positive(const System<T> &given) {
        const auto compare = [](const Positive &a, const Positive &expected) {
            EXPECT_EQ(a.info, expected.info);
            EXPECT_TRUE(same_bits(a.d, expected.d)) << "d";
            EXPECT_TRUE(same_bits(a.e, expected.e)) << "e";
            EXPECT_TRUE(same_bits(a.b, expected.b)) << "b";
        };
        for (const bool is_factored_only : {false, true})
            compare(ptsv(ours(), given, is_factored_only), ptsv(theirs(), given, is_factored_only));
        compare(ptsvx(ours(), given), ptsvx(theirs(), given));
        return ptsv(theirs(), given, true).info;
    }
};

struct TypeNames {
    template <class T>
    static std::string GetName(int) {
        return {letter_of<T>};
    }
};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackSingular, Types, TypeNames);

#ifdef __x86_64__
constexpr bool lapack_may_fuse = false;
#else
constexpr bool lapack_may_fuse = true;
#endif

constexpr int right_sides[] = {1, 2, 3, 7};

TYPED_TEST(LapackSingular, SmallMatrices) {
    if (lapack_may_fuse) GTEST_SKIP() << "LAPACK may be compiled with fused multiply-adds";
    Numbers numbers(1);
    int singular = 0, indefinite = 0;
    for (int i = 0; i < 20000 && !this->HasFailure(); ++i) {
        const int n = 1 + i % 9, nrhs = right_sides[i / 9 % 4];
        SCOPED_TRACE("system " + std::to_string(i) + ", n " + std::to_string(n) + ", nrhs " + std::to_string(nrhs));
        System<TypeParam> a = special_system<TypeParam>(numbers, n, nrhs);
        singular += this->compare_gtsv(a) > 0;
        this->compare_gtsvx(a);
        for (TypeParam &v : a.d)
            if (numbers.below(4) > 0) v = TypeParam(std::abs(v));
        indefinite += this->compare_positive(a) > 0;
    }
    EXPECT_GT(singular, 1000);
    EXPECT_GT(indefinite, 10000);
}

TYPED_TEST(LapackSingular, LongMatrices) {
    if (lapack_may_fuse) GTEST_SKIP() << "LAPACK may be compiled with fused multiply-adds";
    for (const Rows rows : {Rows::dominant, Rows::random, Rows::exchanged, Rows::constant})
        for (const int n : {1, 2, 3, 64, 2944, 7000, 40000})
            for (const int nrhs : right_sides)
                for (const int zero : {-1, 0, 1, n / 2, n - 3, n - 2, n - 1}) {
                    if (zero >= n || (n == 40000 && (nrhs > 2 || int(rows) > int(Rows::random)))) continue;
                    SCOPED_TRACE("rows " + std::to_string(int(rows)) + ", n " + std::to_string(n) + ", nrhs " +
                                 std::to_string(nrhs) + ", zero " + std::to_string(zero));
                    const System<TypeParam> a = long_system<TypeParam>(rows, n, nrhs, zero);
                    const int info = this->compare_gtsv(a);
                    if (rows == Rows::exchanged) {
                        EXPECT_EQ(info > 0, zero >= 0 || n >= 2944);  // the carried entry underflows in long matrices
                    } else {
                        EXPECT_EQ(info, zero < 0 ? 0 : zero + 1);
                    }
                    this->compare_gtsvx(a);
                    System<TypeParam> positive = long_system<TypeParam>(Rows::dominant, n, nrhs, zero);
                    if (rows == Rows::exchanged && zero >= 0) positive.d[zero] = TypeParam(-1);
                    EXPECT_EQ(this->compare_positive(positive), zero < 0 ? 0 : zero + 1);
                    if (this->HasFailure()) return;
                }
}

// The purpose of `info` and of the unchanged rows: a program repairs the pivot and solves from there on.
TEST(LapackSingularUse, RepairedPivot) {
    const int n = 4, one = 1;
    std::vector<double> dl{1, 0, 1}, d{2, 0, 5, 6}, du{0, 1, 1}, b{2, 4, 9, 8};
    dl[0] = 0;
    int info = -1;
    dgtsv_(&n, &one, dl.data(), d.data(), du.data(), b.data(), &n, &info);
    ASSERT_EQ(info, 2);
    const int rest = n - (info - 1);
    d[1] = 3;
    dgtsv_(&rest, &one, dl.data() + 1, d.data() + 1, du.data() + 1, b.data() + 1, &rest, &info);
    ASSERT_EQ(info, 0);
    EXPECT_NEAR(5 * b[2] + b[3], 9, 1e-14);
    EXPECT_NEAR(b[2] + 6 * b[3], 8, 1e-14);
    EXPECT_NEAR(3 * b[1] + b[2], 4, 1e-14);
}

}  // namespace
