// subtrees.cpp: cuts a tree into subtrees, orders their steps and distributes them over workers.
// SPDX-License-Identifier: BSD-3-Clause
#include "subtrees.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace xbatch::hines {
namespace {

// The nodes of a level with numbers of their own, parents first, and the tree's number of each. In a piece of a tree:
// the parents that are outside of it, by node of the tree, or -1, and which nodes have children outside.
struct Nodes {
    std::vector<int32_t> parent;  // -1 for roots
    std::vector<int32_t> node;
    std::vector<int32_t> outside;
    std::vector<bool> has_child_outside;
    int32_t count() const { return int32_t(parent.size()); }
};

// A list of numbers for each of n owners
struct Lists {
    std::vector<int32_t> begin, items;

    // Item k is added to list owner[k], unless that is -1; each list is increasing.
    Lists(int32_t n, const std::vector<int32_t> &owner) : begin(n + 1), items(owner.size()) {
        for (int32_t o : owner)
            if (o >= 0) ++begin[o + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        std::vector<int32_t> next(begin.begin(), begin.end() - 1);
        for (size_t k = 0; k < owner.size(); ++k)
            if (owner[k] >= 0) items[next[owner[k]]++] = int32_t(k);
    }
};

// A node with the nodes below it in its subtree. A node with a port below it is in a subtree; an open node is in none.
struct Part {
    int16_t size = 1;
    bool has_port = false, is_port = false;
    bool is_absorbed = false;  // by its parent
    bool is_open = false;      // in no subtree of this level
};

// A complete subtree: its topmost nodes.
struct Subtree {
    std::vector<int32_t> tops;
    int32_t size;
};

void mark(SubtreeStep &step, uint32_t flags) { step.row_and_flags |= flags << 24; }

class Cutter {
public:
    Cutter(const Nodes &nodes, int steps, bool has_ports)
        : nodes_(nodes),
          steps_(steps),
          has_ports_(has_ports),
          children_(nodes.count(), nodes.parent),
          parts_(nodes.count()) {
        std::map<int32_t, std::vector<int32_t>> roots;  // by the node outside that is above them
        for (int32_t v = nodes.count() - 1; v >= 0; --v) {
            settle(v);
            if (nodes.parent[v] < 0 && !parts_[v].is_open) roots[outside(v)].push_back(v);
        }
        for (auto &[above, tops] : roots) close(tops);
    }
    std::vector<Subtree> subtrees;

    // The steps of a subtree, tips first; the parent of a top is the top itself.
    std::vector<SubtreeStep> steps_of(const Subtree &subtree) const {
        std::vector<SubtreeStep> steps;
        for (int32_t top : subtree.tops) {
            append(top, steps);
            mark(steps.back(), STEP_IS_TOP);
        }
        return steps;
    }
    // The nodes in no subtree, in tree order
    Nodes open() const {
        Nodes open;
        std::vector<int32_t> number(parts_.size(), -1);
        for (int32_t v = 0; v < nodes_.count(); ++v) {
            if (!parts_[v].is_open) continue;
            number[v] = open.count();
            open.node.push_back(nodes_.node[v]);
            open.parent.push_back(nodes_.parent[v] < 0 ? -1 : number[nodes_.parent[v]]);
        }
        return open;
    }
    // The node above a subtree, or -1
    int32_t above(const Subtree &subtree) const {
        const int32_t parent = nodes_.parent[subtree.tops[0]];
        return parent < 0 ? -1 : nodes_.node[parent];
    }
    // The same in a piece, by the numbers of the tree, of which the piece's node 0 is `first`
    int32_t above(const Subtree &subtree, int32_t first) const {
        const int32_t inside = above(subtree);
        return inside < 0 ? outside(subtree.tops[0]) : first + inside;
    }

private:
    int32_t outside(int32_t root) const { return nodes_.outside.empty() ? -1 : nodes_.outside[root]; }

    // Decides which children join v, with all nodes below them. Without ports: all children, or none, and v is open.
    // With ports: all children, or those without ports that fit, and v is a port.
    void settle(int32_t v) {
        Part &part = parts_[v];
        std::vector<int32_t> plain, ported;
        for (int32_t c = children_.begin[v]; c < children_.begin[v + 1]; ++c) {
            const int32_t child = children_.items[c];
            (parts_[child].has_port || parts_[child].is_open ? ported : plain).push_back(child);
        }
        std::sort(plain.begin(), plain.end(), [&](int32_t a, int32_t b) {
            return parts_[a].size != parts_[b].size ? parts_[a].size < parts_[b].size : a < b;
        });
        int size = 1;
        std::vector<int32_t> left;
        for (int32_t child : plain) {
            if (size + parts_[child].size > steps_) {
                left.push_back(child);
                continue;
            }
            size += parts_[child].size;
            parts_[child].is_absorbed = true;
        }
        const bool is_needed = !nodes_.has_child_outside.empty() && nodes_.has_child_outside[v];
        const bool is_whole = !is_needed && left.empty() && ported.size() <= (has_ports_ ? 1 : 0) &&
                              (ported.empty() || size + parts_[ported[0]].size <= steps_);
        if (!is_whole && !has_ports_) {
            part.is_open = true;
            for (int32_t child : plain) parts_[child].is_absorbed = false;
            return close(plain);
        }
        if (is_whole && !ported.empty()) {
            size += parts_[ported[0]].size;
            parts_[ported[0]].is_absorbed = true;
        }
        part.size = int16_t(size);
        part.is_port = !is_whole;
        part.has_port = !is_whole || !ported.empty();
        if (is_whole) return;
        left.insert(left.end(), ported.begin(), ported.end());
        close(left);
    }

    // Completes subtrees below the same node, or below none. Those without ports are merged as far as they fit.
    void close(std::vector<int32_t> tops) {
        std::sort(tops.begin(), tops.end(), [&](int32_t a, int32_t b) {
            return parts_[a].size != parts_[b].size ? parts_[a].size > parts_[b].size : a < b;
        });
        int64_t open = -1;  // subtrees[open] has room for more
        for (int32_t top : tops) {
            const Part &part = parts_[top];
            if (!part.has_port && open >= 0 && subtrees[open].size + part.size <= steps_) {
                subtrees[open].tops.push_back(top), subtrees[open].size += part.size;
                continue;
            }
            subtrees.push_back({{top}, part.size});
            if (!part.has_port) open = int64_t(subtrees.size()) - 1;
        }
    }

    // The steps of the nodes below v, and v: last those below the child with the port, first those below the largest of
    // the others, so that few nodes at a time have some of their children eliminated and not all. A subtree is small
    // enough for recursion.
    void append(int32_t v, std::vector<SubtreeStep> &steps) const {
        uint32_t flags = parts_[v].is_port ? uint32_t(STEP_IS_PORT) : 0;
        std::vector<int32_t> below;
        std::copy_if(children_.items.begin() + children_.begin[v], children_.items.begin() + children_.begin[v + 1],
                     std::back_inserter(below), [&](int32_t child) { return parts_[child].is_absorbed; });
        std::stable_sort(below.begin(), below.end(), [&](int32_t a, int32_t b) {
            return std::pair(parts_[a].has_port, -parts_[a].size) < std::pair(parts_[b].has_port, -parts_[b].size);
        });
        for (int32_t child : below) {
            append(child, steps);
            if (parts_[child].has_port) flags |= STEP_ON_PATH;
        }
        const int32_t parent = nodes_.parent[v];
        steps.push_back({uint32_t(nodes_.node[v]), uint32_t(nodes_.node[parent < 0 ? v : parent])});
        mark(steps.back(), flags);
    }

    const Nodes &nodes_;
    int steps_;
    bool has_ports_;
    Lists children_;
    std::vector<Part> parts_;
};

// The subtrees of each worker, at most `steps` steps in all: best fit decreasing.
std::vector<std::vector<int32_t>> share_out(const std::vector<Subtree> &subtrees, int steps) {
    std::vector<int32_t> order(subtrees.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return subtrees[a].size > subtrees[b].size; });
    std::vector<std::vector<int32_t>> workers, with_room(steps + 1);
    for (int32_t k : order) {
        int room = subtrees[k].size;
        while (room <= steps && with_room[room].empty()) ++room;
        int32_t worker = int32_t(workers.size());
        if (room > steps)
            workers.emplace_back(), room = steps;
        else
            worker = with_room[room].back(), with_room[room].pop_back();
        workers[worker].push_back(k);
        with_room[room - subtrees[k].size].push_back(worker);
    }
    return workers;
}

int64_t depth_of(const Tree &tree) {
    std::vector<int32_t> depth(tree.parent.size(), 1);
    for (size_t v = 0; v < depth.size(); ++v)
        if (tree.parent[v] >= 0) depth[v] = depth[size_t(tree.parent[v])] + 1;
    return *std::max_element(depth.begin(), depth.end());
}

// Adds a level for these nodes to the tables; returns the nodes of the next.
class Builder {
public:
    Builder(const Tree &tree, SubtreeCut cut) : count_(int32_t(tree.n())), number_(tree.parent.size(), -1) {
        Nodes nodes;
        nodes.parent = tree.parent;
        nodes.node.resize(tree.parent.size());
        std::iota(nodes.node.begin(), nodes.node.end(), 0);
        for (int steps = cut.first_steps; nodes.count() > 0; steps = cut.next_steps)
            nodes = add(nodes, steps, cut.has_ports);
        for (size_t v = 0; v < tree.parent.size(); ++v)
            if (tree.parent[v] < 0) tables.roots.push_back(int32_t(v));
    }
    // Nodes first … end - 1 of a tree, which are numbered from 0; one level
    Builder(const Tree &tree, const std::vector<bool> &has_child_outside, int32_t first, int32_t end, int steps)
        : count_(end - first), number_(size_t(count_), -1), first_(first), is_piece_(true) {
        Nodes nodes;
        nodes.has_child_outside.assign(has_child_outside.begin() + first, has_child_outside.begin() + end);
        for (int32_t v = first; v < end; ++v) {
            const int32_t parent = tree.parent[size_t(v)];
            if (parent < 0) tables.roots.push_back(v - first);
            nodes.node.push_back(v - first);
            nodes.parent.push_back(parent < first ? -1 : parent - first);
            nodes.outside.push_back(parent < first ? parent : -1);
        }
        add(nodes, steps, true);
    }
    SubtreeTables tables;
    std::vector<int32_t> above;  // in a piece: by slot, the node above in the tree, or -1

private:
    Nodes add(const Nodes &nodes, int most_steps, bool has_ports) {
        const Cutter cutter(nodes, most_steps, has_ports);
        const auto workers = share_out(cutter.subtrees, most_steps);
        const bool is_first = tables.levels.empty();
        const int32_t slots = int32_t(tables.slots());
        const Lists hanging = hanging_on(nodes, is_first ? slots : tables.levels.back().first_slot);
        SubtreeLevel level{};
        level.workers = int32_t(workers.size()), level.first_step = int32_t(tables.steps.size());
        level.first_worker = int32_t(tables.worker_slots.size()), level.first_slot = slots;
        std::vector<std::vector<SubtreeStep>> steps(workers.size());
        tables.ends.resize(slots + cutter.subtrees.size(), {-1, -1});
        above.resize(is_piece_ ? tables.ends.size() : 0);
        int32_t other = slots + level.workers;
        for (int32_t w = 0; w < level.workers; ++w) {
            tables.worker_slots.push_back(other);
            for (int32_t subtree : workers[w]) {
                const bool is_last = subtree == workers[w].back();
                auto more = cutter.steps_of(cutter.subtrees[subtree]);
                if (!is_last) mark(more.back(), STEP_ENDS);
                const int32_t slot = is_last ? slots + w : other++;
                tables.ends[slot].above = is_piece_ ? count_ + slot : cutter.above(cutter.subtrees[subtree]);
                if (is_piece_) above[size_t(slot)] = cutter.above(cutter.subtrees[subtree], first_);
                end_in_slot(more, slot);
                steps[w].insert(steps[w].end(), more.begin(), more.end());
            }
            level.steps = std::max(level.steps, int32_t(steps[w].size()));
        }
        tables.worker_slots.push_back(other);
        list_steps(level, steps);
        level.first_joint = int32_t(tables.joints.size());
        for (int32_t v = 0; v < nodes.count(); ++v)
            if (hanging.begin[v] < hanging.begin[v + 1])
                tables.joints.push_back(
                    {nodes.node[v], contributors_base_ + hanging.begin[v], contributors_base_ + hanging.begin[v + 1]});
        level.joints = int32_t(tables.joints.size()) - level.first_joint;
        tables.levels.push_back(level);
        if (is_piece_) return {};
        if (has_ports) return ports_since(slots);
        Nodes open = cutter.open();
        for (int32_t v = 0; v < open.count(); ++v) number_[open.node[v]] = v;
        return open;
    }

    // Tops store their contributions to the node above in the slot's row.
    void end_in_slot(std::vector<SubtreeStep> &steps, int32_t slot) {
        for (SubtreeStep &step : steps) {
            if (step.flags() & STEP_IS_PORT) tables.ends[slot].port = int32_t(step.row());
            if (step.flags() & STEP_IS_TOP) step.parent = uint32_t(count_ + slot);
        }
    }

    // The table of a level. All workers end with the last step; an idle one repeats its first row.
    void list_steps(const SubtreeLevel &level, const std::vector<std::vector<SubtreeStep>> &steps) {
        for (int32_t k = 0; k < level.steps; ++k)
            for (const auto &mine : steps) {
                const int32_t idle = level.steps - int32_t(mine.size());
                tables.steps.push_back(mine[std::max(k - idle, 0)]);
                if (k < idle) mark(tables.steps.back(), STEP_IS_IDLE);
            }
    }

    // Appends to the contributors, for each node, the slots below it, from `first` on: those of the previous level
    Lists hanging_on(const Nodes &nodes, int32_t first) {
        std::vector<int32_t> owner;
        for (int32_t s = first; s < int32_t(tables.slots()); ++s) {
            const int32_t above = tables.ends[s].above;
            owner.push_back(above < 0 ? -1 : number_[above]);
        }
        Lists lists(nodes.count(), owner);
        contributors_base_ = int32_t(tables.contributors.size());
        for (int32_t k = 0; k < lists.begin.back(); ++k) tables.contributors.push_back(count_ + first + lists.items[k]);
        return lists;
    }

    // The nodes of the next level: ports of the slots from `slot` on, in tree order
    Nodes ports_since(int32_t slot) {
        std::vector<SubtreeEnds> found;
        for (int32_t s = slot; s < int32_t(tables.slots()); ++s)
            if (tables.ends[s].port >= 0) found.push_back(tables.ends[s]);
        std::sort(found.begin(), found.end(), [](SubtreeEnds a, SubtreeEnds b) { return a.port < b.port; });
        Nodes next;
        for (const SubtreeEnds &ends : found) {
            number_[ends.port] = next.count();
            next.parent.push_back(ends.above < 0 ? -1 : number_[ends.above]);
            next.node.push_back(ends.port);
        }
        return next;
    }

    int32_t count_;                // nodes of the tree
    std::vector<int32_t> number_;  // [node]: its number within the level
    int32_t contributors_base_ = 0;
    int32_t first_ = 0;
    bool is_piece_ = false;
};

}  // namespace

SubtreeCut SubtreeCut::of(const Tree &tree) {
    constexpr int steps = 16, steps_of_ports = 8;
    constexpr int64_t most_depth_without_ports = 8192;
    const bool has_ports = depth_of(tree) > most_depth_without_ports;
    return {steps, has_ports ? steps_of_ports : steps, has_ports};
}

SubtreeTables cut_tree(const Tree &tree, SubtreeCut cut) { return Builder(tree, cut).tables; }

PieceSubtrees cut_piece(const Tree &tree, const std::vector<bool> &has_child_outside, int32_t first, int32_t end,
                        int steps) {
    Builder builder(tree, has_child_outside, first, end, steps);
    return {std::move(builder.tables), std::move(builder.above)};
}

}  // namespace xbatch::hines
