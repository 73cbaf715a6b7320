// test_hines_schedule.cpp: the steps in which the workers of a warp eliminate a tree.
//
// A schedule is simulated as kernels execute it: the inputs of a step are read one step ahead, before that step writes.
// Rows hold the identity of what was written, so that every wrong access is detected.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "hines/plan/schedule.hpp"
#include "support/generators/hines_trees.hpp"

namespace {

using namespace xbatch::hines;
using xbatch_test::Parents;

constexpr int latency = 2;

enum class What { nothing, zeros, kept, part, unknown };
struct Content {
    What what = What::nothing;
    int32_t node = -1;
    bool operator==(const Content &other) const { return what == other.what && node == other.node; }
};

// Simulates a schedule; `taken` is the children whose contributions each node subtracted, in that order.
class Play {
public:
    Play(const Parents &parents, const Schedule &schedule)
        : parents_(parents),
          schedule_(schedule),
          place_(schedule.place),
          taken(parents.size()),
          kept_(parents.size() + HinesStep::first_row + size_t(place_ == PartPlace::rows ? schedule.rows : 0)),
          unknowns_(kept_.size()),
          parts_(size_t(schedule.rows)) {
        for (const MoreParts &more : schedule.more) more_[{more.step, more.worker}] = &more;
        eliminate();
        substitute();
    }

private:
    const Parents &parents_;
    const Schedule &schedule_;
    PartPlace place_;

public:
    std::vector<std::vector<int32_t>> taken;

private:
    // Idle before and after the steps
    HinesStep step(int t, int w) const {
        if (t < 0 || t >= schedule_.steps) return {};
        return schedule_.table[size_t(t * schedule_.workers + w)];
    }
    int32_t node(const HinesStep &step) const { return int32_t(step.node) - int32_t(HinesStep::first_row); }
    // Rows of contributions; for PartPlace::rows the same as those of c and g.
    Content &part_at(uint32_t row) { return place_ == PartPlace::rows ? kept_[row] : parts_[row]; }
    // Where a child reads its parent's unknown; for PartPlace::apart the contribution's row.
    Content &unknown_at(uint32_t row) { return place_ == PartPlace::apart ? parts_[row] : unknowns_[row]; }
    std::vector<uint32_t> more(int t, int w) const {
        const auto found = more_.find({t, w});
        if (found == more_.end()) return {};
        const uint32_t *const list = schedule_.list.data();
        return {list + found->second->begin, list + found->second->end};
    }
    bool is_idle(const HinesStep &step) const { return step.row == HinesStep::nowhere; }

    void take(int32_t v, const Content &content) {
        if (content.what == What::zeros) return;
        ASSERT_EQ(content.what, What::part) << "node " << v;
        ASSERT_EQ(parents_[size_t(content.node)], v);
        taken[size_t(v)].push_back(content.node);
    }

    void eliminate() {
        const auto workers = size_t(schedule_.workers);
        part_at(HinesStep::zeros) = {What::zeros, -1};
        std::vector<Content> carried(workers);
        std::vector<std::vector<Content>> ahead(workers);
        int64_t nodes = 0;
        for (int t = 0; t < schedule_.steps; ++t) {
            std::vector<std::vector<Content>> now = ahead;
            for (int w = 0; w < schedule_.workers; ++w) {  // for the next step
                const HinesStep next = step(t + 1, w);
                ahead[size_t(w)] = {part_at(next.first), part_at(next.second)};
                for (uint32_t row : more(t, w)) now[size_t(w)].push_back(part_at(row));
            }
            std::vector<uint32_t> rows;
            for (int w = 0; w < schedule_.workers; ++w) {
                const HinesStep own = step(t, w);
                const int32_t v = node(own);
                if (!is_idle(own)) {
                    ++nodes;
                    rows.push_back(own.row);
                    for (const Content &part : now[size_t(w)]) take(v, part);
                    if (own.is(HinesStep::is_carried)) take(v, carried[size_t(w)]);
                    EXPECT_EQ(own.is(HinesStep::is_root), parents_[size_t(v)] < 0);
                    kept_[own.row] = unknowns_[own.row] = {What::kept, v};
                }
                carried[size_t(w)] = {What::part, v};
                const uint32_t target = place_ == PartPlace::children ? own.row : own.target;
                if (target != HinesStep::nowhere) part_at(target) = {What::part, v};
            }
            for (size_t k = 1; place_ != PartPlace::children && k < rows.size(); ++k)
                EXPECT_EQ(rows[k], rows[k - 1] + 1);
        }
        EXPECT_EQ(nodes, int64_t(parents_.size()));
    }

    void substitute() {
        const auto workers = size_t(schedule_.workers);
        std::vector<Content> carried(workers), above(workers), kept(workers);
        for (int t = schedule_.steps; t >= 0; --t) {
            const std::vector<Content> above_now = above, kept_now = kept;
            for (int w = 0; w < schedule_.workers; ++w) {  // for the next step
                above[size_t(w)] = unknown_at(step(t - 1, w).target);
                kept[size_t(w)] = unknowns_[step(t - 1, w).row];
            }
            for (int w = 0; w < schedule_.workers; ++w) {
                const HinesStep own = step(t, w);
                const int32_t v = node(own);
                if (!is_idle(own)) {
                    EXPECT_EQ(kept_now[size_t(w)], (Content{What::kept, v}));
                    const bool is_root = own.is(HinesStep::is_root);
                    const Content x = own.target != HinesStep::nowhere ? above_now[size_t(w)] : carried[size_t(w)];
                    EXPECT_TRUE(is_root || x == (Content{What::unknown, parents_[size_t(v)]})) << "above node " << v;
                }
                const Content x{What::unknown, v};
                carried[size_t(w)] = unknowns_[own.row] = x;
                if (place_ == PartPlace::children) continue;
                if (own.first != HinesStep::zeros) unknown_at(own.first) = x;
                if (own.second != HinesStep::zeros) unknown_at(own.second) = x;
                for (uint32_t row : more(t, w)) unknown_at(row) = x;
            }
        }
    }

    std::map<std::pair<int, int>, const MoreParts *> more_;
    std::vector<Content> kept_, unknowns_, parts_;  // [row]
};

TEST(HinesSchedule, EveryPartAndUnknownIsThere) {
    std::vector<xbatch_test::NamedTree> trees = xbatch_test::made_trees();
    Parents forest = xbatch_test::random_tree(200, 0.3);
    for (size_t v = 20; v < forest.size(); v += 41) forest[v] = -1;
    trees.push_back({"forest", forest});
    for (const auto &tree : trees) {
        const Tree made{tree.parents, 0};
        std::vector<std::vector<int32_t>> order;  // in the first schedule; all others must have the same
        for (const PartPlace place : {PartPlace::rows, PartPlace::children, PartPlace::apart})
            for (const int workers : {2, 4, 8, 16, 32}) {
                SCOPED_TRACE(tree.name + ", " + std::to_string(workers) + " workers");
                const Schedule schedule = make_schedule(made, workers, latency, place);
                const Play play(tree.parents, schedule);
                if (::testing::Test::HasFailure()) return;
                if (order.empty()) order = play.taken;
                EXPECT_EQ(play.taken, order);
                std::vector<std::vector<int32_t>> children(tree.parents.size());
                for (size_t v = tree.parents.size(); v-- > 0;)
                    if (tree.parents[v] >= 0) children[size_t(tree.parents[v])].push_back(int32_t(v));
                for (size_t v = 0; v < children.size(); ++v)
                    EXPECT_TRUE(std::is_permutation(children[v].begin(), children[v].end(), play.taken[v].begin(),
                                                    play.taken[v].end()));
            }
    }
}

TEST(HinesSchedule, PackedStepsAreTheSame) {
    for (const PartPlace place : {PartPlace::rows, PartPlace::children, PartPlace::apart}) {
        const Schedule schedule = make_schedule({xbatch_test::random_tree(2000, 0.4), 0}, 8, latency, place);
        for (const HinesStep &step : schedule.table) {
            const auto expect_same = [&](const auto &packed) {
                EXPECT_EQ(packed.target(), step.target);
                EXPECT_EQ(packed.second(), step.second);
                EXPECT_EQ(packed.is(HinesStep::is_carried), step.is(HinesStep::is_carried));
                EXPECT_EQ(packed.is(HinesStep::is_root), step.is(HinesStep::is_root));
            };
            if (place == PartPlace::apart) {
                const SpilledStep packed = SpilledStep::of(step);
                expect_same(packed);
                EXPECT_EQ(packed.node(), step.node);
                EXPECT_EQ(packed.first(), step.first);
                continue;
            }
            const PackedStep packed = PackedStep::of(step, place);
            expect_same(packed);
            EXPECT_EQ(packed.row(), step.row);
            if (place == PartPlace::rows) {
                EXPECT_EQ(packed.node(), step.node);
                EXPECT_EQ(packed.has_own() ? packed.row() : HinesStep::zeros, step.first);
            } else {
                EXPECT_EQ(packed.first(), step.first);
            }
        }
    }
}

// A tree with short branches needs few more steps than its longest path, or than its nodes per worker.
TEST(HinesSchedule, TakesFewSteps) {
    for (const double branching : {0.02, 0.1, 0.3}) {
        const Parents parents = xbatch_test::random_tree(700, branching);
        std::vector<int> depth(parents.size(), 1);
        for (size_t v = 1; v < parents.size(); ++v) depth[v] = depth[size_t(parents[v])] + 1;
        const int deepest = *std::max_element(depth.begin(), depth.end());
        for (const int workers : {2, 4, 8, 16, 32}) {
            const int least = std::max(deepest, int(parents.size()) / workers);
            EXPECT_LE(make_schedule({parents, 0}, workers, latency, PartPlace::rows).steps, least * 5 / 4 + 4);
        }
    }
}

}  // namespace
