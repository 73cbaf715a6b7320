// matrices.hpp: batches of tridiagonal test systems.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "randsvd.hpp"

namespace xbatch_test {

// dl_i x_{i-1} + d_i x_i + du_i x_{i+1} = b_i. Row i of coefficient set j is at [j*n + i], row i of right-hand side r
// of system j at [(j*nrhs + r)*n + i]. With one set, all systems share it. dl_0 and du_{n-1} are the corner entries
// A(0, n-1) and A(n-1, 0), which are 0 unless the matrix is periodic.
template <class T>
struct Systems {
    int64_t n, nrhs, batch, sets;
    std::vector<T> dl, d, du, b;

    int64_t row(int64_t j, int64_t i) const { return (sets == 1 ? 0 : j) * n + i; }
    int64_t entry(int64_t j, int64_t r, int64_t i) const { return (j * nrhs + r) * n + i; }
    int64_t around(int64_t i) const { return i < 0 ? n - 1 : i < n ? i : 0; }
};

// 1 … 28 are those of Klein and Strzodka (ICPP 2021, table 1: 1 … 20) and of Higham's gallery, 8 … 11 as randsvd.hpp
// makes them; 29 and 30 are (-1, 4, -1) near the largest and the smallest normal number. In complex arithmetic each row
// is turned by a random phase.
constexpr Family families[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30};
// Stable without pivoting
constexpr Family dominant_families[] = {6, 2, 3, 7, 17, 18, 19, 20, 21, 28, 29, 30};
// The first pivot is an exact zero
constexpr Family zero_diagonal_families[] = {15, 23, 24, 25};

inline bool is_among(Family family, const Family *first, const Family *last) {
    return std::find(first, last, family) != last;
}

// Powers for the overflow traps, scaled to the exponent range of the type: 2^(e * range of R / range of double)
template <class R>
R scaled_power(double e) {
    return R(std::exp2(std::trunc(e * (std::numeric_limits<R>::max_exponent / 1024.0))));
}

// dorr(n, theta): a singularly perturbed operator, dominant by rows and yet nearly singular
inline Row<double> dorr_row(int64_t n, int64_t i) {
    const double theta = 1e-4, h = 1.0 / double(n + 1), t = theta / (h * h), slope = (0.5 - double(i + 1) * h) / h;
    if (i + 1 <= (n + 1) / 2) return {-t, 2 * t + slope, -t - slope};
    return {-t + slope, 2 * t - slope, -t};
}

// Row i (0-based) of a family but 8 … 11
template <class T>
Row<T> family_row(Family family, int64_t n, int64_t i, Random &random) {
    using R = Real<T>;
    const auto row = [](double l, double d, double u) { return Row<T>{T(R(l)), T(R(d)), T(R(u))}; };
    const auto unit = [&] { return random.unit<T>(); };
    const auto maybe = [&] { return random.uniform() < 0 ? T(0) : unit(); };
    const R tiny = scaled_power<R>(-166);                                        // 1e-50 in double
    const R huge = std::ldexp(R(1), std::numeric_limits<R>::max_exponent - 12);  // A x must not overflow
    const double k = double(i + 1), size = double(n);
    const T a = unit(), b = unit(), c = unit();
    switch (family) {
        case 1: return {a, b, c};
        case 2: return {a, T(R(1e8)), c};
        case 3: return row(1 / k, -(2 * k + 3), k + 1);
        case 4: return {i == n / 2 ? a * tiny : a, b, c};
        case 5: return {maybe(), b, maybe()};
        case 6: return {a, T(64), c};
        case 7: return row(-2. / 3, i == 0 || i == n - 1 ? 4. / 3 : 5. / 3, -2. / 3);
        case 12: return {a * tiny, b, c};
        case 13: {
            const Row<double> dorr = dorr_row(n, i);
            return row(dorr.l, dorr.d, dorr.u);
        }
        case 14: return {a, T(R(1e-8)), c};
        case 15: return {a, T(0), c};
        case 16: return row(1, 1e-8, 1);
        case 17: return row(1, 1e8, 1);
        case 18: return row(-1, 4, -1);
        case 19: return row(-1, 4, 1);
        case 20: return {T(-1), T(4), c};
        case 21: return {T(0), b, T(0)};
        case 22: return row(-1, 2, -1);
        case 23: return row(double(i % 2), 0, double(1 - i % 2));
        case 24: return row(1, 0, 1);
        case 25: return row(size + 1 - k, 0, k);
        case 26: {
            const R s = scaled_power<R>(900 * random.uniform());
            return {a * s, (T(3) + b) * s, c * s};
        }
        case 27: return row(-1, 2 * std::cos(0.3 * 3.14159265358979323846), -1);
        case 28: return row(-scaled_power<R>(664), 4 * scaled_power<R>(664), -scaled_power<R>(664));
        case 29: return row(-huge, 4 * huge, -huge);
        default: return row(-1 / huge, 4 / huge, -1 / huge);
    }
}

// The same of any family
template <class T>
Row<T> made_row(Family family, int64_t n, int64_t i, bool is_periodic, uint64_t seed, Random &random) {
    if (!has_given_singular_values(family)) return family_row<T>(family, n, i, random);
    const Row<Real<T>> row = randsvd_row<Real<T>>(family, n, i, is_periodic, seed);
    return {T(row.l), T(row.d), T(row.u)};
}

template <class T>
Row<T> turned(Row<T> row, Random &random) {
    if constexpr (is_complex<T>) {
        const double angle = 3.14159265358979323846 * random.uniform();
        const T phase = scalar<T>(std::cos(angle), std::sin(angle));
        return {row.l * phase, row.d * phase, row.u * phase};
    } else {
        return row;
    }
}

// b = A x rounded, for x normally distributed about 3
template <class T>
void fill_right_hand_side(Systems<T> &s, int64_t j, int64_t r, Random &random) {
    using W = Wide<T>;
    std::vector<W> x(s.n + 2);
    for (int64_t i = 0; i < s.n; ++i) x[i + 1] = W(scalar<T>(3 + random.normal(), is_complex<T> ? random.normal() : 0));
    x[0] = x[s.n], x[s.n + 1] = x[1];
    for (int64_t i = 0; i < s.n; ++i) {
        const int64_t k = s.row(j, i);
        s.b[s.entry(j, r, i)] = T(W(s.dl[k]) * x[i] + W(s.d[k]) * x[i + 1] + W(s.du[k]) * x[i + 2]);
    }
}

// A batch whose system j is of family of[j % of.size()]
template <class T>
Systems<T> make_systems(int64_t n, int64_t nrhs, int64_t batch, const std::vector<Family> &of, bool shared = false,
                        uint64_t seed = 1, bool is_periodic = false) {
    const int64_t sets = shared ? std::min<int64_t>(batch, 1) : batch;
    Systems<T> s{n, nrhs, batch, sets, {}, {}, {}, {}};
    s.dl.resize(sets * n), s.d.resize(sets * n), s.du.resize(sets * n), s.b.resize(batch * nrhs * n);
    for (int64_t j = 0; j < sets; ++j) {
        Random random(seed * 1000003 + uint64_t(j));
        for (int64_t i = 0; i < n; ++i) {
            const Family family = of[j % of.size()];
            const Row<T> row = turned(made_row<T>(family, n, i, is_periodic, seed + uint64_t(j), random), random);
            s.dl[j * n + i] = is_periodic || i > 0 ? row.l : T(0);
            s.d[j * n + i] = row.d;
            s.du[j * n + i] = is_periodic || i + 1 < n ? row.u : T(0);
        }
    }
    for (int64_t j = 0; j < batch; ++j)
        for (int64_t r = 0; r < nrhs; ++r) {
            Random random(seed * 7000003 + uint64_t(j * nrhs + r));
            fill_right_hand_side(s, j, r, random);
        }
    return s;
}

// Whether a family's matrix of n rows is nonsingular, and far enough from the ends of T's range for every draw to be
// solved.
template <class T>
bool is_solvable(Family family, int64_t n, bool is_periodic) {
    const bool is_float = sizeof(Real<T>) == 4, is_even = n % 2 == 0;
    // Clement's solution grows like 10^(0.15 n), beyond the range by any method.
    if (family == 25 && n > (is_float ? 128 : 1024)) return false;
    // dorr is singular to any precision, and in the lower one its last pivot may well come out as an exact zero.
    if (family == 13 && is_float && n > 100) return false;
    // Rows that are nearly or wholly decoupled: the exponent of the inverse walks at random with n. Past the smallest
    // normal number a chunk's equations lose an end, where LAPACK may still solve; GrowingInverses has these.
    const bool walks = family == 12 || family == 15 || (family == 14 && is_float);
    if (walks && n > (is_float ? 300 : 1 << 17)) return false;
    if (family == 27 && !is_periodic && (n + 1) % 10 == 0) return false;  // an eigenvalue is 2 cos(0.3 pi) as well
    if (!is_periodic)
        return is_even || !is_among(family, std::begin(zero_diagonal_families), std::end(zero_diagonal_families));
    switch (family) {
        case 7: return n > 2;
        case 13: return false;  // rows sum to zero
        case 15: return n != 2;
        case 22: return false;  // rows sum to zero
        case 23: return is_even;
        case 24: return n % 4 != 0;
        case 25: return n % 4 != 0;
        case 27: return 3 * n % 20 != 0;  // an eigenvalue is 2 cos(0.3 pi) - 2 cos(2 pi k / n)
        default: return true;
    }
}

template <class T>
std::vector<Family> solvable_families(int64_t n, bool is_periodic) {
    std::vector<Family> chosen;
    for (Family family : families)
        if (is_solvable<T>(family, n, is_periodic)) chosen.push_back(family);
    return chosen;
}

}  // namespace xbatch_test
