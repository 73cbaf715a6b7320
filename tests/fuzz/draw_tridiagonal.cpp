// draw_tridiagonal.cpp: tridiagonal solvers, recurrences, rearrangement.
// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"
#include "support/fixtures/recurrence.hpp"
#include "support/fixtures/shifted.hpp"
#include "support/fixtures/strided.hpp"

namespace xbatch_test {

FuzzShape draw_shape(Call &call, bool has_nrhs) {
    Dice &dice = call.dice;
    const int64_t most = dice.one_in(60) ? 200000 : 3000;
    FuzzShape s{dice.choose<xbatchLayout_t>(2), dice.size(most), 1, 1};
    s.batch = dice.size(std::max<int64_t>(most / std::max<int64_t>(s.n, 1), 1));
    if (has_nrhs && dice.one_in(3)) s.nrhs = dice.size(std::min<int64_t>(most / (s.n * s.batch + 1) + 2, 9));
    call.is_empty = s.n == 0 || s.nrhs == 0 || s.batch == 0;
    call.choice("layout", s.layout, 2);
    call.size("n", s.n), call.size("nrhs", s.nrhs), call.size("batch", s.batch);
    add_huge(call, {"n", "nrhs", "batch"});
    return s;
}

void add_huge(Call &call, std::initializer_list<const char *> names) {
    if (call.is_empty || call.routine.has("bytes")) return;
    for (const char *name : names) call.wrongs.push_back({name, int64_t(1) << 62, XBATCH_STATUS_INVALID_VALUE, false});
}

DrawnLd draw_ld(Dice &dice, xbatchLayout_t layout, int64_t n, int64_t batch) {
    const std::vector<int64_t> paddings = {0, 0, 1, 2, 7, 33},
                               blocks = {1, 2, 3, 8, 16, std::max<int64_t>(batch, 1), batch + 5};
    if (layout == XBATCH_LAYOUT_BLOCK_INTERLEAVED) return {dice.of(blocks), 1};
    const int64_t least = std::max<int64_t>(layout == XBATCH_LAYOUT_FLAT ? n : batch, 1);
    return {least + dice.of(paddings), least};
}

void draw_rearrange(Call &call) {
    const FuzzShape s = draw_shape(call, false);
    const auto to = call.dice.choose<xbatchLayout_t>(2);
    const DrawnLd ldsrc = draw_ld(call.dice, s.layout, s.n, s.batch), lddst = draw_ld(call.dice, to, s.n, s.batch);
    call.choice("srcLayout", s.layout, 2), call.choice("dstLayout", to, 2);
    call.ld("ldsrc", ldsrc.ld, ldsrc.least), call.ld("lddst", lddst.ld, lddst.least);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        Random random(call.dice.seed());
        std::vector<T> values(size_t(s.n * s.batch));
        for (T &value : values) value = random.unit<T>();
        call.in("src", values, in_layout(s.layout, s.n, 1, s.batch, ldsrc.ld));
        call.out<T>("dst", in_layout(to, s.n, 1, s.batch, lddst.ld));
        call.check = [=](const Outcome &outcome) {
            return same_bits(outcome.get<T>("dst"), values) ? std::string() : "dst is not src";
        };
    });
}

namespace {

// One operand of a recurrence with `sequences` sequences; those of one system are adjacent
template <class T>
void place_operand(Call &call, const std::string &name, Operand is, const FuzzShape &s, int64_t nrhs,
                   const std::vector<T> &values, bool may_change) {
    const bool is_s = name == "s";
    const int64_t sequences = s.batch * nrhs;
    call.set(is_s ? "incs" : "inct", is_constant(is) ? 0 : 1, {-1, 2, INT64_MAX, INT64_MIN});
    const DrawnLd drawn = draw_ld(call.dice, s.layout, s.n, s.batch);
    const int64_t ld = is_shared(is) ? 0 : is_constant(is) ? call.dice.between(1, 4) : drawn.ld;
    call.ld(is_s ? "lds" : "ldt", ld, is_shared(is) || is_constant(is) ? 0 : drawn.least, true);
    Spread spread;
    std::vector<T> given;
    if (is_constant(is)) {
        for (int64_t k = 0; k < (is_shared(is) ? std::min<int64_t>(sequences, 1) : sequences); ++k) {
            spread.add(k * ld, is_shared(is) ? of_all : k / nrhs);
            given.push_back(s.n > 0 ? values[size_t(k * s.n)] : T(0));
        }
    } else {
        spread = in_layout(s.layout, s.n, nrhs, s.batch, ld);
        given = values, given.resize(spread.places.size());
    }
    may_change ? call.inout(name, given, spread) : call.in(name, given, spread);
}

}  // namespace

void draw_recurrence(Call &call) {
    const FuzzShape s = draw_shape(call);
    const auto direction = call.dice.choose<xbatchDirection_t>(1);
    call.choice("direction", direction, 1);
    const RecurrenceShape shape{s.n,
                                s.nrhs,
                                s.batch,
                                direction,
                                call.dice.choose<Operand>(3),
                                call.dice.choose<Operand>(3),
                                !call.dice.one_in(4)};
    const bool in_place = shape.t_is == Operand::Array && call.dice.one_in(3);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Recurrence<T> p = make_recurrence<T>(shape, 0.99, call.dice.seed());
        place_operand(call, "s", p.s_is, s, 1, p.s, false);
        place_operand(call, "t", p.t_is, s, s.nrhs, p.t, in_place);
        if (shape.has_w0) call.in("w0", p.w0, side_by_side(int64_t(p.w0.size()), s.nrhs)).may_be_null = true;
        const DrawnLd drawn = draw_ld(call.dice, s.layout, s.n, s.batch);
        call.ld("ldw", in_place ? call.numbers["ldt"] : drawn.ld, drawn.least);
        if (in_place)
            call.aliases["w"] = "t";
        else
            call.out<T>("w", in_layout(s.layout, s.n, s.nrhs, s.batch, drawn.ld));
        call.check = [=](const Outcome &outcome) {
            return expect_within("the error", folr_error(p, outcome.get<T>(in_place ? "t" : "w")), folr_bound(p.n));
        };
    });
}

namespace {

// Not Dorr's matrix, which is singular to working precision, so that info may report it
template <class T>
std::vector<Family> families_to_solve(int64_t n, bool is_periodic) {
    std::vector<Family> of = solvable_families<T>(n, is_periodic);
    of.erase(std::remove(of.begin(), of.end(), 13), of.end());
    return of;
}

}  // namespace

void draw_gtsv(Call &call, Algorithm algorithm) {
    const FuzzShape s = draw_shape(call);
    const bool is_shared = call.dice.one_in(4), is_periodic = entry(algorithm).is_periodic;
    const DrawnLd ldt = draw_ld(call.dice, s.layout, s.n, s.batch), ldb = draw_ld(call.dice, s.layout, s.n, s.batch);
    const int64_t used_ldt = is_shared ? 0 : ldt.ld;
    call.ld("ldt", used_ldt, ldt.least, true), call.ld("ldb", ldb.ld, ldb.least);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Family> of = entry(algorithm).is_pivoted
                                     ? families_to_solve<T>(s.n, is_periodic)
                                     : std::vector<Family>(std::begin(dominant_families), std::end(dominant_families));
        std::vector<Family> chosen;
        for (int k = 0; k < 3; ++k) chosen.push_back(call.dice.of(of));
        const Systems<T> systems =
            make_systems<T>(s.n, s.nrhs, s.batch, chosen, is_shared, call.dice.seed(), is_periodic);
        const Spread spread = in_layout(s.layout, s.n, 1, s.batch, used_ldt);
        const auto n = size_t(s.n);
        call.in("dl", systems.dl, Spread(spread).without([=](size_t k) { return !is_periodic && k % n == 0; }));
        call.in("d", systems.d, spread);
        call.in("du", systems.du, Spread(spread).without([=](size_t k) { return !is_periodic && k % n == n - 1; }));
        call.inout("B", systems.b, in_layout(s.layout, s.n, s.nrhs, s.batch, ldb.ld));
        call.info(s.batch, s.n);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            return expect_within("the backward error", errors_of(systems, outcome.get<T>("B")).backward, 32);
        };
    });
}

void draw_gtsv_shifted(Call &call, bool is_periodic) {
    const FuzzShape s = draw_shape(call);
    const DrawnLd ldb = draw_ld(call.dice, s.layout, s.n, s.batch);
    const bool is_pinned = s.n > 1 && call.dice.one_in(2), has_w = !call.dice.one_in(3);
    call.choice("pin", is_pinned, 1);
    call.ld("ldb", ldb.ld, ldb.least);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const std::vector<Family> of = {1, 6, 18, 19, 20};
        Shifted<T> systems =
            make_shifted<T>(call.dice.of(of), s.n, s.nrhs, s.batch, is_periodic, call.dice.seed(), has_w);
        systems.is_pinned = is_pinned;
        const auto n = size_t(s.n);
        const Spread shared = side_by_side(s.n, 0), right = in_layout(s.layout, s.n, s.nrhs, s.batch, ldb.ld);
        call.in("dl", systems.dl, Spread(shared).without([=](size_t k) { return !is_periodic && k == 0; }));
        call.in("d", systems.d, shared);
        call.in("du", systems.du, Spread(shared).without([=](size_t k) { return !is_periodic && k + 1 == n; }));
        FuzzArray &w = call.in("w", systems.w, side_by_side(int64_t(systems.w.size()), 0));
        w.may_be_null = true, w.is_null = !has_w;
        call.in("sigma", systems.sigma, side_by_side(s.batch));
        FuzzArray &b = call.inout("B", systems.b, right);
        const auto pins = [=](size_t k) { return systems.pins(int64_t(k / (n * size_t(s.nrhs)))); };
        b.is_unread = [=](size_t k) { return k % n + 1 == n && pins(k); };
        call.info(s.batch, s.n);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            return expect_within("the backward error", errors_of(systems.with_matrices(), outcome.get<T>("B")).backward,
                                 32);
        };
    });
}

namespace {

// Strides that nest in any order, with padding, so that no two elements coincide; `least` apart
xbatchStrides_t draw_strides(Dice &dice, const StridedShape &s, int64_t least) {
    xbatchStrides_t strides = {};
    std::array<int, 4> order = {0, 1, 2, 3};
    for (int k = 3; k > 0; --k) std::swap(order[size_t(k)], order[size_t(dice.below(k + 1))]);
    int64_t reached = least;
    for (int k : order) {
        const int64_t extent = std::max<int64_t>(k == 3 ? s.n : s.batch[size_t(k)], 1);
        const int64_t stride = reached + (dice.one_in(3) ? dice.below(5) : 0);
        (k == 3 ? strides.row : strides.batch[k]) = stride;
        if (extent > 1) reached += (extent - 1) * stride;
    }
    return strides;
}

// Rows of each set of coefficients, and in B of each system, in sequence
Spread by_strides(const StridedShape &s, const xbatchStrides_t &strides, bool is_shared) {
    Spread spread;
    for (int64_t j = 0; j < s.systems(); ++j) {
        if (is_shared && s.set_of(j) != j) continue;
        for (int64_t i = 0; i < (strides.row > 0 ? s.n : std::min<int64_t>(s.n, 1)); ++i)
            spread.add(s.place(strides, i, j), is_shared ? of_all : j);
    }
    return spread;
}

void put_strides(Call &call, const char *name, const xbatchStrides_t &strides, const StridedShape &s, bool is_b) {
    const std::vector<int64_t> words = {strides.row, strides.batch[0], strides.batch[1], strides.batch[2]};
    call.in(name, words, side_by_side(4, 0));
    for (int64_t word = 0; word < 4; ++word) {
        const int64_t extent = word == 0 ? s.n : s.batch[size_t(word - 1)];
        constexpr auto invalid = XBATCH_STATUS_INVALID_VALUE;
        for (int64_t value : {int64_t(-1), INT64_MIN}) call.wrongs.push_back({name, value, invalid, true, word});
        if (call.is_empty || extent < 2) continue;
        call.wrongs.push_back({name, INT64_MAX, invalid, true, word});
        if (is_b) call.wrongs.push_back({name, 0, invalid, true, word});
    }
}

}  // namespace

void draw_gtsv_strided(Call &call, int which) {
    Dice &dice = call.dice;
    const StridedEntry &routine = strided_entries()[size_t(which)];
    const bool is_periodic = entry(routine.algorithm).is_periodic;
    const int64_t most = dice.one_in(60) ? 100000 : 3000;
    StridedShape s{dice.size(most), {1, 1, 1}, {}, {}};
    for (int64_t &extent : s.batch) extent = dice.size(std::max<int64_t>(most / (s.n * s.systems() + 1), 1));
    call.is_empty = s.n * s.systems() == 0;
    call.size("n", s.n);
    call.size("batch0", s.batch[0]), call.size("batch1", s.batch[1]), call.size("batch2", s.batch[2]);
    add_huge(call, {"n", "batch0", "batch1", "batch2"});
    s.t = draw_strides(dice, s, dice.one_in(3) ? 2 : 1), s.b = draw_strides(dice, s, dice.one_in(3) ? 2 : 1);
    const bool is_one = dice.one_in(4);
    for (int64_t &stride : s.t.batch) stride = is_one || dice.one_in(5) ? 0 : stride;
    if (dice.one_in(8)) s.t.row = 0;
    put_strides(call, "stridesT", s.t, s, false), put_strides(call, "stridesB", s.b, s, true);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const Systems<T> systems = make_strided_systems<T>(s, {6, 18, 19, 20}, is_periodic, dice.seed());
        std::vector<T> dl, d, du;
        const auto n = size_t(s.n);
        for (int64_t j = 0; j < s.systems(); ++j)
            for (int64_t i = 0; i < s.n && s.set_of(j) == j; ++i) {
                if (s.t.row == 0 && i != s.n / 2) continue;
                const auto k = size_t(systems.row(j, i));
                dl.push_back(systems.dl[k]), d.push_back(systems.d[k]), du.push_back(systems.du[k]);
            }
        const bool is_shared = s.t.row == 0 || s.t.batch[0] == 0 || s.t.batch[1] == 0 || s.t.batch[2] == 0;
        Spread spread = by_strides(s, s.t, true);
        if (!is_shared) spread = by_strides(s, s.t, false);
        const bool has_ends = s.t.row > 0 && !is_periodic;
        call.in("dl", dl, Spread(spread).without([=](size_t k) { return has_ends && k % n == 0; }));
        call.in("d", d, spread);
        call.in("du", du, Spread(spread).without([=](size_t k) { return has_ends && k % n + 1 == n; }));
        call.inout("B", systems.b, by_strides(s, s.b, false));
        call.info(s.systems(), s.n);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            return expect_within("the backward error", errors_of(systems, outcome.get<T>("B")).backward, 32);
        };
    });
}

void draw_gtsv_vbatch(Call &call) {
    Dice &dice = call.dice;
    const int64_t most = dice.one_in(60) ? 100000 : 2000, batch = dice.size(300),
                  nrhs = dice.one_in(3) ? dice.size(6) : 1;
    const int64_t mean = most / std::max<int64_t>(batch * nrhs, 1), before = dice.below(4);
    std::vector<int64_t> offsets = {before};
    int64_t maxn = 0;
    for (int64_t j = 0; j < batch; ++j) {
        const int64_t n = dice.size(std::max<int64_t>(mean, 1));
        offsets.push_back(offsets.back() + n), maxn = std::max(maxn, n);
    }
    const int64_t rows = offsets.back(), ldb = rows + (dice.one_in(2) ? dice.below(9) : 0);
    maxn += dice.one_in(2) ? dice.below(5) : 0;
    call.is_empty = batch == 0 || nrhs == 0 || maxn == 0;
    call.size("nrhs", nrhs), call.size("batch", batch), call.size("maxn", maxn), call.size("ldb", ldb);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        std::vector<Systems<T>> systems;
        std::vector<T> dl, d, du, b;
        Spread rows_of, right;
        rows_of.extent = rows;
        for (int64_t j = 0; j < batch; ++j) {
            const int64_t n = offsets[size_t(j) + 1] - offsets[size_t(j)];
            const Family family = dice.of(families_to_solve<T>(n, false));
            systems.push_back(make_systems<T>(n, nrhs, 1, {family}, false, dice.seed()));
            const Systems<T> &s = systems.back();
            dl.insert(dl.end(), s.dl.begin(), s.dl.end()), d.insert(d.end(), s.d.begin(), s.d.end());
            du.insert(du.end(), s.du.begin(), s.du.end()), b.insert(b.end(), s.b.begin(), s.b.end());
            for (int64_t i = 0; i < n; ++i) rows_of.add(offsets[size_t(j)] + i, j);
            for (int64_t k = 0; k < nrhs * n; ++k) right.add(k / n * ldb + offsets[size_t(j)] + k % n, j);
        }
        const auto is_own = [](const Spread &s, size_t k, size_t next) {
            return next < s.owners.size() && s.owners[k] == s.owners[next];
        };
        call.in("dl", dl, Spread(rows_of).without([&](size_t k) { return k == 0 || !is_own(rows_of, k, k - 1); }));
        call.in("d", d, rows_of);
        call.in("du", du, Spread(rows_of).without([&](size_t k) { return !is_own(rows_of, k, k + 1); }));
        call.inout("B", b, right);
        call.in("offsets", offsets, side_by_side(batch + 1, 0));
        call.info(batch, maxn);
        call.check = [=](const Outcome &outcome) -> std::string {
            if (!outcome.is_all_right()) return "info is not 0";
            const std::vector<T> all = outcome.get<T>("B");
            long double worst = 0;
            auto at = all.begin();
            for (const Systems<T> &s : systems) {
                const std::vector<T> x(at, at + s.n * s.nrhs);
                at += s.n * s.nrhs;
                if (s.n > 0) worst = worse(worst, errors_of(s, x).backward);
            }
            return expect_within("the backward error", worst, 32);
        };
    });
}

}  // namespace xbatch_test
