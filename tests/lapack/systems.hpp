// systems.hpp: tridiagonal matrices for tests of the interposer, and a comparison of bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/scalar.hpp"

namespace xbatch::lapack {

template <class T>
struct System {
    std::vector<T> dl, d, du, du2, b;
    std::vector<int> ipiv;
    int64_t n() const { return int64_t(d.size()); }
};

enum class Kind { dominant, random, laplace, misleading, nan_inside, zero_pivots };
template <class T>
T random_scalar(std::mt19937_64 &engine) {
    std::uniform_real_distribution<Real<T>> uniform(-1, 1);
    if constexpr (sizeof(T) == sizeof(Real<T>)) {
        return uniform(engine);
    } else {
        const Real<T> re = uniform(engine);
        return {re, uniform(engine)};
    }
}

template <class T>
System<T> make(Kind kind, int64_t n) {
    std::mt19937_64 engine(uint64_t(n) * 7 + uint64_t(kind));
    System<T> a;
    for (auto *v : {&a.dl, &a.d, &a.du, &a.du2, &a.b}) v->resize(n);
    a.ipiv.resize(n);
    for (int64_t i = 0; i < n; ++i) {
        a.dl[i] = random_scalar<T>(engine), a.d[i] = random_scalar<T>(engine), a.du[i] = random_scalar<T>(engine);
        a.b[i] = random_scalar<T>(engine);
        if (kind == Kind::dominant || kind == Kind::nan_inside) a.d[i] = a.d[i] + T(3);
        if (kind == Kind::laplace) a.dl[i] = a.du[i] = T(-1), a.d[i] = T(2);
        // Pivots 3 - 2 / p: the true sequence is constantly 1, but every other start converges to 2.
        if (kind == Kind::misleading) a.dl[i] = T(1), a.d[i] = i == 0 ? T(1) : T(3), a.du[i] = T(2);
        if (kind == Kind::zero_pivots && i % 97 == 0) a.dl[i] = a.d[i] = a.du[i] = T(0);
    }
    if (kind == Kind::nan_inside) a.d[n / 2] = T(std::numeric_limits<Real<T>>::quiet_NaN());
    return a;
}

// The same with `nrhs` random right-hand sides
template <class T>
System<T> make(Kind kind, int64_t n, int64_t nrhs, int64_t ldb) {
    System<T> a = make<T>(kind, n);
    a.b = make<T>(Kind::random, ldb * nrhs).b;
    return a;
}

template <class T>
std::vector<Real<T>> real_diagonal(const System<T> &a) {
    std::vector<Real<T>> d;
    for (const T v : a.d) d.push_back(real_part(v));
    return d;
}

// Compares bits; all NaNs are equal.
template <class T>
::testing::AssertionResult same_bits(const std::vector<T> &a, const std::vector<T> &b, int64_t count) {
    const auto *x = reinterpret_cast<const Real<T> *>(a.data()), *y = reinterpret_cast<const Real<T> *>(b.data());
    for (int64_t i = 0; i < count * int64_t(sizeof(T) / sizeof(Real<T>)); ++i)
        if (std::memcmp(x + i, y + i, sizeof(Real<T>)) != 0 && !(x[i] != x[i] && y[i] != y[i]))
            return ::testing::AssertionFailure() << "entry " << i << ": " << x[i] << " and " << y[i];
    return ::testing::AssertionSuccess();
}

struct TypeNames {
    template <class T>
    static std::string GetName(int) {
        return sizeof(T) == sizeof(Real<T>) ? (sizeof(T) == 4 ? "s" : "d") : (sizeof(T) == 8 ? "c" : "z");
    }
};
using Types = ::testing::Types<float, double, Complex<float>, Complex<double>>;

}  // namespace xbatch::lapack
