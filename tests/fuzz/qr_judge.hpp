// qr_judge.hpp: checks of the results of QR.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "draws.hpp"
#include "support/fixtures/qr_batch.hpp"

namespace xbatch_test {

// Mostly small
inline int64_t draw_order(Dice &dice) { return dice.one_in(60) ? dice.between(60, 160) : dice.size(40); }

// Well conditioned: X does not depend on the algorithm
template <class T>
Dense<T> regular_matrix(int64_t m, int64_t n, uint64_t seed) {
    Dense<T> a = random_matrix<T>(m, n, seed);
    for (int64_t i = 0; i < std::min(m, n); ++i) a(i, i) += scalar<T>(2 * std::sqrt(double(std::max(m, n))));
    return a;
}

template <class T>
Dense<T> dense(int64_t m, int64_t n, const T *values) {
    Dense<T> a(m, n);
    std::copy_n(values, a.data.size(), a.data.begin());
    return a;
}
template <class T>
Dense<T> first_columns(const Dense<T> &a, int64_t columns) {
    return dense(a.m, columns, a.data.data());
}

template <class T>
long double distance_ratio(Dense<Wide<T>> a, const Dense<Wide<T>> &b, int64_t size, long double norm) {
    for (size_t k = 0; k < a.data.size(); ++k) a.data[k] -= b.data[k];
    return ratio<T>(one_norm(a), size, norm);
}
// The larger of |Q^H Q - I| and, for the thin Q, |A - Q R|
template <class T>
long double factors_error(const Dense<T> &a, const Dense<T> &packed, const Dense<Wide<T>> &q) {
    const int64_t k = std::min(a.m, a.n);
    Dense<Wide<T>> identity(q.n, q.n), residual = widened(a);
    for (int64_t i = 0; i < q.n; ++i) identity(i, i) = Wide<T>(1);
    subtract_product(identity, adjoint(q), q);
    subtract_product(residual, first_columns(q, k), widened(upper_of(packed)));
    return worse(ratio<T>(one_norm(identity), a.m, 1),
                 ratio<T>(one_norm(residual), std::max(a.m, a.n), one_norm(widened(a))));
}
// Difference between a product and op(Q) C, or C op(Q)
template <class T>
long double product_error(const Dense<Wide<T>> &q, xbatchSide_t side, xbatchOperation_t op, const Dense<T> &c,
                          const Dense<T> &product) {
    const Dense<Wide<T>> used = op == XBATCH_OP_N ? q : adjoint(q), wide = widened(c);
    Dense<Wide<T>> difference = widened(product);
    side == XBATCH_SIDE_LEFT ? subtract_product(difference, used, wide) : subtract_product(difference, wide, used);
    return ratio<T>(one_norm(difference), q.m, one_norm(wide));
}
// Difference between X and LAPACK's X, whose norm may be small compared with that of the right-hand sides
template <class T>
long double gels_error(xbatchOperation_t op, const Dense<T> &a, const Dense<T> &b, const Dense<T> &solved) {
    const int64_t unknowns = op == XBATCH_OP_N ? a.n : a.m;
    Dense<T> expected = b;
    for (T &x : expected.data) x = is_finite(x) ? x : T(0);  // LAPACKE checks rows that gels does not read
    Dense<Wide<T>> x(unknowns, b.n), y(unknowns, b.n);
    const long double sides = one_norm(widened(expected)), size = std::sqrt((long double)std::max(a.m, a.n));
    lapack_gels(op != XBATCH_OP_N, a, expected);
    for (int64_t r = 0; r < b.n; ++r)
        for (int64_t i = 0; i < unknowns; ++i) x(i, r) = Wide<T>(solved(i, r)), y(i, r) = Wide<T>(expected(i, r));
    return distance_ratio<T>(x, y, std::max(a.m, a.n), one_norm(y) + sides / size);
}
constexpr long double qr_bound = 20;

// op as the QR routines accept it: no T for complex types
template <class T>
xbatchOperation_t draw_qr_operation(Call &call) {
    const auto op = call.dice.choose<xbatchOperation_t>(2);
    const auto used = is_complex<T> && op == XBATCH_OP_T ? XBATCH_OP_C : op;
    call.choice("op", used, 2);
    if (is_complex<T>) call.wrongs.push_back({"op", XBATCH_OP_T});
    return used;
}

// Right-hand sides for gels: rows below those of op(A) are not read.
template <class T>
Dense<T> draw_right_hand_sides(Dice &dice, xbatchOperation_t op, int64_t m, int64_t n, int64_t nrhs) {
    Dense<T> b = random_matrix<T>(std::max(m, n), nrhs, dice.seed());
    for (int64_t r = 0; r < nrhs; ++r)
        for (int64_t i = op == XBATCH_OP_N ? m : n; i < b.m; ++i) b(i, r) = scalar<T>(std::nan(""));
    return b;
}
template <class T>
std::vector<T> joined(const Matrices<T> &matrices) {
    std::vector<T> all;
    for (const Dense<T> &a : matrices) all.insert(all.end(), a.data.begin(), a.data.end());
    return all;
}

}  // namespace xbatch_test
