// condensed.cpp: numbers the rows of a tree's subtrees, and writes the steps of the first level.
// SPDX-License-Identifier: BSD-3-Clause
#include "condensed.hpp"

#include <algorithm>
#include <numeric>

namespace xbatch::hines {
namespace {

class Condenser {
public:
    Condenser(SubtreeTables subtrees, int32_t count, CondensedRows rows)
        : row_of_(size_t(count), -1), is_root_(size_t(count)) {
        tables.subtrees = std::move(subtrees);
        for (const int32_t root : tables.subtrees.roots) is_root_[size_t(root)] = true;
        const SubtreeLevel &first = tables.subtrees.levels[0];
        tables.workers = first.workers, tables.steps_of_worker = first.steps;
        number_ports();
        number_others();
        if (rows == CondensedRows::by_node) std::iota(row_of_.begin(), row_of_.end(), 0);
        write_steps();
        renumber_upper_levels();
    }
    CondensedTables tables{};

private:
    const SubtreeStep &step(int32_t k, int32_t w) const {
        return tables.subtrees.steps[size_t(k * tables.workers + w)];
    }
    static bool is(const SubtreeStep &step, SubtreeFlag flag) { return (step.flags() & flag) != 0; }
    int32_t count() const { return int32_t(row_of_.size()); }

    void number_ports() {
        std::vector<int32_t> &ports = tables.nodes_of_ports;
        const SubtreeLevel &first = tables.subtrees.levels[0];
        const int32_t end =
            tables.subtrees.levels.size() > 1 ? tables.subtrees.levels[1].first_slot : int32_t(tables.subtrees.slots());
        for (int32_t s = first.first_slot; s < end; ++s)
            if (tables.subtrees.ends[size_t(s)].port >= 0) ports.push_back(tables.subtrees.ends[size_t(s)].port);
        std::sort(ports.begin(), ports.end());
        tables.ports = int32_t(ports.size());
        for (int32_t p = 0; p < tables.ports; ++p) row_of_[size_t(ports[size_t(p)])] = p;
    }
    void number_others() {
        int32_t row = tables.ports, path = 0;
        for (int32_t w = 0; w < tables.workers; ++w) {
            tables.starts.push_back({row, path});
            for (int32_t k = 0; k < tables.steps_of_worker; ++k) {
                const SubtreeStep &own = step(k, w);
                if (is(own, STEP_IS_IDLE) || is(own, STEP_IS_PORT)) continue;
                row_of_[own.row()] = row++, path += is(own, STEP_ON_PATH);
            }
        }
        tables.paths = path;
    }

    int32_t new_row(int32_t row) const { return row < 0 || row >= count() ? row : row_of_[size_t(row)]; }

    void write_steps() {
        std::vector<bool> has_sum(size_t(count()) + size_t(tables.subtrees.slots()));  // by row
        tables.steps.resize(size_t(tables.workers) * size_t(tables.steps_of_worker));
        for (int32_t w = 0; w < tables.workers; ++w) {
            int32_t pending = 0;
            for (int32_t k = 0; k < tables.steps_of_worker; ++k) {
                CondensedStep &step = tables.steps[size_t(k * tables.workers + w)];
                step = written(k, w, has_sum);
                pending -= step.is(CondensedStep::has_sum);
                pending += step.is(CondensedStep::is_first) && int32_t(step.target) < count();
                tables.pending = std::max(tables.pending, pending);
            }
        }
    }
    CondensedStep written(int32_t k, int32_t w, std::vector<bool> &has_sum) const {
        const SubtreeStep &own = step(k, w);
        if (is(own, STEP_IS_IDLE)) return {CondensedStep::idle_word, 0};
        const bool is_last = k + 1 == tables.steps_of_worker, is_top = is(own, STEP_IS_TOP);
        const uint32_t target = uint32_t(new_row(int32_t(own.parent)));
        const bool to_next = !is_top && step(k + 1, w).row() == own.parent;
        const bool is_carried = k > 0 && !is(step(k - 1, w), STEP_IS_IDLE) && !is(step(k - 1, w), STEP_IS_PORT) &&
                                !is(step(k - 1, w), STEP_IS_TOP) && step(k - 1, w).parent == own.row();
        uint32_t flags = 0;
        const auto mark = [&](bool wanted, CondensedStep::Flag flag) { flags |= wanted ? uint32_t(flag) : 0; };
        mark(is(own, STEP_IS_PORT), CondensedStep::is_port), mark(is(own, STEP_ON_PATH), CondensedStep::on_path);
        mark(is(own, STEP_ENDS) || is_last, CondensedStep::ends), mark(is_carried, CondensedStep::is_carried);
        mark(has_sum[size_t(new_row(int32_t(own.row())))], CondensedStep::has_sum);
        mark(to_next, CondensedStep::to_next), mark(is_root_[own.row()], CondensedStep::is_root);
        // A port's contribution to its parent is left to the next level, so only a slot is cleared for it.
        if (!to_next && (is_top || !is(own, STEP_IS_PORT))) {
            mark(true, CondensedStep::adds), mark(!has_sum[target], CondensedStep::is_first);
            has_sum[target] = true;
        }
        return {own.row() | flags << CondensedStep::node_bits, target};
    }

    void renumber_upper_levels() {
        SubtreeTables &all = tables.subtrees;
        const size_t begin = size_t(tables.workers) * size_t(tables.steps_of_worker);
        for (size_t k = begin; k < all.steps.size(); ++k) {
            SubtreeStep &step = all.steps[k];
            step.row_and_flags = uint32_t(new_row(int32_t(step.row()))) | step.flags() << 24;
            step.parent = uint32_t(new_row(int32_t(step.parent)));
        }
        all.steps.erase(all.steps.begin(), all.steps.begin() + int64_t(begin));
        for (size_t k = 1; k < all.levels.size(); ++k) all.levels[k].first_step -= int32_t(begin);
        for (SubtreeJoint &joint : all.joints) joint.row = new_row(joint.row);
        for (SubtreeEnds &ends : all.ends) ends = {new_row(ends.port), new_row(ends.above)};
        all.roots.clear();
    }

    std::vector<int32_t> row_of_;  // [node]
    std::vector<bool> is_root_;
};

}  // namespace

CondensedTables condense(SubtreeTables subtrees, int32_t nodes, CondensedRows rows) {
    return Condenser(std::move(subtrees), nodes, rows).tables;
}

CondensedTables condense_tree(const Tree &tree, SubtreeCut cut, CondensedRows rows) {
    return condense(cut_tree(tree, cut), int32_t(tree.n()), rows);
}

}  // namespace xbatch::hines
