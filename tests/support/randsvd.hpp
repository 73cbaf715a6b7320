// randsvd.hpp: tridiagonal matrices with given singular values, families 8 … 11 of Klein and Strzodka's table.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "matrices.hpp"

namespace xbatch_test {

// A square matrix, column-major, that takes reflections
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

// sigma_i, i = 0 … n-1, largest 1 and smallest 1 / kappa
inline long double singular_value(Family family, int64_t n, int64_t i) {
    constexpr long double kappa = 1e15L;
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

// U diag(sigma) V^T for random orthogonal U, V, then turned from both sides into a tridiagonal matrix
inline Dense randsvd(Family family, int64_t n) {
    Dense a(n);
    Random random(uint64_t(family) * 1009 + uint64_t(n));
    for (int64_t i = 0; i < n; ++i) a.at(i, i) = singular_value(family, n, i);
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

// A batch of families 8, 9, 10 and 11
template <class T>
Systems<T> randsvd_systems(int64_t n, int64_t nrhs) {
    Systems<T> s = make_systems<T>(n, nrhs, 4, {1});
    for (int64_t j = 0; j < 4; ++j) {
        Dense a = randsvd(Family(8 + j), n);
        Random random(uint64_t(j) + 1);
        for (int64_t i = 0; i < n; ++i) {
            const auto entry = [&](int64_t k) { return k < 0 || k >= n ? T(0) : T(Real<T>(a.at(i, k))); };
            const Row<T> row = turned(Row<T>{entry(i - 1), entry(i), entry(i + 1)}, random);
            s.dl[s.row(j, i)] = row.l, s.d[s.row(j, i)] = row.d, s.du[s.row(j, i)] = row.u;
        }
        for (int64_t r = 0; r < nrhs; ++r) fill_right_hand_side(s, j, r, random);
    }
    return s;
}

}  // namespace xbatch_test
