// test_hines_condensed.cpp: the steps in which workers condense a tree to ports, executed as the kernels do.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "hines/plan/pieces.hpp"
#include "support/generators/hines_trees.hpp"
#include "support/generators/random.hpp"

namespace {

using namespace xbatch::hines;
using xbatch_test::Parents;

constexpr SubtreeCut cut{16, 8, true};

struct System {
    std::vector<double> u, l, d, b;

    System() = default;
    explicit System(const Parents &parents) {
        xbatch_test::Random random(7);
        const auto draw = [&](std::vector<double> &to) {
            for (size_t v = 0; v < parents.size(); ++v) to.push_back(random.uniform());
        };
        draw(u), draw(l), draw(d), draw(b);
        for (size_t v = 0; v < parents.size(); ++v) {
            d[v] = 1.5 + std::fabs(d[v]);
            if (parents[v] >= 0) d[v] += 1, d[size_t(parents[v])] += 1;
        }
    }
    // The largest residual of a row
    double residual(const Parents &parents, const std::vector<double> &x) const {
        std::vector<double> r(b);
        for (size_t v = 0; v < parents.size(); ++v) {
            r[v] -= d[v] * x[v];
            if (parents[v] < 0) continue;
            r[v] -= l[v] * x[size_t(parents[v])], r[size_t(parents[v])] -= u[v] * x[v];
        }
        double largest = 0;
        for (const double one : r) largest = std::isfinite(one) ? std::max(largest, std::fabs(one)) : INFINITY;
        return largest;
    }
};

// Executes tables. Rows and sums that hold nothing are NaN, so that a wrong access spoils the result.
class Play {
public:
    Play(const CondensedTables &tables, const System &system, CondensedRows numbering)
        : tables_(tables),
          subtrees_(tables_.subtrees),
          system_(system),
          is_by_node_(numbering == CondensedRows::by_node),
          nodes_(system.d.size()),
          x(system.d.size(), NAN) {
        const size_t rows = nodes_ + size_t(subtrees_.slots());
        u_.assign(nodes_, NAN), l_.assign(nodes_, NAN), d_.assign(rows, NAN), b_.assign(rows, NAN);
        const size_t upper = size_t(subtrees_.levels.size() > 1 ? subtrees_.levels[1].first_slot : subtrees_.slots());
        for (size_t slot = upper; slot < size_t(subtrees_.slots()); ++slot) d_[nodes_ + slot] = b_[nodes_ + slot] = 0;
        e_.assign(size_t(is_by_node_ ? int32_t(nodes_) : tables_.paths), NAN);
        for (int32_t w = 0; w < tables_.workers; ++w) condense(w);
    }
    // The other levels, and the substitution
    void finish() {
        for (size_t n = 1; n < subtrees_.levels.size(); ++n) join(subtrees_.levels[n]), eliminate(subtrees_.levels[n]);
        for (size_t n = subtrees_.levels.size() - 1; n > 0; --n) substitute(subtrees_.levels[n]);
        expand();
    }
    // In a piece: the row of a port, or the contribution in a slot, and their unknowns
    struct Row {
        double u, l, d, b;
    };
    Row port(int32_t p) const {
        const size_t at = row_of(p);
        return {u_[at], l_[at], d_[at], b_[at]};
    }
    Row slot(int32_t s) const { return {0, 0, d_[nodes_ + size_t(s)], b_[nodes_ + size_t(s)]}; }
    void set_port(int32_t p, double unknown) { b_[row_of(p)] = unknown; }
    void set_above(int32_t s, double unknown) { b_[nodes_ + size_t(s)] = unknown; }
    void expand() {
        for (int32_t w = 0; w < tables_.workers; ++w) expand(w);
    }
    size_t most_pending = 0;  // nodes at a time whose contributions are being added up

private:
    struct Pair {
        double d, b;
    };
    size_t row_of(int32_t p) const { return size_t(is_by_node_ ? tables_.nodes_of_ports[size_t(p)] : p); }
    const CondensedStep &step(int32_t k, int32_t w) const { return tables_.steps[size_t(k * tables_.workers + w)]; }
    const SubtreeEnds &ends(int32_t w, int32_t other) const {
        const bool is_last = other == subtrees_.worker_slots[size_t(w) + 1];
        return subtrees_.ends[size_t(is_last ? w : other)];
    }
    size_t slot_row(int32_t w, int32_t other) const {
        return nodes_ + size_t(other == subtrees_.worker_slots[size_t(w) + 1] ? w : other);
    }

    void condense(int32_t w) {
        int32_t row = tables_.starts[size_t(w)].row, path = tables_.starts[size_t(w)].path;
        int32_t other = subtrees_.worker_slots[size_t(w)];
        Pair carried{NAN, NAN};
        double f = NAN, h = NAN, port_d = NAN, port_b = NAN;
        bool has_port = false;
        std::vector<Pair> pending;
        for (int32_t k = 0; k < tables_.steps_of_worker; ++k) {
            const CondensedStep &own = step(k, w);
            if (own.is(CondensedStep::is_idle)) continue;
            const size_t v = own.node();
            const bool is_port = own.is(CondensedStep::is_port);
            double u = system_.u[v], l = system_.l[v], d = system_.d[v], b = system_.b[v];
            if (own.is(CondensedStep::is_root)) u = l = 0;
            if (own.is(CondensedStep::has_sum)) {
                ASSERT_FALSE(pending.empty());
                d += pending.back().d, b += pending.back().b, pending.pop_back();
            }
            if (own.is(CondensedStep::is_carried)) d -= carried.d, b -= carried.b;
            const size_t at = is_by_node_ ? v : size_t(is_port ? ends(w, other).port : row);
            if (is_port) {
                f = u, h = l, port_d = d, port_b = b, has_port = true, carried = {0, 0};
            } else {
                const double c = l / d, g = b / d;
                carried = {u * c, u * g};
                if (own.is(CondensedStep::on_path)) {
                    const double e = f / d;
                    e_[size_t(is_by_node_ ? int32_t(v) : path)] = e, ++path;
                    port_d -= h * e, port_b -= h * g, f = -u / d * f, h = -h * c;
                }
                d_[at] = c, b_[at] = g, ++row;
            }
            if (own.is(CondensedStep::adds)) {
                if (own.target >= nodes_) {
                    ASSERT_EQ(size_t(own.target), slot_row(w, other));
                    if (own.is(CondensedStep::is_first)) d_[own.target] = b_[own.target] = 0;
                    d_[own.target] -= carried.d, b_[own.target] -= carried.b;
                } else {
                    if (own.is(CondensedStep::is_first)) pending.push_back({0, 0});
                    ASSERT_FALSE(pending.empty());
                    pending.back().d -= carried.d, pending.back().b -= carried.b;
                    most_pending = std::max(most_pending, pending.size());
                }
            }
            if (own.is(CondensedStep::ends)) {
                if (has_port) {
                    const size_t port = size_t(ends(w, other).port);
                    u_[port] = f, l_[port] = h, d_[port] = port_d, b_[port] = port_b;
                }
                has_port = false, ++other;
            }
        }
        EXPECT_TRUE(pending.empty());
        EXPECT_EQ(other, subtrees_.worker_slots[size_t(w) + 1] + 1);
    }
    void expand(int32_t w) {
        const bool is_last = w + 1 == tables_.workers;
        int32_t row = is_last ? int32_t(nodes_) : tables_.starts[size_t(w) + 1].row;
        int32_t path = is_last ? tables_.paths : tables_.starts[size_t(w) + 1].path;
        int32_t other = subtrees_.worker_slots[size_t(w) + 1] + 1;
        double unknown = NAN, at_port = NAN;
        for (int32_t k = tables_.steps_of_worker - 1; k >= 0; --k) {
            const CondensedStep &own = step(k, w);
            if (own.is(CondensedStep::is_idle)) continue;
            const size_t v = own.node();
            if (own.is(CondensedStep::ends)) {
                const SubtreeEnds &mine = ends(w, --other);
                b_[slot_row(w, other)] = mine.above >= 0 ? b_[size_t(mine.above)] : 0;
                at_port = mine.port >= 0 ? b_[size_t(mine.port)] : NAN;
            }
            if (own.is(CondensedStep::is_port)) {
                unknown = at_port;
            } else {
                const size_t at = is_by_node_ ? v : size_t(--row);
                if (!own.is(CondensedStep::to_next)) unknown = b_[own.target];
                unknown = b_[at] - d_[at] * unknown;
                if (own.is(CondensedStep::on_path)) unknown -= e_[size_t(is_by_node_ ? int32_t(v) : --path)] * at_port;
                b_[at] = unknown;
            }
            EXPECT_TRUE(std::isnan(x[v])) << "node " << v << " twice";
            x[v] = unknown;
        }
    }

    // The upper levels, as in subtree_step.cuh
    const SubtreeStep &step(const SubtreeLevel &level, int32_t k, int32_t w) const {
        return subtrees_.steps[size_t(level.first_step + k * level.workers + w)];
    }
    void join(const SubtreeLevel &level) {
        for (int32_t k = 0; k < level.joints; ++k) {
            const SubtreeJoint &joint = subtrees_.joints[size_t(level.first_joint + k)];
            for (int32_t c = joint.begin; c < joint.end; ++c) {
                const size_t slot = size_t(subtrees_.contributors[size_t(c)]);
                d_[size_t(joint.row)] += d_[slot], b_[size_t(joint.row)] += b_[slot];
            }
        }
    }
    void eliminate(const SubtreeLevel &level) {
        for (int32_t w = 0; w < level.workers; ++w) {
            double f = 0, h = 0, port_d = 0, port_b = 0;
            int64_t port = -1;
            const auto close = [&] {
                if (port >= 0)
                    u_[size_t(port)] = f, l_[size_t(port)] = h, d_[size_t(port)] = port_d, b_[size_t(port)] = port_b;
                port = -1;
            };
            for (int32_t k = 0; k < level.steps; ++k) {
                const SubtreeStep &own = step(level, k, w);
                if (own.flags() & STEP_IS_IDLE) continue;
                const size_t v = own.row();
                if (own.flags() & STEP_IS_PORT) {
                    f = u_[v], h = l_[v], port_d = d_[v], port_b = b_[v], port = int64_t(v);
                } else {
                    const double c = l_[v] / d_[v], g = b_[v] / d_[v], ui = u_[v] / d_[v];
                    d_[own.parent] -= ui * l_[v], b_[own.parent] -= ui * b_[v];
                    if (own.flags() & STEP_ON_PATH) {
                        const double e = f / d_[v];
                        port_d -= h * e, port_b -= h * g, f = -ui * f, h = -h * c, u_[v] = e;
                    }
                    d_[v] = c, b_[v] = g;
                }
                if (own.flags() & STEP_ENDS) close();
            }
            close();
        }
    }
    void substitute(const SubtreeLevel &level) {
        for (int32_t w = 0; w < level.workers; ++w) {
            int32_t other = subtrees_.worker_slots[size_t(level.first_worker + w) + 1];
            double at_port = NAN;
            const auto enter = [&](int32_t slot) {
                const SubtreeEnds &own = subtrees_.ends[size_t(slot)];
                if (own.port >= 0) at_port = b_[size_t(own.port)];
                b_[nodes_ + size_t(slot)] = own.above >= 0 ? b_[size_t(own.above)] : 0;
            };
            enter(level.first_slot + w);
            for (int32_t k = level.steps - 1; k >= 0; --k) {
                const SubtreeStep &own = step(level, k, w);
                if (own.flags() & STEP_IS_IDLE) continue;
                if (own.flags() & STEP_ENDS) enter(--other);
                if (own.flags() & STEP_IS_PORT) continue;
                const size_t v = own.row();
                b_[v] -= d_[v] * b_[own.parent];
                if (own.flags() & STEP_ON_PATH) b_[v] -= u_[v] * at_port;
            }
        }
    }

    const CondensedTables &tables_;
    const SubtreeTables &subtrees_;
    const System &system_;
    bool is_by_node_;
    size_t nodes_;
    std::vector<double> u_, l_, d_, b_, e_;

public:
    std::vector<double> x;
};

std::vector<xbatch_test::NamedTree> all_trees() {
    std::vector<xbatch_test::NamedTree> trees = xbatch_test::made_trees();
    trees.push_back({"forest", xbatch_test::with_roots(xbatch_test::random_tree(400, 0.2), 9)});
    trees.push_back({"roots alone", Parents(300, -1)});
    trees.push_back({"long chain", xbatch_test::chain(3000)});
    for (uint64_t seed = 1; seed < 40; ++seed)
        trees.push_back({"random " + std::to_string(seed),
                         xbatch_test::random_tree(17 + 61 * int64_t(seed), 0.02 * double(seed), seed)});
    for (auto &tree : xbatch_test::real_trees("mixed")) trees.push_back(tree);
    return trees;
}

TEST(HinesCondensed, SolvesEveryTree) {
    constexpr double bound = 1e-13;
    constexpr size_t places = 8;  // of the list of pending nodes in ResidentStore
    for (const auto &tree : all_trees())
        for (const CondensedRows numbering : {CondensedRows::by_worker, CondensedRows::by_node}) {
            SCOPED_TRACE(tree.name + (numbering == CondensedRows::by_node ? ", by node" : ", by worker"));
            const System system(tree.parents);
            const CondensedTables tables = condense_tree({tree.parents, 0}, cut, numbering);
            Play play(tables, system, numbering);
            play.finish();
            ASSERT_FALSE(::testing::Test::HasFatalFailure());
            EXPECT_LE(system.residual(tree.parents, play.x), bound);
            EXPECT_LE(play.most_pending, places);
        }
}

// From the tips
std::vector<double> solved(const Parents &parents, System s) {
    for (size_t v = parents.size(); v-- > 0;) {
        if (parents[v] < 0) continue;
        const size_t p = size_t(parents[v]);
        s.d[p] -= s.u[v] * s.l[v] / s.d[v], s.b[p] -= s.u[v] * s.b[v] / s.d[v];
    }
    for (size_t v = 0; v < parents.size(); ++v)
        s.b[v] = (s.b[v] - (parents[v] < 0 ? 0 : s.l[v] * s.b[size_t(parents[v])])) / s.d[v];
    return s.b;
}

std::vector<double> solved_in_pieces(const PieceTables &all, const System &system, CondensedRows numbering) {
    const auto part = [](const std::vector<double> &of, const TreePiece &piece) {
        return std::vector<double>(of.begin() + piece.first, of.begin() + piece.first + piece.nodes);
    };
    const bool is_by_node = numbering == CondensedRows::by_node;
    std::vector<System> parts;
    for (const TreePiece &piece : all.pieces) {
        parts.emplace_back();
        parts.back().u = part(system.u, piece), parts.back().l = part(system.l, piece);
        parts.back().d = part(system.d, piece), parts.back().b = part(system.b, piece);
    }
    std::vector<Play> plays;
    System ports;
    std::vector<Play::Row> slots;
    for (size_t k = 0; k < all.pieces.size(); ++k) {
        const CondensedTables &tables = is_by_node ? all.pieces[k].resident : all.pieces[k].streamed;
        EXPECT_EQ(all.pieces[k].first_port, int32_t(ports.d.size()));
        EXPECT_EQ(all.pieces[k].first_slot, int32_t(slots.size()));
        plays.emplace_back(tables, parts[k], numbering);
        for (int32_t p = 0; p < tables.ports; ++p) {
            const Play::Row row = plays.back().port(p);
            ports.u.push_back(row.u), ports.l.push_back(row.l), ports.d.push_back(row.d), ports.b.push_back(row.b);
        }
        for (int32_t s = 0; s < int32_t(tables.subtrees.slots()); ++s) slots.push_back(plays.back().slot(s));
    }
    for (size_t p = 0; p < ports.d.size(); ++p)
        for (int32_t k = all.begin[p]; k < all.begin[p + 1]; ++k)
            ports.d[p] += slots[size_t(all.slots[size_t(k)])].d, ports.b[p] += slots[size_t(all.slots[size_t(k)])].b;
    const std::vector<double> at_ports = solved(all.ports.parent, ports);
    std::vector<double> x;
    for (size_t k = 0; k < all.pieces.size(); ++k) {
        const TreePiece &piece = all.pieces[k];
        const CondensedTables &tables = is_by_node ? piece.resident : piece.streamed;
        for (int32_t p = 0; p < tables.ports; ++p) plays[k].set_port(p, at_ports[size_t(piece.first_port + p)]);
        for (int32_t s = 0; s < int32_t(tables.subtrees.slots()); ++s) {
            const int32_t above = all.ports_above[size_t(piece.first_slot + s)];
            plays[k].set_above(s, above < 0 ? 0 : at_ports[size_t(above)]);
        }
        plays[k].expand();
        x.insert(x.end(), plays[k].x.begin(), plays[k].x.end());
    }
    return x;
}

TEST(HinesCondensed, SolvesPiecesOfEveryTree) {
    constexpr double bound = 1e-13;
    for (const auto &tree : all_trees())
        for (const int32_t nodes : {1, 40, 256}) {
            SCOPED_TRACE(tree.name + " in pieces of " + std::to_string(nodes));
            const PieceTables all = cut_into_pieces({tree.parents, 0}, nodes, cut.first_steps);
            const System system(tree.parents);
            for (const CondensedRows numbering : {CondensedRows::by_worker, CondensedRows::by_node})
                EXPECT_LE(system.residual(tree.parents, solved_in_pieces(all, system, numbering)), bound);
        }
}

// Depth is not time: a level has few steps, and the levels grow as the logarithm of the number of nodes.
TEST(HinesCondensed, HasFewSteps) {
    for (const auto &tree : all_trees()) {
        SCOPED_TRACE(tree.name);
        const CondensedTables tables = condense_tree({tree.parents, 0}, cut, CondensedRows::by_worker);
        const auto &levels = tables.subtrees.levels;
        EXPECT_LE(tables.steps_of_worker, cut.first_steps);
        EXPECT_LE(tables.workers, int(tree.parents.size()) * 3 / 2 / cut.first_steps + 1);
        for (size_t n = 1; n < levels.size(); ++n) EXPECT_LE(levels[n].steps, cut.next_steps);
        EXPECT_LE(double(levels.size()), 1.5 + std::log(double(tree.parents.size())) / std::log(4));
    }
}

}  // namespace
