// draw_qr_batch.cpp: QR of batches of matrices of one size, in all layouts.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_judge.hpp"

namespace xbatch_test {
namespace {

// The layout of matrices of one size in a batch
struct DrawnStrides {
    int64_t ld, stride;
};
DrawnStrides draw_strides(Call &call, xbatchLayout_t layout, int64_t rows, int64_t columns, int64_t batch,
                          const std::string &letter) {
    const int64_t least = std::max<int64_t>(rows, 1), ld = least + (call.dice.one_in(2) ? call.dice.below(5) : 0);
    const DrawnLd stride = draw_ld(call.dice, layout, ld * columns, batch);
    std::string lower(1, char(std::tolower(letter[0])));
    call.ld("ld" + lower, ld, least);
    call.ld("stride" + letter, stride.ld, stride.least);
    return {ld, stride.ld};
}
Spread in_matrices(xbatchLayout_t layout, int64_t m, int64_t n, int64_t batch, DrawnStrides strides) {
    Spread s;
    for (int64_t j = 0; j < batch; ++j)
        for (int64_t c = 0; c < n; ++c)
            for (int64_t i = 0; i < m; ++i) s.add(matrix_element(layout, n, strides.ld, strides.stride, i, c, j), j);
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED)
        s.extent = (batch + strides.stride - 1) / strides.stride * strides.stride * strides.ld * n;
    return s;
}

struct MatrixShape {
    xbatchLayout_t layout;
    int64_t m, n, batch;
};
int64_t draw_batch(Dice &dice, int64_t elements) {
    return dice.size(std::max<int64_t>((dice.one_in(60) ? 20000 : 2000) / std::max<int64_t>(elements, 1), 2));
}
MatrixShape draw_matrix_shape(Call &call) {
    Dice &dice = call.dice;
    MatrixShape s{dice.choose<xbatchLayout_t>(2), draw_order(dice), draw_order(dice), 0};
    s.batch = draw_batch(dice, s.m * s.n);
    call.choice("layout", s.layout, 2);
    return s;
}
void set_sizes(Call &call, const MatrixShape &s) {
    call.size("m", s.m), call.size("n", s.n), call.size("batch", s.batch);
    add_huge(call, {"m", "n", "batch"});
}

template <class T>
Matrices<T> random_matrices(Dice &dice, int64_t m, int64_t n, int64_t batch) {
    Matrices<T> a;
    for (int64_t j = 0; j < batch; ++j) a.push_back(random_matrix<T>(m, n, dice.seed()));
    return a;
}
template <class T>
Dense<T> matrix_of(const std::vector<T> &all, int64_t m, int64_t n, int64_t j) {
    return dense(m, n, all.data() + j * m * n);
}

// Reflectors and tau of random matrices
template <class T>
struct Reflectors {
    Matrices<T> packed, tau;
};
template <class T>
Reflectors<T> factor_each(Call &call, int64_t m, int64_t k, int64_t batch) {
    Reflectors<T> f;
    size_t bytes = 0;
    xgeqrfBatch_bufferSize(call.handle, Traits<T>::type, XBATCH_LAYOUT_FLAT, m, k, 1, &bytes);
    Workspace workspace(XBATCH_BACKEND_HOST, bytes);
    for (int64_t j = 0; j < batch; ++j) {
        f.packed.push_back(random_matrix<T>(m, k, call.dice.seed())), f.tau.emplace_back(k, 1);
        const int64_t ld = std::max<int64_t>(m, 1);
        xgeqrfBatch(call.handle, Traits<T>::type, XBATCH_LAYOUT_FLAT, m, k, 1, f.packed.back().data.data(), ld,
                    std::max<int64_t>(ld * k, 1), f.tau.back().data.data(), std::max<int64_t>(k, 1), nullptr,
                    workspace.data(), bytes);
    }
    return f;
}
template <class T>
void place_tau(Call &call, xbatchLayout_t layout, int64_t k, int64_t batch, const Matrices<T> *tau) {
    const DrawnLd drawn = draw_ld(call.dice, layout, k, batch);
    call.ld("ldtau", drawn.ld, layout == XBATCH_LAYOUT_FLAT ? k : drawn.least);
    const Spread spread = in_layout(layout, k, 1, batch, drawn.ld);
    tau ? call.in("tau", joined(*tau), spread) : call.out<T>("tau", spread);
}

// Difference between A^H B and C^H D, where unitary matrices change A and B to C and D
template <class T>
long double inner_error(const Dense<Wide<T>> &a, const Dense<Wide<T>> &b, const Dense<Wide<T>> &c,
                        const Dense<Wide<T>> &d) {
    if (a.n == 0 || b.n == 0) return 0;
    Dense<Wide<T>> difference(a.n, b.n);
    subtract_product(difference, adjoint(a), b);
    for (Wide<T> &x : difference.data) x = -x;
    subtract_product(difference, adjoint(c), d);
    return ratio<T>(one_norm(difference), std::max(a.m, a.n), one_norm(adjoint(a)) * one_norm(b));
}
template <class W>
Dense<W> top_of(const Dense<W> &a, int64_t rows) {
    Dense<W> top(rows, a.n);
    for (int64_t c = 0; c < a.n; ++c)
        for (int64_t i = 0; i < rows; ++i) top(i, c) = a(i, c);
    return top;
}

}  // namespace

void draw_geqrf(Call &call) {
    const MatrixShape s = draw_matrix_shape(call);
    const int64_t k = std::min(s.m, s.n);
    call.is_empty = k == 0 || s.batch == 0;
    set_sizes(call, s);
    const DrawnStrides strides = draw_strides(call, s.layout, s.m, s.n, s.batch, "A");
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Matrices<T> a = random_matrices<T>(call.dice, s.m, s.n, s.batch);
        call.inout("A", joined(a), in_matrices(s.layout, s.m, s.n, s.batch, strides));
        place_tau<T>(call, s.layout, k, s.batch, nullptr);
        call.info(s.batch, s.n, false);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const std::vector<T> packed = outcome.get<T>("A"), tau = outcome.get<T>("tau");
            long double worst = 0;
            for (int64_t j = 0; j < s.batch; ++j) {
                const Dense<T> left = matrix_of(packed, s.m, s.n, j);
                const Dense<Wide<T>> q = product_of_reflectors(left, matrix_of(tau, k, 1, j), k);
                worst = worse(worst, factors_error(a[size_t(j)], left, q));
            }
            return expect_within("the factors' ratio", worst, qr_bound);
        };
    });
}

void draw_unmqr(Call &call) {
    const auto side = call.dice.choose<xbatchSide_t>(1);
    const MatrixShape s = draw_matrix_shape(call);
    const int64_t order = side == XBATCH_SIDE_LEFT ? s.m : s.n, k = call.dice.between(0, order);
    call.is_empty = s.m == 0 || s.n == 0 || k == 0 || s.batch == 0;
    set_sizes(call, s);
    call.choice("side", side, 1);
    call.size_up_to("k", k, order);
    const DrawnStrides in_a = draw_strides(call, s.layout, order, k, s.batch, "A");
    const DrawnStrides in_c = draw_strides(call, s.layout, s.m, s.n, s.batch, "C");
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        const Reflectors<T> f = factor_each<T>(call, order, k, s.batch);
        const Matrices<T> c = random_matrices<T>(call.dice, s.m, s.n, s.batch);
        call.in("A", joined(f.packed), in_matrices(s.layout, order, k, s.batch, in_a));
        place_tau(call, s.layout, k, s.batch, &f.tau);
        call.inout("C", joined(c), in_matrices(s.layout, s.m, s.n, s.batch, in_c));
        call.check = [=](const Outcome &outcome) {
            const std::vector<T> all = outcome.get<T>("C");
            long double worst = 0;
            for (int64_t j = 0; j < s.batch; ++j) {
                const Dense<Wide<T>> q = product_of_reflectors(f.packed[size_t(j)], f.tau[size_t(j)], order);
                worst = worse(worst, product_error(q, side, op, c[size_t(j)], matrix_of(all, s.m, s.n, j)));
            }
            return expect_within("the product's ratio", worst, qr_bound);
        };
    });
}

void draw_ungqr(Call &call) {
    Dice &dice = call.dice;
    MatrixShape s = draw_matrix_shape(call);
    s.n = dice.between(std::min<int64_t>(1, s.m), s.m);
    const int64_t k = dice.between(0, s.n);
    call.is_empty = s.m == 0 || s.n == 0 || s.batch == 0;
    call.size("m", s.m), call.size_up_to("n", s.n, s.m), call.size_up_to("k", k, s.n), call.size("batch", s.batch);
    const DrawnStrides strides = draw_strides(call, s.layout, s.m, s.n, s.batch, "A");
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Reflectors<T> f = factor_each<T>(call, s.m, k, s.batch);
        Matrices<T> start;
        for (const Dense<T> &packed : f.packed) {
            start.emplace_back(s.m, s.n);
            std::fill(start.back().data.begin(), start.back().data.end(), scalar<T>(std::nan("")));
            std::copy(packed.data.begin(), packed.data.end(), start.back().data.begin());
        }
        FuzzArray &a = call.inout("A", joined(start), in_matrices(s.layout, s.m, s.n, s.batch, strides));
        a.is_unread = [=](size_t at) { return int64_t(at) % (s.m * s.n) >= s.m * k; };
        place_tau(call, s.layout, k, s.batch, &f.tau);
        call.check = [=](const Outcome &outcome) {
            const std::vector<T> all = outcome.get<T>("A");
            long double worst = 0;
            for (int64_t j = 0; j < s.batch; ++j) {
                const Dense<Wide<T>> q = product_of_reflectors(f.packed[size_t(j)], f.tau[size_t(j)], s.n);
                worst = worse(worst, distance_ratio<T>(widened(matrix_of(all, s.m, s.n, j)), q, s.m, 1));
            }
            return expect_within("the distance from Q", worst, qr_bound);
        };
    });
}

void draw_gels_batch(Call &call) {
    Dice &dice = call.dice;
    const MatrixShape s = draw_matrix_shape(call);
    const int64_t nrhs = dice.size(5), rows = std::max(s.m, s.n);
    call.is_empty = s.m == 0 || s.n == 0 || nrhs == 0 || s.batch == 0;
    set_sizes(call, s);
    call.size("nrhs", nrhs);
    const DrawnStrides in_a = draw_strides(call, s.layout, s.m, s.n, s.batch, "A");
    const DrawnStrides in_b = draw_strides(call, s.layout, rows, nrhs, s.batch, "B");
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        Matrices<T> a, b;
        for (int64_t j = 0; j < s.batch; ++j) {
            a.push_back(regular_matrix<T>(s.m, s.n, dice.seed()));
            b.push_back(draw_right_hand_sides<T>(dice, op, s.m, s.n, nrhs));
        }
        call.in("A", joined(a), in_matrices(s.layout, s.m, s.n, s.batch, in_a));
        FuzzArray &right = call.inout("B", joined(b), in_matrices(s.layout, rows, nrhs, s.batch, in_b));
        right.is_unread = [=](size_t at) { return int64_t(at) % rows >= (op == XBATCH_OP_N ? s.m : s.n); };
        call.info(s.batch, std::min(s.m, s.n));
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const std::vector<T> all = outcome.get<T>("B");
            long double worst = 0;
            for (int64_t j = 0; j < s.batch; ++j)
                worst = worse(worst, gels_error(op, a[size_t(j)], b[size_t(j)], matrix_of(all, rows, nrhs, j)));
            return expect_within("the distance from LAPACK's X", worst, qr_bound);
        };
    });
}

void draw_qless(Call &call) {
    Dice &dice = call.dice;
    const MatrixShape s = draw_matrix_shape(call);
    const int64_t nrhs = dice.size(5), k = std::min(s.m, s.n);
    call.is_empty = k == 0 || s.batch == 0;
    set_sizes(call, s);
    call.size("nrhs", nrhs);
    const DrawnStrides in_a = draw_strides(call, s.layout, s.m, s.n, s.batch, "A");
    const DrawnStrides in_r = draw_strides(call, s.layout, k, s.n, s.batch, "R");
    const DrawnStrides in_b = draw_strides(call, s.layout, s.m, nrhs, s.batch, "B");
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Matrices<T> a = random_matrices<T>(dice, s.m, s.n, s.batch);
        const Matrices<T> b = random_matrices<T>(dice, s.m, nrhs, s.batch);
        call.in("A", joined(a), in_matrices(s.layout, s.m, s.n, s.batch, in_a));
        call.out<T>("R", in_matrices(s.layout, k, s.n, s.batch, in_r));
        call.inout("B", joined(b), in_matrices(s.layout, s.m, nrhs, s.batch, in_b));
        call.info(s.batch, s.n, false);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const std::vector<T> r = outcome.get<T>("R"), c = outcome.get<T>("B");
            long double worst = 0;
            for (int64_t j = 0; j < s.batch; ++j) {
                const auto wide_r = widened(matrix_of(r, k, s.n, j)), wide_a = widened(a[size_t(j)]);
                worst = worse(worst, inner_error<T>(wide_a, wide_a, wide_r, wide_r));
                const auto wide_b = widened(b[size_t(j)]), wide_c = widened(matrix_of(c, s.m, nrhs, j));
                worst = worse(worst, inner_error<T>(wide_b, wide_b, wide_c, wide_c));
                worst = worse(worst, inner_error<T>(wide_a, wide_b, wide_r, top_of(wide_c, k)));
            }
            return expect_within("the inner products' ratio", worst, qr_bound);
        };
    });
}

}  // namespace xbatch_test
