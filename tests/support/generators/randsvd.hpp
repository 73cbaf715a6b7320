// randsvd.hpp: tridiagonal matrices with given singular values, families 8 … 11 of Klein and Strzodka's table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "random.hpp"

namespace xbatch_test {

// Number of a test matrix in the list of matrices.hpp
using Family = int;

template <class T>
struct Row {
    T l, d, u;
};

// A square matrix, column-major, with reflections from both sides
class Dense {
public:
    explicit Dense(int64_t n) : n_(n), a_(n * n, 0.0L) {}

    long double &at(int64_t i, int64_t j) { return a_[j * n_ + i]; }
    // (I - 2 v v^T / v^T v) A, and A (I - 2 v v^T / v^T v)
    void reflect_rows(const std::vector<long double> &v) { reflect(v, 1, n_); }
    void reflect_columns(const std::vector<long double> &v) { reflect(v, n_, 1); }

private:
    void reflect(const std::vector<long double> &v, int64_t step, int64_t stride) {
        long double square = 0;
        for (long double x : v) square += x * x;
        if (square == 0) return;
        for (int64_t k = 0; k < n_; ++k) {
            long double *line = &a_[k * stride], product = 0;
            for (int64_t i = 0; i < n_; ++i) product += v[i] * line[i * step];
            for (int64_t i = 0; i < n_; ++i) line[i * step] -= 2 * product / square * v[i];
        }
    }

    int64_t n_;
    std::vector<long double> a_;
};

constexpr bool has_given_singular_values(Family family) { return family >= 8 && family <= 11; }

// sigma_i, i = 0 … n-1, largest 1 and smallest 1 / kappa
inline long double singular_value(Family family, int64_t n, int64_t i, long double kappa) {
    if (n == 1) return 1;
    const long double t = (long double)(i) / (long double)(n - 1);
    switch (family) {
        case 8: return i + 1 < n ? 1 : 1 / kappa;
        case 9: return std::pow(kappa, -t);
        case 10: return i == 0 ? 1 : 1 / kappa;
        default: return 1 - t * (1 - 1 / kappa);
    }
}

// The vector whose reflection keeps entries 0 … first-1 of x and zeroes all after entry `first`
inline std::vector<long double> reflector(std::vector<long double> x, int64_t first) {
    long double square = 0;
    for (size_t i = 0; i < x.size(); ++i)
        if (int64_t(i) < first)
            x[i] = 0;
        else
            square += x[i] * x[i];
    x[first] += x[first] < 0 ? -std::sqrt(square) : std::sqrt(square);
    return x;
}

// U diag(sigma) V^T for random orthogonal U, V, then reduced to a tridiagonal matrix by reflections from both sides
inline Dense randsvd(Family family, int64_t n, long double kappa) {
    Dense a(n);
    Random random(uint64_t(family) * 1009 + uint64_t(n));
    for (int64_t i = 0; i < n; ++i) a.at(i, i) = singular_value(family, n, i, kappa);
    std::vector<long double> v(n);
    for (int64_t k = 0; k < n; ++k) {
        for (long double &x : v) x = random.normal();
        a.reflect_rows(v);
        for (long double &x : v) x = random.normal();
        a.reflect_columns(v);
    }
    for (int64_t k = 0; k + 2 < n; ++k) {
        for (int64_t i = 0; i < n; ++i) v[i] = a.at(i, k);
        a.reflect_rows(reflector(v, k + 1));
        for (int64_t i = 0; i < n; ++i) v[i] = a.at(k, i);
        a.reflect_columns(reflector(v, k + 1));
    }
    return a;
}

// The rows of such a matrix. Generation costs n^3: above most_randsvd_rows it is the direct sum of several matrices,
// whose lengths are not multiples of any length at which a solver cuts. Each is generated once.
constexpr int64_t most_randsvd_rows = 64;

inline const std::vector<Row<long double>> &randsvd_rows(Family family, int64_t n, long double kappa) {
    static std::map<std::tuple<Family, int64_t, long double>, std::vector<Row<long double>>> made;
    std::vector<Row<long double>> &rows = made[{family, n, kappa}];
    if (!rows.empty()) return rows;
    if (n > most_randsvd_rows) {
        constexpr int64_t lengths[] = {53, 37, 61, 47};
        for (size_t k = 0; int64_t(rows.size()) < n; ++k) {
            const int64_t rest = n - int64_t(rows.size());
            const auto &part = randsvd_rows(family, std::min(lengths[k % 4], rest), kappa);
            rows.insert(rows.end(), part.begin(), part.end());
        }
        return rows;
    }
    Dense a = randsvd(family, n, kappa);
    const auto entry = [&](int64_t i, int64_t k) { return k < 0 || k >= n ? 0 : a.at(i, k); };
    for (int64_t i = 0; i < n; ++i) rows.push_back({entry(i, i - 1), entry(i, i), entry(i, i + 1)});
    return rows;
}

// Row i of a matrix of the family, with other signs for every seed. A periodic one is rotated cyclically by a third, so
// that its corner entries are not zero.
template <class R>
Row<R> randsvd_row(Family family, int64_t n, int64_t i, bool is_periodic, uint64_t seed) {
    const auto sign = [&](int64_t k, uint64_t side) {
        return Random(seed * 4 + side + uint64_t(k + n) % uint64_t(n) * 0x10001).uniform() < 0 ? -1 : 1;
    };
    const Row<long double> &row =
        randsvd_rows(family, n, sizeof(R) == 4 ? 1e6L : 1e15L)[size_t(is_periodic ? (i + n / 3) % n : i)];
    const int s = sign(i, 0);
    return {R(row.l * s * sign(i - 1, 1)), R(row.d * s * sign(i, 1)), R(row.u * s * sign(i + 1, 1))};
}

}  // namespace xbatch_test
