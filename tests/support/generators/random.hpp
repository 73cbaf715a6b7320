// random.hpp: random numbers that depend only on a seed and a counter, the same on every machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "support/scalar.hpp"

namespace xbatch_test {

class Random {
public:
    explicit Random(uint64_t seed) : state_(mix(seed)) {}

    uint64_t bits() { return mix(state_ += 0x9e3779b97f4a7c15); }
    // uniform in (-1, 1)
    double uniform() { return double(int64_t(bits()) >> 11) * 0x1p-52; }
    // mean 0, variance 1: a sum of twelve uniforms, exact in any arithmetic
    double normal() {
        double sum = 0;
        for (int k = 0; k < 12; ++k) sum += uniform();
        return sum / 2;
    }
    // modulus below 1
    template <class T>
    T unit() {
        const double re = uniform();
        return is_complex<T> ? scalar<T>(re * 0.7, uniform() * 0.7) : scalar<T>(re);
    }

private:
    // The output function of SplitMix64 (Steele, Lea, Flood 2014)
    static uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    uint64_t state_;
};

}  // namespace xbatch_test
