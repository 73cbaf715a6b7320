// draw_qr.cpp: tiled QR of one matrix.
// SPDX-License-Identifier: BSD-3-Clause
#include "qr_judge.hpp"

namespace xbatch_test {
namespace {

using Bytes = std::vector<unsigned char>;

struct DrawnConfig {
    xbatchTiledConfig_t config;
    bool is_null;
    const xbatchTiledConfig_t *get() const { return is_null ? nullptr : &config; }
};
DrawnConfig draw_config(Call &call) {
    Dice &dice = call.dice;
    const int64_t nb = dice.between(1, 9);
    const xbatchTiledConfig_t config = {nb * dice.between(1, 5), nb, dice.between(1, nb), dice.between(1, 4),
                                        dice.choose<xbatchTree_t>(1)};
    const std::vector<int64_t> words = {config.mb, config.nb, config.ib, config.domain, config.tree};
    FuzzArray &array = call.in("config", words, side_by_side(5, 0));
    array.may_be_null = true, array.is_null = dice.one_in(3);
    constexpr auto invalid = XBATCH_STATUS_INVALID_VALUE;
    if (!array.is_null)
        for (const auto &[word, value] : std::vector<std::pair<int64_t, int64_t>>{
                 {0, 0}, {0, -nb}, {1, 0}, {1, INT64_MIN}, {2, 0}, {2, nb + 1}, {4, 2}})
            call.wrongs.push_back({"config", value, invalid, false, word});
    return {config, array.is_null};
}

Spread in_matrix(int64_t m, int64_t n, int64_t ld) {
    Spread s;
    for (int64_t c = 0; c < n; ++c)
        for (int64_t i = 0; i < m; ++i) s.add(c * ld + i, 0);
    return s;
}
int64_t draw_matrix_ld(Call &call, const std::string &name, int64_t rows) {
    const int64_t least = std::max<int64_t>(rows, 1), ld = least + (call.dice.one_in(2) ? call.dice.below(5) : 0);
    call.ld(name, ld, least);
    return ld;
}

// A matrix of `rows` rows factored by xgeqrtTiled, column-major, and T
template <class T>
struct Tiled {
    Dense<T> a, packed;
    Bytes t;
};
size_t tiled_bytes(xbatchHandle_t handle, xbatchDataType_t type, int64_t m, int64_t n,
                   const xbatchTiledConfig_t *config, size_t *workspace) {
    size_t bytes = 0;
    xgeqrtTiled_bufferSize(handle, type, m, n, config, &bytes, workspace);
    return bytes;
}
template <class T>
Tiled<T> factor_tiled(Call &call, const Dense<T> &a, const xbatchTiledConfig_t *config) {
    Tiled<T> f{a, a, {}};
    size_t bytes = 0;
    const size_t t_bytes = tiled_bytes(call.handle, Traits<T>::type, a.m, a.n, config, &bytes);
    Workspace t(XBATCH_BACKEND_HOST, t_bytes), workspace(XBATCH_BACKEND_HOST, bytes);
    xgeqrtTiled(call.handle, Traits<T>::type, a.m, a.n, config, f.packed.data.data(), std::max<int64_t>(a.m, 1),
                t.data(), nullptr, workspace.data(), bytes);
    const auto *const first = static_cast<const unsigned char *>(t.data());
    if (t_bytes > 0) f.t.assign(first, first + t_bytes);
    return f;
}
// The first columns of its Q
template <class T>
Dense<T> form_tiled(xbatchHandle_t handle, const Tiled<T> &f, int64_t columns, const xbatchTiledConfig_t *config) {
    const int64_t m = f.a.m, k = std::min(m, f.a.n);
    Dense<T> q(m, columns);
    size_t bytes = 0;
    const auto type = Traits<T>::type;
    xungqrtTiled_bufferSize(handle, type, m, columns, k, config, &bytes);
    Workspace workspace(XBATCH_BACKEND_HOST, bytes), t(XBATCH_BACKEND_HOST, f.t.size());
    if (!f.t.empty()) std::memcpy(t.data(), f.t.data(), f.t.size());
    xungqrtTiled(handle, type, m, columns, k, config, f.packed.data.data(), m, t.data(), q.data.data(), m, nullptr,
                 workspace.data(), bytes);
    return q;
}

}  // namespace

void draw_tiled_defaults(Call &call) {
    call.size("m", call.dice.size(5000)), call.size("n", call.dice.size(5000));
    call.out<int64_t>("config", side_by_side(5, 0)).spread.extent = 5;
    call.check = [](const Outcome &outcome) -> std::string {
        const std::vector<int64_t> c = outcome.get<int64_t>("config");
        const bool is_one = c[0] >= 1 && c[1] >= 1 && c[0] % c[1] == 0 && c[2] >= 1 && c[2] <= c[1] && c[3] >= 1;
        return is_one ? "" : "the defaults are no configuration";
    };
}

void draw_geqrt(Call &call) {
    Dice &dice = call.dice;
    const int64_t m = draw_order(dice), n = draw_order(dice);
    call.is_empty = m == 0 || n == 0;
    call.size("m", m), call.size("n", n);
    add_huge(call, {"m", "n"});
    const DrawnConfig config = draw_config(call);
    const int64_t lda = draw_matrix_ld(call, "lda", m);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Dense<T> a = random_matrix<T>(m, n, dice.seed());
        size_t bytes = 0;
        call.inout("A", a.data, in_matrix(m, n, lda));
        call.opaque("T", Role::Out, Bytes(tiled_bytes(call.handle, call.type, m, n, config.get(), &bytes)));
        call.info(1, n, false);
        if (call.routine.has("bytes")) call.out<size_t>("tBytes", side_by_side(1, 0));
        const auto handle = call.handle;
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const Tiled<T> f{a, dense(m, n, outcome.get<T>("A").data()), outcome.get<unsigned char>("T")};
            const Dense<T> q = form_tiled(handle, f, std::min(m, n), config.get());
            return expect_within("the factors' ratio", factors_error(a, f.packed, widened(q)), qr_bound);
        };
    });
}

void draw_ungqrt(Call &call) {
    Dice &dice = call.dice;
    const int64_t m = draw_order(dice), n = dice.between(std::min<int64_t>(1, m), m), k = dice.between(0, n);
    call.is_empty = m == 0 || n == 0;
    call.size("m", m), call.size_up_to("n", n, m), call.size_up_to("k", k, n);
    const DrawnConfig config = draw_config(call);
    const int64_t lda = draw_matrix_ld(call, "lda", m), ldq = draw_matrix_ld(call, "ldq", m);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Tiled<T> f = factor_tiled(call, random_matrix<T>(m, k, dice.seed()), config.get());
        call.in("A", f.packed.data, in_matrix(m, k, lda));
        call.opaque("T", Role::In, f.t);
        call.out<T>("Q", in_matrix(m, n, ldq));
        call.info(1, 0);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const Dense<T> q = dense(m, n, outcome.get<T>("Q").data());
            return expect_within("the factors' ratio", factors_error(f.a, f.packed, widened(q)), qr_bound);
        };
    });
}

void draw_gemqrt(Call &call) {
    Dice &dice = call.dice;
    const auto side = dice.choose<xbatchSide_t>(1);
    const int64_t m = draw_order(dice), n = draw_order(dice), order = side == XBATCH_SIDE_LEFT ? m : n;
    const int64_t k = dice.between(0, order);
    call.is_empty = m == 0 || n == 0 || k == 0;
    call.choice("side", side, 1);
    call.size("m", m), call.size("n", n), call.size_up_to("k", k, order);
    const DrawnConfig config = draw_config(call);
    const int64_t lda = draw_matrix_ld(call, "lda", order), ldc = draw_matrix_ld(call, "ldc", m);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        const Tiled<T> f = factor_tiled(call, random_matrix<T>(order, k, dice.seed()), config.get());
        const Dense<T> c = random_matrix<T>(m, n, dice.seed());
        call.in("A", f.packed.data, in_matrix(order, k, lda));
        call.opaque("T", Role::In, f.t);
        call.inout("C", c.data, in_matrix(m, n, ldc));
        call.info(1, 0);
        const auto handle = call.handle;
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const Dense<Wide<T>> q = widened(form_tiled(handle, f, order, config.get()));
            const long double factors = factors_error(f.a, f.packed, q);
            const Dense<T> product = dense(m, n, outcome.get<T>("C").data());
            return expect_within("the ratio", worse(factors, product_error(q, side, op, c, product)), qr_bound);
        };
    });
}

void draw_gels_tiled(Call &call) {
    Dice &dice = call.dice;
    const int64_t m = draw_order(dice), n = draw_order(dice), nrhs = dice.size(6);
    call.is_empty = m == 0 || n == 0 || nrhs == 0;
    call.size("m", m), call.size("n", n), call.size("nrhs", nrhs);
    add_huge(call, {"m", "n", "nrhs"});
    draw_config(call);
    const int64_t lda = draw_matrix_ld(call, "lda", m), ldb = draw_matrix_ld(call, "ldb", std::max(m, n));
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const auto op = draw_qr_operation<T>(call);
        const Dense<T> a = regular_matrix<T>(m, n, dice.seed()), b = draw_right_hand_sides<T>(dice, op, m, n, nrhs);
        m >= n ? call.inout("A", a.data, in_matrix(m, n, lda)) : call.in("A", a.data, in_matrix(m, n, lda));
        call.inout("B", b.data, in_matrix(b.m, nrhs, ldb)).is_unread = [=](size_t k) {
            return int64_t(k) % b.m >= (op == XBATCH_OP_N ? m : n);
        };
        call.info(1, std::min(m, n));
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const Dense<T> x = dense(b.m, nrhs, outcome.get<T>("B").data());
            return expect_within("the distance from LAPACK's X", gels_error(op, a, b, x), qr_bound);
        };
    });
}

}  // namespace xbatch_test
