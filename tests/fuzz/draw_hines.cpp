// draw_hines.cpp: trees, plans, and Hines systems.
// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"
#include "support/fixtures/hines_factor.hpp"

namespace xbatch_test {
namespace {

Parents draw_tree(Dice &dice, int64_t n) {
    const uint64_t seed = dice.seed();
    Parents tree;
    switch (dice.below(7)) {
        case 0: tree = chain(n); break;
        case 1: tree = star(n); break;
        case 2: tree = binary(n); break;
        case 3: tree = caterpillar(n); break;
        case 4: tree = comb(n, dice.between(1, 9)); break;
        case 5: tree = recursive_tree(n, seed); break;
        default: tree = random_tree(n, std::exp2(-double(dice.between(0, 7))), seed);
    }
    if (dice.one_in(3)) tree = shuffled(tree, seed);
    return tree;
}

// Trees in sequence as the library reads them; if one has several roots, all are forests.
struct DrawnTrees {
    std::vector<Parents> trees;
    std::vector<int64_t> offsets;
    std::vector<int32_t> parent;
    int base;
    bool is_forest;

    DrawnTrees(Dice &dice, int64_t count, int64_t most)
        : offsets{dice.one_in(3) ? dice.below(4) : 0}, base(int(dice.below(2))), is_forest(dice.one_in(3)) {
        parent.assign(size_t(offsets[0]), 0x7fffffff);
        for (int64_t m = 0; m < count; ++m) {
            Parents tree = draw_tree(dice, std::max<int64_t>(dice.size(most), 1));
            if (is_forest) tree = with_roots(tree, dice.between(1, 4), dice.seed());
            for (size_t i = 0; i < tree.size(); ++i) {
                const std::vector<int32_t> roots = {-1, base - 1, int32_t(i) + base};
                parent.push_back(i == 0 ? 0x7ffffff0 : tree[i] < 0 ? dice.of(roots) : tree[i] + base);
            }
            offsets.push_back(int64_t(parent.size()));
            trees.push_back(std::move(tree));
        }
    }
    // `order`: XBATCH_HINES_LARGEST_LAST or 0, of the flags up to `last`
    void describe(Call &call, int order, int last) const {
        const auto flags = is_forest ? XBATCH_HINES_FOREST : XBATCH_HINES_TREE;
        call.set("indexBase", base, {-1, 2, INT32_MAX, INT32_MIN});
        call.choice("flags", flags | order, last);
    }
};

std::vector<int32_t> draw_morph(Dice &dice, int64_t batch, int64_t morphologies) {
    std::vector<int32_t> morph;
    for (int64_t j = 0; j < batch; ++j) morph.push_back(int32_t(dice.below(morphologies)));
    return morph;
}

// Whether `ordered` is the tree `parent` with its nodes in the order of `order`, and with `is_largest_last` no child
// follows one with more nodes below it
std::string judge_order(const Parents &tree, int base, bool is_largest_last, std::vector<int32_t> order,
                        const std::vector<int32_t> &ordered) {
    std::vector<int32_t> number(tree.size(), -1);
    for (size_t k = 0; k < order.size(); ++k) {
        const int64_t node = order[k] - base;
        if (node < 0 || node >= int64_t(tree.size()) || number[size_t(node)] >= 0) return "order is no permutation";
        number[size_t(node)] = int32_t(k);
        const int32_t p = tree[size_t(node)], expected = p < 0 ? base - 1 : number[size_t(p)] + base;
        if (p >= 0 && number[size_t(p)] < 0) return "a child comes before its parent";
        if (!ordered.empty() && ordered[k] != expected) return "ordered is not the tree";
    }
    if (!is_largest_last) return "";
    std::vector<int64_t> size(tree.size(), 1), last_child(tree.size(), 0);
    for (size_t k = order.size(); k-- > 0;) {
        const int32_t p = tree[size_t(order[k] - base)];
        if (p >= 0) size[size_t(p)] += size[size_t(order[k] - base)];
    }
    for (const int32_t node : order) {
        const int32_t p = tree[size_t(node - base)];
        if (p < 0) continue;
        if (size[size_t(node - base)] < last_child[size_t(p)]) return "a child follows a larger one";
        last_child[size_t(p)] = size[size_t(node - base)];
    }
    return "";
}

}  // namespace

void draw_hines_order(Call &call) {
    Dice &dice = call.dice;
    const DrawnTrees drawn(dice, 1, 400);
    const Parents &tree = drawn.trees[0];
    const int base = drawn.base;
    const auto n = int64_t(tree.size());
    std::vector<int32_t> number(tree.size()), parent(tree.size());  // the nodes in any order
    for (size_t i = 0; i < number.size(); ++i) number[i] = int32_t(i);
    for (size_t i = number.size(); i-- > 1;) std::swap(number[i], number[size_t(dice.below(int64_t(i) + 1))]);
    Parents renumbered(tree.size());
    for (size_t i = 0; i < tree.size(); ++i) {
        const int32_t to = number[i], p = tree[i] < 0 ? -1 : number[size_t(tree[i])];
        const std::vector<int32_t> roots = {-1, base - 1, to + base};
        renumbered[size_t(to)] = p, parent[size_t(to)] = p < 0 ? dice.of(roots) : p + base;
    }
    const int order = dice.one_in(2) ? XBATCH_HINES_LARGEST_LAST : 0;
    drawn.describe(call, order, XBATCH_HINES_FOREST | XBATCH_HINES_LARGEST_LAST);
    call.size("n", n);
    call.in("parent", parent, side_by_side(n, 0));
    call.wrongs.push_back({"parent", n + base, XBATCH_STATUS_INVALID_VALUE, false, dice.below(n)});
    call.out<int32_t>("order", side_by_side(n, 0));
    call.out_or_null<int32_t>("ordered", n);
    call.check = [=](const Outcome &outcome) {
        return judge_order(renumbered, base, order != 0, outcome.get<int32_t>("order"),
                           outcome.has("ordered") ? outcome.get<int32_t>("ordered") : std::vector<int32_t>());
    };
}

void draw_hines_plan(Call &call) {
    Dice &dice = call.dice;
    const int64_t morphologies = dice.between(1, 5), batch = dice.size(40);
    const DrawnTrees drawn(dice, morphologies, 200);
    const bool is_mixed = morphologies > 1 || dice.one_in(2);
    drawn.describe(call, 0, XBATCH_HINES_FOREST);
    call.set("morphologies", morphologies, {0, -1, INT64_MIN});
    call.numbers["batch"] = batch;
    if (is_mixed) call.set("batch", batch, {-1, INT64_MIN});
    call.in("offsets", drawn.offsets, side_by_side(morphologies + 1, 0));
    call.in("parent", drawn.parent, side_by_side(int64_t(drawn.parent.size()), 0));
    const int64_t last = int64_t(drawn.parent.size()) - 1;
    if (last > drawn.offsets[size_t(morphologies) - 1])  // the parent of a node other than its tree's first
        call.wrongs.push_back({"parent", INT32_MAX, XBATCH_STATUS_INVALID_VALUE, false, last});
    call.wrongs.push_back({"offsets", drawn.offsets[0], XBATCH_STATUS_INVALID_VALUE, false, 1});
    if (is_mixed) {
        call.in("morph", draw_morph(dice, batch, morphologies), side_by_side(batch, 0));
        call.arrays.back().may_be_null = true;
        if (morphologies > 1) call.wrongs.push_back({"morph", 0, XBATCH_STATUS_INVALID_VALUE, false});
        if (batch > 0)
            for (int64_t m : {morphologies, int64_t(-1)})
                call.wrongs.push_back({"morph", m, XBATCH_STATUS_INVALID_VALUE, false, dice.below(batch)});
    }
    FuzzArray &plan = call.out<xbatchHinesPlan_t>("plan", side_by_side(1, 0));
    plan.is_handle = true;
    call.release = [](const Outcome &outcome) { xhinesDestroyPlan(outcome.get<xbatchHinesPlan_t>("plan")[0]); };
}

namespace {

template <class T>
HinesSystems<T> draw_hines_systems(Call &call) {
    Dice &dice = call.dice;
    const bool is_mixed = dice.one_in(2);
    const int64_t nrhs = dice.one_in(3) ? dice.size(5) : 1, morphologies = is_mixed ? dice.between(1, 5) : 1;
    const int64_t most = dice.one_in(60) ? 50000 : 1500, batch = std::max<int64_t>(dice.size(most / 4), is_mixed);
    const DrawnTrees drawn(dice, morphologies, std::max<int64_t>(most / std::max<int64_t>(batch * nrhs, 1), 3));
    const std::vector<int32_t> morph = draw_morph(dice, batch, morphologies);
    const std::vector<Entries> of = {dice.one_in(4) ? Entries::symmetric : dice.choose<Entries>(3)};
    const Sharing sharing = {dice.one_in(4), dice.one_in(4)};
    const uint64_t seed = dice.seed();
    return is_mixed ? make_mixed_hines<T>(drawn.trees, morph, nrhs, of, sharing, seed)
                    : make_hines<T>(drawn.trees[0], nrhs, batch, of, sharing, seed);
}

// With morph the leading dimension is used only for blocks.
template <class T>
DrawnLd draw_hines_ld(Call &call, xbatchLayout_t layout, const HinesSystems<T> &s, int64_t batch) {
    if (s.is_mixed) return draw_ld(call.dice, layout, 0, 0);
    return draw_ld(call.dice, layout, int64_t(s.trees[0].size()), batch);
}

// Systems in sequence, their right-hand sides in sequence within
template <class T>
Spread spread_of(const HinesSystems<T> &s, const HinesPlaces &places, int64_t nrhs, bool is_shared,
                 bool without_roots = false) {
    Spread spread;
    for (int64_t j = 0; j < s.batch(); ++j)
        for (int64_t r = 0; r < nrhs; ++r)
            for (int64_t i = 0; i < s.n(j); ++i) {
                const bool is_unused = without_roots && is_root(s.tree(j), i);
                spread.add(places(i, j, r), is_unused ? of_none : is_shared ? of_all : j);
            }
    spread.extent = std::max(spread.extent, places.extent);
    return spread;
}
template <class T, class Entry>
std::vector<T> entries_of(const HinesSystems<T> &s, Entry entry) {
    std::vector<T> all;
    for (const HinesMatrix<T> &a : s.a) all.insert(all.end(), entry(a).begin(), entry(a).end());
    return all;
}

template <class T>
void place_hines_matrices(Call &call, xbatchLayout_t layout, const HinesSystems<T> &s, int64_t batch) {
    const DrawnLd ul = draw_hines_ld(call, layout, s, batch), d = draw_hines_ld(call, layout, s, batch);
    call.ld("ldul", s.shares_ul ? 0 : ul.ld, ul.least, true), call.ld("ldd", s.shares_d ? 0 : d.ld, d.least, true);
    const HinesPlaces in_ul = s.shares_ul ? shared_places(s) : hines_places(s, layout, 1, ul.ld);
    const HinesPlaces in_d = s.shares_d ? shared_places(s) : hines_places(s, layout, 1, d.ld);
    const Spread spread = spread_of(s, in_ul, 1, s.shares_ul, true);
    call.in("u", entries_of(s, [](const HinesMatrix<T> &a) -> const std::vector<T> & { return a.u; }), spread);
    if (s.is_symmetric)
        call.aliases["l"] = "u";
    else
        call.in("l", entries_of(s, [](const HinesMatrix<T> &a) -> const std::vector<T> & { return a.l; }), spread);
    call.in("d", entries_of(s, [](const HinesMatrix<T> &a) -> const std::vector<T> & { return a.d; }),
            spread_of(s, in_d, 1, s.shares_d));
}

template <class T>
void place_hines_sides(Call &call, xbatchLayout_t layout, const HinesSystems<T> &s) {
    const DrawnLd b = draw_hines_ld(call, layout, s, s.batch());
    call.ld("ldb", b.ld, b.least);
    std::vector<T> right;
    for (const std::vector<T> &of_one : s.b) right.insert(right.end(), of_one.begin(), of_one.end());
    call.inout("B", right, spread_of(s, hines_places(s, layout, s.nrhs, b.ld), s.nrhs, false));
}

template <class T>
std::string expect_hines_solved(const HinesSystems<T> &s, const std::vector<T> &all, xbatchOperation_t op) {
    long double worst = 0;
    auto at = all.begin();
    for (int64_t j = 0; j < s.batch(); ++j) {
        const std::vector<T> x(at, at + s.nrhs * s.n(j));
        at += s.nrhs * s.n(j);
        worst = worse(worst, hines_error(s, j, x, op, true));
    }
    return expect_within("the error by rows", worst, 40);
}

int64_t most_nodes(const std::vector<Parents> &trees) {
    size_t most = 0;
    for (const Parents &tree : trees) most = std::max(most, tree.size());
    return int64_t(most);
}

}  // namespace

void draw_hines(Call &call) {
    const auto layout = call.dice.choose<xbatchLayout_t>(2);
    const auto op = call.dice.choose<xbatchOperation_t>(2);
    call.choice("layout", layout, 2), call.choice("op", op, 2);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const HinesSystems<T> s = draw_hines_systems<T>(call);
        const std::shared_ptr<HinesPlan> plan = plan_of(call.handle, s, int(call.dice.below(2)));
        call.is_empty = s.nrhs == 0 || s.batch() == 0;
        call.set("plan", reinterpret_cast<int64_t>(xbatchHinesPlan_t(*plan)), {0});
        call.size("nrhs", s.nrhs), call.size("batch", s.batch());
        if (s.is_mixed) call.wrongs.push_back({"batch", s.batch() + 1});
        place_hines_matrices(call, layout, s, s.batch()), place_hines_sides(call, layout, s);
        call.info(s.batch(), most_nodes(s.trees));
        call.check = [=](const Outcome &outcome) -> std::string {
            (void)plan;  // must exist as long as the call
            if (!outcome.is_all_right()) return "info is not 0";
            return expect_hines_solved(s, outcome.get<T>("B"), op);
        };
    });
}

// The factors are checked where they are used, in draw_hines_solve.
void draw_hines_factor(Call &call) {
    const auto layout = call.dice.choose<xbatchLayout_t>(2);
    call.choice("layout", layout, 2);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const HinesSystems<T> s = draw_hines_systems<T>(call);
        const std::shared_ptr<HinesPlan> plan = plan_of(call.handle, s);
        call.is_empty = s.batch() == 0;
        call.set("plan", reinterpret_cast<int64_t>(xbatchHinesPlan_t(*plan)), {0});
        const int64_t sets = hines_sets(s);
        call.size("batch", sets);
        place_hines_matrices(call, layout, s, sets);
        size_t bytes = 0, none = 0;
        xhinesFactorBatch_bufferSize(call.handle, Traits<T>::type, layout, *plan, sets, &bytes, &none);
        call.opaque("factors", Role::Out, std::vector<unsigned char>(bytes));
        call.info(sets, most_nodes(s.trees), false);
        if (call.routine.has("bytes")) call.out<size_t>("factorBytes", side_by_side(1, 0));
        call.check = [=](const Outcome &outcome) -> std::string {
            (void)plan;                                    // must exist as long as the call
            const bool is_each_drawn = sets == s.batch();  // morphologies may have no system
            return outcome.is_all_right() || !is_each_drawn ? "" : "info is not 0";
        };
    });
}

void draw_hines_solve(Call &call) {
    const auto layout = call.dice.choose<xbatchLayout_t>(2);
    const auto op = call.dice.choose<xbatchOperation_t>(2);
    call.choice("layout", layout, 2), call.choice("op", op, 2);
    draw_for_type(call, [&](auto zero) {
        using T = decltype(zero);
        const HinesSystems<T> s = draw_hines_systems<T>(call);
        const std::shared_ptr<HinesPlan> plan = plan_of(call.handle, s);
        call.is_empty = s.nrhs == 0 || s.batch() == 0;
        call.set("plan", reinterpret_cast<int64_t>(xbatchHinesPlan_t(*plan)), {0});
        call.size("nrhs", s.nrhs), call.size("batch", s.batch());
        call.set("sets", hines_sets(s), {-1, INT64_MIN});
        place_hines_sides(call, layout, s);
        if (!call.is_empty) {
            HinesFactored<T> factored(call.handle, *plan, s, hines_placing(layout, s));
            call.opaque("factors", Role::In, factored.factors().bytes());
        }
        call.check = [=](const Outcome &outcome) -> std::string {
            (void)plan;  // must exist as long as the call
            return expect_hines_solved(s, outcome.get<T>("B"), op);
        };
    });
}

void draw_hines_placement(Call &call) {
    using T = float;
    const auto layout = call.dice.choose<xbatchLayout_t>(2);
    const HinesSystems<T> s = draw_hines_systems<T>(call);
    const std::shared_ptr<HinesPlan> plan = plan_of(call.handle, s);
    const int64_t nrhs = call.dice.between(1, 4), batch = s.batch();
    const DrawnLd drawn = draw_hines_ld(call, layout, s, s.batch());
    call.choice("layout", layout, 2);
    call.set("plan", reinterpret_cast<int64_t>(xbatchHinesPlan_t(*plan)), {0});
    call.set("nrhs", nrhs, {0, -1, INT64_MIN});
    call.size("batch", batch);
    call.set("ld", drawn.ld, {-1, INT64_MIN});
    if (batch > 0) call.wrongs.push_back({"ld", 0});
    for (const char *name : {"first", "step"}) call.out_or_null<int64_t>(name, batch);
    call.out_or_null<int64_t>("extent", 1);
    call.check = [=](const Outcome &outcome) -> std::string {
        (void)plan;
        if (batch == 0) return "";
        const HinesPlaces places = hines_places(s, layout, nrhs, drawn.ld);
        if (outcome.has("first") && outcome.get<int64_t>("first") != places.first) return "first is wrong";
        if (outcome.has("step") && outcome.get<int64_t>("step") != places.step) return "step is wrong";
        if (outcome.has("extent") && outcome.get<int64_t>("extent")[0] < places.extent) return "extent is too small";
        return "";
    };
}

}  // namespace xbatch_test
