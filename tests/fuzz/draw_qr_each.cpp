// draw_qr_each.cpp: QR of matrices of several sizes, by arrays of pointers.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_judge.hpp"

namespace xbatch_test {
namespace {

using Numbers = std::vector<int64_t>;

// Sizes of the matrices: passed in an array, or all equal to the largest
Numbers draw_sizes(Call &call, const std::string &largest, const std::string &array, int64_t most, int64_t batch,
                   int64_t wrong_info, const Numbers &limits = {}) {
    Dice &dice = call.dice;
    bool is_given = dice.one_in(2);
    for (int64_t limit : limits) is_given = is_given || limit < most;  // then not all can have the largest
    Numbers sizes;
    for (int64_t j = 0; j < batch; ++j) {
        const int64_t limit = limits.empty() ? most : std::min(most, limits[size_t(j)]);
        sizes.push_back(is_given ? std::min(dice.size(std::max<int64_t>(limit, 1)), limit) : most);
    }
    call.size(largest, most);
    FuzzArray &given = call.in(array, sizes, side_by_side(batch, 0));
    given.may_be_null = true, given.is_null = !is_given;
    if (is_given && batch > 0) {
        const int64_t j = dice.below(batch);
        for (int64_t wrong : {most + 1, int64_t(-1)}) call.wrong_numbers.push_back({array, j, wrong, j, wrong_info});
    }
    return sizes;
}

// Matrices in one allocation with gaps between them, the last one first
struct Scattering {
    Spread spread;
    Numbers begins;
};
Scattering scatter(const Numbers &rows, const Numbers &columns, const Numbers &lds) {
    Scattering s{{}, Numbers(rows.size())};
    int64_t at = 0;
    for (size_t j = rows.size(); j-- > 0;) s.begins[j] = at, at += lds[j] * columns[j] + int64_t(j % 2);
    for (size_t j = 0; j < rows.size(); ++j)
        for (int64_t c = 0; c < columns[j]; ++c)
            for (int64_t i = 0; i < rows[j]; ++i) s.spread.add(s.begins[j] + c * lds[j] + i, int64_t(j));
    s.spread.extent = std::max(s.spread.extent, at);
    return s;
}

// Places the matrices of argument `letter`, with leading dimensions of their own or one
Scattering place_matrices(Call &call, const std::string &letter, const Numbers &rows, const Numbers &columns,
                          int64_t most_rows, int64_t wrong_info) {
    Dice &dice = call.dice;
    const std::string lower(1, char(std::tolower(letter[0])));
    const bool is_given = dice.one_in(2);
    const int64_t least = std::max<int64_t>(most_rows, 1), most = least + dice.below(4);
    call.ld("ld" + lower + "Max", most, least);
    Numbers lds;
    for (int64_t m : rows) lds.push_back(is_given ? dice.between(std::max<int64_t>(m, 1), most) : most);
    FuzzArray &given = call.in("lds" + letter, lds, side_by_side(int64_t(lds.size()), 0));
    given.may_be_null = true, given.is_null = !is_given;
    if (is_given && !rows.empty()) {
        const int64_t j = dice.below(int64_t(rows.size()));
        for (int64_t wrong : {std::max<int64_t>(rows[size_t(j)], 1) - 1, most + 1})
            call.wrong_numbers.push_back({"lds" + letter, j, wrong, j, wrong_info});
    }
    Scattering s = scatter(rows, columns, lds);
    call.pointers(letter, letter + ".data", s.begins);
    return s;
}
template <class T>
void place_tau(Call &call, const Numbers &k, const Matrices<T> *tau) {
    const Numbers lds(k.size(), 1);
    const Scattering s = scatter(Numbers(k.size(), 1), k, lds);
    call.pointers("tau", "tau.data", s.begins);
    call.arrays.back().may_be_null = call.numbers.count("kMax") > 0 && call.numbers.at("kMax") == 0;
    tau ? call.in("tau.data", joined(*tau), s.spread) : call.out<T>("tau.data", s.spread);
}

// The matrices of a result one by one
template <class T>
class Reader {
public:
    explicit Reader(std::vector<T> all) : all_(std::move(all)) {}
    Dense<T> next(int64_t m, int64_t n) {
        const T *const first = all_.data() + at_;
        at_ += m * n;
        return dense(m, n, first);
    }

private:
    std::vector<T> all_;
    int64_t at_ = 0;
};

template <class T>
Matrices<T> random_matrices(Dice &dice, const Numbers &m, const Numbers &n) {
    Matrices<T> a;
    for (size_t j = 0; j < m.size(); ++j) a.push_back(random_matrix<T>(m[j], n[j], dice.seed()));
    return a;
}
// The expected result of geqrf, computed by the library
template <class T>
Dense<T> factor_one(Call &call, Dense<T> &a) {
    const int64_t k = std::min(a.m, a.n), ld = std::max<int64_t>(a.m, 1);
    Dense<T> tau(k, 1);
    size_t bytes = 0;
    xgeqrfBatch_bufferSize(call.handle, Traits<T>::type, XBATCH_LAYOUT_FLAT, a.m, a.n, 1, &bytes);
    Workspace workspace(XBATCH_BACKEND_HOST, bytes);
    xgeqrfBatch(call.handle, Traits<T>::type, XBATCH_LAYOUT_FLAT, a.m, a.n, 1, a.data.data(), ld,
                std::max<int64_t>(ld * a.n, 1), tau.data.data(), std::max<int64_t>(k, 1), nullptr, workspace.data(),
                bytes);
    return tau;
}

int64_t draw_batch(Call &call, int64_t elements) {
    const int64_t most = call.dice.one_in(20) ? 20000 : 2000;
    const int64_t batch = call.dice.size(std::max<int64_t>(most / std::max<int64_t>(elements, 1), 3));
    call.size("batch", batch);
    return batch;
}
Numbers smaller(const Numbers &a, const Numbers &b) {
    Numbers k;
    for (size_t j = 0; j < a.size(); ++j) k.push_back(std::min(a[j], b[j]));
    return k;
}
Numbers larger(const Numbers &a, const Numbers &b) {
    Numbers k;
    for (size_t j = 0; j < a.size(); ++j) k.push_back(std::max(a[j], b[j]));
    return k;
}

}  // namespace

void draw_geqrf_each(Call &call) {
    const int64_t most_m = draw_order(call.dice), most_n = draw_order(call.dice),
                  batch = draw_batch(call, most_m * most_n);
    call.is_empty = most_m == 0 || most_n == 0 || batch == 0;
    const Numbers m = draw_sizes(call, "mMax", "sizesM", most_m, batch, -1);
    const Numbers n = draw_sizes(call, "nMax", "sizesN", most_n, batch, -2);
    const Scattering scattering = place_matrices(call, "A", m, n, most_m, -4);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Matrices<T> a = random_matrices<T>(call.dice, m, n);
        call.inout("A.data", joined(a), scattering.spread);
        place_tau<T>(call, smaller(m, n), nullptr);
        call.info(batch, most_n, false);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            Reader<T> packed(outcome.get<T>("A.data")), tau(outcome.get<T>("tau.data"));
            long double worst = 0;
            for (size_t j = 0; j < a.size(); ++j) {
                const int64_t k = std::min(m[j], n[j]);
                const Dense<T> left = packed.next(m[j], n[j]);
                worst = worse(worst, factors_error(a[j], left, product_of_reflectors(left, tau.next(k, 1), k)));
            }
            return expect_within("the factors' ratio", worst, qr_bound);
        };
    });
}

void draw_unmqr_each(Call &call) {
    Dice &dice = call.dice;
    const auto side = dice.choose<xbatchSide_t>(1);
    const bool is_left = side == XBATCH_SIDE_LEFT;
    const int64_t most_m = draw_order(dice), most_n = draw_order(dice), batch = draw_batch(call, most_m * most_n);
    const int64_t most_order = is_left ? most_m : most_n, most_k = dice.between(0, most_order);
    call.is_empty = most_m == 0 || most_n == 0 || most_k == 0 || batch == 0;
    call.choice("side", side, 1);
    const Numbers m = draw_sizes(call, "mMax", "sizesM", most_m, batch, -1);
    const Numbers n = draw_sizes(call, "nMax", "sizesN", most_n, batch, -2);
    const Numbers &order = is_left ? m : n;
    const Numbers k = draw_sizes(call, "kMax", "sizesK", most_k, batch, -3, order);
    call.wrongs.push_back({"kMax", most_order + 1});
    const Scattering in_a = place_matrices(call, "A", order, k, most_order, -4);
    const Scattering in_c = place_matrices(call, "C", m, n, most_m, -5);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        Matrices<T> packed = random_matrices<T>(dice, order, k), tau;
        for (Dense<T> &a : packed) tau.push_back(factor_one(call, a));
        const Matrices<T> c = random_matrices<T>(dice, m, n);
        call.in("A.data", joined(packed), in_a.spread);
        place_tau(call, k, &tau);
        call.inout("C.data", joined(c), in_c.spread);
        call.info(batch, 0);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            Reader<T> product(outcome.get<T>("C.data"));
            long double worst = 0;
            for (size_t j = 0; j < c.size(); ++j) {
                const Dense<Wide<T>> q = product_of_reflectors(packed[j], tau[j], order[j]);
                worst = worse(worst, product_error(q, side, op, c[j], product.next(m[j], n[j])));
            }
            return expect_within("the product's ratio", worst, qr_bound);
        };
    });
}

void draw_ungqr_each(Call &call) {
    Dice &dice = call.dice;
    const int64_t most_m = draw_order(dice), most_n = dice.between(std::min<int64_t>(1, most_m), most_m);
    const int64_t most_k = dice.between(0, most_n), batch = draw_batch(call, most_m * most_n);
    call.is_empty = most_m == 0 || most_n == 0 || batch == 0;
    const Numbers m = draw_sizes(call, "mMax", "sizesM", most_m, batch, -1);
    const Numbers n = draw_sizes(call, "nMax", "sizesN", most_n, batch, -2, m);
    const Numbers k = draw_sizes(call, "kMax", "sizesK", most_k, batch, -3, n);
    call.wrongs.push_back({"nMax", most_m + 1}), call.wrongs.push_back({"kMax", most_n + 1});
    const Scattering scattering = place_matrices(call, "A", m, n, most_m, -4);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        Matrices<T> packed = random_matrices<T>(dice, m, k), tau, start;
        std::vector<bool> unread;
        for (size_t j = 0; j < packed.size(); ++j) {
            tau.push_back(factor_one(call, packed[j]));
            start.emplace_back(m[j], n[j]);
            std::fill(start[j].data.begin(), start[j].data.end(), scalar<T>(std::nan("")));
            std::copy(packed[j].data.begin(), packed[j].data.end(), start[j].data.begin());
            for (size_t e = 0; e < start[j].data.size(); ++e) unread.push_back(e >= packed[j].data.size());
        }
        call.inout("A.data", joined(start), scattering.spread).is_unread = [=](size_t e) { return unread[e]; };
        place_tau(call, k, &tau);
        call.info(batch, 0);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            Reader<T> formed(outcome.get<T>("A.data"));
            long double worst = 0;
            for (size_t j = 0; j < packed.size(); ++j) {
                const Dense<Wide<T>> q = product_of_reflectors(packed[j], tau[j], n[j]);
                worst = worse(worst, distance_ratio<T>(widened(formed.next(m[j], n[j])), q, m[j], 1));
            }
            return expect_within("the distance from Q", worst, qr_bound);
        };
    });
}

void draw_gels_each(Call &call) {
    Dice &dice = call.dice;
    const int64_t most_m = draw_order(dice), most_n = draw_order(dice), most_r = dice.size(5);
    const int64_t batch = draw_batch(call, most_m * most_n), most_rows = std::max(most_m, most_n);
    call.is_empty = most_m == 0 || most_n == 0 || most_r == 0 || batch == 0;
    const Numbers m = draw_sizes(call, "mMax", "sizesM", most_m, batch, -1);
    const Numbers n = draw_sizes(call, "nMax", "sizesN", most_n, batch, -2);
    const Numbers nrhs = draw_sizes(call, "nrhsMax", "sizesR", most_r, batch, -3), rows = larger(m, n);
    const Scattering in_a = place_matrices(call, "A", m, n, most_m, -4);
    const Scattering in_b = place_matrices(call, "B", rows, nrhs, most_rows, -5);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        Matrices<T> a, b;
        std::vector<bool> unread;
        for (size_t j = 0; j < m.size(); ++j) {
            a.push_back(regular_matrix<T>(m[j], n[j], dice.seed()));
            b.push_back(draw_right_hand_sides<T>(dice, op, m[j], n[j], nrhs[j]));
            const bool has_work = std::min(m[j], n[j]) > 0;
            for (int64_t e = 0; e < rows[j] * nrhs[j]; ++e)
                unread.push_back(!has_work || e % rows[j] >= (op == XBATCH_OP_N ? m[j] : n[j]));
        }
        call.in("A.data", joined(a), in_a.spread);
        call.inout("B.data", joined(b), in_b.spread).is_unread = [=](size_t e) { return unread[e]; };
        call.info(batch, std::min(most_m, most_n));
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            Reader<T> solved(outcome.get<T>("B.data"));
            long double worst = 0;
            for (size_t j = 0; j < a.size(); ++j) {
                const Dense<T> x = solved.next(rows[j], nrhs[j]);
                if (std::min({m[j], n[j], nrhs[j]}) > 0) worst = worse(worst, gels_error(op, a[j], b[j], x));
            }
            return expect_within("the distance from LAPACK's X", worst, qr_bound);
        };
    });
}

}  // namespace xbatch_test
