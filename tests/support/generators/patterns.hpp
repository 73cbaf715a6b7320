// patterns.hpp: tridiagonal matrices whose rows repeat, without noise, and matrices that hardly dominate: they reveal
// growth, which random matrices hide.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "matrices.hpp"

namespace xbatch_test {

// Row i of the matrix is row i % rows.size().
struct Pattern {
    std::string family;
    std::vector<Row<double>> rows;
};

// Tri(dl, d, du) for all choices from {-2, -1, 0, 1, 2}
inline std::vector<Pattern> constant_patterns() {
    std::vector<Pattern> all;
    for (double l : {-2., -1., 0., 1., 2.})
        for (double d : {-2., -1., 0., 1., 2.})
            for (double u : {-2., -1., 0., 1., 2.}) all.push_back({"constant", {{l, d, u}}});
    return all;
}

// I + r (central difference): advection by implicit steps
inline std::vector<Pattern> advection_patterns() {
    std::vector<Pattern> all;
    for (double r : {.25, .5, .75, .9, .99, 1., 1.01, 1.25, 1.5, 2., 2.5, 3., 4., 5., 6., 6.75, 7.5, 8., 9., 9.75, 10.})
        for (double sign : {-1., 1.}) all.push_back({"advection", {{-sign * r, 1, sign * r}}});
    return all;
}

// Rows with a block structure: zero off-diagonal entries, and blocks whose leading part is singular, or nearly so
inline std::vector<Pattern> block_patterns() {
    const Row<double> in{0, 0, 1}, out{1, 0, 0}, middle{1, 0, 1}, one{1, 1, 1}, none{1, 0, 1}, tiny{1, 1e-20, 1};
    return {{"blocks", {in, out}},
            {"blocks", {in, {1, 1, 1}, out}},
            {"blocks", {{0, 1, 2}, {2, 1, 0}}},
            {"blocks", {in, middle, {1, 1, 1}, out}},
            {"blocks", {one, none}},
            {"blocks", {none, one, one}},
            {"blocks", {tiny, one}},
            {"blocks", {one, tiny, one}},
            {"blocks", {{-1, 2, -1}, {-1, 2, -1}, {-1, 2, -1e-8}, {-1e-8, 2, -1}}},
            {"blocks", {{1e-8, 1, 1}, {-1, 1, 1}, {-1, 1, 1}, {-1, 1, 1e-8}}}};
}

// `count` patterns of 1 … 6 rows with coefficients from a set, from random numbers, and of random magnitudes
inline std::vector<Pattern> periodic_patterns(int count) {
    static const std::vector<std::vector<double>> sets = {{-1, 1}, {-1, 0, 1, 2}, {0, 1}};
    static const char *const names[] = {"+-1 periodic", "-1 0 1 2 periodic", "0 1 periodic", "random periodic",
                                        "graded periodic"};
    std::vector<Pattern> all;
    Random random(11);
    for (int k = 0; k < count; ++k) {
        const size_t kind = size_t(k % 5);
        const auto coefficient = [&] {
            if (kind < sets.size()) return sets[kind][random.bits() % sets[kind].size()];
            const double u = random.uniform();
            return kind == 3 ? u : std::copysign(std::exp2(7 * random.uniform()), u);
        };
        Pattern pattern{names[kind], std::vector<Row<double>>(1 + random.bits() % 6)};
        for (Row<double> &row : pattern.rows) row = {coefficient(), coefficient(), coefficient()};
        all.push_back(pattern);
    }
    return all;
}

// One solution of the homogeneous equations neither grows nor decays, as in transport: nothing damps the rounding
// errors of a row that waits for its pivot. Found by searching for large errors.
inline std::vector<Pattern> neutral_patterns() {
    return {{"neutral", {{-.9, 1.00001, -.1}}},
            {"neutral", {{-.1, 1.00001, -.9}}},
            {"neutral", {{2, -2.098241, .0982415}}},
            {"neutral", {{-.5245, .53676, -.01253}}},
            {"neutral", {{-.4, .73156, -1.0003}}},
            {"neutral", {{-2.05644283, .116295034, -.196648905}, {-.625113572, -.0424644304, .625515158}}},
            {"neutral",
             {{.425879472, -1.42587947, 1.00000163},
              {2.00000726, -1.49998528, -.5},
              {2, -2.99997328, .999994838},
              {-1, -1.37265336e-6, 1.00000095}}},
            {"neutral", {{-.0135113966, .966283499, -.953010338}}}};
}

// +-1 throughout, with random signs
inline Pattern random_signs(int64_t n, uint64_t seed) {
    Pattern pattern{"random signs", std::vector<Row<double>>(size_t(n))};
    Random random(seed);
    const auto sign = [&] { return random.bits() % 2 ? 1. : -1.; };
    for (Row<double> &row : pattern.rows) row = {sign(), sign(), sign()};
    return pattern;
}

inline std::vector<Pattern> all_patterns(int periodic) {
    std::vector<Pattern> all;
    for (const std::vector<Pattern> &some :
         {constant_patterns(), advection_patterns(), block_patterns(), periodic_patterns(periodic)})
        all.insert(all.end(), some.begin(), some.end());
    for (uint64_t seed : {1, 2, 3}) all.push_back(random_signs(4099, seed));
    return all;
}

// A batch of one pattern, with right-hand sides that are random, constant, half a sine, and not zero in the first row
// alone. In complex arithmetic the coefficients are real: a phase for each row, as in make_systems, does not affect
// elimination, and one for each coefficient would.
template <class T>
Systems<T> make_systems(const Pattern &pattern, int64_t n, int64_t batch, bool is_periodic) {
    Systems<T> s{n, 1, batch, batch, {}, {}, {}, {}};
    s.dl.resize(batch * n), s.d.resize(batch * n), s.du.resize(batch * n), s.b.resize(batch * n);
    Random random(uint64_t(n) * 31 + uint64_t(batch));
    for (int64_t j = 0; j < batch; ++j) {
        const int64_t kind = (j + n / 2) % 4;
        for (int64_t i = 0; i < n; ++i) {
            const Row<double> &row = pattern.rows[size_t(i) % pattern.rows.size()];
            s.dl[j * n + i] = is_periodic || i > 0 ? T(Real<T>(row.l)) : T(0);
            s.d[j * n + i] = T(Real<T>(row.d));
            s.du[j * n + i] = is_periodic || i + 1 < n ? T(Real<T>(row.u)) : T(0);
            const double smooth[] = {0, 1, std::sin(std::acos(-1.) * double(i + 1) / double(n + 1)), i == 0 ? 1. : 0.};
            s.b[j * n + i] = kind == 0 ? random.unit<T>() : T(Real<T>(smooth[kind]));
        }
    }
    return s;
}

// ||b|| / ||x|| for Ax = b with random b and A's rows scaled to 1, in long double: about the reciprocal condition
// number, and 0 if A is singular. A = QR by plane rotations; a periodic A fills the last two columns of R.
class ReciprocalCondition {
public:
    static long double of(const Pattern &pattern, int64_t n, bool is_periodic) {
        return n < 5 ? 0 : ReciprocalCondition(pattern, n, is_periodic).solve();  // columns coincide
    }

private:
    using W = long double;
    struct Line {
        W d, u, v, y, z, b;  // of columns i … i+2, of the last two; right-hand side
    };

    ReciprocalCondition(const Pattern &pattern, int64_t n, bool is_periodic)
        : pattern_(pattern), n_(n), is_periodic_(is_periodic) {}

    // Row k of A from its subdiagonal entry on
    Line row(int64_t k) {
        const Row<double> &r = pattern_.rows[size_t(k) % pattern_.rows.size()];
        const W size = std::max({std::fabs(r.l), std::fabs(r.d), std::fabs(r.u)}), s = size == 0 ? 1 : 1 / size;
        return {r.l * s, r.d * s, r.u * s, 0, 0, W(random_.uniform())};
    }
    // Moves entries of the last two columns to y and z; d is the entry of column i.
    void fold(Line &line, int64_t i) const {
        const auto put = [&](W &from, int64_t column) {
            if (column < n_ - 2) return;
            (column == n_ - 2 ? line.y : line.z) += from;
            from = 0;
        };
        put(line.d, i), put(line.u, i + 1), put(line.v, i + 2);
    }
    static void rotate(W &p, W &q, std::initializer_list<std::pair<W *, W *>> others) {  // q becomes 0
        const W r = std::hypot(p, q), c = r == 0 ? 1 : p / r, s = r == 0 ? 0 : q / r;
        for (const auto &[x, y] : others) {
            const W t = c * *x + s * *y;
            *y = c * *y - s * *x, *x = t;
        }
        p = r, q = 0;
    }
    static void eliminate(Line &top, Line &under) {
        rotate(top.d, under.d,
               {{&top.u, &under.u}, {&top.v, &under.v}, {&top.y, &under.y}, {&top.z, &under.z}, {&top.b, &under.b}});
    }
    static Line moved_on(const Line &line) { return {line.u, line.v, 0, line.y, line.z, line.b}; }

    W solve() {
        const Line first = row(0), last = row(n_ - 1);
        Line held{first.u, first.v, 0, 0, is_periodic_ ? first.d : 0, first.b};
        Line bottom{is_periodic_ ? last.v : 0, 0, 0, last.d, last.u, last.b};
        std::vector<Line> r;
        for (int64_t i = 0; i < n_ - 2; ++i) {
            Line next = row(i + 1);
            fold(held, i), fold(next, i), fold(bottom, i);
            eliminate(held, next), eliminate(held, bottom);
            r.push_back(held);
            held = moved_on(next), bottom = moved_on(bottom);
        }
        rotate(held.y, bottom.y, {{&held.z, &bottom.z}, {&held.b, &bottom.b}});
        const W z = bottom.b / bottom.z, y = (held.b - held.z * z) / held.y;
        W x1 = 0, x2 = 0, most = worse(std::fabs(y), std::fabs(z));
        for (int64_t i = n_ - 2; i-- > 0;) {
            const Line &line = r[size_t(i)];
            const W x = (line.b - line.u * x1 - line.v * x2 - line.y * y - line.z * z) / line.d;
            x2 = x1, x1 = x, most = worse(most, std::fabs(x));
        }
        return std::isfinite(most) ? 1 / most : 0;
    }

    const Pattern &pattern_;
    int64_t n_;
    bool is_periodic_;
    Random random_{17};
};

// Row i of a matrix whose rows, or columns, sum to 0 in modulus but at its ends: second differences, the same with
// signs, conductances, drift to both sides, random walks by rows and by columns
inline Row<double> barely_dominant_row(int64_t kind, int64_t i, uint64_t seed) {
    const auto step = [&](int64_t of) { return double(28 + Random(seed * 1000003 + uint64_t(of)).bits() % 9) / 64; };
    const auto sign = [&](int64_t of) { return Random(seed * 1000003 + uint64_t(of)).bits() % 2 ? 1. : -1.; };
    switch (kind) {
        case 0: return {-1, 2, -1};
        case 1: return {sign(2 * i), 2, sign(2 * i + 1)};
        case 2: return {-step(i), step(i) + step(i + 1), -step(i + 1)};
        case 3: return {-.75, 1, -.25};
        case 4: return {-.125, 1, -.875};
        case 5: return {-step(i), 1, -(1 - step(i))};
        default: return {-(1 - step(i - 1)), 1, -step(i + 1)};
    }
}
constexpr int64_t barely_dominant_kinds = 7;

// Such matrices, in complex types with phases, and one row that dominates by 2^-10, with right-hand sides that are
// smooth or repeat: errors of x_i and x_{i+1} that differ make a large residual.
template <class T>
Systems<T> make_barely_dominant(int64_t n, int64_t nrhs, int64_t batch, uint64_t seed, bool is_periodic = false) {
    using R = Real<T>;
    Systems<T> s = make_systems<T>(n, nrhs, batch, {22}, false, seed, is_periodic);
    const auto phase = [](int64_t i) {  // of x_i
        if constexpr (is_complex<T>) return i % 3 == 0 ? T(0, 1) : i % 3 == 1 ? T(-1) : T(1);
        return T(i % 5 == 0 ? -1 : 1);
    };
    for (int64_t j = 0; j < batch; ++j) {
        for (int64_t i = 0; i < n; ++i) {
            const Row<double> row = barely_dominant_row(j % barely_dominant_kinds, i, seed + uint64_t(j));
            const int64_t before = i > 0 ? i - 1 : n - 1, behind = i + 1 < n ? i + 1 : 0;
            const bool has_before = is_periodic || i > 0, has_behind = is_periodic || i + 1 < n;
            const size_t at = size_t(s.row(j, i));
            s.dl[at] = has_before ? T(R(row.l)) * phase(i) / phase(before) : T(0);
            s.d[at] = T(R(row.d + (i == n / 2 ? 1. / 1024 : 0)));
            s.du[at] = has_behind ? T(R(row.u)) * phase(i) / phase(behind) : T(0);
        }
        for (int64_t r = 0; r < nrhs; ++r)
            for (int64_t i = 0; i < n; ++i) {
                const double t = double(i + 1) / double(n + 1), pi = std::acos(-1.);
                const double b[] = {1, t, std::sin(pi * t), std::sin(pi * double(i) / 8)};
                s.b[size_t(s.entry(j, r, i))] = T(R(b[(j / barely_dominant_kinds + r + int64_t(seed)) % 4])) * phase(i);
            }
    }
    return s;
}

}  // namespace xbatch_test
