// info.hpp: checks of info against its definition in types.h, and values that no solver can solve for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/generators/random.hpp"

namespace xbatch_test {

// Inf and NaN, in either part of a complex number
template <class T>
std::vector<T> numbers_not_finite() {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    if (is_complex<T>) return {scalar<T>(inf), scalar<T>(0, inf), scalar<T>(nan), scalar<T>(1, nan)};
    return {scalar<T>(inf), scalar<T>(-inf), scalar<T>(nan)};
}

template <class T>
bool all_finite(const std::vector<T> &x) {
    return std::all_of(x.begin(), x.end(), [](T value) { return is_finite(value); });
}

// For a system of n unknowns; x are those of all right-hand sides
template <class T>
void expect_true_info(int32_t info, int64_t n, const std::vector<T> &x) {
    EXPECT_GE(info, 0);
    EXPECT_LE(info, n + 1);
    if (info == 0) {
        EXPECT_TRUE(all_finite(x)) << "info 0, and an unknown that is not finite";
    } else if (info == n + 1) {
        EXPECT_FALSE(all_finite(x)) << "info n + 1, and all unknowns finite";
    }
}

// A random factor within this number of decimal exponents of the type's range
template <class R>
R graded(Random &random, double part) {
    const double decades = sizeof(R) == 4 ? 35 : 290;
    return R(std::pow(10.0, part * decades * random.uniform()));
}

// The largest power of two, and one whose inverse times the largest overflows
template <class T>
Real<T> large() {
    return std::ldexp(Real<T>(1), std::numeric_limits<Real<T>>::max_exponent - 1);
}
template <class T>
Real<T> small() {
    return std::ldexp(Real<T>(1), -20);
}

}  // namespace xbatch_test
