// test_qr_schedule.cpp: the tasks of tiled QR in ticket order, and what each waits for.
//
// Every access of a task is checked by version stamps: of the rows that it changes, and of the vectors that it reads,
// which are separate data from the triangle of the same tile. In any order that the waits allow, each task must read
// what it reads in sequential order; here the ready task that is last in the order always runs first. If any kind of
// wait is removed, the stamps must detect it.
//
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "qr/tiled/qr.hpp"
#include "qr/tiled/schedule.hpp"
#include "qr/tiled/task_order.hpp"

namespace xbatch::qr {
namespace {

using Datum = std::tuple<bool, int64_t, int64_t>;  // whether vectors; their tile, or a row; column tile

struct Access {
    Datum datum;
    bool writes;
};

// The data that a task's kernel accesses
std::vector<Access> accesses_of(const QrJob &job, const QrTask &task) {
    const int64_t panels = job.factors ? 0 : job.tiling.panels();  // others are numbered after all panels
    const int64_t column = task.column < 0 ? task.panel : task.column + panels;
    const auto [shape, top, tile] = task.step;
    std::vector<Access> all;
    const auto rows = [&](int64_t of, int64_t count, int64_t c, bool writes) {
        const int64_t first = job.tiling.first_row(of, task.panel);
        for (int64_t r = first; r < first + count; ++r) all.push_back({{false, r, c}, writes});
    };
    const int64_t of_triangle = job.tiling.columns(task.panel);
    rows(tile, shape == Shape::triangle ? of_triangle : job.tiling.rows(tile, task.panel), column, true);
    if (top != tile) rows(top, of_triangle, column, true);
    // The vectors of a triangle are stored in its R, all others below R
    if (shape != Shape::triangle)
        all.push_back({{true, tile, task.panel}, task.column < 0});
    else if (task.column >= 0)
        rows(tile, of_triangle, task.panel, false);
    return all;
}

enum class Wait { none, top, tile, vectors };

class Simulation {
public:
    Simulation(const QrJob &job, Wait left_out) : job_(job), left_out_(left_out) {
        tasks_.resize(size_t(job.tasks()));
        const size_t count = size_t(job.tiling.versions() * job.column_tiles());
        std::vector<int32_t> counts(count);
        std::vector<double> ready(count);
        make_schedule(job, {tasks_.data(), int64_t(tasks_.size())}, counts.data(), ready.data());
        versions_.assign(count, 0);
        expect_stamps();
    }
    const std::vector<QrTask> &tasks() const { return tasks_; }

    // Runs all tasks; returns the number of accesses with another result than in sequential order.
    int64_t run(bool latest_first) {
        std::vector<bool> is_done(tasks_.size(), false);
        int64_t wrong = 0;
        for (size_t done = 0; done < tasks_.size(); ++done) {
            size_t chosen = tasks_.size();
            for (size_t k = 0; k < tasks_.size(); ++k)
                if (!is_done[k] && may_run(tasks_[k])) {
                    chosen = k;
                    if (!latest_first) break;
                }
            if (chosen == tasks_.size()) return -1;  // deadlock
            is_done[chosen] = true;
            wrong += check(tasks_[chosen]);
        }
        return wrong;
    }

private:
    struct Stamp {
        int64_t version = 0, reads = 0;
        bool operator!=(const Stamp &other) const { return version != other.version || reads != other.reads; }
    };

    void expect_stamps() {
        std::map<int32_t, const QrTask *> in_order;
        for (const QrTask &task : tasks_) in_order[task.number] = &task;
        std::map<Datum, Stamp> now;
        for (const auto &[number, task] : in_order)
            for (const Access &a : accesses_of(job_, *task)) {
                expected_[{number, a.datum}] = now[a.datum];
                stamp(now[a.datum], a.writes);
            }
    }
    static void stamp(Stamp &s, bool writes) {
        if (writes)
            ++s.version, s.reads = 0;
        else
            ++s.reads;
    }
    int32_t &version(int64_t column, int64_t which) {
        return versions_[size_t(column * job_.tiling.versions() + which)];
    }
    int64_t top_of(const QrTask &task) const { return job_.tiling.version_of_top(task.step.top, task.panel); }

    bool may_run(const QrTask &task) {
        const int64_t column = task.column < 0 ? task.panel : task.column;
        const bool reads_vectors = job_.factors && task.column >= 0;
        return (left_out_ == Wait::top || version(column, top_of(task)) >= task.top_version) &&
               (left_out_ == Wait::tile || version(column, task.step.tile) >= task.tile_version) &&
               (left_out_ == Wait::vectors || !reads_vectors ||
                version(task.panel, task.step.tile) >= task.vector_version);
    }
    int64_t check(const QrTask &task) {
        int64_t wrong = 0;
        for (const Access &a : accesses_of(job_, task)) {
            const Stamp &expected = expected_.at({task.number, a.datum});
            Stamp &found = stamps_[a.datum];
            wrong += a.writes ? found != expected : found.version != expected.version;
            stamp(found, a.writes);
        }
        const int64_t column = task.column < 0 ? task.panel : task.column;
        ++version(column, top_of(task));
        if (task.step.tile != top_of(task)) ++version(column, task.step.tile);
        return wrong;
    }

    QrJob job_;
    Wait left_out_;
    std::vector<QrTask> tasks_;
    std::vector<int32_t> versions_;
    std::map<std::pair<int32_t, Datum>, Stamp> expected_;
    std::map<Datum, Stamp> stamps_;
};

std::vector<QrJob> jobs() {
    std::vector<QrJob> all;
    for (int64_t p : {1, 2, 3, 5, 7})
        for (int64_t q : {1, 2, 3})
            for (int64_t tall : {1, 2})
                for (int64_t domain : {0, 1, 2, 3}) {
                    if (q > p * tall) continue;
                    const auto tree = domain ? XBATCH_TREE_DOMAINS : XBATCH_TREE_FLAT;
                    const Tiling tiling =
                        tiling_of(p * tall * 4 - 1, q * 4 - 1, {tall * 4, 4, 2, std::max<int64_t>(domain, 1), tree});
                    all.push_back({tiling, 2, true, true, false});
                    all.push_back({tiling, 0, true, true, false});
                    all.push_back({tiling, 2, false, true, false});
                    all.push_back({tiling, 2, false, false, false});
                    all.push_back({tiling, q + 1, false, false, true});
                }
    return all;
}

TEST(QrSchedule, EveryOrderThatTheWaitsAllowIsRight) {
    for (const QrJob &job : jobs()) {
        EXPECT_EQ(Simulation(job, Wait::none).run(true), 0);
        EXPECT_EQ(Simulation(job, Wait::none).run(false), 0);
    }
}

// So no ticket waits for a later one.
TEST(QrSchedule, TheOrderOfTicketsIsOneOfThem) {
    for (const QrJob &job : jobs()) {
        const Simulation simulation(job, Wait::none);
        std::map<std::pair<int64_t, int64_t>, int32_t> versions;
        for (const QrTask &task : simulation.tasks()) {
            const int64_t column = task.column < 0 ? task.panel : task.column;
            const int64_t top = job.tiling.version_of_top(task.step.top, task.panel);
            EXPECT_EQ((versions[{column, task.step.tile}]), task.tile_version);
            EXPECT_EQ((versions[{column, top}]), task.top_version);
            const bool reads_vectors = job.factors && task.column >= 0;
            EXPECT_TRUE(!reads_vectors || (versions[{task.panel, task.step.tile}]) >= task.vector_version);
            ++versions[{column, task.step.tile}];
            if (top != task.step.tile) ++versions[{column, top}];
        }
    }
}

// A GPU has the same tasks with the same waits in closed form, chains of them as one, ordered by levels: none waits for
// one of its own or of a later level.
void expect_levels(const QrJob &job, int32_t chain) {
    const TiledTaskOrder order(job, chain);
    std::vector<int32_t> changes(size_t(order.changes()), 0);
    for (int32_t panel = 0; panel < order.panels; ++panel)
        for (int32_t tile = 0; tile < order.tiles; ++tile)
            changes[size_t((panel + 1) * order.tiles + tile)] =
                changes[size_t(panel * order.tiles + tile)] + PanelOrder(job.tiling, panel).changes(tile);
    using Key = std::tuple<int32_t, int32_t, int32_t, int32_t, int32_t>;
    std::map<Key, TileTask> tasks;
    std::multimap<int32_t, TileTask> by_level;
    for (int32_t panel = 0; panel < order.panels; ++panel)
        for (int32_t n = 0; n < PanelOrder(job.tiling, panel).steps(); ++n)
            for (int32_t c = 0; c < order.tasks_of_step(panel); ++c) {
                const OrderedStep step(PanelOrder(job.tiling, panel), n, order.reach);
                const int32_t column = order.column(panel, c), level = order.level(panel, step, column);
                if (order.length(panel, step, column) == 0) continue;
                const TileTask task = order.task(changes.data(), panel, step, column);
                ASSERT_TRUE(level >= 0 && level < order.levels()) << level;
                for (int32_t k = 0; k < task.length; ++k) {
                    const TileTask part = task.part(k);
                    EXPECT_TRUE(tasks.emplace(Key{panel, column, part.shape, part.top, part.tile}, part).second);
                }
                by_level.emplace(level, task);
            }
    EXPECT_EQ(int64_t(by_level.size()), order.tasks());
    const Simulation simulation(job, Wait::none);
    ASSERT_EQ(tasks.size(), simulation.tasks().size());
    for (const QrTask &task : simulation.tasks()) {
        const auto top = int32_t(job.tiling.version_of_top(task.step.top, task.panel));
        const auto found = tasks.find({task.panel, task.column, int32_t(task.step.shape), top, task.step.tile});
        ASSERT_TRUE(found != tasks.end());
        EXPECT_EQ(found->second.top_version, task.top_version);
        EXPECT_EQ(found->second.tile_version, task.tile_version);
        EXPECT_EQ(found->second.vector_version, task.vector_version);
    }
    std::map<std::pair<int32_t, int32_t>, int32_t> level_of_version;
    std::map<std::pair<int32_t, int32_t>, int32_t> versions;
    for (const auto &[level, task] : by_level) {
        const int32_t column = task.column < 0 ? task.panel : task.column;
        const auto is_earlier = [&, at = level](int32_t of, int32_t tile) {
            const auto last = level_of_version.find({of, tile});
            return last == level_of_version.end() || last->second < at;
        };
        for (int32_t k = 0; k < task.length; ++k) {
            const TileTask part = task.part(k);
            for (int32_t tile : std::set<int32_t>{part.top, part.tile}) {
                EXPECT_EQ((versions[{column, tile}]), tile == part.top ? part.top_version : part.tile_version);
                EXPECT_TRUE((k > 0 && tile == part.top) || is_earlier(column, tile));
            }
            if (part.vector_version > 0) {
                EXPECT_GE((versions[{part.panel, part.tile}]), part.vector_version);
                EXPECT_TRUE(is_earlier(part.panel, part.tile));
            }
            for (int32_t tile : std::set<int32_t>{part.top, part.tile}) {
                ++versions[{column, tile}];
                level_of_version[{column, tile}] = level;
            }
        }
    }
}

TEST(QrSchedule, LevelsOfADevice) {
    for (const QrJob &job : jobs()) expect_levels(job, 1);
}

TEST(QrSchedule, ChainsOfADevice) {
    for (int64_t p : {2, 6, 13})
        for (int64_t q : {1, 6, 13})
            for (int64_t others : {0, 1, 9})
                for (int32_t chain : {2, 3, 4, 8}) {
                    if (q > p) continue;
                    const Tiling tiling = tiling_of(p * 4 - 1, q * 4, {4, 4, 2, 1, XBATCH_TREE_FLAT});
                    expect_levels({tiling, others, true, true, false}, chain);
                    expect_levels({tiling, others, false, true, false}, chain);
                }
}

TEST(QrSchedule, TheStampsSeeEveryKindOfWaitLeftOut) {
    for (const Wait wait : {Wait::top, Wait::tile, Wait::vectors}) {
        int64_t seen = 0;
        for (const QrJob &job : jobs()) seen += Simulation(job, wait).run(true) != 0;
        EXPECT_GT(seen, 10) << int(wait);
    }
}

// Each tile below the first of a panel is eliminated once, by steps whose triangles are complete.
TEST(QrSchedule, StepsOfPanels) {
    for (const QrJob &job : jobs()) {
        const Tiling &t = job.tiling;
        for (int64_t panel = 0; panel < t.panels(); ++panel) {
            std::set<int64_t> triangles, gone;
            int64_t steps = 0;
            t.each_step(panel, true, [&](const PanelStep &step) {
                ++steps;
                if (step.shape == Shape::trapezoid) {
                    EXPECT_TRUE(triangles.insert(step.tile).second);
                    EXPECT_GE(t.rows(step.tile, panel), t.columns(panel));
                    return;
                }
                EXPECT_TRUE(triangles.count(step.top) && !gone.count(step.top));
                EXPECT_TRUE(gone.insert(step.tile).second);
                EXPECT_EQ(step.shape == Shape::triangle, triangles.count(step.tile) == 1);
            });
            EXPECT_EQ(steps, t.steps(panel));
            EXPECT_EQ(int64_t(gone.size()), t.tiles() - t.first_tile(panel) - 1);
            EXPECT_FALSE(gone.count(t.first_tile(panel)));
            std::vector<PanelStep> forward, backward;
            t.each_step(panel, true, [&](const PanelStep &step) { forward.push_back(step); });
            t.each_step(panel, false, [&](const PanelStep &step) { backward.push_back(step); });
            EXPECT_EQ(forward.size(), backward.size());
        }
    }
}

}  // namespace
}  // namespace xbatch::qr
