// qr_kinds.hpp: kinds of dense matrices for QR: structured, rank-deficient, graded, near the ends of the range.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "random.hpp"

namespace xbatch_test {

template <class T>
struct Kind {
    const char *name;
    std::function<T(Random &, int64_t i, int64_t j, int64_t m, int64_t n)> entry;
};

template <class T>
std::vector<Kind<T>> kinds() {
    using R = Real<T>;
    using L = std::numeric_limits<R>;
    const R small = std::sqrt(L::min()), large = std::sqrt(L::max());
    const auto unit = [](Random &r) { return r.unit<T>(); };
    const auto scaled = [=](R factor) {
        return [=](Random &r, int64_t, int64_t, int64_t, int64_t) { return unit(r) * factor; };
    };
    const auto graded = [](double exponent) { return R(std::pow(10.0, exponent)); };
    return {
        {"zero", [](Random &, int64_t, int64_t, int64_t, int64_t) { return T(0); }},
        {"diagonal", [=](Random &r, int64_t i, int64_t j, int64_t, int64_t) { return i == j ? unit(r) : T(0); }},
        {"upper", [=](Random &r, int64_t i, int64_t j, int64_t, int64_t) { return i <= j ? unit(r) : T(0); }},
        {"lower", [=](Random &r, int64_t i, int64_t j, int64_t, int64_t) { return i >= j ? unit(r) : T(0); }},
        {"near underflow", scaled(L::min() / L::epsilon() / 4)},
        {"subnormal", scaled(L::min())},
        {"squares underflow", scaled(small * R(1e-3))},
        {"squares overflow", scaled(large * R(1e3))},
        {"near overflow", scaled(L::max() / 1024)},
        {"a zero column first, in the middle, last",
         [=](Random &r, int64_t, int64_t j, int64_t, int64_t n) {
             return j == 0 || j == n / 2 || j == n - 1 ? T(0) : unit(r);
         }},
        {"equal columns", [](Random &, int64_t i, int64_t, int64_t, int64_t) { return Random(uint64_t(i)).unit<T>(); }},
        {"rank one half", [](Random &, int64_t i, int64_t j, int64_t,
                             int64_t n) { return Random(uint64_t(i * 1000 + j % (n / 2 + 1))).unit<T>(); }},
        {"Hilbert", [](Random &, int64_t i, int64_t j, int64_t, int64_t) { return T(R(1) / R(i + j + 1)); }},
        {"Kahan",
         [](Random &, int64_t i, int64_t j, int64_t, int64_t) {
             const double s = std::sin(1.2), c = std::cos(1.2);
             return T(R(i > j ? 0 : std::pow(s, double(i)) * (i == j ? 1 : -c)));
         }},
        {"rows graded down",
         [=](Random &r, int64_t i, int64_t, int64_t, int64_t) { return unit(r) * graded(-i / 3.0); }},
        {"rows graded up", [=](Random &r, int64_t i, int64_t, int64_t, int64_t) { return unit(r) * graded(i / 3.0); }},
        {"columns graded",
         [=](Random &r, int64_t, int64_t j, int64_t, int64_t) { return unit(r) * graded(j % 2 ? j / 3.0 : -j / 3.0); }},
        {"columns tiny, usual and huge",
         [=](Random &r, int64_t, int64_t j, int64_t, int64_t) {
             return unit(r) * (j % 3 == 0 ? L::min() * 16 : j % 3 == 1 ? R(1) : L::max() / 1024);
         }},
        {"small columns before huge ones",  // whose quotients overflow
         [=](Random &r, int64_t, int64_t j, int64_t, int64_t) {
             return unit(r) * (j % 2 ? L::max() / 1024 : R(sizeof(R) == 8 ? 0x1p-45 : 0x1p-18));
         }},
        {"a heavy row over tiny ones", [=](Random &r, int64_t i, int64_t, int64_t,
                                           int64_t) { return unit(r) * (i == 0 ? R(1 << 20) : L::min() * 16); }},
        {"one huge entry", [=](Random &r, int64_t i, int64_t j, int64_t m,
                               int64_t n) { return i == m / 2 && j == n / 2 ? T(L::max() / 1024) : unit(r); }},
        {"reversed", [](Random &, int64_t i, int64_t j, int64_t m, int64_t) { return T(i + j == m - 1 ? 1 : 0); }},
        {"imaginary in front", [=](Random &r, int64_t i, int64_t j, int64_t,
                                   int64_t) { return i == j ? scalar<T>(is_complex<T> ? 0 : 1, 1) : unit(r); }},
    };
}

}  // namespace xbatch_test
