// random_scalar.hpp: random real and complex numbers for tests of the interposer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <random>

#include "prototypes.hpp"

// Both parts are uniform in [-1, 1).
template <class T, class Engine>
T random_scalar(Engine &engine) {
    std::uniform_real_distribution<Real<T>> uniform(-1, 1);
    const Real<T> re = uniform(engine);
    if constexpr (is_complex<T>)
        return {re, uniform(engine)};
    else
        return re;
}
