// scalar.hpp: the four element types in tests, and the wider arithmetic for errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#define XBATCH_COMPLEX_FLOAT std::complex<float>
#define XBATCH_COMPLEX_DOUBLE std::complex<double>
#include <xbatch.h>

namespace xbatch_test {

template <class T>
struct Traits;
template <>
struct Traits<float> {
    using Real = float;
    using Wide = long double;
    static constexpr xbatchDataType_t type = XBATCH_R_32F;
};
template <>
struct Traits<double> {
    using Real = double;
    using Wide = long double;
    static constexpr xbatchDataType_t type = XBATCH_R_64F;
};
template <>
struct Traits<std::complex<float>> {
    using Real = float;
    using Wide = std::complex<long double>;
    static constexpr xbatchDataType_t type = XBATCH_C_32F;
};
template <>
struct Traits<std::complex<double>> {
    using Real = double;
    using Wide = std::complex<long double>;
    static constexpr xbatchDataType_t type = XBATCH_C_64F;
};

template <class T>
using Real = typename Traits<T>::Real;
// Errors are computed in x87 arithmetic: 11 more bits, and products of three doubles do not overflow.
template <class T>
using Wide = typename Traits<T>::Wide;

template <class T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;

// The unit roundoff, LAPACK's eps: 2^-53 in double.
template <class T>
constexpr double unit_roundoff = double(std::numeric_limits<Real<T>>::epsilon()) / 2;

inline long double modulus(long double x) { return std::fabs(x); }
inline long double modulus(std::complex<long double> x) { return std::sqrt(x.real() * x.real() + x.imag() * x.imag()); }

// The larger of two errors; NaN wins, so that a comparison with a bound fails.
inline long double worse(long double a, long double b) { return std::isnan(a) || b <= a ? a : b; }

template <class T>
bool is_finite(T x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}

// A value with an imaginary part if the type is complex.
template <class T>
T scalar(double re, double im = 0) {
    if constexpr (is_complex<T>)
        return T(Real<T>(re), Real<T>(im));
    else
        return T(re);
}

constexpr xbatchDataType_t all_types[] = {XBATCH_R_32F, XBATCH_R_64F, XBATCH_C_32F, XBATCH_C_64F};

constexpr char letter(xbatchDataType_t type) { return "sdcz"[type]; }

// f(T{}) for the C++ type behind the enumerator
template <class F>
void with_type(xbatchDataType_t type, F f) {
    switch (type) {
        case XBATCH_R_32F: return f(float{});
        case XBATCH_R_64F: return f(double{});
        case XBATCH_C_32F: return f(std::complex<float>{});
        default: return f(std::complex<double>{});
    }
}

}  // namespace xbatch_test
